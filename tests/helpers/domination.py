"""Domination (van den Bos 2020, 6.36): which systems a strategy wins against.

It is tried against all positional ones, with one answer for each system vertex; against systems with memory strategies
need not be comparable any more.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from outplay.game.goals.target import Wanted, find_target
from outplay.game.graph import SYSTEM, Game


@dataclass(frozen=True)
class Domination:
    """How many positional systems two strategies win against: both, only one of them, or none."""

    both: int
    only_first: int
    only_second: int
    neither: int

    @property
    def first_dominates(self) -> bool:
        """The first wins against strictly more systems, and against all that the second wins against."""
        return self.only_first > 0 and self.only_second == 0

    @property
    def second_dominates(self) -> bool:
        return self.only_second > 0 and self.only_first == 0


def domination(game: Game, goal: Wanted, first: Mapping[int, int], second: Mapping[int, int]) -> Domination:
    """Compare two strategies, each an edge for tester vertices, by playing them against every positional system."""
    target = find_target(game, goal)
    played, goals = target.game, frozenset(target.vertices.tolist())
    deciding = [v for v in np.flatnonzero(played.owner == SYSTEM).tolist() if v not in goals and played.edges_of(v)]
    options = [played.edges_of(vertex) for vertex in deciding]
    counts = dict.fromkeys(itertools.product((True, False), repeat=2), 0)
    for answers in itertools.product(*options):
        system = dict(zip(deciding, answers, strict=True))
        counts[_wins(played, goals, system, first), _wins(played, goals, system, second)] += 1
    return Domination(counts[True, True], counts[True, False], counts[False, True], counts[False, False])


def _wins(game: Game, goals: frozenset[int], system: Mapping[int, int], strategy: Mapping[int, int]) -> bool:
    """Both sides are fixed: the play comes to a goal, stops or comes round."""
    vertex, met = game.initial, set[int]()
    while vertex not in goals and vertex not in met:
        met.add(vertex)
        edge = (system if game.owner[vertex] == SYSTEM else strategy).get(vertex)
        if edge is None:
            return False
        vertex = int(game.target[edge])
    return vertex in goals
