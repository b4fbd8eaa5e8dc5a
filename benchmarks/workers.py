"""Plays of several workers beside those of one: plays per second against the chat server, and stored steps per second.

The chat server is a process that is started anew for each play, so most of the time is spent waiting for it and for
silence. Stored steps are those of a simulated system, which takes no time: what is left is outplay itself, with each
play judged, recorded and committed.

python -m benchmarks.workers
"""

from __future__ import annotations

import sys
import tempfile
import time
from contextlib import chdir
from pathlib import Path
from typing import Any

from benchmarks.page import table, write_section
from outplay.runs.events import Observer, PlayEnded
from outplay.runs.job import Job
from outplay.runs.preparing.planning import prepare
from outplay.store.stored_run import stored_run

CHAT = Path(__file__).resolve().parents[1] / "examples" / "chat"
MODEL = f"{CHAT / 'model.py'}:Chat"
SERVER = f"exec:{sys.executable} {CHAT / 'server.py'} --greet"
PLAYS, ROUNDS = 20, 2


class Pace(Observer):
    """Notes when plays end, and how many steps they had."""

    def __init__(self) -> None:
        self.ended, self.steps = list[float](), list[int]()

    def observe(self, event: Any) -> None:
        if isinstance(event, PlayEnded):
            self.ended.append(time.perf_counter())
            self.steps.append(event.steps)

    def rates(self, skipped: int) -> tuple[float, float]:
        """Plays and steps per second, without the first plays, while workers begin."""
        seconds = self.ended[-1] - self.ended[skipped - 1]
        return (len(self.ended) - skipped) / seconds, sum(self.steps[skipped:]) / seconds


def paced(skipped: int = 1, **job: Any) -> tuple[float, float]:
    """Plays and steps per second of a run that is kept in a store."""
    pace = Pace()
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        result = stored_run(prepare(Job(MODEL, shrink=0.0, **job)), observers=[pace]).finish()
    assert result.passed, result
    return pace.rates(skipped)


def main() -> None:
    """Measure one and two workers by turns, and write down the best of each."""
    chat = {"sut": SERVER, "ready": "ready", "silence": 0.3, "latency": 0.05, "steps": 40}
    best = {1: 0.0, 2: 0.0}
    for _ in range(ROUNDS):
        for jobs in best:
            best[jobs] = max(best[jobs], paced(jobs, jobs=jobs, plays=PLAYS, **chat)[0])
    _, steps = paced(sut=f"model:{MODEL}", tester="walk", plays=200)
    body = table(("workers", "plays/s against the chat server"), [(jobs, f"{rate:.2f}") for jobs, rate in best.items()])
    ratio = f"Two workers make {best[2] / best[1]:.2f} times as many plays as one (silence 0.3 s, 40 labels a play)."
    stored = f"One process plays, judges, records and commits {steps:,.0f} steps per second of a simulated system."
    write_section("Several workers", f"{body}\n\n{ratio} {stored}")


if __name__ == "__main__":
    main()
