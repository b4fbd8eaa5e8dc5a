"""Data for inputs: values that steer along a path, and are as different from each other as can be.

Where any values will do, a few are drawn from those that are likely to matter: constants of the guards and their
neighbours, what the variables hold, and what was given before; the others are new. Where values have to meet a
condition, drawn ones are tried first and a solver is asked only when they do not fit.

Faults hide in coincidences: two of three values are equal, or one is what a variable holds, or a bound of a guard. So
of the rows that are drawn and fit, that one is given whose *pattern* was given least so far: first which of its values
are equal, then which are held already, were given before or are likely to matter. Random values alone rarely coincide.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Mapping, Sequence
from random import Random
from typing import TypeAlias, cast

from outplay.model.expressions.computing import free_variables, substitute
from outplay.model.expressions.simplifying import simplify
from outplay.model.expressions.sorts import Sort, Value
from outplay.model.expressions.term import FALSE, TRUE, Term, conjunction, literal
from outplay.model.symbolic.solving.simple_conditions import interesting
from outplay.model.symbolic.solving.solving import Satisfied, Undecided, find
from outplay.model.symbolic.symbolic_system import SymbolicSystem

Pattern: TypeAlias = tuple[object, ...]
_KNOWN = 0.2  # how often a value that is likely to matter is given
_SAME = 0.5  # how often a value is the same as another, or as what is there already, where some may be alike
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
        self._patterns = Counter[tuple[tuple[str, ...], Pattern]]()
        """The number of times that each pattern was given to each list of parameters."""

    def choose(
        self, parameters: Sequence[Term], condition: Term, held: Sequence[Value] = ()
    ) -> dict[str, Value] | None:
        """Values of some parameters for which a condition, over others too, can hold; None where there are none."""
        if condition is FALSE:
            return None
        names = tuple(str(one.value) for one in parameters)
        rows = [self._row(parameters, held, alike=place % 2 == 1) for place in range(_TRIES)]
        rows.sort(key=lambda row: [self._patterns[names, one] for one in self._pattern(row, parameters, held)])
        for drawn in rows:
            if _may_hold(condition, parameters, drawn):
                self._patterns.update((names, one) for one in self._pattern(drawn, parameters, held))
                return self._kept(drawn)
        sorts: dict[str, Sort] = {name: one.sort for name, one in free_variables(condition, *parameters).items()}
        found = find(condition, sorts, self._rng)
        if not isinstance(found, Satisfied):
            return None
        return self._kept({str(one.value): found.values[str(one.value)] for one in parameters})

    def _pattern(
        self, row: Mapping[str, Value], parameters: Sequence[Term], held: Sequence[Value]
    ) -> tuple[Pattern, Pattern]:
        """Return which values are equal; and which are held by a variable, were given before or are likely to
        matter.
        """
        values = list(row.values())
        matter = (self._interesting.get(one.sort.name, ()) for one in parameters)
        known = (
            (value in held, value in self._given, value in special)
            for value, special in zip(values, matter, strict=True)
        )
        equal = tuple(map(values.index, values))
        return equal, (equal, *known)

    def _row(self, parameters: Sequence[Term], held: Sequence[Value], *, alike: bool) -> dict[str, Value]:
        """Values for all parameters: different from each other and from what the variables hold, or some alike."""
        made: dict[str, Value] = {}
        tries = 1 if alike else _TRIES
        for one in parameters:
            others = self._rng.choice([[*made.values()], [*held, *self._given]]) if alike else []
            same = [value for value in others if one.sort.contains(value)]
            if same and self._rng.random() < _SAME:
                made[str(one.value)] = self._rng.choice(same)
                continue
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
