"""The best tour so far, and the best bound below which there is none: what a postman's work brings together."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from outplay.strategy.deadline import Deadline
from outplay.strategy.tours.errand import Errand
from outplay.strategy.tours.first_tours.joining import Joined, joined_tour
from outplay.strategy.tours.network import Cost
from outplay.strategy.tours.rooted import rooted


class BestTour:
    """The best walk that does an errand, and the best bound, both as far as they are known by now."""

    def __init__(self, errand: Errand, until: Deadline) -> None:
        self.errand, self.rooted, self.until = errand, rooted(errand), until
        self.best: tuple[Cost, tuple[int, ...]] | None = None
        self.bound: Cost = errand.network.cost_of(())
        self.checked = self.bound
        self.height: NDArray[np.object_] | None = None

    def patience(self, seconds: float, share: int) -> Deadline:
        """So many seconds from now, or a share of the time that is left if that is less."""
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
        """Take a walk that does the errand if it is better than the best so far."""
        if walk is None or not self.errand.enough(walk):
            return
        cost = self.errand.network.cost_of(walk)
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


def goals_apart(errand: Errand) -> Cost:
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
