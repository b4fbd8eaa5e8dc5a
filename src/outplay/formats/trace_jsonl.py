"""Traces as JSON Lines: a header, one line per event, and a last line with the verdict.

The file is only ever appended to and flushed line by line, so what was written before a kill stays readable: a missing
last line, or half of one, means that the run did not end.
"""

from __future__ import annotations

import json
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import Any, TextIO

from outplay.formats.common.json_document import (
    InvalidDocument,
    clipped,
    placed_error,
    refuse_unknown_fields,
    texts_field,
    typed_field,
    within_place,
)
from outplay.formats.common.json_lines import json_line_objects, read_label_field, read_seconds_field, whole_json_lines
from outplay.formats.common.source import LARGEST
from outplay.formats.common.writing import write_whole
from outplay.model.label import INPUT, OUTPUT, Label
from outplay.play.trace import KINDS, Event, Trace, TraceHeader
from outplay.verdict.verdicts import Error, Fail, Inconclusive, Pass, Verdict

FORMAT = "outplay-trace/2"
OLDER = "outplay-trace/1"  # in which `taken` was the time of handing over, which proves nothing
VERDICTS = tuple(kind.name for kind in (Pass, Fail, Inconclusive, Error))


class TraceWriter:
    """Appends to a trace file as things happen; without a header where it has one already."""

    def __init__(self, stream: TextIO, header: TraceHeader | None) -> None:
        self._stream = stream
        if header is not None:
            self._put(trace_header_json(header))

    def event(self, event: Event) -> None:
        """Append one event."""
        self._put(event_json(event))

    def verdict(self, verdict: Verdict) -> None:
        """Append the last line."""
        self._put(verdict_json(verdict))

    def _put(self, value: dict[str, Any]) -> None:
        self._stream.write(_line(value))
        self._stream.flush()


def _line(value: dict[str, Any]) -> str:
    line = json.dumps(value, ensure_ascii=False)
    # Half a surrogate pair, out of somebody's error message, has no UTF-8: its escape is JSON again.
    return line.encode("utf-8", "backslashreplace").decode() + "\n"


def trace_header_json(header: TraceHeader) -> dict[str, Any]:
    """Write the header of a trace as JSON, its first line; a job only where there is one."""
    written = {"format": FORMAT, **asdict(header), "goal": list(header.goal)}
    return written if header.job else {name: value for name, value in written.items() if name != "job"}


def event_json(event: Event) -> dict[str, Any]:
    """Write one event of a trace as JSON, as the contract lays it out; details only where there are any."""
    line: dict[str, Any] = {
        "n": event.n,
        "kind": event.kind,
        "label": None if event.label is None else event.label.text,
        "channel": event.channel,
        "given": _rounded(event.given),
        "taken": _rounded(event.taken),
        "seen": _rounded(event.seen),
        "play": event.play,
    }
    if event.detail:
        line["detail"] = event.detail
    if event.failed:
        line["failed"] = True
    if event.traceback:
        line["traceback"] = event.traceback
    if event.words:
        line["words"] = event.words
    return line


def verdict_json(verdict: Verdict) -> dict[str, Any]:
    """Write a verdict as JSON, the last line of a trace."""
    allowed = [label.text for label in verdict.allowed] if isinstance(verdict, Fail) else []
    return {"verdict": verdict.name, "why": verdict.why, "allowed": allowed}


def write_trace(path: Path, trace: Trace, verdict: Verdict | None = None) -> None:
    """Write a whole trace to a JSON Lines file."""
    last = [verdict_json(verdict)] if verdict else []
    lines = [trace_header_json(trace.header), *map(event_json, trace.events), *last]
    write_whole(path, map(_line, lines), folders=True)


def read_trace(path: Path, *, largest: int = LARGEST) -> Trace:
    """Read a trace from a JSON Lines file, whole or cut short by a kill."""
    missing = "check the path, or make it by `outplay run`, which writes .outplay/last/trace.jsonl"
    lines = whole_json_lines(path, largest=largest, missing=missing, what="a trace")
    header, events, ended, older = TraceHeader(), list[Event](), False, False
    for number, (source, value) in enumerate(json_line_objects(path, lines, "the trace"), 1):
        try:
            if ended:
                raise InvalidDocument("something follows the verdict, which is the last line; remove it")
            if number == 1:
                header, older = read_trace_header(value), value["format"] == OLDER
            elif "verdict" in value:
                ended = _verdict(value)
            else:
                event = read_event(value, number)
                events.append(replace(event, taken=None) if older else event)
        except InvalidDocument as error:
            raise placed_error(source, error) from None
    return Trace(header, tuple(events), cut=not ended)


def read_trace_header(value: dict[str, Any]) -> TraceHeader:
    """Read the header of a trace as `trace_header_json` has written it."""
    if value.get("format") not in (FORMAT, OLDER):
        raise InvalidDocument(f'no trace: the first line must say "format": "{FORMAT}"')
    refuse_unknown_fields(value, _HEADER)
    goal = value.get("goal") or []
    options = typed_field(value, "options", dict, {})
    with within_place("options"):
        for name in ("latency", "silence"):
            if (read_seconds_field(options, name) or 0.0) < 0:
                raise InvalidDocument(f"{name} is {options[name]} and cannot be less than 0", name)
        if "set" in options:
            options = {**options, "set": list(texts_field(options["set"], "set"))}
    return TraceHeader(
        **{name: typed_field(value, name, str, "") for name in ("model", "model_hash", "sut", "started")},
        goal=texts_field([goal] if isinstance(goal, str) else goal, "goal"),
        seed=typed_field(value, "seed", int, 0),
        options=options,
        job=typed_field(value, "job", dict, {}),
    )


def _verdict(value: dict[str, Any]) -> bool:
    """Check the last line; what it says is found again by judging."""
    refuse_unknown_fields(value, ("verdict", "why", "allowed"))
    if value["verdict"] not in VERDICTS:
        raise InvalidDocument(f"{clipped(value['verdict'])} is no verdict; known: {', '.join(VERDICTS)}", "verdict")
    return True


def read_event(value: dict[str, Any], number: int) -> Event:
    """Read an event of a trace as `event_json` has written it, in the line of this number."""
    kind = value.get("kind")
    if kind not in KINDS:
        raise InvalidDocument(f"unknown kind of event {clipped(kind)}; known: {', '.join(KINDS)}", "kind")
    refuse_unknown_fields(value, _EVENT)
    return Event(
        kind,
        _label(kind, typed_field(value, "label", str, None)),
        read_seconds_field(value, "given"),
        read_seconds_field(value, "seen"),
        play=typed_field(value, "play", int, 1),
        n=typed_field(value, "n", int, number - 1),
        detail=typed_field(value, "detail", str, ""),
        failed=typed_field(value, "failed", bool, False),
        traceback=typed_field(value, "traceback", str, ""),
        words=typed_field(value, "words", str, ""),
        taken=read_seconds_field(value, "taken"),
        channel=typed_field(value, "channel", str, None),
    )


def _label(kind: str, text: str | None) -> Label | None:
    wanted = _DIRECTIONS.get(kind)
    if text is None and wanted:
        raise InvalidDocument(f'an event of kind {kind!r} needs a "label", such as {wanted}x', "label")
    return None if text is None else read_label_field(text, wanted, f"an event of kind {kind!r}")


_DIRECTIONS = {"input": INPUT, "output": OUTPUT, "late": OUTPUT}
_HEADER = ("format", *(field.name for field in fields(TraceHeader)))
_EVENT = tuple(field.name for field in fields(Event))


def _rounded(seconds: float | None) -> float | None:
    return None if seconds is None else round(seconds, 6)
