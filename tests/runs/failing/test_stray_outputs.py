"""Outputs of the play before: recognised instead of failing the next play, and never where the system is to blame."""

from __future__ import annotations

import threading
import time

import pytest

from helpers.automata import specification_of
from outplay import Label, run
from outplay.formats.trace_jsonl import read_trace, write_trace
from outplay.play.plan import Plan
from outplay.play.system import RealClock
from outplay.play.timing import Timing
from outplay.play.trace import Event
from outplay.tester.script import Script
from outplay.verdict.judge import judge

SLOW = specification_of("off ?press on", "on delta on", "on !light off", "off delta off")
TIMING = Timing(0.2, 0.02)  # shorter than the lamp takes, so that it lights up in the next play


class Shared:
    """A lamp that lights up a while after it was pressed; `fresh` says whether its reset forgets what is to come."""

    synchronous = False

    def __init__(self, *, fresh: bool = False, lights_by_itself: bool = False) -> None:
        self.clock = RealClock()
        self.fresh, self.lights_by_itself = fresh, lights_by_itself
        self.due: list[float] = []
        self.lock = threading.Lock()

    def reset(self) -> None:
        now = time.monotonic()
        self.due = [] if self.fresh else [due for due in self.due if due > now]
        self.due += [now + 0.01] * self.lights_by_itself

    def give(self, label: Label) -> None:
        self.due.append(time.monotonic() + 0.3)

    def observe(self, timeout: float) -> Event:
        until = time.monotonic() + timeout
        if self.due and self.due[0] <= until:
            time.sleep(max(self.due[0] - time.monotonic(), 0.0))
            del self.due[0]
            return Event("output", Label.parse("!light"), seen=time.monotonic())
        time.sleep(max(timeout, 0.0))
        return Event("silence", seen=time.monotonic())

    def close(self) -> None: ...


def played(system: Shared):
    walk = Plan(SLOW, Script(map(Label.parse, ["delta", "?press"])))
    return run(walk, system, plays=4, steps=2, timing=TIMING)


def test_an_output_of_the_play_before_is_an_incomplete_reset_and_no_fail(tmp_path):
    result = played(Shared())
    assert result.verdict.name == "error", result.verdict
    assert "the reset seems incomplete: !light belongs to the play before" in result.verdict.why
    write_trace(tmp_path / "t.jsonl", result.trace)
    again = judge(SLOW, read_trace(tmp_path / "t.jsonl"))
    assert (again.name, again.why) == ("error", result.verdict.why), "a trace is judged as the run was"


@pytest.mark.parametrize(("system", "verdict"), [(Shared(fresh=True), "pass"), (Shared(lights_by_itself=True), "fail")])
def test_a_complete_reset_passes_and_a_fault_of_the_system_fails(system, verdict):
    assert played(system).verdict.name == verdict
