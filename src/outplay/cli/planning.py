"""What `outplay run` plays: a walk, or the best strategy for an objective, with a word where it promises less."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from outplay.cli.answers.base import plain
from outplay.cli.colours import warn
from outplay.cli.models import Named, target_of
from outplay.cli.solve import is_input_fair, refuse_unfair
from outplay.errors import UsageError
from outplay.game.graph import Game
from outplay.game.targets import Target
from outplay.game.unfold import Limits
from outplay.play.plan import Plan, plan
from outplay.play.simulated import Badness
from outplay.strategy.bounded import bounded_target
from outplay.strategy.expected import expected_target
from outplay.strategy.guide import Answer
from outplay.strategy.jokers.joker import joker_target
from outplay.strategy.probability import probability_target
from outplay.strategy.result import Solution, Strategy
from outplay.strategy.win import win_target

_SOLVERS: dict[str, Callable[[Target], Answer]] = {
    "win": win_target,
    "expected": expected_target,
    "probability": probability_target,
    "joker": joker_target,
}


@dataclass(frozen=True)
class Planned:
    """What is played, and the game and the names of what is to be reached in it, where anything is."""

    plan: Plan
    badness: Badness | None = None
    """How bad each state is, for a system that plays against us."""
    game: Game | None = None
    names: tuple[str, ...] = ()


def planned(
    named: Named,
    goals: tuple[str, ...],
    assumption: str,
    limits: Limits,
    *,
    objective: str,
    steps: int,
    seed: int,
    adverse: bool,
) -> Planned:
    """Decide who moves how: towards the goals, or at random."""
    if not goals and not named.rules.goals:
        _need_no_goal(objective, adverse)
        return Planned(plan(named.specification(assumption), seed=seed))
    game, names = named.wanted(assumption, limits, goals)
    target = target_of(game, names)
    if game.origin.stopped:
        warn(f"{game.origin.stopped}; playing on what is known")
    badness = _badness(target.game, win_target(target).solution) if adverse else None
    return Planned(plan(_answer(target, objective, assumption, steps)), badness, game, names)


def _need_no_goal(objective: str, adverse: bool) -> None:
    if adverse:
        raise UsageError("--adverse needs a --goal to play against")
    if objective != "auto":
        raise UsageError(f"--objective {objective} needs a --goal to play for; without one the tester walks at random")


def _answer(target: Target, objective: str, assumption: str, steps: int) -> Answer:
    """Solve for the objective; `auto` is the strongest promise there is: sure, then almost sure, then likely."""
    refuse_unfair(objective, target.game)
    if objective == "bounded":
        return bounded_target(target, steps)
    return _strongest(target, assumption) if objective == "auto" else _SOLVERS[objective](target)


def _strongest(target: Target, assumption: str) -> Answer:
    sure = win_target(target)
    if isinstance(sure, Strategy):
        return sure
    if is_input_fair(target.game):
        warn(f"{' or '.join(target.names)} cannot be forced under {assumption}; playing the shortest way to be lucky")
        return sure
    start, cannot = target.game.initial, f"{' or '.join(target.names)} cannot be forced under {assumption}"
    expectation = expected_target(target)
    if (cost := expectation.value_of(start)) is not None:
        warn(f"{cannot}; playing for the least expected cost, {plain(cost)}")
        return expectation
    likelihood = probability_target(target)
    chance = likelihood.value_of(start)
    impossible = f"{' or '.join(target.names)} is impossible in this model"
    warn(f"{cannot}; the best chance is {plain(chance)}" if chance else impossible)
    return likelihood


def _badness(game: Game, solution: Solution) -> Badness:
    """How bad a state is for the tester: lost states worst, then the expensive ones."""

    def bad(state: Any) -> float:
        vertex = game.origin.vertex(state)
        worth = -1.0 if vertex is None else float(solution.worth[vertex])
        return float("inf") if worth < 0 else worth

    return bad
