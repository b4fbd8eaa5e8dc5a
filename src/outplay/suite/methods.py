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

from outplay.deferred import imported
from outplay.errors import UsageError, named
from outplay.game.exploring.breadth_first import Limits, Progress
from outplay.game.graph import Game
from outplay.model.specification import Specification
from outplay.strategy.objectives import OBJECTIVES
from outplay.suite.suite import Suite


class Subject(Protocol):
    """What tests are made for: a model as it was read, with the rules and the goals that were asked for."""

    @property
    def goals(self) -> tuple[str, ...]:
        """What is to be reached, where something was named."""

    @property
    def limits(self) -> Limits:
        """How large it may become."""

    @property
    def model(self) -> Any:
        """The model itself."""

    @property
    def reset_cost(self) -> Fraction | None:
        """What it costs to start afresh, where that is allowed in the middle of a test."""

    def bare(self) -> Specification:
        """What the model itself allows."""

    def game(self, progress: Progress | None = None, limits: Limits | None = None) -> Game:
        """The model as a game, under the rules, explored up to its own limits or others."""


def refuse_goals(subject: Subject, method: str, what: str) -> None:
    """Refuse goals where a method is about everything of a kind."""
    if subject.goals:
        raise UsageError(f"--method {method} is about all {what}: leave --goal out")


@dataclass(frozen=True)
class MethodOption:
    """Something methods can be told beside what a job says: what it means, and of which kind it is."""

    help: str
    kind: type = int
    """int, str, or bool for a flag; a number is at least 1."""

    def refuse_other(self, name: str, value: Any) -> None:
        """Refuse a value of another kind, such as a file may have."""
        is_number = self.kind is int and type(value) is int  # not isinstance: True is no number of states
        if is_number and value < 1:
            raise UsageError(f"{flag(name)} is {value}, and is at least 1")
        if type(value) is not self.kind:
            raise UsageError(f"{flag(name)} is {value!r:.200}, and takes {_KINDS[self.kind]}")


_KINDS: dict[type, str] = {int: "a number", str: "a text", bool: "true or false"}


def flag(name: str) -> str:
    """How an option is written on the command line."""
    return f"--{name.replace('_', '-')}"


SECONDS = 60.0
"""What a tour may take where nobody says how long."""


OPTIONS: dict[str, MethodOption] = {
    "until": MethodOption("When it is done, such as vertex_coverage(100); own: as the models say.", str),
    "depth": MethodOption("Give a test up, inconclusive, after so many labels."),
    "states": MethodOption("How many states the system has at most [default: as many as the model]."),
    "construction": MethodOption(
        "counting, merging, unconditional, or the smallest of them, which is the default.", str
    ),
    "adaptive": MethodOption("The test goes on by what the system answers.", bool),
    "adaptive_access": MethodOption(
        "A state also counts as reached for sure where the tester has to take what comes.", bool
    ),
    "machine": MethodOption(
        "The system gives exactly one answer to each input; --states counts where it waits for one.", bool
    ),
}
"""The options of methods, by the name under which a method takes them; it may take fields of a job as well."""


@dataclass(frozen=True)
class Method:
    """One way to make a suite: a sentence, who makes it, and the options it takes."""

    name: str
    summary: str
    maker: str | Callable[..., Suite]
    """As module:function it is loaded when it is first used."""
    options: tuple[str, ...] = ()
    always: Mapping[str, Any] = field(default_factory=dict)
    """What the maker is told besides."""

    def make(self, subject: Subject, *, progress: Progress | None = None, **given: Any) -> Suite:
        """Make a suite; an option the method does not take is refused."""
        for name, value in given.items():
            if name not in self.options:
                raise UsageError(f"--method {self.name} takes no {flag(name)}: leave it out")
            if name in OPTIONS:
                OPTIONS[name].refuse_other(name, value)
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
        "outplay.suite.covering.edge_tests:edge_suite",
        ("time_limit",),
    ),
    Method(
        "nodes",
        "every state visited, along shortest paths, if the system answers as hoped",
        "outplay.suite.covering.node_tests:node_suite",
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
        "outplay.suite.complete.complete_suite:complete_suite",
        ("states", "construction", "adaptive_access", "machine"),
    ),
)
METHODS: dict[str, Method] = {method.name: method for method in _BUILT_IN}
"""All methods that are no objectives; put one of your own beside them and the command knows it."""


def methods() -> dict[str, Method]:
    """All methods by name: those above, and a test case for each goal by every objective."""
    return METHODS | {name: _of_objective(name) for name in OBJECTIVES if name not in METHODS}


def method_named(name: str) -> Method:
    """Find a method."""
    return named(name, methods(), "method")


def _of_objective(name: str) -> Method:
    summary = f"a test for each goal: {OBJECTIVES[name].summary}"
    return Method(name, summary, "outplay.suite.reaching:reaching_suite", ("depth",), {"objective": name})
