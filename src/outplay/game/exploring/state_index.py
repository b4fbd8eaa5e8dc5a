"""States numbered on disk: a row of codes is folded into pairs, half by half, and each pair is numbered.

So any state is one pair of numbers at the top, however many variables there are, and values shared by many states are
kept once (Laarman, van de Pol and Weber 2011 compress states so in memory).

Pairs of numbers, numbered in the order they are met and kept on disk as sorted arrays.
Duplicates are found late: whatever a batch brings is sorted, and looked up in all sorted arrays there are in one pass.
What is new becomes an array of its own; arrays of like size are merged, so there are O(log n) of them, and a number is
written O(log n) times. That is the delayed detection of duplicates of searches on external memory. Memory holds small
arrays and the pieces that are merged, and the rest is mapped.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from outplay.model.programs.batches import pack_states, unpack_state
from outplay.model.programs.stepping import Codes, Pending, Stepper

Keys = NDArray[np.uint64]
Numbers = NDArray[np.uint32]
_IN_MEMORY = 1 << 17  # entries of an array that is not written to disk
_PIECE = 1 << 17  # entries merged at a time
_LOW = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)


@dataclass(frozen=True)
class _Run:
    """Keys in order, each with its number."""

    keys: Keys
    numbers: Numbers
    files: tuple[Path, ...] = ()

    def forget(self) -> None:
        for file in self.files:
            file.unlink()


class PairTable:
    """The number of each pair that was met, and the pair of each number."""

    def __init__(self, folder: Path, name: str) -> None:
        self._folder, self._name, self._made = folder, name, 0
        self._by_number = (folder / f"{name}.pairs").open("w+b")
        self._runs = list[_Run]()
        self._mapped: Keys = np.zeros(0, dtype=np.uint64)
        self.count = 0

    def numbers(self, left: Numbers, right: Numbers) -> Numbers:
        """Return the number of each pair, new ones in the order they are met here."""
        pairs = _paired(left, right)
        known, first, inverse = np.unique(pairs, return_index=True, return_inverse=True)
        found, new = self._looked_up(known)
        if new.any():
            places = np.flatnonzero(new)
            order = np.argsort(first[places], kind="stable")
            found[places[order]] = self.count + np.arange(len(places), dtype=np.uint32)
            self._by_number.write(known[places[order]].astype("<u8").tobytes())
            self.count += len(places)
            self._add(_Run(known[places], found[places]))
        return found[inverse]

    def known(self, left: int, right: int) -> int | None:
        """The number of a pair, or None where it was never met."""
        found, new = self._looked_up(_paired(np.array([left], dtype=np.uint32), np.array([right], dtype=np.uint32)))
        return None if new[0] else int(found[0])

    def pairs(self, numbers: Numbers) -> tuple[Numbers, Numbers]:
        """Return both parts of the pairs with these numbers."""
        if len(self._mapped) < self.count:
            if not self._by_number.closed:
                self._by_number.flush()
            self._mapped = _mapped(self._folder / f"{self._name}.pairs", np.uint64, self.count)
        pairs = self._mapped[numbers]
        return (pairs >> _HALF).astype(np.uint32), (pairs & _LOW).astype(np.uint32)

    def _looked_up(self, keys: Keys) -> tuple[Numbers, NDArray[np.bool_]]:
        """The number of each of these keys, which are in order, and which of them have none."""
        found, new = np.zeros(len(keys), dtype=np.uint32), np.ones(len(keys), dtype=bool)
        for run in self._runs:
            places = np.searchsorted(run.keys, keys)
            places[places == len(run.keys)] = 0
            here = run.keys[places] == keys
            found[here] = run.numbers[places[here]]
            new &= ~here
        return found, new

    def _add(self, run: _Run) -> None:
        while self._runs and len(self._runs[-1].keys) <= 2 * len(run.keys):
            older, newer = self._runs.pop(), run
            run = self._merged(older, newer)
            older.forget()
            newer.forget()
        self._runs.append(run)

    def _merged(self, one: _Run, other: _Run) -> _Run:
        count = len(one.keys) + len(other.keys)
        if count <= _IN_MEMORY:
            ((keys, numbers),) = _merging(one, other, count)
            return _Run(keys, numbers)
        self._made += 1
        files = tuple(self._folder / f"{self._name}-{self._made}.{kind}" for kind in ("keys", "numbers"))
        with files[0].open("wb") as keys_file, files[1].open("wb") as numbers_file:
            for keys, numbers in _merging(one, other, _PIECE):
                keys_file.write(keys.astype("<u8").tobytes())
                numbers_file.write(numbers.astype("<u4").tobytes())
        return _Run(_mapped(files[0], np.uint64, count), _mapped(files[1], np.uint32, count), files)

    def close(self) -> None:
        """Write what is left and close the file; numbers and pairs can still be asked for."""
        self._by_number.close()


def _merging(one: _Run, other: _Run, piece: int) -> Iterator[tuple[Keys, Numbers]]:
    """Merge two runs, from each at most so much at a time."""
    at, behind = 0, 0
    while at < len(one.keys) or behind < len(other.keys):
        keys = one.keys[at : at + piece], other.keys[behind : behind + piece]
        more = len(one.keys) - at > piece, len(other.keys) - behind > piece
        last = [part[-1] for part, has_more in zip(keys, more, strict=True) if has_more]
        ends = [int(np.searchsorted(part, min(last), side="right")) if last else len(part) for part in keys]
        both = np.concatenate([part[:end] for part, end in zip(keys, ends, strict=True)])
        order = np.argsort(both, kind="stable")
        spans = one.numbers[at : at + ends[0]], other.numbers[behind : behind + ends[1]]
        yield both[order], np.concatenate(spans)[order]
        at, behind = at + ends[0], behind + ends[1]


def _paired(left: Numbers, right: Numbers) -> Keys:
    return (left.astype(np.uint64) << _HALF) | right.astype(np.uint64)


def _mapped(path: Path, kind: type[Any], count: int) -> Any:
    """An array in a file, as a plain array."""
    return np.asarray(np.memmap(path, dtype=np.dtype(kind).newbyteorder("<"), mode="r", shape=(count,)))


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
        return unpack_state(self._stepper, self._index.rows(number, number + 1)[0].tolist())

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
            found = self._index.known(pack_states(self._stepper, [state])[0])
        return default if found is None else found


def keep_on_disk(stepper: Stepper, index: StateIndex) -> None:
    """Make a stepper keep its index of states on disk from now on."""
    states: Any = KeptStates(stepper, index)
    stepper.number_in(states, KeptNumbers(stepper, index))
