"""Transitions as goals: `state --label-->`, with or without a target, or the name of an edge.

A transition is reached when it is taken, wherever the play goes then. So the game gets a purpose beside it that watches
for it (purpose.py), which doubles the game at most for each transition. States and edges are named as in the game
without purposes, also where it has some already.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from outplay.errors import UsageError, did_you_mean
from outplay.game.graph import Game, Numbered
from outplay.game.purpose import Beside, followed, with_purpose
from outplay.model.purpose import Taken, transition_goal

_MOST_NAMES = 10_000  # that are compared with a misspelt one


def watch_transitions(game: Game, names: Sequence[str]) -> tuple[Game, tuple[str, ...]]:
    """Make transitions among the goals reachable by name; returns the game to solve and the names of the goals in it.

    >>> from outplay import automaton, explore, win
    >>> lamp = explore(automaton([("off", "?press", "on"), ("on", "!light", "off"), ("on", "!hum", "on")]))
    >>> watched, goals = watch_transitions(lamp, ["off --?press--> on"])
    >>> win(watched, goals)
    SureWin(to off --?press--> on at cost 1)
    """
    taken = {name: _transition(game, name) for name in names if not _is_goal(game, name)}
    plain = [name for name in names if taken.get(name) is None]
    renamed = {name: one.name for name, one in taken.items() if one is not None}
    watched = game
    for one in dict.fromkeys(taken.values()):  # two names may mean one transition
        if one is not None:
            watched = with_purpose(watched, one, goals=plain)
    return watched, tuple(renamed.get(name, name) for name in names)


def _is_goal(game: Game, name: str) -> bool:
    return name in game.goals or name in game.vertex_numbers or name in game.labels


def _transition(game: Game, name: str) -> Taken | None:
    base, found = _without_purposes(game), transition_goal(name)
    if found is None:
        return None if isinstance(base.edge_names, Numbered) or name not in base.edge_names else _edge(base, name)
    states = dict.fromkeys(base.state_names)
    labels = [text for text in game.labels if followed(text)]
    for what, word, known in (
        ("state", found.state, states),
        ("state", found.target, states),
        ("label", found.label.text, labels),
    ):
        if word is not None and word not in known:
            nearest = did_you_mean(word, known if len(known) <= _MOST_NAMES else ())
            raise UsageError(f"{name}: no {what} {word!r} in this game; {nearest}")
    return found


def _without_purposes(game: Game) -> Game:
    while isinstance(game.origin.meaning, Beside):
        game = game.origin.meaning.base
    return game


def _edge(game: Game, name: str) -> Taken:
    edge = list(game.edge_names).index(name)
    if not game.moves[edge]:
        raise UsageError(f"edge {name!r} is a decision of the tester that nobody sees; name one that has a label")
    label, named = followed(game.label_of(edge)), game.state_names
    if label is None:
        raise UsageError(
            f"edge {name!r} has the label {game.label_of(edge)!r}, which no play shows; "
            "to be a goal, its label is written ?input, !output or delta"
        )
    taken = Taken(named[game.source[edge]], label, named[game.target[edge]])
    same = [number for number, text in enumerate(game.labels) if followed(text) == label]
    for other in np.flatnonzero(np.isin(game.label, same) & (game.moves > 0)).tolist():
        ends = named[game.source[other]], named[game.target[other]]
        if other != edge and ends == (taken.state, taken.target):
            raise UsageError(
                f"edges {name!r} and {game.edge_names[other]!r} look alike in a play; "
                f"give one another label, or name both with --goal {taken.name!r}"
            )
    return taken
