"""What the tester wants to reach: a named goal, a vertex, or the moment after a label.

A label is reached by the edge that carries it, wherever that leads. So a game for a label sends all such edges to one
new vertex, which is the goal; the numbers of the other vertices and of all edges stay.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from outplay.errors import UsageError, did_you_mean
from outplay.game.graph import TESTER, Game, Vertices
from outplay.game.tables import exact_from


@dataclass(frozen=True)
class Target:
    """A game with the vertices to reach in it; `labels` are those after which the goal counts as reached."""

    names: tuple[str, ...]
    game: Game
    vertices: Vertices
    labels: frozenset[str]


def find_target(game: Game, names: Sequence[str]) -> Target:
    """Look names up as goals, then vertices, then labels; several count as one union."""
    if not names:
        names = _only_goal(game)
    places = [name for name in names if name in game.goals or name in game.vertex_numbers]
    labels = frozenset(name for name in names if name not in places)
    for name in sorted(labels):
        if not name or name not in game.labels:
            known = [*game.goals, *filter(None, game.labels), *(game.names if game.vertex_count <= 10_000 else ())]
            raise UsageError(f"no goal, vertex or label {name!r} in this game; {did_you_mean(name, known)}")
    vertices = game.goal_vertices(places)
    if labels:
        game = _after_labels(game, labels)
        vertices = np.append(vertices, np.uint32(game.vertex_count - 1))
    return Target(tuple(names), game, vertices, labels)


def _only_goal(game: Game) -> list[str]:
    if len(game.goals) == 1:
        return list(game.goals)
    if not game.goals:
        raise UsageError("say what to reach with --goal: the model names no goals, so give a state or a label")
    raise UsageError(f"say what to reach with --goal; goals: {', '.join(sorted(game.goals))}")


def _after_labels(game: Game, labels: frozenset[str]) -> Game:
    """Send every edge with one of the labels to a new last vertex."""
    numbers = [number for number, text in enumerate(game.labels) if text in labels]
    hit = np.isin(game.label, numbers) & (game.moves > 0)
    new = np.uint32(game.vertex_count)
    return replace(
        game,
        owner=np.append(game.owner, np.uint8(TESTER)),
        first=np.append(game.first, game.first[-1]),
        target=np.where(hit, new, game.target).astype(np.uint32),
        gain=exact_from([*(game.gain[vertex] for vertex in range(game.vertex_count)), 0]),
        names=[*game.names, f"after {', '.join(sorted(labels))}"],
        known_roles=None,
        known_origin=game.origin,
    )
