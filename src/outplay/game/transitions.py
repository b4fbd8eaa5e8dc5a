"""Transitions as goals: `state --label-->`, with or without a target, or the name of an edge.

A transition is reached when it is taken, wherever the play goes then. So the game gets a purpose beside it that watches
for it (purpose.py), which doubles the game at most for each transition.
"""

from __future__ import annotations

from collections.abc import Sequence

from outplay.errors import UsageError, did_you_mean
from outplay.game.graph import Game, Numbered
from outplay.game.purpose import state_names, with_purpose
from outplay.model.label import Label
from outplay.model.purpose import Taken, transition_goal

_MOST_NAMES = 10_000  # that are compared with a misspelt one


def watch_transitions(game: Game, names: Sequence[str]) -> tuple[Game, tuple[str, ...]]:
    """Make transitions among the goals reachable by name; returns the game to solve and the names of the goals in it.

    >>> from outplay import automaton, explore, win
    >>> lamp = explore(automaton([("off", "?press", "on"), ("on", "!light", "off"), ("on", "!hum", "on")]))
    >>> watched, goals = watch_transitions(lamp, ["off --?press--> on"])
    >>> win(watched, goals)
    Strategy(to off --?press--> on at cost 1)
    """
    taken = {name: _transition(game, name) for name in names if not _is_goal(game, name)}
    plain = [name for name in names if taken.get(name) is None]
    renamed = {name: one.name for name, one in taken.items() if one is not None}
    watched = game
    for one in taken.values():
        if one is not None:
            watched = with_purpose(watched, one, goals=plain)
    return watched, tuple(renamed.get(name, name) for name in names)


def _is_goal(game: Game, name: str) -> bool:
    return name in game.goals or name in game.vertex_numbers or name in game.labels


def _transition(game: Game, name: str) -> Taken | None:
    found = transition_goal(name)
    if found is None:
        return None if isinstance(game.edge_names, Numbered) or name not in game.edge_names else _edge(game, name)
    for what, word, known in (
        ("vertex", found.state, game.vertex_numbers),
        ("vertex", found.target, game.vertex_numbers),
        ("label", found.label.text, game.labels),
    ):
        if word is not None and word not in known:
            nearest = did_you_mean(word, filter(None, known if len(known) <= _MOST_NAMES else ()))
            raise UsageError(f"{name}: no {what} {word!r} in this game; {nearest}")
    return found


def _edge(game: Game, name: str) -> Taken:
    edge = list(game.edge_names).index(name)
    if not game.moves[edge]:
        raise UsageError(f"edge {name!r} is a decision of the tester that nobody sees; name one that has a label")
    named = state_names(game)
    return Taken(named[game.source[edge]], Label.parse(game.label_of(edge)), named[game.target[edge]])
