"""Attempts: plays that try to fail, as many as a budget allows."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from outplay.cancellation import Cancelled, CancelToken, Until
from outplay.errors import explained
from outplay.model.label import SILENCE
from outplay.model.specification import Specification
from outplay.play.plan import Plan
from outplay.play.system import System, VirtualClock
from outplay.play.timing import Timing
from outplay.play.trace import ENDS, Event
from outplay.plurals import counted
from outplay.runs.play_loop import Play, Playing
from outplay.tester.script import Beat, Beats
from outplay.tester.tester import Tester
from outplay.verdict.verdicts import Error, Fail

STEPS_A_SECOND = 4_000  # what a second of the budget is worth on a virtual clock
PATIENCE = 10  # this many times the budget on the wall, at most, where steps are counted
SECONDS = 5.0  # the budget of quick plays
PLAYS = 8  # slow ones: this many plays as long as the failing one
LONGEST = 30.0  # seconds, at most
RESERVE = 0.3  # the part of the budget that is kept for counting how often the result fails
STARTING = 2.0  # seconds for a system to start in


@dataclass(frozen=True)
class Attempt:
    """A play that failed, cut where it did."""

    events: tuple[Event, ...]
    verdict: Fail

    @property
    def length(self) -> int:
        """Return the size to make smaller: its steps, and the end where it ended badly."""
        return sum(event.is_move or event.kind in ENDS for event in self.events)


def budget_of_attempts(events: Sequence[Event]) -> float:
    """Return the seconds to spend on attempts to fail again, by how long the failing play took."""
    return min(max(SECONDS, PLAYS * _seconds(events)), LONGEST)


def _seconds(events: Sequence[Event]) -> float:
    return events[-1].time - events[0].time if events else 0.0


def paced_labels(events: Iterable[Event]) -> Beats:
    """Return the labels of the moves of a failing play, with the pauses before them, for the next attempt.

    >>> from outplay import Label
    >>> [*paced_labels([Event("reset", seen=1.0), Event("input", Label.parse("?a"), given=1.25)])]
    [Beat(label=?a, pause=0.25)]
    """
    found, before = list[Beat](), None
    for event in events:
        if event.is_move:
            pause = 0.0 if before is None else max(round(event.time - before, 6), 0.0)
            found.append(Beat(SILENCE if event.label is None else event.label, pause))
        before = event.time
    return tuple(found)


def count_steps(events: Iterable[Event]) -> int:
    """Count the steps of a failing play or an attempt; that the system is gone is none."""
    return sum(event.is_move for event in events)


class Rate(NamedTuple):
    """The share of tries in which a play fails."""

    fails: int
    tries: int

    def __str__(self) -> str:
        return f"fails in {self.fails} of {counted(self.tries, 'try')}"


class Attempts:
    """Plays against one system until the budget is used up; only a Fail of the wanted kind counts.

    A play that is still going on then is broken off, in the middle of a wait too. A system that cannot be made ready,
    or an error of ours or the model's, ends them all.
    """

    def __init__(
        self,
        spec: Specification,
        system: System,
        timing: Timing,
        seconds: float,
        wanted: Fail,
        token: CancelToken | None = None,
    ) -> None:
        self._counted = by_steps = isinstance(system.clock, VirtualClock)
        self._steps = seconds * STEPS_A_SECOND if by_steps else float("inf")
        self._spare = RESERVE * (self._steps if by_steps else seconds)
        self._token = token or CancelToken()
        self._began, self._seconds = time.monotonic(), seconds
        self._wall = Until(self._token, time.monotonic() + seconds * (PATIENCE if by_steps else 1))
        self._spec, self._system = spec, system
        self._playing = Playing(system, replace(timing, certain=True), token=self._wall)
        self._wanted = _kind(wanted)
        self.stopped = False
        self.plays = 0
        """The number of attempts that have ended."""
        self.trouble = ""
        """The reason why the attempts ended before their time."""

    def more(self, *, reserve: bool = True) -> bool:
        """Say whether another play is within the budget."""
        spare = self._spare if reserve else 0.0
        left = self._steps if self._counted else self._wall.ends - time.monotonic()
        return not self.stopped and left > spare and not self._wall.passed

    @property
    def overdue(self) -> float:
        """The seconds that were taken beyond the budget."""
        return max(time.monotonic() - self._began - self._seconds, 0.0)

    def allow(self, play: Sequence[Event]) -> bool:
        """Let there be time for such a play, whatever the budget; say whether one can be made."""
        timing = self._playing.timing
        patience = 2 * _seconds(play) + timing.silence + timing.doubtful + timing.latency + STARTING
        self._wall.ends = max(self._wall.ends, time.monotonic() + patience)
        self._steps = max(self._steps, 2 * len(play) + 2)
        return not self.stopped

    def play(self, tester: Tester, steps: int) -> Attempt | None:
        """Play once; the play where it failed, else None."""
        try:
            with self._token.stretch():
                return self._played(tester, steps)
        except (Exception, KeyboardInterrupt) as error:  # whatever happens must not cost the verdict that is known
            if self._token.cancelled or not (isinstance(error, Cancelled) and self._wall.passed):
                self._end(error)
            return None

    def _played(self, tester: Tester, steps: int) -> Attempt | None:
        events: list[Event] = []
        self._steps -= 1
        play = self._playing.begin(Play(Plan(self._spec, tester), steps), 1)
        for step in play:
            events.append(step.event)
            self._steps -= 1
            if play.judge.settled:
                break
            if not self.more(reserve=False):
                return None
        verdict = play.judge.settled
        if isinstance(verdict, Error):
            self.stopped, self.trouble = True, verdict.why
            return None
        self.plays += 1
        return Attempt(tuple(events), verdict) if isinstance(verdict, Fail) and _kind(verdict) == self._wanted else None

    def close(self) -> None:
        """End the system; that it cannot be ended costs nothing that is known already."""
        try:
            self._system.close()
        except (Exception, KeyboardInterrupt) as error:
            self._end(error)

    def _end(self, error: BaseException) -> None:
        self.stopped = True
        self.trouble = explained(error) if isinstance(error, Exception) else "interrupted"


def _kind(verdict: Fail) -> str:
    return "output" if verdict.event.kind == "late" else verdict.event.kind
