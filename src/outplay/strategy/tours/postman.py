"""The postman problems on directed graphs: a walk of least cost that passes what is to be passed.

Definition: see errand.py. The Chinese postman is a flow of least cost (Edmonds and Johnson 1973), and so is the rural
one where the required edges hang together: exact, in about a second for 100,000 edges. The others are NP-hard: a good
tour (joining.py) and bounds come first, then an integer program with cuts (tour_program.py) closes the gap or runs
out of time. Costs may be vectors, compared in lexicographic order.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from outplay.strategy.deadline import Deadline, deadline
from outplay.strategy.tours.errand import Errand, ErrandOptions, NoTour, Progress, Tour, errand_of
from outplay.strategy.tours.exchanging import exchanged
from outplay.strategy.tours.joining import Joined, joined_tour
from outplay.strategy.tours.missing import obstacle, rivals
from outplay.strategy.tours.nearest import nearest_goals
from outplay.strategy.tours.network import Cost, Network
from outplay.strategy.tours.proving import proven_to_cost
from outplay.strategy.tours.rooted import rooted
from outplay.strategy.tours.there_and_back import there_and_back
from outplay.strategy.tours.tour_program import Found, TourProgram

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
    progress: Progress | None = None,
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
    return _Closing(errand, until, progress).run()


class _Closing:
    """The best tour so far and the best bound, and the work that brings them together."""

    def __init__(self, errand: Errand, until: Deadline, progress: Progress | None) -> None:
        self.errand, self.rooted, self.until, self.progress = errand, rooted(errand), until, progress
        self.best: tuple[Cost, tuple[int, ...]] | None = None
        self.bound: Cost = errand.network.cost_of(())
        self.checked = self.bound
        self.height: NDArray[np.object_] | None = None

    def run(self) -> Tour | NoTour:
        fixed = self._fixed()
        if fixed is None:
            self.bound = self.checked = _apart(self.errand)
            self._around_sure()
            self._improve(nearest_goals(self.rooted, self._patience(_GREEDY, 10)))
        else:
            self.bound = self.checked = self.errand.network.cost_of(fixed)
            self._try(fixed, proves=True)
        if self.best is None and fixed is not None:
            self._improve(nearest_goals(self.rooted, self._patience(_GREEDY, 10)))
        if self.best is None and fixed is None:
            self._try(self._cheapest())
        if self.best is None:
            self._improve(there_and_back(self.rooted))
        if self.best is None or self.best[0] > self.bound:
            self.height = None
            if not self._exact() and self.best is None:
                return rivals(self.errand)
        if self.best is None:
            return NoTour((), "no tour was found in the time there was; give it more")
        cost, walk = self.best
        return Tour(walk, cost, min(self.bound, cost), min(self.checked, cost), self.height)

    def _patience(self, seconds: float, share: int) -> Deadline:
        """So many seconds from now, or a share of the time that is left if that is less."""
        left = self.until.left
        return self.until.within(seconds if left is None else min(seconds, left / share))

    def _around_sure(self) -> None:
        """Join the edges that every tour passes, which proves a bound, and an edge for each goal they leave."""
        errand, prices = self.errand, self.rooted.network.joined.tolist()
        asked = frozenset.intersection(*errand.choices) if errand.whole else frozenset[int]()
        sure = {edge for one in asked if len(errand.goals[one]) == 1 for edge in errand.goals[one]}
        if not sure:
            return
        walk = self._try(sure, proves=True)
        self.height = None  # they are those of these edges alone
        if walk is None or self.best is not None:
            return
        needed = min(errand.choices, key=lambda choice: (len(choice), sorted(choice)))
        left = [errand.goals[one] for one in needed - errand.met(walk)]
        self._try(sure | {min(goal, key=lambda edge: (prices[edge], edge)) for goal in left})

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

    def _try(self, edges: Iterable[int], *, proves: bool = False) -> tuple[int, ...] | None:
        """Join some edges to a walk; if every tour passes them, the flow proves a bound."""
        found = joined_tour(self.rooted, edges, until=self.until)
        if not isinstance(found, Joined):
            return None
        if proves and found.relaxed.proven:
            self.bound = max(self.bound, self._cost(found.relaxed_times))
            self.checked = self.bound
            self.height = found.relaxed.height
        if found.times is None:
            return None
        walk = self.rooted.walk(found.times)
        self._improve(walk)
        return walk

    def _cost(self, times: NDArray[np.int64]) -> Cost:
        return self.rooted.network.cost_of_times(times)

    def _improve(self, walk: tuple[int, ...] | None) -> None:
        if walk is None or not self.errand.enough(walk):
            return
        cost = self.rooted.cost_of(walk)
        if self.best is None or cost < self.best[0]:
            self.best = cost, walk
            self._tell()

    def _tell(self) -> None:
        if self.progress is not None and self.best is not None:
            self.progress(self.best[0], min(self.bound, self.best[0]))

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
            self._raise_bound([*settled, found.least], checked=found.checked and sure)
            self._use(found, whole)
            if self.best is not None and self.best[0] <= self.bound:
                reached = [*settled, int(self.best[0][len(settled)] * units[len(settled)])]
                self._raise_bound(reached, checked=sure and self._checked(program, criterion, reached))
                return True
            if whole and found.stalled:
                return True
            if found.connected and whole and found.proven:
                settled.append(sum(int(c) * n for c, n in zip(criterion.tolist(), found.times.tolist(), strict=True)))
                sure = sure and self._checked(program, criterion, settled)
                self._raise_bound(settled, checked=sure)
                program.keep(criterion, settled[-1])
            elif whole and not polished and found.counting:
                polished = True
                self._improve(exchanged(self.rooted, found.counting, self._patience(_POLISHING, 3)))
            whole = whole or found.connected or found.stalled or not found.proven
        return True

    @property
    def _too_large(self) -> bool:
        """Whether there is no time to write the integer program down, or no hope to solve it."""
        entries, left = sum(map(len, self.errand.goals)), self.until.left
        return left is not None and (entries > _LARGEST or entries * _READING > left)

    def _checked(self, program: TourProgram, criterion: NDArray[Any], settled: list[int]) -> bool:
        """Whether a column that is settled in floats is proven in whole numbers, too."""
        patience = self._patience(_CHECKING, 3)
        return self._units(settled) <= self.checked or proven_to_cost(program, criterion, settled[-1], patience)

    def _raise_bound(self, whole: list[int], *, checked: bool) -> None:
        """A bound in the columns so far; of the others nothing is known."""
        bound = self._units(whole)
        if checked:
            self.checked = max(self.checked, bound)
        if bound > self.bound:
            self.bound = bound
            self._tell()

    def _units(self, whole: list[int]) -> Cost:
        units = self.rooted.network.denominators
        parts = [*whole, *[0] * (len(units) - len(whole))]
        return tuple(Fraction(part, unit) for part, unit in zip(parts, units, strict=True))

    def _use(self, found: Found, whole: bool) -> None:
        """Take a solution as a tour if it is one, else join the edges that count in it."""
        if whole and found.connected and len(found.times):
            self._improve(self.rooted.walk(found.times, next(iter(found.counting.values()), None)))
        elif found.counting:
            self._try(found.counting.values())


def _apart(errand: Errand) -> Cost:
    """A first bound: goals that share no edges are met by different edges, each at its cheapest or dearer."""
    found, criteria = list[Cost](), [criterion.tolist() for criterion in errand.network.criteria]

    def price(edge: int) -> list[int]:
        return [criterion[edge] for criterion in criteria]

    for choice, needed in zip(errand.choices, errand.needed, strict=True):
        seen, cheapest = set[int](), list[int]()
        goals = [errand.goals[number] for number in choice]
        for goal in sorted(goals, key=lambda goal: (len(goal), min(goal, default=0))):
            if goal and seen.isdisjoint(goal):
                seen |= goal
                cheapest.append(min(goal, key=price))
        spare = len(choice) - needed
        if spare:  # so many of these may be missing, the dearest
            cheapest = sorted(cheapest, key=price)[: max(0, len(cheapest) - spare)]
        found.append(errand.network.cost_of(cheapest))
    return min(found)
