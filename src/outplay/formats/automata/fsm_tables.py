"""The parts of an `.fsm` file, taken line by line: its sizes, its tables, and names for their numbers."""

from __future__ import annotations

import re
from dataclasses import dataclass

from outplay.formats.common.names_and_numbers import first_repeated, numbered_names, whole_number
from outplay.formats.common.source import ReadLimits, Source, shown
from outplay.plurals import counted

_CELLS = re.compile(r"[-0-9\s]*+")
_SECTION = re.compile(r"([0-9]++)\s++(state|input|output) labels")
DFSM, MEALY, MOORE, DFA = 1, 2, 3, 4


@dataclass
class FsmLines:
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
        values = [whole_number(word) for word in line.split()]
        if len(values) != many or None in values:
            raise self.source.error(number, 1, f"{shown(line.strip())} is not as expected; {expected}")
        return [value for value in values if value is not None]


@dataclass
class FsmSizes:
    """The content of the first lines: the kind of machine (`MEALY`, …), and the counts."""

    kind: int
    states: int
    inputs: int
    outputs: int
    largest: int


@dataclass
class StepTables:
    """Rows by state; `first_row` is the line where the next states start."""

    first_row: int
    state_outputs: dict[int, list[int]]
    outputs: dict[int, list[int]]
    targets: dict[int, list[int]]


@dataclass
class StepNames:
    """The names of states, inputs and outputs, by number."""

    states: dict[int, str]
    inputs: dict[int, str]
    outputs: dict[int, str]


def take_step_tables(lines: FsmLines, sizes: FsmSizes) -> StepTables:
    """Take the tables of outputs and next states from the lines of an `.fsm` file."""
    state_outputs: dict[int, list[int]] = {}
    outputs: dict[int, list[int]] = {}
    if sizes.kind != MEALY:
        state_outputs = _table(lines, sizes, 1, sizes.outputs, "the output of a state")
    if sizes.kind in (DFSM, MEALY):
        outputs = _table(lines, sizes, sizes.inputs, sizes.outputs, "one output for each input")
    first_row = lines.place
    targets = _table(lines, sizes, sizes.inputs, sizes.largest, "one next state for each input")
    if 0 not in targets:
        what = "no state 0, which is the initial one; renumber the states"
        raise lines.source.error(lines.lines[first_row][0], 1, what)
    return StepTables(first_row, state_outputs, outputs, targets)


def take_fsm_sizes(lines: FsmLines, limits: ReadLimits) -> FsmSizes:
    """Take the sizes of a machine from the first lines of an `.fsm` file."""
    kind, _ = lines.counts(2, "start with the type (1 to 4) and 0 or 1 for reduced")
    line = lines.lines[0][0]
    if kind not in (DFSM, MEALY, MOORE, DFA):
        raise lines.source.error(line, 1, f"type {kind}; write 1 for DFSM, 2 for Mealy, 3 for Moore or 4 for DFA")
    states, inputs, outputs = lines.counts(3, "write the numbers of states, inputs and outputs")
    (largest,) = lines.counts(1, "write one more than the largest state")
    line = lines.lines[1][0]
    limits.refuse_states(lines.source, line, states)
    limits.refuse_states(lines.source, line, outputs)
    limits.refuse_edges(lines.source, line, max(states, 1) * inputs)
    if not states:
        raise lines.source.error(line, 1, "no states; a machine has at least one")
    if not outputs and inputs:
        raise lines.source.error(line, 1, "no outputs; a machine without them cannot be tested")
    if largest < states:
        what = f"{states} states do not fit below {largest}; write one more than the largest state"
        raise lines.source.error(lines.lines[2][0], 1, what)
    return FsmSizes(kind, states, inputs, outputs, largest)


def _table(lines: FsmLines, sizes: FsmSizes, width: int, below: int, what: str) -> dict[int, list[int]]:
    """Take a row for each state: the state, then this many numbers from -1 to `below`."""
    rows: dict[int, list[int]] = {}
    for _ in range(sizes.states):
        number, line = lines.take(f"write for each state, of which there are {sizes.states:,}, {what}")
        row = _row(lines.source, number, line)
        state, values = row[0], row[1:]
        if len(values) != width:
            how = f"write the state and {what}"
            raise lines.source.error(number, 1, f"a row of {counted(len(row), 'number')} instead of {width + 1}; {how}")
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


def take_step_names(lines: FsmLines, sizes: FsmSizes, states: list[int]) -> StepNames:
    """Take the names of states, inputs and outputs from an `.fsm` file; unnamed ones are called by their numbers."""
    found: dict[str, dict[int, str]] = {
        "state": {state: str(state) for state in states},
        "input": dict(enumerate(numbered_names(sizes.inputs))),
        "output": dict(enumerate(numbered_names(sizes.outputs))),
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
    return StepNames(found["state"], found["input"], found["output"])


def _take_names(lines: FsmLines, names: dict[int, str], section: re.Match[str], header: int) -> None:
    many = whole_number(section[1])
    if many is None or many > len(names):
        what = f"{section[1]} {section[2]} labels, but there are {len(names)}; mend the number"
        raise lines.source.error(header, 1, what)
    done: set[int] = set()
    for _ in range(many):
        number, line = lines.take(f"write {counted(many, 'line')} of number and name")
        word, _, text = line.strip().partition(" ")
        place = whole_number(word)
        if place is None or place not in names or place in done or not text.strip():
            what = "stands twice" if place in done else f"is no number and name of one of {len(names)} {section[2]}s"
            raise lines.source.error(number, 1, f"{shown(line.strip())} {what}; write a number and a name")
        done.add(place)
        names[place] = text.strip()
    double = first_repeated(list(names.values()))
    if double is not None:
        raise lines.source.error(header, 1, f"two {section[2]}s are called {shown(double)}; rename one")
