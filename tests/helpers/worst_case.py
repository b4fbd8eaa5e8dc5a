"""What the definition says of games against the worst case: all strategies, and plain recursion, in fractions."""

from __future__ import annotations

import functools
from fractions import Fraction

from helpers import games
from helpers.games import Plain

draw = functools.partial(games.draw, strategies=300, answers=300)
"""A game with few enough strategies of either side to try them all."""


def costs_of(plain: Plain, strategy: dict[int, int]) -> list[Fraction | None]:
    """The worst cost of a positional strategy from each vertex, None where the system can keep it from the goals.

    Once the tester's moves are fixed only the system chooses: a play that comes round again can come round for ever.
    """
    known: dict[int, Fraction | None] = {}

    def worst(vertex: int, before: frozenset[int]) -> Fraction | None:
        if vertex in plain.goals:
            return Fraction(0)
        if vertex in before:
            return None
        if vertex not in known:
            known[vertex] = ways(vertex, before | {vertex})
        return known[vertex]

    def ways(vertex: int, before: frozenset[int]) -> Fraction | None:
        edges = plain.leaving(vertex) if plain.system[vertex] else [strategy[vertex]] if vertex in strategy else []
        totals = []
        for edge in edges:
            beyond = worst(plain.edges[edge].target, before)
            if beyond is None:
                return None
            totals.append(plain.edges[edge].cost + beyond)
        return max(totals, default=None)

    return [worst(vertex, frozenset()) for vertex in plain.vertices]


def values_by_enumeration(plain: Plain) -> list[Fraction | None]:
    """The definition: from each vertex the least worst cost over all strategies of the tester."""
    best: list[Fraction | None] = [None] * len(plain.system)
    for strategy in plain.strategies():
        for vertex, cost in enumerate(costs_of(plain, strategy)):
            if cost is not None and (best[vertex] is None or cost < best[vertex]):
                best[vertex] = cost
    return best


def values_within(plain: Plain, moves: int) -> list[Fraction | None]:
    """The definition with memory: the least worst cost of being at a goal after so many moves at most."""

    @functools.cache
    def value(vertex: int, left: int) -> Fraction | None:
        if vertex in plain.goals:
            return Fraction(0)
        offers = [offer(place, left) for place in plain.leaving(vertex)]
        known = [cost for cost in offers if cost is not None]
        if plain.system[vertex]:
            return max(known) if offers and len(known) == len(offers) else None
        return min(known, default=None)

    def offer(place: int, left: int) -> Fraction | None:
        edge = plain.edges[place]
        beyond = value(edge.target, left - edge.moves) if edge.moves <= left else None
        return None if beyond is None else edge.cost + beyond

    return [value(vertex, moves) for vertex in plain.vertices]
