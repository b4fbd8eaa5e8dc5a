# a Pass says that something was tested

from __future__ import annotations

from random import Random

import pytest

from helpers.automata import specification_of
from helpers.commands import called
from helpers.systems import Scripted
from outplay import Model, Simulated, controllable, run, specification
from outplay.errors import NothingToRun
from outplay.game.reset import ResettableSpecification
from outplay.play.plan import Plan
from outplay.runs.failing.replay import replay
from outplay.suite.suite import Stream, Suite
from outplay.tester.tester import Walker

MODELS = """
from outplay import Model, controllable, goal, observable

class Dead(Model):
    x: int = 0
    @controllable
    def go(self):
        if self.x == 0: return False
        self.x = 1
    @goal
    def home(self): return self.x == 0

class Empty(Model):
    pass

class Clock(Model):
    even: bool = True
    @observable
    def tick(self): self.even = not self.even

class Broken(Model):
    @controllable
    def go(self): raise ValueError("boom")
"""


class Dead(Model):
    x: int = 0

    @controllable
    def go(self):
        return self.x != 0


@pytest.fixture
def models(tmp_path):
    path = tmp_path / "models.py"
    path.write_text(MODELS)
    return path


def ran(capsys, models, name, *further):
    return called(capsys, "run", f"{models}:{name}", "--sut", f"model:{models}:{name}", "--plays", "2", *further)


@pytest.mark.parametrize(
    "asked",
    [
        [],
        ["--tester", "walk"],
        ["--tester", "cover"],
        ["--until-cleared", "0.9"],
        ["--objective", "cover-nodes"],
        ["--goal", "home"],
        ["--reset-cost", "1"],
    ],
)
def test_a_model_that_offers_nothing_at_the_start_is_nothing_to_run(capsys, models, asked):
    found = ran(capsys, models, "Dead", *asked)
    assert (found.code, found.out) == (5, "")
    assert "nothing to run" in found.err
    assert "'go' is never enabled" in found.err
    assert f"outplay inspect {models}:Dead" in found.err


def test_a_model_without_actions_is_nothing_to_run(capsys, models):
    found = ran(capsys, models, "Empty", "--json")
    assert found.code == 5
    assert "it has no actions" in found.json["error"]


def test_an_automaton_that_is_silent_for_ever_is_nothing_to_run(capsys, tmp_path):
    path = tmp_path / "silent.aut"
    path.write_text('des (0, 1, 2)\n(1, "?press", 1)\n')
    assert called(capsys, "run", path, "--sut", f"model:{path}").code == 5


def test_to_listen_only_is_a_test(capsys, models):
    assert ran(capsys, models, "Clock").code == 0


def test_a_system_that_says_something_where_nothing_is_allowed_still_fails():
    with pytest.raises(NothingToRun):
        run(Dead, Scripted([]), plays=1)
    assert run(Dead, Scripted([(0.1, "x")]), plays=1).verdict.name == "fail"


def test_a_mistake_of_the_model_at_the_start_is_an_error_as_before(capsys, models):
    found = ran(capsys, models, "Broken", "--json")
    assert (found.code, found.json["verdict"]) == (4, "error")


def test_python_is_told_too():
    spec = specification(Dead)
    for what in (Dead, spec, ResettableSpecification(spec)):
        with pytest.raises(NothingToRun, match="'go' is never enabled"):
            run(what, Simulated(spec, Random(0)), plays=1)


def test_what_somebody_else_has_planned_such_as_a_replay_is_played():
    spec = specification(Dead)
    assert run(Plan(spec, Walker(Random(0))), Simulated(spec, Random(0)), plays=1).verdict.name == "pass"
    failed = run(Dead, Scripted([(0.1, "x")]), plays=1)
    assert replay(Dead, failed.trace, Scripted([(0.1, "x")]), tries=1).reproduced
    assert not replay(Dead, failed.trace, Scripted(), tries=1).reproduced


@pytest.mark.parametrize("tests", [(), Stream(lambda: iter(()))])
def test_a_suite_without_tests_is_nothing_to_run(tests):
    spec = specification_of("s ?a t", "t !x s")
    with pytest.raises(NothingToRun, match="no tests"):
        run(Suite(tests=tests), Simulated(spec, Random(0)), model=spec)


def test_where_nothing_can_be_suspected_no_share_of_it_is_told():
    spec = specification_of("s ?a s")
    outcome = run(spec, Simulated(spec, Random(0)), plays=2, steps=3, until_cleared=0.5)
    assert (outcome.suspected.cleared.answers, outcome.suspected.cleared.targets) == (0, 0)
    assert outcome.suspected.json()["cleared"] is None
    assert outcome.tally.plays == 2
    assert outcome.tally.steps >= 6  # nothing was cleared, so nothing was a reason to stop
    assert "cleared" not in str(outcome)
