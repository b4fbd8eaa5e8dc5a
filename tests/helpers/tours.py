"""Postman problems by their definition: a search through vertices together with the goals met so far."""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from random import Random
from typing import Any

from outplay.strategy.tours.postman import postman
from outplay.strategy.tours.postman_problem import NoTour, Tour
from outplay.strategy.tours.tour_network import Network, network_of

Arc = tuple[int, int, tuple[Fraction, ...]]


@dataclass(frozen=True)
class Round:
    """A postman problem as plain lists."""

    count: int
    arcs: tuple[Arc, ...]
    goals: tuple[frozenset[int], ...]
    choices: tuple[frozenset[int], ...]
    start: int | None
    closed: bool
    needed: tuple[int, ...] | None = None
    """How many goals of each choice are enough, if not all."""

    @property
    def enough(self) -> list[tuple[int, frozenset[int]]]:
        return list(zip(self.needed or map(len, self.choices), self.choices, strict=True))

    @property
    def network(self) -> Network:
        return network_of(self.count, self.arcs)

    def solved(self, **given: Any) -> Tour | NoTour:
        given |= {"start": self.start, "closed": self.closed, "needed": self.needed}
        return postman(self.network, self.goals, self.choices, **given)


def draw_round(seed: object, kind: str, *, most: int = 5, connected: float = 0.8) -> Round:
    """Draw a problem of a kind: chinese, rural, generalized, alternatives or shares; most graphs hang together."""
    rng = Random(f"{kind} {seed}")
    count = rng.randint(1, most)
    more = rng.randint(1, 4 if kind == "chinese" else count + 3)  # the search takes 2 ** edges times as long
    pairs = [(rng.randrange(count), rng.randrange(count)) for _ in range(more)]
    if rng.random() < connected:
        ring = rng.sample(range(count), count)
        pairs += list(zip(ring, ring[1:] + ring[:1], strict=True))
    width = rng.choice((1, 1, 2))
    arcs = tuple((a, b, tuple(Fraction(rng.choice((0, 1, 1, 2, 3, "1/2", 7))) for _ in range(width))) for a, b in pairs)
    goals, choices = _wanted(rng, rng.choice(["rural", "alternatives"]) if kind == "shares" else kind, len(arcs))
    needed = tuple(rng.randint(0, len(one)) for one in choices) if kind == "shares" else None
    start = rng.choice((None, rng.randrange(count)))
    closed = start is None or rng.random() < 0.6
    return Round(count, arcs, goals, choices, start, closed, needed)


def _wanted(rng: Random, kind: str, edges: int) -> tuple[tuple[frozenset[int], ...], tuple[frozenset[int], ...]]:
    if kind == "chinese":
        goals = [frozenset({edge}) for edge in range(edges)]
    elif kind == "rural":
        goals = [frozenset({edge}) for edge in rng.sample(range(edges), rng.randint(0, min(edges, 6)))]
    else:
        goals = [frozenset(rng.sample(range(edges), rng.randint(1, min(edges, 3)))) for _ in range(rng.randint(1, 5))]
    numbers = range(len(goals))
    if kind != "alternatives":
        return tuple(goals), (frozenset(numbers),)
    sets = [frozenset(rng.sample(numbers, rng.randint(1, len(goals)))) for _ in range(rng.randint(1, 4))]
    return tuple(goals), tuple(sets)


def least_cost(problem: Round) -> tuple[Fraction, ...] | None:
    """The least cost of a walk that meets all goals of a choice; None where there is none."""
    starts = range(problem.count) if problem.start is None else [problem.start]
    found = [cost for start in starts if (cost := _from(problem, start)) is not None]
    return min(found, default=None)


def _from(problem: Round, start: int) -> tuple[Fraction, ...] | None:
    gains = [sum(1 << g for g, goal in enumerate(problem.goals) if edge in goal) for edge in range(len(problem.arcs))]
    enough = [(few, sum(1 << g for g in choice)) for few, choice in problem.enough]
    nothing = (Fraction(0),) * len(problem.arcs[0][2])
    queue, done = [(nothing, start, 0)], set[tuple[int, int]]()
    while queue:
        cost, vertex, met = heapq.heappop(queue)
        if (vertex, met) in done:
            continue
        done.add((vertex, met))
        if any((met & wanted).bit_count() >= few for few, wanted in enough) and (not problem.closed or vertex == start):
            return cost
        for edge, (source, target, paid) in enumerate(problem.arcs):
            if source == vertex:
                total = tuple(a + b for a, b in zip(cost, paid, strict=True))
                heapq.heappush(queue, (total, target, met | gains[edge]))
    return None


def check_walk(problem: Round, tour: Tour) -> None:
    """A tour is a walk of the graph, begins and ends where it should, meets a choice, and costs what it says."""
    ends = [problem.arcs[edge][:2] for edge in tour.walk]
    assert all(one[1] == other[0] for one, other in itertools.pairwise(ends))
    if ends and problem.closed:
        assert ends[-1][1] == ends[0][0]
    visited = {vertex for pair in ends for vertex in pair}
    if ends and problem.start is not None:
        assert ends[0][0] == problem.start if not problem.closed else problem.start in visited
    met = {number for number, goal in enumerate(problem.goals) if goal & set(tour.walk)}
    assert any(len(choice & met) >= few for few, choice in problem.enough)
    assert tour.cost == _sum([problem.arcs[edge][2] for edge in tour.walk], len(problem.arcs[0][2]))


def _sum(costs: Sequence[tuple[Fraction, ...]], width: int) -> tuple[Fraction, ...]:
    return tuple(sum((cost[part] for cost in costs), Fraction(0)) for part in range(width))
