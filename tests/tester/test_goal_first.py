"""The goal first, suspicions second: what is promised is kept, and equally good inputs take turns."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from helpers.automata import random_steps
from helpers.seeds import seeds
from outplay import Label, Simulated, automaton, bounded, expected, explore, joker, run, specification, win
from outplay.play.plan import plan
from outplay.runs.job import Job
from outplay.runs.preparing.testers import goal_plan
from outplay.tester.follower import Follower

FORK = [("s", f"?{n}", f"m{n}") for n in range(4)] + [(f"m{n}", "!ok", "t") for n in range(4)]


def answered(steps, goal):
    return win(explore(automaton(steps)), goal)


@pytest.mark.parametrize("solve", [win, joker, lambda game, goal: bounded(game, goal, 4)], ids=["win", "joker", "time"])
def test_inputs_that_are_as_good_for_the_goal_take_turns(solve):
    answer = solve(explore(automaton(FORK)), "t")
    outcome = run(answer, Simulated(automaton(FORK), Random(0)), plays=8)
    given = Counter(str(event.label) for event in outcome.trace.events if event.kind == "input")
    assert outcome.verdict.reached == 8
    assert given == {f"?{n}": 2 for n in range(4)}


def test_a_longer_way_is_never_taken_for_a_suspicion():
    detour = [*FORK, ("s", "?long", "d"), ("d", "!on", "s")]
    outcome = run(answered(detour, "t"), Simulated(automaton(detour), Random(0)), plays=12)
    assert outcome.verdict.reached == 12
    assert "?long" not in {str(event) for event in outcome.trace.events}


def test_jokers_and_bounds_are_kept_where_the_system_chooses():
    """Of two ways with one joker each the shorter one is taken, and of two as short either."""
    steps = [*FORK[:4], *[(f"m{n}", "!no", "s") for n in range(4)], *FORK[4:], ("s", "?long", "d"), ("d", "!on", "m0")]
    game = explore(automaton(steps))
    for answer in (joker(game, "t"), bounded(game, "t", 8)):
        outcome = run(answer, Simulated(automaton(steps), Random(2)), plays=10, steps=8)
        given = {str(event.label) for event in outcome.trace.events if event.kind == "input"}
        assert len(given) == 4
        assert "?long" not in given


def test_without_ties_the_strategy_is_followed_as_it_is():
    lamp = [("off", "?press", "on"), ("on", "!light", "lit")]
    chosen, then = goal_plan(answered(lamp, "lit"), Job())
    assert isinstance(chosen.tester, Follower)
    assert then is None


@pytest.mark.parametrize("steps", [FORK, [("s", "?go", "m"), ("m", "!ok", "t")]], ids=["ties", "no ties"])
def test_who_goes_on_has_seen_what_led_to_the_goal_and_keeps_its_hypotheses(steps):
    after = [("t", "?on", "u"), ("u", "!on", "t"), ("t", "?off", "v"), ("v", "!off", "t")]
    model = automaton([*steps, *after])
    chosen, then = goal_plan(win(explore(model), "t"), Job(extra_steps=1))
    alive = []
    suspicious = then.suspicions
    deciding = suspicious.decide
    suspicious.decide = lambda tracker: alive.append(len(suspicious.player._alive)) or deciding(tracker)
    outcome = run(chosen, Simulated(model, Random(0)), plays=1, extra_steps=1, then=then)
    assert outcome.verdict.name == "pass"
    assert suspicious.player.learnt.seen.sum() == outcome.tally.steps
    assert alive[0] > 0


@seeds(range(200), quick=15, a_test=15)
def test_plays_keep_to_what_is_promised(seed):
    """Against the worst a sure win takes no more moves than its value; against chance it arrives as it would alone."""
    rng = Random(seed)
    names, steps = random_steps(rng, least=3, most=7)
    model = automaton([(names[0], "?a", names[1]), *steps], initial=names[0])
    game = explore(model)
    goal = rng.choice([name for name, is_state in zip(game.names, game.is_state, strict=True) if is_state][1:])
    answer = win(game, goal)
    if answer.value is None:
        answer = expected(game, goal)
    system = Simulated(specification(model), Random(seed))
    chosen, _ = goal_plan(answer, Job(seed=seed))
    outcome = run(chosen, system, plays=5, steps=1_000, assumption="nondeterministic")
    alone = run(plan(answer), Simulated(specification(model), Random(seed)), plays=5, steps=1_000)
    assert outcome.verdict.name in ("pass", "inconclusive")
    if answer.value is not None:
        assert outcome.verdict.name == alone.verdict.name == "pass"
    if type(answer).__name__ == "SureWin":
        arrived = [play.arrived for play in outcome.played]
        assert all(moves is not None and moves <= answer.value for moves in arrived), arrived


def test_ties_are_asked_only_of_inputs_that_all_possible_states_take():
    steps = [("s", "!x", "a"), ("s", "!x", "b"), ("a", "?1", "t"), ("a", "?2", "t"), ("b", "?2", "t")]
    outcome = run(answered(steps, "t"), Simulated(automaton(steps), Random(3)), plays=6)
    assert outcome.verdict.name == "pass"
    assert {Label.parse("?2")} == {event.label for event in outcome.trace.events if event.kind == "input"}
