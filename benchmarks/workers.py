"""Plays of several workers beside those of one: plays per second against the chat server, and stored steps per second.

The chat server is a process that is started anew for each play, so most of the time is spent waiting for it and for
silence. Stored steps are those of a simulated system, which takes no time: what is left is outplay itself, with each
play judged, recorded and committed; they are counted by processor time, as one core is asked about.

Play k uses what the plays up to k - N have taught, so a worker waits where the other's play takes longer. How much
faster two workers can be at most is found by the times of the plays of one, drawn again and again.

python -m benchmarks.workers
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from contextlib import chdir
from itertools import pairwise
from pathlib import Path
from random import Random
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
        self.ended, self.steps, self.worked = list[float](), list[int](), list[float]()

    def observe(self, event: Any) -> None:
        if isinstance(event, PlayEnded):
            self.ended.append(time.perf_counter())
            self.worked.append(time.process_time())
            self.steps.append(event.steps)

    def rates(self, skipped: int) -> tuple[float, float]:
        """Plays per second and steps per second of processor time, without the first plays, while workers begin."""
        seconds, worked = (times[-1] - times[skipped - 1] for times in (self.ended, self.worked))
        return (len(self.ended) - skipped) / seconds, sum(self.steps[skipped:]) / worked


def at_most(seconds: list[float]) -> float:
    """How many times as fast two workers are that wait for nothing but each other's plays."""
    rng, alone, together = Random(0), 0.0, 0.0
    for _ in range(100):
        arrived, free = [0.0], [0.0, 0.0]
        for number in range(PLAYS):
            alone += (play := rng.choice(seconds))
            free[number % 2] = max(free[number % 2], arrived[max(number - 1, 0)]) + play
            arrived.append(max(free[number % 2], arrived[-1]))
        together += arrived[-1]
    return alone / together


def paced(skipped: int = 1, **job: Any) -> tuple[Pace, float, float]:
    """A run that is kept in a store, with its plays per second and steps per second of processor time."""
    pace = Pace()
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        result = stored_run(prepare(Job(MODEL, shrink=0.0, **job)), observers=[pace]).finish()
    assert result.passed, result
    return pace, *pace.rates(skipped)


def main() -> None:
    """Measure one and two workers by turns, and write down the best of each."""
    chat = {"sut": SERVER, "ready": "ready", "silence": 0.3, "latency": 0.05, "steps": 40}
    best, seconds = {1: 0.0, 2: 0.0}, list[float]()
    for _ in range(ROUNDS):
        for jobs in best:
            pace, rate, _ = paced(jobs, jobs=jobs, plays=PLAYS, **chat)
            best[jobs] = max(best[jobs], rate)
            seconds += [after - before for before, after in pairwise(pace.ended)] if jobs == 1 else []
    _, _, steps = paced(sut=f"model:{MODEL}", tester="walk", plays=200)
    body = table(("workers", "plays/s against the chat server"), [(jobs, f"{rate:.2f}") for jobs, rate in best.items()])
    ratio = f"Two workers make {best[2] / best[1]:.2f} times as many plays as one (silence 0.3 s, 40 labels a play); "
    bound = f"{at_most(seconds):.2f} is the most, as each waits for plays of the other to learn from."
    stored = f"One process plays, judges, records and commits {steps:,.0f} steps of a simulated system"
    load = (
        f"in a second of processor time. Load average {os.getloadavg()[0]:.1f} at the end, on {os.cpu_count()} cores."
    )
    write_section("Several workers", f"{body}\n\n{ratio}{bound} {stored} {load}")


if __name__ == "__main__":
    main()
