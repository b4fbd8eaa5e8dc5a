"""A game graph as a specification: what its labels say the system may do.

Edges that count no move are the tester's silent decisions, so a vertex and the choice vertices behind such edges are
one state seen from outside. Silence is allowed where an edge says `delta`, and where no output is possible.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from outplay.breadth_first_search import nearest_first
from outplay.errors import UsageError
from outplay.game.assumption import Assumption, Origin
from outplay.game.roles import Role
from outplay.model.label import SILENCE, Label
from outplay.model.specification import ListedSpecification, Specification, State, state_number

if TYPE_CHECKING:  # each game has such a specification, so its module comes after this one
    from outplay.game.graph import Game


class GameSpecification(ListedSpecification):
    """The automaton behind a game graph; states are vertex numbers, so it is the meaning of its game as well."""

    def __init__(self, game: Game, name: str = "game") -> None:
        self.game, self.name = game, name
        self.initial, self.goals = (game.initial,), tuple(game.goals)
        self._moves: dict[Any, dict[Label, list[int]]] = {}
        self._weights: dict[tuple[Any, Label], float] = {}
        self._goals: dict[str, set[int]] = {}

    @property
    def specification(self) -> GameSpecification:
        return self

    def vertex(self, state: Any, after_silence: bool) -> int | None:
        return int(state)

    @property
    def fingerprint(self) -> str:
        return self.game.content_hash[:16]

    @property
    def alphabet(self) -> Collection[Label]:
        return [label for label in self._labels if label is not None]

    @cached_property
    def _labels(self) -> list[Label | None]:
        return [_label(text) for text in self.game.labels]

    def quiet(self, state: State) -> bool:
        moves = self.moves(state)
        return SILENCE in moves or not any(label.is_output for label in moves)

    def after(self, state: State, label: Label) -> Collection[State]:
        found = self.moves(state).get(label, ())
        return (state,) if label == SILENCE and not found and self.quiet(state) else found

    def is_state(self, name: str) -> bool:
        return name in self.game.vertex_numbers

    def holds(self, goal: str, state: State) -> bool:
        return state in self._goal_sets(goal)

    def weight(self, state: State, label: Label) -> float:
        self.moves(state)
        return self._weights.get((state, label), 1.0)

    def describe(self, state: State) -> str:
        return f"at {self.key(state)}"

    def key(self, state: State) -> str:
        return str(self.game.names[state_number(state)])

    def _goal_sets(self, goal: str) -> set[int]:
        if goal not in self._goals:
            self._goals[goal] = set(self.game.goal_vertices(goal).tolist())
        return self._goals[goal]

    def moves(self, state: Any) -> dict[Label, list[int]]:
        """All labels possible at a vertex, with the vertices each leads to."""
        known = self._moves.get(state)
        shares: dict[tuple[Label, int], float] = {}
        if known is None:
            known = {}
            for edge in self._visible_edges(state):
                label = self._labels[self.game.label[edge]]
                if label is None:
                    raise UsageError(
                        f"edge {self.game.edge_names[edge]!r} has the label {self.game.label_of(edge)!r}: "
                        "to be played, labels are written ?input, !output or delta"
                    )
                targets = known.setdefault(label, [])
                if self.target(edge) not in targets:
                    targets.append(self.target(edge))
                chance = self.game.probability[edge]
                # Several edges of one vertex may show the same label; those of its choice vertices repeat one chance.
                shared = (label, int(self.game.source[edge]))
                shares[shared] = shares.get(shared, 0.0) + (1.0 if chance is None else float(chance))
                self._weights[state, label] = max(self._weights.get((state, label), 0.0), shares[shared])
            self._moves[state] = known
        return known

    def target(self, edge: int) -> int:
        """Return the state an edge leads to."""
        return int(self.game.target[edge])

    def _visible_edges(self, state: int) -> list[int]:
        """Edges that show a label, of this vertex and of those the tester can turn to without a move."""
        moves, target, edges_of = self.game.moves, self.game.target, self.game.edges_of
        turned = nearest_first([state], lambda vertex: (int(target[e]) for e in edges_of(vertex) if not moves[e]))
        return sorted(edge for vertex in turned for edge in edges_of(vertex) if moves[edge])


class TimedSpecification(GameSpecification):
    """The automaton behind a game in which time-outs bring the tester's turn.

    A state and its active copy are one: whether silence was seen changes what the tester may do in the game, not what
    the system may. `rests` are the states in which silence is allowed besides.
    """

    def __init__(self, game: Game, rests: Collection[int] = (), name: str = "game") -> None:
        super().__init__(game, name)
        self.rests, self._state = frozenset(rests), game.roles.state
        self.active = {int(self._state[copy]): int(copy) for copy in np.flatnonzero(game.roles.role == Role.ACTIVE)}
        self.initial = (int(self._state[game.initial]),)

    def vertex(self, state: Any, after_silence: bool) -> int | None:
        return self.active.get(state, int(state)) if after_silence else int(state)

    def quiet(self, state: State) -> bool:
        return state in self.rests or super().quiet(state)

    def target(self, edge: int) -> int:
        return int(self._state[self.game.target[edge]])

    def _visible_edges(self, state: int) -> list[int]:
        copy = self.active.get(state)
        behind = [] if copy is None else super()._visible_edges(copy)
        return sorted([*super()._visible_edges(state), *behind])


def origin_of_game(
    game: Game, assumption: Assumption = Assumption.NONDETERMINISTIC, rests: Collection[int] = ()
) -> Origin:
    """Return the origin of a game that comes from no model; one made under an assumption is played by it."""
    timed = assumption.waits_for_timeout
    meaning = TimedSpecification(game, rests) if timed else GameSpecification(game)
    return Origin(meaning, assumption, int(game.is_state.sum()), explored=False)


def of_game(game: Game, *, name: str = "", **_: Any) -> Specification:
    """Return the specification whose states are those of a game: the model's own where the game was explored."""
    found = game.origin.specification
    if name and isinstance(found, TimedSpecification):
        return TimedSpecification(found.game, found.rests, name)
    return GameSpecification(found.game, name) if name and isinstance(found, GameSpecification) else found


def _label(text: str) -> Label | None:
    return Label.parse(text) if text == "delta" or text[:1] in ("?", "!") else None
