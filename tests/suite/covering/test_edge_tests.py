"""Suites of the method `edges`: together they take every edge, and each passes on a system that answers as hoped."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field

import pytest

from helpers.edge_covers import draw_strong
from outplay import GameBuilder, Model, controllable, explore
from outplay.errors import UsageError
from outplay.game.exploring.breadth_first import Limits
from outplay.game.reset import with_reset
from outplay.model.kinds import specification
from outplay.model.label import Label
from outplay.strategy.tours.cheapest_flow import Late
from outplay.suite.covering.game_tests import edge_tests
from outplay.suite.methods import method_named
from outplay.tester.tester import End


@pytest.mark.parametrize("seed", range(40))
def test_the_walks_start_at_the_beginning_and_take_every_edge(seed: int):
    plain = draw_strong(f"suite {seed}", connected=0.6)
    game = with_reset(plain.game()) if seed % 4 == 0 else plain.game()
    found = edge_tests(game)
    for walk in found.walks:
        assert game.source[walk[0]] == game.initial
        assert all(game.target[a] == game.source[b] for a, b in itertools.pairwise(walk))
    taken = {edge for walk in found.walks for edge in walk}
    assert len(taken) == found.met
    for case, walk in zip(found.cases(), found.walks, strict=True):
        hoped = [Label.parse(game.label_of(edge)) for edge in walk if game.moves[edge]]
        assert case.verdict(hoped) is End.PASS


def test_without_choices_one_test_is_the_transition_tour():
    builder = GameBuilder().vertex("s", "tester").vertex("t", "tester").edge("s", "t", "?a", cost=3)
    game = builder.edge("t", "s", "?b").edge("s", "s", "?c").edge("t", "t", "?d").build()
    found = edge_tests(game)
    cost = {"restarts": 0, "cost": 6.0}
    told = {"edges": 4, "moves": 4, "tour": cost, "bound": cost}
    assert (len(found.walks), len(found.walks[0]), found.json()) == (1, 4, told)


def test_a_tour_that_there_was_no_time_for_is_told_with_its_bound(monkeypatch):
    builder = GameBuilder().vertex("s", "tester").vertex("t", "tester").edge("s", "t", "?a", cost=3)
    game = builder.edge("t", "s", "?b").edge("s", "t", "?c").edge("t", "t", "?d").build()
    monkeypatch.setattr("outplay.strategy.tours.postman.joined_tour", lambda *given, **named: Late())
    monkeypatch.setattr("outplay.strategy.tours.postman.nearest_goals_walk", lambda *given: None)
    found = edge_tests(game, time_limit=0)
    assert {edge for walk in found.walks for edge in walk} == {0, 1, 2, 3}
    assert found.json()["bound"] == {"restarts": 0, "cost": 6.0}
    assert any("none does better than 0 and 6" in line for line in found.lines())


class Counting(Model):
    count: int = 0

    @controllable
    def up(self):
        self.count += 1


@dataclass(frozen=True)
class Explorable:
    """A model without goals and rules."""

    model: type[Model]
    limits: Limits = field(default_factory=Limits)
    goals: tuple[str, ...] = ()
    reset_cost: None = None

    def bare(self):
        return specification(self.model)

    def game(self, progress=None, limits=None):
        return explore(self.model, limits=limits or self.limits)


def test_edges_without_end_are_refused_unless_a_part_is_asked_for(monkeypatch):
    monkeypatch.setattr("outplay.suite.covering.walk_tests.MOST_STATES", 200)
    edges = method_named("edges")
    with pytest.raises(UsageError, match=r"no end: exploring stopped at 200 states: raise --max-states"):
        edges.make(Explorable(Counting))
    found = edges.make(Explorable(Counting, Limits(states=10)))
    assert found.remarks.json()["edges"] == 9
    assert "exploring stopped at 10 states: raise --max-states to go on" in found.remarks.lines()[-1]
    assert [case.depth for case in found.tests] == [9]
    assert found.labels == 9


def test_where_no_way_leads_back_tests_start_again():
    game = GameBuilder().vertex("s", "tester").vertex("t", "tester").edge("s", "t", "?a").edge("s", "t", "?b").build()
    assert [len(walk) for walk in edge_tests(game).walks] == [1, 1]


def test_an_answer_that_was_not_hoped_for_is_inconclusive():
    builder = GameBuilder().vertex("s", "tester").vertex("c", "system").edge("s", "c", "?go")
    found = edge_tests(builder.edge("c", "s", "!one").edge("c", "s", "!two").build())
    ends = {case.verdict([Label.parse("?go"), Label.parse("!one")]) for case in found.cases()}
    assert ends == {End.PASS, End.INCONCLUSIVE}


def test_an_edge_without_a_label_is_told():
    game = GameBuilder().vertex("s", "tester").edge("s", "s").build()
    with pytest.raises(UsageError, match="has no label"):
        list(edge_tests(game).cases())
