"""Edge coverage by its definition: tours searched through all sets of edges, and Cover played out in fractions."""

from __future__ import annotations

import heapq
from fractions import Fraction
from functools import cache
from random import Random

from helpers.games import Edge, Plain, with_chances
from outplay import Game
from outplay.game.algebra import exact_chances
from outplay.strategy.tours.tour_pieces import Pieces


def draw_strong(seed: object, *, most: int = 5, more: int = 4, connected: float = 1.0) -> Plain:
    """A game that is strongly connected, unless it is drawn otherwise: a ring with some more edges."""
    rng = Random(f"edges {seed}")
    count = rng.randint(1, most)
    ring = rng.sample(range(count), count)
    pairs = list(zip(ring, ring[1:] + ring[:1], strict=True)) if rng.random() < connected else []
    pairs += [(rng.randrange(count), rng.randrange(count)) for _ in range(rng.randint(0 if pairs else 1, more))]
    rng.shuffle(pairs)
    costs = [Fraction(rng.choice((0, 1, 1, 2, 5, "1/2"))) for _ in pairs]
    edges = [Edge(a, b, cost, None, 1, f"?{n}") for n, ((a, b), cost) in enumerate(zip(pairs, costs, strict=True))]
    system = tuple(rng.random() < 0.4 for _ in range(count))
    named = [edge._replace(label=f"!{edge.label[1:]}") if system[edge.source] else edge for edge in edges]
    return with_chances(rng, Plain(system, tuple(named), frozenset(), rng.randrange(count)), 0.5)


def least_tour(plain: Plain) -> Fraction | None:
    """The least cost of a closed walk over all edges that can be reached from the initial vertex; None if none is."""
    reached, stack = {plain.initial}, [plain.initial]
    while stack:
        vertex = stack.pop()
        new = {edge.target for edge in plain.edges if edge.source == vertex} - reached
        reached |= new
        stack += new
    wanted = sum(1 << place for place, edge in enumerate(plain.edges) if edge.source in reached)
    queue: list[tuple[Fraction, int, int]] = [(Fraction(0), plain.initial, 0)]
    done = set()
    while queue:
        cost, vertex, taken = heapq.heappop(queue)
        if (vertex, taken) == (plain.initial, wanted):
            return cost
        if (vertex, taken) in done:
            continue
        done.add((vertex, taken))
        for place, edge in enumerate(plain.edges):
            if edge.source == vertex:
                heapq.heappush(queue, (cost + edge.cost, edge.target, taken | 1 << place))
    return None


def covered_chance(game: Game, pieces: Pieces, start: int, count: int) -> Fraction:
    """The probability that Cover from a choice point plays all pieces among the next so many."""
    everything = (1 << len(pieces.pieces)) - 1

    @cache
    def chance(vertex: int, covered: int, left: int) -> Fraction:
        if covered == everything:
            return Fraction(1)
        if left == 0:
            return Fraction(0)
        total = Fraction(0)
        for edge, share in zip(game.edges_of(vertex), exact_chances(game, vertex), strict=True):
            found = [number for number, piece in enumerate(pieces.pieces) if piece[0] == edge]
            for number in found:
                end = int(game.target[pieces.pieces[number][-1]])
                total += share / len(found) * chance(end, covered | 1 << number, left - 1)
        return total

    return chance(start, 0, count)
