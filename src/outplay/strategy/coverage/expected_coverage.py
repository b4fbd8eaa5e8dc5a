"""The coverage to expect of a run, before anything is played: what is sure, what can be forced, what chance will show.

Sure is the coverage guarantee with a restart (guarantee.py), since a run is many plays: whatever the system does, a
tester that plays for it gets as much, given plays and labels enough. What can be forced is asked of each item by
itself: some strategy shows it in every play. What chance will show is rehearsed: the strategy that re-plans plays
against the model, which answers by its probabilities, or by equal ones where it gives none.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from outplay.game.exact_numbers import exact_column_of
from outplay.game.goals.splitting import Transitions
from outplay.game.graph import Game
from outplay.game.roles import Role
from outplay.plurals import counted
from outplay.strategy.coverage.guarantee import cover_nodes
from outplay.strategy.coverage.items import LABELS, STATES, Items
from outplay.strategy.coverage.replanning import Rehearsal, rehearse_coverage
from outplay.strategy.forecast.forecast_arrays import Workspace
from outplay.strategy.forecast.solver import shortest_game_paths
from outplay.strategy.jokers._kernels import joker_sets

MOST_WORK = 20_000_000
"""Items times edges up to which each item is asked whether it can be forced."""
MOST_VERTICES = 2_000
"""Up to which the guarantee is looked for."""
SECONDS = 5.0
_RUNS, _LEAST_RUNS = 100, 5
_ROUNDS = 25  # sweeps when the tester re-plans in a rehearsal
_REHEARSED = 60_000_000  # edges looked at by all rehearsals together: a second or two


@dataclass(frozen=True, eq=False)
class Outlook:
    """The forecast of coverage; parts that would have taken too long are None."""

    items: Items
    plays: int
    steps: int
    sure: tuple[int, int] | None
    """The number of items that are sure to be seen, at least and at most."""
    forced: NDArray[np.bool_] | None
    """For each item whether it can be forced."""
    rehearsals: tuple[Rehearsal, ...] = ()
    held: tuple[str, ...] = ()
    """The ways in which the system keeps the tester from more than is sure, in words."""

    def expected(self, plays: int | None = None) -> float | None:
        """Return the number of items that this many plays are expected to show; None where nothing was rehearsed."""
        return float(self.covered(plays).mean()) if self.rehearsals else None

    def covered(self, plays: int | None = None) -> NDArray[np.int64]:
        """Return the number of items that each rehearsal had seen after this many plays."""
        after = self.plays if plays is None else plays
        return np.array([one.covered(after) for one in self.rehearsals], dtype=np.int64)

    def lines(self) -> list[str]:
        """The forecast for people, in full."""
        total = self.items.count
        lines = [f"{self.items.game.origin.scope}{self.items.kind}: {self.sure_words()}"]
        lines += [f"  {held}" for held in self.held]
        if self.forced is not None:
            can = int(self.forced.sum())
            counts = {f"{can:,} can be forced": can, f"{total - can:,} need help": total - can}
            lines.append(f"  each by itself: {', '.join(words for words, count in counts.items() if count)}")
        if self.rehearsals:
            moments = [plays for plays in self.milestones if plays == 1 or self.covered(plays // 2).min() < total]
            after = ", ".join(f"{self.expected(plays):,.1f} after {plays:,}" for plays in moments)
            lines.append(f"  expected of plays of at most {counted(self.steps, 'label')}: {after}")
        return lines

    @property
    def milestones(self) -> list[int]:
        """Numbers of plays up to all of them: 1, 2, 5, 10 and so on."""
        round_numbers = (step * 10**power for power in range(10) for step in (1, 2, 5))
        return [*(plays for plays in round_numbers if plays < self.plays), self.plays]

    def sure_words(self) -> str:
        low, high = self.sure or (0, self.items.count)
        if not self.sure:
            return f"{self.items.count:,}; how many of them are sure would take long to find"
        more = f", and no tester is sure of more than {high:,}" if low < high < self.items.count else ""
        least = "" if low == high else "at least "
        return f"{least}{low:,} of {self.items.count:,} are sure, whatever the system does{more}"

    def sentence(self) -> str:
        """The forecast for people."""
        total = f"{self.items.count:,} {self.items.kind}"
        parts = [f"{self._sure_words()} of {total} are sure, whatever the system does"] if self.sure else []
        parts += [self._expected_words()] if self.rehearsals else []
        return self.items.game.origin.scope + ("; ".join(parts) or f"{total} are known")

    def _expected_words(self) -> str:
        counts, within = self.covered(), f"{counted(self.steps, 'label')} each"
        if counts.min() == self.items.count:
            plays = np.array([one.play[-1] + 1 if len(one.play) else 0 for one in self.rehearsals])
            return f"all of them are expected after {plays.mean():,.1f} ± {plays.std():,.1f} plays of {within}"
        mean, plays_made = f"{counts.mean():,.1f} ± {counts.std():,.1f}", counted(self.plays, "play")
        return f"{mean} are expected after {plays_made} of {within}"

    def _sure_words(self) -> str:
        low, high = self.sure or (0, 0)
        return f"{low:,}" if low == high else f"at least {low:,}"

    def json(self) -> dict[str, Any]:
        return {
            "sure": None if self.sure is None else list(self.sure),
            "can_be_forced": None if self.forced is None else int(self.forced.sum()),
            "expected": self.expected(),
            "plays": self.plays,
            "steps": self.steps,
            "rehearsals": len(self.rehearsals),
            **({"approximate": True} if self.items.game.origin.approximate else {}),
        }


def expected_coverage(
    items: Items, *, plays: int, steps: int, seconds: float | None = None, rehearsed: bool = True, seed: int = 0
) -> Outlook:
    """Forecast the coverage of a run; the guarantee is looked for this many seconds, then there are bounds."""
    forced = forced_items(items)
    least = 0 if forced is None else int(forced.sum())
    sure, held = _sure(items, SECONDS if seconds is None else seconds)
    if sure is None and forced is not None:
        sure = least, items.count
    sure = None if sure is None else (max(sure[0], least), sure[1])
    runs = _runs(items) if rehearsed else 0
    played = rehearse_coverage(items, plays=plays, steps=steps, rounds=_ROUNDS, runs=runs, seed=seed) if runs else []
    return Outlook(items, plays, steps, sure, forced, tuple(played), held)


def _runs(items: Items) -> int:
    """Return the number of rehearsals that are worth it; none on a game where one would take long."""
    work = items.count * items.game.edge_count * _ROUNDS
    runs = min(_RUNS, _REHEARSED // max(work, 1))
    return runs if runs >= _LEAST_RUNS else 0


def forced_items(items: Items) -> NDArray[np.bool_] | None:
    """Mark the items of coverage that some strategy shows in every play; None where there are too many to ask."""
    game, goals = _goals(items)
    nearest = shortest_game_paths(game).nearest
    straight = [any((route := nearest[v]) is not None and route[2] == 0 for v in goal) for goal in goals]
    left = [number for number, known in enumerate(straight) if not known]
    if len(left) * game.edge_count > MOST_WORK:
        return None
    space = Workspace(game, fast=len(left) * game.edge_count > 200_000)
    found = np.array(straight, dtype=bool)
    for number in left:
        space.run(joker_sets)(
            space.graph, space.given(np.array(goals[number], dtype=np.uint32)), space.sets, game.initial
        )
        found[number] = space.sets.jokers[game.initial] == 0
    return found


def _goals(items: Items) -> tuple[Game, list[list[int]]]:
    """For each item the vertices that show it, on the game or on the one whose transitions are split."""
    game, found = items.game, [list[int]() for _ in range(items.count)]
    if items.kind == STATES:
        for edge in np.flatnonzero(items.of_edge >= 0).tolist():
            found[items.of_edge[edge]].append(int(game.target[edge]))
        found[items.at_start].append(game.initial)
        return game, [sorted(set(vertices)) for vertices in found]
    transitions = Transitions(game)
    for number, edge in enumerate(transitions.examples.tolist()):
        if items.of_edge[edge] >= 0:
            found[items.of_edge[edge]].append(game.vertex_count + number)
    return transitions.split, found


def _sure(items: Items, seconds: float) -> tuple[tuple[int, int] | None, tuple[str, ...]]:
    """The coverage guarantee and how the system keeps to it, where each item is a vertex; labels are shown by many."""
    game, goals = _goals(items) if items.kind != LABELS else (items.game, [])
    several = items.kind != STATES and any(len(goal) > 1 for goal in goals)
    if items.kind == LABELS or several or game.vertex_count > MOST_VERTICES:
        return None, ()
    gains = np.zeros(game.vertex_count, dtype=np.int64)
    names = list(game.names)
    for item, goal in enumerate(goals):  # a state comes before its active copy, but for the initial one
        shown = game.initial if game.initial in goal else goal[0]
        gains[shown], names[shown] = 1, items.names[item]
    role = np.where(game.roles.role == Role.PASSING, Role.STATE, game.roles.role).astype(np.uint8)
    counting = replace(
        game, names=names, gain=exact_column_of(gains.tolist()), known_roles=replace(game.roles, role=role)
    )
    answer = cover_nodes(counting, restart=True, time_limit=seconds, everywhere=False)
    low, high = answer.bounds_of(answer.game.initial)
    return (int(low), int(high)), tuple(answer.offers())
