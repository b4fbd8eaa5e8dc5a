"""The run: plays from one source against one system, judged on the way, as one stream of events.

This is the only loop over plays. Plans, suites and replays are sources of plays; recording, progress, coverage,
suspicion, stop rules, the forecast held against what happened, and shrinking are observers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from types import TracebackType
from typing import Any

from outplay.cancellation import Cancelled, CancelToken
from outplay.errors import NothingToRun, UsageError, explained
from outplay.game.assumption import named_assumption
from outplay.garbage_collection import uncollected
from outplay.play.audit import Audit
from outplay.play.following import Step
from outplay.play.trace import Trace, TraceHeader
from outplay.runs.events import (
    CoverageChanged,
    FailureFound,
    Noted,
    Observer,
    PlayEnded,
    PlayStarted,
    RunEnded,
    RunEvent,
    RunStarted,
)
from outplay.runs.failing.stray_outputs import StrayOutputs
from outplay.runs.job import Job
from outplay.runs.kept_plays import KeptEvents, PlayLog
from outplay.runs.monitors.coverage_tally import Tally, WalkCoverage
from outplay.runs.monitors.failure_groups import FailureGroups
from outplay.runs.play_loop import Play, Playing, PlayUnderWay
from outplay.runs.play_sources import play_source_of
from outplay.runs.preparing.planning import Prepared, prepare
from outplay.runs.recorded_play import RecordedPlay
from outplay.runs.recording import trace_header_of
from outplay.runs.result import Interrupted, Played, RunResult
from outplay.verdict.judge import combine_verdicts
from outplay.verdict.nearest_change import with_change
from outplay.verdict.verdicts import Error, Fail, Pass, Verdict


class Run:
    """Iterate it for its events, or `finish` it; then `result` is what it came to.

    A job is prepared first; `token` ends the run from elsewhere, such as a signal.

    >>> from random import Random
    >>> from outplay import Simulated, automaton, specification
    >>> from outplay.runs.preparing.planning import Prepared
    >>> from outplay.play.plan import plan
    >>> lamp = specification(automaton([("off", "?press", "on"), ("on", "!light", "off")]))
    >>> with Run(Prepared(Job(plays=2, steps=4), Simulated(lamp, Random(0)), lamp, plan(lamp))) as run:
    ...     ended = [event.verdict.name for event in run if isinstance(event, PlayEnded)]
    >>> ended, run.result.passed
    (['pass', 'pass'], True)
    """

    def __init__(
        self,
        asked: Job | Prepared,
        *,
        observers: Iterable[Observer] = (),
        header: TraceHeader | None = None,
        token: CancelToken | None = None,
        earlier: Iterable[RecordedPlay] = (),
    ) -> None:
        self.prepared = prepared = prepare(asked) if isinstance(asked, Job) else asked
        job = prepared.job
        self.source, self.system, self._keep_going = play_source_of(prepared), prepared.system, job.keep_going
        self.header, self.token = header or trace_header_of(prepared), token or CancelToken()
        rule = named_assumption(job.assumption) if prepared.audited and prepared.suite is None else None
        leftovers = StrayOutputs(self.system, job.timing.for_system(self.system), self.token)
        how: dict[str, Any] = {
            "leftovers": leftovers,
            "rule": rule,
            "afterwards": self.source.afterwards,
            "token": self.token,
            "retries": job.retries,
        }
        self._playing = Playing(self.system, job.timing, **how)
        watching: list[Observer] = [FailureGroups(), PlayLog(), WalkCoverage()]
        self._observers: list[Observer] = [self.source, *prepared.monitors, *watching, *observers]
        self._tally, self._audit = Tally(), None if rule is None else Audit(rule)
        self._kept = KeptEvents()
        self._played, self._alike = list[Played](), dict[Played, Played]()
        self._earlier, self._restoring = [*earlier], False
        self._failure: Error | None = None
        self._warnings = list[str]()
        self._result: RunResult | None = None
        self._events: Iterator[RunEvent] | None = None
        self._closed = False

    @property
    def result(self) -> RunResult:
        """Return the result of the run, once it has ended."""
        if self._result is None:
            raise UsageError("the run has not ended: iterate it to its end, or call finish()")
        return self._result

    def finish(self) -> RunResult:
        """Play to the end, and return the result."""
        for _ in self:
            pass
        return self.result

    def cancel(self) -> None:
        """End the run, from any thread; its result is what was found by then."""
        self.token.cancel()

    def __iter__(self) -> Iterator[RunEvent]:
        if self._events is None:
            self._events = self._stream()
        return self._events

    def __enter__(self) -> Run:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        close = getattr(self._events, "close", None)
        if close is not None:
            close()
        self._close(error)

    def _stream(self) -> Iterator[RunEvent]:
        interruption: KeyboardInterrupt | None = None
        try:
            yield from self._tell(RunStarted(self.header))
            self._restore()
            try:
                yield from self._plays()
            except KeyboardInterrupt as error:
                interruption = error
            self._end_system()
            self._result = self._complete(interrupted=interruption is not None)
            yield from self._tell(RunEnded(self._result))
        except GeneratorExit as error:  # whoever iterates has seen enough
            self._end_system()
            self._result = self._complete(interrupted=True)
            self._close(error)
            raise
        except BaseException as error:
            self._close(error)
            raise
        self._close(interruption)
        if interruption is not None and not isinstance(interruption, Cancelled):
            raise Interrupted(self._result) from None

    def _restore(self) -> None:
        """Follow the plays that were made before the run was cut short; only who needs them is told."""
        self._restoring = True
        with uncollected():
            for recorded in self._earlier:
                for _ in self._play(self.source.again(recorded)):
                    pass
        self._restoring = False
        if self._earlier:
            self._playing.go_on_from(self._earlier[-1].ended)

    def _plays(self) -> Iterator[RunEvent]:
        """Play as the source says, until there is no point in going on."""
        while self._failure is None and not self._over and (play := self._next()) is not None:
            yield from self._play(play)
            self.token.check()  # what failed since then failed because of that

    @property
    def _over(self) -> bool:
        """Whether the last play leaves no point in going on."""
        if not self._played:
            return False
        verdict = self._played[-1].verdict
        if isinstance(verdict, Error) or (isinstance(verdict, Fail) and not self._keep_going):
            return True
        return self.source.may_end and any(observer.enough for observer in self._observers)

    def _next(self) -> Play | None:
        with self.token.stretch():
            return self.source.next()

    def _play(self, play: Play) -> Iterator[RunEvent]:
        """One play; without a reset it is a part of the last one, which goes on."""
        number = len(self._played) + play.reset
        if play.reset:
            self._kept.begin()
        self._tally.plays = number
        yield from self._tell(PlayStarted(number, play.test, play.reset))
        steps, under_way = self._tally.steps, self._playing.begin(play, number, [self._tally.take])
        for step in under_way:
            self._kept.append(step.event)
            yield from self._tell(step)
            if self._failure is not None:
                break
            yield from self._new_coverage(number)
        yield from self._new_coverage(number)  # of the last step
        played = Played(self._failure or under_way.verdict, under_way.moves)
        if isinstance(played.verdict, Fail | Error):
            self._kept.failed(counts=isinstance(played.verdict, Fail))
        self._keep(played, under_way, goes_on=not play.reset)
        counts = self._tally.steps - steps, played.arrived, self._playing.now()
        yield from self._tell(PlayEnded(number, played.verdict, *counts, **self.source.progress))
        if isinstance(played.verdict, Fail):
            cut = Trace(self.header, self._kept.all).play(number, until=played.verdict.event.n)
            yield from self._tell(FailureFound(number, played.verdict, cut))

    def _new_coverage(self, number: int) -> Iterator[RunEvent]:
        if new := self._tally.news():
            seen = len(self._tally.states), len(self._tally.transitions)
            yield from self._tell(CoverageChanged(number, *seen, new))

    def _keep(self, played: Played, under_way: PlayUnderWay, *, goes_on: bool) -> None:
        if goes_on:
            last, wrong = self._played.pop(), isinstance(played.verdict, Fail | Error)
            played = played if wrong else replace(last, verdict=combine_verdicts([last.verdict, played.verdict]))
        self._played.append(self._alike.setdefault(played, played))
        if self._audit is not None and under_way.audit is not None:
            try:
                self._audit = self._audit.with_play(under_way.audit)
            except Exception as error:  # of a model or tester that was asked again
                self._audit = None
                self._warnings.append(f"the test assumption could not be audited: {explained(error)}")

    def _tell(self, event: RunEvent) -> Iterator[RunEvent]:
        """Tell every observer, then whoever iterates; an observer that fails is told no more."""
        for observer in [one for one in self._observers if one.remembers or not self._restoring]:
            try:
                (observer.recall if self._restoring else observer.observe)(event)
            except NothingToRun:
                raise
            except Exception as error:
                self._failed(observer, error)
                if observer.essential and isinstance(event, Step):
                    note = Noted(self._playing.noted(error))
                    self._kept.append(note.event)
                    yield from self._tell(note)
        yield event

    def _failed(self, observer: Observer, error: Exception) -> None:
        """An observer that fails costs a warning; where nothing may be lost, the run is an Error."""
        self._observers.remove(observer)
        if observer.essential:
            self._failure = self._failure or Error(explained(error))
        else:
            self._warnings.append(f"{type(observer).__name__} failed and saw no more of the run: {explained(error)}")

    def _end_system(self) -> None:
        """End the system; that it cannot be ended is an Error, which outweighs a Pass and hides no Fail."""
        if self._closed:
            return
        self._closed = True
        try:
            self.system.close()
        except Exception as error:
            self._failure = Error(f"the system could not be ended: {type(error).__name__}: {error}")

    def _complete(self, *, interrupted: bool) -> RunResult:
        """Return the result of all plays together, with what each observer adds."""
        self._tally.plays = len(self._played)  # one that was interrupted is none
        verdicts: list[Verdict] = [play.verdict for play in self._alike.values()]
        verdict = combine_verdicts([*verdicts, *([self._failure] if self._failure else [])], self.source.goals)
        if isinstance(verdict, Pass):
            reached = sum(play.verdict.reached for play in self._played if isinstance(play.verdict, Pass))
            verdict = replace(verdict, reached=reached)
        trace = Trace(self.header, self._kept.all)
        if isinstance(verdict, Fail):
            spec, failed = self.prepared.specification, trace.events_of(verdict.event.play)
            verdict = with_change(verdict, spec, failed, **self._playing.timing.followed_by)
        result = RunResult(
            verdict,
            trace,
            self._tally,
            tuple(self._played),
            audit=self._audit,
            interrupted=interrupted,
        )
        for observer in [*self._observers]:
            try:
                result = observer.complete(result)
            except Exception as error:
                self._failed(observer, error)
        worse = self._failure if isinstance(result.verdict, Pass) else None
        if self._failure and result.baseline and not result.exit_code:  # known failures hide no Error
            result = replace(result, baseline=replace(result.baseline, exit_code=Error.exit_code))
        return replace(result, verdict=worse or result.verdict, warnings=(*self._warnings, *result.warnings))

    def _close(self, error: BaseException | None) -> None:
        """End the system and let every observer go, once."""
        self._end_system()
        self._kept.close()
        observers, self._observers = self._observers, []
        for observer in observers:
            observer.close(error)
