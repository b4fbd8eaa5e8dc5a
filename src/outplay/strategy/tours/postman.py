"""The postman problems on directed graphs: a walk of least cost that passes what is to be passed.

Definition: see postman_problem.py. The Chinese postman is a flow of least cost (Edmonds and Johnson 1973), and so is
the rural one where the required edges hang together: exact, in about a second for 100,000 edges. The others are
NP-hard: a good tour (joined_tour.py) and bounds come first, then an integer program with cuts (tour_program.py) closes
the gap or runs out of time. Costs may be vectors, compared in lexicographic order.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from outplay.cancellation import Deadline, deadline
from outplay.strategy.tours.closed_walks import closed_walk_obstacle, rival_goals, with_closing_edges
from outplay.strategy.tours.joined_tour import Joined, joined_tour
from outplay.strategy.tours.postman_problem import NoTour, PostmanOptions, PostmanProblem, Tour, postman_problem
from outplay.strategy.tours.quick_tours import exchange_edges, nearest_goals_walk, there_and_back_walk
from outplay.strategy.tours.tour_bounds import proven_to_cost
from outplay.strategy.tours.tour_network import Cost, Network
from outplay.strategy.tours.tour_program import Found, TourProgram


class BestTour:
    """The best walk that solves a problem, and the best bound, both as far as they are known by now."""

    def __init__(self, problem: PostmanProblem, until: Deadline) -> None:
        self.problem, self.rooted, self.until = problem, with_closing_edges(problem), until
        self.best: tuple[Cost, tuple[int, ...]] | None = None
        self.bound: Cost = problem.network.cost_of(())
        self.checked = self.bound
        self.height: NDArray[np.object_] | None = None

    def patience(self, seconds: float, share: int) -> Deadline:
        """This many seconds from now, or a share of the time that is left if that is less."""
        left = self.until.left
        return self.until.within(seconds if left is None else min(seconds, left / share))

    def try_edges(self, edges: Iterable[int], *, proves: bool = False) -> tuple[int, ...] | None:
        """Join some edges to a walk; if every tour passes them, the flow proves a bound."""
        found = joined_tour(self.rooted, edges, until=self.until)
        if not isinstance(found, Joined):
            return None
        if proves and found.relaxed.proven:
            self.bound = max(self.bound, self.rooted.network.cost_of_times(found.relaxed_times))
            self.checked = self.bound
            self.height = found.relaxed.height
        if found.times is None:
            return None
        walk = self.rooted.walk(found.times)
        self.improve(walk)
        return walk

    def improve(self, walk: tuple[int, ...] | None) -> None:
        """Take a walk that solves the problem if it is better than the best so far."""
        if walk is None or not self.problem.enough(walk):
            return
        cost = self.problem.network.cost_of(walk)
        if self.best is None or cost < self.best[0]:
            self.best = cost, walk

    def raise_bound(self, whole: list[int], *, checked: bool) -> None:
        """A bound in the columns so far; of the others nothing is known."""
        bound = self.in_units(whole)
        if checked:
            self.checked = max(self.checked, bound)
        self.bound = max(self.bound, bound)

    def in_units(self, whole: list[int]) -> Cost:
        """A cost from the whole numbers of its first columns, with nothing in the others."""
        units = self.rooted.network.denominators
        parts = [*whole, *[0] * (len(units) - len(whole))]
        return tuple(Fraction(part, unit) for part, unit in zip(parts, units, strict=True))


def _goals_apart(problem: PostmanProblem) -> Cost:
    """A first bound: goals that share no edges are met by different edges, each at its cheapest or dearer."""
    found, criteria = list[Cost](), [criterion.tolist() for criterion in problem.network.criteria]

    def price(edge: int) -> list[int]:
        return [criterion[edge] for criterion in criteria]

    for choice, needed in zip(problem.choices, problem.needed, strict=True):
        seen, cheapest = set[int](), list[int]()
        goals = [problem.goals[number] for number in choice]
        for goal in sorted(goals, key=lambda goal: (len(goal), min(goal, default=0))):
            if goal and seen.isdisjoint(goal):
                seen |= goal
                cheapest.append(min(goal, key=price))
        spare = len(choice) - needed
        if spare:  # this many of these may be missing, the dearest
            cheapest = sorted(cheapest, key=price)[: max(0, len(cheapest) - spare)]
        found.append(problem.network.cost_of(cheapest))
    return min(found)


_POLISHING = 10.0  # seconds at most
_CHECKING = 10.0  # seconds at most for proving a bound in whole numbers that is there in floats
_LARGEST = 1_000_000  # edges of goals, each as often as it is in one, with which the integer program is not even built
_READING = 1e-5  # seconds for each of them, to build the program
_GREEDY = 3.0  # what comes of the relaxed program is better than to go to the nearest, where that takes long


def postman(
    network: Network,
    goals: Iterable[Iterable[int]] | None = None,
    choices: Iterable[Iterable[int]] | None = None,
    *,
    time_limit: float | None = None,
    **asked: Unpack[PostmanOptions],
) -> Tour | NoTour:
    """Find a walk of least cost that passes an edge of every goal, or of every goal of one of the choices.

    With `needed` this many goals of each choice are enough. Without goals it passes every edge. A closed tour passes
    `start` if that is given; an open walk begins there. After `time_limit` seconds the best that was found is answered,
    with the best bound.

    >>> from outplay.strategy.tours.tour_network import network_of
    >>> network = network_of(3, [(0, 1, 1), (1, 0, 1), (1, 2, 4), (2, 0, 1), (2, 1, 1)])
    >>> postman(network).cost, postman(network, [[0], [3, 4]]).walk
    ((Fraction(13, 1),), (0, 2, 3))
    >>> postman(network, start=0, closed=False).walk
    (0, 1, 0, 2, 4, 2, 3)
    """
    problem = postman_problem(network, goals, choices, **asked)
    until = deadline(time_limit)
    missing = closed_walk_obstacle(problem)
    if missing is not None:
        return missing
    return _Closing(problem, until).run()


class _Closing(BestTour):
    """The work that brings the best tour and the best bound together."""

    def run(self) -> Tour | NoTour:
        fixed = self._fixed()
        if fixed is None:
            self.bound = self.checked = _goals_apart(self.problem)
            self._around_sure()
        else:
            self.bound = self.checked = self.problem.network.cost_of(fixed)
            self.try_edges(fixed, proves=True)
        if self.best is None or fixed is None:
            self.improve(nearest_goals_walk(self.rooted, self.patience(_GREEDY, 10)))
        if self.best is None and fixed is None:
            self.try_edges(self._cheapest())
        if self.best is None:
            self.improve(there_and_back_walk(self.rooted))
        if self.best is None or self.best[0] > self.bound:
            self.height = None
            if not self._exact() and self.best is None:
                return rival_goals(self.problem)
        if self.best is None:
            return NoTour((), "none was found in the time there was; give it more")
        cost, walk = self.best
        return Tour(walk, cost, min(self.bound, cost), min(self.checked, cost), self.height)

    def _around_sure(self) -> None:
        """Join the edges that every tour passes, which proves a bound, and an edge for each goal they leave."""
        problem, prices = self.problem, self.rooted.network.joined.tolist()
        asked = frozenset.intersection(*problem.choices) if problem.whole else frozenset[int]()
        sure = {edge for one in asked if len(problem.goals[one]) == 1 for edge in problem.goals[one]}
        if not sure:
            return
        walk = self.try_edges(sure, proves=True)
        self.height = None  # they are those of these edges alone
        if walk is None or self.best is not None:
            return
        needed = min(problem.choices, key=lambda choice: (len(choice), sorted(choice)))
        left = [problem.goals[one] for one in needed - problem.met(walk)]
        self.try_edges(sure | {min(goal, key=lambda edge: (prices[edge], edge)) for goal in left})

    def _fixed(self) -> list[int] | None:
        """The edges that every tour passes where there is nothing to choose; else None."""
        if (
            not self.problem.whole
            or len(self.problem.choices) > 1
            or any(len(self.problem.goals[one]) > 1 for one in self.problem.choices[0])
        ):
            return None
        return sorted({edge for one in self.problem.choices[0] for edge in self.problem.goals[one]})

    def _cheapest(self) -> set[int]:
        """For each goal of the smallest choice the edge that costs least: no good tour, but soon there."""
        prices = self.rooted.network.joined.tolist()
        needed, choice = min(zip(self.problem.needed, self.problem.choices, strict=True), key=lambda one: one[0])
        edges = {min(self.problem.goals[number], key=lambda edge: (prices[edge], edge)) for number in choice}
        return set(sorted(edges, key=lambda edge: (prices[edge], edge))[:needed]) if needed < len(choice) else edges

    def _exact(self) -> bool:
        """Close the gap column by column until it is closed or time is up; False where there is no tour at all."""
        if self.until.passed or self._too_large:
            return True
        program, settled, whole, polished = TourProgram(self.rooted), list[int](), False, False
        sure = True  # whether the columns so far are proven in whole numbers to be at their least
        criteria, units = self.rooted.network.criteria, self.rooted.network.denominators
        while len(settled) < len(criteria):
            if self.until.passed:
                return True
            left = self.until.left
            criterion = criteria[len(settled)]
            if not criterion.any():
                settled.append(0)
                continue
            found = program.solve(criterion, whole=whole, seconds=left if polished or left is None else left / 3)
            if found is None:
                return False
            self.raise_bound([*settled, found.least], checked=found.checked and sure)
            self._use(found, whole)
            if self.best is not None and self.best[0] <= self.bound:
                reached = [*settled, int(self.best[0][len(settled)] * units[len(settled)])]
                self.raise_bound(reached, checked=sure and self._checked(program, criterion, reached))
                return True
            if whole and found.stalled:
                return True
            if found.connected and whole and found.proven:
                settled.append(sum(int(c) * n for c, n in zip(criterion.tolist(), found.times.tolist(), strict=True)))
                sure = sure and self._checked(program, criterion, settled)
                self.raise_bound(settled, checked=sure)
                program.keep(criterion, settled[-1])
            elif whole and not polished and found.counting:
                polished = True
                self.improve(exchange_edges(self.rooted, found.counting, self.patience(_POLISHING, 3)))
            whole = whole or found.connected or found.stalled or not found.proven
        return True

    @property
    def _too_large(self) -> bool:
        """Whether there is no time to write the integer program down, or no hope to solve it."""
        entries, left = sum(map(len, self.problem.goals)), self.until.left
        return left is not None and (entries > _LARGEST or entries * _READING > left)

    def _checked(self, program: TourProgram, criterion: NDArray[Any], settled: list[int]) -> bool:
        """Say whether a column that is settled in floats is proven in whole numbers, too."""
        patience = self.patience(_CHECKING, 3)
        return self.in_units(settled) <= self.checked or proven_to_cost(program, criterion, settled[-1], patience)

    def _use(self, found: Found, whole: bool) -> None:
        """Take a solution as a tour if it is one, else join the edges that count in it."""
        if whole and found.connected and len(found.times):
            self.improve(self.rooted.walk(found.times, next(iter(found.counting.values()), None)))
        elif found.counting:
            self.try_edges(found.counting.values())
