"""Graphviz DOT as automata, machines and games, in the dialects found in public collections.

What a file holds is decided in this order:

- `outplay=automaton`, `machine`, `moore` or `game` as an attribute of the graph says it; our own files all do;
- attributes that only games have (owner, cost, probability, moves, gain, goal): a game (dot_game.py);
- every label is `in/out`: a Mealy or nondeterministic machine (the slash may have blanks around it, and must where
  there are several; `?in/!out` is read so too);
- labels marked as inputs and outputs (model/automaton.py): an automaton;
- labels without marks, and states labelled with something else than their id: a Moore machine, whose states show their
  label as output (`{id | output}` is read so too); otherwise an automaton whose labels have no direction.

The state that an edge from `__start0` points to is the initial one; without such an edge the first node of the file is.
States are called by their ids and numbered as they are met. Reading takes O(length of the text).
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from outplay.errors import FormatError, did_you_mean
from outplay.formats.common.names_and_numbers import first_repeated, label_texts, read_labels
from outplay.formats.common.source import LIMITS, LONGEST_LABEL, ReadLimits, Source, shown
from outplay.formats.diagrams import dot_game
from outplay.formats.diagrams.dot_parts import (
    START,
    DotDrawing,
    DotEdge,
    StateGraph,
    digraph_text,
    dot_id,
    dot_node,
    dot_text,
    state_graph,
)
from outplay.formats.diagrams.dot_syntax import parse_dot
from outplay.game.graph import Game
from outplay.model.automaton import Automaton, automaton_from, directed_labels
from outplay.model.label import NEUTRAL
from outplay.model.machine import Machine, Step

_ATTRIBUTES = dot_game.ATTRIBUTES | {"label", "input", "output", "id", "goals", "outplay"}
_MOST_LOOKED_AT = 1_000  # names of attributes that are compared with ours


def read(source: Source, *, name: str | None = None, limits: ReadLimits = LIMITS) -> Automaton | Machine | Game:
    """Read an automaton, a machine or a game from Graphviz DOT; it is called like its file unless a name is given."""
    drawing = parse_dot(source, keep=_ATTRIBUTES, limits=limits)
    _refuse_misspelt(source, drawing)
    kind = drawing.attributes.get("outplay")
    if kind is not None and kind not in _READERS:
        raise source.error(1, 1, f"outplay={shown(kind)} is no kind of model; {did_you_mean(kind[:30], _READERS)}")
    graph = state_graph(source, drawing, name or source.name)
    return _READERS[kind or _kind(graph)](graph)


def _refuse_misspelt(source: Source, drawing: DotDrawing) -> None:
    """An attribute that is nearly one of ours is a slip; the many others are Graphviz's own."""
    for name in list(drawing.dropped)[:_MOST_LOOKED_AT]:
        near = difflib.get_close_matches(name[:30], dot_game.ATTRIBUTES, n=1, cutoff=0.8)
        if near:
            raise source.error_at(drawing.dropped[name], f"unknown attribute {shown(name)}; did you mean {near[0]!r}?")


def _kind(graph: StateGraph) -> str:
    if not dot_game.ATTRIBUTES.isdisjoint(graph.drawing.kept):
        return "game"
    labels = graph.labels()
    if _has_pairs(graph, labels):
        return "machine"
    read_label = directed_labels(labels)
    if any(len(text) <= LONGEST_LABEL and read_label(text).kind != NEUTRAL for text in labels):
        return "automaton"
    return "moore" if _shows_outputs(graph) else "automaton"


def _read_automaton(graph: StateGraph) -> Automaton:
    texts = graph.labels()
    labels, label_numbers = read_labels(
        texts,
        lambda text, what: graph.source.error_at(texts[text].offset, what),
        marked="outplay" in graph.drawing.attributes,
    )
    numbers = graph.numbers
    edges = (
        (numbers[edge.source], label_numbers[edge.attributes["label"].strip()], numbers[edge.target])
        for edge in graph.edges
    )
    return automaton_from(tuple(numbers), labels, edges, graph.initial, graph.name)


def _has_pairs(graph: StateGraph, labels: Mapping[str, DotEdge]) -> bool:
    """Say whether every label is `in/out` or every one `?in/!out`; a mixture is refused."""
    paired = {text for text in labels if "/" in text and text[0] not in "?!"}
    if paired and len(paired) < len(labels):
        odd = next(text for text in labels if text not in paired)
        like = next(iter(labels)) if next(iter(labels)) in paired else min(paired)
        graph.wrong(labels[odd], f"{shown(odd)} is not like {shown(like)}; write input/output on all edges or on none")
    return bool(labels) and (bool(paired) or all(map(_is_marked_pair, labels)))


def _is_marked_pair(text: str) -> bool:
    answer = text.partition("/")[2]
    return text[:1] == "?" and answer.lstrip()[:1] == "!"


def _shows_outputs(graph: StateGraph) -> bool:
    """Say whether the states are labelled with something else than their ids; some with and some without is refused."""
    labels = {name: graph.drawing.nodes[name].attributes.get("label", "") for name in graph.numbers}
    shows = next((name for name, label in labels.items() if label not in (name, "\\N", "")), None)
    if shows is None or not graph.edges:
        return False
    bare = next((name for name, label in labels.items() if not label), None)
    if bare is not None:
        what = (
            f"the state {shown(bare)} has no label and {shown(shows)} has one that is not its id; label every state "
            "with its output for a Moore machine, or write outplay=automaton; in the graph"
        )
        graph.wrong_state(bare, what)
    return True


def _read_mealy(graph: StateGraph) -> Machine:
    """Read a machine from `in/out` labels."""
    explicit = "outplay" in graph.drawing.attributes
    marked = not explicit and all(map(_is_marked_pair, graph.labels()))
    pairs: dict[str, tuple[str, str]] = {}
    steps: list[Step] = []
    for edge in graph.edges:
        if explicit and "input" in edge.attributes and "output" in edge.attributes:
            pair = edge.attributes["input"], edge.attributes["output"]
            if not all(pair):
                graph.wrong(edge, "an empty input or output; write a word for it")
        else:
            text = edge.attributes.get("label", "")
            pair = pairs.get(text) or _pair(graph, edge, text, marked)
            pairs[text] = pair
        steps.append((graph.numbers[edge.source], *pair, graph.numbers[edge.target]))
    return Machine(tuple(graph.numbers), tuple(steps), graph.initial, graph.name)


def _pair(graph: StateGraph, edge: DotEdge, text: str, marked: bool) -> tuple[str, str]:
    found = _split(text)
    if found is None:
        what = "several slashes" if "/" in text else "no slash"
        graph.wrong(edge, f'the label {shown(text)} has {what}; write label="input / output", blanks around one slash')
    given, answer = (part[1:].strip() for part in found) if marked else found
    if not given or not answer:
        graph.wrong(edge, f"the label {shown(text)} has no input or no output; write a word for it")
    return given, answer


def _split(text: str) -> tuple[str, str] | None:
    """Split at the only slash, or at the only one with blanks on both sides."""
    slash = "/" if text.count("/") == 1 else " / "
    if text.count(slash) != 1:
        return None
    given, _, answer = text.partition(slash)
    return given.strip(), answer.strip()


def _read_moore(graph: StateGraph) -> Machine:
    """Read a Moore machine: an input is answered by the output of the state it leads to."""
    explicit = "outplay" in graph.drawing.attributes
    outputs = {name: _output(name, graph.drawing.nodes[name].attributes, explicit) for name in graph.numbers}
    steps: list[Step] = []
    for edge in graph.edges:
        if not outputs[edge.target]:
            what = f'the state {shown(edge.target)} of a Moore machine shows no output; write label="output"'
            graph.wrong_state(edge.target, what)
        given = edge.attributes.get("label", "").strip()
        if explicit:
            given = edge.attributes.get("input", given)
        if not given:
            graph.wrong(edge, 'an edge of a Moore machine without input; write label="input"')
        steps.append((graph.numbers[edge.source], given, outputs[edge.target], graph.numbers[edge.target]))
    return Machine(tuple(graph.numbers), tuple(steps), graph.initial, graph.name, moore=True)


def _output(name: str, attributes: Mapping[str, str], explicit: bool) -> str:
    """Return the output of a state; AALpy writes `{id | output}`."""
    if explicit and "output" in attributes:
        return attributes["output"]
    label = attributes.get("label", "").strip()
    left, bar, right = label.partition("|")
    if bar and left[:1] == "{" and right[-1:] == "}" and left[1:].strip() == name:
        return right[:-1].strip()
    return name if label == "\\N" else label


_READERS: dict[str, Callable[[StateGraph], Automaton | Machine | Game]] = {
    "automaton": _read_automaton,
    "machine": _read_mealy,
    "moore": _read_moore,
    "game": dot_game.read_dot_game,
}


def write(model: Automaton | Machine | Game) -> Iterable[str]:
    """Write a model in Graphviz DOT so that reading it again gives an equal one."""
    _refuse_names(getattr(model, "name", "this game"), model.names)
    return _WRITERS[type(model)](model)


def _refuse_names(model: str, names: Sequence[str]) -> None:
    double = first_repeated(names)
    if double is not None:
        raise FormatError(f"{model}: two states are called {shown(double)}; rename one, .dot tells them apart by name")
    for name in names:
        if START.fullmatch(name):
            raise FormatError(f"{model}: the state {name} is called like the mark of the initial state; rename it")


def _write_automaton(model: Automaton) -> Iterable[str]:
    texts = label_texts(model, ".dot", marked=True)
    ids = [dot_id(name) for name in model.names]
    nodes = (dot_node(ids[state], label=dot_text(name)) for state, name in enumerate(model.names))
    edges = (
        f"  {ids[start]} -> {ids[end]} [label={dot_text(texts[label])}];\n" for start, label, end in model.transitions()
    )
    return digraph_text("automaton", nodes, edges, ids[model.initial])


def _write_machine(model: Machine) -> Iterable[str]:
    """Write a machine."""
    empty = next((step for step in model.steps if not step[1] or not step[2]), None)
    if empty:
        raise FormatError(f"{model.name}: a step of {shown(model.names[empty[0]])} has an empty input or output")
    ids = [dot_id(name) for name in model.names]
    if model.moore:
        return _write_moore(model, ids)
    nodes = (dot_node(ids[state], label=dot_text(name)) for state, name in enumerate(model.names))
    texts: dict[tuple[str, str], str] = {}
    for _, given, answer, _ in model.steps:
        if (given, answer) not in texts:
            texts[given, answer] = _written_pair(given, answer)
    edges = (f"  {ids[start]} -> {ids[end]} [{texts[given, answer]}];\n" for start, given, answer, end in model.steps)
    return digraph_text("machine", nodes, edges, ids[model.initial])


def _written_pair(given: str, answer: str) -> str:
    text = f"{given}/{answer}"
    if _split(text) == (given, answer):
        return f"label={dot_text(text)}"
    return f"label={dot_text(text)}, input={dot_text(given)}, output={dot_text(answer)}"


def _write_moore(model: Machine, ids: list[str]) -> Iterable[str]:
    outputs: dict[int, str] = {}
    for _, _, answer, end in model.steps:
        if outputs.setdefault(end, answer) != answer:
            both = f"{shown(outputs[end])} and {shown(answer)}"
            raise FormatError(f"{model.name}: the state {shown(model.names[end])} of a Moore machine shows {both}")
    nodes = (_moore_node(identifier, model.names[state], outputs.get(state)) for state, identifier in enumerate(ids))
    edges = (
        f"  {ids[start]} -> {ids[end]} [label={dot_text(given)}"
        + (f", input={dot_text(given)}];\n" if given.strip() != given else "];\n")
        for start, given, _, end in model.steps
    )
    return digraph_text("moore", nodes, edges, ids[model.initial])


def _moore_node(identifier: str, name: str, output: str | None) -> str:
    if output is None:  # nothing leads there, so the machine does not say what it shows
        return dot_node(identifier, label='""')
    label = dot_text(output)
    plain = _output(name, {"label": output}, False) == output
    return dot_node(identifier, label=label, output=None if plain else label)


_WRITERS: dict[type, Callable[[Any], Iterable[str]]] = {
    Automaton: _write_automaton,
    Machine: _write_machine,
    Game: dot_game.write_dot_game,
}
