"""The outcome of a run: what it came to, told as the terminal tells it, checked by a test, or written as a page."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from outplay.campaign.failing.shrunk import Shrunk
from outplay.campaign.records import FAILURES, RunFolder
from outplay.campaign.suite_runs.ledger import Ledger
from outplay.campaign.watching.coverage_tally import Tally
from outplay.errors import FormatError
from outplay.escaping import escaped
from outplay.formats.texts.writing import write_whole
from outplay.formats.trace_jsonl import event_json, write_trace
from outplay.play.audit import Audit, PlayAudit, audit_of
from outplay.play.trace import Trace
from outplay.plurals import counted
from outplay.verdict.report import AnswerFrequency, Part, report, verdict_block
from outplay.verdict.show import headline, replay_line, steps
from outplay.verdict.verdicts import Fail, Pass, Verdict

if TYPE_CHECKING:
    from outplay.campaign.watching.suspicion_monitor import Suspected

MOST_STATES = 20  # of which the page tells what was learnt


class NotPassed(AssertionError):
    """A run that was checked did not pass; the message is what the terminal would have shown."""

    def __init__(self, message: str, verdict: Verdict) -> None:
        super().__init__(message)
        self.verdict = verdict


@dataclass(frozen=True)
class Played:
    """What one play came to, after how many moves it reached its goal, if it did, and who was first in it."""

    verdict: Verdict
    arrived: int | None = None
    audit: PlayAudit | None = None
    """Where the run was asked to audit an assumption."""


@dataclass(frozen=True)
class CaseResult:
    """How one test case of a suite ended, and after how many plays."""

    name: str
    verdict: Verdict
    plays: int


@dataclass(frozen=True)
class Outcome:
    """What a run came to; `print(outcome)` tells it."""

    verdict: Verdict
    trace: Trace
    tally: Tally
    played: tuple[Played, ...] = ()
    shrunk: Shrunk | None = None
    """The failing play made short, where that was asked for."""
    tests: tuple[CaseResult, ...] = ()
    """Test by test, where a suite was played; of very many only the first, and those that did not pass."""
    ledger: Ledger | None = None
    """Which branches of the tests were seen, cannot come or are open."""
    suspected: Suspected | None = None
    """What was suspected and how much of it is cleared, where that was counted."""

    @property
    def failing_play(self) -> int | None:
        """The number of the first play that failed."""
        fails = (number for number, play in enumerate(self.played, 1) if isinstance(play.verdict, Fail))
        return next(fails, None)

    @property
    def audit(self) -> Audit | None:
        """What the run says about the test assumption, where it was asked to."""
        audits = [play.audit for play in self.played if play.audit]
        return audit_of(audits[0].rule, audits) if audits else None

    @property
    def shown(self) -> Verdict:
        """The verdict on the play that is shown: on the short one where it was shrunk."""
        return self.shrunk.verdict if self.shrunk else self.verdict

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
        where = {"play": self.failing_play, "plays": self.tally.plays, "seed": header.seed}
        return headline(self.verdict, **where, goal=header.goal)

    def lines(self, kept: Path | None = None) -> list[str]:
        """What happened: the failing play step by step, how to see it again where it was kept, and what was seen."""
        failure, tally = self.failure(), self.tally
        listed = list(steps(failure, self.shown)) if failure else []
        if self.shrunk and str(self.shrunk):
            listed.append(f"  {self.shrunk}")
        if kept:
            listed.append(f"  replay: {replay_line(self.trace.header, kept)}")
        plays = f"{counted(tally.plays, 'play')}, {counted(tally.steps, 'step')}"
        listed += [f"  {line}" for line in self.ledger.lines()] if self.ledger else []
        seen = f"{counted(len(tally.states), 'state')} and {counted(len(tally.transitions), 'transition')} seen"
        listed += [f"  {plays}, {seen}"]
        return listed + [f"  {line}" for line in self.cleared_lines()]

    def cleared_lines(self) -> list[str]:
        """What its passing is worth, where that was counted; a Fail has cleared nothing."""
        return self.suspected.lines() if self.suspected and not isinstance(self.verdict, Fail) else []

    def _text(self, kept: Path | None = None) -> str:
        return "\n".join(map(escaped, [self.headline, *self.lines(kept)]))

    def check(self) -> Outcome:
        """Raise unless the run passed, with the failing play, what was allowed, and the line that replays it.

        >>> from outplay import Simulated, automaton, run
        >>> lamp = automaton([("off", "?press", "on"), ("on", "!light", "off")])
        >>> print(run(lamp, Simulated(lamp), plays=2, steps=4).check())
        ✓ Pass: 2 plays conformed (seed 0)
          2 plays, 10 steps, 2 states and 3 transitions seen
          suspected: the one answer was as it should be; no transition leads astray
          cleared: 1.00 of such single faults would have been found by now, as estimated
        """
        __tracebackhide__ = True  # pytest shows the line of the test, not ours
        if isinstance(self.verdict, Pass):
            return self
        try:
            text = self._text(self.keep_failure())
        except FormatError as error:
            text = f"{self._text()}\n  not kept: {escaped(str(error))}"
        raise NotPassed(text, self.verdict)

    def report(self, path: str | Path, *, kept: Path | None = None, findings: tuple[str, ...] = ()) -> Path:
        """Write the page about the run: the failing play, or all that was played.

        `findings` are the lines of the forecast held against what happened, and of the audit.
        """
        page = report(
            self.failure() or self.trace,
            self.shown,
            plays=self.tally.plays,
            failure=kept,
            parts=[*self._parts(), Part("Forecast and actual", findings)],
            shown=str(self.shrunk or ""),
        )
        return write_whole(path, [page], folders=True)

    def _parts(self) -> Iterator[Part]:
        """What the run tells beside its verdict."""
        if self.ledger:
            yield Part("Branches of the tests", self.ledger.lines())
        yield Part("What may still be wrong", self.cleared_lines())
        if self.suspected:
            races, states = self.suspected.races, self.suspected.learnt[:MOST_STATES]
            answers = [
                AnswerFrequency(one.state, answer.label, answer.seen, answer.chance)
                for one in states
                for answer in one.answers
            ]
            yield Part("How likely answers are, as was learnt", [f"races: {races}"] if races else (), answers)

    def keep_failure(self, folder: Path | None = None) -> Path | None:
        """Write the failing play alone, where it was made short with the long one beside it.

        Without a folder it is kept as that of a run.
        """
        failure, long = self.failure(), self.long_failure()
        if failure is None:
            return None
        path = keep(failure, self.shown, folder)
        if self.shrunk and self.shrunk.shorter and long is not None:
            write_trace(path.with_suffix(".long.jsonl"), long, self.verdict)
        return path


def keep(failure: Trace, verdict: Verdict, folder: Path | None = None) -> Path:
    """Write a failing play under a name made from what happened; without a folder, into that of a run."""
    if folder is None:
        with closing(RunFolder()) as made:
            return keep(failure, verdict, made.path)
    what = json.dumps([[event_json(event)["kind"], event_json(event)["label"]] for event in failure.events])
    path = folder / FAILURES / f"{hashlib.sha256(what.encode()).hexdigest()[:8]}.jsonl"
    write_trace(path, failure, verdict)
    return path
