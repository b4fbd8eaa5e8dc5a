"""What a forecast says in words, and what it says where little is known."""

from __future__ import annotations

from dataclasses import replace

import pytest

from outplay import GameBuilder, Limits, automaton, explore
from outplay.errors import UsageError
from outplay.model.programs.load import load_program
from outplay.strategy.forecast import forecast as forecasting
from outplay.strategy.forecast.entries import Entry
from outplay.strategy.forecast.forecast import forecast
from outplay.strategy.forecast.sentences import sentence

RACE = [("s", "?a", "t"), ("s", "!x", "u"), ("u", "!x", "u"), ("t", "!y", "t")]


def said(game, *names, **options):
    seen = forecast(game, names, **options)
    return [sentence(entry, seen) for entry in seen.entries]


def test_help_is_said_as_what_the_system_has_to_do_and_what_it_might_do_instead():
    game = explore(automaton(RACE))
    assert said(game, "t") == [
        "not forced: needs help once (the system has to take ?a before it says !x); "
        "with probability 0.5 within 20 moves, but never surely"
    ]


def test_the_same_goal_is_forced_where_inputs_are_taken_first():
    assert said(explore(automaton(RACE), assumption="input-eager"), "t", "s") == [
        "holds at the start",
        "forced in 1 move",
    ]


def test_help_may_be_an_output_or_silence():
    game = explore(automaton([("s", "!x", "a"), ("s", "!y", "b"), ("s", "delta", "c"), ("c", "?go", "c")]))
    told = {name: said(game, name)[0] for name in ("a", "c")}
    assert "the system has to say !x rather than !y or nothing)" in told["a"]
    assert "the system has to stay silent rather than say !x or !y)" in told["c"]


def test_help_without_labels_is_said_as_where_to_go():
    builder = GameBuilder().vertex("c", "system").vertex("g", "tester").vertex("d", "tester")
    game = builder.edge("c", "g").edge("c", "d").build()
    assert "(the system has to go to g rather than d)" in said(game, "g")[0]


def test_help_among_equal_labels_says_where_to_go():
    builder = GameBuilder().vertex("c", "system").vertex("g", "tester").vertex("d", "tester")
    game = builder.edge("c", "g", "!x").edge("c", "d", "!x").build()
    assert "(the system has to say !x and go to g)" in said(game, "g")[0]


def test_help_that_is_wanted_often_is_said_for_the_first_two():
    chain = [(f"s{n}", "!yes", f"s{n + 1}") for n in range(4)] + [(f"s{n}", "!no", "s0") for n in range(4)]
    text = said(explore(automaton(chain)), "s4")[0]
    assert "needs help 4 times (the system has to say !yes rather than !no, then to say !yes" in text
    assert "and 2 more like this)" in text
    assert text.endswith("30 moves expected")


def test_impossible_says_how_far_play_can_get():
    game = explore(automaton(RACE, states=["s"]))
    builder = GameBuilder().vertex("s", "tester").vertex("far", "tester").goal("nowhere", [])
    lone = builder.edge("s", "s", "?again").build("s")
    assert said(lone, "far") == ["impossible: no way leads there: whatever is done, play stays in 1 other state"]
    assert said(lone, "nowhere") == ["impossible: the only state does not have it"]
    assert not any(entry.impossible for entry in forecast(game).entries)


def test_costs_are_told_where_they_are_not_the_moves():
    builder = GameBuilder().vertex("s", "tester").vertex("g", "tester")
    game = builder.edge("s", "g", cost="5/2").build()
    assert said(game, "g") == ["forced in 1 move, cost 2.5"]


def test_input_fair_tells_who_wins_and_no_numbers():
    game = explore(automaton([*RACE, ("u", "!z", "v")]), assumption="input-fair")
    seen = forecast(game, ["t", "v"])
    assert [sentence(entry, seen) for entry in seen.entries] == [
        "forced",
        "not forced: the system can keep the tester away for ever, however fair it is to inputs",
    ]
    assert [entry.json()["forced"] for entry in seen.entries] == [{"moves": None, "cost": None}, None]
    assert {entry.probability for entry in seen.entries} == {None}


def test_what_was_not_met_in_a_part_is_not_called_impossible(chat):
    game = explore(load_program(f"{chat / 'model.py'}:Chat"), limits=Limits(states=3))
    seen = forecast(game, ["two_pending"])
    assert (seen["two_pending"].impossible, seen["two_pending"].probability) == (False, None)
    assert "not met in the" in sentence(seen["two_pending"], seen)


def test_the_easiest_come_first_and_the_impossible_last(chat):
    seen = forecast(explore(load_program(f"{chat / 'model.py'}:Chat")), kinds=["goal", "label", "state"])
    order = [0 if p.forced else 2 if p.impossible else 1 for p in seen.entries]
    assert order == sorted(order)
    moves = [p.forced.moves for p in seen.entries if p.forced]
    assert moves == sorted(moves)
    helped = [(p.jokers, -round(p.probability, 5)) for p in seen.entries if p.jokers]
    assert helped == sorted(helped)
    assert len(set(helped)) > 5


def test_with_the_same_help_luck_comes_before_cost():
    likely = Entry(None, 1, 0.9, 50.0, name="b", kind="goal")
    cheap = replace(likely, name="a", probability=0.5, expected_cost=5.0)
    dear = replace(cheap, name="0", expected_cost=None)
    assert sorted([dear, cheap, likely], key=lambda entry: entry.hardness) == [likely, cheap, dear]


def test_names_are_goals_then_states_then_labels_then_transitions():
    game = explore(automaton(RACE))
    assert [forecast(game, [name]).entries[0].kind for name in ("t", "!x", "s --?a--> t")] == [
        "state",
        "label",
        "transition",
    ]
    with pytest.raises(UsageError, match="did you mean 's'"):
        forecast(game, ["ss"])


def test_a_forecast_is_asked_by_name():
    seen = forecast(explore(automaton(RACE)), ["t"])
    assert seen["t"].name == "t"
    with pytest.raises(UsageError, match="there is no forecast of 'tt'; did you mean 't'"):
        seen["tt"]


def test_costs_beyond_64_bits_are_exact_however_it_is_computed(monkeypatch):
    builder = GameBuilder().vertex("s", "tester").vertex("c", "system").vertex("g", "tester")
    builder.edge("s", "c", cost=10**40).edge("c", "g", cost=1).edge("c", "g", cost="1/3")
    for compiled_from in (10**9, 0):
        monkeypatch.setattr(forecasting, "COMPILED_FROM", compiled_from)
        found = forecast(builder.build(), ["g"])["g"]
        assert (found.forced.moves, found.forced.cost) == (2, 10**40 + 1)


def test_together_several_goals_are_one_target():
    game = explore(automaton(RACE))
    seen = forecast(game, ["t", "!x"], together=True)
    assert [(p.name, p.forced and p.forced.moves) for p in seen.entries] == [("t or !x", 1)]


def test_kinds_that_would_take_too_long_are_left_out_unless_asked_for(monkeypatch):
    game = explore(automaton(RACE))
    everything = forecast(game)
    assert everything.left_out == ()
    monkeypatch.setattr(forecasting, "MOST_WORK", 0)
    cut = forecast(game)
    assert cut.left_out == ("label", "state", "transition")
    assert (everything.warnings, len(cut.warnings)) == ((), 1)
    assert cut.warnings[0].startswith("labels and states and transitions left out")
    assert cut.entries == ()
    assert len(forecast(game, kinds=["state"]).entries) == 3
    monkeypatch.undo()
    monkeypatch.setattr(forecasting, "MOST_LISTED", 5)
    assert forecast(game).left_out == ("label", "transition")


def test_moves_that_count_nothing_may_go_round():
    builder = GameBuilder().vertex("a", "tester").vertex("b", "tester").vertex("g", "tester").vertex("c", "system")
    builder.edge("a", "b", cost=2, moves=0).edge("b", "a", cost=2, moves=0).edge("b", "c", cost=1)
    game = builder.edge("c", "g").edge("c", "b").build()
    seen = forecast(game, ["g", "c"])
    assert [(p.forced and p.forced.cost, p.jokers, p.probability) for p in seen.entries] == [
        (3, 0, 1.0),
        (None, 1, None),
    ]
    assert seen["g"].expected_cost == pytest.approx(6)
