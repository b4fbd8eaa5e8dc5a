"""Workers that expand states of a model program ahead of the search, in processes of their own or at a cluster.

Each has the model and numbers values and labels for itself. What travels is rows of codes, with the values and labels
that the other side has not met yet; here they are given our own numbers, state by state, in the order of the search.
So states, values and labels are numbered as by one process alone, and who expands a state changes nothing but time.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any

import numpy as np

from outplay.model.programs.batches import Batch, Numbers, Vocabulary, rows_from, state_of, written_array
from outplay.model.programs.stepping import Stepper
from outplay.scale.seats import Seat, Task


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
        self.seat: Seat = Seat(crew.hire[number])
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
        self.seat.submit(self._crew.task, self._request)

    def _request(self) -> str:
        assert self._rows is not None
        self._asked = self._words.counts
        asked = {"since": self._told, "words": self._words.since(self._told), "heard": [len(one) for one in self.heard]}
        asked |= {"rows": written_array(self._rows), "seconds": self._seconds, "worker": self._number}
        return json.dumps(asked | self._crew.model)

    def result(self) -> Batch:
        """Wait for the expansion, in the numbers of the worker."""
        answer = json.loads(self.seat.result())
        while answer is None:  # a new worker in place of one that died
            self._forget()
            self.seat.again()
            answer = json.loads(self.seat.result())
        self._told = self._asked
        for column, words in enumerate(answer.pop("words")):
            self.heard[column] += words
            self.codes[column] += [-1] * len(words)
        width = len(self.codes)
        widths = {"rows": width, "goals": 2}
        flat = {name: rows_from(written, 1).ravel() for name, written in answer.items() if name not in widths}
        return Batch(**flat, **{name: rows_from(answer[name], columns) for name, columns in widths.items()})

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
        self.seat.dismiss()

    def close(self) -> None:
        """Let it go."""
        self.seat.close()


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
        return self._stepper.number_of(state_of(self._stepper, [*codes, call]))
