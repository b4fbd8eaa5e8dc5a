"""Playing: one play after another against one system, each event numbered, followed once and judged as it happens.

This is the only place that drives the runner. A failure of our own becomes an Error and never a Pass.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from outplay.cancellation import NEVER, CancelToken, Deadline
from outplay.errors import explained
from outplay.game.assumption import Assumption
from outplay.model.programs.guard import Guard
from outplay.model.specification import Specification
from outplay.play.audit import PlayAudit
from outplay.play.following import Arrival, Following, Numbering, Step
from outplay.play.plan import Plan
from outplay.play.runner import Afterwards, Ending, play_once
from outplay.play.system import Retries, System, VirtualClock
from outplay.play.timing import Timing
from outplay.play.trace import Event
from outplay.runs.events import Noted
from outplay.runs.recorded_play import RecordedPlay, learn_recorded_play
from outplay.tester.tester import Tester
from outplay.verdict.judge import Judge
from outplay.verdict.verdicts import Error, Fail, Inconclusive, Verdict

Taker = Callable[[Step], None]


class Leftovers(Protocol):
    """Watches all plays for what the play before left behind."""

    def take(self, step: Step) -> None:
        """See the next step of whatever play."""

    def note(self, spec: Specification, verdict: Fail) -> Event | None:
        """A note that takes the failing output back, where it was left over; else nothing."""


@dataclass(frozen=True)
class Play:
    """A play to make: who moves, for how many steps, and whether the system is reset first."""

    plan: Plan
    steps: int
    reset: bool = True
    test: str = ""
    """The test case it is a play of, where a suite is played."""
    takers: tuple[Taker, ...] = ()
    """The takers of its steps, beside the observers of the run."""
    until: Deadline = NEVER
    """The time when it is cut off."""
    ending: Ending | None = None
    """The tester that takes the system to a clean state at the end."""
    recorded: RecordedPlay | None = None
    """The play that a worker has made, which is followed in place of the system."""


class Playing:
    """One play after another against one system, with events numbered through."""

    def __init__(
        self,
        system: System,
        timing: Timing,
        *,
        rule: Assumption | None = None,
        afterwards: Afterwards | None = None,
        token: CancelToken | None = None,
        leftovers: Leftovers | None = None,
        retries: int = 0,
    ) -> None:
        self.leftovers, self.retries = leftovers, Retries(retries)
        self.system, self.timing = system, timing.for_system(system)
        self.rule, self.afterwards, self.token = rule, afterwards, token or CancelToken()
        self.numbering = Numbering(system.clock.now())

    def now(self) -> float:
        """The time of the run."""
        return self.numbering.time(self.system.clock.now())

    def go_on_from(self, seconds: float) -> None:
        """Let the time of the run be this many seconds now."""
        self.numbering.go_on_from(seconds, self.system.clock.now())

    def begin(self, play: Play, number: int, takers: Sequence[Taker] = ()) -> PlayUnderWay:
        """Begin the play of this number; its steps are made as they are asked for."""
        self.numbering.play = number
        return PlayUnderWay(self, play, (*takers, *play.takers))

    def noted(self, error: Exception) -> Event:
        """A numbered note of a failure of our own that belongs to no play."""
        event = self.numbering.numbered(self.note(error))
        self.numbering.count += 1
        return event

    def note(self, error: Exception) -> Event:
        """A note of a failure of our own."""
        return Event("note", seen=self.system.clock.now(), detail=explained(error), failed=True)


class PlayUnderWay:
    """A play that goes on: iterate its steps, then ask for its verdict."""

    def __init__(self, playing: Playing, play: Play, takers: Sequence[Taker]) -> None:
        self._playing, self._play = playing, play
        self.judge, self._arrival = Judge(), Arrival()
        self.audit = _audit(playing.rule, play.plan.tester)
        watching = [playing.leftovers.take] if playing.leftovers else []
        self._takers = [
            *watching,
            self.judge.take,
            self._arrival.take,
            *takers,
            *([self.audit.take] if self.audit else []),
        ]
        self._error: Error | None = None
        self._following: Following | None = None

    @property
    def verdict(self) -> Verdict:
        """The verdict on the steps made so far."""
        return self._error or self.judge.verdict()

    @property
    def moves(self) -> int | None:
        """After how many moves the goal was reached, if it was."""
        return self._arrival.moves

    def __iter__(self) -> Iterator[Step | Noted]:
        steps, token = self._steps(), self._playing.token
        with Guard():
            while True:
                with token.stretch():
                    step = next(steps, None)
                if step is None:
                    break
                yield step
        yield from self._left_over()
        if self._playing.timing.doubtful and isinstance(self.judge.verdict(), Inconclusive):
            # Perhaps silence was called too early: from now on it is certain before it is called.
            self._playing.timing = replace(self._playing.timing, certain=True)

    def _left_over(self) -> Iterator[Step]:
        """Return a note where the failure came from the play before; the verdict is then an Error."""
        leftovers, verdict, following = self._playing.leftovers, self.judge.settled, self._following
        if leftovers is None or following is None or not isinstance(verdict, Fail):
            return
        if note := leftovers.note(self._play.plan.specification, verdict):
            step = following.take(note)
            yield step
            self._take(step)

    def _steps(self) -> Iterator[Step | Noted]:
        """The steps, seen by all takers; an exception of ours or the model's ends the play with a note of it."""
        playing, plan = self._playing, self._play.plan
        try:
            # Making a tracker asks the model already: does the initial state meet the goal?
            self._following = following = Following(
                playing.timing.tracker(plan.specification, plan.goal), playing.numbering
            )
        except Exception as error:
            self._error = Error(explained(error))
            yield Noted(playing.noted(error))
            return
        try:
            how: dict[str, Any] = {"timing": playing.timing, "steps": self._play.steps}
            how |= {"afterwards": playing.afterwards, "reset": self._play.reset, "until": self._play.until}
            how |= {"ending": self._play.ending, "retries": playing.retries}
            recorded = self._play.recorded
            made = (
                play_once(plan.tester, playing.system, following, **how)
                if recorded is None
                else self._recorded(recorded, following)
            )
            for step in made:
                yield step
                self._take(step)
        except Exception as error:
            playing.token.check()  # a lock that was broken off raises an error, which is nobody's mistake
            noted = following.take(playing.note(error))
            yield noted
            self._take(noted)

    def _recorded(self, play: RecordedPlay, following: Following) -> Iterator[Step]:
        """The steps of a play that was made elsewhere and has just come in; a virtual clock takes its time now."""
        playing, clock = self._playing, self._playing.system.clock
        testers = [self._play.plan.tester, *([playing.afterwards.tester] if playing.afterwards else [])]
        virtual = isinstance(clock, VirtualClock)
        since = clock.now() if virtual else max(clock.now() - play.seconds, clock.now() - playing.now())
        if play.in_run:
            since = clock.now() - playing.now()
        elif virtual:
            clock.sleep(play.seconds)
        return learn_recorded_play(play, following, testers, since)

    def _take(self, step: Step) -> None:
        for take in self._takers:
            take(step)


def _audit(rule: Assumption | None, tester: Tester) -> PlayAudit | None:
    """Return the audit, which asks the tester again, so only of one that does not walk by chance."""
    return None if rule is None else PlayAudit(rule, tester.follower)
