"""Suites of the method `nodes`: together they visit every state, and each passes on a system that answers as hoped."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from helpers.games import draw
from outplay import GameBuilder, automaton, explore
from outplay.errors import UsageError
from outplay.game.algebra import reachable
from outplay.model.label import Label
from outplay.suite.covering.game_tests import node_tests
from outplay.suite.covering.walk_tests import WalkTests
from outplay.tester.tester import End

LIFT = [("s", "?a", "t"), ("s", "?b", "u"), ("t", "!x", "s"), ("t", "!y", "v"), ("u", "?a", "v"), ("v", "!x", "s")]


def check(found: WalkTests) -> None:
    game = found.game
    for walk in found.walks:
        assert game.source[walk[0]] == game.initial
        assert all(game.target[a] == game.source[b] for a, b in itertools.pairwise(walk))
    met = {game.initial, *(int(game.target[edge]) for walk in found.walks for edge in walk)}
    wanted = set(np.flatnonzero(reachable(game, game.initial) & game.is_state).tolist())
    assert {vertex for vertex in met if game.is_state[vertex]} == wanted
    assert found.met == len(wanted)


def distances(game) -> dict[int, int]:
    """How many edges it takes to each vertex, by asking again and again."""
    found, step = {game.initial: 0}, 0
    while True:
        step += 1
        edges = [e for vertex, far in found.items() if far == step - 1 for e in game.edges_of(vertex)]
        new = {int(game.target[edge]) for edge in edges} - set(found)
        if not new:
            return found
        found |= dict.fromkeys(new, step)


def test_the_walks_visit_every_state_and_are_shortest():
    for seed in range(150):
        game = draw(f"nodes {seed}", least=1, most=12).game()
        found, far = node_tests(game), distances(game)
        check(found)
        for walk in found.walks:
            assert len(walk) == far[int(game.target[walk[-1]])]
        ends = [{int(game.target[edge]) for edge in walk} for walk in found.walks]
        for number, walk in enumerate(found.walks):  # no test can be left out
            others = set().union(*(ends[:number] + ends[number + 1 :]), {game.initial})
            assert int(game.target[walk[-1]]) not in others


@pytest.mark.parametrize("assumption", ["nondeterministic", "input-eager", "timeout"])
def test_each_test_passes_where_the_system_answers_as_hoped(assumption: str):
    game = explore(automaton(LIFT), assumption=assumption)
    found = node_tests(game)
    check(found)
    for case, walk in zip(found.cases(), found.walks, strict=True):
        hoped = [Label.parse(game.label_of(edge)) for edge in walk if game.moves[edge]]
        assert case.verdict(hoped) is End.PASS


def test_an_edge_without_a_label_is_told():
    game = GameBuilder().vertex("s", "tester").vertex("t", "tester").edge("s", "t").build()
    with pytest.raises(UsageError, match="has no label"):
        list(node_tests(game).cases())
