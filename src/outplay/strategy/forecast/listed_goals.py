"""The targets of a forecast: goals, labels, states and transitions, each with the vertices it stands for.

Names mean what they mean to `solve`: a goal, else a state, else a label; and, where none of these has it, a transition.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from outplay.game.goals.goal import AtState, NamedSet, Seen, Single
from outplay.game.goals.splitting import Transitions
from outplay.game.goals.target import target_edges, target_goal, target_vertices, with_goal_memories
from outplay.game.graph import Game
from outplay.game.roles import Role

KINDS = ("goal", "label", "state", "transition")
_MOST_HINTS = 50_000


@dataclass(frozen=True, eq=False)
class ListedGoal:
    """A goal: its name, its kind, and its vertices, on the game or (`split`) on the one whose transitions are split."""

    name: str
    kind: str
    vertices: NDArray[np.uint32]
    split: bool = False


def all_goals(transitions: Transitions, kinds: Iterable[str]) -> list[ListedGoal]:
    """List every goal of a game of these kinds for a forecast."""
    chosen = list(kinds)
    return [goal for kind in KINDS if kind in chosen for goal in _MAKERS[kind](transitions)]


def listed_by_name(game: Game, names: Sequence[str]) -> tuple[Transitions, list[ListedGoal]]:
    """List one goal for each name, on the game that has the transitions and memories the goals need."""
    plain = Transitions(game)
    listed = plain.names if any("-->" in name for name in names) and plain.count <= _MOST_HINTS else []
    taken = {name: listed.index(name) for name in names if name in listed}
    goals = {name: target_goal(game, name) for name in names if name not in taken}
    game, singles = with_goal_memories(game, list(goals.values()))
    transitions = Transitions(game) if game is not plain.game else plain
    found = {name: _named(transitions, name, parts) for name, parts in zip(goals, singles, strict=True)}
    return transitions, [_transition(transitions, taken[name]) if name in taken else found[name] for name in names]


def any_listed(listed: Sequence[ListedGoal]) -> ListedGoal:
    """Join listed goals into one that is reached when any of them is; split transitions keep vertex numbers."""
    vertices = np.unique(np.concatenate([goal.vertices for goal in listed])).astype(np.uint32)
    return ListedGoal(
        " or ".join(goal.name for goal in listed), listed[0].kind, vertices, any(goal.split for goal in listed)
    )


def _named(transitions: Transitions, name: str, parts: Sequence[Single]) -> ListedGoal:
    listed = [_single(transitions, part) for part in parts]
    return replace(any_listed(listed), name=name)


def _single(transitions: Transitions, goal: Single) -> ListedGoal:
    if isinstance(goal, NamedSet | AtState):
        kind = "goal" if isinstance(goal, NamedSet) else "state"
        return ListedGoal(goal.name, kind, target_vertices(transitions.game, goal))
    numbers = np.unique(transitions.of_edge[target_edges(transitions.game, goal)])
    kind = "label" if isinstance(goal, Seen) else "transition"
    return ListedGoal(str(goal), kind, (transitions.game.vertex_count + numbers).astype(np.uint32), split=True)


def _goals(transitions: Transitions) -> list[ListedGoal]:
    return [ListedGoal(name, "goal", vertices) for name, vertices in transitions.game.goals.items()]


def _states(transitions: Transitions) -> list[ListedGoal]:
    own = np.flatnonzero(transitions.start_of == np.arange(transitions.game.vertex_count))
    names, roles = transitions.game.names, transitions.game.roles
    copies: dict[int, list[int]] = {}  # the active copies of a state are that state too
    for copy in np.flatnonzero(roles.role == Role.ACTIVE).tolist():
        copies.setdefault(int(roles.state[copy]), []).append(copy)
    places = ((vertex, np.unique([vertex, *copies.get(vertex, ())]).astype(np.uint32)) for vertex in own.tolist())
    return [ListedGoal(names[vertex], "state", vertices) for vertex, vertices in places]


def _labels(transitions: Transitions) -> list[ListedGoal]:
    used = dict.fromkeys(transitions.game.labels[number] for number in np.unique(transitions.label).tolist())
    return [_label(transitions, text) for text in used if text]


def _label(transitions: Transitions, text: str) -> ListedGoal:
    numbers = [number for number, other in enumerate(transitions.game.labels) if other == text]
    vertices = transitions.game.vertex_count + np.flatnonzero(np.isin(transitions.label, numbers))
    return ListedGoal(text, "label", vertices.astype(np.uint32), split=True)


def _transitions(transitions: Transitions) -> list[ListedGoal]:
    return [_transition(transitions, number) for number in range(transitions.count)]


def _transition(transitions: Transitions, number: int) -> ListedGoal:
    vertex = np.array([transitions.game.vertex_count + number], dtype=np.uint32)
    return ListedGoal(transitions.names[number], "transition", vertex, split=True)


_MAKERS = {"goal": _goals, "label": _labels, "state": _states, "transition": _transitions}
