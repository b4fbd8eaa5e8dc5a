"""The checker of tours: confirms in exact numbers that a tour covers what it should, and what each costs at least.

A claim is a closed walk, heights and a bound. The walk is confirmed edge by edge. For heights with a reduced cost,
cost + height[source] - height[target], of at least 0 on every edge, any closed walk over the required edges costs as
much as the sum of its reduced costs, since heights cancel out on a circle, so at least those of the required edges.
Where the bound is at most that, it holds; where the walk costs as much, none costs less. O(edges + walk).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

from outplay.errors import CertificateError
from outplay.game.graph import Game
from outplay.strategy.certificate.checker import Certificate


def check_tour(
    game: Game, required: Iterable[int], tour: Sequence[int], heights: Sequence[Fraction], bound: Fraction
) -> Certificate:
    """Check a tour of a game, and by its heights that none costs less than a bound, or raise CertificateError."""
    source, target, wanted = game.source.tolist(), game.target.tolist(), set(required)
    for edge, after in zip(tour, [*tour[1:], *tour[:1]], strict=True):
        _ensure(target[edge] == source[after], game, edge, "it does not lead to where the tour goes on")
    for edge in sorted(wanted - set(tour)):
        _ensure(False, game, edge, "the tour does not take it")
    proven = Fraction(0)
    for edge in range(game.edge_count):
        reduced = (game.cost[edge] or 0) + heights[source[edge]] - heights[target[edge]]
        _ensure(reduced >= 0, game, edge, "its reduced cost is below 0, so the heights prove nothing")
        proven += reduced if edge in wanted else 0
    if bound > proven:
        raise CertificateError(f"the checker refuses the bound {bound} of the tour: only {proven} is proven")
    return Certificate(game.vertex_count, game.edge_count)


def check_no_return(game: Game, start: int, blocking: Iterable[int]) -> Certificate:
    """Check that no way leads back to a vertex from some others, so that no tour covers them, or raise."""
    inside = set(blocking)
    for vertex in sorted(inside):
        for edge in game.edges_of(vertex):
            _ensure(int(game.target[edge]) in inside, game, edge, "it leads out of the set that cannot be left")
    if start in inside or not inside:
        raise CertificateError("the checker refuses the answer: the start itself is said to be out of reach")
    return Certificate(game.vertex_count, game.edge_count)


def _ensure(holds: bool, game: Game, edge: int, what: str) -> None:
    if not holds:
        raise CertificateError(
            f"the checker refuses the tour at edge {game.edge_names[edge]!r}: {what}; "
            "this is a defect of outplay, please report it with the model"
        )
