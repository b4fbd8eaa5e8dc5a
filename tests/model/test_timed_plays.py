from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from helpers.lanes import Happened, tracked
from helpers.timed_plays import SCALE, Intervals, Moments, drawn_tables, drawn_timed_play, is_allowed, model_of
from outplay.model.arrivals import Arrivals
from outplay.model.kinds import specification
from outplay.model.programs.timers import TimedSpecification
from outplay.model.specification import Span
from outplay.model.tracking import Tracker

PLAYS, MANY_PLAYS = 30, 5_000


def drawn(seed):
    """Tables, the latency, a play, and the tracker at its beginning."""
    rng = Random(f"timed {seed}")
    tables, latency = drawn_tables(rng), rng.choice([0.0, 0.25, 0.5, 1.0])
    play = drawn_timed_play(rng, tables, latency, most=5)
    return tables, latency, play, Tracker(specification(model_of(tables)), latency=latency).started(0.0), rng


def followed(start: Tracker, happened) -> Tracker:
    """The tracker after a play; one that does not conform is followed in all orders, as a Fail is."""
    for orders in (start, start.exhaustively()):
        tracker = orders
        for move in happened:
            tracker = tracked(tracker, move) if isinstance(move, Happened) else tracker.excused(*move)
        if tracker.conforms or not tracker.reduced:
            return tracker
    return tracker


def check_plays(seeds) -> Counter[tuple[bool, bool]]:
    found = Counter[tuple[bool, bool]]()
    for seed in seeds:
        tables, latency, happened, start, _ = drawn(seed)
        for length in range(1, len(happened) + 1):
            past = happened[:length]
            tracker, about = followed(start, past), f"seed {seed}: {past} with latency {latency}"
            by_moments = is_allowed(Moments(tables, round(latency * SCALE)), past)
            assert tracker.conforms or not by_moments, f"a right system failed, {about}"
            found[by_moments, tracker.conforms] += 1
            if length == len(happened) or not tracker.conforms:
                conforms = tracker.settled(past[-1].time).conforms
                assert conforms == is_allowed(Intervals(tables, round(latency * SCALE)), past), about
                break
    return found


def test_timers_hidden_steps_and_calls_are_followed_as_they_are_defined_however_unsure_their_times():
    found = check_plays(range(PLAYS))
    assert found[False, True] < sum(found.values()) // 5, "intervals allow little that moments do not"
    assert min(found[True, True], found[False, False]) > PLAYS // 2


@pytest.mark.long
@pytest.mark.parametrize("block", range(10))
def test_timers_hidden_steps_and_calls_are_followed_as_they_are_defined_in_thousands_of_plays(block):
    check_plays(range(block * MANY_PLAYS // 10, (block + 1) * MANY_PLAYS // 10))


def exact_start(arrivals, before, place=0):
    """An input starts timers exactly when it was given."""
    way = before.on_the_way[place]
    members = arrivals.moved(before.members, way.label, Span(way.given, way.given, way.given - arrivals.bound))
    return before.without(place, members)


def conforms_without_times(tracker):
    return bool(tracker._followed) and not tracker.untimely


@pytest.mark.parametrize(
    ("where", "name", "slip", "seed"),
    [
        (TimedSpecification, "outputs", lambda spec, state: spec._spec.outputs(state.situation), 1361),
        (TimedSpecification, "is_overdue", lambda spec, state, span: False, 31),
        (Arrivals, "arrived", exact_start, 17),
        (Tracker, "conforms", property(conforms_without_times), 457),
        (Arrivals, "_in_time", lambda arrivals, members, span: members, 156),
    ],
)
def test_a_slip_in_timing_would_be_noticed(monkeypatch, where, name, slip, seed):
    check_plays(range(seed, seed + 1))
    monkeypatch.setattr(where, name, slip)
    with pytest.raises((AssertionError, IndexError)):
        check_plays(range(seed, seed + 1))


def stalled(happened, now: float, lag: float):
    """The same play seen by a tester that saw nothing for a while before now."""
    seen = [move for move in happened if move.given or not now - lag < move.time <= now]
    waited = [Happened(move.label, now, move.channel) for move in happened if move not in seen]
    before = [move for move in seen if move.time <= now]
    return [*before, (lag, now), *waited, *(move for move in seen if move.time > now)]


def test_a_delay_of_the_tester_fails_no_right_system_and_mends_no_wrong_one():
    found = Counter[str]()
    for seed in range(250):
        tables, latency, happened, start, rng = drawn(seed)
        happened = happened[: rng.randint(1, len(happened))]
        now, lag = rng.choice(happened).time, rng.choice([0.3, 0.6, 1.1])
        if any(move.given and now - lag < move.time <= now for move in happened):
            continue  # a tester that is late gives nothing
        right = followed(start, happened).conforms
        late = followed(
            start, [*(m for m in happened if m.time <= now), (lag, now), *(m for m in happened if m.time > now)]
        )
        about = f"seed {seed}: {happened} with latency {latency}, {lag} late at {now}"
        assert late.unexcused.conforms <= right, f"a delay has mended this, {about}"
        assert late.conforms >= right, about
        found["mended"] += late.conforms and not right
        if right and is_allowed(Moments(tables, round(latency * SCALE)), happened):
            seen = followed(start, stalled(happened, now, lag))
            assert seen.conforms, f"a right system failed, {about}"
            found["excused"] += not seen.unexcused.conforms
            found["right"] += 1
    assert found["mended"] > 2
    assert found["excused"] > 5
    assert found["right"] > 20
