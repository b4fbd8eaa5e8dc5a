"""Test cases along walks on a game: each gives the inputs of its walk and hopes for the answers.

Where the system answers otherwise, and rightly, the test is inconclusive and is played again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from outplay.errors import UsageError
from outplay.game.exploring.breadth_first import Limits, Progress
from outplay.game.graph import Game
from outplay.model.kinds import aspect_of
from outplay.model.label import Label
from outplay.model.tracking import Tracker
from outplay.plurals import counted
from outplay.strategy.number_format import format_number, json_number
from outplay.strategy.tours.postman_problem import Tour
from outplay.strategy.tours.tour_network import Cost
from outplay.suite.from_tester import case_from_tester
from outplay.suite.methods import Subject
from outplay.suite.suite import Stream, Suite, TestCase
from outplay.tester.tester import Decision, End, Give, Labels, Stop, TraceBased, Wait

MOST_STATES = 20_000
"""Nobody plays tests for more states than these who did not ask for it."""


def game_to_cover(subject: Subject, what: str, progress: Progress | None) -> Game:
    """Return the game of a model that walks are to cover: explored to its end, or as far as given limits allow.

    Where it has no end in sight, tests that take all of it are refused.
    """
    if aspect_of(subject.model, "game") is not None or subject.limits != Limits():
        return subject.game(progress)
    game = subject.game(progress, Limits(states=MOST_STATES))
    if game.origin.stopped is not None:
        drawn = "; --method walk takes every edge as it is drawn" if aspect_of(subject.model, "walks") else ""
        raise UsageError(
            f"no tests for all {what}, which may have no end: exploring {game.origin.stopped}, "
            f"or give --max-depth, for tests of the part within{drawn}"
        )
    return game


@dataclass(frozen=True)
class WalkTests:
    """The walks of tests that together take or visit all of something."""

    game: Game
    walks: tuple[tuple[int, ...], ...]
    met: int
    """The number of edges taken, or of states visited."""
    tour: Tour | None = None
    """The tour that takes all edges: how often it starts again, and what it costs. States are visited without."""

    @property
    def what(self) -> str:
        return "state" if self.tour is None else "edge"

    @cached_property
    def moves(self) -> int:
        return sum(int(self.game.moves[list(walk)].sum()) for walk in self.walks)

    def json(self) -> dict[str, Any]:
        """Return the number of edges or states that the tests meet, and of moves."""
        summary: dict[str, Any] = {f"{self.what}s": self.met, "moves": self.moves}
        if self.tour is not None:
            summary |= {"tour": _restarts(self.tour.cost), "bound": _restarts(self.tour.bound)}
        summary |= {"approximate": True} if self.game.origin.approximate else {}
        return summary | ({"stopped": self.game.origin.stopped} if self.game.origin.stopped else {})

    def lines(self) -> list[str]:
        meet = "take" if self.what == "edge" else "visit"
        summary = [f"they {meet} all {counted(self.met, self.what)}, in {counted(self.moves, 'move')}"]
        if self.tour is not None and not self.tour.optimal:
            (again, cost), (least, bound) = self.tour.cost, self.tour.bound
            summary.append(
                f"the best tour found in time starts again {format_number(again)} times "
                f"and costs {format_number(cost)}; "
                f"none does better than {format_number(least)} and {format_number(bound)}"
            )
        stopped = self.game.origin.stopped
        return [*summary, f"exploring {stopped}; what lies behind is not met"] if stopped else summary

    def cases(self) -> Iterator[TestCase]:
        """The test cases, one for each walk."""
        for number, walk in enumerate(self.walks, 1):
            end = self.game.names[int(self.game.target[walk[-1]])]
            yield _case_along(self.game, walk, f"edges {number}" if self.what == "edge" else end)

    def suite(self, promise: str) -> Suite:
        """The tests as a suite; what it promises holds only if the system answers as hoped."""
        far = ", as far as was explored" if self.game.origin.stopped else ""
        guarantee = f"{self.game.origin.scope}{promise} by a test, if the system answers as the tests hope{far}"
        tests, count = Stream(self.cases), len(self.walks)
        return Suite(tests=tests, guarantee=guarantee, count=count, labels=self.moves, remarks=self)


def _restarts(cost: Cost) -> dict[str, Any]:
    return {"restarts": int(cost[0]), "cost": json_number(cost[1], exact=False)}


def _case_along(game: Game, walk: Sequence[int], name: str) -> TestCase:
    """The test case of a walk, given by its edges from the initial vertex on.

    >>> from outplay import GameBuilder
    >>> builder = GameBuilder().vertex("s", "tester").vertex("t", "tester").edge("s", "t", "?a").edge("t", "s", "?b")
    >>> _case_along(builder.build(), [0, 1], "there and back")
    TestCase('there and back', 2 states, 2 steps)
    """
    shown = [Label.parse(text) for text in game.labels if text.startswith("!")]
    return case_from_tester(_along(game, walk), game.origin.specification, outputs=shown, name=name)


class TraceTester(TraceBased):
    """A tester that goes on as long as the labels come that it hopes for; it remembers how many came, or -1."""

    start = 0

    def __init__(self, labels: Labels, decisions: Sequence[Decision] | None = None) -> None:
        """Without decisions all labels are inputs to be given."""
        self._labels, self._decisions = labels, tuple(map(Give, labels)) if decisions is None else decisions

    def choose(self, tracker: Tracker, memory: int) -> Decision:
        if memory < 0:
            return Stop(End.INCONCLUSIVE)
        return self._decisions[memory] if memory < len(self._labels) else Stop()

    def remember(self, tracker: Tracker, memory: int, label: Label) -> int:
        return memory + 1 if memory >= 0 and label == self._labels[memory] else -1


def _along(game: Game, walk: Sequence[int]) -> TraceTester:
    """Return the test along a walk: the inputs it gives, and the labels that have to come."""
    decisions, labels = list[Decision](), list[Label]()
    decided: str | None = None
    chosen = False
    for edge in walk:
        if not game.moves[edge]:
            decided, chosen = game.input_of(edge), True
            continue
        label = _label(game, edge)
        given = decided if chosen else label.text if label.is_input else None
        decisions.append(Wait() if given is None else Give(Label.parse(given)))
        labels.append(label)
        decided, chosen = None, False
    return TraceTester(tuple(labels), decisions)


def _label(game: Game, edge: int) -> Label:
    text = game.label_of(edge)
    if not text:
        raise UsageError(f"edge {game.edge_names[edge]!r} has no label: a test cannot tell whether it was taken")
    return Label.parse(text)
