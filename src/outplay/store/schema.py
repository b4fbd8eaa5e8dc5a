"""The tables of a store, as the steps by which they came about.

A step that was released is never changed: a new one is added below it, and `PRAGMA user_version` counts those a file
has. What was seen is kept once for each model, by the keys of its states, which are the same in every process.
"""

from __future__ import annotations

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
