"""A solver that walks with a search: the condition of the path it is at stays asserted for the next one.

States next to each other in a search have most of their path in common. So what both have stays on the solver's stack,
only the rest is taken back and pushed, and each query asks for what is new.
"""

from __future__ import annotations

from collections.abc import Sequence

from outplay.model.expressions.term import Term
from outplay.model.symbolic.solving.finding import Finding, Solver
from outplay.model.symbolic.solving.solving import new_solver


class PathSolver:
    """Solvers that are made when they are first asked, so that systems whose guards fold away need none."""

    def __init__(self, milliseconds: int) -> None:
        self._milliseconds = milliseconds
        self._walking: Solver | None = None
        self._apart: Solver | None = None
        self._path: list[Term] = []
        """What is asserted in the one that walks."""
        self.queries = 0

    def check(self, path: Sequence[Term], new: Sequence[Term]) -> Finding:
        """Whether new conditions can hold together with those of a path."""
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
    """How many conditions two paths begin with alike."""
    pairs = zip(one, other, strict=False)
    return next((place for place, (a, b) in enumerate(pairs) if a is not b), min(len(one), len(other)))
