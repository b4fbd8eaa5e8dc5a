"""A campaign stopped at every point in turn, and resumed each time.

Run as a program with a way to be stopped (`kill` or `full`), the file of a model, and a step between points, it prints
one JSON object for each point: what was told before, and what the resumed run came to. Points are the statements that
the store executes and the lines that the trace writes, each before and after; out of room is each size of a file.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import tempfile
from contextlib import closing
from pathlib import Path
from typing import Any

from helpers.inline_workers import InlineExecutor
from helpers.stopped_store import PAGE, Stop
from outplay.errors import OutplayError
from outplay.formats.trace_jsonl import TraceWriter
from outplay.runs.events import PlayEnded
from outplay.runs.job import Job
from outplay.runs.parallel import worker_pool
from outplay.runs.preparing.planning import prepare
from outplay.store import database
from outplay.store.cut_runs import run_to_resume
from outplay.store.stored_run import STORE, stored_run

PLAYS = 5
SIZES = 45  # of files, in pages


def job(model: str) -> Job:
    return Job(model, sut=f"model:{model}", tester="walk", plays=PLAYS, steps=6, jobs=1, shrink=0.0)


def trace_lines() -> list[str]:
    """All events of the last run, without the header, which tells the time of day."""
    return Path(".outplay/last/trace.jsonl").read_text().splitlines()[1:]


def resumed() -> dict[str, Any]:
    """Go on with what was cut short."""
    try:
        cut, found = run_to_resume(STORE)
    except OutplayError as error:
        return {"refused": str(error)}
    result = stored_run(prepare(cut.rest(found)), cut=cut).finish()
    with closing(database.Database(STORE)) as store:
        plays = [row["number"] for row in store.rows("SELECT number FROM play ORDER BY number")]
        runs = [tuple(row) for row in store.rows("SELECT plays, steps, verdict FROM run")]
    return {"before": len(cut.plays), "verdict": result.verdict.name, "why": result.verdict.why} | {
        "plays": plays,
        "runs": runs,
        "trace": trace_lines(),
    }


def stopped(how: str, point: int, model: str) -> dict[str, Any]:
    """One campaign in a process of its own, stopped at a point; then it is resumed."""
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                _stop(how, point)
                with stored_run(prepare(job(model))) as run:
                    for event in run:
                        if isinstance(event, PlayEnded) and event.verdict.name != "error":
                            os.write(writing, f"{event.play}\n".encode())
                os._exit(0)
            finally:
                os._exit(1)
        os.close(writing)
        with open(reading) as stream:
            told = [int(line) for line in stream]
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        found = {"point": point, "code": code, "told": told}
        if code == 0 and how == "kill":
            return found | {"trace": trace_lines()}
        return found | resumed()


def _stop(how: str, point: int) -> None:
    if how == "full":
        resource.setrlimit(resource.RLIMIT_FSIZE, (point * PAGE, resource.RLIM_INFINITY))
        return
    stop, put = Stop(point), TraceWriter._put

    def ticking(self: TraceWriter, value: dict[str, Any]) -> None:
        stop.tick()
        put(self, value)
        stop.tick()

    TraceWriter._put = ticking  # type: ignore[method-assign]
    database.sqlite3.connect = stop.connect  # type: ignore[misc]


def main() -> None:
    """Stop at points up to the last."""
    how, model, step = sys.argv[1:]
    worker_pool.WorkerProcess = lambda ending: InlineExecutor()  # type: ignore[assignment,misc]
    for point in range(1, 1_000 if how == "kill" else SIZES, int(step)):
        found = stopped(how, point, model)
        print(json.dumps(found), flush=True)
        if found["code"] == 0 and how == "kill":
            return


if __name__ == "__main__":
    main()
