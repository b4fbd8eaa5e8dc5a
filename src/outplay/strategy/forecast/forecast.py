"""The forecast: for each goal what the tester can count on, before anything is played.

A goal (a named one, a label, a state or a transition) is
  - forced: one strategy reaches it whatever the system does. `cost` is the least worst-case cost of any strategy and
    `moves` the least number of moves within which that cost can still be guaranteed (Nachmanson et al. 2004, section 4,
    and section 3 with every probability 1), so one strategy keeps both, and none of that cost is shorter;
  - or it needs help: `jokers` is the least number of times the system must do what the tester wishes, in the worst case
    (van den Bos 2020, section 6.5); 0 exactly where it is forced;
  - and it has a best probability within this many moves (Nachmanson et al. 2004, section 3) and a least expected cost
    among the strategies that reach it with probability 1 (Blass et al. 2005, section 2), with probabilities that are
    not given taken as equal;
  - or it is impossible: no play of tester and system together reaches it.
Bound: O(E log V) for all goals that lie at the end of a path on which the system has no choice, so for deterministic
models all; otherwise O(V + E) a goal for help, O(steps · E) for the probability, and sweeps for the expected cost.
Input-fair says who wins but bounds no moves (van den Bos 2020, Theorem 5.16), so there only `forced` and `impossible`
are known.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import numpy as np

from outplay.compiling import COMPILE_FROM_EDGES
from outplay.game.algebra import reachable
from outplay.game.assumption import Assumption
from outplay.game.exploring.unmet_goals import unmet_goal
from outplay.game.goals.splitting import Transitions
from outplay.game.graph import Game
from outplay.game.roles import Role
from outplay.strategy.forecast.entries import UNKNOWN, Entry, Forced, Forecast, GoalValues
from outplay.strategy.forecast.forecast_arrays import Workspace
from outplay.strategy.forecast.listed_goals import KINDS, ListedGoal, all_goals, any_listed, listed_by_name
from outplay.strategy.forecast.sentences import explain
from outplay.strategy.forecast.solver import GoalSolver, shortest_game_paths

STEPS = 20
COMPILED_FROM = 200_000
"""Goals times edges from which compiled kernels are worth loading, whatever the size of the game."""
MOST_LISTED = 200_000
"""This many states or transitions are listed without being asked for."""
MOST_WORK = 10_000_000
"""Open goals times edges that are worth some ten seconds; more only if asked for."""
SHARED_FROM = 4
"""With fewer goals the search they share does not pay on a large game."""


def forecast(
    game: Game,
    goals: Iterable[str] = (),
    *,
    steps: int = STEPS,
    kinds: Iterable[str] | None = None,
    together: bool = False,
) -> Forecast:
    """Forecast the named goals, one by one or `together` as one; without names all goals, or all of some `kinds`.

    >>> from outplay import GameBuilder
    >>> builder = GameBuilder().vertex("s", "tester").vertex("c", "system").vertex("g", "tester", goals=["done"])
    >>> builder = builder.edge("s", "c", "?go").edge("c", "g", "!ok").edge("c", "s", "!again")
    >>> seen = forecast(builder.build(), ["!again", "done", "c"], steps=3)
    >>> for entry in seen.entries:
    ...     print(entry.name, entry.forced and entry.forced.moves, entry.jokers, entry.probability)
    c 1 0 1.0
    done None 1 0.5
    !again None 1 0.5
    >>> print(seen)
      c       forced in 1 move
      done    not forced: needs help once (the system has to say !ok rather than !again); with
              probability 0.5 within 3 moves, 4 moves expected
      !again  not forced: needs help once (the system has to say !again rather than !ok); with
              probability 0.5 within 3 moves, but never surely
    """
    transitions, names = Transitions(game), list(goals)
    unasked = kinds is None and not names
    few = _few_enough(game) if kinds is None else list(kinds)
    if names:
        transitions, listed = listed_by_name(game, names)
    else:
        listed = all_goals(transitions, few)
    solvers = _Solvers(transitions, steps, len(listed))
    left_out = {*KINDS} - {*few} | solvers.too_dear(listed) if unasked else set()
    chosen = [any_listed(listed)] if together else [goal for goal in listed if goal.kind not in left_out]
    played = transitions.game
    # More may have been explored than the rules let happen.
    states = np.unique(transitions.start_of[reachable(played, played.initial)]).astype(np.uint32)
    found = [_entry(played, goal, solvers.values(goal), len(states)) for goal in chosen]
    ordered = tuple(sorted(found, key=lambda entry: entry.hardness))
    left = tuple(kind for kind in KINDS if kind in left_out)
    return Forecast(played, ordered, steps, states, left, named=bool(names))


def _few_enough(game: Game) -> list[str]:
    """The kinds that are few enough to be listed at all."""
    sizes = {"goal": 0, "label": game.edge_count, "state": game.vertex_count, "transition": game.edge_count}
    return [kind for kind in KINDS if sizes[kind] <= MOST_LISTED]


class _Solvers:
    """A solver on the game itself for goals and states, one on the split game for labels and transitions."""

    def __init__(self, transitions: Transitions, steps: int, goals: int) -> None:
        self._transitions, self._steps, self._goals = transitions, steps, goals
        self._made: dict[bool, GoalSolver] = {}
        self._settled: dict[ListedGoal, GoalValues] = {}

    def values(self, goal: ListedGoal) -> GoalValues:
        """The values of a goal; those that the shared search has told are not asked for again."""
        return self._settled.get(goal) or self.of(goal).values(goal.vertices)

    def of(self, goal: ListedGoal) -> GoalSolver:
        if goal.split not in self._made:
            game = self._transitions.split if goal.split else self._transitions.game
            large = game.edge_count >= COMPILE_FROM_EDGES
            shared = shortest_game_paths(game) if self._goals >= SHARED_FROM or not large else None
            space = Workspace(game, fast=large or self._goals * game.edge_count >= COMPILED_FROM)
            self._made[goal.split] = GoalSolver(space, shared, self._steps)
        return self._made[goal.split]

    def too_dear(self, listed: list[ListedGoal]) -> set[str]:
        """Kinds other than goals whose members, left open by the shared search, would take too long unasked."""
        work: Counter[str] = Counter()
        for goal in listed:
            solver = self.of(goal)
            values = solver.settled(goal.vertices)
            if values is not None:
                self._settled[goal] = values
            elif goal.kind != "goal":
                work[goal.kind] += solver.game.edge_count
        return {kind for kind, edges in work.items() if edges > MOST_WORK}


def _entry(game: Game, goal: ListedGoal, values: GoalValues, states: int) -> Entry:
    if game.origin.assumption is Assumption.INPUT_FAIR:
        values = _fair(values)
    stopped = not game.origin.complete
    found = unmet_goal(game, goal.name) if values.impossible and goal.kind == "goal" else None
    unmet = found.reason if found else ""
    why = explain(values, game, states=states, members=len(goal.vertices), stopped=stopped, unmet=unmet)
    if values.impossible and stopped:
        values = UNKNOWN
    return Entry(**vars(values), name=goal.name, kind=goal.kind, why=why, about=_about(game, goal))


def _about(game: Game, goal: ListedGoal) -> str:
    """Return the values behind the number of a state."""
    if goal.kind != "state" or len(goal.vertices) != 1:
        return ""
    vertex = int(goal.vertices[0])
    return game.about(vertex) if game.roles.role[vertex] == Role.STATE else ""


def _fair(values: GoalValues) -> GoalValues:
    """Keep what input-fair has in common with input-eager: who wins."""
    if values.impossible or (values.forced and values.forced.moves == 0):
        return values
    return GoalValues(Forced(None, None), 0, None, None) if values.forced else UNKNOWN
