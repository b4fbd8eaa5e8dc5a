"""The whole game of a model, for suites that take all of it; where it has no end in sight, they are refused."""

from __future__ import annotations

from outplay.errors import UsageError
from outplay.game.exploring.breadth_first import Limits, Progress
from outplay.game.graph import Game
from outplay.model.kinds import seen_as
from outplay.suite.methods import Subject

MOST_STATES = 20_000
"""Nobody plays tests for more states than these who did not ask for it."""


def whole_game(subject: Subject, what: str, progress: Progress | None) -> Game:
    """The game of a model, explored to its end, or as far as limits that were asked for allow."""
    if seen_as(subject.model, "game") is not None or subject.limits != Limits():
        return subject.game(progress)
    game = subject.game(progress, Limits(states=MOST_STATES))
    if game.origin.stopped is not None:
        drawn = "; --method walk takes every edge as it is drawn" if seen_as(subject.model, "walks") else ""
        raise UsageError(
            f"no tests for all {what}, which may have no end: exploring {game.origin.stopped}, "
            f"or give --max-depth, for tests of the part within{drawn}"
        )
    return game
