"""Nothing a system started outlives the play: 200 plays against systems that do not want to go."""

from __future__ import annotations

import os
import time
import uuid
from pathlib import Path

import pytest

from helpers.automata import specification_of
from helpers.heard import Heard
from helpers.systems import program
from outplay import run
from outplay.play.adapters import program_run
from outplay.play.adapters.process import Process
from outplay.play.plan import Plan
from outplay.play.timing import Timing
from outplay.tester.tester import Give, TraceBased, Wait

PLAYS = 20
SYSTEM = """
import os, signal, sys, time

stubborn = sys.argv[1].split("+")
if "deaf" in stubborn: signal.signal(signal.SIGTERM, signal.SIG_IGN)
if "children" in stubborn:
    for _ in range(2):
        if os.fork() == 0:
            if os.fork() == 0:
                os.close(0)
            time.sleep(600)
            os._exit(0)
print("ready", flush=True)
for line in sys.stdin:
    print("x", flush=True)
if "stays" in stubborn: time.sleep(600)
"""


class Asking(TraceBased):
    """Gives an input wherever it may, and waits for the answer."""

    start = None

    def choose(self, tracker, memory):
        return Give(tracker.inputs()[0]) if tracker.inputs() else Wait()

    def remember(self, tracker, memory, label):
        return None


def living(marker: str) -> list[int]:
    """The processes whose command line has the marker, zombies apart."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            try:
                command = (entry / "cmdline").read_bytes()
            except OSError:
                continue
            if marker.encode() in command:
                found.append(int(entry.name))
    return found


def assert_all_gone(marker: str) -> None:
    deadline = time.monotonic() + 10
    while (left := living(marker)) and time.monotonic() < deadline:
        time.sleep(0.01)  # a killed process takes a moment to go
    assert left == []


@pytest.fixture
def marker() -> str:
    return f"marker-{uuid.uuid4()}"


@pytest.mark.parametrize("stubborn", ["polite", "children", "children+deaf", "stays+children", "stays+deaf+children"])
def test_nothing_is_left_after_many_plays(marker, monkeypatch, stubborn):
    """5 × 20 plays: 100 in all."""
    monkeypatch.setattr(program_run, "_EXIT_GRACE", 0.02)
    monkeypatch.setattr(program_run, "_TERMINATE_GRACE", 0.02)
    system = Process(program(SYSTEM, stubborn, marker), ready="ready")
    most = 0

    def count(event):
        nonlocal most
        if event.kind == "reset":
            most = max(most, len(living(marker)))

    chosen = Plan(specification_of("s ?a t", "t !x s"), Asking())
    outcome = run(chosen, system, plays=PLAYS, steps=2, timing=Timing(2.0, 0.01), observers=[Heard(count)])
    assert outcome.tally.plays == PLAYS
    assert outcome.verdict.name == "pass"
    expected = 5 if "children" in stubborn else 1
    assert most >= expected, "the marker must be seen while the system runs"
    assert most <= expected + 4, "processes of earlier plays are gone, or going"
    assert_all_gone(marker)


def test_a_system_that_ignores_everything_is_killed_with_the_usual_patience(marker):
    system = Process(program(SYSTEM, "stays+deaf+children", marker), ready="ready")
    system.reset()
    before = time.monotonic()
    system.close()
    assert time.monotonic() - before < 5
    assert_all_gone(marker)


def test_children_go_with_a_system_that_crashed(marker):
    source = SYSTEM.replace('print("x", flush=True)', "os._exit(3)")
    system = Process(program(source, "children+deaf", marker), ready="ready")
    outcome = run(Plan(specification_of("s ?a s"), Asking()), system, plays=1, timing=Timing(2.0, 0.1))
    assert outcome.verdict.name == "fail"
    assert_all_gone(marker)


def test_nothing_is_left_after_a_failed_start(marker):
    source = SYSTEM.replace('print("ready", flush=True)', 'print("never", flush=True)')
    system = Process(program(source, "stays+deaf+children", marker), ready="ready", patience=0.3)
    outcome = run(specification_of("s ?a s"), system, plays=3, timing=Timing(1.0, 0.0))
    assert outcome.verdict.name == "error"
    assert_all_gone(marker)


def test_nothing_is_left_when_whoever_listens_fails(marker):
    def broken(event):
        raise OSError("disk full")

    system = Process(program(SYSTEM, "stays+children", marker), ready="ready")
    result = run(specification_of("s ?a s"), system, plays=1, observers=[Heard(broken, essential=True)])
    assert (result.verdict.name, "disk full" in result.verdict.why) == ("error", True)
    assert_all_gone(marker)
