"""A suite played by several workers, with one ledger.

Tests are played ahead, each once, and their plays are taken into the run in the order of the suite. Where a test is
still open, the next play of it is asked for at once, while further tests go on being played ahead; whoever has nothing
else to do makes further tries of it, which are dropped where it is done before. A play hangs on its test and its try
alone, so the run is the same however many workers there are.

A worker that plays test cases of a suite, each against a system of its own, and sends the plays back.
A play hangs on its test and on how often that was tried, and not on who makes it.
"""

from __future__ import annotations

import json
import secrets
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Any, TypeAlias

from outplay.cancellation import CancelToken, deadline
from outplay.errors import SystemUnready, UsageError
from outplay.play.following import Step
from outplay.play.plan import case_plan
from outplay.play.system import Seeded
from outplay.play.trace import Event
from outplay.runs.events import RunEvent
from outplay.runs.job import Job
from outplay.runs.parallel.worker_pool import Hiring, dismiss_workers, refuse_shared_system, workers_of_job
from outplay.runs.play_loop import Play, Playing
from outplay.runs.preparing.planning import Prepared, prepare
from outplay.runs.preparing.systems import job_for_worker
from outplay.runs.recorded_play import RecordedPlay
from outplay.runs.result import RunResult
from outplay.runs.suite_runs.suite_plays import SuitePlays
from outplay.scale.worker_slots import WorkerSlot, first_done
from outplay.suite.suite import TestCase
from outplay.tester.lessons import Entry, LessonWriter

Try: TypeAlias = tuple[int, int]
"""The number of a test in its suite, and how often it was tried before."""
BATCH = 8  # tests that a worker plays at a time
SUITE_ENDING = "outplay.runs.parallel.parallel_suite:end_suite_workers"
_REMEMBERED = 1_000  # tests behind the newest that may have to be tried again


class ParallelSuite(SuitePlays):
    """The plays of a suite, each made by one of several workers."""

    def __init__(self, prepared: Prepared) -> None:
        super().__init__(prepared)
        refuse_shared_system(prepared.job)
        _refuse_order(prepared.job)
        self._run = secrets.token_hex(8)
        self._hiring: Hiring | None = None
        self._slots, self._idle = list[WorkerSlot](), deque[int]()
        self._asked: dict[int, list[Try]] = {}
        """The tests that each slot is playing, in the order in which they were asked."""
        self._made: dict[Try, RecordedPlay | None] = {}
        self._number, self._ahead = -1, 0

    def next(self) -> Play | None:
        try:
            play = self._next_test()
            return None if play is None else replace(play, recorded=self._received((self._number, self._tried)))
        except BaseException:
            self._dismiss()
            raise

    def again(self, recorded: RecordedPlay) -> Play:
        play = self._next_test()
        if play is None:
            raise UsageError("the run cannot be resumed: its suite has fewer tests than were played")
        return replace(play, recorded=recorded)

    def complete(self, result: RunResult) -> RunResult:
        self._dismiss()
        return super().complete(result)

    def close(self, error: BaseException | None) -> None:
        self._dismiss()
        super().close(error)

    def _next_test(self) -> Play | None:
        self._number += self._test is None
        return super().next()

    def observe(self, event: RunEvent) -> None:
        super().observe(event)
        if isinstance(event, Step) and self._slots:
            for slot in [slot for slot in self._asked if self._slots[slot].answer is not None]:
                self._collect(slot)
            self._ask()

    def _received(self, wanted: Try) -> RecordedPlay:
        """The play of a test, once it is made."""
        if self._hiring is None:
            self._hiring = workers_of_job(self.job, SUITE_ENDING, self._run)
            self._slots = self._hiring.slots()
            self._idle.extend(range(len(self._slots)))
        self._made = {one: play for one, play in self._made.items() if one >= wanted}
        while wanted not in self._made:
            self._ask(wanted)
            self._collect(self._slots.index(first_done([self._slots[slot] for slot in self._asked])))
        self._ask(wanted)
        play = self._made.pop(wanted)
        if play is None:
            raise UsageError(f"{self.job.suite}: workers read another suite: it has no test {wanted[0] + 1} there")
        return play

    def _ask(self, wanted: Try | None = None) -> None:
        """Give whoever is idle the test that is wanted, then what may be wanted next."""
        if wanted and self._idle and wanted[0] < self._ahead and wanted not in self._pending:
            self._submit(self._idle.popleft(), [wanted])
        while self._idle and (tries := self._tests_ahead() or self._further_tries()):
            self._submit(self._idle.popleft(), tries)

    @property
    def _pending(self) -> set[Try]:
        """What was asked for and is not taken into the run yet."""
        return {one for tries in self._asked.values() for one in tries} | self._made.keys()

    def _tests_ahead(self) -> list[Try]:
        """The next tests that were not played yet, if they are near enough."""
        first, size = max(self._ahead, self._number), self.suite.size
        if first > self._number + 2 * BATCH * len(self._slots):
            return []
        tries = [(number, 0) for number in range(first, first + BATCH) if size is None or number < size]
        self._ahead = first + len(tries)
        return tries

    def _further_tries(self) -> list[Try]:
        """One more try of the test that goes on, where an earlier one left it open."""
        last = min(self._tried + len(self._slots), self.job.most_plays - 1)
        tries = ((self._number, tried) for tried in range(self._tried + 1, last + 1))
        return [one for one in tries if self._tried and one not in self._pending][:1]

    def _submit(self, slot: int, tries: list[Try]) -> None:
        asked: dict[str, Any] = {"run": self._run, "worker": slot, "job": self.job.json(), "tests": tries}
        self._slots[slot].submit(suite_task, lambda: json.dumps(asked | {"seconds": self._until.left}))
        self._asked[slot] = tries

    def _collect(self, slot: int) -> None:
        """Take over what a slot has played; an Error where it cannot."""
        tries = self._asked.pop(slot)
        try:
            texts = json.loads(self._slots[slot].result())
            self._made |= {
                one: None if text is None else RecordedPlay.from_text(text)
                for one, text in zip(tries, texts, strict=True)
            }
        except SystemUnready as error:
            play = RecordedPlay(1, (Event("reset", seen=0.0, detail=str(error), failed=True),))
            self._made |= dict.fromkeys(tries, play)
        self._idle.append(slot)

    def _dismiss(self) -> None:
        slots, self._slots = self._slots, []
        dismiss_workers(slots)
        if self._hiring:
            self._hiring.close()
            self._hiring = None


def _refuse_order(job: Job) -> None:
    """Refuse what chooses a test by how the last one ended."""
    for name, given in (("--join", job.join), ("--tester", job.tester), ("--extra-steps", job.extra_steps)):
        if given:
            raise UsageError(f"{name} takes the tests of a suite one after the other: leave out it or --jobs")


class SuiteWorker:
    """Plays of one suite, as one of several workers."""

    def __init__(self, job: Job, number: int) -> None:
        self.prepared = prepare(job_for_worker(job, number))
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
    """Play the tests of a suite that a text names, as one of several workers, and return the plays."""
    asked = json.loads(text)
    name = f"{asked['run']} {asked['worker']}"
    worker = _workers.get(name)
    if worker is None:
        worker = _workers[name] = SuiteWorker(Job.from_json(asked["job"]), asked["worker"])
    plays = [worker.play(index, tried, asked["seconds"]) for index, tried in asked["tests"]]
    return json.dumps([None if play is None else play.text() for play in plays])


def end_suite_workers(run: str = "") -> None:
    """End the systems of all workers of this process that play suites, or of one run."""
    for name in [name for name in _workers if name.startswith(run)]:
        with suppress(Exception):
            _workers.pop(name).close()
