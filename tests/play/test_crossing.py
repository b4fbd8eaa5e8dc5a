"""What crosses on the wire is never a Fail: right systems that speak when they like, on real and virtual pipes."""
# an action that does not return False is enabled

from __future__ import annotations

import inspect
import os
import shlex
import signal
import subprocess
import time
from dataclasses import replace
from random import Random

import pytest

from helpers.automata import random_specification, random_steps, specification_by
from helpers.commands import PROGRAM
from helpers.heard import Heard
from helpers.systems import program
from helpers.traces import arrival
from outplay import Model, controllable, given, observable, run, specification
from outplay.formats.trace_jsonl import read_trace, write_trace
from outplay.game.goals.live_goal import followed_goal
from outplay.model.label import Label
from outplay.play.adapters.process import Process
from outplay.play.plan import Plan, plan
from outplay.play.system import VirtualClock
from outplay.play.timing import Timing
from outplay.play.trace import Event, TraceHeader
from outplay.runs.result import Played
from outplay.tester.tester import Walker
from outplay.verdict.judge import judge, judge_play
from outplay.verdict.verdicts import Fail

SYSTEM = """
import os, random, sys, threading, time

value = 0
lock = threading.Lock()
rng = random.Random(int(sys.argv[1]))

def say(text):
    os.write(1, (text + "\\n").encode())

def speak():
    # The value is said under the lock, so what is said is always right, and it passes inputs on their way.
    global value
    while True:
        time.sleep(rng.choice([0, 0.0001, 0.0005]))
        with lock:
            say(f"now {value}")
            if rng.random() < 0.3:
                value = (value + 1) % 4
                say("step")

threading.Thread(target=speak, daemon=True).start()
while True:
    line = sys.stdin.readline()
    if not line:
        os._exit(0)
    words = line.split()
    with lock:
        if words[0] == "RESET":
            value = 0
            say("OK")
        elif words[0] == "put":
            value = int(words[1])
        elif words[0] == "double":
            value = 2 * value % 4
"""


class Register(Model):
    """A register that says its value and counts on of its own accord, and is written to meanwhile."""

    value: int = 0
    said: bool = False  # it steps only right after it has said its value

    @controllable
    @given(number=(0, 1, 2, 3))
    def put(self, number):
        self.value, self.said = number, False

    @controllable
    def double(self):
        self.value, self.said = 2 * self.value % 4, False

    @observable(optional=True)
    @given(number=lambda self: [self.value])
    def now(self, number):
        self.said = True

    @observable(optional=True)
    def step(self):
        if not self.said:
            return False
        self.value, self.said = (self.value + 1) % 4, False


SPEC = specification(Register)


def fails(plays: int, latency: float) -> int:
    system = Process(program(SYSTEM, "1"), reset_message=("RESET", "OK"))
    timing = Timing(silence=5.0, latency=latency)
    outcome = run(Plan(SPEC, Walker(Random(0))), system, plays=plays, steps=12, keep_going=True, timing=timing)
    assert outcome.verdict.name in ("pass", "fail", *(() if latency else ("error",))), outcome.verdict
    if latency:  # without, what is left of one play may come in the next, which ends the run with an Error
        assert outcome.tally.plays == plays
    plays = outcome.tally.plays
    assert outcome.tally.inputs > plays
    assert outcome.tally.outputs > plays
    verdicts = [judge_play(SPEC, events, latency=latency) for _, events in outcome.trace.plays()]
    return sum(isinstance(verdict, Fail) for verdict in verdicts)


def test_a_right_system_never_fails_in_a_thousand_plays_on_real_pipes():
    assert fails(plays=1_000, latency=2.0) == 0


def test_such_plays_do_fail_where_nothing_is_taken_to_have_crossed():
    assert fails(plays=40, latency=0.0) > 0


LATENCY, SILENCE = 0.2, 1.0


class Wire:
    """A right system behind a slow wire, on a virtual clock: inputs arrive and outputs are seen a while later.

    Both ways together take less than the latency. An input that its state does not specify may do anything to it: here
    it talks nonsense, dies or ignores it.
    """

    synchronous = False

    def __init__(self, spec, rng: Random) -> None:
        self.spec, self.rng, self.clock = spec, rng, VirtualClock()
        self.stops: list[tuple[float, float]] = []

    def stop_tester(self, seconds: float) -> None:
        """Stop all of outplay for a while, its reader too: what comes meanwhile is stamped when it goes on."""
        now = self.clock.now()
        self.clock.sleep(seconds)
        self.stops.append((now, self.clock.now()))

    def reset(self):
        self.state = self.rng.choice(list(self.spec.initial))
        self.coming: list[tuple[float, Label]] = []  # inputs by when they arrive
        self.going: list[tuple[float, Event]] = []  # outputs by when they are seen
        self.dead = False
        self.think(self.clock.now())

    def give(self, label):
        arrival = self.clock.now() + self.rng.uniform(0, LATENCY / 2)
        self.coming.append((max([arrival, *(time for time, _ in self.coming)]), label))

    def observe(self, timeout):
        end = self.clock.now() + timeout
        while not self.going or self.going[0][0] > end:
            if not self.happens_before(end):
                break
        while self.going and self.happens_before(self.going[0][0]):
            pass  # what happens before the next output is seen
        if not self.going or self.going[0][0] > end:
            self.clock.sleep(end - self.clock.now())
            return Event("silence", seen=self.clock.now())
        seen, event = self.going[0]
        if event.kind == "output":
            self.going.pop(0)
        self.clock.sleep(max(seen - self.clock.now(), 0.0))
        stamped = next((end for start, end in self.stops if start < seen < end), seen)
        return Event(event.kind, event.label, seen=stamped)

    def close(self):
        pass

    def happens_before(self, end: float) -> bool:
        """Let the next thing happen, if it does so by then: an input arrives or the system speaks."""
        arrival = self.coming[0][0] if self.coming else float("inf")
        if min(arrival, self.speaks) > end:
            return False
        if arrival <= self.speaks:
            self.arrive(*self.coming.pop(0))
        else:
            label = self.rng.choice(list(self.spec.outputs(self.state)))
            self.send(Event("output", label), self.speaks)
            self.state = self.rng.choice(list(self.spec.after(self.state, label)))
            self.think(self.speaks)
        return True

    def arrive(self, now: float, label: Label) -> None:
        targets = list(self.spec.after(self.state, label))
        if targets:
            self.state = self.rng.choice(targets)
            self.think(now)
        else:
            what = self.rng.choice(["crash", "output", "ignored"])
            if what != "ignored":
                self.send(Event(what, Label.parse("!nonsense") if what == "output" else None), now)

    def send(self, event: Event, now: float) -> None:
        if not self.dead:
            seen = now + self.rng.uniform(0, LATENCY / 2)
            self.going.append((max([seen, *(time for time, _ in self.going)]), event))
        self.dead |= event.kind == "crash"

    def think(self, now: float) -> None:
        mute = not self.spec.outputs(self.state) or (self.spec.quiet(self.state) and self.rng.random() < 0.3)
        self.speaks = float("inf") if mute else now + self.rng.choice([0.0, 0.01, 0.1, 0.3])


def drawn(seed: int):
    """A specification in which silence changes nothing.

    Either it is deterministic or every state takes every input: what one state does not specify, then no state does in
    which the system may be by what was seen, and anything may follow.
    """
    rng, first = Random(seed), ("q0", "?a", "q1")
    how = {"least": 2, "share": (0.2, 0.3), "silence": 0.2, "stays": True}
    if seed % 2:
        return random_specification(rng, first, **how, copies=3, enabled=True)
    _, steps = random_steps(rng, **how)
    return specification_by([first, *(step for step in steps if step[:2] != first[:2])])


def outcome_of(spec, seed: int, latency: float):
    chosen, timing = plan(spec, seed=seed), Timing(SILENCE, latency)
    return run(chosen, Wire(spec, Random(seed)), plays=10, steps=20, timing=timing)


def assert_never_fails(seeds: range) -> None:
    crossed = 0
    for seed in seeds:
        spec = drawn(seed)
        outcome = outcome_of(spec, seed, LATENCY)
        assert outcome.verdict.name in ("pass", "inconclusive"), f"seed {seed}: {outcome.verdict}"
        crossed += outcome_of(spec, seed, 0.0).verdict.name == "fail"
    assert crossed > len(seeds) / 20, "without latency such systems fail, so something crossed"


@pytest.mark.parametrize("block", range(2))
def test_a_right_system_never_fails_whatever_crosses(block):
    """2 × 60 random specifications with 10 plays each, 1,200 plays in all."""
    assert_never_fails(range(block * 60, (block + 1) * 60))


@pytest.mark.long
@pytest.mark.timeout(3_600)
def test_a_right_system_never_fails_whatever_crosses_in_thirty_thousand_plays():
    assert_never_fails(range(1_000, 4_000))


@pytest.mark.long
@pytest.mark.timeout(3_600)
def test_a_right_system_never_fails_in_twenty_thousand_plays_on_real_pipes():
    assert fails(plays=20_000, latency=2.0) == 0


@pytest.mark.long
@pytest.mark.timeout(600)
def test_a_right_system_never_fails_though_the_tester_is_stopped_by_a_signal(tmp_path):
    """Stopped for longer than the latency, which is longer than a busy machine keeps the system from its turn."""
    source = "from outplay import Model, controllable, given, observable\n\n\n" + inspect.getsource(Register)
    (tmp_path / "register.py").write_text(source, encoding="utf-8")
    system = shlex.join(program(SYSTEM, "1"))
    command = ["run", "register.py:Register", "--sut", f"exec:{system}", "--reset", "RESET=OK", "--plays", "10000"]
    options = ["--steps", "30", "--silence", "2", "--latency", "2", "--trace", "trace.jsonl", "--keep-going"]
    with subprocess.Popen(
        [*PROGRAM, *command, *options],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,  # to stop all of it, as a terminal does
    ) as outplay:
        while not (tmp_path / "trace.jsonl").exists():
            time.sleep(0.05)
        rng = Random(1)
        for _ in range(8):
            time.sleep(rng.uniform(0.1, 0.5))
            os.killpg(outplay.pid, signal.SIGSTOP)
            time.sleep(2.5)
            os.killpg(outplay.pid, signal.SIGCONT)
        outplay.send_signal(signal.SIGINT)
    trace = read_trace(tmp_path / "trace.jsonl")
    # After a stop all that may have crossed is followed, which takes a while in which further stops go unnoticed.
    assert "tester-late" in {event.kind for event in trace.events}
    assert not isinstance(judge(SPEC, trace), Fail)
    assert outplay.returncode == 130


@pytest.mark.promise("B3", trials=240)
@pytest.mark.parametrize("block", range(2))
def test_a_right_system_never_fails_though_the_tester_is_stopped_again_and_again(block):
    """While outplay is stopped the system speaks on: all it said is read too late, and that is outplay's own delay."""
    late = hung = 0
    for seed in range(block * 30, (block + 1) * 30):
        spec, rng = drawn(seed), Random(seed)
        system = Wire(spec, Random(seed))

        def watch(event, rng=rng, system=system):
            if rng.random() < 0.15:
                system.stop_tester(rng.choice([0.15, 0.3, 0.6, 1.5]))

        chosen = plan(spec, seed=seed)
        outcome = run(chosen, system, plays=8, steps=15, timing=Timing(SILENCE, LATENCY), observers=[Heard(watch)])
        assert outcome.verdict.name in ("pass", "inconclusive"), f"seed {seed}: {outcome.verdict}"
        late += sum(event.kind == "tester-late" for event in outcome.trace.events)
        without = [event for event in outcome.trace.events if event.kind != "tester-late"]
        hung += isinstance(judge(spec, replace(outcome.trace, events=tuple(without))), Fail)
    assert late > 100
    assert hung > 3, "without knowing of the delays some of these plays would fail"


def stalled_outcome(spec, actual, seed: int, latency: float):
    """A run towards a goal, now and then against a wrong system, with a tester that is late now and then."""
    system, rng = Wire(actual, Random(seed)), Random(seed)
    goals = (rng.choice(["?b", "!y", "delta", "q1"]),)
    chosen = replace(plan(spec, seed=seed), goal=followed_goal(spec, goals)[1], goals=goals)

    def watch(event):
        if rng.random() < 0.1:
            system.clock.sleep(rng.choice([0.05, 0.15, 0.4]))

    header = TraceHeader(goal=goals, options={"latency": latency, "silence": 0.25})
    return run(
        chosen, system, header=header, plays=10, steps=20, timing=Timing(0.25, latency), observers=[Heard(watch)]
    ), chosen


@pytest.mark.parametrize("block", range(4))
def test_following_the_written_trace_gives_what_was_said_live(tmp_path, block):
    """The verdict, those of all plays and when each arrived: 120 specifications, half of them against another one."""
    path, names, kinds = tmp_path / "trace.jsonl", set(), set()
    for seed in range(block * 30, (block + 1) * 30):
        spec = drawn(seed)
        actual = drawn(seed + 1_000) if seed % 2 else spec
        for latency in (0.0, LATENCY / 4, LATENCY):
            outcome, chosen = stalled_outcome(spec, actual, seed, latency)
            write_trace(path, outcome.trace, outcome.verdict)
            trace = read_trace(path)
            assert judge(spec, trace) == outcome.verdict, f"seed {seed}, latency {latency}"
            again = [
                Played(
                    judge_play(spec, events, goal=chosen.goal, latency=latency, silence=trace.header.silence),
                    arrival(spec, events, chosen.goal, latency=latency, silence=trace.header.silence),
                )
                for _, events in trace.plays()
            ]
            assert tuple(again) == outcome.played, f"seed {seed}, latency {latency}"
            names.update(play.verdict.name for play in again)
            kinds.update(event.kind for event in trace.events)
    assert names == {"pass", "fail", "inconclusive"}
    assert kinds >= {"input", "output", "silence", "late", "tester-late", "crash"}


def test_wrong_systems_fail_though_things_cross():
    found = 0
    for seed in range(100):
        spec = drawn(seed)
        wrong = drawn(seed + 1_000)
        outcome = run(spec, Wire(wrong, Random(seed)), plays=10, steps=20, timing=Timing(SILENCE, LATENCY))
        found += outcome.verdict.name == "fail"
    assert found > 50
