"""A plan: what is played. A strategy to follow, or a model to walk through, with the specification and the goal."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Any

from outplay.model.kinds import specification
from outplay.model.specification import Specification
from outplay.model.tracking import Goal, goal_of, no_goal
from outplay.play.tester import Follower, Tester, Walker
from outplay.strategy.guide import Answer, guide


@dataclass(frozen=True)
class Plan:
    """Who moves, by which specification, towards what."""

    specification: Specification
    tester: Tester
    goal: Goal = no_goal
    goals: tuple[str, ...] = ()


def plan(what: Any, *, seed: int = 0) -> Plan:
    """Make a plan of a solver's answer, which is followed, or of a model, which is walked."""
    if isinstance(what, Plan):
        return what
    if isinstance(what, Answer):
        spec = specification(what.game)
        return Plan(spec, Follower(what.game, guide(what)), goal_of(spec, what.goals), what.goals)
    return Plan(specification(what), Walker(Random(seed)))
