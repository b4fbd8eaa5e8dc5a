"""One report of a run for other programs: its tests, each with a status, times, and all that explains it.

Where a suite is played its test cases are the tests; else the run is one test, named after its goal.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from outplay.errors import FormatError
from outplay.play.trace import TraceHeader
from outplay.plurals import counted
from outplay.runs.events import Observer, PlayEnded, PlayStarted, RunEvent, RunStarted
from outplay.runs.monitors.failure_groups import failure_group_lines
from outplay.runs.result import RunResult
from outplay.verdict.verdicts import Fail, Verdict

KNOWN = "known"
"""The status of a test whose failures are all in the baseline."""
CONFORMS = "conforms to the model"


@dataclass(frozen=True)
class ReportedTest:
    """One test: what became of it, and when it was played, in seconds since 1970."""

    name: str
    status: str
    """The name of its verdict, or `known`."""
    why: str
    started: float
    ended: float
    plays: int
    lines: tuple[str, ...] = ()
    """All that is told of it, if it did not pass: the failing play step by step, and how to see it again."""
    errors: str = ""
    """The end of what the system wrote to standard error before it failed."""

    @property
    def seconds(self) -> float:
        return max(0.0, self.ended - self.started)


@dataclass(frozen=True)
class RunReport:
    """All that other programs learn of a run."""

    header: TraceHeader
    result: RunResult
    tests: tuple[ReportedTest, ...]
    started: float
    ended: float
    version: str = ""

    @property
    def suite(self) -> str:
        """The name of all tests together: the model."""
        return self.header.model or "outplay"

    @property
    def model_file(self) -> str:
        """The file of the model, where it has one."""
        file = self.header.model.rpartition(":")[0] if ".py:" in self.header.model else self.header.model
        return file if Path(file).is_file() else ""

    @property
    def properties(self) -> dict[str, str]:
        """The facts that a reader wants beside a test."""
        result, tally = self.result, self.result.tally
        facts = {
            "verdict": result.verdict.name,
            "seed": str(self.header.seed),
            "system": self.header.sut,
            "goal": " or ".join(self.header.goal),
            "plays": str(tally.plays),
            "steps": str(tally.steps),
            "states": str(len(tally.states)),
            "transitions": str(len(tally.transitions)),
            "trace": str(result.files.failure or result.files.trace or ""),
            "report": str(result.files.report or ""),
        }
        return {name: value for name, value in facts.items() if value}

    def count(self, *statuses: str) -> int:
        """Count the tests with one of these statuses."""
        return sum(test.status in statuses for test in self.tests)


Writer = Callable[[RunReport], None]


@dataclass
class _Span:
    """The first and the last time that a test was played."""

    started: float
    ended: float


class RunReports(Observer):
    """Writes the report of a run in several formats when the run has ended; what cannot be written is noted.

    It completes the result after the record, so that the names of files are known and secrets are left out.
    """

    remembers = True

    def __init__(
        self, writers: Mapping[str, Writer], *, version: str = "", clock: Callable[[], float] = time.time
    ) -> None:
        """The `writers` by the option that asked for each."""
        self._writers, self._version, self._clock = writers, version, clock
        self._header, self._began = TraceHeader(), clock()
        self._spans, self._test = dict[str, _Span](), ""

    def observe(self, event: RunEvent) -> None:
        if isinstance(event, RunStarted):
            self._header, self._began = event.header, self._clock()
        elif isinstance(event, PlayStarted):
            self._test, now = event.test, self._clock()
            self._spans.setdefault(event.test, _Span(now, now))
        elif isinstance(event, PlayEnded):
            self._spans[self._test].ended = self._clock()

    def complete(self, result: RunResult) -> RunResult:
        unwritten = list(result.files.unwritten)
        header = replace(self._header, sut=result.trace.header.sut)  # without secrets
        tests = tuple(self._tests(header, result))
        report = RunReport(header, result, tests, self._began, self._clock(), self._version)
        for option, write in self._writers.items():
            try:
                write(report)
            except FormatError as error:
                unwritten.append(f"{option}: {error}")
        return replace(result, files=replace(result.files, unwritten=tuple(unwritten)))

    def _tests(self, header: TraceHeader, result: RunResult) -> Iterator[ReportedTest]:
        whole = _Span(self._began, self._clock())
        for case in result.tests:
            span = self._spans.get(case.name, _Span(whole.ended, whole.ended))
            yield _reported(case.name, case.verdict, span, case.plays, result)
        if not result.tests:
            name = " or ".join(header.goal) or CONFORMS
            yield _reported(name, result.verdict, whole, result.tally.plays, result)


def _reported(name: str, verdict: Verdict, span: _Span, plays: int, result: RunResult) -> ReportedTest:
    status = verdict.name
    if isinstance(verdict, Fail) and result.baseline and result.baseline.accepts(verdict):
        status = KNOWN
    if not isinstance(verdict, Fail):
        return ReportedTest(name, status, verdict.why, span.started, span.ended, plays)
    told: Sequence[str] = (f"{verdict.event.shown}: {verdict.why}", f"  in play {verdict.event.play:,}")
    if verdict == result.verdict:
        told = [result.headline, *result.lines(result.files.failure)]
        told += [f"  {line}" for line in failure_group_lines(result.failures, result.tally.plays)]
    return ReportedTest(name, status, verdict.why, span.started, span.ended, plays, tuple(told), verdict.event.words)


def report_summary(report: RunReport) -> str:
    """Return one line that counts the tests of a run report by their status.

    >>> report_summary(RunReport(TraceHeader(), None, (ReportedTest("a", "pass", "", 0, 1, 1),), 0, 1))
    '1 test: 1 passed'
    """
    words = {"pass": "passed", "fail": "failed", "inconclusive": "inconclusive", "error": "errors", KNOWN: "known"}
    counts = [f"{count} {word}" for status, word in words.items() if (count := report.count(status))]
    return f"{counted(len(report.tests), 'test')}: {', '.join(counts) or 'nothing was played'}"
