"""What the definition says of games with a bound on the moves: the odds by plain recursion, in fractions."""

from __future__ import annotations

import functools
from collections.abc import Callable
from fractions import Fraction

from helpers.games import Plain

Pair = tuple[Fraction, Fraction]
LOST, WON = (Fraction(0), Fraction(0)), (Fraction(1), Fraction(0))


def rank(pair: Pair) -> tuple[Fraction, Fraction]:
    """The greatest probability comes first, then the least cost."""
    return -pair[0], pair[1]


def odds(plain: Plain, move: Callable[[int, int], int | None] | None = None) -> Callable[[int, int], Pair]:
    """Probability and worst cost of a strategy, or of the best one, at a vertex with so many moves left.

    These are equations (2) and (3) of Nachmanson, Veanes, Schulte, Tillmann and Grieskamp (2004).
    """

    @functools.cache
    def value(vertex: int, left: int) -> Pair:
        if vertex in plain.goals:
            return WON
        if plain.system[vertex]:
            answers = [(plain.chance_of(place), offer(place, left)) for place in plain.leaving(vertex)]
            return (
                sum((share * chance for share, (chance, _) in answers), Fraction(0)),
                max((cost for _, (_, cost) in answers), default=Fraction(0)),
            )
        if move is not None:
            chosen = move(vertex, left)
            return LOST if chosen is None else offer(chosen, left)
        return min([LOST, *(offer(place, left) for place in plain.leaving(vertex))], key=rank)

    def offer(place: int, left: int) -> Pair:
        edge = plain.edges[place]
        if edge.moves > left:
            return LOST
        chance, cost = value(edge.target, left - edge.moves)
        return chance, edge.cost + cost

    return value
