"""The database of a store: one SQLite file, one writer at a time, and every error named.

SQLite lets many processes read while one writes (its write-ahead log). Before version 3.51.3 two processes that write
or tidy that log in the same instant can damage the file, so each change is made under a lock of the operating system
of its own, `store.lock` beside it, which ends with the process that holds it. A change is whole or not there. What was
committed outlives the process at once; `durable` changes outlive a loss of power too.

The tables of a store, as the steps by which they came about.
A step that was released is never changed: a new one is added below it, and `PRAGMA user_version` counts those a file
has. What was seen is kept once for each model, by the keys of its states, which are the same in every process.
"""

from __future__ import annotations

import errno
import fcntl
import os
import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from outplay.errors import FormatError
from outplay.formats.common.writing import unwritten_file

APPLICATION = 0x6F75_7470  # "outp": by this a store is known

MIGRATIONS: tuple[tuple[str, ...], ...] = (
    (
        """CREATE TABLE run (
            number INTEGER PRIMARY KEY,
            id TEXT NOT NULL UNIQUE,
            started TEXT NOT NULL,
            ended TEXT,
            model TEXT NOT NULL,
            model_hash TEXT NOT NULL,
            sut TEXT NOT NULL,
            header TEXT NOT NULL,
            environment TEXT NOT NULL,
            plays INTEGER NOT NULL DEFAULT 0,
            steps INTEGER NOT NULL DEFAULT 0,
            verdict TEXT,
            why TEXT,
            result TEXT)""",
        "CREATE INDEX run_model ON run (model_hash, sut)",
        """CREATE TABLE play (
            run INTEGER NOT NULL REFERENCES run (number) ON DELETE CASCADE,
            number INTEGER NOT NULL,
            part INTEGER NOT NULL,
            test TEXT NOT NULL,
            verdict TEXT NOT NULL,
            why TEXT NOT NULL,
            steps INTEGER NOT NULL,
            moves INTEGER,
            time REAL NOT NULL,
            PRIMARY KEY (run, number, part)) WITHOUT ROWID""",
        """CREATE TABLE failure (
            run INTEGER NOT NULL REFERENCES run (number) ON DELETE CASCADE,
            play INTEGER NOT NULL,
            short INTEGER NOT NULL,
            verdict TEXT NOT NULL,
            events TEXT NOT NULL,
            PRIMARY KEY (run, play, short)) WITHOUT ROWID""",
        """CREATE TABLE item (
            number INTEGER PRIMARY KEY,
            model_hash TEXT NOT NULL,
            state TEXT NOT NULL,
            label TEXT NOT NULL,
            UNIQUE (model_hash, state, label))""",
        """CREATE TABLE seen (
            run INTEGER NOT NULL REFERENCES run (number) ON DELETE CASCADE,
            item INTEGER NOT NULL REFERENCES item (number),
            play INTEGER NOT NULL,
            PRIMARY KEY (run, item)) WITHOUT ROWID""",
        "CREATE INDEX seen_item ON seen (item)",
    ),
)
"""`item` is a state where `label` is empty, else a transition; `failure.short` says whether it was made short."""
PATIENCE = 30.0
"""Seconds to wait for another process that writes."""
_BUSY = 5.0  # seconds that SQLite itself waits for one that does not know our lock
_PARTS = ("wal", "shm", "journal")  # what SQLite keeps beside the file
_CURES = {
    "SQLITE_FULL": "the disk is full; make room there",
    "SQLITE_READONLY": "it cannot be written; make it writable",
    "SQLITE_CANTOPEN": "it cannot be opened; check that it and its folder can be read and written",
    "SQLITE_BUSY": "another program has locked it; close that program",
    "SQLITE_LOCKED": "another program has locked it; close that program",
    "SQLITE_IOERR": "it cannot be read or written; check the disk and that there is room",
    "SQLITE_CORRUPT": "it is damaged; move it away, and outplay begins a new one",
    "SQLITE_NOTADB": "it is no store of outplay; move it away, and outplay begins a new one",
}


class Database:
    """A store's file, opened; it is made where there is none, unless it is only to be read."""

    def __init__(self, path: Path, *, reading: bool = False, patience: float = PATIENCE) -> None:
        self.path, self._patience, self._reading = path, patience, reading
        self._guard: int | None = None
        self._durable = False
        with self._named():
            self._refuse_odd_files()
            if reading:
                self._connection = self._connected_to_read()
                try:
                    self._check()
                except BaseException:
                    self._connection.close()
                    raise
                return
            path.parent.mkdir(parents=True, exist_ok=True)
            self._guard = os.open(path.with_suffix(".lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
            try:
                with self._alone():
                    self._connection = self._connected(path.absolute().as_uri())
                    try:
                        self._migrate()
                    except BaseException:
                        self._connection.close()
                        raise
            except BaseException:
                os.close(self._guard)
                raise

    @contextmanager
    def change(self, *, durable: bool = False) -> Iterator[sqlite3.Connection]:
        """Make one change, whole or not at all, while nobody else makes one."""
        with self._named(), self._alone():
            if durable != self._durable:
                self._connection.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
                self._durable = durable
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
                self._connection.execute("COMMIT")
            except BaseException:
                with suppress(sqlite3.Error):
                    if self._connection.in_transaction:
                        self._connection.execute("ROLLBACK")
                raise

    def rows(self, query: str, values: Sequence[Any] = ()) -> list[sqlite3.Row]:
        """All rows that a query finds."""
        with self._named():
            return self._connection.execute(query, values).fetchall()

    @contextmanager
    def snapshot(self) -> Iterator[Database]:
        """Read as often as you like, from one moment's state of the store."""
        with self._named():
            self._connection.execute("BEGIN")
        try:
            yield self
        finally:
            with suppress(sqlite3.Error):
                self._connection.execute("ROLLBACK")

    def close(self) -> None:
        """Let it go; the last one to do so tidies the log away, which is a change too."""
        if self._guard is None:
            self._connection.close()
            return
        guard = self._guard
        try:
            with self._alone():
                self._connection.close()
        finally:
            self._guard = None
            os.close(guard)

    def _refuse_odd_files(self) -> None:
        """Refuse what SQLite would wait at for ever, and, for writing, what leads out of the folder."""
        files = (self.path, self.path.with_suffix(".lock"), *(Path(f"{self.path}-{part}") for part in _PARTS))
        for place in (self.path.parent, *files):
            if place.is_symlink() and not self._reading:
                raise FormatError(f"{place}: a link to elsewhere, where no store is written; remove the link")
            if place in files and place.exists() and not place.is_file():
                raise FormatError(f"{place}: no plain file; remove it")

    def _connected(self, uri: str) -> sqlite3.Connection:
        made = sqlite3.connect(uri, uri=True, isolation_level=None, timeout=_BUSY, check_same_thread=False)
        made.row_factory = sqlite3.Row
        made.execute("PRAGMA trusted_schema = OFF")
        made.execute("PRAGMA foreign_keys = ON")
        return made

    def _connected_to_read(self) -> sqlite3.Connection:
        """Connect without changing anything; in a folder that cannot be written the log cannot be shared."""
        uri = self.path.absolute().as_uri()
        try:
            made = self._connected(f"{uri}?mode=ro")
            made.execute("SELECT count(*) FROM sqlite_master").fetchone()
        except sqlite3.OperationalError:
            if os.access(self.path.parent, os.W_OK) or not os.access(self.path, os.R_OK):
                raise
            made = self._connected(f"{uri}?mode=ro&immutable=1")
        return made

    def _migrate(self) -> None:
        """Bring the store to this version, one step of its history after the other, each whole or not at all."""
        if self._check() == len(MIGRATIONS):
            return
        self._connection.execute("PRAGMA journal_mode = WAL")
        for version, statements in enumerate(MIGRATIONS, 1):
            if self._version() < version:
                self._connection.execute("BEGIN IMMEDIATE")
                for statement in (*statements, f"PRAGMA user_version = {version}"):
                    self._connection.execute(statement)
                self._connection.execute(f"PRAGMA application_id = {APPLICATION}")
                self._connection.execute("COMMIT")

    def _check(self) -> int:
        """The version of the store; a file of another kind, or of a newer outplay, is refused untouched."""
        [kind] = self._connection.execute("PRAGMA application_id").fetchone()
        [tables] = self._connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        version = self._version()
        if self._reading and not (kind or tables or version):
            raise FormatError(f"{self.path}: nothing is kept there yet; `outplay run` keeps its runs there")
        if kind != APPLICATION and (tables or version):
            raise FormatError(f"{self.path}: {_CURES['SQLITE_NOTADB']}")
        if version > len(MIGRATIONS):
            raise FormatError(
                f"{self.path}: a newer outplay wrote it (version {version}, this one knows {len(MIGRATIONS)}); "
                "upgrade outplay, or move the file away"
            )
        if self._reading and version < len(MIGRATIONS):
            raise FormatError(
                f"{self.path}: an older outplay wrote it; the next `outplay run` here brings it up to date"
            )
        return version

    def _version(self) -> int:
        [version] = self._connection.execute("PRAGMA user_version").fetchone()
        return int(version)

    @contextmanager
    def _named(self) -> Iterator[None]:
        """Say which file it is, what is wrong and what to do."""
        try:
            yield
        except sqlite3.Error as error:
            name = getattr(error, "sqlite_errorname", "") or ""
            told = next((cure for start, cure in _CURES.items() if name.startswith(start)), None)
            raise FormatError(
                f"{self.path}: {told or f'{error}; move it away, and outplay begins a new one'}"
            ) from None
        except OSError as error:
            raise FormatError(unwritten_file(self.path, error)) from None

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Keep every other writer out; one that holds the lock too long is named."""
        assert self._guard is not None
        self._lock(self._guard)
        try:
            yield
        finally:
            fcntl.flock(self._guard, fcntl.LOCK_UN)  # not by closing: a child of ours may have it open

    def _lock(self, guard: int) -> None:
        deadline = time.monotonic() + self._patience
        while True:
            try:
                fcntl.flock(guard, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                if error.errno not in (errno.EAGAIN, errno.EACCES, errno.EINTR):
                    raise
                if time.monotonic() >= deadline:
                    holder = os.pread(guard, 20, 0).decode("ascii", "replace").strip() or "?"
                    raise FormatError(
                        f"{self.path}: process {holder} has held its lock for {self._patience:g} seconds; "
                        "wait for it or end it"
                    ) from None
                time.sleep(0.005)
            else:
                with suppress(OSError):  # whose lock it is, for people; on a full disk nobody reads it
                    os.pwrite(guard, f"{os.getpid():<20}".encode(), 0)
                return
