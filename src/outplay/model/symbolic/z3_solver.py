"""Z3 behind the interface of a solver. No other file imports it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import z3

from outplay.model.expressions.evaluation import free_variables
from outplay.model.expressions.sorts import BOOLEAN, INTEGER, TEXT, Enumeration, IntegerSort, Value
from outplay.model.expressions.term import Term
from outplay.model.symbolic.solving import Finding, Satisfied, Undecided, Unsatisfiable

_ESCAPE = re.compile(r"\\u\{([0-9a-fA-F]+)\}")


class Z3Solver:
    """Decides conditions with Z3, for at most this many milliseconds each. Terms are translated once."""

    def __init__(self, milliseconds: int) -> None:
        self._solver = z3.Solver()
        self._solver.set("timeout", milliseconds)
        self._solver.set("random_seed", 0)
        self._known: dict[Term, Any] = {}
        self._asserted: list[Term] = []

    def assume(self, condition: Term) -> None:
        self._solver.push()
        self._solver.add(self._with_bounds(condition))
        self._asserted.append(condition)

    def take_back(self) -> None:
        self._solver.pop()
        self._asserted.pop()

    def check(self, *more: Term) -> Finding:
        self._solver.push()
        try:
            for condition in more:
                self._solver.add(self._with_bounds(condition))
            return self._found([*self._asserted, *more])
        finally:
            self._solver.pop()

    def escapes(self, premise: Term, conclusion: Term, chosen: Sequence[Term]) -> Finding:
        bound = [self._translated(one) for one in chosen]
        inside = z3.And(self._translated(conclusion), *(limit for one in chosen for limit in self._bounds(one)))
        outside = [one for one in free_variables(conclusion).values() if all(one is not other for other in chosen)]
        self._solver.push()
        try:
            self._solver.add(self._with_bounds(premise), *(limit for one in outside for limit in self._bounds(one)))
            self._solver.add(z3.Not(z3.Exists(bound, inside)) if bound else z3.Not(inside))
            return self._found([*self._asserted, premise])
        finally:
            self._solver.pop()

    def _found(self, conditions: Sequence[Term]) -> Finding:
        answer = self._solver.check()
        if answer == z3.unsat:
            return Unsatisfiable()
        if answer == z3.unknown:
            return Undecided(f"Z3: {self._solver.reason_unknown()}")
        model = self._solver.model()
        return Satisfied({name: self._value(model, one) for name, one in free_variables(*conditions).items()})

    def _value(self, model: Any, variable: Term) -> Value:
        found = model.eval(self._translated(variable), model_completion=True)
        if variable.sort == BOOLEAN:
            return bool(z3.is_true(found))
        if variable.sort == TEXT:
            return _ESCAPE.sub(lambda escape: chr(int(escape[1], 16)), found.as_string())
        number = int(found.as_long())
        return variable.sort.members[number] if isinstance(variable.sort, Enumeration) else number

    def _with_bounds(self, condition: Term) -> Any:
        bounds = (limit for one in free_variables(condition).values() for limit in self._bounds(one))
        return z3.And(self._translated(condition), *bounds)

    def _bounds(self, variable: Term) -> list[Any]:
        """Return the bounds of a variable by its sort; enumerations are numbered."""
        sort, known = variable.sort, self._translated(variable)
        if isinstance(sort, Enumeration):
            return [known >= 0, known < len(sort.members)]
        if not isinstance(sort, IntegerSort):
            return []
        low = [] if sort.low is None else [known >= sort.low]
        return low + ([] if sort.high is None else [known <= sort.high])

    def _translated(self, term: Term) -> Any:
        known = self._known.get(term)
        if known is None:
            known = self._known[term] = self._made(term)
        return known

    def _made(self, term: Term) -> Any:
        if term.is_literal:
            return _literal(term)
        if term.is_variable:
            return _VARIABLES.get(term.sort.base, z3.Int)(str(term.value))
        return _OPERATIONS[term.operation](*(self._translated(one) for one in term.arguments))


def _literal(term: Term) -> Any:
    if isinstance(term.value, bool):
        return z3.BoolVal(term.value)
    if isinstance(term.value, int):
        return z3.IntVal(term.value)
    text = str(term.value)
    if isinstance(term.sort, Enumeration):
        return z3.IntVal(term.sort.members.index(text))
    return z3.StringVal(text)


def _sum(*parts: Any) -> Any:
    return z3.Concat(*parts) if z3.is_string(parts[0]) else z3.Sum(*parts)


def _quotient(number: Any, by: Any) -> Any:
    return z3.If(by == 0, z3.IntVal(0), number / by)


def _rest(number: Any, by: Any) -> Any:
    return z3.If(by == 0, number, number % by)


_VARIABLES: Mapping[Any, Any] = {BOOLEAN: z3.Bool, INTEGER: z3.Int, TEXT: z3.String}
_OPERATIONS: Mapping[str, Any] = {
    "and": z3.And,
    "or": z3.Or,
    "not": z3.Not,
    "implies": z3.Implies,
    "if": z3.If,
    "=": lambda left, right: left == right,
    "!=": lambda left, right: left != right,
    "<": lambda left, right: left < right,
    "<=": lambda left, right: left <= right,
    ">": lambda left, right: left > right,
    ">=": lambda left, right: left >= right,
    "+": _sum,
    "-": lambda left, right: left - right,
    "*": lambda *factors: z3.Product(*factors),
    "div": _quotient,
    "mod": _rest,
    "negative": lambda number: -number,
    "length": z3.Length,
}
