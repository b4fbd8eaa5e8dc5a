"""Coverage from a system that is not out to hide: re-plan from wherever it went.

The strategy takes the way of least expected cost to anything new, which is the most new coverage for each label, with
an eye on what comes after it, and starts again only where that is cheaper. Chances are estimated: those of the model
weigh `PRIOR` answers for each edge of a vertex, and every answer that was seen is one more. So a system with habits is
soon known for them, and what it never did is not given up but becomes dear. Where no play shows anything new, the
strategy stops. Costs are found by value iteration (`_kernels.improve`), anew whenever something was seen for the first
time: O(edges) a sweep, with fewer sweeps on large games, and the vertex where the play is at every step.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from outplay.compiling import as_lists, compiled, interpreted
from outplay.game.algebra import float_edge_chances
from outplay.game.graph import SYSTEM, Game
from outplay.strategy.coverage import _kernels
from outplay.strategy.coverage._kernels import Ground, Known
from outplay.strategy.coverage.items import Items, Sightings

RESTART = 10.0
"""The cost of starting again beside a label, in labels (as in Wang et al. 2013, section 7.2)."""
PRIOR = 2.0
_LEAST_PRICE = 1e-3  # of a label that the model calls free: else going in circles would be
_COMPILED_FROM = 100_000  # edges times items, in all runs, that are worth loading compiled kernels for
_ROUNDS, _WORK = 50, 2_000_000  # sweeps at a time, and edges looked at by them


def replanning_arrays(items: Items) -> Ground:
    """Return the arrays of a game that the kernels of re-planning read."""
    game = items.game
    moved = game.moves > 0
    share = float_edge_chances(game) * np.diff(game.first)[game.source] * PRIOR
    return Ground(
        game.owner == SYSTEM,
        game.is_state,
        game.first.astype(np.int64),
        game.target.astype(np.int64),
        np.where(moved, np.maximum(game.cost.floats, _LEAST_PRICE), 0.0),
        items.of_edge.astype(np.int64),
        np.where(game.owner[game.source] == SYSTEM, share, 1.0),
        game.incoming.first.astype(np.int64),
        game.incoming.edge.astype(np.int64),
        game.incoming.source.astype(np.int64),
    )


def nothing_visited(items: Items) -> Known:
    """Return the coverage knowledge of a tester that has visited nothing."""
    game = items.game
    flags = np.zeros(items.count, dtype=bool), np.zeros(game.vertex_count, dtype=bool)
    stack = np.zeros(game.vertex_count, dtype=np.int64)
    near, ahead = np.zeros((2, game.vertex_count))
    return Known(flags[0], np.zeros(game.edge_count), flags[1], near, ahead, stack)


def rounds_for(game: Game, most: int = _ROUNDS) -> int:
    """Return the number of sweeps that a re-planning may take."""
    return max(2, min(most, _WORK // max(game.edge_count, 1)))


class Replanning:
    """The strategy: what it has seen, and what it knows of the system, it keeps from play to play."""

    start = None

    def __init__(self, sightings: Sightings, restart: float = RESTART) -> None:
        items, self._again = sightings.items, restart + 1
        self.game, self._sightings, self._initial = items.game, sightings, items.game.initial
        self._fast = self.game.edge_count * items.count >= _COMPILED_FROM
        self._ground: Ground = self._given(replanning_arrays(items))
        self._known: Known = self._given(nothing_visited(items))
        self._planned = -1  # how many items were seen when costs were found

    def _given(self, arrays: Any) -> Any:
        return arrays if self._fast else as_lists(arrays)

    def edge(self, vertex: int, memory: None) -> int | None:
        self.plan()
        edge = _kernels.best_edge(vertex, self._ground, self._known)
        return None if edge < 0 else int(edge)

    def after(self, vertex: int, memory: None) -> None:
        return None

    def hopeless(self, vertex: int, memory: None) -> bool:
        """Say whether nothing new can come of going on, or starting again is the cheaper way to it."""
        self.plan()
        if not self._known.fruitful[vertex]:
            return True
        self._look(vertex)
        ahead = self._known.ahead
        return bool(ahead[vertex] >= self._again + ahead[self._initial] - 1e-9)

    def answered(self, edges: list[int]) -> None:
        """The system took one of these edges of one vertex: which of them is not told apart."""
        for edge in edges:
            self._known.count[edge] += 1.0 / len(edges)
        self._look(int(self.game.source[edges[0]]))

    def _look(self, vertex: int) -> None:
        _kernels.update_costs(self._ground, self._known, self._initial, self._again, 1, vertex, vertex + 1)

    def plan(self) -> None:
        """Find the cheapest ways to what was not seen yet, where that has changed."""
        if self._planned == self._sightings.count:
            return
        self._planned = self._sightings.count
        for item in np.flatnonzero(self._sightings.seen).tolist():
            self._known.seen[item] = True
        run = compiled(_kernels.improve) if self._fast else _kernels.improve
        run(self._ground, self._known, self._initial, self._again, rounds_for(self.game))


@dataclass(frozen=True)
class Rehearsal:
    """One rehearsed run: what was spent, and which play it was, when each new item was seen; ascending."""

    spent: NDArray[np.float64]
    play: NDArray[np.int64]

    def covered(self, plays: int) -> int:
        """Count the items that this many plays show."""
        return int(np.searchsorted(self.play, plays))


def rehearse_coverage(
    items: Items,
    *,
    plays: int = 1 << 40,
    steps: int = 1 << 40,
    budget: float = float("inf"),
    restart: float = RESTART,
    rounds: int = _ROUNDS,
    runs: int = 1,
    seed: int = 0,
    believed: Game | None = None,
) -> list[Rehearsal]:
    """Simulate re-planned coverage against the model, which answers by its chances: equal ones where none are given.

    The strategy begins with the same chances, or with those of another game that is `believed`.
    """
    game, chance = items.game, float_edge_chances(items.game)
    ground = replanning_arrays(items if believed is None else replace(items, game=believed))
    fast = runs * items.count * game.edge_count >= _COMPILED_FROM
    run = compiled(_kernels.rehearse) if fast else interpreted(_kernels.rehearse)
    limits = _kernels.RehearsalLimits(restart + 1, rounds_for(game, rounds), plays, steps, budget)
    found = []
    for number in range(runs):
        spent, play = np.zeros(items.count), np.zeros(items.count, dtype=np.int64)
        first_seen = _kernels.FirstSeen(spent, play)
        count = run(
            ground, nothing_visited(items), chance, game.initial, items.at_start, limits, seed + number, first_seen
        )
        found.append(Rehearsal(spent[:count], play[:count]))
    return found
