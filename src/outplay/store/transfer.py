"""Runs carried from one store to another: one JSON line for each run, with all that is kept of it.

The first line is `{"format": "outplay-runs/1"}`. A run that the other store has, by its id, is left as it is there.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from outplay.errors import FormatError
from outplay.formats.common.json_document import (
    InvalidDocument,
    decode_json,
    mistyped,
    placed_error,
    refuse_unknown_fields,
)
from outplay.formats.common.source import LARGEST, Source, read_source_bytes
from outplay.plurals import counted
from outplay.store.database import Database
from outplay.store.stored_run import keep_seen_item

FORMAT = "outplay-runs/1"
_RUN = {
    **dict.fromkeys(("id", "started", "model", "model_hash", "sut"), (str,)),
    **dict.fromkeys(("ended", "verdict", "why"), (str, type(None))),
    **dict.fromkeys(("plays", "steps"), (int,)),
    **dict.fromkeys(("header", "environment"), (dict,)),
    "result": (dict, type(None)),
}
_TEXTS = ("header", "environment", "result")  # JSON inside the store
_PLAY: tuple[tuple[type, ...], ...] = ((int,), (int,), (str,), (str,), (str,), (int,), (int, type(None)), (int, float))
_FAILURE: tuple[tuple[type, ...], ...] = ((int,), (int,), (dict,), (list,))
_SEEN: tuple[tuple[type, ...], ...] = ((str,), (str,), (int,))
_LISTS = {"played": _PLAY, "failures": _FAILURE, "seen": _SEEN}


@dataclass(frozen=True)
class Imported:
    """The ids of runs that were taken over, and of those that were known."""

    new: tuple[str, ...]
    known: tuple[str, ...]

    def json(self) -> dict[str, Any]:
        return {"new": list(self.new), "known": list(self.known)}

    def lines(self) -> list[str]:
        known = f"; {counted(len(self.known), 'run')} known already" if self.known else ""
        return [f"{counted(len(self.new), 'run')} imported{known}"]


def exported_lines(database: Database, ids: Sequence[str] = ()) -> Iterator[str]:
    """Export the runs of these ids, or all, from a store as JSON lines."""
    yield _line({"format": FORMAT})
    for run in database.rows("SELECT * FROM run ORDER BY started, number"):
        if not ids or run["id"] in ids:
            yield _line(_entry(database, run))


def _entry(database: Database, run: sqlite3.Row) -> dict[str, Any]:
    number = (run["number"],)
    plays = "SELECT number, part, test, verdict, why, steps, moves, time FROM play WHERE run = ? ORDER BY number, part"
    failures = "SELECT play, short, verdict, events FROM failure WHERE run = ? ORDER BY play, short"
    seen = (
        "SELECT state, label, play FROM seen JOIN item ON item.number = item WHERE run = ? ORDER BY play, state, label"
    )
    entry = {name: run[name] for name in _RUN}
    entry |= {name: json.loads(entry[name]) if entry[name] is not None else None for name in _TEXTS}
    failed = [[*row[:2], json.loads(row[2]), json.loads(row[3])] for row in map(tuple, database.rows(failures, number))]
    lists = {"played": [*map(list, database.rows(plays, number))], "failures": failed}
    return {**entry, **lists, "seen": [*map(list, database.rows(seen, number))]}


def import_runs(path: Path, store: Path, *, largest: int = LARGEST) -> Imported:
    """Import the runs of an export into a store; all of them, or none where the file has a mistake."""
    missing = "check the path, or make it by `outplay runs export -o FILE`"
    lines = read_source_bytes(path, largest=largest, missing=missing).split(b"\n")
    entries = [_read(path, number, line) for number, line in enumerate(lines, 1) if line.strip()]
    if not entries or entries[0] is not None:
        raise FormatError(f'{path}:1:1: no export of runs: the first line must say "format": "{FORMAT}"')
    new, known = list[str](), list[str]()
    with closing(Database(store)) as database, database.change(durable=True) as to:
        for entry in entries[1:]:
            assert entry is not None
            (new if _insert(to, entry) else known).append(entry["id"])
    return Imported(tuple(new), tuple(known))


def _read(path: Path, number: int, line: bytes) -> dict[str, Any] | None:
    """An entry; the first line is none."""
    try:
        source = Source(str(path), line.decode(), number)
    except UnicodeDecodeError as error:
        raise FormatError(f"{path}:{number}:{error.start + 1}: not UTF-8; export the runs again") from None
    value = decode_json(source)
    try:
        if number == 1:
            if value != {"format": FORMAT}:
                raise InvalidDocument(f'no export of runs: the first line must say "format": "{FORMAT}"')
            return None
        if not isinstance(value, dict):
            raise InvalidDocument("a run is an object; mend or remove the line")
        return _checked(value)
    except InvalidDocument as error:
        raise placed_error(source, error) from None


def _checked(entry: dict[str, Any]) -> dict[str, Any]:
    refuse_unknown_fields(entry, (*_RUN, *_LISTS))
    for name, kinds in _RUN.items():
        _typed(name, entry.get(name), kinds)
    for name, kinds_of_row in _LISTS.items():
        rows = entry.get(name)
        _typed(name, rows, (list,))
        for place, row in enumerate(rows or ()):
            if not isinstance(row, list) or len(row) != len(kinds_of_row):
                raise InvalidDocument(
                    f"a list of {len(kinds_of_row)} values should be here; export the runs again", name, place
                )
            for value, kinds in zip(row, kinds_of_row, strict=True):
                _typed(name, value, kinds)
    for _, _, verdict, events in entry["failures"]:
        whole = isinstance(verdict.get("why"), str) and isinstance(verdict.get("allowed"), list)
        if not whole or not all(isinstance(event, dict) and {"kind", "label"} <= {*event} for event in events):
            raise InvalidDocument(
                "a failure has a verdict and events as a trace has them; export the runs again", "failures"
            )
    return entry


def _typed(name: str, value: Any, kinds: tuple[type, ...]) -> None:
    if type(value) not in kinds or (isinstance(value, int) and abs(value) >= 2**63):
        raise mistyped(name, value, " or ".join("null" if kind is type(None) else kind.__name__ for kind in kinds))


def _insert(to: sqlite3.Connection, entry: dict[str, Any]) -> bool:
    """Insert a run with all that belongs to it, unless there is one of its id."""
    values = {name: entry[name] for name in _RUN}
    values |= {name: None if values[name] is None else _line(values[name]).strip() for name in _TEXTS}
    columns, marks = ", ".join(values), ", ".join("?" * len(values))
    made = to.execute(f"INSERT OR IGNORE INTO run ({columns}) VALUES ({marks})", [*values.values()])
    if not made.rowcount:
        return False
    run = made.lastrowid
    to.executemany(
        "INSERT OR IGNORE INTO play VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", [(run, *row) for row in entry["played"]]
    )
    failed = [(run, play, short, _line(verdict), _line(events)) for play, short, verdict, events in entry["failures"]]
    to.executemany("INSERT OR IGNORE INTO failure VALUES (?, ?, ?, ?, ?)", failed)
    for state, label, play in entry["seen"]:
        keep_seen_item(to, run, play, entry["model_hash"], state, label)
    return True


def _line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "backslashreplace").decode() + "\n"
