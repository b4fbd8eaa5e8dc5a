"""What holds of judging whatever the events are: it is total and pure, and a Fail stays a Fail."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from helpers.automata import random_steps, specification_by
from outplay.model.label import Label
from outplay.play.trace import KINDS, Event, Trace, TraceHeader
from outplay.verdict.judge import judge, takes_back_label
from outplay.verdict.verdicts import Error, Fail, Inconclusive, Pass

LABELS = [Label.parse(text) for text in ("?a", "?b", "!x", "!y", "delta", "tau", "!z 1", "?a 2")]
TIMES = [None, 0.0, -1.0, 0.05, 0.1, 0.5, 1.0, 1e9, -1e9]


def specified(rng: Random):
    """A random specification, one state of which is the goal."""
    _, steps = random_steps(rng, most=4, share=(0.3, 0.5), silence=0.3, enabled=True)
    return specification_by(steps, goal=[steps[0][0]])


def random_event(rng: Random, n: int, play: int) -> Event:
    return Event(
        rng.choice(KINDS),
        rng.choice([None, *LABELS]),
        rng.choice(TIMES),
        rng.choice(TIMES),
        play=play,
        n=n,
        detail=rng.choice(["", "some detail"]),
        failed=rng.random() < 0.1,
    )


def likely_event(rng: Random, n: int, play: int) -> Event:
    """An event as runs record them, so that plays get further than their first move."""
    kind = rng.choice(["input"] * 4 + ["output"] * 4 + ["silence", "late", "tester-late", "note"])
    directions = {"input": "?", "output": "!", "late": "!"}
    label = next((label for label in rng.sample(LABELS, len(LABELS)) if label.kind == directions.get(kind)), None)
    time = n * rng.choice([0.01, 0.1])
    return Event(
        kind, label, time if kind == "input" else time - 0.05, None if kind == "input" else time, play=play, n=n
    )


def random_trace(rng: Random, spec) -> Trace:
    play, events, make = 1, [], rng.choice([random_event, likely_event, likely_event])
    for n in range(1, rng.randint(1, 12)):
        play += rng.random() < 0.15
        events.append(make(rng, n, play))
    goal = rng.choice([(), (), ("goal",), ("!x",), ("goal", "?b")])
    return Trace(TraceHeader(goal=goal, options={"latency": rng.choice([0.0, 0.1, 1.0])}), tuple(events))


def last_play_continued(rng: Random, trace: Trace) -> Trace:
    last = trace.events[-1]
    added = (replace(random_event(rng, last.n + k, last.play), kind=_no_reset(rng)) for k in range(1, 6))
    return replace(trace, events=(*trace.events, *added))


def _no_reset(rng: Random) -> str:
    return rng.choice([kind for kind in KINDS if kind != "reset"])


@pytest.mark.parametrize("block", range(6))
def test_judging_always_ends_in_a_verdict_the_same_one_twice_and_changes_nothing(block):
    kinds = set()
    for seed in range(block * 500, (block + 1) * 500):
        rng = Random(seed)
        spec = specified(rng)
        trace = random_trace(rng, spec)
        before = (trace.header, tuple(trace.events), repr(trace))
        verdict = judge(spec, trace)
        assert isinstance(verdict, Pass | Fail | Inconclusive | Error), f"seed {seed}"
        assert judge(spec, trace) == verdict, f"seed {seed}"
        assert (trace.header, tuple(trace.events), repr(trace)) == before
        kinds.add(type(verdict))
    assert kinds == {Pass, Fail, Inconclusive, Error}


@pytest.mark.parametrize("block", range(6))
def test_a_fail_stays_the_same_fail_whatever_happens_after_it_unless_a_note_takes_its_output_back(block):
    fails = 0
    for seed in range(block * 500, (block + 1) * 500):
        rng = Random(seed)
        spec = specified(rng)
        trace = random_trace(rng, spec)
        verdict = judge(spec, trace)
        if isinstance(verdict, Fail):
            fails += 1
            longer = last_play_continued(rng, trace)
            new = longer.events[len(trace.events) :]
            same = [event for event in new if event.play == verdict.event.play]
            back = any(takes_back_label(event) and event.label == verdict.event.label for event in same)
            found = judge(spec, longer)
            assert isinstance(found, Error) if back else found == verdict, f"seed {seed}"
    assert fails > 50


@pytest.mark.parametrize("block", range(4))
def test_a_pass_has_no_prefix_that_fails(block):
    passes = 0
    for seed in range(block * 500, (block + 1) * 500):
        rng = Random(seed)
        spec = specified(rng)
        trace = replace(random_trace(rng, spec), header=TraceHeader(options={"latency": rng.choice([0.0, 0.1])}))
        if isinstance(judge(spec, trace), Pass):
            passes += 1
            for length in range(1, len(trace.events)):
                prefix = judge(spec, replace(trace, events=trace.events[:length]))
                # An input may be outside the specification until an output turns up that came before it.
                assert isinstance(prefix, Pass | Inconclusive), f"seed {seed}"
    assert passes > 20


@pytest.mark.parametrize("block", range(4))
def test_more_latency_never_makes_a_fail_of_a_pass(block):
    right = 0
    for seed in range(block * 500, (block + 1) * 500):
        rng = Random(seed)
        spec = specified(rng)
        trace = random_trace(rng, spec)
        strict = judge(spec, replace(trace, header=TraceHeader()))
        lenient = judge(spec, replace(trace, header=TraceHeader(options={"latency": 0.5})))
        if not isinstance(strict, Fail):
            assert not isinstance(lenient, Fail), f"seed {seed}"
            right += 1
    assert right > 100


LATER = {Pass: (Pass, Inconclusive), Fail: (Fail, Inconclusive), Inconclusive: (Inconclusive,)}


@pytest.mark.promise("B3", trials=1000)
@pytest.mark.parametrize("block", range(3))
def test_a_delay_of_the_tester_makes_nothing_but_inconclusive_of_a_verdict(block):
    """Above all no Pass of a Fail: the trace as it stands is one of its readings."""
    changed = set()
    for seed in range(block * 1000, (block + 1) * 1000):
        rng = Random(seed)
        spec = specified(rng)
        events = [replace(likely_event(rng, n, 1), n=n) for n in range(1, rng.randint(3, 12))]
        plain = [Event("reset", seen=0.0, play=1), *(event for event in events if event.kind != "tester-late")]
        header = TraceHeader(options={"latency": rng.choice([0.0, 0.05, 0.1]), "silence": rng.choice([0.0, 0.1, 0.3])})
        delayed = list(plain)
        for _ in range(rng.randint(1, 3)):
            at = rng.randint(0, len(delayed))
            now = delayed[at - 1].time if at else 0.0
            delayed.insert(at, Event("tester-late", given=now, seen=now + rng.choice([0.05, 0.5]), play=1))
        without, late = (judge(spec, Trace(header, tuple(made))) for made in (plain, delayed))
        assert type(late) in LATER[type(without)], f"seed {seed}: {without} becomes {late}"
        changed.add((type(without), type(late)))
    assert changed >= {(Pass, Pass), (Pass, Inconclusive), (Fail, Fail), (Fail, Inconclusive)}
