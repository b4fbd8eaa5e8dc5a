"""Graphviz DOT as automata, machines and games, in the dialects found in public collections.

What a file holds is decided in this order:

- `outplay=automaton`, `machine`, `moore` or `game` as an attribute of the graph says it; our own files all do;
- attributes that only games have (owner, cost, probability, moves, gain, goal): a game (dot_game.py);
- every label is `in/out`: a Mealy or nondeterministic machine (the slash may have blanks around it, and must where
  there are several; `?in/!out` is read so too);
- labels marked as inputs and outputs (directions.py): an automaton;
- labels without marks, and states labelled with something else than their id: a Moore machine, whose states show their
  label as output (`{id | output}` is read so too); otherwise an automaton whose labels have no direction.

The state that an edge from `__start0` points to is the initial one; without such an edge the first node of the file is.
States are called by their ids and numbered as they are met. Reading takes O(length of the text).
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from outplay.errors import FormatError, did_you_mean
from outplay.formats.diagrams import dot_game, dot_machine
from outplay.formats.diagrams.dot_graph import StateGraph, digraph_text, node
from outplay.formats.diagrams.dot_syntax import parse
from outplay.formats.diagrams.dot_tokens import DotDrawing, quoted_id, quoted_text
from outplay.formats.texts.names_and_numbers import first_repeated, label_texts, read_labels
from outplay.formats.texts.source import LIMITS, LONGEST_LABEL, ReadLimits, Source, shown
from outplay.game.graph import Game
from outplay.model.automaton import Automaton, automaton_from, directed_labels
from outplay.model.label import NEUTRAL
from outplay.model.machine import Machine

_ATTRIBUTES = dot_game.ATTRIBUTES | {"label", "input", "output", "id", "goals", "outplay"}
_START = re.compile(r"__start[0-9]*")
_MOST_LOOKED_AT = 1_000  # names of attributes that are compared with ours


def read(source: Source, *, name: str | None = None, limits: ReadLimits = LIMITS) -> Automaton | Machine | Game:
    """Read a model; it is called like its file unless a name is given."""
    drawing = parse(source, keep=_ATTRIBUTES, limits=limits)
    _refuse_misspelt(source, drawing)
    kind = drawing.attributes.get("outplay")
    if kind is not None and kind not in _READERS:
        raise source.error(1, 1, f"outplay={shown(kind)} is no kind of model; {did_you_mean(kind[:30], _READERS)}")
    graph = _graph(source, drawing, name or source.name)
    return _READERS[kind or _kind(graph)](graph)


def _refuse_misspelt(source: Source, drawing: DotDrawing) -> None:
    """An attribute that is nearly one of ours is a slip; the many others are Graphviz's own."""
    for name in list(drawing.dropped)[:_MOST_LOOKED_AT]:
        near = difflib.get_close_matches(name[:30], dot_game.ATTRIBUTES, n=1, cutoff=0.8)
        if near:
            raise source.error_at(drawing.dropped[name], f"unknown attribute {shown(name)}; did you mean {near[0]!r}?")


def _graph(source: Source, drawing: DotDrawing, name: str) -> StateGraph:
    starts = {one for one in drawing.nodes if _START.fullmatch(one)}
    states = [one for one in drawing.nodes if one not in starts]
    if not states:
        raise source.error(1, 1, "a graph without states; write at least one node")
    edges, initial = drawing.edges, states[0]
    if starts:
        edges = [edge for edge in edges if edge.source not in starts]
        initial = _initial(source, drawing, starts, initial)
    numbers = {state: number for number, state in enumerate(states)}
    return StateGraph(source, name, drawing, numbers, numbers[initial], edges)


def _initial(source: Source, drawing: DotDrawing, starts: set[str], otherwise: str) -> str:
    found = None
    for edge in drawing.edges:
        if edge.target in starts:
            what = f"an edge to {edge.target}, which only shows where play starts; point it to a state"
            raise source.error_at(edge.offset, what)
        if edge.source in starts:
            if found is not None:
                what = f"a second initial state {shown(edge.target)}; keep one edge from {edge.source}"
                raise source.error_at(edge.offset, what)
            found = edge.target
    return otherwise if found is None else found


def _kind(graph: StateGraph) -> str:
    if not dot_game.ATTRIBUTES.isdisjoint(graph.drawing.kept):
        return "game"
    labels = graph.labels()
    if dot_machine.has_pairs(graph, labels):
        return "machine"
    read_label = directed_labels(labels)
    if any(len(text) <= LONGEST_LABEL and read_label(text).kind != NEUTRAL for text in labels):
        return "automaton"
    return "moore" if dot_machine.shows_outputs(graph) else "automaton"


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


_READERS: dict[str, Callable[[StateGraph], Automaton | Machine | Game]] = {
    "automaton": _read_automaton,
    "machine": dot_machine.read_mealy,
    "moore": dot_machine.read_moore,
    "game": dot_game.read,
}


def write(model: Automaton | Machine | Game) -> Iterable[str]:
    """Write a model so that reading it again gives an equal one; Graphviz draws what is written."""
    _refuse_names(getattr(model, "name", "this game"), model.names)
    return _WRITERS[type(model)](model)


def _refuse_names(model: str, names: Sequence[str]) -> None:
    double = first_repeated(names)
    if double is not None:
        raise FormatError(f"{model}: two states are called {shown(double)}; rename one, .dot tells them apart by name")
    for name in names:
        if _START.fullmatch(name):
            raise FormatError(f"{model}: the state {name} is called like the mark of the initial state; rename it")


def _write_automaton(model: Automaton) -> Iterable[str]:
    texts = label_texts(model, ".dot", marked=True)
    ids = [quoted_id(name) for name in model.names]
    nodes = (node(ids[state], label=quoted_text(name)) for state, name in enumerate(model.names))
    edges = (
        f"  {ids[start]} -> {ids[end]} [label={quoted_text(texts[label])}];\n"
        for start, label, end in model.transitions()
    )
    return digraph_text("automaton", nodes, edges, ids[model.initial])


_WRITERS: dict[type, Callable[[Any], Iterable[str]]] = {
    Automaton: _write_automaton,
    Machine: dot_machine.write,
    Game: dot_game.write,
}
