"""Suites that reach goals: one test case for each, by the best strategy for an objective."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from outplay.errors import UsageError
from outplay.game.exploring.breadth_first import Progress
from outplay.game.graph import Game
from outplay.game.roles import Role
from outplay.strategy.answer import Answer
from outplay.strategy.objectives import Objective
from outplay.suite.from_tester import case_from_answer
from outplay.suite.methods import Subject
from outplay.suite.suite import Suite
from outplay.suite.testcase import TestCase


def reaching_suite(
    subject: Subject,
    *,
    objective: Objective,
    depth: int | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> Suite:
    """One test case for each goal that is named, else for each of the model's goals, else for each of its states."""
    game = subject.game(progress)
    names = tuple(dict.fromkeys(subject.goals)) or tuple(game.goals) or tuple(_states(game))
    tests = _Reaching(game, names, partial(objective.solve, **options), depth)
    guarantee = f"each goal that can be reached is reached by `{objective.name}`"
    return Suite(tests=tests, guarantee=guarantee, remarks=tests)


class _Reaching:
    """The test cases, solved one after the other, and what turned out to be impossible."""

    def __init__(self, game: Game, names: tuple[str, ...], solve: Callable[..., Answer], depth: int | None) -> None:
        self._game, self._names, self._solve, self._depth = game, names, solve, depth
        self.impossible: list[str] = []

    def __iter__(self) -> Iterator[TestCase]:
        self.impossible.clear()
        for name in self._names:
            answer = self._solve(self._game, name)
            strategy = answer.strategy
            if strategy.hopeless(answer.game.initial, strategy.start):
                self.impossible.append(name)
            else:
                yield self._test(answer, name)

    def _test(self, answer: Answer, name: str) -> TestCase:
        try:
            return case_from_answer(answer, name=name, depth=self._depth)
        except UsageError as error:
            if self._depth is not None:
                raise
            raise UsageError(f"{name}: the way there may go round for ever ({error}); give --depth N") from None

    def json(self) -> dict[str, Any]:
        """Return what cannot be reached."""
        return {"impossible": list(self.impossible)}

    def lines(self) -> list[str]:
        return [f"impossible, so without a test: {', '.join(self.impossible)}"] if self.impossible else []


def _states(game: Game) -> list[str]:
    """The model's own states; vertices behind a choice are none."""
    return [game.names[vertex] for vertex in range(game.vertex_count) if game.roles.role[vertex] == Role.STATE]
