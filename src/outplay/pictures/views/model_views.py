"""Games and symbolic systems as nodes and edges.

A game seen as nodes and edges: whose turn it is, what is a goal, where nothing goes on.

Symbolic systems seen as nodes and edges: locations and switches, and the symbolic states they lead to.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from typing import Any

import numpy as np

from outplay.errors import UsageError
from outplay.game.game_specification import GameSpecification
from outplay.game.graph import SYSTEM as SYSTEMS_TURN
from outplay.game.graph import Game
from outplay.game.roles import Role
from outplay.model.expressions.evaluation import write_assignment
from outplay.model.expressions.term import TRUE
from outplay.model.label import OUTPUT, SILENCE
from outplay.model.symbolic.execution_graph import ExecutionGraph
from outplay.model.symbolic.symbolic_system import Switch, SymbolicSystem
from outplay.pictures.elements import DIAMOND, LOST, ROUND, STATE, SYSTEM, TESTER, Edge, LabelPart, Node, label_part
from outplay.plurals import counted

_SHORT = 18
_DECIDED = {Role.WAITING: "wait", Role.ACTIVE: "active"}


class GameView:
    """Vertices of tester and system; a vertex without edges that is no goal is lost for the tester."""

    noun, noun_for_one = "vertices", "vertex"

    def __init__(self, model: Game) -> None:
        self.game = model
        self.name, self.initial = model.origin.specification.name, model.initial
        self.order = range(model.edge_count)
        self._meaning = GameSpecification(model)

    @cached_property
    def first(self) -> list[int]:
        return list(self.game.first.tolist())

    @cached_property
    def target(self) -> list[int]:
        return list(self.game.target.tolist())

    @cached_property
    def goals(self) -> dict[int, list[str]]:
        """The names of the goals that hold at each vertex where one does."""
        return self.game.goals_at

    def node(self, number: int) -> Node:
        game, goals = self.game, self.goals.get(number, [])
        name, note = str(game.names[number]), _in_short(goals)
        state, behind = self._behind(number)
        systems = bool(game.owner[number] == SYSTEMS_TURN)
        lost = self.first[number] == self.first[number + 1] and not goals
        return Node(
            state if behind else name,
            LOST if lost else SYSTEM if systems else TESTER,
            DIAMOND if systems else ROUND,
            behind or note,
            name,
            self._details(number, systems, lost, goals),
            goal=bool(goals),
        )

    def _behind(self, number: int) -> tuple[str, str]:
        """The state of a vertex, and what was decided there; nothing where the vertex has a name of its own."""
        roles, game = self.game.roles, self.game
        state, role, chosen = str(game.state_names[number]), roles.role[number], int(roles.choice[number])
        decided = _DECIDED.get(role) or (game.labels[chosen] if chosen >= 0 else "")
        rest = str(game.names[number]).removeprefix(f"{state} ")
        return state, rest if role != Role.STATE and decided and rest.startswith(decided) else ""

    def _details(self, number: int, systems: bool, lost: bool, goals: list[str]) -> str:
        lines = ["the system moves here" if systems else "the tester moves here"]
        if lost:
            lines = ["no move is left here"]
        lines += [f"goal: {name}" for name in goals]
        if self.game.origin.explored and self.game.is_state[number]:
            lines.append(self.game.origin.describe(int(self.game.roles.state[number])))
        gain = self.game.gain[number]
        return "\n".join(lines if gain == 1 else [*lines, f"gain {_written(gain)}"])

    def edge(self, number: int) -> Edge:
        game, text = self.game, self.game.label_of(number)
        free = not game.moves[number]
        cost, chance = game.cost[number], game.probability[number]
        return Edge(
            int(game.source[number]),
            int(game.target[number]),
            (label_part(text),) if text else (),
            cost="" if cost == 1 or (free and not cost) else _written(cost),
            probability="" if chance == 1 else _written(chance),
            free=free,
        )

    def reads(self, number: int) -> tuple[str, ...]:
        text = self.game.label_of(number)
        return (text,) if text and self.game.moves[number] else ()

    def quiet(self, number: int) -> bool:
        try:
            return not self._meaning.outputs(number) and SILENCE not in self._meaning.moves(number)
        except UsageError:  # labels that say no direction: nothing is known of silence
            return False

    def census(self) -> list[tuple[str, str]]:
        systems = int(np.count_nonzero(self.game.owner == SYSTEMS_TURN))
        ends = np.flatnonzero(np.diff(self.game.first) == 0).tolist()
        lost = sum(1 for vertex in ends if vertex not in self.goals)
        found = [("turns", f"the tester moves at {self.game.vertex_count - systems:,}, the system at {systems:,}")]
        found += [("dead ends", f"{counted(lost, 'vertex')} without a move, no goal")] * bool(lost)
        return found + [
            (f"goal {name}", counted(len(self.game.goals[name]), "vertex")) for name in sorted(self.game.goals)
        ]


def _in_short(goals: Sequence[str]) -> str:
    every = ", ".join(goals)
    return every if len(every) <= _SHORT or len(goals) < 2 else f"{goals[0]} + {len(goals) - 1}"


def _written(number: Fraction | Any) -> str:
    """Write an exact number shortly; nothing for a number that is absent.

    >>> _written(Fraction(1, 3)), _written(Fraction(3)), _written(Fraction(1234567, 10**7)), _written(None)
    ('1/3', '3', '0.1235', '')
    """
    if number is None:
        return ""
    exact = str(number)
    return exact if len(exact) <= 6 else f"{float(number):.4g}"


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
