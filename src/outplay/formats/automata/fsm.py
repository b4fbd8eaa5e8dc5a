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

from collections.abc import Iterable, Iterator
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise

from outplay.errors import FormatError
from outplay.formats.automata.fsm_tables import (
    DFA,
    DFSM,
    MEALY,
    MOORE,
    FsmLines,
    StepNames,
    StepTables,
    take_fsm_sizes,
    take_step_names,
    take_step_tables,
)
from outplay.formats.common.names_and_numbers import first_repeated, numbered_names
from outplay.formats.common.source import LIMITS, ReadLimits, Source, shown
from outplay.grouping import grouped
from outplay.model.machine import Machine, Step


def read(source: Source, *, name: str | None = None, limits: ReadLimits = LIMITS) -> Machine:
    """Read a machine from FSMlib's format, `.fsm`; it is called like its file unless a name is given."""
    lines = FsmLines(source, list(source.lines()))
    sizes = take_fsm_sizes(lines, limits)
    tables = take_step_tables(lines, sizes)
    labels = take_step_names(lines, sizes, sorted(tables.targets))
    steps = _steps(lines, sizes.kind, tables, labels)
    names = tuple(labels.states[state] for state in sorted(tables.targets))
    return Machine(names, steps, 0, name or source.name, moore=sizes.kind in (MOORE, DFA))


def _steps(lines: FsmLines, kind: int, tables: StepTables, labels: StepNames) -> tuple[Step, ...]:
    states = sorted(tables.targets)
    numbers = {state: number for number, state in enumerate(states)}
    numbers[-1] = -1
    shows = {state: labels.outputs.get(row[0], "") for state, row in tables.state_outputs.items()}
    inputs = [labels.inputs[place] for place in range(len(labels.inputs))]
    steps: list[Step] = []
    for state in states:
        number, row = numbers[state], tables.targets[state]
        if kind in (DFSM, MEALY):
            texts = [labels.outputs.get(answer, "") for answer in tables.outputs.get(state, ())]
            if kind == DFSM:
                texts = [f"{x} {shows.get(t, '')}".strip() if x else "" for x, t in zip(texts, row, strict=False)]
        else:
            texts = [shows.get(t, "") for t in row]
        ends = [numbers.get(t, -2) for t in row]
        steps += [(number, a, x, t) for a, x, t in zip(inputs, texts, ends, strict=False) if t != -1]
        if -2 in ends or "" in texts or len(texts) < len(row):
            _refuse_gaps(lines, tables.first_row, state, texts, ends)
    return tuple(steps)


def _refuse_gaps(lines: FsmLines, first_row: int, state: int, texts: list[str], ends: list[int]) -> None:
    """Refuse steps to states that have no row, and steps that show nothing."""
    for place, end in enumerate(ends):
        if end == -2 or (end != -1 and not "".join(texts[place : place + 1])):
            rows = (number for number, line in lines.lines[first_row:] if line.split(None, 1)[0] == str(state))
            why = "leads to a state that has no row" if end == -2 else "has no output"
            what = f"the step of state {state} on input {place} {why}; write -1 for no step"
            raise lines.source.error(next(rows, lines.lines[first_row][0]), 1, what)


def write(model: Machine) -> Iterable[str]:
    """Write a deterministic machine that starts in its first state in FSMlib's format, `.fsm`."""
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
    double = first_repeated(model.names)
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
    yield f"{MOORE if model.moore else MEALY} 0\n{count} {len(inputs)} {len(outputs)}\n{count}\n"
    if model.moore:
        answers = [[text] for text in shows]
    for table in (answers, targets):
        for state, row in enumerate(table):
            yield "\t".join([str(state), *row]) + "\n"
    for what, names in (("state", model.names), ("input", tuple(inputs)), ("output", tuple(outputs))):
        if names != numbered_names(len(names)):
            yield f"{len(names)} {what} labels\n"
            yield from (f"{number} {name}\n" for number, name in enumerate(names))
