"""The forecast: for each target what the tester can count on, before anything is played.

A target (a goal, a label, a state or a transition) is
  - forced: one strategy reaches it whatever the system does. `cost` is the least worst-case cost of any strategy and
    `moves` the least number of moves within which that cost can still be guaranteed (000, section 4, and section 3
    with every probability 1), so one strategy keeps both, and none of that cost is shorter;
  - or it needs help: `jokers` is the least number of times the system must do what the tester wishes, in the worst case
    (004, section 6.5); 0 exactly where it is forced;
  - and it has a best probability within so many moves (000, section 3) and a least expected cost among the strategies
    that reach it with probability 1 (001, section 2), with probabilities that are not given taken as equal;
  - or it is impossible: no play of tester and system together reaches it.
Bound: O(E log V) for all targets that lie at the end of a path on which the system has no choice, so for deterministic
models all; otherwise O(V + E) a target for help, O(steps · E) for the probability, and sweeps for the expected cost.
Input-fair says who wins but bounds no moves (004, Theorem 5.16), so there only `forced` and `impossible` are known.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import numpy as np

from outplay.compiling import COMPILE_FROM_EDGES
from outplay.game.algebra import reachable
from outplay.game.assumption import Assumption
from outplay.game.graph import Game
from outplay.game.roles import Role
from outplay.game.splitting import Transitions
from outplay.strategy.forecast.prospects import Forecast, Prospect
from outplay.strategy.forecast.shortest_paths import shortest_paths
from outplay.strategy.forecast.solver import Figures, Forced, Solver
from outplay.strategy.forecast.targets import KINDS, Aim, all_aims, named_aims, union
from outplay.strategy.forecast.words import explain
from outplay.strategy.forecast.workspace import Workspace

STEPS = 20
COMPILED_FROM = 200_000
"""Targets times edges from which compiled kernels are worth loading, whatever the size of the game."""
MOST_LISTED = 200_000
"""So many states or transitions are listed without being asked for."""
MOST_WORK = 10_000_000
"""Open targets times edges that are worth some ten seconds; more only if asked for."""
SHARED_FROM = 4
"""With fewer targets the search they share does not pay on a large game."""


def forecast(
    game: Game,
    goals: Iterable[str] = (),
    *,
    steps: int = STEPS,
    kinds: Iterable[str] | None = None,
    together: bool = False,
) -> Forecast:
    """Forecast the named goals, one target each or `together` as one; without any all targets, or all of some `kinds`.

    >>> from outplay import GameBuilder
    >>> builder = GameBuilder().vertex("s", "tester").vertex("c", "system").vertex("g", "tester", goals=["done"])
    >>> builder = builder.edge("s", "c", "?go").edge("c", "g", "!ok").edge("c", "s", "!again")
    >>> seen = forecast(builder.build(), ["!again", "done", "c"], steps=3)
    >>> for prospect in seen.prospects:
    ...     print(prospect.name, prospect.forced and prospect.forced.moves, prospect.jokers, prospect.probability)
    c 1 0 1.0
    done None 1 0.5
    !again None 1 0.5
    """
    table, names = Transitions(game), list(goals)
    unasked = kinds is None and not names
    listed = _listed(table) if kinds is None else list(kinds)
    if names:
        table, aims = named_aims(game, names)
    else:
        aims = all_aims(table, listed)
    solvers = _Solvers(table, steps, len(aims))
    left_out = {*KINDS} - {*listed} | solvers.too_dear(aims) if unasked else set()
    chosen = [union(aims)] if together else [aim for aim in aims if aim.kind not in left_out]
    # More may have been explored than the rules let happen.
    states = np.unique(table.start_of[reachable(table.game, table.game.initial)]).astype(np.uint32)
    found = [_prospect(table, aim, solvers.of(aim).figures(aim.vertices), len(states)) for aim in chosen]
    ordered = tuple(sorted(found, key=lambda prospect: prospect.hardness))
    return Forecast(table.game, ordered, steps, states, tuple(kind for kind in KINDS if kind in left_out))


def _listed(table: Transitions) -> list[str]:
    """The kinds that are few enough to be listed at all."""
    edges, vertices = table.game.edge_count, table.game.vertex_count
    sizes = {"goal": 0, "label": edges, "state": vertices, "transition": edges}
    return [kind for kind in KINDS if sizes[kind] <= MOST_LISTED]


class _Solvers:
    """A solver on the game itself for goals and states, one on the split game for labels and transitions."""

    def __init__(self, table: Transitions, steps: int, targets: int) -> None:
        self._table, self._steps, self._targets = table, steps, targets
        self._made: dict[bool, Solver] = {}

    def of(self, aim: Aim) -> Solver:
        if aim.split not in self._made:
            game = self._table.split if aim.split else self._table.game
            large = game.edge_count >= COMPILE_FROM_EDGES
            shared = shortest_paths(game) if self._targets >= SHARED_FROM or not large else None
            space = Workspace(game, fast=large or self._targets * game.edge_count >= COMPILED_FROM)
            self._made[aim.split] = Solver(space, shared, self._steps)
        return self._made[aim.split]

    def too_dear(self, aims: list[Aim]) -> set[str]:
        """Kinds other than goals whose targets, left open by the shared search, would take too long unasked."""
        work: Counter[str] = Counter()
        for aim in aims:
            if aim.kind != "goal" and self.of(aim).settled(aim.vertices) is None:
                work[aim.kind] += self.of(aim).game.edge_count
        return {kind for kind, edges in work.items() if edges > MOST_WORK}


def _prospect(table: Transitions, aim: Aim, figures: Figures, states: int) -> Prospect:
    origin = table.game.origin
    stopped = not origin.complete
    if origin.assumption is Assumption.INPUT_FAIR:
        figures = _fair(figures)
    unmet = figures.impossible and stopped
    return Prospect(
        name=aim.name,
        kind=aim.kind,
        forced=figures.forced,
        jokers=figures.jokers,
        probability=None if unmet else figures.probability,
        expected_cost=figures.expected_cost,
        impossible=figures.impossible and not stopped,
        why=explain(figures, table.game, states=states, members=len(aim.vertices), stopped=stopped),
        about=_about(table, aim),
        helps=figures.helps,
    )


def _about(table: Transitions, aim: Aim) -> str:
    """What stands behind the number of a state."""
    if aim.kind != "state" or len(aim.vertices) != 1:
        return ""
    vertex = int(aim.vertices[0])
    return table.game.about(vertex) if table.game.roles.role[vertex] == Role.STATE else ""


def _fair(figures: Figures) -> Figures:
    """Keep what input-fair has in common with input-eager: who wins."""
    if figures.impossible or (figures.forced and figures.forced.moves == 0):
        return figures
    if figures.forced:
        return Figures(Forced(None, None), 0, None, None)
    return Figures(None, None, None, None)
