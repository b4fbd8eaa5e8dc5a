"""Failing plays are made short: by definition, against the shortest play that search through model and mutant finds."""

from __future__ import annotations

import json
import statistics
import time
from dataclasses import dataclass
from pathlib import Path
from random import Random

import pytest

from helpers.automata import random_automaton, specification_of
from helpers.mutants import KINDS, mutant, shortest_failure, transitions
from helpers.places import EXAMPLES
from helpers.systems import Scripted, program
from outplay import Label, Simulated, run
from outplay.cli.main import run_command
from outplay.errors import SystemUnready
from outplay.formats.trace_jsonl import read_trace
from outplay.model.programs.hidden_knowledge import knowledge_of_tester
from outplay.model.programs.hidden_steps import InterleavedSpecification
from outplay.model.suspension import SuspensionAutomaton
from outplay.play.adapters.process import Process
from outplay.play.plan import Plan, plan
from outplay.play.timing import Timing
from outplay.play.trace import TraceHeader
from outplay.runs.failing.attempts import count_steps
from outplay.runs.failing.shrinking import shrink
from outplay.runs.failing.shrunk import Shrunk
from outplay.runs.job import Job
from outplay.runs.preparing.loaded_model import load_model
from outplay.tester.script import Script
from outplay.verdict.judge import judge

TIMING = Timing(1.0, 0.0)
MODELS = (
    "chat/model.py:Chat",
    "vending/vending.aut",
    "bag/model.py:Bag",
    "tcp/model.py:Tcp",
    "printer/printer.aut",
    "mp3/mp3.aut",
    "drawn at random",
)


@dataclass(frozen=True)
class Sample:
    """A failure of a mutant, made short."""

    model: str
    what: str
    shrunk: Shrunk
    shortest: int
    seconds: float

    @property
    def ratio(self) -> float:
        return count_steps(self.shrunk.trace.events) / self.shortest


def specifications() -> dict[str, object]:
    """What a tester can know of each model, so that a fault is one of what it sees."""
    loaded = {name: load_model(Job(str(EXAMPLES / name))).specification() for name in MODELS[:-1]}
    return {
        name: knowledge_of_tester(spec) if isinstance(spec, InterleavedSpecification) else spec
        for name, spec in loaded.items()
    }


def failure(number: int, known):
    """The first failure that a walk finds in mutants of a model: the model, the mutant and the outcome."""
    rng, model = Random(f"mutant {number}"), MODELS[number % len(MODELS)]
    for attempt in range(100):
        drawn = random_automaton(f"{number} {attempt}", least=4, most=10, share=0.4)
        spec = known.get(model) or SuspensionAutomaton(drawn)
        kind = KINDS[(number // len(MODELS) + attempt // 25) % len(KINDS)]
        steps = transitions(spec, 300)
        wrong = mutant(spec, rng, kind, steps) if steps else None
        if wrong is not None:
            found = run(plan(spec, seed=number), Simulated(wrong, Random(number)), plays=30)
            if found.verdict.name == "fail":
                return model, spec, wrong, found
    raise AssertionError(f"no walk finds a mutant of {model}")


def sample(number: int, known) -> Sample:
    model, spec, wrong, found = failure(number, known)
    began = time.perf_counter()
    made = shrink(spec, found.failure(), Simulated(wrong, Random(number + 1)), timing=TIMING, seconds=3.0)
    seconds = time.perf_counter() - began
    assert judge(spec, made.trace).name == "fail"
    assert count_steps(made.trace.events) <= made.before
    shortest = shortest_failure(spec, wrong)
    assert shortest is not None
    assert count_steps(made.trace.events) >= shortest, "the search would be wrong"
    return Sample(model, str(wrong), made, shortest, seconds)


def figures(samples: list[Sample]) -> dict[str, object]:
    return {
        "failures": len(samples),
        "models": len({sample.model for sample in samples}),
        "within 1.5 times the shortest": sum(sample.ratio <= 1.5 for sample in samples) / len(samples),
        "the shortest": sum(sample.ratio == 1.0 for sample in samples) / len(samples),
        "before shrinking": sum(s.shrunk.before <= 1.5 * s.shortest for s in samples) / len(samples),
        "worst": max(sample.ratio for sample in samples),
        "median seconds": round(statistics.median(sample.seconds for sample in samples), 3),
    }


def checked(samples: list[Sample]) -> None:
    found = figures(samples)
    print(json.dumps(found))
    long = [f"{s.ratio:.1f} {s.model} {s.what}" for s in samples if s.ratio > 1.5]
    assert found["within 1.5 times the shortest"] >= 0.95, long
    assert found["before shrinking"] < 0.6, "walks are short already: nothing was tested"


@pytest.mark.promise("A7")
@pytest.mark.timeout(1200)  # half a minute on a machine that does nothing else
def test_the_trace_shown_is_at_most_one_and_a_half_times_the_shortest(tried):
    known = specifications()
    samples = [sample(number, known) for number in range(2 * len(MODELS))]
    tried(len(samples), sum(sample.ratio > 1.5 for sample in samples))
    checked(samples)


@pytest.mark.promise("A7")
@pytest.mark.long
@pytest.mark.timeout(3600)
def test_the_trace_shown_is_short_in_five_hundred_failures(request, tried):
    known = specifications()
    samples = [sample(number, known) for number in range(504)]
    tried(len(samples), sum(sample.ratio > 1.5 for sample in samples))
    written = Path(request.config.rootpath) / ".outplay" / "figures" / "shrinking.json"
    written.parent.mkdir(parents=True, exist_ok=True)
    written.write_text(json.dumps(figures(samples), indent=1) + "\n", encoding="utf-8")
    checked(samples)
    assert statistics.median(sample.seconds for sample in samples) < 2.0


SPEC = ("s ?a t", "s ?b s", "t !x s", "t ?b u", "u !y s")
WRONG = ("s ?a t", "s ?b s", "t !x s", "t ?b u", "u !z s")


def found_in(wrong, seed=3):
    spec = specification_of(*SPEC)
    for one in range(seed, seed + 20):
        found = run(plan(spec, seed=one), Simulated(wrong, Random(one)), plays=20, steps=60)
        if found.verdict.name == "fail" and len(found.failure().events) > 8:
            return spec, found.failure()
    raise AssertionError("no long failing play was found")


def test_what_is_not_needed_is_left_out_and_the_rate_is_counted():
    wrong = specification_of(*WRONG)
    spec, failure = found_in(wrong)
    made = shrink(spec, failure, Simulated(wrong, Random(1)), timing=TIMING, seconds=3.0)
    assert [str(event) for event in made.trace.events] == ["reset", "?a", "?b", "!z"]
    assert count_steps(made.trace.events) == 3 < made.before == sum(event.is_move for event in failure.events)
    assert 0 < made.rate.fails <= made.rate.tries == 10
    assert str(made) == f"shrunk from {made.before} steps, fails in {made.rate.fails} of 10 tries"


def test_the_same_play_is_shrunk_alike():
    wrong = specification_of(*WRONG)
    spec, failure = found_in(wrong)
    made = [shrink(spec, failure, Simulated(wrong, Random(1)), timing=TIMING, seconds=1.0) for _ in range(2)]
    assert made[0] == made[1]


def test_a_play_that_does_not_fail_again_is_shown_as_it_was():
    spec, failure = found_in(specification_of(*WRONG))
    made = shrink(spec, failure, Simulated(spec, Random(1)), timing=TIMING, seconds=1.0)
    assert (made.trace, made.rate.fails, made.rate.tries, made.shorter) == (failure, 0, 10, False)
    assert str(made) == f"nothing shorter found in {made.searched} plays, fails in 0 of 10 tries"


def test_a_play_that_conforms_is_not_shrunk():
    spec, failure = found_in(specification_of(*WRONG))
    anything = specification_of(*SPEC, *WRONG)
    assert shrink(anything, failure, Simulated(spec, Random(1)), timing=TIMING, seconds=1.0) is None


def test_a_fail_of_another_kind_does_not_count():
    spec, failure = found_in(specification_of(*WRONG))
    dead = Scripted(says=[(0.0, "crash")])
    made = shrink(spec, failure, dead, timing=TIMING, seconds=1.0)
    assert (made.trace, made.rate.fails) == (failure, 0)
    assert dead.closed == 1


class Broken(Scripted):
    """A system that works for some plays, and then raises."""

    def __init__(self, error: BaseException, plays: int) -> None:
        super().__init__()
        self._error, self._plays = error, plays

    def reset(self) -> None:
        super().reset()
        if self.resets > self._plays:
            raise self._error


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (SystemUnready("no power"), "no power"),
        (RuntimeError("oops"), "outplay failed: RuntimeError: oops"),
        (KeyboardInterrupt(), "interrupted"),
    ],
    ids=str,
)
@pytest.mark.parametrize("plays", [0, 2])
def test_what_goes_wrong_on_the_way_ends_the_shrinking_and_nothing_else(error, told, plays):
    spec, failure = found_in(specification_of(*WRONG))
    system = Broken(error, plays)
    made = shrink(spec, failure, system, timing=TIMING, seconds=1.0)
    assert (made.trace, made.trouble) == (failure, told)
    assert (system.resets, system.closed) == (plays + 1, 1)


COUNTING = """
import sys
seen = 0
for line in sys.stdin:
    if line.strip() == "a":
        seen += 1
        print("x" if seen % 3 else "z", flush=True)
"""


@pytest.mark.long  # a process with a count is shrunk by the commands below, too
def test_a_process_that_fails_by_a_state_of_its_own_is_shrunk_to_what_it_needs():
    """The third request fails, however it is reached; the model knows nothing of a count."""
    spec, timing = specification_of("s ?a t", "s ?b s", "t !x s"), Timing(0.6, 0.05)
    found = run(plan(spec, seed=4), Process(program(COUNTING)), timing=timing, plays=10)
    assert found.verdict.name == "fail"
    made = shrink(spec, found.failure(), Process(program(COUNTING)), timing=timing, seconds=20.0)
    assert [str(event) for event in made.trace.events if event.is_move] == ["?a", "!x", "?a", "!x", "?a", "!z"]
    assert made.rate.fails > made.rate.tries / 2  # a busy machine may keep tester and process from their turns


LAMP = 'des (0, 3, 2)\n(0, "?press", 1)\n(1, "!light", 0)\n(0, "?dust", 0)\n'
SMOKE = """
import sys
pressed = 0
for line in sys.stdin:
    pressed += line.strip() == "press"
    if line.strip() == "press":
        print("light" if pressed < 3 else "smoke", flush=True)
"""


@pytest.fixture
def lamp() -> list[str]:
    Path("lamp.aut").write_text(LAMP, encoding="utf-8")
    return ["--sut", f"exec:{' '.join(program(SMOKE))}", "--silence", "0.3"]


def test_the_commands_show_and_keep_the_short_play_and_keep_the_long_one(lamp, capsys):
    assert run_command(["run", "lamp.aut", *lamp, "--shrink", "5"]) == 1
    shown = capsys.readouterr().out
    assert "shrunk from" in shown
    [short] = [path for path in Path(".outplay/last/failures").iterdir() if ".long" not in path.name]
    short = short.resolve()
    long = short.with_suffix(".long.jsonl")
    assert len(read_trace(short).events) == 7 < len(read_trace(long).events)
    assert "shrunk from" in Path(".outplay/last/report.html").read_text(encoding="utf-8")
    for path in (short, long):
        assert run_command(["judge", "lamp.aut", str(path)]) == 1
    assert run_command(["replay", str(short), *lamp[:2], "--tries", "2"]) == 1
    capsys.readouterr()
    assert run_command(["replay", str(long), *lamp[:2], "--tries", "2", "--shrink", "5", "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert told["shrunk"]["to"] == 6 < told["shrunk"]["from"]
    assert Path(told["trace"]).name == short.name


def test_shrinking_can_be_turned_off(lamp, capsys):
    assert run_command(["run", "lamp.aut", *lamp, "--shrink", "0", "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert "shrunk" not in told
    assert [path.name for path in Path(".outplay/last/failures").iterdir()] == [Path(told["trace"]).name]


def test_the_end_of_a_system_is_no_step_when_they_are_told():
    spec = specification_of("s ?a s", "s ?b s")
    walk = Plan(spec, Script(map(Label.parse, ("?a", "?a", "?b"))))
    outcome = run(walk, Scripted(answers={"b": [(0.1, "closed")]}), plays=1, shrink=1.0, timing=TIMING)
    assert outcome.trace.events[-1].kind == "closed"
    assert outcome.shrunk.before == outcome.tally.steps == 3
    assert outcome.shrunk.json()["to"] == 1


class Remembering(Scripted):
    """A system that says what the model forbids in one play and never again, as a server that keeps state."""

    fails_in = 1

    def reset(self) -> None:
        self._says = ((0.1, "y"),) if self.resets == self.fails_in - 1 else ()
        super().reset()


class RememberingOnePlay(Remembering):
    fails_in = 2

    def reset(self) -> None:
        self._answers = {"a": [(0.1, "x")]}
        super().reset()


@pytest.mark.parametrize(
    ("system", "sut", "job", "hinted"),
    [
        (Remembering, "tcp:localhost:7000", {}, "start each play afresh with --reset MESSAGE=ANSWER"),
        (Remembering, "tcp:localhost:7000", {"reset": "RESET=OK"}, "the message of --reset may leave some state"),
        (Remembering, "exec:./server", {"reset": "RESET=OK"}, "the message of --reset may leave some state"),
        (Remembering, "exec:./server", {}, ""),
        (RememberingOnePlay, "http://localhost:7000", {}, "needs a [[reset]] that clears all of it"),
        (RememberingOnePlay, "http://localhost:7000", {"server_per_play": True}, ""),
        (Remembering, "http://localhost:7000", {}, ""),
        (Scripted, "tcp:localhost:7000", {}, ""),
        (Scripted, "tcp:localhost:7000", {"reset": "RESET=OK"}, ""),
    ],
)
def test_a_server_that_never_fails_again_may_keep_state_and_the_cure_is_told(system, sut, job, hinted):
    spec = specification_of("s ?a t", "t !x s")
    header = TraceHeader(sut=sut, job=job, options={"silence": 1.0, "latency": 0.0})
    outcome = run(spec, system([(0.1, "y")]), header=header, plays=3, shrink=1.0, timing=TIMING)
    assert (outcome.verdict.name, outcome.shrunk.rate.fails > 0) == ("fail", system is Scripted)
    told = "\n".join(outcome.lines())
    assert hinted in told
    assert ("state" in told.split(" tries")[1].splitlines()[0]) == bool(hinted)
