"""Labelled transition systems of the VLTS suite as CSV: one transition a line, `source,target,"label"`.

States are numbers from 0, which is the initial one; there are as many as the largest number says. The internal step is
`i`; a quote inside a label stands twice. O(length of the text).
"""

from __future__ import annotations

from collections.abc import Iterable

from outplay.errors import FormatError
from outplay.formats.common.names_and_numbers import line_label_texts, numbered_names, read_labels, whole_number
from outplay.formats.common.source import LIMITS, ReadLimits, Source, shown
from outplay.model.automaton import Automaton, automaton_from

_HOW = 'write source,target,"label"'


def read(source: Source, *, name: str | None = None, limits: ReadLimits = LIMITS) -> Automaton:
    """Read an automaton from a CSV file of the VLTS suite; it is called like its file unless a name is given."""
    edges: list[tuple[int, str, int]] = []
    places: dict[str, tuple[int, int]] = {}
    states = 0
    for number, line in source.lines():
        start, label, end = edge = _transition(source, number, line)
        if max(start, end) >= states:
            states = max(start, end) + 1
            limits.refuse_states(source, number, states)
        if label not in places:
            places[label] = number, len(line) - len(line.split(",", 2)[2].lstrip()) + 1
        edges.append(edge)
    limits.refuse_edges(source, 1, len(edges))
    if not edges:
        raise source.error(1, 1, f"no transitions; {_HOW}, one a line")
    labels, numbers = read_labels(places, lambda label, what: source.error(*places[label], what))
    numbered_edges = ((start, numbers[label], end) for start, label, end in edges)
    return automaton_from(numbered_names(states), labels, numbered_edges, 0, name or source.name)


def _transition(source: Source, number: int, line: str) -> tuple[int, str, int]:
    parts = line.split(",", 2)
    if len(parts) < 3:
        raise source.error(number, 1, f"{shown(line.strip())} is no transition; {_HOW}")
    start, end = (whole_number(part.strip()) for part in parts[:2])
    if start is None or end is None:
        place = 0 if start is None else 1
        column = 1 if place == 0 else len(parts[0]) + 2
        what = f"{shown(parts[place].strip())} is no state; states are numbers from 0: {_HOW}"
        raise source.error(number, column, what)
    label = parts[2].strip()
    return start, _unquoted(source, number, line, label) if '"' in label else label, end


def _unquoted(source: Source, number: int, line: str, label: str) -> str:
    inner = label[1:-1]
    if len(label) < 2 or label[0] != '"' or label[-1] != '"' or '"' in inner.replace('""', ""):
        what = f"the label {shown(label)} is not in quotes from end to end; write a quote inside it twice"
        raise source.error(number, line.rfind(label) + 1, what)
    return inner.replace('""', '"').strip()


def write(model: Automaton) -> Iterable[str]:
    """Write an automaton as CSV of the VLTS suite. Names of states are lost; the initial state must be the first."""
    texts = line_label_texts(model, ".csv")
    if model.initial != 0:
        what = "the initial state is not the first one, and .csv always starts there"
        raise FormatError(
            f"{model.name}: {what}; write .aut or .dot, or number the states with formats.automata.aut.numbered"
        )
    last = model.state_count - 1
    if not model.transition_count or (last not in model.target and model.first[last] == model.transition_count):
        what = f"no transition speaks of the state {shown(model.names[last])}, so .csv cannot hold it"
        raise FormatError(f"{model.name}: {what}; write .aut or .dot")
    quoted = {label: '"' + text.replace('"', '""') + '"' for label, text in texts.items()}
    return (f"{start},{end},{quoted[label]}\n" for start, label, end in model.transitions())
