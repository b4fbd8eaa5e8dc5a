"""Markov decision processes and Markov chains as games, and back.

A state is a tester vertex. An action is a system vertex behind an edge of the state: the tester decides for it (0
moves, as for every choice in a game), then chance takes one of its edges (1 move). So one step of the process is one
move. The cost of the step, the state's and the action's together, lies on the edge to the action; the other one costs
nothing. Both carry the action's name as label. In a Markov chain nobody decides: its states are system vertices, and
each edge costs what the step costs and counts one move.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import NoReturn

import numpy as np

from outplay.errors import FormatError
from outplay.formats.common.names_and_numbers import NumberColumn, numbered_names
from outplay.formats.common.source import shown
from outplay.game.builder import PartError, game_from_arrays
from outplay.game.graph import SYSTEM, TESTER, Game


@dataclass
class MarkovProcess:
    """States numbered from 0; choices in the order of their states, transitions in the order of their choices."""

    chain: bool
    states: int
    initial: int = 0
    names: Sequence[str] | None = None
    goals: dict[str, list[int]] = field(default_factory=dict)
    choice_state: list[int] = field(default_factory=list)
    action: list[str] = field(default_factory=list)
    cost: NumberColumn = field(default_factory=NumberColumn)
    """Of each choice."""
    choice: list[int] = field(default_factory=list)
    """Of each transition."""
    target: list[int] = field(default_factory=list)
    probability: NumberColumn = field(default_factory=NumberColumn)


class WrongChoice(Exception):
    """The outcomes of a choice are no distribution."""

    def __init__(self, what: str, choice: int) -> None:
        super().__init__(what)
        self.choice = choice


def game_of_process(process: MarkovProcess) -> Game:
    """Make a game of a Markov decision process; raise WrongChoice where probabilities do not sum to 1."""
    names = numbered_names(process.states) if process.names is None else tuple(process.names)
    labels = {"": 0}
    action = np.array([labels.setdefault(name, len(labels)) for name in process.action], dtype=np.int64)
    choice = np.array(process.choice, dtype=np.int64)
    choice_state = np.array(process.choice_state, dtype=np.int64)
    probability, cost = process.probability, process.cost
    goals = {name: np.array(members, dtype=np.int64) for name, members in process.goals.items()}
    try:
        if process.chain:
            cost.index = np.array(cost.index, dtype=np.int64)[choice].tolist()
            return game_from_arrays(
                owner=np.full(process.states, SYSTEM),
                source=choice_state[choice],
                target=np.array(process.target, dtype=np.int64),
                cost=cost.exact(),
                probability=probability.exact(),
                label=action[choice],
                labels=tuple(labels),
                initial=process.initial,
                goals=goals,
                names=names,
            )
        choices = len(choice_state)
        cost.index += [_row_of(cost, Fraction(0))] * len(choice)
        probability.index = [_row_of(probability, None)] * choices + probability.index
        return game_from_arrays(
            owner=np.repeat([TESTER, SYSTEM], [process.states, choices]),
            source=np.concatenate([choice_state, process.states + choice]),
            target=np.concatenate([process.states + np.arange(choices), np.array(process.target, dtype=np.int64)]),
            cost=cost.exact(),
            probability=probability.exact(),
            moves=np.repeat([0, 1], [choices, len(choice)]),
            label=np.concatenate([action, action[choice]]),
            labels=tuple(labels),
            initial=process.initial,
            goals=goals,
            names=(*names, *_choice_names(names, process.choice_state)),
        )
    except PartError as error:
        vertex = [*names, *_choice_names(names, process.choice_state)].index(error.vertex or "")
        found = process.choice_state.index(vertex) if process.chain else vertex - process.states
        raise WrongChoice(str(error).partition(": ")[2], found) from None


def _row_of(column: NumberColumn, value: Fraction | None) -> int:
    return column.new_row(("the number", value), value)


def _choice_names(names: Sequence[str], choice_state: Sequence[int]) -> Iterator[str]:
    """Name the choices of a state 3: `3/0`, `3/1`, …"""
    count: dict[int, int] = {}
    for state in choice_state:
        place = count.get(state, 0)
        count[state] = place + 1
        yield f"{names[state]}/{place}"


@dataclass(frozen=True)
class Table:
    """A process as it is written: a row of choices for each state, each with its outcomes."""

    chain: bool
    names: Sequence[str]
    initial: int
    goals: Mapping[str, list[int]]
    choices: list[list[Choice]]

    @property
    def choice_count(self) -> int:
        return sum(map(len, self.choices))

    @property
    def transition_count(self) -> int:
        return sum(len(choice.outcomes) for row in self.choices for choice in row)


@dataclass(frozen=True)
class Choice:
    """An action with its name, cost and outcomes (target, probability)."""

    action: str
    cost: Fraction
    outcomes: list[tuple[int, Fraction]]


def process_of_game(game: Game, ending: str) -> Table:
    """Make a Markov decision process of a game; refuse a game of another shape. Names of edges are lost."""
    shape = _Shape(game, ending)
    if any(value != 1 for value in game.gain.table):
        shape.refuse("it has gains other than 1")
    if bool(np.all(game.owner == SYSTEM)):
        rows = [shape.chain_row(vertex) for vertex in range(game.vertex_count)]
        goals = {name: members.tolist() for name, members in game.goals.items()}
        return Table(True, game.names, game.initial, goals, rows)
    states = np.flatnonzero(game.owner == TESTER)
    number = np.full(game.vertex_count, -1)
    number[states] = np.arange(len(states))
    if number[game.initial] < 0:
        shape.refuse(f"the initial vertex {shown(game.names[game.initial])} is the system's")
    _refuse_shared(game, shape)
    numbers = number.tolist()
    rows = [shape.row(vertex, numbers) for vertex in states.tolist()]
    goals = {}
    for name, members in game.goals.items():
        odd = next((vertex for vertex in members.tolist() if numbers[vertex] < 0), None)
        if odd is not None:
            shape.refuse(f"the goal {shown(name)} holds at {shown(game.names[odd])}, which is the system's")
        goals[name] = [numbers[vertex] for vertex in members.tolist()]
    return Table(False, [game.names[vertex] for vertex in states.tolist()], int(number[game.initial]), goals, rows)


def _refuse_shared(game: Game, shape: _Shape) -> None:
    incoming = np.bincount(game.target, minlength=game.vertex_count)
    odd = np.flatnonzero((game.owner == SYSTEM) & (incoming != 1))
    if odd.size:
        count = int(incoming[odd[0]])
        shape.refuse(f"{count} edges, not one, lead to the system's vertex {shown(game.names[int(odd[0])])}")


class _Shape:
    def __init__(self, game: Game, ending: str) -> None:
        self.game, self.ending = game, ending
        self.target, self.moves = game.target.tolist(), game.moves.tolist()

    def refuse(self, why: str) -> NoReturn:
        raise FormatError(
            f"this game is no Markov decision process as {self.ending} holds it: {why}; write .json or .dot"
        )

    def refuse_edge(self, edge: int, why: str) -> NoReturn:
        self.refuse(f"the edge {shown(self.game.edge_names[edge])} {why}")

    def row(self, vertex: int, numbers: list[int]) -> list[Choice]:
        found = []
        for edge in self.game.edges_of(vertex):
            target = self.target[edge]
            if numbers[target] >= 0:
                self.refuse_edge(edge, "leads from one of the tester's vertices to another")
            if self.moves[edge] != 0:
                self.refuse_edge(edge, "is a decision of the tester and counts a move")
            label, outcomes = self.game.label_of(edge), []
            for behind in self.game.edges_of(target):
                if self.game.cost[behind] != 0:
                    self.refuse_edge(behind, "is an outcome and has a cost")
                outcomes.append(self._outcome(behind, label, numbers))
            found.append(Choice(label, self.game.cost[edge] or Fraction(0), outcomes))
        return found

    def chain_row(self, vertex: int) -> list[Choice]:
        edges = self.game.edges_of(vertex)
        if not edges:
            return []
        label, cost = self.game.label_of(edges[0]), self.game.cost[edges[0]]
        for edge in edges:
            if self.game.cost[edge] != cost:
                self.refuse_edge(edge, "costs something else than others of its vertex")
        outcomes = [self._outcome(edge, label, range(self.game.vertex_count)) for edge in edges]
        return [Choice(label, cost or Fraction(0), outcomes)]

    def _outcome(self, edge: int, label: str, numbers: Sequence[int]) -> tuple[int, Fraction]:
        chance, target = self.game.probability[edge], numbers[self.target[edge]]
        if chance is None:
            self.refuse_edge(edge, "is an outcome and has no probability")
        if self.moves[edge] != 1:
            self.refuse_edge(edge, "is an outcome and counts no move")
        if target < 0:
            self.refuse_edge(edge, "is an outcome and leads to one of the system's vertices")
        if self.game.label_of(edge) != label:
            self.refuse_edge(edge, "is labelled otherwise than its action")
        return target, chance
