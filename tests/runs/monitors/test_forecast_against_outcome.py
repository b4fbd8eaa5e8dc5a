"""Forecast against actual: agreement is quiet, and each disagreement is named with its likely cause."""

from __future__ import annotations

import math
from dataclasses import replace
from random import Random

import pytest

from helpers.traces import arrival
from outplay import Event, Label, Pass, RunResult, Simulated, Trace, automaton, explore, run, win
from outplay.game.goals.live_goal import followed_goal
from outplay.model.label import SILENCE
from outplay.model.suspension import SuspensionAutomaton
from outplay.play.audit import audit
from outplay.play.plan import plan
from outplay.play.trace import TraceHeader
from outplay.runs.monitors.coverage_tally import Tally
from outplay.runs.monitors.forecast_against_outcome import binomial_at_most, compare
from outplay.runs.result import Played
from outplay.strategy.forecast.forecast import forecast
from outplay.verdict.judge import judge_play

RACE = [("s", "?a", "t"), ("s", "!x", "u"), ("u", "!x", "u"), ("t", "!y", "t")]
COIN = [("s", "?toss", "c"), ("c", "!heads", "h"), ("c", "!tails", "t"), ("h", "?end", "h"), ("t", "?end", "t")]


def played(model, goal, *, assumption="nondeterministic", plays=40, steps=20, seed=3):
    game = explore(automaton(model), assumption=assumption)
    chosen = plan(win(game, goal))
    header = TraceHeader(goal=(goal,), options={"steps": steps, "assumption": assumption})
    system = Simulated(SuspensionAutomaton(automaton(model)), Random(seed))
    outcome = run(chosen, system, header=header, plays=plays, steps=steps)
    found = audit(chosen.specification, outcome.trace, tester=chosen.tester)
    return compare(forecast(game, [goal], steps=steps, together=True), outcome, found)


def test_a_forced_goal_that_is_always_reached_is_no_surprise():
    found = played(COIN, "c")
    assert (found.plays, set(found.reached), found.surprise) == (40, {1}, "")
    assert found.lines() == ["forecast: c forced in 1 move", "happened: reached in 40 of 40 plays, in at most 1 move"]


def test_a_forced_goal_missed_is_laid_at_the_door_of_a_broken_assumption():
    found = played(RACE, "t", assumption="input-eager")
    assert 0 < len(found.reached) < 40
    assert f"{40 - len(found.reached)} conforming plays did not reach it" in found.surprise
    assert "broke input-eager" in found.surprise
    assert found.json()["surprise"] == found.surprise


def test_half_the_plays_of_a_fair_coin_are_no_surprise():
    found = played(COIN, "h")
    assert "probability 0.5" in found.forecast
    assert 10 < len(found.reached) < 30
    assert found.surprise == ""


def outcome_of(game, goal, plays, steps):
    """An outcome from texts, one for each play."""
    chosen = plan(win(game, goal))
    events = []
    for number, text in enumerate(plays, 1):
        events.append(Event("reset", seen=0.0, play=number))
        for n, word in enumerate(text.split(), 1):
            label = Label.parse(word)
            kind = "input" if label.is_input else "output"
            times = {"given": float(n)} if kind == "input" else {"seen": float(n)}
            events.append(Event(kind, label, play=number, n=n, **times))
    trace = Trace(TraceHeader(options={"steps": steps}), tuple(events))
    played = [
        Played(judge_play(chosen.specification, play), arrival(chosen.specification, play, chosen.goal))
        for _, play in trace.plays()
    ]
    return RunResult(Pass(), trace, Tally(), tuple(played))


@pytest.mark.parametrize(
    ("heads", "said"), [(0, "less often"), (1, "less often"), (10, ""), (19, "more often"), (20, "more often")]
)
def test_a_coin_that_is_far_from_fair_is_named(heads, said):
    game = explore(automaton(COIN))
    plays = ["?toss !heads"] * heads + ["?toss !tails"] * (20 - heads)
    found = compare(forecast(game, ["h"], steps=9), outcome_of(game, "h", plays, 9))
    assert len(found.reached) == heads
    assert found.surprise.startswith(said) if said else found.surprise == ""


def test_a_die_of_three_sides_that_shows_one_too_often_is_named():
    game = explore(automaton([*COIN, ("c", "!edge", "e"), ("e", "?end", "e")]))
    plays = ["?toss !heads"] * 15 + ["?toss !edge"] * 5
    found = compare(forecast(game, ["h"], steps=9), outcome_of(game, "h", plays, 9))
    assert found.surprise.startswith("more often")


def test_odds_for_other_steps_than_were_played_are_not_compared():
    game = explore(automaton(COIN))
    found = compare(forecast(game, ["h"], steps=9), outcome_of(game, "h", ["?toss !tails"] * 50, 30))
    assert found.surprise == ""


def test_the_impossible_made_real_is_reported():
    game = explore(automaton(COIN))
    seen = forecast(game, ["h"], steps=9)
    lost = replace(seen.entries[0], jokers=None, probability=0.0, impossible=True)
    never = replace(seen, entries=(lost,))
    found = compare(never, outcome_of(game, "h", ["?toss !heads"], 9))
    assert "although it is impossible" in found.surprise


def test_plays_that_fail_say_nothing_about_chances():
    game = explore(automaton(COIN))
    found = compare(forecast(game, ["h"], steps=9), outcome_of(game, "h", ["?toss !bang"] * 50, 9))
    assert (found.plays, found.surprise) == (50, "")


def test_a_play_that_fails_breaks_no_promise():
    game = explore(automaton(COIN))
    found = compare(forecast(game, ["c"], steps=9), outcome_of(game, "c", ["!bang"], 9))
    assert (found.reached, found.surprise) == ((), "")


def test_a_play_too_long_is_a_surprise_even_if_it_arrives():
    game = explore(automaton([("s", "?go", "g"), ("s", "?stay", "s"), ("g", "?on", "g")]))
    found = compare(forecast(game, ["g"], steps=9), outcome_of(game, "g", ["?stay ?go"], 9))
    assert "1 conforming play did not reach it within the moves forecast, though nothing shows" in found.surprise


def test_a_forced_goal_is_promised_to_nobody_who_played_for_something_else():
    game = explore(automaton([("s", "?go", "g"), ("s", "?stay", "s"), ("g", "?on", "g")]))
    seen, outcome = forecast(game, ["g"], steps=9), outcome_of(game, "g", ["?stay ?go"], 9)
    assert compare(seen, outcome, sure=False).surprise == ""


def test_arrival_counts_the_moves_until_the_goal_is_met_though_it_may_be_known_only_later():
    spec = SuspensionAutomaton(automaton(RACE))
    goal = followed_goal(spec, ["t"])[1]
    crossed = [
        Event("reset", seen=0.0),
        Event("input", Label.parse("?a"), given=1.0),
        Event("output", Label.parse("!y"), seen=1.05),
    ]
    assert arrival(spec, crossed, goal, latency=0.1) == 1
    assert arrival(spec, crossed[:2], goal, latency=0.1) == 1
    assert arrival(spec, crossed, goal) == 1
    assert arrival(spec, crossed[:1], goal) is None


def test_the_tail_of_the_binomial_is_that_of_the_definition():
    assert binomial_at_most(0, 10, 0.5) == pytest.approx(2**-10)
    assert binomial_at_most(10, 10, 0.5) == 1.0
    assert binomial_at_most(9, 10, 1.0) == 0.0
    assert binomial_at_most(0, 10, 0.0) == 1.0


def test_a_goal_reached_by_an_input_is_counted_before_the_silence_that_shows_it():
    spec = SuspensionAutomaton(automaton([("s", "?a", "t"), ("t", "?b", "s")]))
    events = [
        Event("reset", seen=0.0),
        Event("input", Label.parse("?a"), given=1.0),
        Event("silence", SILENCE, seen=2.0),
    ]
    assert arrival(spec, events, followed_goal(spec, ["t"])[1], latency=0.1) == 1


def test_the_odds_of_thousands_of_plays_can_be_told():
    assert binomial_at_most(1000, 2000, 0.5) == pytest.approx(0.509, abs=1e-3)
    assert binomial_at_most(2, 5, 0.3) == pytest.approx(
        sum(math.comb(5, k) * 0.3**k * 0.7 ** (5 - k) for k in range(3))
    )
