"""Traces as JSON Lines: a header, one line per event, and a last line with the verdict.

The file is only ever appended to and flushed line by line, so what was written before a kill stays readable: a missing
last line, or half of one, means that the run did not end.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any, TextIO

from outplay.errors import FormatError, did_you_mean
from outplay.formats.json_places import locate, second_key
from outplay.model.label import INPUT, OUTPUT, Label
from outplay.play.event import KINDS, Event
from outplay.play.trace import Header, Trace
from outplay.verdict.verdicts import Error, Fail, Inconclusive, Pass, Verdict

FORMAT = "outplay-trace/1"
VERDICTS = tuple(kind.name for kind in (Pass, Fail, Inconclusive, Error))


class TraceWriter:
    """Appends to a trace file as things happen."""

    def __init__(self, stream: TextIO, header: Header) -> None:
        self._stream = stream
        told = {"format": FORMAT, **asdict(header), "goal": list(header.goal)}
        self._put(told if header.job else {name: value for name, value in told.items() if name != "job"})

    def event(self, event: Event) -> None:
        """Append one event."""
        self._put(event_json(event))

    def verdict(self, verdict: Verdict) -> None:
        """Append the last line."""
        self._put(verdict_json(verdict))

    def _put(self, value: dict[str, Any]) -> None:
        line = json.dumps(value, ensure_ascii=False)
        # Half a surrogate pair, out of somebody's error message, has no UTF-8: its escape is JSON again.
        self._stream.write(line.encode("utf-8", "backslashreplace").decode() + "\n")
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
    if event.traceback:
        line["traceback"] = event.traceback
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
        *lines, cut = path.read_bytes().split(b"\n")
    except FileNotFoundError:
        raise FormatError(f"{path}: no such file; a trace is written by `outplay run`") from None
    except OSError as error:
        raise FormatError(f"{path}: {error.strerror}; give a readable .jsonl trace of `outplay run`") from None
    if cut and (not lines or _is_whole(cut)):
        lines.append(cut)
    if not lines:
        raise FormatError(f"{path}:1:1: the file is empty; a trace starts with a header line")
    header, events, ended, number = Header(), list[Event](), False, 0
    try:
        for number, line in enumerate(lines, 1):
            if ended:
                raise _Wrong("something follows the verdict, which is the last line; remove it")
            value = _object(line)
            if number == 1:
                header = _header(value)
            elif "verdict" in value:
                ended = _verdict(value)
            else:
                events.append(_event(value, number))
    except _Wrong as error:
        column = locate(lines[number - 1].decode(), error.field)[1] if error.field else error.column
        raise FormatError(f"{path}:{number}:{column}: {error}") from None
    return Trace(header, tuple(events))


class _Wrong(Exception):
    """What is wrong in a line, and in which field or from which column on."""

    def __init__(self, what: str, *field: str, column: int = 1) -> None:
        super().__init__(what)
        self.field, self.column = field, column


def _is_whole(line: bytes) -> bool:
    """Say whether a last line without an end lacks nothing but that; otherwise a kill cut it short."""
    try:
        json.loads(line.decode())
    except (ValueError, RecursionError):
        return False
    return True


def _object(line: bytes) -> dict[str, Any]:
    try:
        text = line.decode()
        value = json.loads(text, parse_constant=_no_constant, object_pairs_hook=_unique)
    except UnicodeDecodeError as error:
        raise _Wrong("not UTF-8; save the trace as UTF-8", column=error.start + 1) from None
    except json.JSONDecodeError as error:
        raise _Wrong(f"no JSON ({error.msg}); a trace has one object a line", column=error.colno) from None
    except _Twice:
        key, place = second_key(text)
        raise _Wrong(f"key {key!r} twice in one object; keep one", column=place + 1) from None
    except ValueError as error:
        raise _Wrong(f"{error}; mend or remove the line") from None
    except RecursionError:
        raise _Wrong("nested too deeply; a trace has one flat object a line") from None
    if not isinstance(value, dict):
        raise _Wrong(f"{_shown(value)} where an object should be; mend or remove the line")
    return value


class _Twice(Exception):
    """A key stands twice in one object."""


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        raise _Twice
    return made


def _no_constant(word: str) -> Any:
    raise ValueError(f"{word} is no number a trace can hold")


def _header(value: dict[str, Any]) -> Header:
    if value.get("format") != FORMAT:
        raise _Wrong(f'no trace: the first line must say "format": "{FORMAT}"')
    _refuse_unknown(value, _HEADER)
    goal = value.get("goal") or []
    options = _get(value, "options", dict, {})
    for name in ("latency", "silence"):
        if (_time(options, name, "options") or 0.0) < 0:
            raise _Wrong(f'"{name}" is {options[name]} and cannot be less than 0', "options", name)
    return Header(
        **{name: _get(value, name, str, "") for name in ("model", "model_hash", "sut", "started")},
        goal=_texts([goal] if isinstance(goal, str) else goal, "goal"),
        seed=_get(value, "seed", int, 0),
        options={**options, "set": list(_texts(options["set"], "options", "set"))} if "set" in options else options,
        job=_get(value, "job", dict, {}),
    )


def _verdict(value: dict[str, Any]) -> bool:
    """Check the last line; what it says is found again by judging."""
    _refuse_unknown(value, ("verdict", "why", "allowed"))
    if value["verdict"] not in VERDICTS:
        raise _Wrong(f"{_shown(value['verdict'])} is no verdict; known: {', '.join(VERDICTS)}", "verdict")
    return True


def _event(value: dict[str, Any], number: int) -> Event:
    kind = value.get("kind")
    if kind not in KINDS:
        raise _Wrong(f"unknown kind of event {_shown(kind)}; known: {', '.join(KINDS)}", "kind")
    _refuse_unknown(value, _EVENT)
    return Event(
        kind,
        _label(kind, _get(value, "label", str, None)),
        _time(value, "given"),
        _time(value, "seen"),
        play=_get(value, "play", int, 1),
        n=_get(value, "n", int, number - 1),
        detail=_get(value, "detail", str, ""),
        failed=_get(value, "failed", bool, False),
        traceback=_get(value, "traceback", str, ""),
    )


def _label(kind: str, text: str | None) -> Label | None:
    wanted = _DIRECTIONS.get(kind)
    if text is None and wanted:
        raise _Wrong(f'an event of kind {kind!r} needs a "label", such as {wanted}x', "label")
    if text is None:
        return None
    try:
        label = Label.parse(text)
        label.text.encode()
    except (FormatError, ValueError) as error:
        raise _Wrong(f"{error}; mend or remove the line", "label") from None
    if wanted and label.kind != wanted:
        raise _Wrong(f"{_shown(text)} is no label of an event of kind {kind!r}, which starts with {wanted}", "label")
    return label


_DIRECTIONS = {"input": INPUT, "output": OUTPUT, "late": OUTPUT}
_HEADER = ("format", *(field.name for field in fields(Header)))
_EVENT = tuple(field.name for field in fields(Event))
_NAMES = {str: "a text", int: "a whole number", bool: "true or false", dict: "an object"}


def _get(value: dict[str, Any], name: str, kind: type, default: Any) -> Any:
    """Look up a field; one that is missing or null has the default."""
    found = value.get(name)
    if found is None:
        return default
    if not isinstance(found, kind) or (kind is int and isinstance(found, bool)):
        raise _Wrong(f'"{name}" is {_shown(found)} and should be {_NAMES[kind]}', name)
    return found


def _refuse_unknown(value: dict[str, Any], known: Sequence[str]) -> None:
    for name in value:
        if name not in known:
            raise _Wrong(f"unknown field {name!r}; {did_you_mean(name, known)}", name)


def _texts(found: Any, *field: str) -> tuple[str, ...]:
    if not isinstance(found, list) or not all(isinstance(text, str) for text in found):
        raise _Wrong(f'"{field[-1]}" is {_shown(found)} and should be a list of texts', *field)
    return tuple(found)


def _time(value: dict[str, Any], name: str, *outer: str) -> float | None:
    found = value.get(name)
    if found is None:
        return None
    if isinstance(found, bool) or not isinstance(found, int | float) or not abs(found) < _LONGEST:
        raise _Wrong(f'"{name}" is {_shown(found)} and should be a number of seconds', *outer, name)
    return float(found)


_LONGEST = 1e15  # seconds; beyond that microseconds are lost


def _shown(found: Any) -> str:
    if isinstance(found, list | dict):
        return "a list" if isinstance(found, list) else "an object"
    text = json.dumps(found, ensure_ascii=False)
    return text if len(text) <= 40 else f"{text[:40]}…"


def _rounded(seconds: float | None) -> float | None:
    return None if seconds is None else round(seconds, 6)
