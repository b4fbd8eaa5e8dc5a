"""Silence that is proven is called at once, and the end of a play waits only for what can still come."""

from __future__ import annotations

import threading

import pytest

from helpers.automata import specification_of
from helpers.systems import Scripted, program
from outplay import Label, Model, PythonObject, controllable, internal, run, specification
from outplay.errors import UsageError
from outplay.play.adapters.process import Process, process_from_text
from outplay.play.plan import Plan
from outplay.play.timing import Timing
from outplay.tester.script import Script

HOURS = Timing(silence=3600.0, latency=0.0)
QUIET = specification_of("s ?go t", "s delta s", "t !x s", "t delta t")


def script(*labels: str) -> Script:
    return Script(map(Label.parse, labels))


ANSWERING = """
import sys
owed = []
for line in sys.stdin:
    word = line.strip()
    if word == "go":
        owed.append("x")
    elif word == "PING":
        if owed:
            print(owed.pop(), flush=True)
        print("PONG", flush=True)
"""


def test_a_probe_proves_silence_and_what_comes_before_its_answer_is_an_output():
    system = Process(program(ANSWERING)).proving_by("PING=PONG")
    result = run(Plan(QUIET, script("delta", "?go", "delta", "delta")), system, plays=3, steps=4, timing=HOURS)
    labels = [str(event) for event in result.trace.events if event.play == 1]
    assert result.verdict.name == "pass"
    assert labels == ["reset", "delta", "?go", "!x", "delta"]


def test_a_probe_that_is_never_answered_proves_nothing():
    system = Process(program("import sys\nfor line in sys.stdin: pass"), patience=0.2).proving_by("PING=PONG")
    result = run(Plan(QUIET, script("delta")), system, plays=1, steps=1, timing=Timing(0.3, 0.0))
    times = [event.seen for event in result.trace.events if event.kind == "silence"]
    assert times[0] - result.trace.events[0].seen >= 0.3


def test_a_probe_is_a_message_and_its_answer():
    with pytest.raises(UsageError, match="--probe PING: write MESSAGE=ANSWER"):
        process_from_text("cat", ready=None, reset=None, probe="PING", table=None, read_table=dict)


class Plain:
    """Its outputs are the results of its calls."""

    def go(self) -> None: ...


class Proving:
    """Says by itself that nothing more comes."""

    def __init__(self, emit) -> None:
        self.emit, self.proofs = emit, 0

    async def go(self) -> None: ...

    async def quiet(self) -> bool:
        self.proofs += 1
        if self.proofs == 2:
            self.emit("x")
        return True


@pytest.mark.parametrize("made", [Plain, Proving])
def test_calls_that_have_ended_and_objects_that_say_so_are_quiet(made):
    result = run(Plan(QUIET, script("delta", "?go", "delta")), PythonObject(made), plays=2, steps=3, timing=HOURS)
    assert result.verdict.name == "pass"
    assert ("!x" in map(str, result.trace.events)) == (made is Proving), "what came before the proof was no silence"


def test_an_owed_answer_that_never_comes_fails_at_once():
    owed = specification_of("s ?go t", "t !x s")
    assert run(Plan(owed, script("?go")), PythonObject(Plain), plays=1, timing=HOURS).verdict.name == "fail"


class Busy:
    """Leaves a thread behind, which may still fail."""

    def go(self) -> None:
        threading.Thread(target=threading.Event().wait, args=(0.2,), daemon=True).start()


def test_a_thread_that_is_left_is_waited_for():
    system = PythonObject(Busy)
    system.reset()
    assert system.quiet()
    system.give(Label.parse("?go"))
    assert not system.quiet()
    while not system.quiet():
        pass
    system.close()


def test_a_play_that_ends_in_silence_waits_no_more_and_one_that_ends_owing_does():
    quiet = Scripted(synchronous=False)
    run(Plan(QUIET, script("delta")), quiet, plays=1, steps=1, timing=Timing(1.0, 0.25))
    assert quiet.clock.now() == pytest.approx(1.0)
    owed = specification_of("s ?go t", "t !x u", "u !y s", "s delta s")
    slow = Scripted(answers={"go": [(0.3, "x"), (1.1, "y")]})
    events = run(Plan(owed, script("?go")), slow, plays=1, steps=9, timing=Timing(1.0, 0.0)).trace.events
    assert [str(event) for event in events][1:4] == ["?go", "!x", "!y"]
    lost = Scripted(answers={"go": [(0.3, "x")]})
    assert run(Plan(owed, script("?go")), lost, plays=1, steps=9, timing=Timing(1.0, 0.0)).verdict.name == "fail"


class Resting(Scripted):
    """It is called, and says nothing by itself."""

    def rests(self) -> bool:
        return not self._due


class Working(Model):
    """What was submitted is done some time later, which nobody sees."""

    stage: str = "new"

    @controllable(returns=("ok",))
    def submit(self, result):
        if self.stage != "new":
            return False
        self.stage = "running"

    @controllable(returns=("running", "done"))
    def get(self, result):
        return result == self.stage


class Secretly(Working):
    @internal
    def work(self):
        if self.stage != "running":
            return False
        self.stage = "done"


class Promptly(Working):
    @internal(prompt=True)
    def work(self):
        if self.stage != "running":
            return False
        self.stage = "done"


EXPIRING = specification_of("s ?submit t", "t !submit_ok u", "u delta v", "v delta v")
ANSWERED = {"submit": [(0.0, "submit ok")]}


@pytest.mark.parametrize(
    ("spec", "took"), [(Working, 0.1), (Secretly, 1.0), (Promptly, 1.0)], ids=["plain", "hidden", "prompt"]
)
def test_where_nothing_can_be_heard_silence_is_called_early_unless_something_goes_on_meanwhile(spec, took):
    system = Resting(answers=ANSWERED)
    played = Plan(specification(spec), script("?submit", "delta", "delta"))
    events = run(played, system, plays=1, steps=3, timing=Timing(1.0, 0.0)).trace.events
    assert [str(event) for event in events][1:] == ["?submit", "!submit ok", "delta"]
    assert events[-1].seen - events[-2].seen == pytest.approx(took)


def test_silence_that_leads_elsewhere_takes_its_whole_time():
    system = Resting(answers={"submit": [(0.0, "submit_ok")]})
    events = run(
        Plan(EXPIRING, script("?submit", "delta", "delta", "delta")), system, plays=1, steps=4, timing=Timing(1.0, 0.0)
    )
    *_, answer, first, second = events.trace.events
    assert (first.seen - answer.seen, second.seen - first.seen) == (pytest.approx(1.0), pytest.approx(0.1))
