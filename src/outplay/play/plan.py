"""A plan: what is played. A tester that follows, walks or goes by a test case, with the specification and the goal."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Any

from outplay.game.goals.live_goal import followed_goal
from outplay.game.graph import Game
from outplay.model.kinds import specification
from outplay.model.specification import Specification
from outplay.model.tracking import GoalTest, no_goal
from outplay.strategy.answer import Answer
from outplay.strategy.strategy import Strategy
from outplay.suite.case_tester import PASS_GOAL, Beginning, CaseSpecification, CaseTester
from outplay.suite.suite import TestCase
from outplay.tester.follower import Follower
from outplay.tester.tester import Tester, Walker

PATIENCE = 3  # silences in a row after which hoping for an output ends


@dataclass(frozen=True)
class Plan:
    """The tester that moves, the specification it goes by, and its goal."""

    specification: Specification
    tester: Tester
    goal: GoalTest = no_goal
    goals: tuple[str, ...] = ()


def plan(what: Any, *, seed: int = 0) -> Plan:
    """Make the plan of a play from a solver's answer, which is followed, or a model, which is walked."""
    if isinstance(what, Plan):
        return what
    if isinstance(what, Answer):
        return strategy_plan(what.game, what.persistent, what.goals)
    return Plan(specification(what), Walker(Random(seed)))


def strategy_plan(game: Game, strategy: Strategy, goals: tuple[str, ...]) -> Plan:
    """Make the plan to follow a strategy on a game whatever the system does, as long as it is not silent forever."""
    spec, goal = followed_goal(game.origin.specification, goals)
    tester = Follower(game, strategy, persists=True, patience=PATIENCE)
    return Plan(spec, tester, goal, goals)


def case_plan(case: TestCase, spec: Specification, begin: Beginning | None = None) -> Plan:
    """Make the plan to play a test case: give it to `run` with `plays=1` and at least `case.depth` steps.

    `begin` is where both are, if not at their beginnings.

    The verdict is Pass at its Pass end and Inconclusive where it ends otherwise; Fail is for the specification to say.

    >>> from random import Random
    >>> from outplay import Simulated, automaton, run
    >>> from outplay.model.suspension import SuspensionAutomaton
    >>> from outplay.suite.suite import case_of
    >>> lamp = SuspensionAutomaton(automaton([("off", "?press", "on"), ("on", "!light", "off")]))
    >>> case = case_of([("t0", "?press", "t1"), ("t1", "!light", "pass"), ("t1", "delta", "fail")])
    >>> run(case_plan(case, lamp), Simulated(lamp, Random(0)), plays=1, steps=case.depth).verdict.name
    'pass'
    """
    both, goal = followed_goal(CaseSpecification(spec, case, begin), [PASS_GOAL])
    return Plan(both, CaseTester(case), goal, (PASS_GOAL,))
