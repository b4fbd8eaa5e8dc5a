"""Plays of several workers beside those of one: plays per second against the chat server, and stored steps per second.

The chat server is a process that is started anew for each play, so most of the time is spent waiting for it and for
silence. Stored steps are those of a simulated system, which takes no time: what is left is outplay itself, with each
play judged, recorded and committed; they are counted by processor time, as one core is asked about.

Where a tester learns, play k uses what the plays up to k - N have taught, so a worker waits where the other's play
takes longer. How much faster two workers can be at most is found by the times of the plays of one, in their order and
by the rule alone: no worker is slowed down by another one, and nothing but a play takes time.

python -m benchmarks.workers
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from contextlib import chdir
from dataclasses import replace
from itertools import islice, pairwise
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.page import table, write_section
from outplay import make_suite
from outplay.formats.suites.suite_json import dump_suite
from outplay.model.programs.load import load_program
from outplay.runs.events import Observer, PlayEnded
from outplay.runs.job import Job
from outplay.runs.preparing.planning import prepare
from outplay.store.stored_run import stored_run

CHAT = Path(__file__).resolve().parents[1] / "examples" / "chat"
MODEL = f"{CHAT / 'model.py'}:Chat"
SERVER = f"exec:{sys.executable} {CHAT / 'server.py'} --greet"
LIVE: dict[str, Any] = {"sut": SERVER, "ready": "ready", "silence": 0.3, "latency": 0.05}
PLAYS, ROUNDS = 100, 3
TESTS, TRIES = 8, 15


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
    arrived, free = [0.0], [0.0, 0.0]
    for number, play in enumerate(seconds):
        free[number % 2] = max(free[number % 2], arrived[max(number - 1, 0)]) + play
        arrived.append(max(free[number % 2], arrived[-1]))
    return sum(seconds) / arrived[-1]


def paced(skipped: int = 1, **job: Any) -> tuple[Pace, float, float]:
    """A run that is kept in a store, with its plays per second and steps per second of processor time."""
    pace = Pace()
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        result = stored_run(prepare(Job(MODEL, shrink=0.0, **job)), observers=[pace]).finish()
    assert result.verdict.name in ("pass", "inconclusive"), result
    return pace, *pace.rates(skipped)


def compared(name: str, *, learns: bool, **job: Any) -> tuple[str, ...]:
    """One worker and two by turns: the median of the rates of each, and of the ratios of rounds."""
    rates, ratios, most = dict[int, list[float]]({1: [], 2: []}), list[float](), list[float]()
    for _ in range(ROUNDS):
        for jobs, found in rates.items():
            pace, rate, _ = paced(jobs, jobs=jobs, **LIVE, **job)
            found.append(rate)
            if jobs == 1:
                most.append(at_most([after - before for before, after in pairwise(pace.ended)]))
        ratios.append(rates[2][-1] / rates[1][-1])
    bound = f"{median(most):.2f}" if learns else "2"
    return (name, *(f"{median(found):.2f}" for found in rates.values()), f"{median(ratios):.2f}", bound)


def main() -> None:
    """Measure one and two workers by turns."""
    with tempfile.TemporaryDirectory() as folder:
        suite, tests = make_suite(load_program(MODEL), method="nodes"), Path(folder, "tests.json")
        tests.write_text("".join(dump_suite(replace(suite, tests=tuple(islice(suite.tests, TESTS))))))
        rows = [
            compared("the default tester", learns=True, plays=PLAYS, steps=40),
            compared("--tester walk", learns=False, plays=PLAYS, steps=40, tester="walk"),
            compared(
                f"{TESTS} tests of a suite, at most {TRIES} tries each", learns=False, plays=TRIES, suite=str(tests)
            ),
        ]
    _, _, steps = paced(sut=f"model:{MODEL}", tester="walk", plays=200)
    body = table(("who plays", "plays/s of one worker", "of two", "times as many", "at most"), rows)
    what = (
        f"Against the chat server (silence 0.3 s; {PLAYS} plays of 40 labels; medians of {ROUNDS} rounds, by turns). "
        "*At most* is what the times of the plays of one worker leave, where play k has to wait for what the plays up "
        "to k - 2 have taught."
    )
    stored = f"One process plays, judges, records and commits {steps:,.0f} steps of a simulated system"
    load = (
        f"in a second of processor time. Load average {os.getloadavg()[0]:.1f} at the end, on {os.cpu_count()} cores."
    )
    write_section("Several workers", f"{body}\n\n{what} {stored} {load}")


if __name__ == "__main__":
    main()
