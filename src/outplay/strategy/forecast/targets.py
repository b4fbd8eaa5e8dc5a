"""What a forecast is about: goals, labels, states and transitions, each with the vertices it stands for.

Names mean what they mean to `solve`: a goal, else a state, else a label; and, where none of these has it, a transition.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from outplay.game.goal import AtState, NamedSet, Seen, Single
from outplay.game.graph import Game
from outplay.game.splitting import Transitions
from outplay.game.target import edges_along, read_goal, vertices_at, with_memories

KINDS = ("goal", "label", "state", "transition")
_MOST_HINTS = 50_000


@dataclass(frozen=True, eq=False)
class Aim:
    """A target: its name, its kind, and its vertices, on the board's base or (`split`) on its split game."""

    name: str
    kind: str
    vertices: NDArray[np.uint32]
    split: bool = False


def all_aims(board: Transitions, kinds: Iterable[str]) -> list[Aim]:
    """Every target of these kinds."""
    chosen = list(kinds)
    return [aim for kind in KINDS if kind in chosen for aim in _MAKERS[kind](board)]


def named_aims(game: Game, names: Sequence[str]) -> tuple[Transitions, list[Aim]]:
    """One target for each name, and the transitions of the game they lie on, which remembers what they have to."""
    plain = Transitions(game)
    listed = plain.names if any("-->" in name for name in names) and plain.count <= _MOST_HINTS else []
    taken = {name: listed.index(name) for name in names if name in listed}
    goals = {name: read_goal(game, name) for name in names if name not in taken}
    game, singles = with_memories(game, list(goals.values()))
    board = Transitions(game) if game is not plain.game else plain
    found = {name: _named(board, name, parts) for name, parts in zip(goals, singles, strict=True)}
    return board, [_transition(board, taken[name]) if name in taken else found[name] for name in names]


def union(aims: Sequence[Aim]) -> Aim:
    """One target that is reached when any of them is; vertices of the base keep their numbers on the split game."""
    vertices = np.unique(np.concatenate([aim.vertices for aim in aims])).astype(np.uint32)
    return Aim(" or ".join(aim.name for aim in aims), aims[0].kind, vertices, any(aim.split for aim in aims))


def _named(board: Transitions, name: str, parts: Sequence[Single]) -> Aim:
    aims = [_single(board, part) for part in parts]
    return replace(union(aims), name=name)


def _single(board: Transitions, goal: Single) -> Aim:
    if isinstance(goal, NamedSet | AtState):
        kind = "goal" if isinstance(goal, NamedSet) else "state"
        return Aim(goal.name, kind, vertices_at(board.game, goal))
    numbers = np.unique(board.of_edge[edges_along(board.game, goal)])
    kind = "label" if isinstance(goal, Seen) else "transition"
    return Aim(str(goal), kind, (board.game.vertex_count + numbers).astype(np.uint32), split=True)


def _goals(board: Transitions) -> list[Aim]:
    return [Aim(name, "goal", vertices) for name, vertices in board.game.goals.items()]


def _states(board: Transitions) -> list[Aim]:
    own = np.flatnonzero(board.start_of == np.arange(board.game.vertex_count))
    names = board.game.names
    return [Aim(names[vertex], "state", np.array([vertex], dtype=np.uint32)) for vertex in own.tolist()]


def _labels(board: Transitions) -> list[Aim]:
    used = dict.fromkeys(board.game.labels[number] for number in np.unique(board.label).tolist())
    return [_label(board, text) for text in used if text]


def _label(board: Transitions, text: str) -> Aim:
    numbers = [number for number, other in enumerate(board.game.labels) if other == text]
    vertices = board.game.vertex_count + np.flatnonzero(np.isin(board.label, numbers))
    return Aim(text, "label", vertices.astype(np.uint32), split=True)


def _transitions(board: Transitions) -> list[Aim]:
    return [_transition(board, number) for number in range(board.count)]


def _transition(board: Transitions, number: int) -> Aim:
    vertex = np.array([board.game.vertex_count + number], dtype=np.uint32)
    return Aim(board.names[number], "transition", vertex, split=True)


_MAKERS = {"goal": _goals, "label": _labels, "state": _states, "transition": _transitions}
