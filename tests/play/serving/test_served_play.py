"""A model in place of a system says only what it may, takes what it may, and tells why not otherwise."""

from __future__ import annotations

from random import Random

import pytest

from outplay import Label, automaton, explore, specification
from outplay.game.goals.target import find_target
from outplay.play.serving import play_server
from outplay.play.serving.http_server import HttpServer
from outplay.play.serving.line_server import LineServer
from outplay.play.serving.play_server import ServedPlay
from outplay.strategy.objectives import OBJECTIVES
from outplay.strategy.opponent import goal_helper, goal_opponent

STOP = automaton(  # an output that no input may follow
    [("s", "?go", "a"), ("a", "!end", "e"), ("a", "?more", "b"), ("b", "!end", "m"), ("m", "!more", "e")], name="stop"
)


def play(model, seed: int = 0, opponent=None) -> ServedPlay:
    return ServedPlay(specification(model), Random(seed), opponent, pace=0.05)


def give(served: ServedPlay, text: str) -> str:
    return served.take(Label.parse(text))


def test_it_waits_for_inputs_where_it_has_nothing_to_say():
    served = play(STOP)
    assert served.pause() is None
    assert give(served, "?go") == ""
    assert 0 <= served.pause() <= 0.05
    assert str(served.speak()) == "!end"
    assert served.pause() is None


def test_a_forbidden_input_is_told_what_is_allowed_and_changes_nothing():
    served = play(STOP)
    assert give(served, "?more") == "more is not allowed here; allowed: go"
    assert give(served, "?go") == ""
    assert give(served, "?go") == "go is not allowed here; allowed: more"
    assert str(served.speak()) == "!end"
    served.reset()
    assert give(served, "?go") == ""


def test_an_input_that_has_crossed_an_output_is_taken_before_it_and_one_that_came_later_is_not(monkeypatch):
    served = play(STOP)
    give(served, "?go")
    served.speak()
    assert give(served, "?more") == ""
    assert str(served.speak()) == "!more"
    monkeypatch.setattr(play_server, "CROSSING", -1.0)
    served.reset()
    give(served, "?go")
    served.speak()
    assert give(served, "?more") == "more is not allowed here; no input is allowed until something was said"


@pytest.mark.parametrize("seed", range(100))
def test_whatever_it_does_the_model_allows(seed):
    rng = Random(seed)
    steps = [
        (str(rng.randrange(4)), f"{rng.choice('?!!')}{rng.choice('abc')}", str(rng.randrange(4))) for _ in range(10)
    ]
    model = automaton([("0", "?a", "1"), *steps])
    spec, served = specification(model), play(model, seed)
    states = set(spec.initial)
    for _ in range(30):
        if served.pause() is None or rng.random() < 0.4:
            label = Label("?", rng.choice("abc"))
            allowed = {after for state in states for after in spec.after(state, label)}
            if not give(served, str(label)):
                states = allowed or states
        elif (said := served.speak()) is not None:
            states = {after for state in states for after in spec.after(state, said)}
            assert states, said
        served._said.clear()  # no crossing here


RACE = automaton([("s", "?a", "t"), ("t", "?a", "goal"), ("t", "!x", "s"), ("goal", "!x", "t")], name="race")


def solved(objective: str):
    game = explore(specification(RACE))
    target = find_target(game, ("goal",))
    return OBJECTIVES[objective].solve(target.game, target)


def test_an_adversary_speaks_before_the_goal_can_be_reached_and_a_helper_waits():
    answer = solved("win")
    served = ServedPlay(answer.game.origin.specification, Random(0), goal_opponent(answer), pace=0.05)
    give(served, "?a")
    assert served.pause() == 0.0
    answer = solved("joker")
    served = ServedPlay(answer.game.origin.specification, Random(0), goal_helper(answer), pace=0.05)
    give(served, "?a")
    assert served.pause() == 0.05
    assert str(served.speak()) == "!x", "it has to in the end"


@pytest.mark.parametrize("kind", [HttpServer, LineServer])
def test_a_server_that_was_never_served_is_closed(kind):
    kind("127.0.0.1", 0, lambda number: play(STOP)).close()
