"""From a solver's answer, or any strategy on a game, to a test case."""

from __future__ import annotations

from outplay.game.goals.live_goal import followed_goal
from outplay.game.graph import Game
from outplay.model.label import Label
from outplay.strategy.answer import Answer
from outplay.strategy.strategy import Strategy
from outplay.suite.from_tester import case_from_tester
from outplay.suite.testcase import TestCase
from outplay.tester.follower import Follower


def case_from_strategy(
    game: Game, strategy: Strategy, goals: tuple[str, ...], *, depth: int | None = None, name: str = "test"
) -> TestCase:
    """Write a strategy on a game out as a test case: `pass` where a goal is reached, else inconclusive."""
    spec, goal = followed_goal(game.origin.specification, goals)
    shown = [Label.parse(text) for text in game.labels if text.startswith("!")]
    tester = Follower(game, strategy)
    return case_from_tester(tester, spec, outputs=shown, goal=goal, depth=depth, name=name)


def case_from_answer(answer: Answer, *, depth: int | None = None, name: str | None = None) -> TestCase:
    """Write a solver's answer out as a test case.

    A sure win passes whatever the system does. With jokers the test is inconclusive where the system does not help,
    with a bound where the moves are used up. What only hopes, or trusts in chance, may go round and then takes a depth.

    >>> from outplay import GameBuilder, win
    >>> builder = GameBuilder().vertex("s", "tester").vertex("c", "system").vertex("g", "tester", goals=["done"])
    >>> game = builder.edge("s", "c", "?go").edge("c", "g", "!ok").edge("c", "g", "!slow").build()
    >>> case_from_answer(win(game, "done"))
    TestCase('done', 2 states, 2 steps)
    """
    return case_from_strategy(answer.game, answer.strategy, answer.goals, depth=depth, name=name or str(answer.goal))
