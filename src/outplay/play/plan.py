"""A plan: what is played. A strategy to follow, or a model to walk through, with the specification and the goal."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Any

from outplay.errors import UsageError
from outplay.game.graph import Game
from outplay.model.automaton import Automaton
from outplay.model.machine import Machine
from outplay.model.program import Model, Program
from outplay.model.specification import ProgramSpecification, Specification
from outplay.model.suspension import SuspensionAutomaton
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
        spec = game_specification(what.game)
        return Plan(spec, Follower(what.game, guide(what)), goal_of(spec, what.goals), what.goals)
    return Plan(_specification(what), Walker(Random(seed)))


def game_specification(game: Game, name: str = "game") -> Specification:
    """The specification whose states are those of a game: the model's own where the game was explored from one."""
    return game.origin.specification


def _specification(what: Any) -> Specification:
    if isinstance(what, Game):
        return game_specification(what)
    if isinstance(what, Automaton | Machine):
        return SuspensionAutomaton(what.automaton if isinstance(what, Machine) else what)
    if isinstance(what, Program):
        return ProgramSpecification(what)
    if isinstance(what, type) and issubclass(what, Model):
        return ProgramSpecification(Program(what))
    if hasattr(what, "after") and hasattr(what, "quiet"):
        found: Specification = what
        return found
    raise UsageError(f"{what!r} cannot be played: give a strategy, a model, a game or a specification")
