"""States numbered on disk: a row of codes is folded into pairs, half by half, and each pair is numbered.

So any state is one pair of numbers at the top, however many variables there are, and values shared by many states are
kept once (Laarman, van de Pol and Weber 2011 compress states so in memory).
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from outplay.game.exploring.pair_table import Numbers, PairTable
from outplay.model.programs.batches import rows_of, state_of
from outplay.model.programs.stepping import Codes, Pending, Stepper


class _Node:
    """The columns from one to another, as one number; a single column is its own number."""

    def __init__(self, folder: Path, start: int, end: int) -> None:
        self.start, self.end, middle = start, end, (start + end) // 2
        self.table = PairTable(folder, f"columns-{start}-{end - 1}") if end - start > 1 else None
        self.halves = (_Node(folder, start, middle), _Node(folder, middle, end)) if self.table else None

    def numbers(self, rows: Numbers) -> Numbers:
        if self.table is None or self.halves is None:
            return rows[:, self.start]
        return self.table.numbers(*(half.numbers(rows) for half in self.halves))

    def known(self, row: Numbers) -> int | None:
        if self.table is None or self.halves is None:
            return int(row[self.start])
        left, right = (half.known(row) for half in self.halves)
        return None if left is None or right is None else self.table.known(left, right)

    def fill(self, numbers: Numbers, rows: Numbers) -> None:
        if self.table is None or self.halves is None:
            rows[:, self.start] = numbers
            return
        for half, part in zip(self.halves, self.table.pairs(numbers), strict=True):
            half.fill(part, rows)

    def tables(self) -> Iterator[PairTable]:
        if self.table and self.halves:
            yield self.table
            for half in self.halves:
                yield from half.tables()


class StateIndex:
    """The number of each state, in the order they are met, and the row of each number."""

    def __init__(self, folder: Path, width: int) -> None:
        self._width, self._root = width, _Node(folder, 0, width)
        top = self._root.table
        assert top, "a row has the codes of the variables and the call under way"
        self._top = top

    def __len__(self) -> int:
        return self._top.count

    def numbers(self, rows: Numbers) -> Numbers:
        """Number states, new ones in the order they are met here."""
        return self._root.numbers(rows)

    def known(self, row: Numbers) -> int | None:
        """The number of a state, or None where it was never met."""
        return self._root.known(row)

    def rows(self, start: int, end: int) -> Numbers:
        """The rows of the states from one number to another."""
        rows = np.empty((end - start, self._width), dtype=np.uint32)
        self._root.fill(np.arange(start, end, dtype=np.uint32), rows)
        return rows

    def tables(self) -> Iterator[PairTable]:
        """The tables to be closed when no more states are to be numbered."""
        return self._root.tables()


class KeptStates:
    """The states of a stepper by number: those on disk, then those met later, in memory."""

    def __init__(self, stepper: Stepper, index: StateIndex) -> None:
        self._stepper, self._index, self._count = stepper, index, len(index)
        self._later = list[Codes | Pending]()

    def __len__(self) -> int:
        return self._count + len(self._later)

    def __getitem__(self, number: int) -> Codes | Pending:
        if number >= self._count:
            return self._later[number - self._count]
        return state_of(self._stepper, self._index.rows(number, number + 1)[0].tolist())

    def append(self, state: Codes | Pending) -> None:
        """Add a state that was not on disk."""
        self._later.append(state)


class KeptNumbers(dict[Any, int]):
    """The numbers of states of a stepper: of those on disk, and of those met later."""

    def __init__(self, stepper: Stepper, index: StateIndex) -> None:
        super().__init__()
        self._stepper, self._index = stepper, index

    def get(self, state: Any, default: Any = None) -> Any:
        found = super().get(state)
        if found is None:
            found = self._index.known(rows_of(self._stepper, [state])[0])
        return default if found is None else found


def keep_on_disk(stepper: Stepper, index: StateIndex) -> None:
    """Have a stepper find its states on disk from now on."""
    states: Any = KeptStates(stepper, index)
    stepper.number_in(states, KeptNumbers(stepper, index))
