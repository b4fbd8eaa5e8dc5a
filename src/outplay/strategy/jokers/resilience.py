"""Resilience: among strategies with the fewest jokers, one that stays as far as possible from losing.

Definition (van den Bos 2020, section 6.7): a vertex is lost when no help leads from it to the goal. The system's
attractor towards the lost vertices (6.38: some output such that for all inputs some outcome is in the set, the tester
not allowed to stop) ranks vertices by the moves the system needs to make the tester lose. On the game graph this is:
all edges of a tester vertex, some edge of a system vertex; on the arenas of suspension automata both readings agree, in
general they need not. Waiting where nothing would happen is no move of the game graph, so it is no way out either.

A strategy is as resilient as the lowest rank of the states it passes while all its jokers are granted, whatever else
the system does (Example 6.39; a general definition is left open there). States are the initial vertex and those that
a move leads to; a choice of input is none. Bound: O((V + E) log R) for R different ranks.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np

from outplay.game.goals.target import Wanted, find_target
from outplay.game.graph import Game, Vertices
from outplay.plurals import counted
from outplay.strategy.jokers.joker import (
    Flags,
    Ints,
    JokerSets,
    joker_sets,
    no_joker,
    refuse_fairness,
    solve_joker_moves,
)
from outplay.strategy.jokers.joker_answers import JokerStrategy, NoJoker


@dataclass(frozen=True, eq=False, repr=False)
class Resilient(JokerStrategy):
    """A strategy with the fewest jokers that stays as far from losing as such strategies can, in the fewest moves."""

    resilience: int | None = field(kw_only=True)
    """The moves the system needs at any time to make the tester lose; None where it cannot at all."""
    ranks: Ints = field(kw_only=True)
    """The same for each vertex (6.38): 0 where all is lost or no move is left before, -1 where it cannot be forced."""

    @property
    def sentence(self) -> str:
        far = (
            "is never in danger" if self.resilience is None else f"stays {counted(self.resilience, 'move')} from losing"
        )
        return f"{super().sentence}, and {far} on the way"

    def json_details(self, exact: bool) -> dict[str, Any]:
        return {**super().json_details(exact), "resilience": self.resilience}


ResilienceResult: TypeAlias = Resilient | NoJoker


def resilient(game: Game, goal: Wanted) -> ResilienceResult:
    """Find a most resilient strategy among those with the fewest jokers.

    >>> from outplay import GameBuilder
    >>> builder = GameBuilder().vertex("s", "tester").vertex("c", "system").vertex("g", "tester", goals=["done"])
    >>> builder = builder.vertex("lost", "tester").edge("s", "c", "?go").edge("c", "g", "!ok").edge("c", "lost", "!no")
    >>> resilient(builder.build(), "done")
    Resilient(done needs 1 joker, in at most 2 moves, and stays 1 move from losing on the way)
    """
    refuse_fairness(game)
    target = find_target(game, goal)
    played, goals = target.game, target.vertices
    sets = joker_sets(played, goals)
    needed = sets.jokers_at(played.initial)
    if needed < 0:
        return no_joker(target, solve_joker_moves(played, goals, sets))
    ranks = opponent_ranks(played, goals, sets)
    resilience, closed, safe = _farthest(played, goals, ranks, needed)
    limits: dict[str, Any] = {"everywhere": False, "avoided": frozenset(np.flatnonzero(closed).tolist())}
    solution = solve_joker_moves(played, goals, safe, needed)
    found: dict[str, Any] = {"resilience": resilience, "ranks": ranks}
    return Resilient(played, target.goal, np.unique(goals), solution, **limits, **found)


def opponent_ranks(game: Game, goals: Vertices, sets: JokerSets) -> Ints:
    """Count the moves the system needs from each vertex to make the tester lose, -1 where it cannot (6.38)."""
    lost = np.flatnonzero(sets.jokers < 0).astype(np.uint32)
    won = np.zeros(game.vertex_count, dtype=bool)
    won[goals] = True
    towards_loss = joker_sets(game, lost, closed=won, owner=1 - game.owner)
    return np.where(towards_loss.jokers == 0, towards_loss.rank, -1).astype(np.int32)


def _farthest(game: Game, goals: Vertices, ranks: Ints, needed: int) -> tuple[int | None, Flags, JokerSets]:
    """The highest rank below which no state has to be passed, those states, and the joker sets without them."""
    state = np.zeros(game.vertex_count, dtype=bool)
    state[game.target[game.moves > 0]] = True
    state[game.initial] = True
    beyond = int(ranks.max()) + 1
    steps = [*np.unique(ranks[ranks >= 0]).tolist(), beyond]

    def below(rank: int) -> Flags:
        return np.asarray(state & (ranks >= 0) & (ranks < rank))

    low, high = 0, len(steps)  # the first always works: at most what is lost is closed
    best = joker_sets(game, goals, closed=below(steps[0]))
    while high - low > 1:
        middle = (low + high) // 2
        tried = joker_sets(game, goals, closed=below(steps[middle]))
        if tried.jokers_at(game.initial) == needed:
            low, best = middle, tried
        else:
            high = middle
    return (None if steps[low] == beyond else steps[low]), below(steps[low]), best
