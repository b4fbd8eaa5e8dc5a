"""Closed walks: edges put into one, a problem made ready for them, and what is in the way where there is none.

Closed walks: edges put into one by Euler, and a problem made ready for them by an edge from the end to the start.

Euler's walk: from how often each edge is taken to an order in which they are. Definition: edges with numbers of times,
every vertex entered as often as it is left and all of them connected, have a closed walk that takes each edge exactly
this many times. Hierholzer's way finds it in O(vertices + steps).

A problem made ready for solving: as closed tours through one edge that stands for the beginning. A tour that is to pass
`start` passes a loop of no cost there (Kapus-Kolar 2007, section 3.11). An open walk is closed by edges of no cost from
every vertex to a new one, and from there one edge to `start`, which is taken exactly once.

Why there is no tour: which goals cannot be met together, and what keeps them apart. A closed tour stays in one strongly
connected part. An open walk goes from part to part and never back, so two parts neither of which leads to the other
cannot both be on it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from outplay.compiling import best_for
from outplay.strategy.tours import _kernels
from outplay.strategy.tours.postman_problem import NoTour, PostmanProblem
from outplay.strategy.tours.tour_network import Network, connected_parts


def euler_walk(network: Network, times: NDArray[Any], start: int) -> list[int]:
    """Return the edges of a closed walk from a vertex; it is shorter than `times` says where they are not connected.

    >>> from outplay.strategy.tours.tour_network import network_of
    >>> euler_walk(network_of(2, [(0, 1, 1), (1, 0, 1), (1, 1, 1)]), np.array([2, 2, 1]), 0)
    [0, 1, 0, 2, 1]
    """
    steps, out = int(times.sum()), network.outgoing
    walk = np.zeros(steps, dtype=np.uint32)
    run = best_for(_kernels.euler, max(steps, network.edge_count))
    path = np.zeros(steps + 1, dtype=np.uint32)
    length = run(out.first, out.edge, network.target, times.astype(np.int64), start, out.first.copy(), path, walk)
    found: list[int] = walk[:length][::-1].tolist()
    return found


def strong_parts(network: Network) -> NDArray[np.int64]:
    """Number the strongly connected part of each vertex; edges lead to the same number or to a smaller one.

    >>> from outplay.strategy.tours.tour_network import network_of
    >>> strong_parts(network_of(3, [(0, 1, 1), (1, 0, 1), (1, 2, 1)])).tolist()
    [2, 2, 1]
    """
    from outplay.strategy.chance.reduction.end_components import finished_components

    out, everywhere = network.outgoing, np.ones(network.vertex_count, dtype=bool)
    return finished_components(out.first, network.target[out.edge], everywhere)[1].astype(np.int64)


@dataclass(frozen=True, eq=False)
class Rooted:
    """A problem, its network with the edges that close the walk, and which of them stands for the beginning."""

    problem: PostmanProblem
    network: Network
    root: int | None

    @cached_property
    def movable(self) -> Network:
        """The network without the edge that stands for the beginning, which is not taken again."""
        if self.root is None:
            return self.network
        whole = self.network
        criteria = tuple(criterion[:-1] for criterion in whole.criteria)
        return Network(whole.vertex_count, whole.source[:-1], whole.target[:-1], criteria, whole.denominators)

    def required(self, edges: Iterable[int]) -> NDArray[np.int64]:
        """Return how often each edge is taken at least: some edges once, and with them the one that is the
        beginning.
        """
        least = np.zeros(self.network.edge_count, dtype=np.int64)
        least[list(edges)] = 1
        if self.root is not None:
            least[self.root] = 1
        return least

    def parts(self, times: NDArray[np.int64]) -> NDArray[np.int64]:
        """For each edge that is taken the connected part it is in; -1 for the others."""
        used = times > 0
        number = connected_parts(self.network, used)
        return np.where(used, number[self.network.source], -1)

    def walk(self, times: NDArray[np.int64], through: int | None = None) -> tuple[int, ...]:
        """The walk that takes each edge this many times, without the edges that only close it.

        It begins at `start`, else with an edge that is named, else anywhere.
        """
        network = self.network
        if self.root is not None:
            start = int(network.target[self.root])
        elif times.any():
            start = int(network.source[int(np.flatnonzero(times)[0]) if through is None else through])
        else:
            return ()
        walk = euler_walk(network, times, start)
        begin = 0 if self.root is None else walk.index(self.root)
        return tuple(edge for edge in walk[begin:] + walk[:begin] if edge < self.problem.network.edge_count)


def with_closing_edges(problem: PostmanProblem) -> Rooted:
    """Add to a postman problem's network the edges that close its walks."""
    network, start = problem.network, problem.start
    if start is None:
        return Rooted(problem, network, None)
    ends = [(start, start)]
    if not problem.closed:
        end = network.vertex_count
        ends = [*((vertex, end) for vertex in range(end)), (end, start)]
    made = network.with_edges(ends)
    return Rooted(problem, made, made.edge_count - 1)


def closed_walk_obstacle(problem: PostmanProblem) -> NoTour | None:
    """Return what is surely missing in every closed walk, found without solving; None where nothing is."""
    found = _apart(problem) if problem.closed else _unreached(problem)
    spare = [len(choice) - needed for choice, needed in zip(problem.choices, problem.needed, strict=True)]
    shortfalls = [missing for place, missing in found if len(missing) > spare[place]]
    if len(shortfalls) < len(found):
        return None
    where = "is in the strongly connected part of the others" if problem.closed else "can be reached from the start"
    return NoTour(min(shortfalls, key=len), f"no edge of it {where}") if shortfalls else None


def _apart(problem: PostmanProblem) -> list[tuple[int, tuple[int, ...]]]:
    """For each choice and strongly connected part what is missing in tours there; only the part of a start counts."""
    network = problem.network
    part = strong_parts(network)
    home_of = np.where(part[network.source] == part[network.target], part[network.source], -1).tolist()
    homes = [{home_of[edge] for edge in goal} - {-1} for goal in problem.goals]
    parts = {int(part[problem.start])} if problem.start is not None else set().union(*homes) or {0}
    return [
        (place, tuple(sorted(number for number in choice if home not in homes[number])))
        for place, choice in enumerate(problem.choices)
        for home in parts
    ]


def _unreached(problem: PostmanProblem) -> list[tuple[int, tuple[int, ...]]]:
    """For each choice the goals with no edge that the start leads to."""
    assert problem.start is not None
    network = problem.network
    met = network.reached_from(problem.start)[network.source]
    out_of_reach = {number for number, goal in enumerate(problem.goals) if not any(met[edge] for edge in goal)}
    return [(place, tuple(sorted(choice & out_of_reach))) for place, choice in enumerate(problem.choices)]


def rival_goals(problem: PostmanProblem) -> NoTour:
    """Return two goals of which neither leads to the other, so that no open walk meets all goals."""
    network = problem.network
    part = strong_parts(network)
    wanted = sorted(
        {
            (int(part[network.source[e]]), int(part[network.target[e]]), number)
            for choice in problem.choices[:1]
            for number in choice
            for e in problem.goals[number]
            if len(problem.goals[number]) == 1
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
