"""Data for inputs: values that steer along a path, and are as different from each other as can be.

Where any values will do, a few are drawn from those that are likely to matter: constants of the guards and their
neighbours, what the variables hold, and what was given before; the others are new. Where values have to meet a
condition, drawn ones are tried first and a solver is asked only when they do not fit.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from random import Random
from typing import cast

from outplay.model.expressions.computing import free_variables, substitute
from outplay.model.expressions.operations import Value
from outplay.model.expressions.simplifying import simplify
from outplay.model.expressions.sorts import Sort
from outplay.model.expressions.term import FALSE, TRUE, Term, conjunction, literal
from outplay.model.symbolic.solving.finding import Satisfied, Undecided
from outplay.model.symbolic.solving.simple_conditions import interesting
from outplay.model.symbolic.solving.solving import find
from outplay.model.symbolic.symbolic_system import SymbolicSystem

_KNOWN = 0.2  # how often a value that is likely to matter is given
_SAME = 0.2  # how often values may be the same as others, or as what is there already
_TRIES = 8
_REMEMBERED = 20  # values given before


class DataChoice:
    """Chooses values of parameters; remembers what it gave."""

    def __init__(self, system: SymbolicSystem, rng: Random) -> None:
        self._rng = rng
        guards = conjunction(system.enabling(switch) for switch in system.switches)
        sorts = {one.sort.name: one.sort for gate in system.gates for one in gate.parameters}
        self._interesting = interesting(guards, sorts)
        self._given: deque[Value] = deque(maxlen=_REMEMBERED)

    def choose(
        self, parameters: Sequence[Term], condition: Term, held: Sequence[Value] = ()
    ) -> dict[str, Value] | None:
        """Values of some parameters for which a condition, over others too, can hold; None where there are none."""
        for _ in range(_TRIES):
            drawn = self._row(parameters, held)
            if _may_hold(condition, parameters, drawn):
                return self._kept(drawn)
            if condition is FALSE:
                return None
        sorts: dict[str, Sort] = {name: one.sort for name, one in free_variables(condition, *parameters).items()}
        found = find(condition, sorts, self._rng)
        if not isinstance(found, Satisfied):
            return None
        return self._kept({str(one.value): found.values[str(one.value)] for one in parameters})

    def _row(self, parameters: Sequence[Term], held: Sequence[Value]) -> dict[str, Value]:
        """Values for all parameters, as a rule different from each other and from what the variables hold."""
        made: dict[str, Value] = {}
        tries = 1 if self._rng.random() < _SAME else _TRIES
        for one in parameters:
            for _ in range(tries):
                value = made[str(one.value)] = self._drawn(one.sort, held)
                if value not in held and list(made.values()).count(value) == 1:
                    break
        return made

    def _drawn(self, sort: Sort, held: Sequence[Value]) -> Value:
        if self._rng.random() < _KNOWN:
            known: list[Value] = [
                *self._interesting.get(sort.name, ()),
                *(one for one in (*held, *self._given) if sort.contains(one)),
            ]
            if known:
                return self._rng.choice(known)
        return cast(Value, sort.draw(self._rng))

    def _kept(self, values: dict[str, Value]) -> dict[str, Value]:
        self._given.extend(values.values())
        return values


def _may_hold(condition: Term, parameters: Sequence[Term], values: Mapping[str, Value]) -> bool:
    """Say whether a condition can still hold with these values, as far as that is cheap to see."""
    terms = {str(one.value): literal(values[str(one.value)], one.sort) for one in parameters}
    left = simplify(substitute(condition, terms))
    if left.is_literal:
        return left is TRUE
    found = find(left, {name: one.sort for name, one in free_variables(left).items()})
    return isinstance(found, Satisfied | Undecided)
