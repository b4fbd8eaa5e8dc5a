"""A history: calls of several clients at once, as they were recorded from outside.

Each call has its question and, where it is known, its answer, and their places in time. A call that was answered took
effect at one moment in between; one without an answer did so at any later moment, or never. A call that is known to
have failed without an effect is no part of a history.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from outplay.errors import FormatError
from outplay.model.label import Label

OUTCOMES = ("invoke", "ok", "fail", "info")


@dataclass(frozen=True)
class HistoryEvent:
    """One line of a recording: a question (`invoke`), its answer (`ok`), or that there is none to be had."""

    kind: str
    client: str
    label: Label | None
    line: int
    time: float | None = None


@dataclass(frozen=True)
class RecordedCall:
    """A call of a client. Places in time are whole numbers; calls overlap unless one ends before the other begins."""

    client: str
    question: Label
    asked: int
    line: int
    answer: Label | None = None
    answered: int | None = None
    answer_line: int = 0


@dataclass(frozen=True)
class History:
    """Calls in the order of their questions, and the name of what they were read from."""

    calls: tuple[RecordedCall, ...]
    name: str = "history"


def history_of_events(events: Iterable[HistoryEvent], name: str = "history") -> History:
    """Make a history of its events: pair the question and answer of each call; a client has one call open at a time."""
    calls: list[RecordedCall | None] = []
    open_calls: dict[str, int] = {}
    for place, event in enumerate(_in_time(list(events))):
        if event.kind == "invoke":
            _refuse_second(event, calls, open_calls, name)
            open_calls[event.client] = len(calls)
            assert event.label is not None
            calls.append(RecordedCall(event.client, event.label, 2 * place, event.line))
            continue
        if event.client not in open_calls:
            raise FormatError(
                f"{name}:{event.line}:1: client {event.client} has no open call; write its invoke line before"
            )
        number = open_calls.pop(event.client)
        call = calls[number]
        if event.kind == "fail":
            calls[number] = None
        elif event.kind == "ok" and call is not None:
            calls[number] = replace(call, answer=event.label, answered=2 * place, answer_line=event.line)
    return History(tuple(call for call in calls if call is not None), name)


def _in_time(events: list[HistoryEvent]) -> list[HistoryEvent]:
    """By their times where each has one, those of one time as they were recorded; else all as they were recorded."""
    if any(event.time is None for event in events):
        return events
    return sorted(events, key=lambda event: event.time or 0.0)


def _refuse_second(
    event: HistoryEvent, calls: list[RecordedCall | None], open_calls: dict[str, int], name: str
) -> None:
    known = calls[open_calls[event.client]] if event.client in open_calls else None
    if known is not None:
        raise FormatError(
            f"{name}:{event.line}:1: client {event.client} asks while its call of line {known.line} is open; "
            "write an info line where nobody knows how that ended"
        )
