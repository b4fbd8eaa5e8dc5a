"""A run that is kept in the store: each play is committed before anybody else learns that it ended.

The observer goes first, so that what the run has told, a display has shown or a log has written is in the store by
then. The result is added at the end, when the failing play was made short and secrets were left out.
"""

from __future__ import annotations

import json
import os
import platform
import sqlite3
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from outplay import __version__
from outplay.cancellation import CancelToken
from outplay.errors import FormatError
from outplay.formats.trace_jsonl import event_json, read_event, trace_header_json, verdict_json
from outplay.play.trace import Trace, TraceHeader
from outplay.redaction import Redact, redacted, redaction
from outplay.runs.events import (
    CoverageChanged,
    FailureFound,
    Observer,
    PlayEnded,
    PlayStarted,
    RunEvent,
    RunStarted,
)
from outplay.runs.failing.failures_first import MOST_KEPT, failure_labels
from outplay.runs.preparing.planning import Prepared
from outplay.runs.recorded_play import CutRun
from outplay.runs.recorded_run import recorded_run
from outplay.runs.recording import trace_header_of
from outplay.runs.result import RunResult
from outplay.runs.run import Run
from outplay.runs.run_folders import FOLDER, KEPT, new_run_name
from outplay.runs.secrets import event_without_secrets, redaction_of
from outplay.store.database import Database
from outplay.store.kept_runs import kept_runs
from outplay.verdict.verdicts import Fail, Verdict

STORE = FOLDER / "store.db"


def stored_run(
    prepared: Prepared,
    *,
    store: Path = STORE,
    trace: Path | None = None,
    keep: int = KEPT,
    observers: Iterable[Observer] = (),
    keepers: Iterable[Observer] = (),
    token: CancelToken | None = None,
    cut: CutRun | None = None,
) -> Run:
    """Return the run of what was prepared, recorded and kept in the store under the name of its record.

    One that was `cut` short goes on under its own. `keepers` complete the result after the record.
    """
    name = cut.name if cut else new_run_name()
    stored = StoredRun(store, name, redaction_of(prepared.job), again=len(cut.plays) if cut else None)
    how: dict[str, Any] = {"trace": trace, "keep": keep, "name": name, "token": token, "cut": cut}
    return recorded_run(prepared, observers=[stored, *observers], keepers=[StoredResult(stored), *keepers], **how)


def stored_failures_first(prepared: Prepared, store: Path = STORE) -> Prepared:
    """Return what was prepared, to play first the failing plays stored from earlier runs against this system."""
    if not store.exists():
        return prepared
    header = trace_header_of(prepared)
    with kept_runs(store) as runs:
        found = runs.failing(header.model_hash, header.sut, MOST_KEPT)
    failures = (failure_labels([read_event(event, 1) for event in events]) for events in found)
    return replace(prepared, failures=tuple(filter(None, failures)))


class StoredRun(Observer):
    """Keeps each play of a run in the store.

    A store that cannot be opened is said in the files of the result, and the run goes on without. One that cannot be
    written any more ends the run with an Error, for nothing may be lost silently.
    """

    essential = True

    def __init__(self, path: Path, name: str, redact: Redact | None = None, *, again: int | None = None) -> None:
        """A run that was cut short is kept `again` from that many plays on."""
        self.lost, self._again = "", again
        self._path, self._name, self._redact = path, name, redact or redaction()
        self._database: Database | None = None
        self._number: int | None = None  # of the run, once it has a row
        self._header = TraceHeader()
        self._new, self._part, self._play, self._plays = list[tuple[str, str]](), 0, PlayStarted(0), 0

    def observe(self, event: RunEvent) -> None:
        """Keep what happened; a run has a row from its first play on, so that one of nothing leaves none."""
        if isinstance(event, RunStarted):
            self._header = event.header
            if self._path.exists():
                self._open()
            if self._again is not None and self._database:
                self._change(lambda to: None, durable=True)
        elif isinstance(event, PlayStarted):
            self._part = 0 if event.reset else self._part + 1
            self._play, self._plays = event, event.play
        elif isinstance(event, CoverageChanged):
            self._new += event.new
        elif isinstance(event, PlayEnded):
            self._end_play(event)
        elif isinstance(event, FailureFound) and self._database:
            self._change(lambda to: self._fail(to, event.play, event.verdict, event.trace), durable=True)

    def end(self, result: RunResult) -> None:
        """Keep what the run came to."""
        self._open()
        if self._database:
            self._change(lambda to: self._end(to, result), durable=True)

    def close(self, error: BaseException | None) -> None:
        database, self._database = self._database, None
        if database:
            with suppress(FormatError):  # all is committed; the next who opens it tidies up
                database.close()

    def _open(self) -> None:
        if self._database is None and not self.lost:
            try:
                self._database = Database(self._path)
            except FormatError as error:
                self.lost = str(error)

    def _end_play(self, event: PlayEnded) -> None:
        self._open()
        if self._database:
            self._change(lambda to: self._keep(to, event))
        self._new.clear()

    def _change(self, make: Any, *, durable: bool = False) -> None:
        assert self._database
        try:
            with self._database.change(durable=durable) as connection:
                number = self._number if self._number is not None else self._begin(connection)
                self._number = number
                make(connection)
        except FormatError as error:
            self.lost = f"the run is not whole in the store: {error}"
            self.close(None)
            raise FormatError(self.lost) from None

    def _begin(self, to: sqlite3.Connection) -> int:
        header = self._header
        if self._again is not None:
            return _reopened(to, self._name, self._again)
        texts = _json(trace_header_json(header)), _json(run_environment())
        made = to.execute(
            "INSERT INTO run (id, started, model, model_hash, sut, header, environment) VALUES (?, ?, ?, ?, ?, ?, ?)",
            (self._name, header.started, header.model, header.model_hash, header.sut, *texts),
        )
        assert made.lastrowid is not None
        return made.lastrowid

    def _keep(self, to: sqlite3.Connection, event: PlayEnded) -> None:
        kept = event.verdict.name, self._redact(event.verdict.why)
        to.execute(
            "INSERT INTO play VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (self._number, event.play, self._part, self._play.test, *kept, event.steps, event.moves, event.time),
        )
        for place in self._new:
            keep_seen_item(to, self._number, event.play, self._header.model_hash, *place)
        to.execute(
            "UPDATE run SET plays = ?, steps = steps + ? WHERE number = ?", (self._plays, event.steps, self._number)
        )

    def _fail(self, to: sqlite3.Connection, play: int, verdict: Verdict, trace: Trace, *, short: bool = False) -> None:
        events = [event_json(event_without_secrets(event, self._redact)) for event in trace.events]
        told = redacted(verdict_json(verdict), self._redact) | {"allowed": verdict_json(verdict)["allowed"]}
        to.execute(
            "INSERT OR REPLACE INTO failure VALUES (?, ?, ?, ?, ?)",
            (self._number, play, short, _json(told), _json(events)),
        )

    def _end(self, to: sqlite3.Connection, result: RunResult) -> None:
        shrunk, told = result.shrunk, redacted(result.json(), self._redact)
        if shrunk and shrunk.shorter and result.failing_play and isinstance(result.verdict, Fail):
            self._fail(to, result.failing_play, shrunk.verdict, shrunk.trace, short=True)
        ended = datetime.now(UTC).isoformat(timespec="seconds") if self._header.started else ""
        to.execute(
            "UPDATE run SET ended = ?, plays = ?, verdict = ?, why = ?, result = ? WHERE number = ?",
            (ended, result.tally.plays, result.verdict.name, told["why"], _json(told), self._number),
        )


class StoredResult(Observer):
    """Adds the result of a run to the store, and says in it what the store could not keep."""

    def __init__(self, stored: StoredRun) -> None:
        self._stored = stored

    def complete(self, result: RunResult) -> RunResult:
        with suppress(FormatError):  # it is said below
            self._stored.end(result)
        lost, unwritten = self._stored.lost, result.files.unwritten
        if not lost or any(line.startswith(f"{FOLDER}/") for line in unwritten):  # the same folder, said already
            return result
        return replace(result, files=replace(result.files, unwritten=(*unwritten, lost)))


def _reopened(to: sqlite3.Connection, name: str, plays: int) -> int:
    """Let a run go on behind its first plays; what was kept of later ones, and of its end, goes."""
    [number] = to.execute("SELECT number FROM run WHERE id = ?", (name,)).fetchone()
    for table, column in (("play", "number"), ("failure", "play"), ("seen", "play")):
        to.execute(f"DELETE FROM {table} WHERE run = ? AND {column} > ?", (number, plays))
    to.execute("DELETE FROM failure WHERE run = ? AND short", (number,))
    steps = "(SELECT coalesce(sum(steps), 0) FROM play WHERE run = run.number)"
    kept = f"plays = ?, steps = {steps}, ended = NULL, verdict = NULL, why = NULL, result = NULL"
    to.execute(f"UPDATE run SET {kept} WHERE number = ?", (plays, number))
    return int(number)


def keep_seen_item(to: sqlite3.Connection, run: int | None, play: int, model_hash: str, state: str, label: str) -> None:
    """Store that a run saw a state, or with a label a transition, first in this play."""
    place = model_hash, state, label
    to.execute("INSERT OR IGNORE INTO item (model_hash, state, label) VALUES (?, ?, ?)", place)
    found = "SELECT ?, number, ? FROM item WHERE model_hash = ? AND state = ? AND label = ?"
    to.execute(f"INSERT OR IGNORE INTO seen (run, item, play) {found}", (run, play, *place))


def run_environment() -> dict[str, Any]:
    """Return the environment of a stored run, as far as it may matter to what it sees."""
    python = f"{platform.python_implementation()} {platform.python_version()}"
    return {"outplay": __version__, "python": python, "platform": platform.platform(), "processors": os.cpu_count()}


def _json(value: Any) -> str:
    """JSON as text that any UTF-8 file takes: half a character, out of somebody's message, stays an escape."""
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "backslashreplace").decode()
