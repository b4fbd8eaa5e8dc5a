"""The problem of a postman and its answer: a tour with a lower bound, or why there is none.

Definitions (Kapus-Kolar 2007, section 3.11), from the special to the general: the Chinese postman passes every edge,
the rural one all edges of a set, the generalized rural one at least one edge of each of several goals, and the
generalized generalized one does so for all goals of one of several sets of goals. A closed tour ends where it begins;
an open one begins at `start` and ends anywhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TypedDict

import numpy as np
from numpy.typing import NDArray

from outplay.errors import UsageError
from outplay.strategy.tours.tour_network import Cost, Network


@dataclass(frozen=True, eq=False)
class PostmanProblem:
    """The goals to pass, each a set of edges one of which is enough, and which goals are enough."""

    network: Network
    goals: tuple[frozenset[int], ...]
    choices: tuple[frozenset[int], ...]
    """Sets of goals, by number; a tour that meets enough goals of one of them will do."""
    needed: tuple[int, ...]
    """For each choice how many of its goals are enough."""
    start: int | None = None
    closed: bool = True

    def met(self, walk: Iterable[int]) -> frozenset[int]:
        """The goals that a walk meets."""
        passed = set(walk)
        return frozenset(number for number, goal in enumerate(self.goals) if not passed.isdisjoint(goal))

    def enough(self, walk: Iterable[int]) -> bool:
        """Say whether a walk meets enough goals of some choice."""
        met = self.met(walk)
        return any(len(choice & met) >= needed for choice, needed in zip(self.choices, self.needed, strict=True))

    @property
    def whole(self) -> bool:
        """Whether all goals of a choice are to be met, whichever it is."""
        return self.needed == tuple(map(len, self.choices))


@dataclass(frozen=True)
class Tour:
    """A walk that meets the goals, what it costs, and a bound: no walk that meets them costs less."""

    walk: tuple[int, ...]
    """The edges in order; empty where there is nothing to do."""
    cost: Cost
    bound: Cost
    checked: Cost
    """The bound as far as it is proven in whole numbers; more than that is found by HiGHS, which computes in floats."""
    height: NDArray[np.object_] | None = field(default=None, compare=False, repr=False)
    """The proof of the bound by a flow: its heights, in joined costs."""

    @property
    def optimal(self) -> bool:
        return self.cost == self.bound

    @property
    def gap(self) -> Fraction:
        """Return by how much the cost may be too high: 0 where the tour is optimal, in the first column that
        differs.
        """
        return cost_gap(self.cost, self.bound)


def cost_gap(cost: Cost, bound: Cost) -> Fraction:
    """Return the part of a tour's cost above a bound, in the first column that differs."""
    differing = ((paid, least) for paid, least in zip(cost, bound, strict=True) if paid != least)
    return next(((paid - least) / paid for paid, least in differing), Fraction(0))


@dataclass(frozen=True)
class NoTour:
    """No walk meets the goals: which of them are missing in the one that would meet the most, and why."""

    missing: tuple[int, ...]
    why: str


class PostmanOptions(TypedDict, total=False):
    """The options of a walk besides its goals."""

    needed: Iterable[int] | None
    """The number of goals of each choice that are enough, all of them unless it is given."""
    start: int | None
    """A vertex that a closed tour passes, and where an open walk begins."""
    closed: bool
    """Whether the walk ends where it began; it does unless this is said."""


def postman_problem(
    network: Network,
    goals: Iterable[Iterable[int]] | None = None,
    choices: Iterable[Iterable[int]] | None = None,
    *,
    needed: Iterable[int] | None = None,
    start: int | None = None,
    closed: bool = True,
) -> PostmanProblem:
    """Make a checked postman problem; without goals every edge is one, and without choices all goals are to be met."""
    wanted = ((edge,) for edge in range(network.edge_count)) if goals is None else goals
    listed = tuple(frozenset(map(int, goal)) for goal in wanted)
    sets = (frozenset(range(len(listed))),) if choices is None else tuple(frozenset(map(int, one)) for one in choices)
    _refuse(listed, network.edge_count, "edge", "goal")
    _refuse(sets, len(listed), "goal", "choice")
    if not sets:
        raise UsageError("there are no choices of goals: name at least one set of goals that is enough")
    if start is not None and not 0 <= start < network.vertex_count:
        raise UsageError(f"vertex {start} to start at is none of the {network.vertex_count}")
    if start is None and not closed:
        raise UsageError("an open walk begins somewhere: give `start`")
    enough = tuple(map(len, sets)) if needed is None else tuple(needed)
    if len(enough) != len(sets) or any(not 0 <= few <= len(one) for few, one in zip(enough, sets, strict=False)):
        raise UsageError("say for each choice how many of its goals are enough: from 0 up to all of them")
    return PostmanProblem(network, listed, sets, enough, start, closed)


def _refuse(sets: Sequence[frozenset[int]], count: int, what: str, where: str) -> None:
    for number, members in enumerate(sets):
        if members and not 0 <= min(members) <= max(members) < count:
            raise UsageError(f"{where} {number} names a {what} that is none of the {count}; number them from 0")
