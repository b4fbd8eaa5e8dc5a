"""Views: an automaton, a machine or a game seen as nodes and edges that are made when asked for.

A summary of a game with a million vertices shows fifty of them, so nothing is turned into objects before it is needed.

Graphs to be walked seen as nodes and edges, as they stand in their file: guards and actions are texts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property, singledispatch
from itertools import accumulate
from typing import Any, Protocol, TypeAlias

from outplay.errors import UsageError
from outplay.game.graph import Game
from outplay.model.automaton import Automaton
from outplay.model.expressions.evaluation import write_assignment
from outplay.model.kinds import aspect_of
from outplay.model.label import DELTA, INPUT, OUTPUT, TAU
from outplay.model.machine import ExtendedMachine, Machine
from outplay.model.symbolic.execution_graph import ExecutionGraph
from outplay.model.symbolic.symbolic_system import SymbolicSystem
from outplay.model.walk_models import WalkModels
from outplay.pictures.elements import DIAMOND, REFUSED, ROUND, STATE, SYSTEM, TESTER, Edge, LabelPart, Node, label_part
from outplay.pictures.views.model_views import GameView, SymbolicGraphView, SymbolicView
from outplay.plurals import counted
from outplay.suite.suite import TestCase
from outplay.tester.tester import End

START = "Start"


class WalkView:
    """Vertices and edges of all models; a shared state is one node; a start edge from nowhere has one before it."""

    noun, noun_for_one = "vertices", "vertex"
    goals: Mapping[int, Sequence[str]] = {}
    initial = 0

    def __init__(self, model: WalkModels) -> None:
        self._model, self.name = model, model.name
        first = model.start_vertex if model.start_edge is None else model.edges[model.start_edge].source
        places = list(dict.fromkeys(model.places))
        if first is not None:
            places.remove(model.places[first])
            places.insert(0, model.places[first])
        self._places: list[int | None] = [*([] if first is not None else [None]), *places]
        self._numbers = {place: number for number, place in enumerate(self._places)}
        rows = [self._leaving(place) for place in self._places]
        self.order = [edge for row in rows for edge in row]
        self.first = [0, *accumulate(map(len, rows))]
        self.target = [self._numbers[model.places[model.edges[edge].target]] for edge in self.order]

    def _leaving(self, place: int | None) -> list[int]:
        if place is None:
            return [] if self._model.start_edge is None else [self._model.start_edge]
        return self._model.leaving.get(place, [])

    @cached_property
    def _source(self) -> list[int]:
        return [node for node in range(len(self._places)) for _ in range(self.first[node], self.first[node + 1])]

    def node(self, number: int) -> Node:
        place = self._places[number]
        if place is None:
            return Node(START, STATE, ROUND)
        vertices = [
            vertex for vertex, its in zip(self._model.vertices, self._model.places, strict=True) if its == place
        ]
        shared = vertices[0].shared
        lines = [f"in model {self._model.names[vertex.model]}" for vertex in vertices]
        lines += [f"requirement: {one}" for vertex in vertices for one in vertex.requirements]
        lines += [write_assignment(vertex.actions) for vertex in vertices if vertex.actions]
        names = " = ".join(dict.fromkeys(vertex.name for vertex in vertices))
        return Node(names, STATE, ROUND, f"shared {shared}" if shared else "", details="\n".join(lines))

    def edge(self, number: int) -> Edge:
        edge = self._model.edges[self.order[number]]
        guard = f"[{edge.guard}]" if edge.guard is not None else ""
        actions = f"/ {write_assignment(edge.actions)}" if edge.actions else ""
        more = [part for text in (guard, actions) if text for part in (LabelPart(" "), LabelPart(text))]
        return Edge(self._source[number], self.target[number], (LabelPart(edge.name, "input"), *more))

    def reads(self, number: int) -> tuple[str, ...]:
        return (f"?{self._model.edges[self.order[number]].name}",)

    def quiet(self, number: int) -> bool:
        return False  # silence is allowed everywhere, so that it tells nothing here

    def census(self) -> list[tuple[str, str]]:
        model = self._model
        found = [("models", f"{len(model.names)}: {', '.join(model.names)}")]
        return [*found, ("requirements", counted(len(model.requirements), "requirement"))]


Drawable: TypeAlias = (
    Automaton | Machine | ExtendedMachine | Game | TestCase | SymbolicSystem | ExecutionGraph | WalkModels
)


class View(Protocol):
    """Nodes and edges in compressed rows: the edges of node v are `first[v]` to `first[v + 1]`."""

    name: str
    noun: str
    noun_for_one: str
    initial: int

    @property
    def first(self) -> Sequence[int]: ...
    @property
    def target(self) -> Sequence[int]: ...
    @property
    def order(self) -> Sequence[int]:
        """The number of each edge in the model, where rows had to be sorted."""

    @property
    def goals(self) -> Mapping[int, Sequence[str]]:
        """The names of the goals that hold at each node where one does."""

    def node(self, number: int) -> Node: ...
    def edge(self, number: int) -> Edge: ...

    def reads(self, number: int) -> tuple[str, ...]:
        """The labels of a trace that an edge stands for; nothing for an internal step."""

    def quiet(self, number: int) -> bool:
        """Say whether silence is allowed at a node without an edge that says so."""

    def census(self) -> list[tuple[str, str]]:
        """Count the parts, for a summary: names with counts."""


def edges_of(view: View, node: int) -> range:
    """Return the edges of a view that leave a node, by number."""
    return range(view.first[node], view.first[node + 1])


def targets_of(view: View, node: int) -> Sequence[int]:
    """Return the targets of a node's edges in a view."""
    return view.target[view.first[node] : view.first[node + 1]]


@singledispatch
def view_of(model: Any) -> View:
    """Make the view of a model: nodes and edges, by what its kind says is drawn where it has no view of its own."""
    shown = aspect_of(model, "picture")
    if shown is not None and shown is not model:
        return view_of(shown)
    raise UsageError(f"a {type(model).__name__} cannot be drawn: give an automaton, a machine, a game or a test case")


class _StateView:
    noun, noun_for_one = "states", "state"
    goals: Mapping[int, Sequence[str]] = {}

    def __init__(self, model: Automaton | Machine) -> None:
        self.name, self.initial = model.name, model.initial


class AutomatonView(_StateView):
    """States and transitions; a state in which silence is allowed is quiet (van den Bos 2020, section 2.2)."""

    def __init__(self, model: Automaton) -> None:
        super().__init__(model)
        self._model = model
        self.first, self.target, self.order = model.first, model.target, range(len(model.target))

    @cached_property
    def _source(self) -> list[int]:
        return [state for state in range(len(self._model.names)) for _ in self._model.moves(state)]

    @cached_property
    def _speaks(self) -> bool:
        """Rings tell something only where some state must speak."""
        return self._model.directed() and any(label.is_output for label in self._model.used_labels)

    def node(self, number: int) -> Node:
        quiet = self._speaks and (self.quiet(number) or any(x.kind == DELTA for x, _ in self._model.moves(number)))
        name = self._model.names[number]
        return Node(name, STATE, ROUND, details="silence is allowed here" if quiet else "", quiet=quiet)

    def edge(self, number: int) -> Edge:
        label = self._model.labels[self._model.label[number]]
        return Edge(self._source[number], self.target[number], (label_part(label.text),))

    def reads(self, number: int) -> tuple[str, ...]:
        label = self._model.labels[self._model.label[number]]
        return () if label.kind == TAU else (label.text,)

    def quiet(self, number: int) -> bool:
        return not any(label.is_output or label.kind in (TAU, DELTA) for label, _ in self._model.moves(number))

    def census(self) -> list[tuple[str, str]]:
        used = self._model.used_labels
        inputs, outputs = sum(label.is_input for label in used), sum(label.is_output for label in used)
        counts = {"inputs": inputs, "outputs": outputs, "others": len(used) - inputs - outputs}
        return [("labels", ", ".join(f"{count:,} {name}" for name, count in counts.items() if count))]


class MachineView(_StateView):
    """States and steps, written `input/output`."""

    def __init__(self, model: Machine) -> None:
        super().__init__(model)
        self._model = model
        self.order = sorted(range(len(model.steps)), key=lambda step: model.steps[step][0])
        self._steps = [model.steps[step] for step in self.order]
        degrees = Counter(step[0] for step in self._steps)
        self.first = [0, *accumulate(degrees[state] for state in range(len(model.names)))]
        self.target = [step[3] for step in self._steps]

    def node(self, number: int) -> Node:
        return Node(self._model.names[number], STATE, ROUND)

    def edge(self, number: int) -> Edge:
        source, given, shown, target = self._steps[number]
        return Edge(source, target, (LabelPart(given, "input"), LabelPart("/"), LabelPart(shown, "output")))

    def reads(self, number: int) -> tuple[str, ...]:
        _, given, shown, _ = self._steps[number]
        return INPUT + given, OUTPUT + shown

    def quiet(self, number: int) -> bool:
        return True  # a machine speaks only when it is spoken to

    def census(self) -> list[tuple[str, str]]:
        inputs, outputs = len(self._model.inputs), len(self._model.outputs)
        return [("labels", f"{counted(inputs, 'input')}, {counted(outputs, 'output')}")]


class CaseView(AutomatonView):
    """A test case: where it gives an input the tester moves, where it waits the system does; Pass is its goal."""

    def __init__(self, case: TestCase) -> None:
        super().__init__(case.automaton)
        self._case = case

    def node(self, number: int) -> Node:
        name, end = self._model.names[number], self._case.end(number)
        if end is not None:
            return Node(name, REFUSED if end is End.FAIL else STATE, ROUND, goal=end is End.PASS)
        gives = self._case.given(number) is not None
        return Node(name, TESTER if gives else SYSTEM, ROUND if gives else DIAMOND)


view_of.register(Game, GameView)
view_of.register(Machine, MachineView)
view_of.register(Automaton, AutomatonView)
view_of.register(TestCase, CaseView)
view_of.register(SymbolicSystem, SymbolicView)
view_of.register(ExecutionGraph, SymbolicGraphView)
view_of.register(WalkModels, WalkView)
