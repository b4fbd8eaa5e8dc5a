"""The checker of bounded reachability says yes to what the definition confirms, and no to everything else."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from random import Random

import numpy as np
import pytest

from helpers.games import draw
from helpers.large_games import large_game
from outplay import Game, GameBuilder
from outplay.errors import CertificateError
from outplay.game.graph import SYSTEM
from outplay.strategy.bounded import bounded
from outplay.strategy.bounded_reachability import layers
from outplay.strategy.certificate.check_bounded import check_bounded
from outplay.strategy.value_orders import LEXICOGRAPHIC, PROBABILITY, SURE, Odds, Order

Move = Callable[[int, int], int | None]


@dataclass(frozen=True)
class Claimed:
    """An answer written down, so that it can be changed."""

    game: Game
    goal_vertices: np.ndarray
    steps: int
    order: Order
    exact: bool
    tolerance: float
    settled: int | None
    odds: tuple[Odds, ...]
    moves: tuple[tuple[tuple[int, int | None], ...], ...]

    @property
    def final(self) -> int:
        return self.steps if self.settled is None else self.settled

    def value_of(self, vertex: int) -> Odds:
        return self.odds[vertex]

    def changes(self, vertex: int) -> list[tuple[int, int | None]]:
        return list(self.moves[vertex])

    def move(self, vertex: int, left: int) -> int | None:
        return [None, *(edge for start, edge in self.moves[vertex] if start <= left)][-1]


def claimed(game: Game, steps: int, order: Order = LEXICOGRAPHIC) -> Claimed:
    answer = bounded(game, "done", steps, order=order)
    return Claimed(
        answer.game,
        answer.goal_vertices,
        steps,
        answer.order,
        answer.exact,
        answer.tolerance,
        answer.settled,
        tuple(answer.values()),
        tuple(tuple(answer.changes(vertex)) for vertex in range(game.vertex_count)),
    )


drawn = partial(draw, least=2, most=6, costs=(0, 1, 1, 2), chances=0.5, free=0.2)


def values(game: Game, goals: set[int], order: Order, move: Move | None = None) -> Callable[[int, int], Odds]:
    """The definition on a game: of a strategy, or the best."""

    @functools.cache
    def value(vertex: int, left: int) -> Odds:
        if vertex in goals:
            return Odds(Fraction(1), Fraction(0))
        edges = game.edges_of(vertex)
        if game.owner[vertex] == SYSTEM:
            offers = [offer(edge, left) for edge in edges]
            given = [game.probability[edge] for edge in edges]
            shares = [Fraction(1, len(edges)) if share is None else share for share in given]
            chance = sum((s * odds.probability for s, odds in zip(shares, offers, strict=True)), Fraction(0))
            return Odds(chance, max((odds.cost for odds in offers), default=Fraction(0)))
        if move is not None:
            chosen = move(vertex, left)
            return Odds(Fraction(0), Fraction(0)) if chosen is None else offer(chosen, left)
        offers = [Odds(Fraction(0), Fraction(0)), *(offer(edge, left) for edge in edges)]
        return min(offers, key=lambda odds: order.key(*odds))

    def offer(edge: int, left: int) -> Odds:
        if game.moves[edge] > left:
            return Odds(Fraction(0), Fraction(0))
        chance, cost = value(int(game.target[edge]), left - int(game.moves[edge]))
        return Odds(chance, cost + game.cost[edge])

    return value


def is_possible(claim: Claimed) -> bool:
    """Whether the moves can be made at all."""
    game, goals = claim.game, set(claim.goal_vertices.tolist())
    return all(
        game.owner[vertex] != SYSTEM
        and vertex not in goals
        and (edge is None or (edge in game.edges_of(vertex) and game.moves[edge] <= left))
        for vertex, moves in enumerate(claim.moves)
        for left, edge in moves
    )


def is_right(claim: Claimed) -> bool:
    game, goals = claim.game, set(claim.goal_vertices.tolist())
    if not is_possible(claim):
        return False
    own, best = values(game, goals, claim.order, claim.move), values(game, goals, claim.order)
    key = claim.order.key
    return all(
        key(*own(vertex, left)) == key(*best(vertex, left))
        for vertex in range(game.vertex_count)
        for left in range(claim.steps + 1)
    ) and all(claim.odds[vertex] == own(vertex, claim.steps) for vertex in range(game.vertex_count))


def confirms(claim: Claimed) -> bool:
    try:
        check_bounded(claim)
    except CertificateError:
        return False
    return True


def changed(claim: Claimed, rng: Random) -> Claimed:
    """One thing made different: odds, a move, or when a move begins; often with the odds that then follow."""
    game, vertex = claim.game, rng.randrange(claim.game.vertex_count)
    odds, moves = list(claim.odds), list(claim.moves)
    kind = rng.choice((0, 1, 2, 2, 2, 3, 4))
    if kind == 0:
        odds[vertex] = Odds(odds[vertex].probability + rng.choice((-1, 1)) * Fraction(1, 7), odds[vertex].cost)
    elif kind == 1:
        odds[vertex] = Odds(odds[vertex].probability, odds[vertex].cost + rng.choice((-1, 1)))
    elif kind == 2:
        edge = rng.choice([None, *game.edges_of(vertex), *rng.sample(range(game.edge_count), min(1, game.edge_count))])
        moves[vertex] = (*moves[vertex][:-1], (rng.randint(0, claim.steps), edge))
    elif kind == 3:
        moves[vertex] = moves[vertex][:-1]
    elif moves[vertex]:
        left, edge = moves[vertex][0]
        moves[vertex] = ((max(0, left + rng.choice((-1, 1))), edge), *moves[vertex][1:])
    rows = tuple(tuple(sorted(row, key=repr)) for row in moves)
    other = replace(claim, settled=None, odds=tuple(odds), moves=rows)
    if kind >= 2 and rng.random() < 0.7 and is_possible(other):
        own = values(game, set(claim.goal_vertices.tolist()), claim.order, other.move)
        other = replace(other, odds=tuple(own(vertex, claim.steps) for vertex in range(game.vertex_count)))
    return other


@pytest.mark.promise("A1", trials=15)
@pytest.mark.parametrize("number", range(10))
@pytest.mark.parametrize("order", [LEXICOGRAPHIC, PROBABILITY, SURE], ids=lambda order: order.name)
def test_answers_are_confirmed_and_changed_ones_exactly_where_the_definition_agrees(number, order):
    rng = Random(number)
    refused = 0
    for game in range(15):
        claim = claimed(drawn((number, game)).game(), rng.randint(0, 6), order)
        certificate = check_bounded(claim)
        assert (certificate.vertices, certificate.edges) == (claim.game.vertex_count, claim.game.edge_count)
        assert (certificate.steps, certificate.shortfall) == (claim.steps, 0)
        for _ in range(4):
            other = changed(claim, rng)
            assert confirms(other) == is_right(other), other
            refused += not confirms(other)
    assert refused >= 10


@pytest.mark.parametrize("number", range(10))
def test_in_floats_it_agrees_with_the_definition_where_no_probabilities_are_nearly_equal(monkeypatch, number):
    monkeypatch.setattr(layers, "EXACT_WORK", -1)
    rng = Random(number)
    for game in range(15):
        steps = rng.randint(0, 6)
        claim = claimed(drawn((number, game)).game(), steps)
        certificate = check_bounded(claim)
        assert 0 < certificate.shortfall < 1e-9
        best = values(claim.game, set(claim.goal_vertices.tolist()), LEXICOGRAPHIC)
        for _ in range(4):
            other = changed(claim, rng)
            rounded = [
                best(v, steps) if odds.probability == pytest.approx(float(best(v, steps).probability)) else odds
                for v, odds in enumerate(other.odds)
            ]
            rounded = [Odds(near.probability, odds.cost) for near, odds in zip(rounded, other.odds, strict=True)]
            assert confirms(other) == is_right(replace(other, odds=tuple(rounded))), other


def stands_still(claim: Claimed, left: int) -> bool:
    """Whether the strategy's odds with one move more are the same, but for the tolerance, by the definition."""
    own = values(claim.game, set(claim.goal_vertices.tolist()), claim.order, claim.move)
    pairs = [(own(vertex, left), own(vertex, left + 1)) for vertex in range(claim.game.vertex_count)]
    return all(
        abs(more.probability - now.probability) <= Fraction(claim.tolerance) * max(more.probability, now.probability)
        and more.cost == now.cost
        for now, more in pairs
    )


@pytest.mark.parametrize("floats", [False, True])
@pytest.mark.parametrize("number", range(10))
def test_called_settled_too_early_is_refused(monkeypatch, number, floats):
    if floats:
        monkeypatch.setattr(layers, "EXACT_WORK", -1)
    early = 0
    for game in range(30):
        claim = claimed(drawn(("settled", number, game)).game(), 25)
        if claim.settled:
            early += 1
            assert confirms(claim)
            # In floats a layer may equal the next within the tolerance before it equals it to the last bit.
            moved = any(left >= claim.settled for moves in claim.moves for left, _ in moves)
            right = not moved and stands_still(claim, claim.settled - 1)
            assert right <= floats
            assert confirms(replace(claim, settled=claim.settled - 1)) == right, claim
    assert early >= 2


@pytest.mark.parametrize("chance", ["1/2", "1/3", "9/10", "1/20"])
def test_settled_in_floats_is_confirmed_from_where_nothing_changes_within_the_tolerance(monkeypatch, chance):
    monkeypatch.setattr(layers, "EXACT_WORK", -1)
    win = Fraction(chance)
    builder = GameBuilder().vertex("c", "system").vertex("g", "tester", goals=["done"])
    game = builder.edge("c", "g", probability=win).edge("c", "c", cost=0, probability=1 - win).build()
    claim, near = claimed(game, 1000), Fraction(claimed(game, 1000).tolerance)
    lost = [(1 - win) ** left for left in range(1001)]
    first = next(left for left in range(1, 1000) if lost[left] * win <= near * (1 - lost[left + 1]))
    assert claim.settled is not None
    assert first < claim.settled
    for settled in (first * 9 // 10, first, claim.settled):
        early = claimed(game, settled + 1)  # the odds of the layer that is checked last, claimed for 1000 moves
        other = replace(claim, settled=settled, odds=early.odds)
        assert confirms(other) == (settled >= first)
        if confirms(other):  # then they are true within the share that is stated
            assert abs(Fraction(early.odds[0].probability) - (1 - lost[1000])) <= check_bounded(other).shortfall < 1e-6


def test_costs_that_creep_are_not_settled(monkeypatch):
    monkeypatch.setattr(layers, "EXACT_WORK", -1)
    builder = GameBuilder().vertex("c", "system").vertex("g", "tester", goals=["done"])
    game = builder.edge("c", "g", cost=10**18).edge("c", "c", cost=100).build()
    claim = claimed(game, 100)
    assert claim.settled is None
    short = claimed(game, 60)
    assert confirms(claim)
    assert confirms(short)
    # At 10**6 moves the cost is 10**18 + 10**8: more than what 60 moves cost by far more than the floats' own error.
    assert not confirms(replace(short, steps=10**6, settled=59))


@pytest.mark.parametrize("steps", [20, 100, 400])
def test_large_answers_in_floats_are_confirmed_and_a_wrong_move_is_not(monkeypatch, steps):
    monkeypatch.setattr(layers, "EXACT_WORK", -1)
    claim = claimed(large_game(steps, 3000, costs=range(1, 50), goals=40), steps)
    assert not claim.exact
    assert check_bounded(claim).shortfall < 1e-6
    rng = Random(steps)
    busy = [vertex for vertex, moves in enumerate(claim.moves) if moves and len(claim.game.edges_of(vertex)) > 1]
    refused = 0
    for vertex in rng.sample(busy, 10):
        left, edge = claim.moves[vertex][-1]
        other = rng.choice([e for e in claim.game.edges_of(vertex) if e != edge])
        moves = [*claim.moves[:vertex], (*claim.moves[vertex][:-1], (left, other)), *claim.moves[vertex + 1 :]]
        refused += not confirms(replace(claim, settled=None, moves=tuple(moves)))
    assert refused >= 8


def test_exact_answers_with_the_longest_numbers_that_are_allowed_are_confirmed():
    builder = GameBuilder()
    for vertex in range(12):
        builder.vertex(str(vertex), "system" if vertex % 2 else "tester")
    for vertex in range(11):
        builder.edge(str(vertex), str(vertex + 1), probability="12345678901/98765432109" if vertex % 2 else None)
        builder.edge(str(vertex), "0", probability="86419753208/98765432109" if vertex % 2 else None)
    claim = claimed(builder.goal("done", ["11"]).build(), 60)
    assert claim.exact
    assert claim.odds[0].probability.denominator > 10**100
    assert confirms(claim)


def test_a_refusal_names_the_vertex_and_the_moves_left():
    game = GameBuilder().vertex("s", "tester").vertex("g", "tester", goals=["done"]).edge("s", "g", cost=3)
    claim = claimed(game.edge("s", "g", cost=2).build(), 2)
    assert claim.moves[0] == ((1, 1),)
    worse = replace(claim, moves=(((1, 0),), ()))
    with pytest.raises(CertificateError, match="at vertex 's' with 1 move left: a better move is left out; this is a"):
        check_bounded(worse)
    with pytest.raises(CertificateError, match="vertex 'g' with 1 move left: there is nothing to choose"):
        check_bounded(replace(claim, moves=(claim.moves[0], ((1, 0),))))


@pytest.mark.parametrize("floats", [False, True])
@pytest.mark.parametrize("order", [LEXICOGRAPHIC, PROBABILITY, SURE], ids=lambda order: order.name)
def test_a_move_is_kept_as_long_as_none_is_better(monkeypatch, order, floats):
    if floats:
        monkeypatch.setattr(layers, "EXACT_WORK", -1)
    changes = 0
    for seed in range(100):
        claim = claimed(drawn(("kept", seed), least=3).game(), 8, order)
        game = claim.game
        best = values(game, set(claim.goal_vertices.tolist()), order)

        def key(edge, left, game=game, best=best, order=order):
            if edge is None or game.moves[edge] > left:
                return order.key(Fraction(0), Fraction(0))
            chance, cost = best(int(game.target[edge]), left - int(game.moves[edge]))
            return order.key(chance, cost + game.cost[edge])

        for moves in claim.moves:
            for (_, before), (left, after) in zip([(0, None), *moves], moves, strict=False):
                changes += before is not None
                assert key(after, left) < key(before, left)
    assert changes > (5 if order == LEXICOGRAPHIC else 0)
