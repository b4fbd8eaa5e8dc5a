"""Plain players on a table: a uniform random walk, a greedy one, and outplay's own walk."""

from __future__ import annotations

from collections import deque
from random import Random

from benchmarks.faults.playing import RESET, WAIT
from benchmarks.faults.systems import System
from outplay.model.label import SILENCE


class Uniform:
    """Draws among all enabled inputs and waiting; begins again with a fixed chance."""

    def __init__(self, system: System, rng: Random, *, reset: float) -> None:
        self._moves, self._rng, self._reset = system.moves, rng, reset
        inputs = system.table.inputs
        self._choices = [[*(label for label in row if label < inputs), WAIT] for row in system.moves]
        self._at = 0

    def begin(self) -> None:
        self._at = 0

    def move(self) -> int:
        draw = self._rng.random
        if self._at and draw() < self._reset:
            return RESET
        choices = self._choices[self._at]
        return choices[int(draw() * len(choices))]

    def saw(self, label: int) -> None:
        self._at = self._moves[self._at][label]


class Greedy:
    """Takes an edge not taken yet; where there is none, goes the shortest way to one, a reset among the ways.

    Ways hope that the system goes along. When all were taken it begins anew, for all to be taken once more. An answer
    that did not come ten times is hoped for no more.
    """

    patience = 10

    def __init__(self, system: System, rng: Random) -> None:
        self._moves, self._rng, self._inputs = system.moves, rng, system.table.inputs
        self._way: list[tuple[int, int]] = []
        self._at = 0
        self._expected = [set(row) for row in self._moves]
        self._seen: list[set[int]] = [set() for _ in self._moves]
        self._waits = [0] * len(self._moves)
        self._fresh = [set(row) for row in self._expected]

    def begin(self) -> None:
        self._at = 0

    def move(self) -> int:
        fresh = self._fresh[self._at]
        if fresh:
            return self._move_of(self._rng.choice(sorted(fresh)))
        step = self._next_step()
        if step is None:
            self._fresh = [set(row) for row in self._expected]
            return self.move()
        return RESET if step == RESET else self._move_of(step)

    def saw(self, label: int) -> None:
        self._fresh[self._at].discard(label)
        if label >= self._inputs:
            self._waited(label)
        self._at = self._moves[self._at][label]

    def _waited(self, label: int) -> None:
        expected, seen = self._expected[self._at], self._seen[self._at]
        seen.add(label)
        expected.add(label)
        self._waits[self._at] += 1
        if self._waits[self._at] == self.patience:
            never = {one for one in expected if one >= self._inputs} - seen
            expected -= never
            self._fresh[self._at] -= never

    def _move_of(self, label: int) -> int:
        return label if label < self._inputs else WAIT

    def _next_step(self) -> int | None:
        """The first label on the way to an edge not taken; the way is kept as long as the system goes along."""
        if not self._way or self._way[0][0] != self._at:
            self._way = self._shortest()
        return self._way.pop(0)[1] if self._way else None

    def _shortest(self) -> list[tuple[int, int]]:
        """The shortest way to a state with an edge not taken, as states with labels, a reset among them."""
        before: dict[int, tuple[int, int] | None] = {self._at: None}
        queue = deque([self._at])
        while queue:
            state = queue.popleft()
            if self._fresh[state]:
                return self._backwards(before, state)
            steps = [(label, self._moves[state][label]) for label in sorted(self._expected[state])]
            self._rng.shuffle(steps)
            if state == self._at:
                steps.append((RESET, 0))
            for label, target in steps:
                if target not in before:
                    before[target] = (state, label)
                    queue.append(target)
        return []

    @staticmethod
    def _backwards(before: dict[int, tuple[int, int] | None], state: int) -> list[tuple[int, int]]:
        way = []
        step = before[state]
        while step is not None:
            way.append(step)
            step = before[step[0]]
        return way[::-1]


class PatientGreedy(Greedy):
    """Begins again only where an input may be given: whoever asked waits for the answer, seen already or not."""

    def move(self) -> int:
        move = super().move()
        if move != RESET or any(label < self._inputs for label in self._moves[self._at]):
            return move
        self._way = []
        return WAIT


class Walk:
    """The tester of `run --tester walk`, move for move, on a table; a play has 100 labels, as in `run`."""

    steps = 100

    def __init__(self, system: System, rng: Random) -> None:
        table = system.table
        delta = table.labels.index(SILENCE)
        self._moves, self._rng = system.moves, rng
        self._given = [[label for label in row if label < table.inputs] for row in system.moves]
        shown = [[label for label in row if label >= table.inputs and label != delta] for row in system.moves]
        self._shown, self._speaks = [row or [delta] for row in shown], [bool(row) for row in shown]
        self._seen: list[set[int]] = [set() for _ in system.moves]
        self._at = self._spent = 0

    def begin(self) -> None:
        self._at = self._spent = 0

    def move(self) -> int:
        if self._spent >= self.steps:
            return RESET
        given, shown, seen = self._given[self._at], self._shown[self._at], self._seen[self._at]
        speaks, rng = self._speaks[self._at], self._rng
        if not given and not speaks and shown[0] in seen:
            return RESET
        fresh = [label for label in given if label not in seen]
        news = any(label not in seen for label in shown)
        if fresh and not (speaks and news and rng.random() < 0.5):
            return rng.choice(fresh)
        if news or not given:
            return WAIT
        return rng.choice([*given, WAIT] if speaks else given)

    def saw(self, label: int) -> None:
        self._seen[self._at].add(label)
        self._spent += 1
        self._at = self._moves[self._at][label]
