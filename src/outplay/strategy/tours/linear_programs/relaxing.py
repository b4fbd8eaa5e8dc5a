"""A bound from below without a tour: what the relaxed program with cuts costs, proven in whole numbers."""

from __future__ import annotations

from fractions import Fraction

from outplay.strategy.deadline import NEVER, Deadline
from outplay.strategy.tours.errand import Errand
from outplay.strategy.tours.linear_programs.tour_program import TourProgram
from outplay.strategy.tours.network import Cost
from outplay.strategy.tours.rooted import rooted

_ROUNDS = 5


def relaxed_bound(errand: Errand, until: Deadline = NEVER) -> Cost:
    """No tour costs less, in the first column in which anything costs something; there is a tour.

    >>> from outplay.strategy.tours.errand import errand_of
    >>> from outplay.strategy.tours.network import network_of
    >>> network = network_of(3, [(0, 1, 1), (1, 0, 1), (1, 2, 4), (2, 0, 1), (2, 1, 1)])
    >>> relaxed_bound(errand_of(network, [[0], [3, 4]]))
    (Fraction(6, 1),)
    """
    tours = TourProgram(rooted(errand))
    network = tours.rooted.network
    costs = [Fraction(0)] * len(network.criteria)
    place = next((number for number, criterion in enumerate(network.criteria) if criterion.any()), 0)
    for _ in range(_ROUNDS):
        found = None if until.passed else tours.solve(network.criteria[place], whole=False, seconds=until.left)
        if found is None:
            break
        costs[place] = max(costs[place], Fraction(found.least, network.denominators[place]))
        if found.connected or found.stalled:
            break
    return tuple(costs)
