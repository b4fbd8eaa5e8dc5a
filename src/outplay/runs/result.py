"""The result of a run: plain data, with its words, JSON and page, that a test can check."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from outplay.errors import FormatError
from outplay.escaping import escaped
from outplay.formats.common.writing import write_whole
from outplay.formats.trace_jsonl import write_trace
from outplay.play.audit import Audit
from outplay.play.trace import Trace
from outplay.plurals import counted
from outplay.runs.failing.shrunk import Shrunk
from outplay.runs.monitors.coverage_tally import Tally
from outplay.runs.run_folders import keep_failing_play
from outplay.verdict.report import verdict_block
from outplay.verdict.show import explanation_json, failing_steps, headline, replay_line
from outplay.verdict.verdicts import Fail, Pass, Verdict

if TYPE_CHECKING:
    from outplay.runs.monitors.coverage_monitor import CoverageReport
    from outplay.runs.monitors.coverage_tally import WalkElement
    from outplay.runs.monitors.failure_groups import FailureGroup
    from outplay.runs.monitors.forecast_against_outcome import Comparison
    from outplay.runs.monitors.promise_against_outcome import PromiseReport
    from outplay.runs.monitors.quiet import QuietReport
    from outplay.runs.monitors.suspicion_monitor import Suspected
    from outplay.runs.reporting.baseline import BaselineReport
    from outplay.runs.suite_runs.ledger import LedgerReport


class NotPassed(AssertionError):
    """A run that was checked did not pass; the message is what the terminal would have shown."""

    __module__ = "outplay"  # where users import it from, so that pytest names it shortly

    def __init__(self, message: str, verdict: Verdict) -> None:
        super().__init__(message)
        self.verdict = verdict


@dataclass(frozen=True)
class Played:
    """One play: its verdict, and after how many moves it reached its goal, if it did."""

    verdict: Verdict
    arrived: int | None = None


class PlayCounts(NamedTuple):
    """The length of a play, its end in seconds since the run began, and what had been seen by then."""

    steps: int
    seconds: float
    states: int
    transitions: int


@dataclass(frozen=True)
class CaseResult:
    """The verdict of one test case of a suite, and the number of its plays."""

    name: str
    verdict: Verdict
    plays: int

    def json(self) -> dict[str, Any]:
        return {"name": self.name, "verdict": self.verdict.name, "plays": self.plays, "why": self.verdict.why}


@dataclass(frozen=True)
class RunFiles:
    """The files of a run, and those that could not be written, and why."""

    trace: Path | None = None
    failure: Path | None = None
    """The failing play by itself."""
    report: Path | None = None
    """The page about the run."""
    unwritten: tuple[str, ...] = ()


@dataclass(frozen=True)
class RunResult:
    """All that a run came to; `print(result)` shows it."""

    verdict: Verdict
    trace: Trace
    """The first plays, the last one and those that failed; the whole trace is in the file, where one was written."""
    tally: Tally
    played: tuple[Played, ...] = ()
    counts: tuple[PlayCounts, ...] = field(default=(), compare=False)
    """Of the first plays."""
    curve: tuple[tuple[int, PlayCounts], ...] = field(default=(), compare=False)
    """The growth of coverage: some plays by their numbers, with their counts."""
    shrunk: Shrunk | None = None
    """The failing play made short, where that was asked for."""
    tests: tuple[CaseResult, ...] = ()
    """Test by test, where a suite was played; of very many only the first, and those that did not pass."""
    ledger: LedgerReport | None = None
    """The branches of the tests that were seen, cannot come or are open."""
    suspected: Suspected | None = None
    """The suspicions and how much of them is cleared, where that was counted."""
    covered: CoverageReport | None = None
    """The share covered of what was to be covered."""
    elements: tuple[WalkElement, ...] = ()
    """The edges, vertices and requirements of walk models, with how often they were passed."""
    quiet: QuietReport | None = None
    """The number of plays in which nothing new was seen, where that was counted."""
    audit: Audit | None = None
    """Whether the system kept to the test assumption, where that was asked."""
    comparison: Comparison | None = None
    """The forecast held against what happened, where there was one."""
    failures: tuple[FailureGroup, ...] = ()
    baseline: BaselineReport | None = None
    """The failures held against those known before, where a baseline was given."""
    promise: PromiseReport | None = None
    """The promise of the strategy, held against what its plays came to."""
    toured: tuple[str, ...] = ()
    """The accounts of tours: planned, paid and shown."""
    files: RunFiles = field(default=RunFiles(), compare=False)
    warnings: tuple[str, ...] = ()
    interrupted: bool = False
    """Somebody ended the run; the result is what had been found by then."""

    @property
    def passed(self) -> bool:
        """Whether every play conformed and, with a goal, at least one reached it."""
        return isinstance(self.verdict, Pass)

    @property
    def exit_code(self) -> int:
        """With which code a command ends; a baseline lets known failures pass."""
        return self.baseline.exit_code if self.baseline and isinstance(self.verdict, Fail) else self.verdict.exit_code

    @property
    def failing_play(self) -> int | None:
        """The number of the play that the verdict tells of, else of the first that failed."""
        if isinstance(self.verdict, Fail) and self.trace.events_of(self.verdict.event.play):
            return self.verdict.event.play
        fails = (number for number, play in enumerate(self.played, 1) if isinstance(play.verdict, Fail))
        return next(fails, None)

    @property
    def shown(self) -> Verdict:
        """The verdict on the play that is shown: on the short one where it was shrunk."""
        return self.shrunk.verdict if self.shrunk else self.verdict

    @property
    def findings(self) -> tuple[str, ...]:
        """The findings on the forecast, on coverage and on the assumption, for people.

        Without a goal nothing was promised, so only a broken assumption is worth a line.
        """
        compared = self.comparison.lines() if self.comparison else []
        audited = self.audit.lines() if self.audit and (self.comparison or not self.audit.held) else []
        covered = [*self.covered.lines()] if self.covered else []
        covered += [self.quiet.line()] if self.quiet and self.quiet.since else []
        return (*compared, *(self.promise.lines() if self.promise else ()), *self.toured, *covered, *audited)

    def failure(self) -> Trace | None:
        """The failing play alone, cut at the event that failed; the short one where it was shrunk."""
        return self.shrunk.trace if self.shrunk else self.long_failure()

    def long_failure(self) -> Trace | None:
        """The failing play as it was played."""
        if self.failing_play is None or not isinstance(self.verdict, Fail):
            return None
        return self.trace.play(self.failing_play, until=self.verdict.event.n)

    def _repr_html_(self) -> str:
        return verdict_block(self.verdict, escaped(self.headline), [escaped(line) for line in self.lines()])

    def __str__(self) -> str:
        return self._text()

    @property
    def headline(self) -> str:
        """The verdict and where it was found."""
        header = self.trace.header
        little = isinstance(self.verdict, Pass) and self.suspected is not None and self.suspected.little
        where = {"play": self.failing_play, "plays": self.tally.plays, "seed": header.seed}
        return headline(self.verdict, **where, goal=header.goal, little=little)

    def lines(self, kept: Path | None = None, *, again: str = "", details: bool = False) -> list[str]:
        """Describe the run: the failing play step by step, how to see it again where it was kept, and what was seen.

        A caller may know a better way to see it `again`; the `details` say how what passing is worth was counted.
        """
        failure, tally = self.failure(), self.tally
        listed = list(failing_steps(failure, self.shown)) if failure else []
        if self.shrunk and str(self.shrunk):
            listed.append(f"  {self.shrunk}")
        if kept:
            listed.append(f"  replay: {again or replay_line(self.trace.header, kept)}")
        plays = f"{counted(tally.plays, 'play')}, {counted(tally.steps, 'step')}"
        listed += [f"  {line}" for line in self.ledger.lines()] if self.ledger else []
        seen = f"{counted(len(tally.states), 'state')} and {counted(len(tally.transitions), 'transition')} seen"
        worth = self.suspected if not isinstance(self.verdict, Fail) else None
        listed += [f"  {plays}, {worth.seen() if worth else seen}"]
        again = counted(tally.retries, "time")
        listed += [f"  the system was not ready {again} and was tried again: see the trace"] if tally.retries else []
        listed += [f"  {line}" for line in self.worth()[1:]]
        listed += [f"  surprise: {worth.surprise}"] if worth and worth.surprise and not details else []
        return listed + ([f"  {line}" for line in self.cleared_lines()] if details else [])

    def worth(self) -> list[str]:
        """Describe what was seen and what passing is worth, where that was counted; a Fail has cleared nothing."""
        known = self.suspected if not isinstance(self.verdict, Fail) else None
        return [known.seen(), *known.sentences(self.tally.plays)] if known else []

    def cleared_lines(self) -> list[str]:
        """Describe what a Pass is worth, where that was counted; a Fail has cleared nothing."""
        return self.suspected.lines() if self.suspected and not isinstance(self.verdict, Fail) else []

    def json(self) -> dict[str, Any]:
        """The result for programs, as the contract lays it out."""
        tally, files, trace = self.tally, self.files, self.files.failure or self.files.trace
        audit = self.audit if tally.steps else None
        return {
            "verdict": self.verdict.name,
            **({"interrupted": True} if self.interrupted else {}),
            **({"retries": tally.retries} if tally.retries else {}),
            "plays": tally.plays,
            "steps": tally.steps,
            "inputs": tally.inputs,
            "outputs": tally.outputs,
            "trace": trace and str(trace),
            "report": files.report and str(files.report),
            **explanation_json(self.shown),
            **({"shrunk": self.shrunk.json()} if self.shrunk else {}),
            "coverage": self._coverage(),
            **({"forecast": self.comparison.json()} if self.comparison else {}),
            **({"promise": self.promise.json()} if self.promise else {}),
            **({"audit": audit.json()} if audit else {}),
            **({"failures": [group.json() for group in self.failures]} if self.failures else {}),
            **({"baseline": self.baseline.json()} if self.baseline else {}),
            **({"tests": [test.json() for test in self.tests]} if self.tests else {}),
            **({"ledger": self.ledger.json()} if self.ledger else {}),
        }

    def _coverage(self) -> dict[str, Any]:
        parts = {"aim": self.covered, "quiet": self.quiet, "suspected": self.suspected}
        found: dict[str, Any] = {name: part.json() for name, part in parts.items() if part}
        found |= {"elements": [one.json() for one in self.elements]} if self.elements else {}
        return {"states": len(self.tally.states), "transitions": len(self.tally.transitions), **found}

    def _text(self, kept: Path | None = None, again: str = "") -> str:
        return "\n".join(map(escaped, [self.headline, *self.lines(kept, again=again)]))

    def check(self, folder: Path | None = None, again: str = "") -> RunResult:
        """Raise unless the run passed, with the failing play, what was allowed, and the line that replays it.

        The failing play is kept in the folder, else in that of a run; `again` stands in place of that line.

        >>> from outplay import Simulated, automaton, run
        >>> lamp = automaton([("off", "?press", "on"), ("on", "!light", "off")])
        >>> print(run(lamp, Simulated(lamp), plays=2, steps=4).check())
        ✓ Pass: 2 plays conformed (seed 0)
          2 plays, 10 steps, 2 of 2 states, 3 of 3 transitions and 2 of 2 actions seen
          a single wrong answer or transition would have been noticed with over 99 % chance
        """
        __tracebackhide__ = True  # pytest shows the line of the test, not ours
        if self.passed:
            return self
        try:
            text = self._text(self.keep_failure(folder), again)
        except FormatError as error:
            text = f"{self._text()}\n  not kept: {escaped(str(error))}"
        raise NotPassed(text, self.verdict)

    def report(self, path: str | Path, *, kept: Path | None = None) -> Path:
        """Write the page about the run: the failing play, or all that was played."""
        from outplay.runs.reporting.run_page import run_page  # which tells of all that a result may hold

        return write_whole(path, [run_page(self, kept)], folders=True)

    def keep_failure(self, folder: Path | None = None) -> Path | None:
        """Write the failing play alone, where it was made short with the long one beside it.

        Without a folder it is kept as that of a run.
        """
        failure, long = self.failure(), self.long_failure()
        if failure is None:
            return None
        path = keep_failing_play(failure, self.shown, folder)
        if self.shrunk and self.shrunk.shorter and long is not None:
            write_trace(path.with_suffix(".long.jsonl"), long, self.verdict)
        return path


class Interrupted(KeyboardInterrupt):
    """Somebody ended a run by a signal; the result is what had been found by then."""

    def __init__(self, result: RunResult) -> None:
        super().__init__("interrupted")
        self.result = result
