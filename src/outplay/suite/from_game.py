"""From a solver's answer on a game graph to a trace-based strategy, and so to a test case.

At each vertex where the tester may be, the answer names an edge: an input, or waiting. What the game does not foresee
in answer to it (under `input-eager` an output that comes before the input) ends the test inconclusively: the test
assumption did not hold. The thesis would fail the system there, against its own demand that test cases are sound
(004, 5.9 and rule 3 in the proof of 5.20). Under `input-fair` the tester tries again instead, which takes a depth.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from outplay.game.assumption import Assumption
from outplay.game.graph import SYSTEM, Game
from outplay.game.reset import RESET
from outplay.model.label import SILENCE, Label
from outplay.model.tracking import Tracker, goal_of
from outplay.strategy.guide import Answer
from outplay.suite.decisions import Decision, Give, Stop, Wait
from outplay.suite.from_strategy import case_from_strategy
from outplay.suite.testcase import End, TestCase
from outplay.suite.ways import Way, way_of


@dataclass(frozen=True)
class _Memory:
    """What the way remembers, whether silence was seen last (`timeout` asks), and whether all went as foreseen."""

    way: Any
    silent: bool = True  # play starts active (001), as after a time-out
    foreseen: bool = True


class GameStrategy:
    """Follows a way through a game: the first possible vertex whose choice is enabled decides."""

    def __init__(self, game: Game, way: Way) -> None:
        self._game, self._way = game, way
        self._timed = game.origin.assumption.waits_for_timeout
        self._persists = game.origin.assumption is Assumption.INPUT_FAIR
        self.start = _Memory(way.start)

    def decide(self, tracker: Tracker, memory: _Memory) -> Decision:
        if tracker.reached:
            return Stop(End.PASS)
        vertices = self._vertices(tracker, memory)
        if not memory.foreseen or all(self._way.hopeless(vertex, memory.way) for vertex in vertices):
            return Stop(End.INCONCLUSIVE)
        chosen = self._chosen(tracker, memory)
        label = None if chosen is None else input_of(self._game, chosen)
        return Wait() if label is None else Give(label)

    def remember(self, tracker: Tracker, memory: _Memory, label: Label) -> _Memory:
        chosen = self._chosen(tracker, memory)
        vertices = self._vertices(tracker, memory)
        asked = vertices[0] if vertices else None
        foreseen = True
        if chosen is not None and asked is not None:
            behind = not self._game.moves[chosen]
            asked = int(self._game.target[chosen] if behind else self._game.source[chosen])
            foreseen = self._persists or label in self._answers(chosen)
        way = memory.way if asked is None else self._way.after(asked, memory.way)
        active = not self._timed or label == SILENCE or label.text == RESET
        return _Memory(way, active, foreseen)

    def _answers(self, edge: int) -> set[Label]:
        """What may happen when an edge is chosen."""
        game = self._game
        shown = [edge] if game.moves[edge] else game.edges_of(int(game.target[edge]))
        return {_label(game.label_of(one)) for one in shown}

    def _vertices(self, tracker: Tracker, memory: _Memory) -> list[int]:
        found = [self._game.origin.vertex(state, memory.silent) for state in tracker.states]
        return [vertex for vertex in found if vertex is not None]

    def _chosen(self, tracker: Tracker, memory: _Memory) -> int | None:
        """The edge the tester takes: the first whose input is enabled for sure; None where it just waits."""
        waits: int | None = None
        for vertex in self._vertices(tracker, memory):
            edge = self._way.edge(vertex, memory.way) if self._game.owner[vertex] != SYSTEM else None
            label = None if edge is None else input_of(self._game, edge)
            if label is not None and tracker.enabled(label):
                return edge
            waits = edge if waits is None and label is None else waits
        return waits


_label = lru_cache(maxsize=10_000)(Label.parse)


def input_of(game: Game, edge: int) -> Label | None:
    """The input a tester's edge stands for: its own, or that of the decision behind it; None for waiting."""
    text = game.input_of(edge)
    return None if text is None else _label(text)


def case_from_way(
    game: Game, way: Way, goals: tuple[str, ...], *, depth: int | None = None, name: str = "test"
) -> TestCase:
    """Write a way through a game out as a test case: `pass` where a goal is reached, else inconclusive."""
    spec = game.origin.specification
    shown = [Label.parse(text) for text in game.labels if text.startswith("!")]
    strategy = GameStrategy(game, way)
    return case_from_strategy(strategy, spec, outputs=shown, goal=goal_of(spec, goals), depth=depth, name=name)


def case_from_result(answer: Answer, *, depth: int | None = None, name: str | None = None) -> TestCase:
    """Write a solver's answer out as a test case.

    A sure win passes whatever the system does. With jokers the test is inconclusive where the system does not help,
    with a bound where the moves are used up. What only hopes, or trusts in chance, may go round and then takes a depth.

    >>> from outplay import GameBuilder, win
    >>> builder = GameBuilder().vertex("s", "tester").vertex("c", "system").vertex("g", "tester", goals=["done"])
    >>> game = builder.edge("s", "c", "?go").edge("c", "g", "!ok").edge("c", "g", "!slow").build()
    >>> case_from_result(win(game, "done"))
    TestCase('done', 2 states, 2 steps)
    """
    named = name or " or ".join(answer.goals)
    return case_from_way(answer.game, way_of(answer), answer.goals, depth=depth, name=named)
