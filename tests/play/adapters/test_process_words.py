"""What a program says where nobody asked: on standard error, or in place of the line that was waited for."""

from __future__ import annotations

import pytest

from helpers.automata import specification_of
from helpers.systems import Scripted, program
from outplay import Label, run
from outplay.errors import SystemUnready
from outplay.play.adapters.process import Process
from outplay.play.plan import Plan
from outplay.play.timing import Timing
from outplay.play.trace import Event
from outplay.tester.script import Script
from outplay.verdict.judge import judge

COMPLAINING = """
import sys
print("listening", file=sys.stderr, flush=True)
for line in sys.stdin:
    if line == "RESET\\n":
        print("OK", flush=True)
    elif line == "bad\\n":
        print("line 1\\nno such word, password=hunter2", file=sys.stderr, flush=True)
"""


class Grumbling(Scripted):
    """Says on the side why it is silent."""

    def observe(self, timeout: float) -> Event:
        event = super().observe(timeout)
        return Event("silence", seen=event.seen, detail="standard error says: no") if event.kind == "silence" else event


def test_forbidden_silence_tells_the_last_line_of_standard_error_without_secrets():
    spec = specification_of("s ?bad t", "t !good s")
    system = Process(program(COMPLAINING))
    outcome = run(spec, system, plays=1, timing=Timing(silence=0.5), redact=["hunter2"])
    assert outcome.verdict.name == "fail"
    assert outcome.verdict.why.startswith("silence is not allowed here: standard error says: no such word, password=")
    assert "hunter2" not in str(outcome)
    assert judge(spec, outcome.trace).why == outcome.verdict.why


def test_what_was_said_in_an_earlier_play_is_not_told():
    system = Process(program(COMPLAINING), reset_message=("RESET", "OK"))
    system.reset()
    system.give(Label.parse("?bad"))
    while "no such word" not in system.observe(0.05).detail:
        pass
    system.reset()
    assert system.observe(0.05).detail == ""
    system.close()


def test_silence_that_is_allowed_keeps_nothing_of_it():
    spec = specification_of("s ?a t", "t delta t", "t !x s")
    walk = Plan(spec, Script(map(Label.parse, ["delta", "?a", "delta"])))
    events = run(walk, Grumbling(), plays=1).trace.events
    assert [event.detail for event in events if event.kind == "silence"] == ["", ""]
    owed = specification_of("s ?a t", "t !x s")
    walk = Plan(owed, Script([Label.parse("?a")]))
    assert run(walk, Grumbling(), plays=1).verdict.why == "silence is not allowed here: standard error says: no"


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("print('a\\nb\\nready', flush=True); input()", "; it said 'b' and 'ready'"),
        ("print('x' * 5000, flush=True); input()", f"; it said '{'x' * 100}'"),
        ("import sys; print('on 80', file=sys.stderr, flush=True); input()", "; standard error says: on 80"),
        ("input()", ""),
    ],
)
def test_what_came_in_place_of_the_line_that_says_it_is_ready_is_told(source, told):
    system = Process(program(source), ready="nope", patience=1.0)
    with pytest.raises(SystemUnready) as raised:
        system.reset()
    system.close()
    assert str(raised.value) == f"no 'nope' within 1 s, the line that says it is ready{told}"


def test_what_came_before_a_crash_is_told_too():
    system = Process(program("print('starting', flush=True); raise SystemExit(3)"), ready="ready")
    with pytest.raises(SystemUnready, match=r"crash \(exit status 3\) while waiting for .* ready; it said 'starting'$"):
        system.reset()
    system.close()
