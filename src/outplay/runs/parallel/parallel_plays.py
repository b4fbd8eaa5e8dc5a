"""Plays made by several workers: played ahead, and taken into the run in the order of their numbers.

Of N workers, worker (k - 1) mod N makes play k, once all plays up to k - N are in, and it has learnt from just these.
Where nobody learns from plays, whoever is free makes the next one. So a run with N workers repeats however fast each of
them is, and the run itself never notices that its plays were made elsewhere: the first play that fails ends it, and
what was played ahead of that is dropped. Between two steps of a play that it takes in, it looks for plays that were
made meanwhile, so that no worker waits for that.
"""

from __future__ import annotations

import json
import secrets
from collections import deque
from dataclasses import dataclass
from tempfile import TemporaryFile

from outplay.errors import SystemUnready, UsageError
from outplay.play.following import Step
from outplay.play.plan import Plan
from outplay.play.trace import Event
from outplay.runs.events import PlayEnded, RunEvent
from outplay.runs.parallel.play_worker import ENDING, NEED, play_task
from outplay.runs.parallel.worker_pool import Hiring, dismiss_workers, refuse_shared_system, workers_of_job
from outplay.runs.play_loop import Play
from outplay.runs.play_sources import PlanPlays
from outplay.runs.preparing.planning import Prepared
from outplay.runs.recorded_play import RecordedPlay
from outplay.runs.result import RunResult
from outplay.scale.worker_slots import WorkerSlot, first_done

_OWED = 10  # answers that may come after the last label of a play
_MOST_AHEAD = 4  # plays that were given to a worker and are not in the run yet, for each


@dataclass
class _Ahead:
    """A play that was given to the worker of a slot and is not in the run yet."""

    number: int
    steps: int
    slot: int
    made: RecordedPlay | None = None


class ParallelPlays(PlanPlays):
    """The plays of a plan, each made by one of several workers."""

    def __init__(self, prepared: Prepared, plan: Plan) -> None:
        super().__init__(prepared, plan)
        self._job = job = prepared.job
        if not job.model:
            raise UsageError("several workers need a model with a name: write it in a file, and name that")
        refuse_shared_system(job)
        self._teaching = plan.tester.learns or self.afterwards is not None
        self._run, self._slots = secrets.token_hex(8), list[WorkerSlot]()
        self._hiring: Hiring | None = None
        self._known = list[int]()
        """From how many plays each worker has learnt, and will have when it has done what it was asked."""
        self._asked_for = list[int]()
        self._ahead: deque[_Ahead] = deque()
        self._next = 1
        self._before = list[str]()
        """Plays that were made before the run was cut short."""
        self._lessons: _Lessons | None = None

    def next(self) -> Play | None:
        try:
            if not self._slots:
                self._hire()
            until = self.budget.begin()
            self._play_ahead()
            if not self._ahead:
                return None
            self._steps = 0
            recorded = self._first_made()
            self._play_ahead()  # while this one is taken into the run
        except BaseException:
            self._dismiss()
            raise
        return Play(self.plan, self._ahead[0].steps, until=until, recorded=recorded)

    def observe(self, event: RunEvent) -> None:
        super().observe(event)
        if isinstance(event, PlayEnded):
            self._ahead.popleft()
        elif isinstance(event, Step) and self._slots:
            self._collect()

    def again(self, recorded: RecordedPlay) -> Play:
        if self._teaching:
            self._before.append(recorded.text())
        self._ahead.append(_Ahead(self._next, 0, 0))
        self._next += 1
        return super().again(recorded)

    def complete(self, result: RunResult) -> RunResult:
        self._dismiss()
        return super().complete(result)

    def close(self, error: BaseException | None) -> None:
        self._dismiss()
        super().close(error)

    def _hire(self) -> None:
        """Have all workers make ready, before the time of the run begins to count."""
        self._hiring = workers_of_job(self._job, ENDING, self._run)
        self._slots = self._hiring.slots()
        self._lessons = _Lessons()
        for number, text in enumerate(self._before, 1):
            self._lessons.add(number, text)
        self._known = [0] * len(self._slots)
        self._asked_for = [0] * len(self._slots)
        for number in range(len(self._slots)):
            self._ask(number)
        for slot in self._slots:
            slot.result()

    def _dismiss(self) -> None:
        slots, self._slots = self._slots, []
        dismiss_workers(slots)
        if self._lessons:
            self._lessons.close()
        if self._hiring:
            self._hiring.close()
            self._hiring = None

    def _play_ahead(self) -> None:
        """Give workers what they may play by now."""
        while (slot := self._slot_of_next()) is not None and (steps := self._most_steps()):
            self._ask(slot, self._next, steps)
            self._ahead.append(_Ahead(self._next, steps, slot))
            self._next += 1

    def _slot_of_next(self) -> int | None:
        """Return whose play the next one is, if it can be begun by now."""
        assert self._lessons
        slots = len(self._slots)
        if len(self._ahead) >= _MOST_AHEAD * slots:
            return None
        if self._teaching:
            return (self._next - 1) % slots if self._next - slots <= self._lessons.count else None
        busy = {one.slot for one in self._ahead if one.made is None}
        return next((slot for slot in range(slots) if slot not in busy), None)

    def _most_steps(self) -> int | None:
        """Return the maximum number of labels of the next play; None where that depends on plays that are not in
        yet.
        """
        budget, ahead = self.budget, self._ahead
        if not budget.left or (budget.plays is not None and budget.plays <= len(ahead)):
            return None
        if budget.labels is None or not ahead:
            return budget.steps or None
        least = budget.labels - sum(budget.start + one.steps + _OWED for one in ahead)
        return budget.most_steps if least >= budget.start + budget.most_steps else None

    def _ask(self, slot: int, play: int | None = None, steps: int = 0) -> None:
        """Ask the worker of a slot for a play, and teach it what it needs to know for that."""
        number = max((play or 0) - len(self._slots), 0) if self._teaching else 0
        asked = {"run": self._run, "worker": slot, "job": self._job.json(), "play": play, "steps": steps}

        def text() -> str:
            assert self._lessons
            since, left = self._known[slot], self.budget.until.left
            self._known[slot] = 0  # unless it is heard of again
            return json.dumps({**asked, "since": since, "lessons": self._lessons.read(since, number), "seconds": left})

        self._asked_for[slot] = number
        self._slots[slot].submit(play_task, text)

    def _collect(self) -> None:
        """Take in what was made by now, and let those who made it go on."""
        made = False
        for one in self._ahead:
            text = self._slots[one.slot].answer if one.made is None else None
            if text is not None and not text.startswith(NEED):
                self._take_in(one, text)
                made = True
        if made:
            self._play_ahead()

    def _first_made(self) -> RecordedPlay:
        """The first play, once it is made; whoever makes another one meanwhile goes on."""
        first = self._ahead[0]
        while first.made is None:
            waiting = {self._slots[one.slot]: one for one in self._ahead if one.made is None}
            self._receive(waiting[first_done([*waiting])])
            if first.made is None:
                self._play_ahead()
        return first.made

    def _receive(self, one: _Ahead) -> None:
        """Take in the play that was given to a worker, once it is made; an Error where it cannot be."""
        slot = self._slots[one.slot]
        try:
            text = slot.result()
            while text.startswith(NEED):  # a new worker in place of one that died
                self._known[one.slot] = int(json.loads(text)["need"])
                slot.again()
                text = slot.result()
        except SystemUnready as error:
            one.made = RecordedPlay(one.number, (Event("reset", seen=0.0, detail=str(error), failed=True),))
        else:
            self._take_in(one, text)

    def _take_in(self, one: _Ahead, text: str) -> None:
        """Take in a play that was made, and have it learnt from once all before it are in."""
        self._known[one.slot] = self._asked_for[one.slot]
        one.made = RecordedPlay.from_text(text)
        if self._teaching:
            assert self._lessons
            self._lessons.add(one.number, text)


class _Lessons:
    """The plays that are in, kept in a file, because a new worker has to learn from all of them."""

    def __init__(self) -> None:
        self._file = TemporaryFile("w+b")  # noqa: SIM115  # closed by `close`
        self._ends = [0]
        self._early = dict[int, str]()

    @property
    def count(self) -> int:
        """The number of plays that are in with all before them."""
        return len(self._ends) - 1

    def add(self, number: int, text: str) -> None:
        """Keep the play of a number; one that comes early waits for those before it."""
        self._early[number] = text
        while (following := self._early.pop(self.count + 1, None)) is not None:
            self._file.seek(self._ends[-1])
            self._ends.append(self._ends[-1] + self._file.write(following.encode()))

    def read(self, first: int, last: int) -> list[str]:
        """The plays after the first this many, up to the last."""
        found = list[str]()
        for number in range(first, last):
            self._file.seek(self._ends[number])
            found.append(self._file.read(self._ends[number + 1] - self._ends[number]).decode())
        return found

    def close(self) -> None:
        """Forget them."""
        self._file.close()
