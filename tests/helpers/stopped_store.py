"""A run that is kept in a store, stopped at every point in turn: killed at each statement, or out of room at each size.

Run as a program with a way to be stopped (`kill`, `defect` or `full`) it prints one JSON object for each point: which
plays and failures the run had told of, which of them the store has, and what the result said was not kept. `defect`
is `kill` with a planted fault: what is told is committed only with what comes next.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import sqlite3
import sys
import tempfile
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any

from outplay import Model, Run, Simulated, controllable, observable, specification
from outplay.play.plan import plan
from outplay.runs.events import FailureFound, PlayEnded, RunEnded
from outplay.runs.job import Job
from outplay.runs.preparing.planning import Prepared
from outplay.store import database
from outplay.store.stored_run import StoredResult, StoredRun

PAGE = 4096
CONNECT = sqlite3.connect
NAME = "20260301-101530-4f2a91"


class Lamp(Model):
    on: bool = False

    @controllable
    def press(self):
        if self.on:
            return False
        self.on = True

    @observable
    def light(self):
        if not self.on:
            return False
        self.on = False


class Smoking(Lamp):
    @observable
    def smoke(self):
        if not self.on:
            return False


class Late(StoredRun):
    """Commits a change only when the next one is made."""

    waiting: Any = None

    def _change(self, make: Any, *, durable: bool = False) -> None:
        waiting, self.waiting = self.waiting, (make, durable)
        if waiting:
            super()._change(waiting[0], durable=waiting[1])


class Stop:
    """Kills this process at one of the statements that a connection executes, before it or after it."""

    def __init__(self, point: int) -> None:
        self.left = point

    def tick(self) -> None:
        self.left -= 1
        if self.left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    def connect(self, *arguments: Any, **named: Any) -> sqlite3.Connection:
        stop = self

        class Connection(sqlite3.Connection):
            def execute(self, *arguments: Any) -> sqlite3.Cursor:
                stop.tick()
                try:
                    return super().execute(*arguments)
                finally:
                    stop.tick()

        return CONNECT(*arguments, factory=Connection, **named)


def prepared() -> Prepared:
    spec = specification(Lamp)
    job = Job(plays=6, steps=5, keep_going=True)
    return Prepared(job, Simulated(specification(Smoking), Random(1)), spec, plan(spec, seed=2))


def stored(path: Path, kind: type[StoredRun]) -> Run:
    observer = kind(path, NAME)
    return Run(prepared(), observers=[observer, StoredResult(observer)])


def told(run: Run, say: Any) -> None:
    """Play, and say at once what has been told."""
    with run:
        for event in run:
            if isinstance(event, PlayEnded | FailureFound):
                say(["plays" if isinstance(event, PlayEnded) else "failures", event.play])
            elif isinstance(event, RunEnded):
                say(["ended", [event.result.verdict.name, list(event.result.files.unwritten)]])


def stopped(how: str, point: int) -> dict[str, Any]:
    """One run in a process of its own, stopped at a point; afterwards the store is looked at."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "store.db")
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                if how == "full":
                    resource.setrlimit(resource.RLIMIT_FSIZE, (point * PAGE // 2, resource.RLIM_INFINITY))
                else:
                    database.sqlite3.connect = Stop(point).connect  # type: ignore[misc]
                told(
                    stored(path, Late if how == "defect" else StoredRun),
                    lambda said: os.write(writing, f"{json.dumps(said)}\n".encode()),
                )
                os._exit(0)
            finally:
                os._exit(1)
        os.close(writing)
        with open(reading) as stream:
            said = [json.loads(line) for line in stream]
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        answer = {"point": point, "code": code, "ended": next((what for kind, what in said if kind == "ended"), None)}
        answer["told"] = {kind: [play for one, play in said if one == kind] for kind in ("plays", "failures")}
        return answer | {"kept": kept(path)}


def kept(path: Path) -> dict[str, Any]:
    """What the store has, opened as the next run opens it."""
    with closing(database.Database(path)) as found:
        assert [*map(tuple, found.rows("PRAGMA integrity_check"))] == [("ok",)]
        plays = [row["number"] for row in found.rows("SELECT number FROM play ORDER BY number")]
        failures = [row["play"] for row in found.rows("SELECT play FROM failure WHERE short = 0 ORDER BY play")]
        run = [tuple(row) for row in found.rows("SELECT plays, verdict FROM run")]
        return {"plays": plays, "failures": failures, "run": run[0] if run else None}


def main(how: str) -> None:
    """Stop a run later and later, until it comes to its end."""
    point, ended = 0, False
    while not ended:
        point += 1
        answer = stopped(how, point)
        ended = answer["code"] == 0 and (how != "full" or not answer["ended"][1])
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
