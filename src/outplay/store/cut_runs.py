"""Runs that were cut short, found in the store, so that they go on where they were.

A run was cut short where it has no end, because its process was killed, or where somebody interrupted it. One that
ended with an Error, such as a system that could not be reached, may go on too: the play of the Error is made again.
"""

from __future__ import annotations

import json
from pathlib import Path

from outplay.errors import UsageError
from outplay.runs.job import Job, read_kept_job
from outplay.runs.recorded_play import CutRun, read_cut_run
from outplay.runs.run_folders import FOLDER
from outplay.store.kept_runs import KeptRun, KeptRuns, kept_runs


def run_to_resume(store: Path, name: str = "", *, trace: Path | None = None) -> tuple[CutRun, Job]:
    """Find the run that was cut short, by name or the last one, and the job it was doing."""
    with kept_runs(store) as runs:
        found = _cut(runs, name)
        [row] = runs.database.rows("SELECT number, header FROM run WHERE id = ?", (found.id,))
        plays = "SELECT number, sum(steps) AS steps, max(verdict = 'error') AS wrong FROM play WHERE run = ?"
        made = [*runs.database.rows(f"{plays} GROUP BY number ORDER BY number", (row["number"],))]
    while made and made[-1]["wrong"]:
        made.pop()
    job = read_kept_job(json.loads(row["header"]).get("job") or {}, f"run {found.id}")
    if not job.model:
        raise UsageError(f"run {found.id} cannot be resumed: its model has no name; start a new run")
    if job.join or job.exhaustive:
        raise UsageError(f"run {found.id} cannot be resumed: with --join or --exhaustive a run has to be whole")
    kept = trace or FOLDER / "runs" / found.id / "trace.jsonl"
    return read_cut_run(found.id, kept, [play["steps"] for play in made]), job


def _cut(runs: KeptRuns, name: str) -> KeptRun:
    """The run that a name means, or the last one that was cut short."""
    if name:
        found = runs.find(name)
        if not _is_cut(found):
            raise UsageError(f"run {found.id} has come to its end, {found.verdict}: start a new one")
        return found
    cut = [run for run in runs.list().runs if _is_cut(run)]
    if not cut:
        raise UsageError("no run was cut short here; leave --resume out to start a new one")
    return cut[-1]


def _is_cut(run: KeptRun) -> bool:
    return run.verdict in (None, "error") or run.interrupted
