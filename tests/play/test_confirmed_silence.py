"""Silence that may be called too early: no Fail hangs on it, and what fails is waited for until silence is certain."""

from __future__ import annotations

from dataclasses import replace

import pytest

from helpers.automata import specification_of
from outplay import Event, Label, run
from outplay.play.plan import Plan
from outplay.play.system import VirtualClock
from outplay.play.timing import Timing
from outplay.tester.script import Script
from outplay.verdict.judge import judge

LEARNT = Timing(silence=0.1, latency=0.0, confirm=1.0)
OWED = specification_of("s ?ask t", "t !answer s", "s delta s")
ONLY_BEFORE = specification_of("s ?go t", "t !x u", "t delta u", "u delta u")  # after silence x is forbidden


class Late:
    """Says a word so many seconds after an input, in each play as many as are named next, on a virtual clock."""

    synchronous = True

    def __init__(self, word: str, *after: float) -> None:
        self.clock, self.word, self.after = VirtualClock(), word, [*after]

    def reset(self) -> None:
        self.due = list[float]()
        self.now = self.after.pop(0) if len(self.after) > 1 else self.after[0]

    def give(self, label: Label) -> None:
        self.due.append(self.clock.now() + self.now)

    def observe(self, timeout: float) -> Event:
        end = self.clock.now() + timeout
        if self.due and self.due[0] <= end:
            self.clock.sleep(max(self.due.pop(0) - self.clock.now(), 0.0))
            return Event("output", Label("!", self.word), seen=self.clock.now())
        self.clock.sleep(timeout)
        return Event("silence", seen=self.clock.now())

    def close(self) -> None: ...


def played(spec, labels, system, timing, plays=1):
    result = run(Plan(spec, Script(map(Label.parse, labels))), system, plays=plays, steps=4, timing=timing, shrink=0.0)
    for number in range(1, plays + 1):  # the trace alone says the same
        assert judge(spec, replace(result.trace, events=result.trace.play(number).events)).name == (
            result.played[number - 1].verdict.name
        )
    return result


@pytest.mark.parametrize(("after", "verdict"), [(0.05, "pass"), (0.5, "pass"), (2.0, "fail")])
def test_an_answer_that_is_owed_is_waited_for_until_silence_is_certain(after, verdict):
    early = played(OWED, ["?ask", "!answer"], Late("answer", after), replace(LEARNT, confirm=None))
    assert early.verdict.name == ("pass" if after < 0.1 else "fail")
    sure = played(OWED, ["?ask", "!answer"], Late("answer", after), LEARNT)
    assert sure.verdict.name == verdict
    if verdict == "fail":
        assert sure.verdict.event.time >= 1.0


def test_silence_that_is_allowed_is_called_early():
    quiet = played(OWED, ["delta", "?ask", "!answer"], Late("answer", 0.0), LEARNT)
    assert quiet.verdict.name == "pass"
    assert next(event.time for event in quiet.trace.events if event.kind == "silence") < 0.2


def test_no_fail_hangs_on_silence_that_was_called_early_and_later_plays_wait_until_it_is_certain():
    labels = ["?go", "delta", "delta"]
    assert played(ONLY_BEFORE, labels, Late("x", 0.15), replace(LEARNT, confirm=None)).verdict.name == "fail"
    right = played(ONLY_BEFORE, labels, Late("x", 0.15), LEARNT, plays=3)
    assert [play.verdict.name for play in right.played] == ["inconclusive", "pass", "pass"]
    assert "silence was called 900 ms before it is certain" in right.played[0].verdict.why


def test_an_output_after_silence_that_is_certain_fails():
    wrong = played(ONLY_BEFORE, ["?go", "delta", "delta"], Late("x", 0.15, 1.05), LEARNT, plays=2)
    assert [play.verdict.name for play in wrong.played] == ["inconclusive", "fail"]
