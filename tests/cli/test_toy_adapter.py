"""An adapter of one's own, in one file and one line: all commands know it, and a job keeps what it was told."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from helpers import counting_system
from outplay import Job, run_job
from outplay.errors import UsageError
from outplay.play.adapters.adapters import ADAPTERS, Adapter
from outplay.registries import DeclaredOption
from outplay.runs.preparing.planning import prepare
from outplay.runs.preparing.systems import with_other_system
from outplay.strategy.objectives import OBJECTIVES

MODEL = """
from outplay import Model, controllable, given, observable

class Counter(Model):
    first = 1
    next: int = 0
    owed: bool = False

    @controllable
    def count(self):
        if self.owed or self.next == 6:
            return False
        self.owed = True

    @observable
    @given(number=range(10))
    def tick(self, number):
        if not self.owed or number != self.first + self.next:
            return False
        self.owed, self.next = False, self.next + 1
"""
OPTIONS = {
    "first": DeclaredOption("where it begins to count.", int, 1, least=0),
    "wrong": DeclaredOption("it gets stuck.", bool, False),
}
SUT = ("--sut", "counting:tick", "--plays", "2", "--steps", "12")


@pytest.fixture
def toy(monkeypatch, outplay):
    options = {name: OPTIONS[name] for name in ("first", "wrong")}
    line = Adapter("counting", "GATE", "a counter", "helpers.counting_system:counting", options, contacted=True)
    monkeypatch.setitem(ADAPTERS, "counting", line)
    Path("counter.py").write_text(MODEL)
    return outplay


@pytest.mark.parametrize("command", ["run", "replay"])
def test_help_tells_of_it_and_of_its_options(toy, command):
    shown = toy(command, "--help").out
    assert re.search(r"counting:GATE +a counter", shown)
    assert re.search(r"--first INTEGER RANGE +counting: where it begins to count\.", shown)
    assert re.search(r"--wrong +counting: it gets stuck\.", shown)


def test_it_is_played_against(toy):
    found = toy("run", "counter.py:Counter", *SUT, "--json").json
    assert (found["verdict"], found["plays"], found["steps"] >= 12) == ("pass", 2, True)


def test_its_options_reach_it_and_are_kept_in_the_job(toy, monkeypatch):
    heard = []
    counting = counting_system.counting
    monkeypatch.setattr(counting_system, "counting", lambda text, **told: heard.append(told) or counting(text, **told))
    told = ["--first", "2", "--wrong"]
    failed = toy("run", "counter.py:Counter", "--set", "first=2", *SUT, *told, "--json").json
    assert failed["verdict"] == "fail"
    job = json.loads(Path(failed["trace"]).read_text().splitlines()[0])["job"]
    assert job["options"] == ["first=2", "wrong=True"]
    again = toy("replay", failed["trace"], "--sut", "counting:tick", "--json").json
    assert again["reproduced"]
    toy("replay", failed["trace"], "--sut", "counting:tick", "--first", "3")
    assert heard == [{"first": first, "wrong": True} for first in (2, 2, 3)]


def test_a_job_in_python_tells_it_the_same(toy):
    job = Job("counter.py:Counter", sut="counting:tick", options=("wrong=true",), plays=1, steps=12)
    assert run_job(job).verdict.name == "fail"


def test_another_system_is_not_asked_for_what_it_does_not_take(toy):
    job = Job("counter.py:Counter", sut="counting:tick", options=("first=2", "width=3"))
    assert with_other_system(job, "model:counter.py:Counter").options == ("width=3",)
    assert with_other_system(job, "counting:tock").options == ("first=2", "width=3")


@pytest.mark.parametrize(
    ("options", "sut", "complaint"),
    [
        (("first=-1",), "counting:tick", "--first -1: it should be a whole number from 0"),
        (("frist=1",), "counting:tick", "no objective or system has an option 'frist'; did you mean 'first'?"),
        (
            ("first=1",),
            "model:counter.py:Counter",
            "--first needs --sut counting:…; with --sut model:… it has no effect",
        ),
        ((), "counted:tick", "write exec:COMMAND LINE, tcp:HOST:PORT, "),
        ((), "counted:tick", "or counting:GATE (`outplay run --help` explains them)"),
        (("first=<redacted>",), "counting:tick", "--first <redacted>: the secret was not written down"),
    ],
)
@pytest.mark.usefixtures("toy")
def test_what_it_cannot_be_told_is_refused(options, sut, complaint):
    with pytest.raises(UsageError) as refused:
        prepare(Job("counter.py:Counter", sut=sut, options=options))
    assert complaint in str(refused.value)


def test_an_option_that_an_objective_takes_too_is_for_both(toy, monkeypatch):
    taken = {**OBJECTIVES["win"].options, "first": OPTIONS["first"]}
    monkeypatch.setitem(OBJECTIVES, "win", OBJECTIVES["win"].__class__("win", "", "math:gcd", taken))
    prepare(Job("counter.py:Counter", sut="counting:tick", options=("first=3",)))
    assert with_other_system(Job(sut="counting:tick", options=("first=3",)), "model:x.aut").options == ("first=3",)


def test_it_is_never_contacted_because_a_file_names_it(toy):
    job = {"model": "counter.py:Counter", "sut": "counting:tick"}
    Path("job.json").write_text(json.dumps({"format": "outplay-job/1", "job": job}))
    refused = toy("run", "counter.py:Counter", "--job", "job.json")
    assert (refused.code, "names the system counting:tick, which is contacted" in refused.err) == (2, True)
