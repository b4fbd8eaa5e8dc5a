"""Suites that reach goals: one test case for each, by the best strategy for an objective."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from outplay.errors import UsageError
from outplay.game.exploring.breadth_first import Progress
from outplay.game.graph import Game
from outplay.game.roles import Role
from outplay.strategy.answer import Answer
from outplay.strategy.objectives import Objective, objective_named
from outplay.suite.from_answer import case_from_answer
from outplay.suite.methods import Subject
from outplay.suite.suite import Suite
from outplay.suite.testcase import TestCase

COVER, COVER_EDGES = "cover-nodes", "cover-edges"


def reaching_suite(
    subject: Subject, *, objective: str, depth: int | None = None, progress: Progress | None = None
) -> Suite:
    """One test case for each goal that is named, else for each of the model's goals, else for each of its states."""
    if objective == COVER_EDGES:
        raise UsageError(f"a test case has a goal, and {COVER_EDGES} has none: use --method edges")
    if objective == COVER:
        raise UsageError(f"a test case has a goal, {COVER} has none: use --method nodes, or `run --objective {COVER}`")
    game = subject.game(progress)
    names = tuple(dict.fromkeys(subject.goals)) or tuple(game.goals) or tuple(_states(game))
    tests = _Reaching(game, names, objective_named(objective), depth)
    guarantee = f"each goal that can be reached is reached by `{objective}`"
    return Suite(method=objective, tests=tests, guarantee=guarantee, remarks=tests)


class _Reaching:
    """The test cases, solved one after the other, and what turned out to be impossible."""

    def __init__(self, game: Game, names: tuple[str, ...], objective: Objective, depth: int | None) -> None:
        self._game, self._names, self._objective, self._depth = game, names, objective, depth
        self.impossible: list[str] = []

    def __iter__(self) -> Iterator[TestCase]:
        self.impossible.clear()
        for name in self._names:
            answer = self._objective.solve(self._game, name)
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
        """What cannot be reached."""
        return {"impossible": list(self.impossible)}

    def lines(self) -> list[str]:
        """The same in words."""
        return [f"impossible, so without a test: {', '.join(self.impossible)}"] if self.impossible else []


def _states(game: Game) -> list[str]:
    """The model's own states; vertices behind a choice are none."""
    return [game.names[vertex] for vertex in range(game.vertex_count) if game.roles.role[vertex] == Role.STATE]
