"""The game beside a purpose: names of its edges, labels that no play shows, and goals that are there already."""

from __future__ import annotations

import random

import pytest

from helpers.automata import random_automaton
from outplay import GameBuilder, automaton, explore, win
from outplay.errors import UsageError
from outplay.game.goals.product import with_purpose
from outplay.model.purpose import AutomatonPurpose

ASSUMPTIONS = ("input-eager", "output-eager", "nondeterministic", "timeout")


def test_a_purpose_called_like_a_goal_of_the_game_is_refused():
    game = GameBuilder().vertex("s", "tester", goals=["done"]).edge("s", "s", "?go").build()
    with pytest.raises(UsageError, match="the model has a goal 'done' already: rename the purpose file"):
        with_purpose(game, AutomatonPurpose(automaton([("0", "?go", "1")]), name="done"))


def test_edges_without_a_direction_leave_a_purpose_where_it_is():
    builder = GameBuilder().vertex("s", "tester").vertex("t", "tester").vertex("u", "tester")
    builder.edge("s", "t").edge("t", "u", "turn").edge("u", "u", "?").edge("u", "s", "?go").edge("t", "t", "tau")
    beside = with_purpose(builder.build(), AutomatonPurpose(automaton([("0", "?go", "1")])))
    assert win(beside, "purpose").value == 3
    assert sorted(beside.names) == sorted(f"{vertex} | {place}" for vertex in "stu" for place in "01")


@pytest.mark.parametrize("seed", range(40))
def test_edges_beside_a_purpose_are_called_like_those_of_the_game_and_the_place(seed):
    rng = random.Random(seed)
    game = explore(random_automaton(rng, most=4), assumption=ASSUMPTIONS[seed % 4])
    beside = with_purpose(game, AutomatonPurpose(random_automaton(rng, most=3), ["q0"]))
    old = {name: edge for edge, name in enumerate(game.edge_names)}
    for edge, name in enumerate(beside.edge_names):
        known, place = name.split(" | ")
        assert beside.names[beside.source[edge]] == f"{game.names[game.source[old[known]]]} | {place}"
        assert beside.label_of(edge) == game.label_of(old[known])
        assert beside.names[beside.target[edge]].startswith(f"{game.names[game.target[old[known]]]} | ")
    assert len(set(beside.edge_names)) == beside.edge_count
    assert list(beside.edge_names[:]) == list(beside.edge_names)
