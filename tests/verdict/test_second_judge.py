"""Two judges that share no code agree: outplay's, and one written from the contract that tries all orders."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import replace
from random import Random

import pytest

from helpers.automata import random_steps
from helpers.contract_judge import ContractJudge, events_of, random_play, worst
from outplay import automaton, specification
from outplay.play.trace import Event, Trace, TraceHeader
from outplay.verdict.judge import judge

MANY = int(os.environ.get("OUTPLAY_TRACES", 100_000))  # traces judged by `make test-long`
BLOCKS = 20
LATENCY = 0.1003  # of which no difference between stamps is an exact multiple, so that rounding decides nothing
KINDS = [
    {"enabled": True, "silence": 0.3, "copies": 2, "internal": 0.3},
    {"enabled": False, "silence": 0.2, "copies": 2, "internal": 0.2},
    {"enabled": False, "silence": 0.0, "copies": 1},
]


def judged(seeds: range, latency: float = LATENCY) -> Counter[str]:
    """Judge a trace for each seed twice; count the verdicts, and those on which the judges differ."""
    found: Counter[str] = Counter()
    for seed in seeds:
        rng = Random(f"second judge {seed}")
        names, steps = random_steps(rng, least=2, most=4, share=(0.3, 0.5), **rng.choice(KINDS))
        plays = [random_play(rng, names, steps, LATENCY) for _ in range(rng.choice([1, 1, 1, 2, 3]))]
        goal = rng.choice([None, None, "!x", "?b"])
        second = ContractJudge(names, steps, LATENCY)
        expected = worst((second.play(play, goal) for play in plays), goal)
        events = tuple(event for number, play in enumerate(plays, 1) for event in events_of(play, number))
        header = TraceHeader(goal=(goal,) if goal else (), options={"latency": latency, "silence": 0.5})
        trace, spec = Trace(header, events), specification(automaton(steps, states=names, name="drawn"))
        verdict = judge(spec, trace).name
        found[verdict] += 1
        if verdict != expected:
            assert latency != LATENCY, f"seed {seed}: {verdict}, but by the contract {expected}: {plays} on {steps}"
            found["differs"] += 1
        found["crossed"] += verdict == "pass" != judge(spec, replace(trace, header=replace(header, options={}))).name
        late = judge(spec, replace(trace, events=_delayed(rng, events))).name
        assert late in (verdict, "inconclusive"), f"seed {seed}: by a delay {verdict} becomes {late}"
    return found


def _delayed(rng: Random, events: tuple[Event, ...]) -> tuple[Event, ...]:
    """The same trace with a delay of the tester in it somewhere."""
    at = rng.randint(1, len(events))
    before = events[at - 1]
    lag = Event("tester-late", given=before.time, seen=before.time + rng.choice([0.05, 0.4]), play=before.play)
    return (*events[:at], lag, *events[at:])


@pytest.mark.promise("A8", trials=1_000)
def test_the_judges_agree():
    found = judged(range(1_000))
    assert min(found[name] for name in ("pass", "fail", "inconclusive")) > 100, found
    assert found["crossed"] > 10, "without latency these would fail"


def test_a_judge_for_whom_nothing_crosses_is_found():
    assert judged(range(300), latency=0.0)["differs"] > 2


@pytest.mark.promise("A8", trials=MANY // BLOCKS)
@pytest.mark.long
@pytest.mark.timeout(3_600)
@pytest.mark.parametrize("block", range(BLOCKS))
def test_the_judges_agree_on_a_hundred_thousand_traces(block):
    size = MANY // BLOCKS
    found = judged(range(1_000_000 + block * size, 1_000_000 + (block + 1) * size))
    assert sum(found[name] for name in ("pass", "fail", "inconclusive")) == size


@pytest.mark.parametrize(("seen", "expected"), [(1.1875, "pass"), (1.25, "fail")])
def test_what_comes_just_as_the_latency_ends_came_after_the_input(seen, expected):
    """Stamps that floats hold exactly: the output was sent before the input, or it was forbidden."""
    names, steps = ["s", "t"], [("s", "?a", "t"), ("s", "!x", "s"), ("t", "!y", "s"), ("t", "delta", "t")]
    play = [("in", "?a", 1.0), ("out", "!x", seen)]
    header = TraceHeader(options={"latency": 0.25, "silence": 0.5})
    verdict = judge(specification(automaton(steps, states=names)), Trace(header, tuple(events_of(play, 1)))).name
    assert verdict == expected == worst([ContractJudge(names, steps, 0.25).play(play, None)], None)
