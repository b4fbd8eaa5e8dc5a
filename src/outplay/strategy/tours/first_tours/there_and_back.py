"""A tour that is soon there however large the graph: from the start to each goal and back again, by cheapest ways.

It costs up to twice as much for each goal as the farthest one, so it is for when there is no time for anything better.
O(edges · log vertices) and the length of the tour.
"""

from __future__ import annotations

from collections.abc import Iterable

from outplay.strategy.tours.first_tours.joining import Spreading
from outplay.strategy.tours.rooted import Rooted


def there_and_back(rooted: Rooted) -> tuple[int, ...] | None:
    """A walk that meets enough goals of the choice that needs fewest; None where some goal has no way back."""
    errand = rooted.errand
    needed, choice = min(zip(errand.needed, errand.choices, strict=True), key=lambda one: (one[0], sorted(one[1])))
    if not needed:
        return ()
    network = errand.network
    starts = [errand.start] if errand.start is not None else _beginnings(rooted, choice)
    for start in starts:
        there = Spreading(network.outgoing, network.target, network.joined)
        back = Spreading(network.incoming, network.source, network.joined)
        there.add([start])
        back.add([start])
        walk = _walk(rooted, choice, there, back)
        if errand.enough(walk):
            return tuple(walk)
    return None


def _walk(rooted: Rooted, choice: Iterable[int], there: Spreading, back: Spreading) -> list[int]:
    network, prices = rooted.errand.network, rooted.network.joined
    source, target = network.source.tolist(), network.target.tolist()
    walk, taken = list[int](), set[int]()
    for goal in (rooted.errand.goals[number] for number in sorted(choice)):
        possible = [edge for edge in goal if source[edge] in there.distance and target[edge] in back.distance]
        if not possible or not taken.isdisjoint(goal):
            continue
        edge = min(
            possible, key=lambda one: (there.distance[source[one]] + int(prices[one]) + back.distance[target[one]], one)
        )
        path = [*there.path(source[edge])[::-1], edge, *back.path(target[edge])]
        taken.update(path)
        walk += path
    return walk


def _beginnings(rooted: Rooted, choice: Iterable[int]) -> list[int]:
    """Where a tour may begin that may begin anywhere: before the edges of each goal, those with the fewest first."""
    goals = sorted((rooted.errand.goals[number] for number in choice), key=lambda goal: (len(goal), sorted(goal)))
    return list(dict.fromkeys(int(rooted.network.source[edge]) for goal in goals[:1] for edge in sorted(goal)))
