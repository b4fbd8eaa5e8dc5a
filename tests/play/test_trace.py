from __future__ import annotations

from outplay.model.label import Label
from outplay.play.trace import Event, Trace, TraceHeader


def events(*what: tuple[str, int]) -> tuple[Event, ...]:
    return tuple(Event(kind, play=play, n=n) for n, (kind, play) in enumerate(what, 1))


def shape(trace: Trace) -> list[tuple[int, list[str]]]:
    return [(number, [event.kind for event in played]) for number, played in trace.plays()]


def test_plays_are_told_apart_by_number():
    trace = Trace(events=events(("input", 1), ("silence", 1), ("silence", 2)))
    assert shape(trace) == [(1, ["input", "silence"]), (2, ["silence"])]


def test_a_log_without_numbers_is_cut_at_its_resets():
    trace = Trace(events=events(("reset", 1), ("silence", 1), ("reset", 1), ("input", 1)))
    assert shape(trace) == [(1, ["reset", "silence"]), (1, ["reset", "input"])]


def test_a_trace_without_events_has_no_plays():
    assert list(Trace().plays()) == []


def test_one_play_is_cut_out_and_numbered_anew():
    trace = Trace(TraceHeader(seed=7), events(("reset", 1), ("silence", 1), ("reset", 2), ("input", 2), ("silence", 2)))
    alone = trace.play(2, until=4)
    assert alone.header.seed == 7
    assert [(event.kind, event.play, event.n) for event in alone.events] == [("reset", 1, 1), ("input", 1, 2)]
    assert len(trace.play(2).events) == 3


def test_the_play_around_an_event_is_found_in_a_log_without_numbers():
    trace = Trace(events=events(("reset", 1), ("silence", 1), ("reset", 1), ("input", 1), ("reset", 1)))
    assert [event.kind for event in trace.play(1, until=4).events] == ["reset", "input"]


def test_the_latency_is_that_of_the_options():
    assert TraceHeader(options={"latency": 0.25}).latency == 0.25
    assert TraceHeader().latency == 0.0
    assert TraceHeader(options={"latency": None}).latency == 0.0


def test_an_event_has_the_time_it_was_given_or_seen():
    assert Event("input", given=1.5).time == 1.5
    assert Event("output", seen=2.5).time == 2.5
    assert Event("note").time == 0.0


def test_an_event_reads_as_people_write_it():
    assert str(Event("input", Label.parse("?a 1"))) == "?a 1"
    assert str(Event("late", Label.parse("!x"))) == "!x (late)"
    assert str(Event("silence")) == "delta"
    assert str(Event("crash", detail="exit status 3")) == "crash: exit status 3"
