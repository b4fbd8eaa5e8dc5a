"""A tour made better by exchanging the edges that count for its goals, one at a time.

For each goal in turn the tour is joined anew with another of its edges, or with none where the tour meets the goal
anyway, and the change stays if the tour gets no dearer. It ends when no change helps, or when time is up. Each attempt
is a flow and a joining, so a goal with many edges tries only some of them.
"""

from __future__ import annotations

from collections.abc import Mapping

from outplay.strategy.deadline import Deadline
from outplay.strategy.tours.first_tours.joining import Joined, joined_tour
from outplay.strategy.tours.network import Cost
from outplay.strategy.tours.rooted import Rooted

_TRIED = 8
_JOINING = 5  # attempts to let go of a way, while there is more to try
_ROUNDS = 4


def exchanged(rooted: Rooted, counting: Mapping[int, int], until: Deadline) -> tuple[int, ...] | None:
    """The best walk found from the edges that count for goals; None where they cannot be joined."""
    kept: dict[int, int | None] = dict(counting)
    best = _tried(rooted, kept, until)
    if best is None:
        return None
    for _ in range(_ROUNDS):
        before = best
        for goal in kept:
            for edge in [None, *_candidates(rooted, goal, kept[goal])]:
                if until.passed:
                    return best[1]
                found = _tried(rooted, kept | {goal: edge}, until)
                if found is not None and found[0] < best[0]:
                    best, kept[goal] = found, edge
        if best[0] == before[0]:
            break
    return best[1]


def _candidates(rooted: Rooted, goal: int, now: int | None) -> list[int]:
    """Some other edges of a goal, spread over all of them."""
    edges = sorted(rooted.errand.goals[goal])
    return [edge for edge in edges[:: max(1, len(edges) // _TRIED)] if edge != now]


def _tried(rooted: Rooted, counting: Mapping[int, int | None], until: Deadline) -> tuple[Cost, tuple[int, ...]] | None:
    """The tour through the edges that count, if it meets all their goals."""
    edges = {edge for edge in counting.values() if edge is not None}
    found = joined_tour(rooted, edges, attempts=_JOINING, until=until)
    if not isinstance(found, Joined) or found.times is None:
        return None
    walk = rooted.walk(found.times)
    return (rooted.errand.network.cost_of(walk), walk) if rooted.errand.met(walk) >= counting.keys() else None
