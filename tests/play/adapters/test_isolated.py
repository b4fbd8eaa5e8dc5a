"""A Python object in a process of its own: whatever it does to that process, outplay sees a crash."""

from __future__ import annotations

import os
import signal
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import pytest

from helpers.automata import specification_of
from outplay import Label, run
from outplay.errors import SystemUnready
from outplay.model.values import Map
from outplay.play.adapters.isolated import Isolated
from outplay.play.timing import Timing

PATIENCE = 15.0
SUBJECT = """
import asyncio, os, signal, sys, threading, time
from outplay.errors import SystemUnready

class Subject:
    made = 0

    @classmethod
    def set_up(cls):
        open("set-up", "a").write(".")

    @classmethod
    def tear_down(cls):
        open("torn-down", "a").write(".")

    def __init__(self, emit):
        self.emit = emit
        Subject.made += 1
        self.emit("made", Subject.made)

    def ask(self, word):
        print("this is printed and no output")
        return word

    async def later(self):
        await asyncio.sleep(0.05)
        return "done"

    def kind(self, value):
        return type(value).__name__

    def leave(self, how):
        if how == "os._exit(0)": os._exit(0)
        if how == "os._exit(3)": os._exit(3)
        if how == "kill": os.kill(os.getpid(), signal.SIGKILL)
        if how == "exit": sys.exit(2)
        if how == "raise": raise ValueError("broken")

    def unready(self):
        raise SystemUnready("no database")

    def close(self):
        if os.path.exists("bad"): raise OSError("still busy")
        open("closed", "a").write(".")
"""


@pytest.fixture
def system(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("subject.py").write_text(SUBJECT)
    made = Isolated("subject.py:Subject")
    made.reset()
    assert str(made.observe(PATIENCE).label) == "!made 1"
    yield made
    Path("bad").unlink(missing_ok=True)
    made.close()


@dataclass(frozen=True)
class OnlyHere:
    """A value whose type the other side does not have."""

    size: int


def test_a_value_that_the_other_side_cannot_have_arrives_as_it_is_written(system):
    give(system, "ask", OnlyHere(3))
    assert str(system.observe(PATIENCE).label) == "!ask OnlyHere(3)"


def give(system: Isolated, gate: str, *arguments: object) -> None:
    system.give(Label("?", gate, arguments))


def test_calls_and_results_are_inputs_and_outputs(system):
    give(system, "ask", "two words")
    assert str(system.observe(PATIENCE).label) == '!ask "two words"'
    give(system, "later")
    assert str(system.observe(PATIENCE).label) == "!later done"
    values = ["3", 3, True, None, (1, "a"), frozenset({1}), b"x", Fraction(1, 2), Map(a=1), signal.SIGINT, Label("?")]
    for value in values:
        give(system, "kind", value)
        assert str(system.observe(PATIENCE).label) == f"!kind {type(value).__name__}"


@pytest.mark.parametrize(
    ("how", "told"),
    [
        ("os._exit(0)", "its process ended: exit status 0"),
        ("os._exit(3)", "exit status 3"),
        ("kill", "killed by SIGKILL"),
        ("exit", "SystemExit: 2"),
        ("raise", "ValueError: broken"),
    ],
)
def test_whatever_ends_it_is_a_crash_and_the_next_play_starts_afresh(system, how, told):
    give(system, "leave", how)
    event = system.observe(PATIENCE)
    assert (event.kind, event.detail) == ("crash", told)
    assert ("raise ValueError" in event.traceback) == (how == "raise")
    system.reset()
    assert system.observe(PATIENCE).label.gate == "made"
    give(system, "ask", "x")
    assert str(system.observe(PATIENCE).label) == "!ask x"


def test_a_run_goes_on_to_its_verdict_whatever_the_object_does(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("subject.py").write_text("import os\nclass Subject:\n    def leave(self): os._exit(0)\n")
    system = Isolated("subject.py:Subject")
    outcome = run(specification_of("s ?leave s", "s delta s"), system, plays=1, steps=20, timing=Timing(1.0, 0.1))
    assert (outcome.verdict.name, outcome.trace.events[-1].kind) == ("fail", "crash")


def test_set_up_and_tear_down_are_called_once_and_close_after_each_play(system):
    for _ in range(3):
        system.reset()
    system.close()
    assert [len(Path(name).read_text()) for name in ("set-up", "closed", "torn-down")] == [1, 4, 1]


def test_trouble_of_the_adapter_is_an_error(system):
    give(system, "unready")
    with pytest.raises(SystemUnready, match="no database"):
        system.observe(PATIENCE)
    system.reset()
    assert system.observe(PATIENCE).label.gate == "made"
    give(system, "nothing")
    with pytest.raises(SystemUnready, match="no method 'nothing'"):
        system.observe(PATIENCE)
    Path("bad").touch()
    with pytest.raises(SystemUnready, match="close raised OSError: still busy"):
        system.reset()


def test_an_object_that_cannot_be_made_is_unready(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for reference, told in [("nowhere.py:X", "no such file"), ("os:nothing", "no class 'nothing'")]:
        with pytest.raises(SystemUnready, match=told):
            Isolated(reference).reset()


def test_nothing_is_left_of_it(system):
    pid = system._link._process.pid
    system.close()
    assert not os.path.exists(f"/proc/{pid}")
