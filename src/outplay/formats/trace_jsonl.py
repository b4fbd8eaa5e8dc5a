"""Traces as JSON Lines: a header, one line per event, and a last line with the verdict.

The file is only ever appended to and flushed line by line, so what was written before a kill stays readable: a missing
last line, or half of one, means that the run did not end.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any, TextIO

from outplay.errors import FormatError
from outplay.model.label import Label
from outplay.play.event import KINDS, Event
from outplay.play.trace import Header, Trace
from outplay.verdict.verdicts import Fail, Verdict

FORMAT = "outplay-trace/1"


class TraceWriter:
    """Appends to a trace file as things happen."""

    def __init__(self, stream: TextIO, header: Header) -> None:
        self._stream = stream
        self._put({"format": FORMAT, **asdict(header), "goal": list(header.goal)})

    def event(self, event: Event) -> None:
        """Append one event."""
        self._put(event_json(event))

    def verdict(self, verdict: Verdict) -> None:
        """Append the last line."""
        self._put(verdict_json(verdict))

    def _put(self, value: dict[str, Any]) -> None:
        self._stream.write(json.dumps(value, ensure_ascii=False) + "\n")
        self._stream.flush()


def event_json(event: Event) -> dict[str, Any]:
    """One event as the contract lays it out; details only where there are any."""
    line: dict[str, Any] = {
        "n": event.n,
        "kind": event.kind,
        "label": None if event.label is None else event.label.text,
        "given": _rounded(event.given),
        "seen": _rounded(event.seen),
        "play": event.play,
    }
    if event.detail:
        line["detail"] = event.detail
    if event.failed:
        line["failed"] = True
    return line


def verdict_json(verdict: Verdict) -> dict[str, Any]:
    """A verdict as the last line of a trace."""
    allowed = [label.text for label in verdict.allowed] if isinstance(verdict, Fail) else []
    return {"verdict": verdict.name, "why": verdict.why, "allowed": allowed}


def write_trace(path: Path, trace: Trace, verdict: Verdict | None = None) -> None:
    """Write a whole trace."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8") as stream:
        writer = TraceWriter(stream, trace.header)
        for event in trace.events:
            writer.event(event)
        if verdict:
            writer.verdict(verdict)


def read_trace(path: Path) -> Trace:
    """Read a trace, whole or cut short by a kill."""
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except FileNotFoundError:
        raise FormatError(f"{path}: no such file; a trace is written by `outplay run`") from None
    except (OSError, UnicodeDecodeError) as error:
        raise FormatError(f"{path}: cannot be read as text ({error}); give a .jsonl trace of `outplay run`") from None
    cut = lines.pop()  # empty after a whole last line, half a line after a kill
    if not lines and not cut:
        raise FormatError(f"{path}:1:1: the file is empty; a trace starts with a header line")
    header = _header(path, _object(path, 1, lines[0] if lines else cut))
    events: list[Event] = []
    for number, text in enumerate(lines[1:], 2):
        value = _object(path, number, text)
        if "verdict" in value:
            break
        events.append(_event(path, number, value))
    return Trace(header, tuple(events))


def _object(path: Path, number: int, text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        column = getattr(error, "colno", 1)
        raise FormatError(
            f"{path}:{number}:{column}: no JSON ({getattr(error, 'msg', 'nested too deeply')}); "
            "a trace has one object a line"
        ) from None
    if not isinstance(value, dict):
        raise FormatError(
            f"{path}:{number}:1: a {type(value).__name__} where an object should be; mend or remove the line"
        )
    return value


def _header(path: Path, value: dict[str, Any]) -> Header:
    if value.get("format") != FORMAT:
        raise FormatError(f'{path}:1:1: no trace: the first line must say "format": "{FORMAT}"')
    known = {
        name: value[name] for name in ("model", "model_hash", "sut", "seed", "options", "started") if name in value
    }
    goal = value.get("goal") or []
    goals = (goal,) if isinstance(goal, str) else tuple(map(str, goal)) if isinstance(goal, list) else ()
    if not isinstance(known.get("options", {}), dict):
        raise FormatError(f'{path}:1:1: "options" must be an object; mend the header')
    try:
        header = Header(**known, goal=goals)
        float(header.latency)
    except (TypeError, ValueError) as error:
        raise FormatError(f"{path}:1:1: {error}; mend the header") from None
    return header


def _event(path: Path, number: int, value: dict[str, Any]) -> Event:
    kind = value.get("kind")
    if kind not in KINDS:
        raise FormatError(f"{path}:{number}:1: unknown kind of event {kind!r}; known: {', '.join(KINDS)}")
    try:
        label = Label.parse(value["label"]) if value.get("label") is not None else None
        return Event(
            str(kind),
            label,
            _time(value.get("given")),
            _time(value.get("seen")),
            play=int(value.get("play", 1)),
            n=int(value.get("n", number - 1)),
            detail=str(value.get("detail", "")),
            failed=bool(value.get("failed")),
        )
    except (FormatError, TypeError, ValueError, AttributeError) as error:
        raise FormatError(f"{path}:{number}:1: {error}; mend or remove the line") from None


def _time(value: Any) -> float | None:
    return None if value is None else float(value)


def _rounded(seconds: float | None) -> float | None:
    return None if seconds is None else round(seconds, 6)
