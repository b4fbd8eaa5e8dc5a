"""Labelled transition systems in Aldebaran's format, `.aut`.

    des (0, 2, 2)
    (0, "?coin", 1)
    (1, "!coffee", 0)

The first line names the initial state and counts transitions and states; every other line is one transition. A label
lies between the first and the last comma, with or without quotes. States are numbers, or names (then a line may end
with a comma); numbered states exist whether or not a line speaks of them, named ones are numbered as they are met. The
internal step is `i`. Reference: the `aut` manual page of CADP. O(length of the text).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from outplay.errors import FormatError
from outplay.formats.common.names_and_numbers import line_label_texts, numbered_names, read_labels, whole_number
from outplay.formats.common.source import LIMITS, ReadLimits, Source, column_of, shown
from outplay.model.automaton import Automaton, automaton_from
from outplay.model.label import Label
from outplay.plurals import counted

_HEADER = re.compile(r'des\s*+\(\s*+([^\s,"()]++)\s*+,\s*+([0-9]++)\s*+,\s*+([0-9]++)\s*+\)')
_STATE = re.compile(r'[^\s,"()]++')
_HOW = 'write a transition as (0,"label",1)'


@dataclass
class _Text:
    """The content of the lines, states by name in the order they are met."""

    line: int
    transitions: int
    states: int
    met: dict[str, int]
    """The line where each state is met first."""
    labels: dict[str, tuple[int, int]]
    edges: list[tuple[str, str, str]]


def read(source: Source, *, name: str | None = None, limits: ReadLimits = LIMITS) -> Automaton:
    """Read an automaton from Aldebaran's format, `.aut`; it is called like its file unless a name is given."""
    lines = source.lines()
    text = _header(source, lines, limits)
    for number, line in lines:
        _add(source, text, number, line)
    if len(text.edges) != text.transitions:
        said = counted(text.transitions, "transition")
        what = f"the header says {said}, the file has {len(text.edges)}; mend the header"
        raise source.error(text.line, 1, what)
    names, numbers = _states(source, text)
    labels, label_numbers = read_labels(text.labels, lambda label, what: source.error(*text.labels[label], what))
    edges = ((numbers[start], label_numbers[label], numbers[end]) for start, label, end in text.edges)
    initial = next(iter(text.met))
    return automaton_from(names, labels, edges, numbers[initial], name or source.name)


def _header(source: Source, lines: Iterator[tuple[int, str]], limits: ReadLimits) -> _Text:
    number, line = next(lines, (1, ""))
    if not line:
        raise source.error(1, 1, "an empty file; start with des (INITIAL,TRANSITIONS,STATES)")
    found = _HEADER.fullmatch(line.strip())
    if not found:
        what = f"{shown(line.strip())} is no header; start with des (INITIAL,TRANSITIONS,STATES)"
        raise source.error(number, 1, what)
    initial, *counts = found.groups()
    transitions, states = (whole_number(count.lstrip("0") or "0") for count in counts)
    if transitions is None or states is None:
        raise source.error(number, 1, "a count in the header is too long; raise --max-states or --max-edges")
    limits.refuse_states(source, number, states)
    limits.refuse_edges(source, number, transitions)
    return _Text(number, transitions, states, {initial: number}, {}, [])


def _add(source: Source, text: _Text, number: int, line: str) -> None:
    body = line.strip().removesuffix(",").rstrip()
    first, last = body.find(","), body.rfind(",")
    if body[0:1] != "(" or body[-1] != ")" or first == last:
        raise source.error(number, column_of(line, body), f"{shown(body)} is no transition; {_HOW}")
    start, label, end = body[1:first].strip(), body[first + 1 : last].strip(), body[last + 1 : -1].strip()
    for state in (start, end):
        if state not in text.met:
            if not _STATE.fullmatch(state):
                what = f"{shown(state)} is no state; write a number or a name without blanks, quotes and brackets"
                raise source.error(number, column_of(line, state), what)
            text.met[state] = number
    if label[:1] == '"':
        if len(label) < 2 or label[-1] != '"':
            what = f"the label {shown(label)} opens a quote and does not close it; {_HOW}"
            raise source.error(number, _label_column(line), what)
        label = label[1:-1].strip()
    if label not in text.labels:
        text.labels[label] = number, _label_column(line)
    text.edges.append((start, label, end))


def _label_column(line: str) -> int:
    rest = line[line.find(",") + 1 :]
    return len(line) - len(rest.lstrip()) + 1


def _is_number(name: str) -> bool:
    return whole_number(name) is not None


def _states(source: Source, text: _Text) -> tuple[tuple[str, ...], dict[str, int]]:
    """Name and number the states: as they say themselves, or as they are met."""
    if not all(map(_is_number, text.met)):
        if len(text.met) != text.states:
            what = f"the header says {counted(text.states, 'state')}, the file names {len(text.met)}; mend the header"
            raise source.error(text.line, 1, what)
        return tuple(text.met), {name: number for number, name in enumerate(text.met)}
    numbers = {name: int(name) for name in text.met}
    for name, number in numbers.items():
        if number >= text.states:
            said = counted(text.states, "state")
            what = f"state {name}, but the header says {said}, numbered from 0; mend one of them"
            raise source.error(text.met[name], 1, what)
    return numbered_names(text.states), numbers


def write(model: Automaton) -> Iterable[str]:
    """Write an automaton in Aldebaran's format; refuse names that would be read differently (see `numbered`)."""
    texts = line_label_texts(model, ".aut")
    _refuse_names(model)
    return _lines(model, texts)


def _lines(model: Automaton, texts: Mapping[Label, str]) -> Iterator[str]:
    names = model.names
    yield f"des ({names[model.initial]},{model.transition_count},{model.state_count})\n"
    for start, label, end in model.transitions():
        yield f'({names[start]},"{texts[label]}",{names[end]})\n'


def _refuse_names(model: Automaton) -> None:
    if model.names == numbered_names(model.state_count):
        return
    met = {model.names[model.initial]: None}
    for start, _, end in model.transitions():
        met.setdefault(model.names[start])
        met.setdefault(model.names[end])
    odd = next((name for name in model.names if not _STATE.fullmatch(name)), None)
    if odd is not None:
        why = f"the state name {shown(odd)} cannot be written in .aut"
    elif tuple(met) != model.names:
        why = ".aut numbers named states as its lines meet them, which is not their order here"
    elif all(map(_is_number, model.names)):
        why = "the names of the states are numbers, but not their own"
    else:
        return
    raise FormatError(f"{model.name}: {why}; write .dot, or number the states with formats.automata.aut.numbered")


def numbered(model: Automaton) -> Automaton:
    """Return an automaton with numbers for state names, the initial state first, as readers of `.aut` files expect.

    >>> from outplay.model.automaton import automaton
    >>> numbered(automaton([("on", "!light", "off"), ("off", "?press", "on")], initial="off")).names
    ('0', '1')
    """
    order = [model.initial, *(state for state in range(model.state_count) if state != model.initial)]
    number = {state: place for place, state in enumerate(order)}
    places = {label: place for place, label in enumerate(model.labels)}
    edges = ((number[start], places[label], number[end]) for start, label, end in model.transitions())
    return automaton_from(numbered_names(model.state_count), model.labels, edges, 0, model.name)
