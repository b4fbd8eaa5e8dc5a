"""A worker that plays test cases of a suite, each against a system of its own, and sends the plays back.

A play hangs on its test and on how often that was tried, and not on who makes it.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace

from outplay.cancellation import CancelToken, deadline
from outplay.play.plan import case_plan
from outplay.play.system import Seeded
from outplay.runs.job import Job
from outplay.runs.parallel.recorded_play import RecordedPlay
from outplay.runs.playing import Play, Playing
from outplay.runs.preparing.planning import prepare
from outplay.runs.preparing.systems import for_worker
from outplay.suite.suite import TestCase
from outplay.tester.lessons import Entry, LessonWriter

SUITE_ENDING = "outplay.runs.parallel.suite_worker:end_suites"
_REMEMBERED = 1_000  # tests behind the newest that may have to be tried again


class SuiteWorker:
    """Plays of one suite, as one of several workers."""

    def __init__(self, job: Job, number: int) -> None:
        self.prepared = prepare(for_worker(job, number))
        self._tests, self._next = self._stream(), 0
        self._near = deque[TestCase](maxlen=_REMEMBERED)
        self.token, self._retries_left = CancelToken(), job.retries

    def play(self, index: int, tried: int, seconds: float | None) -> RecordedPlay | None:
        """Play a test, which was tried before so often; None where the suite has no test of this number."""
        test = self._test(index)
        if test is None:
            return None
        prepared, entries = self.prepared, list[Entry]()
        if isinstance(prepared.system, Seeded):
            prepared.system.seed(f"{prepared.job.seed}, system, test {index}, {tried}")
        playing = Playing(prepared.system, prepared.job.timing, token=self.token, retries=self._retries_left)
        plan = case_plan(test, prepared.specification)
        writer = LessonWriter(0, plan.tester, entries, lambda: playing.numbering.count)
        play = Play(replace(plan, tester=writer), test.depth, until=deadline(seconds))
        with self.token.stretch():
            events = [step.event for step in playing.begin(play, 1)]
        self._retries_left = playing.retries.left
        writer.end()
        return RecordedPlay(1, tuple(events), tuple(entries), round(playing.now(), 6))

    def close(self) -> None:
        """End the system."""
        self.token.cancel()
        self.prepared.system.close()

    def _stream(self) -> Iterator[TestCase]:
        assert self.prepared.suite is not None
        return iter(self.prepared.suite.tests)

    def _test(self, index: int) -> TestCase | None:
        if index < self._next - len(self._near):
            self._tests, self._next = self._stream(), 0
            self._near.clear()
        while self._next <= index:
            test = next(self._tests, None)
            if test is None:
                return None
            self._near.append(test)
            self._next += 1
        return self._near[index - self._next]


_workers: dict[str, SuiteWorker] = {}


def suite_task(text: str) -> str:
    """Play the tests that a text names, and return the plays."""
    asked = json.loads(text)
    name = f"{asked['run']} {asked['worker']}"
    worker = _workers.get(name)
    if worker is None:
        worker = _workers[name] = SuiteWorker(Job.from_json(asked["job"]), asked["worker"])
    plays = [worker.play(index, tried, asked["seconds"]) for index, tried in asked["tests"]]
    return json.dumps([None if play is None else play.text() for play in plays])


def end_suites(run: str = "") -> None:
    """End the systems of all workers of this process that play suites, or of one run."""
    for name in [name for name in _workers if name.startswith(run)]:
        with suppress(Exception):
            _workers.pop(name).close()
