"""Deterministic machines in FSMlib's format, `.fsm`: tables of outputs and of next states.

    2 0              type (1 DFSM, 2 Mealy, 3 Moore, 4 DFA), reduced or not
    2 2 3            numbers of states, inputs and outputs
    2                one more than the largest state
    0 0 1            for each state its outputs, one an input (types 1 and 2); in types 1, 3, 4 the state's own first
    1 0 2
    0 1 0            for each state its next states
    1 1 0
    2 state labels   names of states, inputs and outputs, where there are any
    0 idle
    1 busy

-1 is no transition or no output. The initial state is 0. A DFA is a Moore machine that shows 1 where it accepts. A DFSM
shows on each step the output of the transition and, behind a blank, that of the state reached. The table has its own
order of steps: sources ascending, inputs as the columns. Reference: fsm_file_description.txt of FSMlib.
O(length of the text).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise

from outplay.errors import FormatError
from outplay.formats.texts.label_texts import canonical_names, first_double
from outplay.formats.texts.limits import LIMITS, ReadLimits
from outplay.formats.texts.numerals import whole
from outplay.formats.texts.source import Source, shown
from outplay.groups import grouped
from outplay.model.machine import Machine, Step

_CELLS = re.compile(r"[-0-9\s]*+")
_SECTION = re.compile(r"([0-9]++)\s++(state|input|output) labels")
_DFSM, _MEALY, _MOORE, _DFA = 1, 2, 3, 4


@dataclass
class _LineReader:
    """The lines that are not blank, taken one by one."""

    source: Source
    lines: list[tuple[int, str]]
    place: int = 0

    def take(self, expected: str) -> tuple[int, str]:
        if self.place == len(self.lines):
            last = self.lines[-1][0] if self.lines else 1
            raise self.source.error(last, 1, f"the file ends too early; {expected}")
        self.place += 1
        return self.lines[self.place - 1]

    def counts(self, many: int, expected: str) -> list[int]:
        """Take a line of numbers that count something."""
        number, line = self.take(expected)
        values = [whole(word) for word in line.split()]
        if len(values) != many or None in values:
            raise self.source.error(number, 1, f"{shown(line.strip())} is not as expected; {expected}")
        return [value for value in values if value is not None]


@dataclass
class _Sizes:
    kind: int
    states: int
    inputs: int
    outputs: int
    largest: int


@dataclass
class _Tables:
    """Rows by state; `first_row` is the line where the next states start."""

    first_row: int
    state_outputs: dict[int, list[int]]
    outputs: dict[int, list[int]]
    targets: dict[int, list[int]]


@dataclass
class _Labels:
    states: dict[int, str]
    inputs: dict[int, str]
    outputs: dict[int, str]


def read(source: Source, *, name: str | None = None, limits: ReadLimits = LIMITS) -> Machine:
    """Read a machine; it is called like its file unless a name is given."""
    lines = _LineReader(source, list(source.lines()))
    sizes = _sizes(lines, limits)
    tables = _tables(lines, sizes)
    labels = _named(lines, sizes, sorted(tables.targets))
    steps = _steps(lines, sizes.kind, tables, labels)
    names = tuple(labels.states[state] for state in sorted(tables.targets))
    return Machine(names, steps, 0, name or source.name, moore=sizes.kind in (_MOORE, _DFA))


def _tables(lines: _LineReader, sizes: _Sizes) -> _Tables:
    state_outputs: dict[int, list[int]] = {}
    outputs: dict[int, list[int]] = {}
    if sizes.kind != _MEALY:
        state_outputs = _table(lines, sizes, 1, sizes.outputs, "the output of a state")
    if sizes.kind in (_DFSM, _MEALY):
        outputs = _table(lines, sizes, sizes.inputs, sizes.outputs, "one output for each input")
    first_row = lines.place
    targets = _table(lines, sizes, sizes.inputs, sizes.largest, "one next state for each input")
    if 0 not in targets:
        what = "no state 0, which is the initial one; renumber the states"
        raise lines.source.error(lines.lines[first_row][0], 1, what)
    return _Tables(first_row, state_outputs, outputs, targets)


def _sizes(lines: _LineReader, limits: ReadLimits) -> _Sizes:
    kind, _ = lines.counts(2, "start with the type (1 to 4) and 0 or 1 for reduced")
    line = lines.lines[0][0]
    if kind not in (_DFSM, _MEALY, _MOORE, _DFA):
        raise lines.source.error(line, 1, f"type {kind}; write 1 for DFSM, 2 for Mealy, 3 for Moore or 4 for DFA")
    states, inputs, outputs = lines.counts(3, "write the numbers of states, inputs and outputs")
    (largest,) = lines.counts(1, "write one more than the largest state")
    line = lines.lines[1][0]
    limits.refuse_states(lines.source, line, 1, states)
    limits.refuse_states(lines.source, line, 1, outputs)
    limits.refuse_edges(lines.source, line, 1, max(states, 1) * inputs)
    if not states:
        raise lines.source.error(line, 1, "no states; a machine has at least one")
    if not outputs and inputs:
        raise lines.source.error(line, 1, "no outputs; a machine without them cannot be tested")
    if largest < states:
        what = f"{states} states do not fit below {largest}; write one more than the largest state"
        raise lines.source.error(lines.lines[2][0], 1, what)
    return _Sizes(kind, states, inputs, outputs, largest)


def _table(lines: _LineReader, sizes: _Sizes, width: int, below: int, what: str) -> dict[int, list[int]]:
    """Take a row for each state: the state, then so many numbers from -1 to `below`."""
    rows: dict[int, list[int]] = {}
    for _ in range(sizes.states):
        number, line = lines.take(f"write for each of {sizes.states} states {what}")
        row = _row(lines.source, number, line)
        state, values = row[0], row[1:]
        if len(values) != width:
            how = f"write the state and {what}"
            raise lines.source.error(number, 1, f"a row of {len(row)} numbers instead of {width + 1}; {how}")
        if not 0 <= state < sizes.largest or state in rows:
            why = "stands twice" if state in rows else f"is not below {sizes.largest}"
            raise lines.source.error(number, 1, f"state {state} {why}; write one row for each state")
        if values and (max(values) >= below or min(values) < -1):
            odd = next(value for value in values if not -1 <= value < below)
            column = [cell.start() for cell in re.finditer(r"\S+", line)][1 + values.index(odd)] + 1
            raise lines.source.error(number, column, f"{odd} is not from -1 to {below - 1}; write {what}")
        rows[state] = values
    return rows


def _row(source: Source, number: int, line: str) -> list[int]:
    try:
        if _CELLS.fullmatch(line):
            return list(map(int, line.split()))
    except ValueError:
        pass
    for cell in re.finditer(r"\S+", line):
        if not re.fullmatch(r"-?[0-9]{1,18}", cell.group()):
            what = f"{shown(cell.group())} is no number of a state, input or output; write digits, or -1 for none"
            raise source.error(number, cell.start() + 1, what)
    raise source.error(number, 1, f"{shown(line.strip())} is no row of numbers; write digits with blanks between them")


def _named(lines: _LineReader, sizes: _Sizes, states: list[int]) -> _Labels:
    """Take the sections of names; what has none is called by its number."""
    found: dict[str, dict[int, str]] = {
        "state": {state: str(state) for state in states},
        "input": dict(enumerate(canonical_names(sizes.inputs))),
        "output": dict(enumerate(canonical_names(sizes.outputs))),
    }
    seen: set[str] = set()
    while lines.place < len(lines.lines):
        number, line = lines.take("")
        section = _SECTION.fullmatch(line.strip())
        if not section or section[2] in seen:
            what = "stands twice" if section else "has no meaning here"
            how = "write for instance 2 input labels, and 2 lines of number and name"
            raise lines.source.error(number, 1, f"{shown(line.strip())} {what}; {how}")
        seen.add(section[2])
        _take_names(lines, found[section[2]], section, number)
    return _Labels(found["state"], found["input"], found["output"])


def _take_names(lines: _LineReader, names: dict[int, str], section: re.Match[str], header: int) -> None:
    many = whole(section[1])
    if many is None or many > len(names):
        what = f"{section[1]} {section[2]} labels, but there are {len(names)}; mend the number"
        raise lines.source.error(header, 1, what)
    done: set[int] = set()
    for _ in range(many):
        number, line = lines.take(f"write {many} lines of number and name")
        word, _, text = line.strip().partition(" ")
        place = whole(word)
        if place is None or place not in names or place in done or not text.strip():
            what = "stands twice" if place in done else f"is no number and name of one of {len(names)} {section[2]}s"
            raise lines.source.error(number, 1, f"{shown(line.strip())} {what}; write a number and a name")
        done.add(place)
        names[place] = text.strip()
    double = first_double(list(names.values()))
    if double is not None:
        raise lines.source.error(header, 1, f"two {section[2]}s are called {shown(double)}; rename one")


def _steps(lines: _LineReader, kind: int, tables: _Tables, labels: _Labels) -> tuple[Step, ...]:
    states = sorted(tables.targets)
    numbers = {state: number for number, state in enumerate(states)}
    numbers[-1] = -1
    shows = {state: labels.outputs.get(row[0], "") for state, row in tables.state_outputs.items()}
    inputs = [labels.inputs[place] for place in range(len(labels.inputs))]
    steps: list[Step] = []
    for state in states:
        number, row = numbers[state], tables.targets[state]
        if kind in (_DFSM, _MEALY):
            texts = [labels.outputs.get(answer, "") for answer in tables.outputs.get(state, ())]
            if kind == _DFSM:
                texts = [f"{x} {shows.get(t, '')}".strip() if x else "" for x, t in zip(texts, row, strict=False)]
        else:
            texts = [shows.get(t, "") for t in row]
        ends = [numbers.get(t, -2) for t in row]
        steps += [(number, a, x, t) for a, x, t in zip(inputs, texts, ends, strict=False) if t != -1]
        if -2 in ends or "" in texts or len(texts) < len(row):
            _refuse_gaps(lines, tables.first_row, state, texts, ends)
    return tuple(steps)


def _refuse_gaps(lines: _LineReader, first_row: int, state: int, texts: list[str], ends: list[int]) -> None:
    """Refuse steps to states that have no row, and steps that show nothing."""
    for place, end in enumerate(ends):
        if end == -2 or (end != -1 and not "".join(texts[place : place + 1])):
            rows = (number for number, line in lines.lines[first_row:] if line.split(None, 1)[0] == str(state))
            why = "leads to a state that has no row" if end == -2 else "has no output"
            what = f"the step of state {state} on input {place} {why}; write -1 for no step"
            raise lines.source.error(next(rows, lines.lines[first_row][0]), 1, what)


def write(model: Machine) -> Iterable[str]:
    """Write a deterministic machine that starts in its first state."""
    _refuse(model)
    inputs = {given: place for place, given in enumerate(_columns(model))}
    outputs = {answer: place for place, answer in enumerate(model.outputs)}
    return _text(model, inputs, outputs)


def _refuse(model: Machine) -> None:
    if model.initial != 0:
        raise FormatError(f"{model.name}: .fsm starts in its first state; put the initial state first, or write .dot")
    if len({step[:2] for step in model.steps}) < len(model.steps):
        raise FormatError(f"{model.name}: .fsm holds deterministic machines only; write .dot")
    for text in (*model.names, *model.inputs, *model.outputs):
        if "\n" in text or not text or text.strip() != text:
            raise FormatError(f"{model.name}: {shown(text)} cannot be a name in .fsm; rename it, or write .dot")
    double = first_double(model.names)
    if double is not None:
        raise FormatError(f"{model.name}: two states are called {shown(double)}; rename one")


def _columns(model: Machine) -> list[str]:
    """Order the inputs as all states have them, if there is such an order, and else as they are met."""
    rows = grouped((source, given) for source, given, _, _ in model.steps)
    order = TopologicalSorter[str](dict.fromkeys(model.inputs, ()))
    for before, after in dict.fromkeys(pair for row in rows.values() for pair in pairwise(row)):
        order.add(after, before)
    try:
        return list(order.static_order())
    except CycleError:
        return list(model.inputs)


def _text(model: Machine, inputs: dict[str, int], outputs: dict[str, int]) -> Iterator[str]:
    count = len(model.names)
    answers = [["-1"] * len(inputs) for _ in range(count)]
    targets = [["-1"] * len(inputs) for _ in range(count)]
    shows = ["-1"] * count
    for source, given, answer, target in model.steps:
        place, text = inputs[given], str(outputs[answer])
        answers[source][place], targets[source][place] = text, str(target)
        if model.moore and shows[target] not in ("-1", text):
            both = f"the state {shown(model.names[target])} of a Moore machine shows two outputs"
            raise FormatError(f"{model.name}: {both}; set moore=False")
        shows[target] = text
    yield f"{_MOORE if model.moore else _MEALY} 0\n{count} {len(inputs)} {len(outputs)}\n{count}\n"
    if model.moore:
        answers = [[text] for text in shows]
    for table in (answers, targets):
        for state, row in enumerate(table):
            yield "\t".join([str(state), *row]) + "\n"
    for what, names in (("state", model.names), ("input", tuple(inputs)), ("output", tuple(outputs))):
        if names != canonical_names(len(names)):
            yield f"{len(names)} {what} labels\n"
            yield from (f"{number} {name}\n" for number, name in enumerate(names))
