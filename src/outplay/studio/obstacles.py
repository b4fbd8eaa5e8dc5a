"""The obstacles before a goal: why no state has it, which way leads there, what the system would have to do.

All of it is read off the game that was solved, so that each sentence can be followed up in the graph.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from outplay.breadth_first_search import nearest_first
from outplay.game.assumption import Assumption
from outplay.game.exploring.unmet_goals import unmet_goal
from outplay.game.goals.target import Target
from outplay.game.graph import SYSTEM, Game
from outplay.plurals import counted
from outplay.strategy.answer import Answer, Blocked
from outplay.strategy.forecast.sentences import _help_words
from outplay.studio.scene_building import move_words, vertex_name

MOST_PLACES = 6
MOST_WEIGHED = 50_000  # vertices that are asked one by one whether a goal is lost there


@dataclass(frozen=True)
class Places:
    """Places in the graph under a title, each with what is to be known about it."""

    title: str
    found: tuple[tuple[int, str], ...] = ()

    def json(self, game: Game) -> dict[str, Any]:
        listed = [{"vertex": at, "name": vertex_name(game, at), "text": text} for at, text in self.found]
        return {"title": self.title, "found": listed}


@dataclass(frozen=True)
class Obstacles:
    """The reasons in sentences, and the places that they are about."""

    reasons: tuple[str, ...] = ()
    places: tuple[Places, ...] = ()

    def json(self, game: Game) -> dict[str, Any]:
        return {"reasons": list(self.reasons), "places": [one.json(game) for one in self.places if one.found]}


def obstacles(shown: Game, target: Target, sure: Answer, helped: Answer | None) -> Obstacles:
    """The obstacles of a target by its answers, forced and with the least help; its game has all vertices shown."""
    game, count = target.game, shown.vertex_count
    if isinstance(helped, Blocked):
        members = target.vertices[target.vertices < count].tolist()
        return _unreached(game, members) if members else _unmet(shown, " or ".join(target.names))
    if not isinstance(sure, Blocked):
        return Obstacles()
    doors = _first_told((at, _help_words(game, edge)) for at, edge in _doors(game, sure) if at < count)
    chances = () if helped is None or count > MOST_WEIGHED else _last_chances(target, helped)
    lost = _first_told((at, move_words(game, edge)) for at, edge in chances if at < count)
    return Obstacles(
        places=(
            Places("The way out: the system would have to do one of these first", doors),
            Places("These moves give it up for ever", lost),
        )
    )


def _first_told(places: Iterable[tuple[int, str]]) -> tuple[tuple[int, str], ...]:
    """The first few places about which different things are said."""
    found = dict[str, int]()
    for vertex, words in places:
        if len(found) < MOST_PLACES:
            found.setdefault(words, vertex)
    return tuple((vertex, words) for words, vertex in found.items())


def _unmet(game: Game, goal: str) -> Obstacles:
    """No state has it: which of its conditions never hold, or never together."""
    found = unmet_goal(game, goal)
    if found is None:
        return Obstacles()
    reason = f"{found.reason[0].upper() if not found.reason.startswith('`') else found.reason[0]}{found.reason[1:]}."
    near = Places("The states that come nearest", (*found.nearest(),))
    return Obstacles((reason, *found.details()), (near,))


def _unreached(game: Game, members: list[int]) -> Obstacles:
    """There are states that have it, and none of them is reached: from where a way leads to them."""
    into = game.incoming

    def sources(vertex: int) -> list[int]:
        end = int(into.first[vertex + 1]) if vertex + 1 < len(into.first) else game.edge_count
        return [*map(int, into.source[int(into.first[vertex]) : end])]

    before = nearest_first(members, sources)
    others = len(before) - len(members)
    ways = f"Ways lead there only from {counted(others, 'other vertex')}" if others else "No edge leads there"
    last = ", and no play comes to any of them." if others else " from elsewhere."
    assumed = game.origin.assumption
    rule = f"This is so under {assumed.value}; under another assumption a way may lead there."
    reasons = [f"It holds at {counted(len(members), 'vertex')}, where no play ever comes.", f"{ways}{last}"]
    reasons += [] if assumed is Assumption.NONDETERMINISTIC else [rule]
    places = Places("Where it holds", tuple((at, "") for at in members[:MOST_PLACES]))
    return Obstacles((*reasons,), (places,))


def _doors(game: Game, blocked: Blocked) -> Iterator[tuple[int, int]]:
    """The decisions of the system by which it would let the tester out of the set, the nearest to the start first."""
    held = np.zeros(game.vertex_count, dtype=bool)
    held[blocked.blocking] = True
    leaving = held[game.source] & ~held[game.target] & (game.owner[game.source] == SYSTEM)
    doors = {int(game.source[edge]): edge for edge in np.flatnonzero(leaving)[::-1].tolist()}
    for vertex in nearest_first([game.initial], lambda at: [int(game.target[edge]) for edge in game.edges_of(at)]):
        if vertex in doors:
            yield vertex, doors[vertex]


def _last_chances(target: Target, helped: Answer) -> Iterator[tuple[int, int]]:
    """The moves from where the goal can still be reached to where not even the system's help leads there."""
    game = target.game
    hope = np.array([helped.value_of(vertex) is not None for vertex in range(game.vertex_count)])
    lost = hope[game.source] & ~hope[game.target] & ~np.isin(game.source, target.vertices)
    yield from ((int(game.source[edge]), edge) for edge in np.flatnonzero(lost).tolist())
