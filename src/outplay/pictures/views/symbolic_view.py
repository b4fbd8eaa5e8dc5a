"""Symbolic systems seen as nodes and edges: locations and switches, and the symbolic states they lead to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate

from outplay.model.expressions.assigning import write_assignment
from outplay.model.expressions.term import TRUE
from outplay.model.label import OUTPUT
from outplay.model.symbolic.execution.execution_graph import ExecutionGraph
from outplay.model.symbolic.symbolic_system import Switch, SymbolicSystem
from outplay.pictures.elements import ROUND, STATE, Edge, LabelPart, Node, label_part
from outplay.plurals import counted


class SymbolicView:
    """Locations and switches, in the order of the file within each location."""

    noun, noun_for_one = "locations", "location"
    goals: Mapping[int, Sequence[str]]

    def __init__(self, model: SymbolicSystem) -> None:
        self._model = model
        self.name, self.initial = model.name, 0
        self._numbers = {place: number for number, place in enumerate(model.locations)}
        self._switches = [one for place in model.locations for one in model.leaving[place]]
        self.order = [model.switches.index(one) for one in self._switches]
        self.first = [0, *accumulate(len(model.leaving[place]) for place in model.locations)]
        self.target = [self._numbers[one.target] for one in self._switches]
        self.goals = {self._numbers[goal.location]: [goal.name] for goal in model.goals if goal.location}

    def node(self, number: int) -> Node:
        place = self._model.locations[number]
        start = ", ".join(f"{name} = {value}" for name, value in self._model.start.items())
        return Node(place, STATE, ROUND, details=start if number == 0 else "", goal=number in self.goals)

    def edge(self, number: int) -> Edge:
        one = self._switches[number]
        return Edge(self._numbers[one.source], self.target[number], tuple(_parts(one)))

    def reads(self, number: int) -> tuple[str, ...]:
        return (self._switches[number].gate.text,)

    def quiet(self, number: int) -> bool:
        return not any(one.gate.kind == OUTPUT for one in self._model.leaving[self._model.locations[number]])

    def census(self) -> list[tuple[str, str]]:
        inputs = sum(gate.kind != OUTPUT for gate in self._model.gates)
        return [("gates", f"{counted(inputs, 'input')}, {counted(len(self._model.gates) - inputs, 'output')}")]


class SymbolicGraphView:
    """Symbolic states by location, with terms and path condition on asking; edges with the names of their switches."""

    noun, noun_for_one = "symbolic states", "symbolic state"
    goals: Mapping[int, Sequence[str]] = {}

    def __init__(self, graph: ExecutionGraph) -> None:
        self._graph = graph
        self.name, self.initial = graph.system.name, 0
        self._edges = list(graph.all_edges())
        self.first = [0, *accumulate(len(row) for row in graph.edges)]
        self.target, self.order = [edge.target for edge in self._edges], range(len(self._edges))

    def node(self, number: int) -> Node:
        state = self._graph.states[number]
        return Node(f"{number}: {state.location}", STATE, ROUND, details=str(state))

    def edge(self, number: int) -> Edge:
        one = self._edges[number]
        more = " (part)" * one.subsumed + " (not decided)" * one.doubtful
        gate = label_part(one.switch.gate.text)
        parts = (LabelPart(f"{one.switch.name}: "), gate, *[LabelPart(more)] * bool(more))
        return Edge(one.source, one.target, parts)

    def reads(self, number: int) -> tuple[str, ...]:
        return (self._edges[number].switch.gate.text,)

    def quiet(self, number: int) -> bool:
        return not any(edge.switch.gate.kind == OUTPUT for edge in self._graph.edges[number])

    def census(self) -> list[tuple[str, str]]:
        return [("switches", f"{len({edge.switch.name for edge in self._edges}):,} taken")]


def _parts(switch: Switch) -> list[LabelPart]:
    text = " ".join([switch.gate.text, *map(str, switch.parameters)])
    parts = [LabelPart(f"{switch.name}: "), label_part(text)]
    parts += [LabelPart(f" [{switch.guard}]")] * (switch.guard is not TRUE)
    return parts + [LabelPart(f" {write_assignment(switch.assignment)}")] * bool(switch.assignment)
