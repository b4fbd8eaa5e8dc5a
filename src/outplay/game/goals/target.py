"""A goal on a game: the game to solve, and the vertices to reach in it.

Goal sets and states are vertices. A label or a transition is reached by its edges, which lead through vertices of their
own (splitting.py). What takes a memory is a purpose beside the game (product.py). The numbers of vertices and edges
stay, unless there is a memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np

from outplay.errors import UsageError, did_you_mean
from outplay.game.exact_numbers import Bools
from outplay.game.goals.goal import (
    AllOf,
    AtState,
    Goal,
    NamedSet,
    Remembering,
    Seen,
    Single,
    Transition,
    goal_alternatives,
    goal_union,
    single_goals,
)  # fmt: skip
from outplay.game.goals.goal_grammar import parse_goal
from outplay.game.goals.product import PurposeMeaning, label_for_purpose, with_purpose
from outplay.game.goals.splitting import split_transitions
from outplay.game.graph import Game, Vertices
from outplay.game.roles import Numbered, Role

_MOST_NAMES = 10_000  # that are compared with a misspelt one


@dataclass(frozen=True, eq=False)
class Target:
    """A goal, the game to solve for it, and the vertices to reach in that."""

    goal: Goal
    game: Game
    vertices: Vertices

    @property
    def names(self) -> tuple[str, ...]:
        """The goals any of which is enough, as they are written."""
        return tuple(map(str, goal_alternatives(self.goal)))


Wanted: TypeAlias = "Target | Goal | str | Iterable[str | Goal]"
"""A goal as solvers take it; several count as one union, and none means the only goal there is."""


def find_target(game: Game, wanted: Wanted) -> Target:
    """Find the target of a goal on a game: the game to solve and the vertices to reach."""
    if isinstance(wanted, Target):
        return wanted
    goal = target_goal(game, wanted)
    game, [parts] = with_goal_memories(game, [goal])
    places = [target_vertices(game, part) for part in parts if isinstance(part, NamedSet | AtState)]
    passed = [target_edges(game, part) for part in parts if isinstance(part, Seen | Transition)]
    if passed:
        count = game.vertex_count
        game = split_transitions(game, np.flatnonzero(np.logical_or.reduce(passed)))
        places.append(np.arange(count, game.vertex_count, dtype=np.uint32))
    return Target(goal, game, _joined(places))


def with_goal_memories(game: Game, goals: Sequence[Goal]) -> tuple[Game, list[list[Single]]]:
    """Put beside a game the memory that goals need; return for each the single goals of which any is enough."""

    def put_beside(part: Remembering) -> None:
        nonlocal game
        if part.purpose.name not in game.goals:
            _check_states(game, part)
            game = with_purpose(game, part.purpose)

    found = [single_goals(goal, put_beside) for goal in goals]
    return game, found


def target_goal(game: Game, wanted: Goal | str | Iterable[str | Goal]) -> Goal:
    """Read what is wanted as one goal, by the names of a game."""
    if isinstance(wanted, Goal):
        return wanted
    names = GameNames(game)
    given = [wanted] if isinstance(wanted, str) else list(wanted) or _only_goal(game)
    return goal_union(parse_goal(one, names) if isinstance(one, str) else one for one in given)


def target_edges(game: Game, goal: Seen | Transition) -> Bools:
    """Mark the edges of a game that reach a goal that is a label or a transition."""
    if isinstance(goal, Seen):
        numbers = [number for number, text in enumerate(game.labels) if text == goal.label]
    else:
        shown = [label_for_purpose(text) for text in game.labels]
        numbers = [number for number, label in enumerate(shown) if label is not None and label.text == goal.label]
    found = np.isin(game.label, numbers) & (game.moves > 0)
    if isinstance(goal, Transition):
        found &= game.at_state(goal.state)[game.source]
        if goal.target is not None:
            found &= game.at_state(goal.target)[game.target]
    return np.asarray(found)


def target_vertices(game: Game, goal: NamedSet | AtState) -> Vertices:
    """Return the target vertices of a goal that is a named set or a state."""
    if isinstance(goal, NamedSet) or goal.name in game.vertex_numbers:
        return game.goal_vertices(goal.name)
    return np.flatnonzero(game.at_state(goal.name) & (game.roles.role == Role.STATE)).astype(np.uint32)


def _joined(places: Sequence[Vertices]) -> Vertices:
    joined = np.concatenate(places) if places else np.zeros(0, dtype=np.uint32)
    in_order = bool((joined[1:] > joined[:-1]).all())  # asked first, as sorting takes a hundred times longer
    return joined if in_order else np.unique(joined)


def _check_states(game: Game, goal: Remembering) -> None:
    """While playing, states can be told, and no vertices behind them."""
    for part in goal.parts if isinstance(goal, AllOf) else ():
        if isinstance(part, AtState) and not game.at_state(part.name).any():
            raise UsageError(f"{part} is no state of its own but a decision in one; name the state")


def _only_goal(game: Game) -> list[str]:
    if len(game.goals) == 1:
        return list(game.goals)
    if not game.goals:
        raise UsageError("say what to reach with --goal: the model names no goals, so give a state or a label")
    raise UsageError(f"say what to reach with --goal; goals: {', '.join(sorted(game.goals))}")


class GameNames:
    """The names in a game; those of states and edges as in the game without purposes, where it has some."""

    place = "this game"

    def __init__(self, game: Game) -> None:
        self._game = game

    def is_goal(self, name: str) -> bool:
        return name in self._game.goals

    def is_state(self, name: str) -> bool:
        return name in self._game.vertex_numbers or (self._game.roles.names is not None and name in self._states)

    def is_label(self, name: str, *, alone: bool) -> bool:
        return name in self._game.labels

    @cached_property
    def _states(self) -> dict[str, None]:
        return dict.fromkeys(self._game.state_names)

    @cached_property
    def _shown(self) -> list[str]:
        return [label.text for text in self._game.labels if (label := label_for_purpose(text)) is not None]

    def transition(self, found: Transition) -> Transition:
        label = _canonical(found.label)
        for what, word, known in (
            ("state", found.state, self._states),
            ("state", found.target, self._states),
            ("label", label, self._shown),
        ):
            if word is not None and word not in known:
                nearest = did_you_mean(word, known if len(known) <= _MOST_NAMES else ())
                raise UsageError(f"{found}: no {what} {word!r} in this game; {nearest}")
        return Transition(found.state, label, found.target)

    def edge(self, name: str) -> Transition | None:
        base = _without_purposes(self._game)
        if isinstance(base.edge_names, Numbered) or name not in base.edge_names:
            return None
        return _edge(base, name)

    def hints(self) -> Sequence[str]:
        game = self._game
        few = game.vertex_count <= _MOST_NAMES
        return [*game.goals, *filter(None, game.labels), *(game.names if few else ())]


def _canonical(text: str) -> str:
    label = label_for_purpose(text) if text else None
    return text if label is None else label.text


def _without_purposes(game: Game) -> Game:
    while isinstance(game.origin.meaning, PurposeMeaning):
        game = game.origin.meaning.base
    return game


def _edge(game: Game, name: str) -> Transition:
    edge = list(game.edge_names).index(name)
    if not game.moves[edge]:
        raise UsageError(f"edge {name!r} is a decision of the tester that nobody sees; name one that has a label")
    label, named = label_for_purpose(game.label_of(edge)), game.state_names
    if label is None:
        raise UsageError(
            f"edge {name!r} has the label {game.label_of(edge)!r}, which no play shows; "
            "to be a goal, its label is written ?input, !output or delta"
        )
    taken = Transition(named[game.source[edge]], label.text, named[game.target[edge]])
    alike = np.flatnonzero(target_edges(game, taken)).tolist()
    other = next((one for one in alike if one != edge), None)
    if other is not None:
        raise UsageError(
            f"edges {name!r} and {game.edge_names[other]!r} look alike in a play; "
            f"give one another label, or name both with --goal '{taken}'"
        )
    return taken
