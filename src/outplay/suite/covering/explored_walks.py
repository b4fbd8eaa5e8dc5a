"""Models as GraphWalker has them, explored with their data: larger and larger parts, as graphs for a postman."""

from __future__ import annotations

from functools import cached_property

from outplay.groups import grouped
from outplay.model.walks.walk_models import Spot, WalkModels
from outplay.strategy.tours.network import Network, network_of

FEW = 25
MORE = 2  # larger parts that are tried when all edges are there


def explored_parts(models: WalkModels, most: int) -> list[ExploredWalks]:
    """Larger and larger parts: until all spots or all edges are there, and then some more."""
    parts, count, more = [ExploredWalks(models, min(FEW, most))], FEW, MORE
    while not parts[-1].complete and count < most and more:
        count = min(2 * count, most)
        parts.append(ExploredWalks(models, count))
        more -= len(parts[-1].taken) == len(models.edges)
    return parts


class ExploredWalks:
    """The spots that walks come to, so many of them at most, and the steps between them."""

    def __init__(self, models: WalkModels, most: int) -> None:
        self.spots: dict[Spot, int] = {models.initial: 0}
        self.arcs: list[tuple[int, int, int]] = []
        self.complete = True
        for number, spot in enumerate(queue := [models.initial]):
            for edge, after in models.steps(spot):
                if after not in self.spots and len(self.spots) >= most:
                    self.complete = False
                    continue
                if after not in self.spots:
                    self.spots[after] = len(self.spots)
                    queue.append(after)
                self.arcs.append((number, self.spots[after], edge))

    @cached_property
    def taken(self) -> dict[int, list[int]]:
        """For each edge of the models that is taken somewhere the arcs that take it."""
        return grouped((edge, arc) for arc, (_, _, edge) in enumerate(self.arcs))

    @cached_property
    def network(self) -> Network:
        """The arcs at one step each, with restarts, which cost more than any steps."""
        return restartable(len(self.spots), [(source, target) for source, target, _ in self.arcs])

    def walks(self, tour: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
        """The walks of a tour, as edges of the models."""
        walks: list[list[int]] = [[]]
        for arc in tour:
            if arc >= len(self.arcs):
                walks.append([])
            else:
                walks[-1].append(self.arcs[arc][2])
        return tuple(tuple(walk) for walk in walks if walk)


def restartable(count: int, ends: list[tuple[int, int]]) -> Network:
    """Edges of one step each, with restarts, which cost more than any steps."""
    network = network_of(count, [(source, target, (0, 1)) for source, target in ends])
    return network.with_resets(0, cost=[1, 0])
