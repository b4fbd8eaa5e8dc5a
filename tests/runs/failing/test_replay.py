"""Every Fail can be replayed; one that does not repeat is told apart."""

from __future__ import annotations

import os
from pathlib import Path
from random import Random

import pytest

from helpers.automata import specification_of
from helpers.systems import Scripted, program
from outplay import run
from outplay.cli.main import run_command
from outplay.errors import UsageError
from outplay.formats.trace_jsonl import read_trace
from outplay.model.label import Label
from outplay.play.adapters.process import Process
from outplay.play.adapters.simulated import Simulated
from outplay.play.plan import Plan, plan
from outplay.play.timing import Timing
from outplay.play.trace import Event, Trace, TraceHeader
from outplay.runs.failing.replay import failing_play, replay
from outplay.tester.script import Script

TIMING = Timing(1.0, 0.0)
SPEC = ("s ?a t", "s ?b s", "t !x s", "t ?b u", "u !y s")
MUTANTS = {
    "another output": ("s ?a t", "s ?b s", "t !y s", "t ?b u", "u !y s"),
    "one more output": ("s ?a t", "s ?b s", "t !x s", "t ?b u", "u !y s", "u !z s"),
    "a lost output": ("s ?a t", "s ?b s", "t !x s", "t ?b s", "u !y s"),
    "a wrong way": ("s ?a t", "s ?b s", "t !x t", "t ?b u", "u !y s"),
    "a rare mistake": ("s ?a t", "s ?b s", "t !x s", "t ?b u", "t ?b w", "u !y s", "w !x s"),
}


def recorded(*shown: str) -> list[Event]:
    kinds = {"?": "input", "!": "output", "d": "silence", "c": "crash", "r": "reset"}
    labels = [None if text[0] in "cr" else Label.parse(text) for text in shown]
    return [
        Event(kinds[text[0]], label, play=1, n=n) for n, (text, label) in enumerate(zip(shown, labels, strict=True), 1)
    ]


@pytest.mark.promise("A6", trials=20)
@pytest.mark.parametrize("mutant", MUTANTS)
def test_the_fails_of_a_wrong_system_are_found_and_reproduced(mutant):
    spec, wrong = specification_of(*SPEC), specification_of(*MUTANTS[mutant])
    for seed in range(20):
        found = run(plan(spec, seed=seed), Simulated(wrong, Random(seed)), plays=50, steps=30)
        assert found.verdict.name == "fail", f"seed {seed}"
        again = replay(spec, found.failure(), Simulated(wrong, Random(seed + 1)), timing=TIMING, tries=300)
        assert again.reproduced, f"seed {seed}"
        assert again.verdict.name == "fail"
        assert again.fails == 1
        assert 1 <= again.tries <= 300
        assert again.trace.events[-1].n == len(again.trace.events), "the failing try alone"


def test_a_right_system_does_not_reproduce_the_fail_of_a_wrong_one():
    spec, wrong = specification_of(*SPEC), specification_of(*MUTANTS["another output"])
    found = run(spec, Simulated(wrong, Random(1)), plays=50)
    again = replay(spec, found.failure(), Simulated(spec, Random(1)), timing=TIMING, tries=7)
    assert not again.reproduced
    assert (again.tries, again.fails) == (7, 0)
    assert again.verdict.name != "fail"


def test_the_first_failing_play_is_played_up_to_where_it_failed():
    good, bad = recorded("r", "?a", "!x"), recorded("r", "?a", "!y", "?b")
    second = [Event(e.kind, e.label, play=2, n=e.n + 10) for e in bad]
    third = [Event(e.kind, e.label, play=3, n=e.n + 20) for e in recorded("r", "!z")]
    trace = Trace(TraceHeader(), (*good, *second, *third))
    assert [str(event) for event in failing_play(specification_of(*SPEC), trace)] == ["reset", "?a", "!y"]


def test_the_last_play_is_played_where_none_failed():
    good = recorded("r", "?a", "!x")
    second = [Event(e.kind, e.label, play=2, n=e.n + 10) for e in recorded("r", "?b")]
    assert [str(event) for event in failing_play(specification_of(*SPEC), Trace(TraceHeader(), (*good, *second)))] == [
        "reset",
        "?b",
    ]


def test_a_trace_without_moves_cannot_be_replayed():
    for events in ((), recorded("r")):
        with pytest.raises(UsageError, match="no moves to replay"):
            replay(specification_of(*SPEC), Trace(TraceHeader(), tuple(events)), Scripted(), timing=TIMING)


def test_the_inputs_are_given_again_at_their_places():
    spec = specification_of("s ?a t", "t !x u", "u ?b v", "v !y v")
    system = Scripted(answers={"a": [(0.5, "x")], "b": [(0.5, "z")]})
    again = replay(spec, Trace(TraceHeader(), tuple(recorded("r", "?a", "!x", "?b", "!z"))), system, timing=TIMING)
    assert (again.reproduced, again.tries, system.given) == (True, 1, ["a", "b"])


def test_a_fail_by_silence_is_reproduced():
    again = replay(
        specification_of("s ?a t", "t !x s"),
        Trace(TraceHeader(), tuple(recorded("r", "?a", "delta"))),
        Scripted(),
        timing=TIMING,
    )
    assert (again.reproduced, again.tries) == (True, 1)


def test_a_fail_by_crash_is_reproduced():
    system = Scripted(answers={"a": [(0.5, "crash")]})
    trace = Trace(TraceHeader(), tuple(recorded("r", "?a", "crash")))
    again = replay(specification_of("s ?a s"), trace, system, timing=TIMING)
    assert (again.reproduced, again.trace.events[-1].kind) == (True, "crash")


@pytest.mark.promise("A6")
def test_a_rare_fail_is_tried_for_and_the_tries_are_told():
    class Moody(Scripted):
        def give(self, label):
            self._answers = {"a": [(0.1, "y" if self.resets == 6 else "x")]}
            super().give(label)

    trace = Trace(TraceHeader(), tuple(recorded("r", "?a", "!y")))
    again = replay(specification_of("s ?a t", "t !x s"), trace, Moody(), timing=TIMING, tries=10)
    assert (again.reproduced, again.tries, again.fails) == (True, 6, 1)
    never = replay(
        specification_of("s ?a t", "t !x s"), trace, Scripted(answers={"a": [(0.1, "x")]}), timing=TIMING, tries=10
    )
    assert (never.reproduced, never.tries) == (False, 10)


def test_an_early_output_in_one_try_does_not_spoil_the_next():
    """The first try hears `!x` before `?b`; the second needs the wait that the record has after `?b`."""
    spec = specification_of("s ?a t", "t !x u", "t ?b v", "v !x w", "u ?b w", "v delta v")

    class Shifting(Scripted):
        def reset(self):
            super().reset()
            first = self.resets == 1
            self._answers = {"a": [(0.0, "x")] if first else [], "b": [] if first else [(0.5, "z")]}

    trace = Trace(TraceHeader(), tuple(recorded("r", "?a", "?b", "!z")))
    again = replay(spec, trace, Shifting(), timing=TIMING, tries=2)
    assert (again.reproduced, again.tries) == (True, 2)


def test_a_system_that_is_not_ready_ends_the_tries():
    system = Scripted(unready="no power")
    again = replay(
        specification_of(*SPEC), Trace(TraceHeader(), tuple(recorded("r", "?a", "!y"))), system, timing=TIMING, tries=9
    )
    assert (again.verdict.name, again.tries, again.reproduced) == ("error", 1, False)


def test_a_crash_of_a_process_is_reproduced_by_a_process():
    source = "import os, sys\nfor n, line in enumerate(sys.stdin): print('x', flush=True) if n < 2 else os._exit(3)"
    spec, timing = specification_of("s ?a t", "t !x s"), Timing(2.0, 0.2)
    script = Script(map(Label.parse, ["?a", "!x"] * 3))
    found = run(Plan(spec, script), Process(program(source)), plays=1, timing=timing)
    assert found.trace.events[-1].kind == "crash"
    again = replay(spec, found.failure(), Process(program(source)), timing=timing, tries=2)
    assert (again.reproduced, again.trace.events[-1].kind) == (True, "crash")


def test_the_commands_find_reproduce_and_tell_apart(chat):
    """Exit codes: 1 where it failed again, 6 where it did not."""
    model = f"{chat / 'model.py'}:Chat"
    server = " ".join(program((chat / "server.py").read_text(encoding="utf-8"), "--pace", "0.01"))
    lossy = " ".join(program(LOSSY, name="lossy.py"))
    assert run_command(["run", model, "--sut", f"exec:{lossy}", "--plays", "5"]) == 1
    [failure] = [name for name in os.listdir(".outplay/last/failures") if not name.endswith(".long.jsonl")]
    path = f".outplay/last/failures/{failure}"
    assert read_trace(Path(path)).events[-1].kind == "output"
    assert run_command(["judge", model, path]) == 1
    assert run_command(["replay", path, "--model", model, "--sut", f"exec:{lossy}", "--tries", "3"]) == 1
    assert run_command(["replay", path, "--model", model, "--sut", f"exec:{server}", "--tries", "2"]) == 6


LOSSY = """
import sys
for line in sys.stdin:
    _, sender, text = line.split(None, 2)
    for recipient in ("ann", "bob", "cid"):
        if recipient != sender:
            print("deliver", recipient, "cid" if sender == "ann" else "ann", text.strip(), flush=True)
"""


def test_replaying_needs_no_plan_of_its_own():
    spec = specification_of(*SPEC)
    outcome = run(Plan(spec, plan(spec).tester), Simulated(spec, Random(0)), plays=1, steps=4)
    again = replay(spec, outcome.trace, Simulated(spec, Random(0)), timing=TIMING, tries=1)
    assert again.verdict.name == "pass"
