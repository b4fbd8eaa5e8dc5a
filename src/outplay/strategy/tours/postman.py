"""The postman problems on directed graphs: a walk of least cost that passes what is to be passed.

Definition: see errand.py. The Chinese postman is a flow of least cost (Edmonds and Johnson 1973), and so is the rural
one where the required edges hang together: exact, in about a second for 100,000 edges. The others are NP-hard: a good
tour (joining.py) and bounds come first, then an integer program with cuts (tour_program.py) closes the gap or runs
out of time. Costs may be vectors, compared in lexicographic order.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Unpack

from numpy.typing import NDArray

from outplay.strategy.deadline import deadline
from outplay.strategy.tours.best_tour import BestTour, goals_apart
from outplay.strategy.tours.errand import ErrandOptions, NoTour, Tour, errand_of
from outplay.strategy.tours.first_tours.exchanging import exchanged
from outplay.strategy.tours.first_tours.nearest import nearest_goals, there_and_back
from outplay.strategy.tours.linear_programs.proving import proven_to_cost
from outplay.strategy.tours.linear_programs.tour_program import Found, TourProgram
from outplay.strategy.tours.missing import obstacle, rivals
from outplay.strategy.tours.network import Network

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
    **asked: Unpack[ErrandOptions],
) -> Tour | NoTour:
    """Find a walk of least cost that passes an edge of every goal, or of every goal of one of the choices.

    With `needed` so many goals of each choice are enough. Without goals it passes every edge. A closed tour passes
    `start` if that is given; an open walk begins there. After `time_limit` seconds the best that was found is answered,
    with the best bound.

    >>> from outplay.strategy.tours.network import network_of
    >>> network = network_of(3, [(0, 1, 1), (1, 0, 1), (1, 2, 4), (2, 0, 1), (2, 1, 1)])
    >>> postman(network).cost, postman(network, [[0], [3, 4]]).walk
    ((Fraction(13, 1),), (0, 2, 3))
    >>> postman(network, start=0, closed=False).walk
    (0, 1, 0, 2, 4, 2, 3)
    """
    errand = errand_of(network, goals, choices, **asked)
    until = deadline(time_limit)
    missing = obstacle(errand)
    if missing is not None:
        return missing
    return _Closing(errand, until).run()


class _Closing(BestTour):
    """The work that brings the best tour and the best bound together."""

    def run(self) -> Tour | NoTour:
        fixed = self._fixed()
        if fixed is None:
            self.bound = self.checked = goals_apart(self.errand)
            self._around_sure()
        else:
            self.bound = self.checked = self.errand.network.cost_of(fixed)
            self.try_edges(fixed, proves=True)
        if self.best is None or fixed is None:
            self.improve(nearest_goals(self.rooted, self.patience(_GREEDY, 10)))
        if self.best is None and fixed is None:
            self.try_edges(self._cheapest())
        if self.best is None:
            self.improve(there_and_back(self.rooted))
        if self.best is None or self.best[0] > self.bound:
            self.height = None
            if not self._exact() and self.best is None:
                return rivals(self.errand)
        if self.best is None:
            return NoTour((), "no tour was found in the time there was; give it more")
        cost, walk = self.best
        return Tour(walk, cost, min(self.bound, cost), min(self.checked, cost), self.height)

    def _around_sure(self) -> None:
        """Join the edges that every tour passes, which proves a bound, and an edge for each goal they leave."""
        errand, prices = self.errand, self.rooted.network.joined.tolist()
        asked = frozenset.intersection(*errand.choices) if errand.whole else frozenset[int]()
        sure = {edge for one in asked if len(errand.goals[one]) == 1 for edge in errand.goals[one]}
        if not sure:
            return
        walk = self.try_edges(sure, proves=True)
        self.height = None  # they are those of these edges alone
        if walk is None or self.best is not None:
            return
        needed = min(errand.choices, key=lambda choice: (len(choice), sorted(choice)))
        left = [errand.goals[one] for one in needed - errand.met(walk)]
        self.try_edges(sure | {min(goal, key=lambda edge: (prices[edge], edge)) for goal in left})

    def _fixed(self) -> list[int] | None:
        """The edges that every tour passes where there is nothing to choose; else None."""
        if (
            not self.errand.whole
            or len(self.errand.choices) > 1
            or any(len(self.errand.goals[one]) > 1 for one in self.errand.choices[0])
        ):
            return None
        return sorted({edge for one in self.errand.choices[0] for edge in self.errand.goals[one]})

    def _cheapest(self) -> set[int]:
        """For each goal of the smallest choice the edge that costs least: no good tour, but soon there."""
        prices = self.rooted.network.joined.tolist()
        needed, choice = min(zip(self.errand.needed, self.errand.choices, strict=True), key=lambda one: one[0])
        edges = {min(self.errand.goals[number], key=lambda edge: (prices[edge], edge)) for number in choice}
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
                self.improve(exchanged(self.rooted, found.counting, self.patience(_POLISHING, 3)))
            whole = whole or found.connected or found.stalled or not found.proven
        return True

    @property
    def _too_large(self) -> bool:
        """Whether there is no time to write the integer program down, or no hope to solve it."""
        entries, left = sum(map(len, self.errand.goals)), self.until.left
        return left is not None and (entries > _LARGEST or entries * _READING > left)

    def _checked(self, program: TourProgram, criterion: NDArray[Any], settled: list[int]) -> bool:
        """Whether a column that is settled in floats is proven in whole numbers, too."""
        patience = self.patience(_CHECKING, 3)
        return self.in_units(settled) <= self.checked or proven_to_cost(program, criterion, settled[-1], patience)

    def _use(self, found: Found, whole: bool) -> None:
        """Take a solution as a tour if it is one, else join the edges that count in it."""
        if whole and found.connected and len(found.times):
            self.improve(self.rooted.walk(found.times, next(iter(found.counting.values()), None)))
        elif found.counting:
            self.try_edges(found.counting.values())
