"""What a forecast is about: goals, labels, states and transitions, each with the vertices it stands for.

Names mean what they mean to `solve`: a goal, else a state, else a label; and, where none of these has it, a transition.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from outplay.errors import UsageError, did_you_mean
from outplay.strategy.forecast.board import Board

KINDS = ("goal", "label", "state", "transition")
_MOST_HINTS = 50_000


@dataclass(frozen=True, eq=False)
class Aim:
    """A target: its name, its kind, and its vertices, on the board's base or (`split`) on its split game."""

    name: str
    kind: str
    vertices: NDArray[np.uint32]
    split: bool = False


def all_aims(board: Board, kinds: Iterable[str]) -> list[Aim]:
    """Every target of these kinds."""
    chosen = list(kinds)
    return [aim for kind in KINDS if kind in chosen for aim in _MAKERS[kind](board)]


def named_aims(board: Board, names: Sequence[str]) -> list[Aim]:
    """One target for each name."""
    return [_named(board, name) for name in names]


def union(aims: Sequence[Aim]) -> Aim:
    """One target that is reached when any of them is; vertices of the base keep their numbers on the split game."""
    vertices = np.unique(np.concatenate([aim.vertices for aim in aims])).astype(np.uint32)
    return Aim(" or ".join(aim.name for aim in aims), aims[0].kind, vertices, any(aim.split for aim in aims))


def _named(board: Board, name: str) -> Aim:
    game = board.base
    if name in game.goals:
        return Aim(name, "goal", game.goals[name])
    if name in game.vertex_numbers:
        return Aim(name, "state", np.array([game.vertex_numbers[name]], dtype=np.uint32))
    label = _label(board, name)
    if name and len(label.vertices):
        return label
    if board.count <= _MOST_HINTS and name in board.names:
        return _transition(board, board.names.index(name))
    known = [*game.goals, *filter(None, game.labels), *(game.names if game.vertex_count <= _MOST_HINTS else ())]
    raise UsageError(f"no goal, state, label or transition {name!r} in this game; {did_you_mean(name, known)}")


def _goals(board: Board) -> list[Aim]:
    return [Aim(name, "goal", vertices) for name, vertices in board.base.goals.items()]


def _states(board: Board) -> list[Aim]:
    own = np.flatnonzero(board.place == np.arange(board.base.vertex_count))
    names = board.base.names
    return [Aim(names[vertex], "state", np.array([vertex], dtype=np.uint32)) for vertex in own.tolist()]


def _labels(board: Board) -> list[Aim]:
    used = dict.fromkeys(board.base.labels[number] for number in np.unique(board.labels).tolist())
    return [_label(board, text) for text in used if text]


def _label(board: Board, text: str) -> Aim:
    numbers = [number for number, other in enumerate(board.base.labels) if other == text]
    vertices = board.base.vertex_count + np.flatnonzero(np.isin(board.labels, numbers))
    return Aim(text, "label", vertices.astype(np.uint32), split=True)


def _transitions(board: Board) -> list[Aim]:
    return [_transition(board, number) for number in range(board.count)]


def _transition(board: Board, number: int) -> Aim:
    vertex = np.array([board.base.vertex_count + number], dtype=np.uint32)
    return Aim(board.names[number], "transition", vertex, split=True)


_MAKERS = {"goal": _goals, "label": _labels, "state": _states, "transition": _transitions}
