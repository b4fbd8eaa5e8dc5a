"""The answer of a solver: a value for every vertex, the strategy that has it, a checker to confirm it, and words.

Each solver's answer is a subclass beside it. Whoever plays, prints, draws or stores an answer asks only what is here.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from outplay.breadth_first_search import nearest_first
from outplay.game.assumption import Assumption
from outplay.game.goals.goal import Goal, goal_alternatives
from outplay.game.graph import Game, Vertices
from outplay.renderable import Drawn
from outplay.strategy.certificate.checker import Certificate
from outplay.strategy.number_format import json_number
from outplay.strategy.strategy import Strategy

FAIR = "under input-fair only who wins is known; costs and steps are those of input-eager, and no bound"
LISTED = 10_000  # vertices of a blocking set that JSON names


@dataclass(frozen=True, eq=False)
class Answer(Drawn, ABC):
    """A solver's answer for all vertices of a game, with the strategy that goes with it."""

    game: Game
    goal: Goal
    goal_vertices: Vertices

    @abstractmethod
    def value_of(self, vertex: int) -> Any:
        """Return the value of the strategy from a vertex; None where it cannot promise anything."""

    @property
    def value(self) -> Any:
        """Return the value of the strategy from the initial vertex."""
        return self.value_of(self.game.initial)

    @property
    @abstractmethod
    def strategy(self) -> Strategy:
        """Return the tester's strategy."""

    @property
    def persistent(self) -> Strategy:
        """Return the strategy for live play, where it goes on after the system did not do what was hoped for."""
        return self.strategy

    def chosen(self, vertex: int) -> int | None:
        """The edge that a picture shows at a vertex: that of a play which starts there; None where there is none."""
        return self.strategy.edge(vertex, self.strategy.start)

    def as_good(self, vertex: int, memory: Any = None) -> tuple[int, ...]:
        """The edges that the strategy could take at a vertex, each whenever it comes there, and promise as much.

        The chosen one is among them, and is alone where there is no proof of others. Where the strategy has a memory,
        it is that of a play which starts there unless another is given.
        """
        edge = self.chosen(vertex)
        return () if edge is None else (edge,)

    @abstractmethod
    def check(self) -> Certificate:
        """Have the checker confirm the answer; it raises where it does not."""

    @property
    @abstractmethod
    def sentence(self) -> str:
        """The answer for people, in one sentence."""

    def __eq__(self, other: object) -> bool:
        """Say whether it answers the same question on an equal game in the same way, at every vertex."""
        if type(self) is not type(other) or not isinstance(other, Answer):
            return False
        asked = self.game == other.game and self.goal == other.goal
        return self is other or (asked and self.json() == other.json())

    def __hash__(self) -> int:
        return hash((type(self), self.game, self.goal))

    def __str__(self) -> str:
        return f"{self.game.origin.scope}{self.sentence}"

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self})"

    def lines(self) -> list[str]:
        """More for people, below the sentence: the moves, nearest to the start first."""
        return [self.move_words(vertex, edge) for vertex in self.met() if (edge := self.chosen(vertex)) is not None]

    @property
    def warnings(self) -> tuple[str, ...]:
        """Return the warnings to read before the answer is believed."""
        found = [*self.game.origin.cautions]
        if not len(self.goal_vertices):
            found.append(f"{self.goal} holds nowhere in this game")
        if self.game.origin.stopped:
            found.append(f"{self.game.origin.stopped}; the answer is a lower bound on what can be reached")
        if self.game.origin.assumption is Assumption.INPUT_FAIR:
            found.append(FAIR)
        return tuple(found)

    def json(self, *, exact: bool = False, listed: bool = True) -> dict[str, Any]:
        """The answer as JSON: with fractions where it is `exact`, with all values and moves where they are `listed`."""
        names = self.game.names
        made: dict[str, Any] = {"goal": list(self.goals), "initial": names[self.game.initial]}
        made["value"] = self.json_value(self.game.initial, exact)
        if self.game.origin.approximate:
            made["approximate"] = True
        if listed:
            made["values"] = {name: self.json_value(vertex, exact) for vertex, name in enumerate(names)}
            made["strategy"] = self.json_strategy()
        return {**made, **self.json_details(exact)}

    def json_value(self, vertex: int, exact: bool) -> Any:
        """The value of a vertex as JSON."""
        return json_number(self.value_of(vertex), exact)

    def json_strategy(self) -> dict[str, Any]:
        """The moves by the name of the vertex, as JSON."""
        return {self.game.names[vertex]: self.json_move(edge) for vertex, edge in self.choices()}

    def json_details(self, exact: bool) -> dict[str, Any]:
        """Return the further parts of the answer, as JSON."""
        return {}

    def json_move(self, edge: int) -> dict[str, str]:
        return {"edge": self.game.edge_names[edge], "label": self.game.label_of(edge)}

    def choices(self) -> Iterator[tuple[int, int]]:
        """All chosen edges as (vertex, edge)."""
        for vertex in range(self.game.vertex_count):
            edge = self.chosen(vertex)
            if edge is not None:
                yield vertex, edge

    def met(self) -> list[int]:
        """The vertices a play can come to from the start when the chosen edges are taken, nearest first."""
        ends = set(self.goal_vertices.tolist())

        def onward(vertex: int) -> list[int]:
            if vertex in ends:
                return []
            chosen = self.chosen(vertex)
            edges = self.game.edges_of(vertex) if chosen is None else [chosen]
            return [int(self.game.target[edge]) for edge in edges]

        return list(nearest_first([self.game.initial], onward))

    def move_words(self, vertex: int, edge: int) -> str:
        """A move for people."""
        return f"{self.vertex_words(vertex)}: {self.game.label_of(edge) or self.game.edge_names[edge]}"

    def vertex_words(self, vertex: int) -> str:
        """A vertex with the state it stands for."""
        about = self.game.about(vertex)
        return f"{self.game.names[vertex]} ({about})" if about else self.game.names[vertex]

    @property
    def goals(self) -> tuple[str, ...]:
        """The goals any of which is enough, as they are written."""
        return tuple(map(str, goal_alternatives(self.goal)))


@dataclass(frozen=True, eq=False, repr=False)
class Blocked(Answer):
    """The goal cannot be had: the answer is what keeps the tester from it."""

    blocking: Vertices = field(kw_only=True)

    def lines(self) -> list[str]:
        return []

    def json_details(self, exact: bool) -> dict[str, Any]:
        return {"blocking": [self.game.names[vertex] for vertex in self.blocking[:LISTED].tolist()]}
