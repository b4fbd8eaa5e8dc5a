"""Solving conditions: values read off where they are simple, guessed where likely, else asked of a solver.

Every solver can be asked the same, and finds values, or that there are none, or is undecided. One walks with a search:
the condition of the path it is at stays asserted for the next one.

States next to each other in a search have most of their path in common. So what both have stays on the solver's stack,
only the rest is taken back and pushed, and each query asks for what is new.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Protocol, TypeAlias, cast

from outplay.errors import UsageError
from outplay.model.expressions.evaluation import evaluate
from outplay.model.expressions.sorts import Sort, Value
from outplay.model.expressions.term import Term, conjunction, variable
from outplay.model.symbolic.simple_conditions import disjuncts, interesting_values, simple_region


@dataclass(frozen=True)
class Satisfied:
    """The condition holds for these values; variables that do not matter may be missing."""

    values: Mapping[str, Value]


@dataclass(frozen=True)
class Unsatisfiable:
    """The condition holds for no values."""


@dataclass(frozen=True)
class Undecided:
    """The solver could not tell, and says why. Whoever asks keeps it as possible."""

    why: str


Finding: TypeAlias = Satisfied | Unsatisfiable | Undecided


class Solver(Protocol):
    """Decides conditions over variables; what is asserted stays until it is taken back."""

    def assume(self, condition: Term) -> None:
        """Assert a condition on top of those before."""

    def take_back(self) -> None:
        """Take the last assertion back."""

    def check(self, *more: Term) -> Finding:
        """Say whether all that is asserted, and more, can hold at once."""

    def escapes(self, premise: Term, conclusion: Term, chosen: Sequence[Term]) -> Finding:
        """Values that meet a premise while no values of the chosen variables meet the conclusion.

        That there are none proves: wherever the premise holds, some values of the chosen variables will do.
        """


class PathSolver:
    """Solvers that are made when they are first asked, so that systems whose guards fold away need none."""

    def __init__(self, milliseconds: int) -> None:
        self._milliseconds = milliseconds
        self._walking: Solver | None = None
        self._apart: Solver | None = None
        self._path: list[Term] = []
        """The assertions in the one that walks."""
        self.queries = 0

    def check(self, path: Sequence[Term], new: Sequence[Term]) -> Finding:
        """Say whether new conditions can hold together with those of a path."""
        self.queries += 1
        if self._walking is None:
            self._walking = new_solver(self._milliseconds)
        shared = _shared(self._path, path)
        for _ in self._path[shared:]:
            self._walking.take_back()
        for one in path[shared:]:
            self._walking.assume(one)
        self._path[shared:] = path[shared:]
        return self._walking.check(*new)

    def escapes(self, premise: Term, conclusion: Term, chosen: Sequence[Term]) -> Finding:
        """See `Solver.escapes`; asked apart, for it is about no path."""
        self.queries += 1
        if self._apart is None:
            self._apart = new_solver(self._milliseconds)
        return self._apart.escapes(premise, conclusion, chosen)


def _shared(one: Sequence[Term], other: Sequence[Term]) -> int:
    """Count the conditions that two paths have in common at their beginnings."""
    pairs = zip(one, other, strict=False)
    return next((place for place, (a, b) in enumerate(pairs) if a is not b), min(len(one), len(other)))


GUESSES = 20
MILLISECONDS = 2000  # for one query
_NUDGES = 4  # random values tried for one variable each, so that the solver's favourite solution is not always taken


def new_solver(milliseconds: int = MILLISECONDS) -> Solver:
    """Start a solver for conditions over infinite data, or raise an error that says what to install."""
    try:
        module = importlib.import_module("outplay.model.symbolic.z3_solver")
    except ImportError:
        raise UsageError(
            "this model needs a solver for its data: install the extra, pip install 'outplay[symbolic]'"
        ) from None
    return cast(Solver, module.Z3Solver(milliseconds))


def solve_condition(condition: Term, sorts: Mapping[str, Sort], rng: Random | None = None) -> Finding:
    """Solve a condition for values of its variables; with a source of chance, other values each time.

    >>> from outplay.model.expressions.sorts import INTEGER
    >>> from outplay.model.expressions.term import variables
    >>> p, q = variables("p q")
    >>> solve_condition((p == 3) & (p < 2), {"p": INTEGER})
    Unsatisfiable()
    >>> solve_condition((p * p == 49) & (p < 0), {"p": INTEGER})
    Satisfied(values={'p': -7})
    """
    chance = rng or Random(0)
    found = _read_off(condition, sorts, chance)
    if found is not None:
        return found
    guessed = _guessed(condition, sorts, chance)
    return guessed if guessed is not None else _asked(condition, sorts, chance, varied=rng is not None)


def _read_off(condition: Term, sorts: Mapping[str, Sort], rng: Random) -> Finding | None:
    regions = [simple_region(piece, sorts) for piece in disjuncts(condition)]
    open_ones = [one for one in regions if one is not None and not one.is_empty]
    if open_ones:
        return Satisfied(rng.choice(open_ones).draw(rng))
    return None if any(one is None for one in regions) else Unsatisfiable()


def _guessed(condition: Term, sorts: Mapping[str, Sort], rng: Random) -> Finding | None:
    turning = interesting_values(condition, sorts)
    for _ in range(GUESSES):
        values = {name: _guess(turning[name], sort, rng) for name, sort in sorts.items()}
        if evaluate(condition, values):
            return Satisfied(values)
    return None


def _guess(interesting_values: list[Value], sort: Sort, rng: Random) -> Value:
    return rng.choice(interesting_values) if interesting_values and rng.random() < 0.7 else cast(Value, sort.draw(rng))


def _asked(condition: Term, sorts: Mapping[str, Sort], rng: Random, varied: bool) -> Finding:
    solver = new_solver()
    solver.assume(conjunction([condition]))
    found = solver.check()
    if not isinstance(found, Satisfied):
        return found
    if varied:
        found = _nudged(solver, found, sorts, rng)
    free = {name: sort.draw(rng) for name, sort in sorts.items()}
    return _confirmed(condition, {**free, **{name: found.values[name] for name in sorts if name in found.values}})


def _nudged(solver: Solver, found: Satisfied, sorts: Mapping[str, Sort], rng: Random) -> Satisfied:
    """Another solution, where one is near values drawn at random."""
    for _ in range(_NUDGES):
        name = rng.choice([*sorts])
        named = variable(name, sorts[name])
        drawn = sorts[name].draw(rng)
        other = solver.check(named >= drawn if sorts[name].base.name == "integer" else named == drawn)
        if isinstance(other, Satisfied):
            found = other
    return found


def _confirmed(condition: Term, values: dict[str, Value]) -> Finding:
    """A solution is checked by our own arithmetic, so that nothing wrong is ever given to a system."""
    if evaluate(condition, values):
        return Satisfied(values)
    return Undecided(f"the solver's values {values} do not meet {condition}")
