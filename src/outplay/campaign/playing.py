"""One play after another against one system, each event numbered, followed once, judged and handed on as it happens.

A failure of our own becomes an Error and never a Pass.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from outplay.campaign.outcome import Outcome, Played
from outplay.campaign.watching.coverage_tally import Tally
from outplay.errors import explained
from outplay.game.assumption import Assumption, named_assumption
from outplay.interrupting import breakable, look
from outplay.model.programs.guard import Guard
from outplay.model.tracking import Tracker
from outplay.play.audit import PlayAudit
from outplay.play.event import Event
from outplay.play.following import Arrival, Following, Numbering, Step
from outplay.play.plan import Plan
from outplay.play.runner import Afterwards, play_once
from outplay.play.system import System
from outplay.play.timing import Timing
from outplay.play.trace import Trace, TraceHeader
from outplay.tester.follower import Follower
from outplay.tester.seen_tester import SeenTester
from outplay.tester.tester import Tester
from outplay.verdict.judge import Judge, combine
from outplay.verdict.verdicts import Error, Fail, Pass, Verdict

Watcher = Callable[[Event], None]
Taker = Callable[[Step], None]


class Interrupted(KeyboardInterrupt):
    """Somebody ended a run; what the plays came to that had ended by then is kept."""

    def __init__(self, outcome: Outcome) -> None:
        super().__init__("interrupted")
        self.outcome = outcome


class Playing:
    """One play after another against one system, judged on the way; what they saw is kept together."""

    def __init__(
        self,
        system: System,
        timing: Timing,
        steps: int,
        watch: Watcher,
        assumption: Assumption | str | None = None,
        afterwards: Afterwards | None = None,
        most_events: int | None = None,
    ) -> None:
        self._most_events = most_events
        self._rule = None if assumption is None else named_assumption(assumption)
        self.system, self.timing, self.steps, self._watch = system, timing.for_system(system), steps, watch
        self._afterwards = afterwards
        self.tally = Tally()
        self.played: list[Played] = []
        self._same: dict[Played, Played] = {}
        self.events: list[Event] = []
        self._began = 0  # the place of the first event of the play
        self._failure: Error | None = None
        self._numbering = Numbering(system.clock.now())

    def now(self) -> float:
        """The time of the run."""
        return self._numbering.time(self.system.clock.now())

    @property
    def times(self) -> dict[str, Any]:
        """The times that are kept, for a trace to name."""
        return {"silence": self.timing.silence, "latency": self.timing.latency}

    def through(
        self,
        verdicts: Iterable[Verdict],
        keep_going: bool,
        header: TraceHeader,
        goals: tuple[str, ...],
        completed: Callable[[Outcome], Outcome],
    ) -> Outcome:
        """Play, as the verdicts are asked for, while there is a point in going on; then end the system.

        Whoever watched the plays adds to the outcome what is known by then, also where somebody ended the run.
        """
        interrupted = False
        try:
            with breakable():
                for verdict in verdicts:
                    name = verdict.name
                    if name == "error" or (name == "fail" and not keep_going):
                        break
        except KeyboardInterrupt:
            interrupted = True
        finally:
            self._close()
        outcome = completed(self._outcome(header, goals))
        if interrupted:
            raise Interrupted(outcome)
        return outcome

    def play(self, chosen: Plan, *also: Taker, reset: bool = True) -> Verdict:
        """Play once and judge it; others may take the steps as well. Without a reset the last play goes on.

        Of plays that conformed no more events are kept than were asked for.
        """
        if reset:
            self._forget()
        with Guard():
            played = self._play(chosen, also, reset)
        verdict = played.verdict
        if not reset:
            last = self.played.pop()
            wrong = isinstance(verdict, Fail | Error)
            played = played if wrong else replace(last, verdict=combine([last.verdict, verdict]))
        plain = played.audit is None and isinstance(played.verdict, Pass)
        self.played.append(self._same.setdefault(played, played) if plain else played)  # there may be a million
        return verdict

    def _forget(self) -> None:
        """Forget the events of the last play where there are enough, and it conformed."""
        wrong = self.played and isinstance(self.played[-1].verdict, Fail | Error)
        if self._most_events is not None and self._began > self._most_events and not wrong:
            del self.events[self._began :]
        self._began = len(self.events)

    def _play(self, chosen: Plan, also: Sequence[Taker], reset: bool) -> Played:
        self.tally.plays = self._numbering.play = len(self.played) + reset
        judge, arrival, audit = Judge(), Arrival(), self._audit(chosen.tester)
        takers = [judge.take, arrival.take, self.tally.take, *also] + ([audit.take] if audit else [])
        try:
            # Making a tracker asks the model already: does the initial state meet the goal?
            tracker = Tracker(chosen.specification, **self.times, goal=chosen.goal)
        except Exception as error:
            self._record(self._numbering.numbered(self._note(error)))
            self._numbering.count += 1
            return Played(Error(explained(error)))
        for step in self._steps(chosen.tester, Following(tracker, self._numbering), takers, reset):
            self._record(step.event)
            look()
        return Played(judge.verdict(), arrival.moves, audit)

    def _steps(self, tester: Tester, following: Following, takers: Sequence[Taker], reset: bool) -> Iterator[Step]:
        """The steps of a play, taken by all who ask; an exception of ours or the model's ends it with a note of it."""
        try:
            how: dict[str, Any] = {"timing": self.timing, "steps": self.steps, "afterwards": self._afterwards}
            for step in play_once(tester, self.system, following, reset=reset, **how):
                yield step
                for take in takers:
                    take(step)
        except Exception as error:
            look()  # a lock that a signal broke off raises an error, which is none of the system or the model
            noted = following.take(self._note(error))
            yield noted
            for take in takers:
                take(noted)

    def _audit(self, tester: Tester) -> PlayAudit | None:
        """Who is first is asked of the tester again, so only of one that does not walk by chance."""
        asked = tester.follower if isinstance(tester, SeenTester) else tester
        return PlayAudit(self._rule, asked if isinstance(asked, Follower) else None) if self._rule else None

    def _note(self, error: Exception) -> Event:
        return Event("note", seen=self.system.clock.now(), detail=explained(error), failed=True)

    def _record(self, event: Event) -> None:
        self.events.append(event)
        self._watch(event)

    def _close(self) -> None:
        """End the system; that it cannot be ended is an Error, which outweighs a Pass and hides no Fail."""
        try:
            self.system.close()
        except Exception as error:
            self._failure = Error(f"the system could not be ended: {type(error).__name__}: {error}")

    def _outcome(self, header: TraceHeader, goals: tuple[str, ...]) -> Outcome:
        """What all plays together came to."""
        self.tally.plays = len(self.played)  # one that was interrupted is none
        verdicts = [play.verdict for play in self.played] + ([self._failure] if self._failure else [])
        return Outcome(combine(verdicts, goals), Trace(header, tuple(self.events)), self.tally, tuple(self.played))
