"""Histories as JSON Lines: a header, then one line per event of a call, or one line per call with its interval.

`{"type": "invoke", "client": "a", "label": "?cas 1 2"}` asks, and `ok`, `fail` or `info` with the same client ends that
call: with its answer, without an effect, or with no knowledge of it. `{"client", "label", "answer", "start", "end"}` is
a whole call; without answer and end nobody knows how it ended.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from outplay.errors import FormatError
from outplay.formats.common.json_document import (
    InvalidDocument,
    clipped,
    mistyped,
    placed_error,
    refuse_unknown_fields,
    typed_field,
)
from outplay.formats.common.json_lines import json_line_objects, read_label_field, read_seconds_field, whole_json_lines
from outplay.formats.common.source import LARGEST, read_source_pieces
from outplay.model.label import INPUT, OUTPUT
from outplay.play.history import OUTCOMES, History, HistoryEvent, RecordedCall, history_of_events

FORMAT = "outplay-history/1"
_EVENT = ("type", "client", "label", "time")
_INTERVAL = ("client", "label", "answer", "start", "end")
_HEAD = 200  # characters, enough for a header
Interval = tuple[float, float | None, RecordedCall]


def is_history(path: Path) -> bool:
    """Say whether a file begins as a history of calls does; what cannot be read is none."""
    try:
        head = next(iter(read_source_pieces(path)), "")[:_HEAD]
    except FormatError:
        return False
    return FORMAT in head.split("\n", 1)[0]


def read_history(path: str | Path, *, largest: int = LARGEST) -> History:
    """Read a history of calls from JSON Lines, whole or cut short by a kill."""
    path = Path(path)
    lines = whole_json_lines(path, largest=largest, missing="check the path", what="a history")
    events: list[HistoryEvent] = []
    intervals: list[Interval] = []
    for number, (source, value) in enumerate(json_line_objects(path, lines, "the history"), 1):
        try:
            if number == 1:
                _check_header(value)
            elif "type" in value or not ("start" in value or intervals):
                events.append(_event(value, number))
            else:
                intervals.append(_interval(value, number))
            if events and intervals:
                raise InvalidDocument(
                    "a history has a line per event, with a type, or per call, with a start: write all alike"
                )
        except InvalidDocument as error:
            raise placed_error(source, error) from None
    return _laid_out(intervals, str(path)) if intervals else history_of_events(events, str(path))


def _check_header(value: dict[str, Any]) -> None:
    if value.get("format") != FORMAT:
        raise InvalidDocument(f'no history: the first line must say "format": "{FORMAT}"')
    refuse_unknown_fields(value, ("format",))


def _event(value: dict[str, Any], line: int) -> HistoryEvent:
    refuse_unknown_fields(value, _EVENT)
    kind, text = value.get("type"), typed_field(value, "label", str, None)
    if kind not in OUTCOMES:
        raise InvalidDocument(f"unknown type of event {clipped(kind)}; known: {', '.join(OUTCOMES)}", "type")
    wanted = INPUT if kind == "invoke" else OUTPUT
    if text is None and kind in ("invoke", "ok"):
        raise InvalidDocument(f'an event of type {kind!r} needs a "label", such as {wanted}get 1', "label")
    label = None if text is None else read_label_field(text, wanted, f"an event of type {kind!r}")
    return HistoryEvent(kind, _client(value), label, line, read_seconds_field(value, "time"))


def _interval(value: dict[str, Any], line: int) -> Interval:
    """A call as one line; its places in time are found when all are known."""
    refuse_unknown_fields(value, _INTERVAL)
    asked, answered = typed_field(value, "label", str, None), typed_field(value, "answer", str, None)
    start, end = read_seconds_field(value, "start"), read_seconds_field(value, "end")
    if asked is None or start is None:
        raise InvalidDocument('a call needs a "label", such as ?get 1, and a "start" in seconds')
    if (answered is None) != (end is None):
        raise InvalidDocument('a call has both an "answer" and an "end", or neither where nobody knows how it ended')
    if end is not None and end < start:
        raise InvalidDocument(f"the call ends at {end:g}, before it starts at {start:g}; mend its times", "end")
    question = read_label_field(asked, INPUT, "a question")
    answer = None if answered is None else read_label_field(answered, OUTPUT, "an answer", "answer")
    return start, end, RecordedCall(_client(value), question, 0, line, answer, None, line)


def _laid_out(intervals: Sequence[Interval], name: str) -> History:
    """Calls in the order of their starts; one that starts when another ends overlaps with it."""
    times = sorted({time for start, end, _ in intervals for time in (start, end) if time is not None})
    place = {time: 2 * number for number, time in enumerate(times)}
    calls = [
        RecordedCall(
            call.client,
            call.question,
            place[start],
            call.line,
            call.answer,
            None if end is None else place[end] + 1,
            call.line,
        )
        for start, end, call in intervals
    ]
    return History(tuple(sorted(calls, key=lambda call: call.asked)), name)


def _client(value: dict[str, Any]) -> str:
    client = value.get("client")
    if isinstance(client, bool) or not isinstance(client, str | int) or client == "":
        raise mistyped("client", client, "a text or a whole number")
    if not str(client).isprintable():
        raise InvalidDocument(f"client {clipped(client)} is no name that can be shown; rename it", "client")
    return str(client)
