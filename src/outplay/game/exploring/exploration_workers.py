"""Workers that expand states of a model program ahead of the search, in processes of their own or at a cluster.

Each has the model and numbers values and labels for itself. What travels is rows of codes, with the values and labels
that the other side has not met yet; here they are given our own numbers, state by state, in the order of the search.
So states, values and labels are numbered as by one process alone, and who expands a state changes nothing but time.

Expanding ahead of the search, where that is faster: first rounds are measured, then others may help.
One process alone remembers what methods did, and is often faster than several. So it begins alone. Where a transition
takes it long, and there is enough left to do, workers are hired; where the search is no faster with them, they are let
go. What decides is how long the processor worked: where others use the machine, a small model takes long as well, and
nobody is free to help. Which process expands a state changes nothing about the result.
"""

from __future__ import annotations

import json
import math
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any

import numpy as np

from outplay.model.programs.batches import Batch, Numbers, Vocabulary, pack_states, read_rows, unpack_state, write_rows
from outplay.model.programs.stepping import Stepper
from outplay.scale.worker_slots import Task, WorkerSlot

_LOOK_EVERY = 32  # states expanded here
_MEASURED = 0.3  # seconds of work alone before anything is decided
_WORTH = 8e-6  # seconds of work for a transition from which workers gain more than it costs to send it
_HIRING = 4.0  # seconds of work there must be, what is behind taken for what is ahead: to begin takes about one
_BATCH = 0.05  # seconds of work sent at a time
_LEAST = 0.004  # seconds of work for which it is worth to send anything
_LARGEST = 4096  # states sent at a time
_TRIED = 2.0  # seconds after which working together has to be faster than alone
_PATIENCE = 3  # times in a row that it may be slower, as other programs may be what slows it down


@dataclass(frozen=True)
class Crew:
    """The workers there may be: how each is hired, the task they do, and what they are told of the model."""

    hire: Sequence[Callable[[], Executor]]
    task: Task
    model: dict[str, Any]
    close: Callable[[], None] = lambda: None
    at_once: bool = False
    """Have them work from the first state on, also where one process alone would be faster."""


class Helper:
    """One worker, and what its numbers mean."""

    def __init__(self, crew: Crew, number: int, words: Vocabulary) -> None:
        self._crew, self._number, self._words = crew, number, words
        self.slot: WorkerSlot = WorkerSlot(crew.hire[number])
        self._told = list[int]()
        self._asked = list[int]()
        self._rows: Numbers | None = None
        self._seconds = 0.0
        self._forget()

    def _forget(self) -> None:
        columns = len(self._words.counts)
        self._told = [0] * columns
        self.heard: list[list[Any]] = [[] for _ in range(columns)]
        """Its words, kind by kind, by its own numbers."""
        self.codes: list[list[int]] = [[] for _ in range(columns)]
        """Our number of each, -1 where it was not needed yet."""

    def submit(self, rows: Numbers, seconds: float) -> None:
        """Ask for the expansion of some states."""
        self._rows, self._seconds = rows, seconds
        self.slot.submit(self._crew.task, self._request)

    def _request(self) -> str:
        assert self._rows is not None
        self._asked = self._words.counts
        asked = {"since": self._told, "words": self._words.since(self._told), "heard": [len(one) for one in self.heard]}
        asked |= {"rows": write_rows(self._rows), "seconds": self._seconds, "worker": self._number}
        return json.dumps(asked | self._crew.model)

    def result(self) -> Batch:
        """Wait for the expansion, in the numbers of the worker."""
        answer = json.loads(self.slot.result())
        while answer is None:  # a new worker in place of one that died
            self._forget()
            self.slot.again()
            answer = json.loads(self.slot.result())
        self._told = self._asked
        for column, words in enumerate(answer.pop("words")):
            self.heard[column] += words
            self.codes[column] += [-1] * len(words)
        width = len(self.codes)
        widths = {"rows": width, "goals": 2}
        flat = {name: read_rows(written, 1).ravel() for name, written in answer.items() if name not in widths}
        return Batch(**flat, **{name: read_rows(answer[name], columns) for name, columns in widths.items()})

    def own_code(self, column: int, code: int) -> int:
        """Our number for one of its words, a new one where we have not met it."""
        known = self.codes[column]
        if known[code] < 0:
            known[code] = self._words.code(column, self.heard[column][code])
        return known[code]

    def greet(self) -> None:
        """Have it load the model."""
        self.submit(np.zeros((0, len(self.codes)), dtype=np.uint32), 0.0)

    def dismiss(self) -> None:
        """Ask it to end."""
        self.slot.dismiss()

    def close(self) -> None:
        """Let it go."""
        self.slot.close()


class Expanded:
    """A batch that a worker expanded, taken over state by state."""

    def __init__(self, stepper: Stepper, helper: Helper, first: int, asked: int, batch: Batch) -> None:
        self.first, self.count = first, len(batch.degrees)
        self._stepper, self._helper = stepper, helper
        self._numbers = list(range(first, first + asked))
        """Our number of each state of the batch that was met so far."""
        self._own = asked
        self._ends = [0, *np.cumsum(batch.degrees).tolist()]
        self._labels, self._targets = batch.labels.tolist(), batch.targets.tolist()
        self._rows, self._listed = batch.rows.tolist(), batch.listed.tolist()
        self._known_labels = 0
        names = list(stepper.program.goals)
        self._goals = dict[int, list[str]]()
        for place, goal in batch.goals.tolist():
            self._goals.setdefault(place, []).append(names[goal])

    def take(self, number: int, labels: list[int], targets: list[int]) -> None:
        """Append the transitions of the next state."""
        place = number - self.first
        for code in range(self._known_labels, self._listed[place]):
            self._helper.own_code(-1, code)
        self._known_labels = self._listed[place]
        span = slice(self._ends[place], self._ends[place + 1])
        met, numbers = self._targets[span], self._numbers
        for place_of_row in range(len(numbers), max(met, default=-1) + 1):
            numbers.append(self._number(self._rows[place_of_row - self._own]))
        known = self._helper.codes[-1]
        labels.extend([known[code] for code in self._labels[span]])
        targets.extend([numbers[one] for one in met])

    def goals_of(self, number: int) -> Sequence[str]:
        """Name the goals that hold in a state."""
        return self._goals.get(number - self.first, ())

    def _number(self, row: list[int]) -> int:
        own = self._helper.own_code
        codes = [own(column, code) for column, code in enumerate(row[:-1])]
        call = own(-1, row[-1] - 1) + 1 if row[-1] else 0
        return self._stepper.number_of(unpack_state(self._stepper, [*codes, call]))


class Ahead:
    """The expansion of states one by one, some of them by workers and before they are asked for."""

    def __init__(self, stepper: Stepper, crew: Crew, seconds: float) -> None:
        self._stepper, self._crew = stepper, crew
        self._deadline = time.monotonic() + seconds
        self._began, self._worked = time.perf_counter(), time.thread_time()
        self._words = Vocabulary(stepper)
        self._helpers, self._idle = list[Helper](), deque[Helper]()
        self._flight = deque[tuple[int, int, Helper]]()
        """The states that were sent: the first one, how many, and to whom."""
        self._batch: Expanded | None = None
        self._sent = 0
        """The number of the first state that was not sent, nor expanded here, when it was looked at last."""
        self._here, self._each = 0, 0.0
        """The number of states that were expanded here, and the seconds of work for each before others helped."""
        self._pace, self._since, self._found = math.inf, 0.0, 0
        self._slower, self._given_up = 0, False
        self.helped = 0
        """The number of states that workers expanded."""

    def expand(self, number: int, labels: list[int], targets: list[int]) -> None:
        """Append the transitions of the next state."""
        if (self._helpers or self._batch) and self._taken_over(number, labels, targets):
            return
        self._stepper.expand(number, labels, targets)
        self._here += 1
        if self._here % _LOOK_EVERY == 0 or self._crew.at_once:
            self._sent = max(self._sent, number + 1)
            self._look(len(targets))

    def _taken_over(self, number: int, labels: list[int], targets: list[int]) -> bool:
        """Append the transitions of a state that a worker has expanded, if one has."""
        if self._batch is None or number >= self._batch.first + self._batch.count:
            self._batch = self._arrived(number, len(targets))
        if self._batch is None:
            return False
        self._batch.take(number, labels, targets)
        self.helped += 1
        return True

    def goals_after_expanding(self, number: int) -> Sequence[str]:
        """Name the goals that hold in the state that was expanded last."""
        return self._stepper.goals_after_expanding(number) if self._batch is None else self._batch.goals_of(number)

    def close(self) -> None:
        """Let the workers go."""
        helpers, self._helpers, self._given_up = self._helpers, [], True
        self._idle.clear()
        self._flight.clear()
        for helper in helpers:
            helper.dismiss()
        for helper in helpers:
            helper.close()
        if helpers:
            self._crew.close()

    def _look(self, found: int) -> None:
        """Hire workers where that is worth while, and send them states once they are there."""
        if not self._helpers and not self._given_up and self._worth_hiring(found):
            self._pace = (time.perf_counter() - self._began) / max(found, 1)
            self._helpers = [Helper(self._crew, one, self._words) for one in range(len(self._crew.hire))]
            for helper in self._helpers:
                helper.greet()
        if self._helpers and not self._idle and not self._flight:
            self._idle.extend(helper for helper in self._helpers if self._crew.at_once or helper.slot.ready)
            if len(self._idle) < len(self._helpers):
                self._idle.clear()
                return
            for helper in self._idle:
                helper.result()
            self._since, self._found = time.perf_counter(), found
        self._send()

    def _worth_hiring(self, found: int) -> bool:
        worked = time.thread_time() - self._worked
        self._each = worked / self._here
        ahead = (len(self._stepper.states) - self._sent) * self._each
        slow = worked > _WORTH * max(found, 1)
        return self._crew.at_once or (worked > _MEASURED and slow and worked + ahead > _HIRING)

    def _send(self) -> None:
        """Give whoever is idle the next states, unless they are so few that they are sooner expanded here."""
        each = self._each
        while self._idle:
            left = len(self._stepper.states) - self._sent
            fair = -(-left // len(self._helpers))
            count = min(fair, max(int(_BATCH / each), 1), _LARGEST)
            if count == 0 or (count * each < _LEAST and not self._crew.at_once):
                return
            states = self._stepper.states[self._sent : self._sent + count]
            helper = self._idle.popleft()
            helper.submit(pack_states(self._stepper, states), max(self._deadline - time.monotonic(), 0.1))
            self._flight.append((self._sent, count, helper))
            self._sent += count

    def _arrived(self, number: int, found: int) -> Expanded | None:
        """The batch with a state; None where that has to be expanded here."""
        if not self._flight or self._flight[0][0] != number:
            return None
        first, count, helper = self._flight.popleft()
        batch = helper.result()
        self._idle.append(helper)
        expanded = Expanded(self._stepper, helper, first, count, batch)
        self._send()
        now = time.perf_counter()
        if now - self._since > _TRIED and not self._crew.at_once:
            self._slower = self._slower + 1 if (now - self._since) > self._pace * (found - self._found) else 0
            if self._slower == _PATIENCE:
                self.close()  # what was sent is expanded here
            self._since, self._found = now, found
        return expanded if expanded.count else None
