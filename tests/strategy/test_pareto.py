"""Pareto fronts of bounded reachability, against all strategies there are."""

from __future__ import annotations

import functools
import itertools
from fractions import Fraction

import pytest

from helpers.games import draw
from helpers.seeds import seeds
from outplay import GameBuilder
from outplay.errors import UsageError
from outplay.game.graph import SYSTEM
from outplay.strategy.bounded import Odds, bounded
from outplay.strategy.bounded_reachability import pareto

NOTHING, WON = Odds(Fraction(0), Fraction(0)), Odds(Fraction(1), Fraction(0))


def all_odds(game, goals, steps):
    """Equations 2 and 3 for every strategy: all pairs that some choice of moves has."""

    @functools.cache
    def at(vertex: int, left: int) -> frozenset[Odds]:
        if vertex in goals:
            return frozenset([WON])
        offers = [offer(edge, left) for edge in game.edges_of(vertex)]
        if game.owner[vertex] != SYSTEM:
            return frozenset([NOTHING]).union(*offers)
        given = [game.probability[edge] or Fraction(1) for edge in game.edges_of(vertex)]
        found = set()
        for chosen in itertools.product(*offers):
            chance = sum((p * odds.probability for p, odds in zip(given, chosen, strict=True)), Fraction(0))
            found.add(Odds(chance / (sum(given) or 1), max((odds.cost for odds in chosen), default=Fraction(0))))
        return frozenset(found)

    def offer(edge: int, left: int) -> frozenset[Odds]:
        if game.moves[edge] > left:
            return frozenset([NOTHING])
        cost = game.cost[edge] or 0
        target = at(int(game.target[edge]), left - int(game.moves[edge]))
        return frozenset(Odds(odds.probability, odds.cost + cost) for odds in target)

    return at(game.initial, steps)


@seeds(range(200))
def test_the_front_is_what_no_strategy_beats(seed):
    game = draw(("front", seed), least=2, most=5, costs=(0, 1, 2, 5), chances=0.5, free=0.2).game()
    steps = seed % 5
    found = bounded(game, "done", steps, front=True)
    pairs = all_odds(game, set(found.goal_vertices.tolist()), steps)
    best = {
        odds
        for odds in pairs
        if not any(o != odds and o.probability >= odds.probability and o.cost <= odds.cost for o in pairs)
    }
    assert found.front == tuple(sorted(best, key=lambda odds: odds.cost))
    assert found.value == found.front[-1]  # the most likely, and of these the cheapest


def test_a_front_that_grows_too_large_is_refused(monkeypatch):
    monkeypatch.setattr(pareto, "MOST_PAIRS", 3)
    builder = GameBuilder().vertex("s", "tester").vertex("c", "system").vertex("g", "tester", goals=["done"])
    game = builder.edge("s", "c", "?try").edge("c", "g", "!ok").edge("c", "s", "!no").edge("s", "g", cost=9).build()
    with pytest.raises(UsageError, match="more than 3 pairs on the way"):
        bounded(game, "done", 9, front=True)
