"""Playing a suite: each test case until nothing of it is open, a Fail is seen, or it was tried often enough.

A test case whose Pass end needs luck or help may end inconclusively; then it is tried again after a reset. Where the
guarantee of the suite asks for fair execution, a test is done when each of its branches was seen or is concluded not to
come (ledger.py), else when it came to its Pass end once.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Any

from outplay.campaign.heading import header_of
from outplay.campaign.outcome import CaseResult, Outcome
from outplay.campaign.playing import Playing, Watcher
from outplay.campaign.preparing.live_job import live_job, live_model, live_system
from outplay.campaign.preparing.planning import Prepared
from outplay.campaign.preparing.testers import suite_watchers
from outplay.campaign.suite_runs.fairness import Fairness
from outplay.campaign.suite_runs.joined_tests import Joining, Whereabouts
from outplay.campaign.suite_runs.ledger import Ledger
from outplay.campaign.suite_runs.suspicious_order import SuspiciousOrder
from outplay.errors import UsageError
from outplay.model.specification import Specification
from outplay.model.tracking import Tracker
from outplay.play.plan import case_plan
from outplay.play.runner import Afterwards
from outplay.play.system import System
from outplay.play.timing import Timing
from outplay.play.trace import TraceHeader
from outplay.plurals import counted
from outplay.strategy.words import digits
from outplay.suite.suite import Suite
from outplay.suite.testcase import TestCase
from outplay.tester.seen_tester import GoingOn, SeenTester
from outplay.tester.suspicious import Suspicious
from outplay.tester.tester import Tester
from outplay.verdict.verdicts import Error, Fail, Inconclusive, Pass, Verdict

if TYPE_CHECKING:
    from outplay.campaign.watching.suspicion_monitor import SuspicionMonitor

LOOKED_AT = 100  # tests, before the first is played
MOST_EVENTS = 100_000  # kept of plays that conformed; the trace file has them all
MOST_RESULTS = 10_000  # tests told one by one; of further ones only those that did not pass


def run_suite(
    suite: Suite,
    model: Any,
    system: System | str,
    *,
    header: TraceHeader | None = None,
    seed: int | None = None,
    timing: Timing | None = None,
    plays: int = 10,
    fairness: Fairness | None = None,
    join: bool = False,
    tester: str | None = None,
    then_walk: int = 0,
    until_cleared: float | None = None,
    keep_going: bool = False,
    then: Tester | None = None,
    suspected: SuspicionMonitor | None = None,
    watch: Watcher = lambda event: None,
    progress: Callable[[Ledger], None] = lambda ledger: None,
) -> Outcome:
    """Play each test case up to `plays` times, stopping at the first Fail.

    With `join` a test begins without a reset where the specification surely is where the test begins. With
    `tester="suspicion"` those tests are played first that meet the most of what may be wrong; a test that passed goes
    on for `then_walk` steps against that. With `until_cleared` the suite ends where such a share is cleared. Who does
    so (`then`) and who counts (`suspected`) are made here unless they are given. Chance starts from `seed`.

    >>> from random import Random
    >>> from outplay import Simulated, automaton
    >>> from outplay.model.suspension import SuspensionAutomaton
    >>> from outplay.suite.testcase import case_of
    >>> lamp = SuspensionAutomaton(automaton([("off", "?press", "on"), ("on", "!light", "off")]))
    >>> case = case_of([("t0", "?press", "t1"), ("t1", "!light", "pass"), ("t1", "delta", "fail")], name="lamp")
    >>> made = run_suite(Suite(tests=(case,)), lamp, Simulated(lamp, Random(0)))
    >>> made.verdict.name, [(test.name, test.plays) for test in made.tests]
    ('pass', [('lamp', 1)])
    """
    fair = fairness or Fairness()
    how: dict[str, Any] = {
        "plays": max(plays, 1),
        "join": join,
        "tester": tester,
        "then_walk": then_walk,
        "keep_going": keep_going,
    }
    how |= {"until_cleared": until_cleared, "chance": fair.chance, "confidence": fair.confidence}
    job = live_job(model, system, header, seed, timing, **how)
    spec = live_model(model, job).specification()
    if then is None and suspected is None:
        then, suspected = suite_watchers(spec, job)
    prepared = Prepared(job, live_system(system, job), spec, suite=suite, then=then, suspected=suspected)
    return play_suite(prepared, header, watch, progress=progress)


def play_suite(
    prepared: Prepared,
    header: TraceHeader | None = None,
    watch: Watcher = lambda event: None,
    *,
    progress: Callable[[Ledger], None] = lambda ledger: None,
) -> Outcome:
    """Play the suite that was prepared, as the job says."""
    job, then = prepared.job, prepared.then
    going_on = GoingOn(then) if isinstance(then, Suspicious) else then
    afterwards = Afterwards(going_on, job.then_walk) if going_on and job.then_walk else None
    playing = Playing(prepared.system, job.timing, 0, watch, afterwards=afterwards, most_events=MOST_EVENTS)
    execution = _Execution(prepared, playing, progress)
    begin = header or header_of(prepared)
    outcome = playing.through(execution.verdicts(), job.keep_going, begin, (), execution.completed)
    return replace(outcome, verdict=execution.verdict(outcome.verdict))


def _check_first(suite: Suite, spec: Specification) -> None:
    """A test that starts with an input nobody knows was made for another model; playing it would only waste time."""
    tests = list(islice(suite.tests, LOOKED_AT))
    for test in tests:
        first = test.given(test.initial)
        if first is not None and not Tracker(spec).enabled(first):
            raise UsageError(
                f"test {test.name!r} starts with {first}, which {spec.name} does not take at the start: "
                f"the suite was made for {suite.model or 'another model'}, or with other options"
            )


class _Execution:
    """A suite on its way: what its tests came to."""

    def __init__(self, prepared: Prepared, playing: Playing, progress: Callable[[Ledger], None]) -> None:
        assert prepared.suite is not None
        self.job, self.spec, self.suite = prepared.job, prepared.specification, prepared.suite
        _check_first(self.suite, self.spec)
        self.playing, self.progress, self.ledger = playing, progress, Ledger(self.job.fairness)
        self.suspicious = prepared.then if isinstance(prepared.then, Suspicious) else None  # who sees the plays
        self.suspected = prepared.suspected
        self._joining = Joining(self.suite, self.spec) if self.job.join else None
        self.results: list[CaseResult] = []
        self.missed: Verdict | None = None
        self.more_missed = 0

    def verdicts(self) -> Iterator[Verdict]:
        """Play test by test."""
        for test in self._tests():
            result = self._tried(test)
            if len(self.results) < MOST_RESULTS or not isinstance(result.verdict, Pass):
                self.results.append(result)
            if isinstance(result.verdict, Inconclusive):
                self.more_missed += self.missed is not None
                self.missed = self.missed or result.verdict
            yield result.verdict
            if self.suspected and self.suspected.enough:
                return

    def completed(self, outcome: Outcome) -> Outcome:
        """The outcome with what is known of the tests."""
        cleared = self.suspected.covered(outcome.tally.plays) if self.suspected else None
        return replace(outcome, tests=tuple(self.results), ledger=self.ledger, suspected=cleared)

    def _tried(self, test: TestCase) -> CaseResult:
        """Play a test case until it is done, it fails, or it was tried often enough."""
        self.playing.steps, tried, reached = test.depth, 0, False
        verdict: Verdict = Inconclusive(f"{test.name} was not played")
        self.ledger.begin(test)
        done = False
        while tried < self.job.plays and not done:
            verdict, tried = self._played(test), tried + 1
            reached = reached or (isinstance(verdict, Pass) and verdict.reached > 0)
            wrong = isinstance(verdict, Fail | Error)
            done = wrong or (not self.ledger.open() if self.suite.fair else reached)
            self.progress(self.ledger)
        if not isinstance(verdict, Fail | Error):
            verdict = self._came_to(test, tried, reached)
        self.ledger.end(concluded=self.suite.fair)
        if self._joining and reached and isinstance(verdict, Pass):
            self._joining.passed(test)
        return CaseResult(test.name, verdict, tried)

    def _tests(self) -> Iterator[TestCase]:
        if self._joining is None:
            tests = self.suite.tests
            yield from SuspiciousOrder(tests, self.suspicious) if self.suspicious and self.job.tester else tests
            return
        while (test := self._joining.next()) is not None:
            yield test

    def _played(self, test: TestCase) -> Verdict:
        """Play a test case once, after a reset unless the specification is where it begins."""
        start = self._joining.start(test) if self._joining else None
        self.ledger.joined += start is not None
        whereabouts = Whereabouts()
        watching = self.ledger.watch(*((start.prefix, start.place) if start else ()))
        plan = case_plan(test, self.spec, (start.states, start.place) if start else None)
        takers = [watching.take, whereabouts.take]
        if self.suspicious:
            plan = replace(plan, tester=SeenTester(plan.tester, self.suspicious, begins=start is None))
        if self.suspected:
            takers.append(self.suspected.take)
            if start is None:
                self.suspected.begin()
        verdict = self.playing.play(plan, *takers, reset=start is None)
        if self._joining:
            self._joining.ended(whereabouts, self.playing.now())
        return verdict

    def _came_to(self, test: TestCase, tried: int, reached: bool) -> Verdict:
        still = self.ledger.open() if self.suite.fair else []
        if still:
            more = f" and {len(still) - 1} more" if len(still) > 1 else ""
            return Inconclusive(f"{test.name} is open after {counted(tried, 'play')}: {still[0]}{more}")
        if reached:
            return Pass(reached=1)
        if self.suite.fair:
            return Pass("what leads to its end cannot come")
        return Inconclusive(f"{test.name} did not reach its pass end in {counted(tried, 'play')}")

    def verdict(self, verdict: Verdict) -> Verdict:
        """A suite passes when all its tests did; what failed or went wrong outweighs what nobody knows."""
        if isinstance(verdict, Fail | Error):
            return verdict
        ledger = self.ledger
        if self.missed:
            more = f" and {self.more_missed} more" if self.more_missed else ""
            return Inconclusive(f"{self.missed.why}{more}")
        if ledger.refuted:
            branch = ledger.listed["refuted"][0]
            return Inconclusive(
                f"{branch.label} was thought not to come and did: lower --chance, or raise --confidence"
            )
        enough = self.suspected is not None and self.suspected.enough
        passed = f"{counted(ledger.tests, 'test')} passed"
        passed = f"{passed}, and enough is cleared" if enough else f"{'all ' * (ledger.tests > 1)}{passed}"
        return Pass(f"{passed}{self._sure()}", reached=ledger.tests)

    def _sure(self) -> str:
        if not self.ledger.excluded:
            return ""
        outputs = counted(self.ledger.excluded, "output")
        chance = digits(self.ledger.fairness.chance)
        confidence = digits(math.floor(self.ledger.confidence * 10_000) / 10_000)  # never told as more than it is
        return f", with confidence {confidence} that {outputs} of chance {chance} cannot come"
