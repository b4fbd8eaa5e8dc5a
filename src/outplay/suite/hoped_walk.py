"""Test cases along walks on a game: each gives the inputs of its walk and hopes for the answers.

Where the system answers otherwise, and rightly, the test is inconclusive and is played again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from outplay.errors import UsageError
from outplay.game.graph import Game
from outplay.model.label import Label
from outplay.strategy.words import counted
from outplay.suite.from_tester import case_from_tester
from outplay.suite.testcase import Stream, Suite, TestCase
from outplay.tester.tester import ByTrace, Decision, End, Give, Labels, Stop, Wait


@dataclass(frozen=True)
class HopedWalks:
    """The walks of tests that together take or visit all of something, with the names of the tests."""

    game: Game
    walks: tuple[tuple[int, ...], ...]
    names: tuple[str, ...]
    met: int
    """How many edges are taken, or states visited."""
    what: str
    """An edge, or a state."""

    def json(self) -> dict[str, Any]:
        """How many edges or states the tests meet, and in how many moves."""
        return {f"{self.what}s": self.met, "moves": sum(int(self.game.moves[list(walk)].sum()) for walk in self.walks)}

    def lines(self) -> list[str]:
        """The same in words."""
        meet = "take" if self.what == "edge" else "visit"
        return [f"they {meet} all {counted(self.met, self.what)}, in {self.json()['moves']:,} moves"]

    def cases(self) -> Iterator[TestCase]:
        """The test cases, one for each walk."""
        for walk, name in zip(self.walks, self.names, strict=True):
            yield case_along(self.game, walk, name)

    def suite(self, method: str, promise: str) -> Suite:
        """The tests as a suite; what it promises holds only if the system answers as hoped."""
        guarantee = f"{promise} by a test, if the system answers as the tests hope"
        tests = Stream(self.cases)
        return Suite(method=method, tests=tests, guarantee=guarantee, count=len(self.walks), remarks=self)


def case_along(game: Game, walk: Sequence[int], name: str) -> TestCase:
    """The test case of a walk, given by its edges from the initial vertex on.

    >>> from outplay import GameBuilder
    >>> builder = GameBuilder().vertex("s", "tester").vertex("t", "tester").edge("s", "t", "?a").edge("t", "s", "?b")
    >>> case_along(builder.build(), [0, 1], "there and back")
    TestCase('there and back', 2 states, 2 steps)
    """
    shown = [Label.parse(text) for text in game.labels if text.startswith("!")]
    tester = ByTrace(_HopedWalk(game, walk).decide)
    return case_from_tester(tester, game.origin.specification, outputs=shown, name=name)


class _HopedWalk:
    """What a test does on a walk: the inputs it gives, and the labels that have to come."""

    def __init__(self, game: Game, walk: Sequence[int]) -> None:
        self.decisions: list[Decision] = []
        self.labels: list[Label] = []
        decided: str | None = None
        chosen = False
        for edge in walk:
            if not game.moves[edge]:
                decided, chosen = game.input_of(edge), True
                continue
            label = _label(game, edge)
            given = decided if chosen else label.text if label.is_input else None
            self.decisions.append(Wait() if given is None else Give(Label.parse(given)))
            self.labels.append(label)
            decided, chosen = None, False

    def decide(self, trace: Labels) -> Decision:
        if any(seen != label for seen, label in zip(trace, self.labels, strict=False)):
            return Stop(End.INCONCLUSIVE)
        return self.decisions[len(trace)] if len(trace) < len(self.labels) else Stop(End.PASS)


def _label(game: Game, edge: int) -> Label:
    text = game.label_of(edge)
    if not text:
        raise UsageError(f"edge {game.edge_names[edge]!r} has no label: a test cannot tell whether it was taken")
    return Label.parse(text)
