"""What is asked in Python is a job as well: kept in the trace where the model has a name, and started from a seed."""

from __future__ import annotations

import sys
from pathlib import Path
from random import Random

import pytest

from helpers.commands import called
from helpers.echo import MODEL
from outplay import (
    Job,
    Model,
    NotPassed,
    Simulated,
    automaton,
    explore,
    observable,
    read_trace,
    run,
    run_job,
    win,
)
from outplay.errors import UsageError
from outplay.model.programs.load import load_module
from outplay.play.trace import TraceHeader
from outplay.runs.job import recorded_job
from outplay.runs.python_run import model_name
from outplay.runs.suite_runs.suite_making import make_suite

LAMP = automaton(
    [("off", "?press", "on"), ("off", "?hold", "on"), ("on", "!light", "off"), ("on", "!flicker", "on")], name="lamp"
)


class Clock(Model):
    """At the top of a file."""

    even: bool = True

    @observable
    def tick(self):
        self.even = not self.even


@pytest.fixture
def echo(modules_as_they_were):
    """A model class that stands in a file of the current folder."""
    Path("echo.py").write_text(MODEL)
    return load_module("echo.py").Echo


def test_a_class_is_named_by_where_it_stands(echo):
    assert model_name(echo) == "echo.py:Echo"
    assert model_name("chat.py:Chat") == "chat.py:Chat"
    module = sys.modules[Clock.__module__]
    expected = "test_python_run:Clock" if "." in Clock.__module__ else f"{Path(module.__file__).resolve()}:Clock"
    assert model_name(Clock).endswith(expected)


def test_what_would_not_be_found_again_has_no_name():
    class Inside(Clock):
        """In a function."""

    assert [model_name(one) for one in (Inside, LAMP, explore(LAMP), win(explore(LAMP), "on"), Clock())] == [""] * 5


def test_the_trace_of_a_named_model_keeps_its_job(echo):
    outcome = run(echo, "model:echo.py:Echo", seed=5, plays=2, steps=7, tester="walk")
    job = recorded_job(outcome.trace.header)
    asked = Job("echo.py:Echo", sut="model:echo.py:Echo", seed=5, plays=2, steps=7, tester="walk")
    same = ("model", "sut", "seed", "plays", "steps", "tester")
    assert [getattr(job, name) for name in same] == [getattr(asked, name) for name in same]
    assert run_job(asked).trace.events == outcome.trace.events


def test_a_model_is_named_by_a_text(echo):
    named = run("echo.py:Echo", "model:echo.py:Echo", seed=3, plays=3, steps=9)
    assert named.trace.events == run(echo, "model:echo.py:Echo", seed=3, plays=3, steps=9).trace.events
    assert named.trace.header.job["model"] == "echo.py:Echo"


def test_what_is_alive_keeps_no_job():
    for what in (LAMP, win(explore(LAMP), "on")):
        header = run(what, Simulated(LAMP), plays=1, steps=4).trace.header
        assert (header.job, header.model) == ({}, "lamp")


def test_the_seed_decides_and_is_told():
    def played(**given):
        return run(LAMP, Simulated(LAMP, Random(1)), plays=4, steps=15, tester="walk", **given)

    assert played(seed=4).trace.header.seed == 4
    assert played(seed=4).trace.events == played(header=TraceHeader(seed=4)).trace.events
    assert played(seed=4).trace.events != played(seed=7).trace.events
    assert "(seed 4)" in str(played(seed=4))


def test_a_failing_play_is_replayed_by_the_command_alone(echo, capsys):
    Path("mute.py").write_text("class Mute:\n    def say(self, word): pass\n")
    with pytest.raises(NotPassed, match=r"replay: outplay replay \S+ --sut python:mute.py:Mute") as failed:
        run(echo, "python:mute.py:Mute", plays=3, shrink=0).check()
    kept = str(failed.value).partition("outplay replay ")[2].split()[0]
    assert called(capsys, "replay", kept, "--sut", "python:mute.py:Mute").code == 1
    assert called(capsys, "judge", "echo.py:Echo", kept).code == 1
    assert read_trace(kept).header.job["model"] == "echo.py:Echo"


def test_against_a_system_that_is_alive_the_call_is_told(echo):
    with pytest.raises(NotPassed, match=r"replay: outplay.replay\(model, '\S+', system\)"):
        run(echo, Simulated(automaton([("s", "!nonsense", "s")])), plays=3).check()


def test_a_suite_keeps_the_job_too(echo):
    suite = make_suite("echo.py:Echo", "joker")
    loaded = load_module("echo.py").Echo  # making the suite has loaded the file anew
    outcome = run(suite, "model:echo.py:Echo", model=loaded, seed=2, plays=3)
    job = recorded_job(outcome.trace.header)
    assert (job.model, job.seed, job.plays, job.sut) == ("echo.py:Echo", 2, 3, "model:echo.py:Echo")


def test_an_option_of_systems_is_refused_with_what_to_make_in_its_place():
    with pytest.raises(UsageError, match=r"no option 'table', .*outplay\.Http\(url, table\)"):
        run(LAMP, "http://127.0.0.1:1", table="calls.toml")
