"""Why there is no tour: which goals cannot be met together, and what keeps them apart.

A closed tour stays in one strongly connected part. An open walk goes from part to part and never back, so two parts
neither of which leads to the other cannot both be on it.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from outplay.strategy.tours.errand import Errand, NoTour
from outplay.strategy.tours.euler import strong_parts


def obstacle(errand: Errand) -> NoTour | None:
    """What is sure to be missing in every walk, found without solving; None where nothing is."""
    found = _apart(errand) if errand.closed else _unreached(errand)
    spare = [len(choice) - needed for choice, needed in zip(errand.choices, errand.needed, strict=True)]
    shortfalls = [missing for place, missing in found if len(missing) > spare[place]]
    if len(shortfalls) < len(found):
        return None
    where = "is in the strongly connected part of the others" if errand.closed else "can be reached from the start"
    return NoTour(min(shortfalls, key=len), f"no edge of it {where}") if shortfalls else None


def _apart(errand: Errand) -> list[tuple[int, tuple[int, ...]]]:
    """For each choice and strongly connected part what is missing in tours there; only the part of a start counts."""
    network = errand.network
    part = strong_parts(network)
    home_of = np.where(part[network.source] == part[network.target], part[network.source], -1).tolist()
    homes = [{home_of[edge] for edge in goal} - {-1} for goal in errand.goals]
    parts = {int(part[errand.start])} if errand.start is not None else set().union(*homes) or {0}
    return [
        (place, tuple(sorted(number for number in choice if home not in homes[number])))
        for place, choice in enumerate(errand.choices)
        for home in parts
    ]


def _unreached(errand: Errand) -> list[tuple[int, tuple[int, ...]]]:
    """For each choice the goals with no edge that the start leads to."""
    assert errand.start is not None
    network = errand.network
    met = network.reached_from(errand.start)[network.source]
    out_of_reach = {number for number, goal in enumerate(errand.goals) if not any(met[edge] for edge in goal)}
    return [(place, tuple(sorted(choice & out_of_reach))) for place, choice in enumerate(errand.choices)]


def rivals(errand: Errand) -> NoTour:
    """Where no open walk meets the goals though each can be met: two of them of which none leads to the other."""
    network = errand.network
    part = strong_parts(network)
    wanted = sorted(
        {
            (int(part[network.source[e]]), int(part[network.target[e]]), number)
            for choice in errand.choices[:1]
            for number in choice
            for e in errand.goals[number]
            if len(errand.goals[number]) == 1
        },
        reverse=True,
    )
    for (_, before, one), (after, _, other) in pairwise(wanted):
        if before != after:
            start = int(np.flatnonzero(part == before)[0])
            if not network.reached_from(start)[part == after].any():
                return NoTour(
                    (min(one, other), max(one, other)),
                    "each can be reached, but no walk leads from one of them to the other",
                )
    return NoTour((), "each goal can be met, but no walk meets them all")
