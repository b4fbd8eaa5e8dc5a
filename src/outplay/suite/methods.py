"""The methods by which suites are made: one registry, from which the command line and Python draw.

A new method is a function in a file that makes a `Suite`, and a line here. The function gets the subject, the model
that tests are made for, and by name a `progress` to report to and the options that its line names. Tests are best a
`Stream`, made as they are asked for. Every objective with a goal is a method too: a test case for each goal.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Protocol

from outplay.errors import UsageError, named
from outplay.game.exploring.breadth_first import Limits, Progress
from outplay.game.graph import Game
from outplay.model.specification import Specification
from outplay.registries import DeclaredOption, flag, imported
from outplay.strategy.objectives import OBJECTIVES, Objective
from outplay.suite.suite import Suite


class Subject(Protocol):
    """The subject of tests: a model as it was read, with the rules and the goals that were asked for."""

    @property
    def goals(self) -> tuple[str, ...]:
        """Return the goals, where something was named."""

    @property
    def limits(self) -> Limits:
        """Return the limits of exploring."""

    @property
    def model(self) -> Any:
        """The model itself."""

    @property
    def reset_cost(self) -> Fraction | None:
        """Return the cost of starting afresh, where that is allowed in the middle of a test."""

    def bare(self) -> Specification:
        """Return the specification of the model itself."""

    def game(self, progress: Progress | None = None, limits: Limits | None = None) -> Game:
        """The model as a game, under the rules, explored up to its own limits or others."""


def refuse_goals(subject: Subject, method: str, what: str) -> None:
    """Refuse goals where a suite method covers everything of a kind."""
    if subject.goals:
        raise UsageError(f"--method {method} is about all {what}: leave --goal out")


SECONDS = 60.0
"""The time that a tour may take by default."""


OPTIONS: dict[str, DeclaredOption] = {
    "until": DeclaredOption("stop condition, such as vertex_coverage(100); own: that of the models.", str),
    "depth": DeclaredOption("Maximum number of labels in a test; where it is reached the test is Inconclusive."),
    "states": DeclaredOption("maximum number of states of the system [default: as many as the model]."),
    "construction": DeclaredOption(
        "counting, merging, unconditional, or the smallest of them, which is the default.", str
    ),
    "adaptive": DeclaredOption("choose how a test goes on by what the system answers.", bool),
    "adaptive_access": DeclaredOption(
        "a state also counts as surely reached where the way depends on the system's answers.", bool
    ),
    "machine": DeclaredOption(
        "the system gives exactly one answer to each input; --states counts those in which it waits for one.", bool
    ),
}
"""The options of methods that are no objectives, by name; a method may take fields of a job as well."""


@dataclass(frozen=True)
class Method:
    """One way to make a suite: a sentence, who makes it, and the options it takes."""

    name: str
    summary: str
    maker: str | Callable[..., Suite]
    """As module:function it is loaded when it is first used."""
    options: tuple[str, ...] = ()
    always: Mapping[str, Any] = field(default_factory=dict)
    """The further arguments of the maker."""

    def make(self, subject: Subject, *, progress: Progress | None = None, **given: Any) -> Suite:
        """Make a suite; an option the method does not take is refused."""
        declared = method_options()
        for name, value in given.items():
            if name not in self.options:
                raise UsageError(f"--method {self.name} takes no {flag(name)}: leave it out")
            if name in declared:
                declared[name].refuse_other(name, value)
        return imported(self.maker)(subject, progress=progress, **self.always, **given)


_BUILT_IN = (
    Method(
        "distinguish",
        "whether the system is where it should be after each transition",
        "outplay.suite.identifying:identifying_suite",
    ),
    Method(
        "walk",
        "every edge of a GraphWalker model, in the fewest steps",
        "outplay.suite.covering.covering_walk:walk_suite",
        ("until", "time_limit"),
    ),
    Method(
        "edges",
        "every edge taken, along a tour of least cost",
        "outplay.suite.covering.game_tests:edge_suite",
        ("time_limit",),
    ),
    Method(
        "nodes",
        "every state visited, along shortest paths, if the system answers as hoped",
        "outplay.suite.covering.game_tests:node_suite",
    ),
    Method("switch", "every switch of a symbolic model", "outplay.suite.covering.switch_tests:switch_suite"),
    Method(
        "tour",
        "a tour of least cost that meets a --strategy and leads the machine back to where it began",
        "outplay.suite.covering.tour_tests:tour_suite",
        ("strategy", "adaptive", "time_limit"),
    ),
    Method(
        "n-complete",
        "no fault of a system with at most --states states is missed",
        "outplay.suite.complete.n_complete:complete_suite",
        ("states", "construction", "adaptive_access", "machine"),
    ),
)
METHODS: dict[str, Method] = {method.name: method for method in _BUILT_IN}
"""All methods that are no objectives; put one of your own beside them and the command knows it."""


def methods() -> dict[str, Method]:
    """Return all suite methods by name: those above, and a test case for each goal by each objective that takes one."""
    of_objectives = {name: _of_objective(each) for name, each in OBJECTIVES.items() if each.takes_goal}
    return METHODS | {name: method for name, method in of_objectives.items() if name not in METHODS}


def method_options() -> dict[str, DeclaredOption]:
    """Return all options of suite methods, those of objectives among them."""
    of_objectives = {name: option for each in OBJECTIVES.values() for name, option in _told(each).items()}
    return OPTIONS | {name: option for name, option in of_objectives.items() if name not in OPTIONS}


def method_named(name: str) -> Method:
    """Find the suite method of a name."""
    refuse_goalless(name)
    return named(name, methods(), "method")


def refuse_goalless(name: str) -> None:
    """Raise an error naming what to use in place of an objective that has no goals to make test cases for."""
    objective = OBJECTIVES.get(name)
    if objective and not objective.takes_goal and name not in METHODS:
        instead = f"--method {objective.suite_method}, or " if objective.suite_method else ""
        raise UsageError(f"a test case has a goal, {name} has none: use {instead}`run --objective {name}`")


def _of_objective(objective: Objective) -> Method:
    summary, maker = f"a test for each goal: {objective.summary}", "outplay.suite.from_tester:reaching_suite"
    return Method(objective.name, summary, maker, ("depth", *_told(objective)), {"objective": objective})


def _told(objective: Objective) -> dict[str, DeclaredOption]:
    """Return the options of an objective where tests are made; `--method` is that of the suite."""
    return {name: each for name, each in objective.options.items() if name != "method" and objective.takes_goal}
