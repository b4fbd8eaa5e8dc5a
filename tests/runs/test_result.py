"""An outcome tells what happened, raises in a test, and writes its page."""

from __future__ import annotations

import re
import traceback
from pathlib import Path
from random import Random

import pytest

import outplay
from outplay import (
    Model,
    NotPassed,
    Simulated,
    automaton,
    controllable,
    explore,
    goal,
    observable,
    run,
    specification,
    win,
)
from outplay.model.suspension import SuspensionAutomaton
from outplay.runs.case_check import CaseCheck
from outplay.runs.job import Job

LAMP = [("off", "?press", "on"), ("on", "!light", "off")]
SMOKE = [("off", "?press", "on"), ("on", "!smoke", "off")]


def simulated(system):
    return Simulated(SuspensionAutomaton(automaton(system)), Random(1))


def played(system, plays=3):
    return run(automaton(LAMP), simulated(system), plays=plays, steps=4)


def test_a_pass_is_told_and_raises_nothing():
    outcome = played(LAMP)
    assert re.fullmatch(r"✓ Pass: \d plays conformed \(seed 0\)", str(outcome).splitlines()[0])
    assert "2 of 2 states, " in str(outcome).splitlines()[1]
    assert str(outcome).splitlines()[-1].endswith("would have been noticed with over 99 % chance")
    assert outcome.check() is outcome
    assert not Path(".outplay").exists()


def test_a_fail_raises_with_the_steps_what_was_allowed_and_how_to_replay_it():
    outcome = played(SMOKE)
    with pytest.raises(NotPassed) as raised:
        outcome.check()
    told = str(raised.value)
    assert told.startswith("✗ Fail in play 1 (seed 0)\n")
    assert "!smoke   ← " in told
    assert "allowed: !light" in told
    assert raised.value.verdict is outcome.verdict
    (line,) = [line for line in told.splitlines() if line.startswith("  replay: ")]
    call = line.removeprefix("  replay: ").replace("system", "smoke")
    again = eval(call, {"outplay": outplay, "model": automaton(LAMP), "smoke": simulated(SMOKE)})
    assert again.reproduced
    assert again.verdict.event.label.text == "!smoke"
    assert "!smoke   ← " in str(outcome)


def test_the_page_of_an_outcome_is_written_where_it_is_wanted():
    assert played(SMOKE).report("pages/run.html") == Path("pages/run.html")
    assert "!smoke" in Path("pages/run.html").read_text()


def test_a_goal_that_was_not_reached_raises_too():
    coin = [("s", "?toss", "c"), ("c", "!heads", "h"), ("c", "!tails", "t")]
    tails = SuspensionAutomaton(automaton([row for row in coin if row[1] != "!heads"]))
    outcome = run(win(explore(automaton(coin)), "h"), Simulated(tails, Random(1)), plays=3)
    with pytest.raises(NotPassed, match=r"^\? Inconclusive: .*h"):
        outcome.check()


def shown_frames(error: BaseException) -> list[str]:
    """The functions whose lines pytest would show."""
    frames = (frame for frame, _ in traceback.walk_tb(error.__traceback__))
    return [frame.f_code.co_qualname for frame in frames if not frame.f_locals.get("__tracebackhide__")]


def test_what_is_raised_shows_the_line_of_the_test_and_none_of_ours(tmp_path):
    with pytest.raises(NotPassed) as raised:
        played(SMOKE).check()
    assert shown_frames(raised.value) == ["test_what_is_raised_shows_the_line_of_the_test_and_none_of_ours"]
    (tmp_path / "lamp.aut").write_text('des (0, 2, 2)\n(0, "?press", 1)\n(1, "!light", 0)\n')
    (tmp_path / "wrong.aut").write_text('des (0, 2, 2)\n(0, "?press", 1)\n(1, "!smoke", 0)\n')
    check = CaseCheck(Job(f"{tmp_path}/lamp.aut"), f"model:{tmp_path}/wrong.aut")
    with pytest.raises(NotPassed) as raised:
        check("lamp", {"off": {"?press": "on"}, "on": {"!light": "pass", "!smoke": "fail", "delta": "fail"}})
    assert shown_frames(raised.value) == ["test_what_is_raised_shows_the_line_of_the_test_and_none_of_ours"]


def test_one_of_something_is_told_in_the_singular():
    once = [("here", "?wave", "here")]
    outcome = run(automaton(once), simulated(once), plays=1, steps=1, tester="walk")
    assert "1 play, 2 steps, 1 state and 2 transitions seen" in str(outcome)
    one = run(automaton([("here", "!tick", "here")]), simulated([("here", "!tick", "here")]), plays=1, steps=1)
    assert "1 play, 1 step, 1 of 1 states, 1 of 1 transitions and 1 of 1 actions seen" in str(one)


class Lamp(Model):
    on: bool = False
    burnt: bool = False

    @controllable
    def press(self):
        self.on = not self.on

    @observable(optional=True)
    def smoke(self):
        if self.burnt or not self.on:
            return False
        self.burnt = True

    @goal
    def lit(self):
        return self.on

    @goal
    def ruined(self):
        return self.burnt


def test_a_pass_names_the_actions_and_goals_that_were_not_seen():
    class Mild(Lamp):
        @observable(optional=True)
        def smoke(self):
            return False

    outcome = run(Lamp, Simulated(specification(Mild), Random(0)), plays=2, steps=5)
    line = next(line for line in str(outcome).splitlines() if "actions" in line)
    assert line.endswith("1 of 2 actions seen (never: !smoke), 1 of 2 goals reached (not: ruined)")
    assert len(str(outcome).splitlines()) <= 4  # and one for the report


def test_a_pass_says_how_many_plays_would_do_and_by_which_option():
    steps = [
        step
        for n in range(40)
        for place, move in enumerate("abc")
        for step in ((f"q{n}", f"?{move}", f"r{n}{move}"), (f"r{n}{move}", f"!{n % 3}", f"q{(n * 3 + place) % 40}"))
    ]
    outcome = run(automaton(steps), simulated(steps), plays=1, steps=9)
    told = re.search(r"about (\d+) plays give 90 % \(--plays (\d+)\)", str(outcome))
    assert told is not None
    assert told[1] == told[2]
    assert int(told[1]) > 1
    assert "Pass, but little was tried" in str(outcome)


def test_where_nothing_was_played_nothing_is_said_of_chances():
    outcome = run(Lamp, Simulated(specification(Lamp), Random(0)), labels=1)
    assert outcome.tally.steps == 0
    assert "chance" not in str(outcome)
    assert "least tested" not in str(outcome)
