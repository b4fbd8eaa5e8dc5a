"""Batches of states that are expanded together, as arrays of small numbers that can be written down or sent.

A batch numbers states for itself: its own come first, then those they lead to, in the order they are met. Whoever has
the numbers of all states therefore meets new ones in the very order in which a single process would.

Values of models as JSON, for workers that step the same model.
What is read makes no objects but values, of classes that are loaded already, and runs nothing of theirs. A class of the
model's own file is named without its path, which may differ from machine to machine.
"""

from __future__ import annotations

import sys
from base64 import b64decode, b64encode
from collections.abc import Sequence
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum, Flag
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from outplay.errors import ModelError, OutplayError
from outplay.model.programs.budget import OverBudget
from outplay.model.programs.stepping import Codes, Pending, Stepper
from outplay.model.values import Map

_FILE = "outplay_model_"
"""The beginning of the name of a module that was loaded from a file (load.py); the path stands behind its last `_`."""
_EXACT = 2**63
"""Whole numbers from here on are written in hexadecimal, which may have any length."""
Numbers = NDArray[np.uint32]


def pack_value(value: Any) -> Any:
    """Write a value of a batch as JSON can hold it.

    >>> pack_value(("ann", 1, frozenset({b"x"})))
    ['t', 'ann', 1, ['s', ['b', '78']]]
    >>> unpack_value(pack_value(Map(ann=(True, None, 1)))), unpack_value(pack_value(Fraction(1, 3)))
    (Map({'ann': (True, None, 1)}), Fraction(1, 3))
    """
    kind = type(value)
    if value is None or kind in (bool, str):
        return value
    if kind is int:
        return value if -_EXACT < value < _EXACT else ["i", hex(value)]
    if kind is tuple:
        return ["t", *map(pack_value, value)]
    if kind is frozenset:
        return ["s", *map(pack_value, value)]
    if kind is bytes:
        return ["b", value.hex()]
    if kind is Fraction:
        return ["q", hex(value.numerator), hex(value.denominator)]
    if kind is Map:
        return ["m", *([pack_value(key), pack_value(held)] for key, held in value.items())]
    name = [kind.__module__, kind.__qualname__]
    if isinstance(value, Flag):
        return ["f", *name, pack_value(value.value)]
    if isinstance(value, Enum):
        return ["e", *name, value.name]
    return ["d", *name, *(pack_value(getattr(value, field.name)) for field in fields(value))]


def unpack_value(written: Any) -> Any:
    """Read a value of a batch that `pack_value` wrote.

    >>> unpack_value(["e", "subprocess", "Popen", "ls"])
    Traceback (most recent call last):
    outplay.errors.ModelError: subprocess.Popen is no kind of value of this model: have all workers read the same model
    """
    if type(written) is not list:
        return written
    kind, *parts = written
    if kind == "t":
        return tuple(map(unpack_value, parts))
    if kind == "s":
        return frozenset(map(unpack_value, parts))
    if kind == "m":
        return Map((unpack_value(key), unpack_value(held)) for key, held in parts)
    if kind == "b":
        return bytes.fromhex(parts[0])
    if kind == "i":
        return int(parts[0], 16)
    if kind == "q":
        return Fraction(int(parts[0], 16), int(parts[1], 16))
    module, name, *inside = parts
    found = _class(module, name)
    if kind == "f":
        return found(unpack_value(inside[0]))
    return found[inside[0]] if kind == "e" else _dataclass(found, map(unpack_value, inside))


def _dataclass(kind: Any, values: Any) -> Any:
    made = object.__new__(kind)
    for field, value in zip(fields(kind), values, strict=True):
        object.__setattr__(made, field.name, value)
    return made


def _class(module: str, name: str) -> Any:
    """Find a kind of value among what is loaded."""
    found: Any = _module(module)
    for part in name.split("."):
        found = getattr(found, part, None)
    if isinstance(found, type) and (issubclass(found, Enum) or is_dataclass(found)):
        return found
    raise ModelError(f"{module}.{name} is no kind of value of this model: have all workers read the same model")


def _module(name: str) -> Any:
    if name in sys.modules or not name.startswith(_FILE):
        return sys.modules.get(name)
    stem = name.rpartition("_")[0]
    return next((module for known, module in sys.modules.items() if known.rpartition("_")[0] == stem), None)


@dataclass(frozen=True)
class Batch:
    """The transitions of some states, one state after the other."""

    degrees: Numbers
    """The number of transitions of each state; fewer states than asked for where one cannot be expanded."""
    labels: Numbers
    targets: Numbers
    rows: Numbers
    """The states met that are none of the batch's own: the codes of the variables, and the call under way."""
    listed: Numbers
    """For each state the number of labels that were known when it had been expanded."""
    goals: Numbers
    """For each state and each goal that holds there, the place of the state and that of the goal."""


class BatchStepper:
    """Expands batches with a stepper that numbers the states of one batch at a time."""

    def __init__(self, stepper: Stepper) -> None:
        self.stepper = stepper
        self._goals = {name: place for place, name in enumerate(stepper.program.goals)}

    def expand(self, rows: Sequence[Sequence[int]]) -> Batch:
        """Expand states, up to the first that raises something or passes a bound."""
        stepper, count = self.stepper, len(rows)
        self._begin(rows)
        labels, targets, degrees, listed = list[int](), list[int](), list[int](), list[int]()
        goals = list[tuple[int, int]]()
        done = known = 0
        for place in range(count):
            known = len(stepper.states)
            try:
                stepper.expand(place, labels, targets)
                held = stepper.goals_after_expanding(place)
            except (OutplayError, OverBudget):
                break
            goals += [(place, self._goals[name]) for name in held]
            degrees.append(len(targets) - done)
            listed.append(len(stepper.labels.all))
            done = len(targets)
        else:
            known = len(stepper.states)
        return Batch(
            np.array(degrees, dtype=np.uint32),
            np.array(labels[:done], dtype=np.uint32),
            np.array(targets[:done], dtype=np.uint32),
            pack_states(stepper, stepper.states[count:known]),
            np.array(listed, dtype=np.uint32),
            np.array(goals, dtype=np.uint32).reshape(-1, 2),
        )

    def raise_first(self) -> None:
        """Raise whatever keeps the first state of the last batch from being expanded."""
        self.stepper.expand(0, [], [])
        self.stepper.goals_after_expanding(0)

    def _begin(self, rows: Sequence[Sequence[int]]) -> None:
        """Number these states and no others; those in which their calls were made come behind them."""
        states, numbers = self.stepper.states, self.stepper.numbers
        states.clear()
        numbers.clear()
        states.extend(tuple(row[:-1]) for row in rows)
        numbers.update({state: place for place, state in enumerate(states) if not rows[place][-1]})
        for place, row in enumerate(rows):
            if row[-1]:
                states[place] = call = unpack_state(self.stepper, row)
                numbers[call] = place


def pack_states(stepper: Stepper, states: Sequence[Codes | Pending]) -> Numbers:
    """Pack states as rows of codes; the last column is 0, or 1 more than the label of the call under way."""
    width = len(stepper.tables) + 1
    rows = list[tuple[int, ...]]()
    for state in states:
        call = 0
        while isinstance(state, Pending):
            call, state = stepper.labels.known(state.call) + 1, stepper.states[state.base]
        rows.append((*state, call))
    return np.array(rows, dtype=np.uint32).reshape(-1, width)


def unpack_state(stepper: Stepper, row: Sequence[int]) -> Codes | Pending:
    """Unpack a state from its row of codes; the state in which its call was made is numbered before."""
    *codes, call = row
    if not call:
        return tuple(codes)
    label, actions = stepper.labels.all[call - 1], [action.name for action in stepper.program.actions]
    return Pending(stepper.number_of(tuple(codes)), actions.index(label.gate), label)


class Vocabulary:
    """The values of each variable and the labels, as one side numbers them."""

    def __init__(self, stepper: Stepper) -> None:
        self.stepper = stepper

    @property
    def counts(self) -> list[int]:
        """The number of values of each variable, and that of labels."""
        return [*self.stepper.value_counts(), len(self.stepper.labels.all)]

    def since(self, counts: Sequence[int]) -> list[list[Any]]:
        """The words behind the first this many of each kind, written down."""
        tables, labels, actions = self.stepper.tables, self.stepper.labels, self.stepper.program.actions
        values = [
            [pack_value(value) for value in table.values_of[count:]]
            for table, count in zip(tables, counts, strict=False)
        ]
        places = {action.name: place for place, action in enumerate(actions)}
        said = zip(labels.all[counts[-1] :], labels.actions[counts[-1] :], strict=True)
        return [*values, [[label.kind, places[action.name], pack_value(label.arguments)] for label, action in said]]

    def code(self, column: int, word: Any) -> int:
        """Return the number of a written value or label, a new one where it has not been met."""
        if 0 <= column < len(self.stepper.tables):
            return self.stepper.tables[column].code(unpack_value(word))
        kind, place, arguments = word
        return self.stepper.labels.number(kind, self.stepper.program.actions[place], unpack_value(arguments))


class BatchWorker:
    """Expands batches for another process, which has its own numbers for values and labels."""

    def __init__(self, stepper: Stepper) -> None:
        self._batches, self._words = BatchStepper(stepper), Vocabulary(stepper)
        self._codes: list[list[int]] = [[] for _ in self._words.counts]
        """Our number for each word of the other side, kind by kind."""

    def answer(self, asked: dict[str, Any]) -> dict[str, Any] | None:
        """Answer a request; None where it takes more for known than is."""
        for since, heard, known, count in zip(
            asked["since"], asked["heard"], self._codes, self._words.counts, strict=True
        ):
            if since > len(known) or heard > count:
                return None
        for column, (since, words) in enumerate(zip(asked["since"], asked["words"], strict=True)):
            self._codes[column][since:] = [self._words.code(column, word) for word in words]
        batch = self._batches.expand([self._own(row) for row in read_rows(asked["rows"], len(self._codes)).tolist()])
        arrays = {field.name: write_rows(getattr(batch, field.name)) for field in fields(batch)}
        return arrays | {"words": self._words.since(asked["heard"])}

    def _own(self, row: list[int]) -> list[int]:
        call = self._codes[-1][row[-1] - 1] + 1 if row[-1] else 0
        return [*(known[code] for known, code in zip(self._codes, row[:-1], strict=False)), call]


def write_rows(numbers: Numbers) -> str:
    """Write the rows of a batch as text."""
    return b64encode(numbers.astype("<u4").tobytes()).decode()


def read_rows(written: str, width: int) -> Numbers:
    """Read the rows of a batch, of this many numbers each, from text."""
    return np.frombuffer(b64decode(written), dtype="<u4").reshape(-1, width)
