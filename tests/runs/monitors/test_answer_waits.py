"""Times proposed by how long answers took: the waits by definition, and the risk by sampling."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest

from outplay.play.timing import Timing
from outplay.play.trace import Event
from outplay.runs.monitors.answer_waits import AnswerWaits

TIMES: dict[str, Callable[[Random], float]] = {
    "even": lambda random: random.random(),
    "mostly fast": lambda random: random.expovariate(50),
    "heavy tail": lambda random: 0.001 * random.paretovariate(0.7),
    "two sorts": lambda random: 0.9 if random.random() < 0.02 else 0.01 * random.random(),
    "all alike": lambda _: 0.25,
}


def waits_of(*times: float, silence: float = 1.0) -> AnswerWaits:
    waits, now = AnswerWaits(silence), 0.0
    for time in times:
        waits.take(Event("input", given=now))
        waits.take(Event("output", seen=now + time))
        now += time + 0.5
    return waits


@pytest.mark.parametrize("kind", TIMES)
@pytest.mark.parametrize("answers", [1, 4, 19, 60])
def test_the_next_answer_is_slower_than_all_seen_no_more_often_than_the_risk_says(kind: str, answers: int):
    random, slower, samples = Random(f"{kind} {answers}"), 0, 1500
    for _ in range(samples):
        *seen, coming = (round(TIMES[kind](random), 6) for _ in range(answers + 1))
        waits = waits_of(*seen)
        slower += coming > waits.slowest + 1e-5
    risk = waits_of(*[0.1] * answers).risk
    assert slower / samples <= risk + 4 * (risk * (1 - risk) / samples) ** 0.5
    if kind == "even":  # where no two are alike the bound is sharp
        assert slower / samples >= risk - 4 * (risk * (1 - risk) / samples) ** 0.5


def test_waits_equal_those_by_definition_on_random_plays():
    """Of an output: since the last input on its channel that no output has answered, else since the last event."""
    random = Random(3)
    for _ in range(400):
        events, now = list[Event](), 0.0
        for n in range(random.randrange(1, 14)):
            now += random.choice((0.01, 0.1, 0.7))
            kinds = ("input", "output", "silence")
            kind = random.choice(kinds)
            if kind == "output" and events and events[-1].kind in ("silence", "late"):
                kind = "late"
            channel = random.choice((None, "a")) if kind != "silence" else None
            stamp = {"given": now} if kind == "input" else {"seen": now}
            events.append(Event(kind, n=n, channel=channel, **stamp))
        expected = []
        for place, event in enumerate(events):
            if event.kind != "output" or not place:
                continue
            since = events[place - 1].time
            for before in reversed(events[:place]):
                ends = before.kind == "silence" or (before.kind == "output" and before.channel == event.channel)
                if ends:
                    break
                if before.kind == "input" and before.channel == event.channel:
                    since = before.time
                    break
            expected.append(event.time - since)
        waits = AnswerWaits()
        for event in events:
            waits.take(event)
        assert waits.answers == len(expected)
        assert waits.slowest == pytest.approx(max(expected, default=0.0), abs=1e-5)
        assert waits.late == sum(event.kind == "late" for event in events)


def test_the_proposal_outlasts_twice_the_slowest_and_what_the_machine_can_measure():
    random = Random(5)
    for _ in range(300):
        slowest, lateness = 10 ** random.uniform(-5, 1), 10 ** random.uniform(-5, -1)
        given = Timing(silence=10.0, latency=10 ** random.uniform(-3, 0.5))
        waits = waits_of(slowest, slowest / 3)
        found = waits.proposed(given, lateness)
        assert found.silence >= max(2 * waits.slowest, 0.1, 20 * lateness, found.latency)
        assert found.silence <= 1.2 * max(2 * waits.slowest, 0.1, 20 * lateness, found.latency)
        assert found.latency <= given.latency
        assert found.latency_bounded == (2 * waits.slowest <= given.latency)
        assert found.latency == given.latency or found.latency >= max(2 * waits.slowest, lateness)
        assert found.risk == pytest.approx(1 / 3)
    assert waits_of(0.01).proposed(Timing(), 0.0, synchronous=True).latency == 0.0


def test_a_line_after_the_run_only_where_much_is_saved_or_little_is_left():
    many = waits_of(*[0.012] * 30)
    assert many.hint(Timing(silence=1.0), 0.0001) is None  # nothing to save
    many.silences = 50
    told = many.hint(Timing(silence=1.0, latency=0.05), 0.0001)
    assert told == (
        "the slowest answer took 12 ms of the 1000 it may take; "
        "--silence 0.1 --confirm 1 would make such a run about 45 s shorter (outplay calibrate)"
    )
    assert many.hint(Timing(silence=0.25), 0.0001) is None  # not three times as long
    few = waits_of(*[0.012] * 5)
    few.silences = 50
    assert few.hint(Timing(silence=1.0), 0.0001) is None  # too few to go by
    risky = waits_of(0.6).hint(Timing(silence=1.0), 0.0001)
    assert risky is not None
    assert "the slowest answer took 600 ms of the 1000 it may take: little is left" in risky
    assert "--silence 1.2 " in risky
    assert waits_of(0.6).hint(Timing(silence=0.2, confirm=4.0), 0.0001) is None  # slower ones are still waited for
    assert "--confirm 1.2 " in (waits_of(0.6).hint(Timing(silence=0.2, confirm=1.0), 0.0001) or "")
    assert AnswerWaits().hint(Timing(), 0.0) is None


def test_a_silence_counts_as_waited_for_only_where_it_was_waited_for_in_full():
    waits = AnswerWaits(0.5)
    for event in (
        Event("input", given=1.0),
        Event("silence", seen=1.5),
        Event("input", given=2.0),
        Event("silence", seen=2.01),  # proven
    ):
        waits.take(event)
    assert waits.silences == 1
