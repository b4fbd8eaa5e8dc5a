"""Crashes at every step are crashes: never silence, never Pass."""

from __future__ import annotations

import threading
import time

import pytest

from helpers.automata import specification_of
from helpers.systems import program
from outplay import run
from outplay.model.label import Label
from outplay.play.adapters import program_run
from outplay.play.adapters.process import Process
from outplay.play.plan import Plan
from outplay.play.timing import Timing
from outplay.tester.tester import Give, TraceBased, Wait

ROUNDS = 4
SYSTEM = """
import os, signal, sys, time

how, where, when = sys.argv[1], sys.argv[2], int(sys.argv[3])

def die():
    if how == "exit": os._exit(3)
    if how == "abort": os.abort()
    if how == "kill": os.kill(os.getpid(), signal.SIGKILL)
    if how == "segfault": os.kill(os.getpid(), signal.SIGSEGV)
    if how == "exception": raise RuntimeError("out of luck")
    if how == "sys.exit": sys.exit(1)
    if how == "well": sys.exit(0)
    if how == "grandchild":
        if os.fork() == 0:
            time.sleep(60)
        os._exit(3)
    if how == "closing":
        os.close(1)
        time.sleep(0.15)
        os._exit(3)

received = sent = 0
for line in sys.stdin.buffer:
    received += 1
    if (where, when) == ("received", received):
        die()
    os.write(1, b"pong\\n")
    sent += 1
    if (where, when) == ("sent", sent):
        die()
"""
PLACES = [*(("received", k) for k in range(1, ROUNDS + 1)), *(("sent", k) for k in range(1, ROUNDS + 1))]
SIGNS = {
    "exit": "exit status 3",
    "abort": "killed by SIGABRT",
    "kill": "killed by SIGKILL",
    "segfault": "killed by SIGSEGV",
    "exception": "exit status 1; last words: RuntimeError: out of luck",
    "sys.exit": "exit status 1",
    "grandchild": "exit status 3",
    "closing": "exit status 3",
}


class Pinging(TraceBased):
    """Pings where it may, and waits for the answer."""

    start = None

    def choose(self, tracker, memory):
        return Give(Label.parse("?ping")) if tracker.inputs() else Wait()

    def remember(self, tracker, memory, label):
        return None


@pytest.fixture
def crash():
    """Play against the system that dies in some way at some place. Silence is allowed everywhere: it hides nothing."""
    spec = specification_of("s ?ping t", "t !pong s", "t delta s")

    def played(how: str, where: str, when: int):
        system = Process(program(SYSTEM, how, where, str(when)))
        return run(Plan(spec, Pinging()), system, plays=1, steps=2 * ROUNDS, timing=Timing(2.0, 0.5))

    return played


def assert_crash(outcome, how, where, when):
    told = f"{how} {where} {when}: {outcome.verdict}, {[str(event) for event in outcome.trace.events]}"
    assert outcome.verdict.name == "fail", told
    last = outcome.trace.events[-1]
    assert last.kind == "crash", told
    assert last.detail == SIGNS[how], told
    kinds = [event.kind for event in outcome.trace.events]
    assert "silence" not in kinds, told
    sent = when if where == "sent" else when - 1
    assert kinds.count("output") == sent, f"all it said before is read first; {told}"


@pytest.mark.parametrize("ending", ["os._exit(3)", "os._exit(0)", "os.kill(0, 9)", "import nowhere", "int('x')"])
@pytest.mark.parametrize("given", [0, 1])
def test_a_program_that_ends_before_it_took_anything_in_is_an_error_and_no_verdict(ending, given):
    """An input that lies in the pipe unread makes no difference; one that was read does."""
    spec = (
        specification_of("s ?ping t", "t !pong s", "t delta s", "s delta s") if given else specification_of("s !pong s")
    )
    outcome = run(Plan(spec, Pinging()), Process(program(f"import os, time; time.sleep(0.1); {ending}")), plays=1)
    assert outcome.verdict.name == "error"
    assert "ended before it was ready: " in outcome.verdict.why
    taken = Process(program(f"import os; os.read(0, 1); {ending}"))
    if given:
        assert run(Plan(spec, Pinging()), taken, plays=1).verdict.name == "fail"


@pytest.mark.promise("B1", trials=4)
@pytest.mark.parametrize("how", ["exit", "abort", "kill", "segfault", "exception", "sys.exit"])
def test_a_crash_is_a_crash_wherever_it_happens(crash, how):
    """4 × 8 crashes in 6 ways: 192 in all."""
    for _ in range(4):
        for where, when in PLACES:
            assert_crash(crash(how, where, when), how, where, when)


@pytest.mark.promise("B1")
@pytest.mark.parametrize(("where", "when"), PLACES)
def test_a_crash_is_seen_though_a_grandchild_holds_the_output_open(crash, where, when, monkeypatch):
    monkeypatch.setattr(program_run, "_REAP_PATIENCE", 0.2)
    assert_crash(crash("grandchild", where, when), "grandchild", where, when)


@pytest.mark.promise("B1")
@pytest.mark.parametrize(("where", "when"), PLACES)
def test_output_that_ends_before_the_process_crashes_is_no_silence(crash, where, when):
    assert_crash(crash("closing", where, when), "closing", where, when)


@pytest.mark.parametrize(("where", "when"), PLACES)
def test_ending_well_before_the_play_does_is_closed(crash, where, when):
    outcome = crash("well", where, when)
    assert (outcome.verdict.name, outcome.trace.events[-1].kind) == ("fail", "closed")
    assert outcome.trace.events[-1].detail == "exit status 0"


def test_a_crash_is_seen_though_every_wait_is_shorter_than_dying_takes():
    """The output ends, and a moment later the process: in between nothing may be called silence."""
    spec = specification_of("s ?ping s", "s !pong s", "s delta s")
    source = "import os, time; os.write(1, b'pong\\n'); os.close(1); time.sleep(0.5); os._exit(3)"
    outcome = run(spec, Process(program(source)), plays=1, steps=5, timing=Timing(0.05, 0.01))
    assert outcome.trace.events[-1].kind == "crash"
    assert "silence" not in [event.kind for event in outcome.trace.events if event.time > 0.3]


def test_a_crash_before_both_threads_that_listen_have_started_is_a_crash(monkeypatch):
    class Slow(threading.Thread):
        def start(self):
            super().start()
            time.sleep(0.15)

    monkeypatch.setattr(threading, "Thread", Slow)
    outcome = run(specification_of("s ?ping s"), Process(program("import sys; input(); sys.exit('no luck')")), plays=1)
    assert outcome.trace.events[-1].detail == "exit status 1; last words: no luck"


def test_a_system_that_closes_its_output_and_lives_on_is_closed(monkeypatch):
    monkeypatch.setattr(program_run, "_REAP_PATIENCE", 0.2)
    spec = specification_of("s ?ping s", "s !pong s", "s delta s")
    outcome = run(spec, Process(program("import os, time; os.close(1); time.sleep(60)")), plays=1, steps=50)
    assert outcome.trace.events[-1].kind == "closed"
    assert outcome.trace.events[-1].detail == "it closed its output and runs on"
    assert outcome.verdict.name == "fail"


def test_half_a_line_before_a_crash_is_told_with_it():
    source = "import os; os.write(1, b'pong\\npon'); os._exit(3)"
    outcome = run(specification_of("s !pong s"), Process(program(source)), plays=1)
    assert [event.kind for event in outcome.trace.events] == ["reset", "output", "crash"]
    assert outcome.trace.events[-1].detail == "exit status 3; in the middle of b'pon'"
