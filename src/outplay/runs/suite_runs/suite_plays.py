"""Playing a suite: each test case until nothing of it is open, a Fail is seen, or it was tried often enough.

A test case whose Pass end needs luck or help may end inconclusively; then it is tried again after a reset. Where the
guarantee of the suite asks for fair execution, a test is done when each of its branches was seen or is concluded not to
come (ledger.py), else when it came to its Pass end once.

Tests in the order of suspicion: the one is played next that meets the most of what is left for each label.
What a test meets is what its transitions meet that it is expected to take, each once; a start counts as a label. How
likely answers are was learnt while playing. Of a long suite only the next tests are looked at, so that few are kept.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

import numpy as np

from outplay.cancellation import NEVER, deadline
from outplay.errors import UsageError
from outplay.model.specification import Specification
from outplay.model.tracking import Tracker
from outplay.play.plan import case_plan
from outplay.play.runner import Afterwards
from outplay.plurals import counted
from outplay.runs.events import PlayEnded, RunEvent
from outplay.runs.play_loop import Play
from outplay.runs.play_sources import PlaySource
from outplay.runs.preparing.planning import Prepared
from outplay.runs.result import CaseResult, RunResult
from outplay.runs.suite_runs.joined_tests import Joining, Whereabouts
from outplay.runs.suite_runs.ledger import Ledger
from outplay.strategy.number_format import format_digits
from outplay.strategy.suspicion.behaviour_table import Floats, States
from outplay.suite.suite import Suite, TestCase
from outplay.tester.observed_tester import Continuation, ObservedTester
from outplay.tester.suspicion_tester import SuspicionTester
from outplay.verdict.verdicts import Error, Fail, Inconclusive, Pass, Verdict

LOOKED_AT = 100  # tests, before the first is played
MOST_RESULTS = 10_000  # tests told one by one; of further ones only those that did not pass
WINDOW = 64  # tests of which the most suspicious is played next
_LEAST = 1e-6  # ways less likely than this are not followed


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


class SuitePlays(PlaySource):
    """The plays of a suite, test by test."""

    def __init__(self, prepared: Prepared) -> None:
        assert prepared.suite is not None
        self.job, self.spec, self.suite = prepared.job, prepared.specification, prepared.suite
        _check_first(self.suite, self.spec)
        then, self.ledger = prepared.then, Ledger(self.job.fairness)
        self.suspicious = then.suspicions if then else None  # who sees the plays
        self.suspected = prepared.suspected
        if then and self.job.extra_steps:
            goes_on = Continuation(self.suspicious) if self.suspicious else then
            self.afterwards = Afterwards(goes_on, self.job.extra_steps)
        self._joining = Joining(self.suite, self.spec) if self.job.join else None
        self._tests = self._ordered()
        self._test: TestCase | None = None
        self._tried, self._reached = 0, False
        self._whereabouts = Whereabouts()
        self.results: list[CaseResult] = []
        self.missed: Verdict | None = None
        self.more_missed = 0
        self._until = NEVER
        self._unplayed: TestCase | None = None
        """The next test when the time was up."""

    @property
    def may_end(self) -> bool:
        return self._test is None

    @property
    def progress(self) -> dict[str, Any]:
        return {"tests": self.ledger.tests, "open": self.ledger.left_open + len(self.ledger.open())}

    def next(self) -> Play | None:
        if self._until is NEVER:
            self._until = deadline(self.job.time)
        if self._test is None:
            self._test = next(self._tests, None)
            if self._test is None:
                return None
            if self._until.passed:
                self._unplayed = self._test
                return None
            self._tried, self._reached = 0, False
            self.ledger.begin(self._test)
        return self._play(self._test)

    def observe(self, event: RunEvent) -> None:
        if isinstance(event, PlayEnded):
            self._ended(event.verdict, event.time)

    def _ended(self, verdict: Verdict, now: float) -> None:
        """A play of a test ended; the test is done when nothing of it is open, it failed, or it was tried enough."""
        test, self._tried = self._test, self._tried + 1
        assert test is not None
        if self._joining:
            self._joining.ended(self._whereabouts, now)
        self._reached = self._reached or (isinstance(verdict, Pass) and verdict.reached > 0)
        wrong = isinstance(verdict, Fail | Error)
        done = wrong or (not self.ledger.open() if self.suite.fair else self._reached)
        if not done and self._tried < self.job.most_plays and not self._until.passed:
            return
        self._test = None
        if not wrong:
            verdict = self._came_to(test, self._tried, self._reached)
        self.ledger.end(concluded=self.suite.fair)
        if self._joining and self._reached and isinstance(verdict, Pass):
            self._joining.passed(test)
        self._note(CaseResult(test.name, verdict, self._tried))

    def _note(self, result: CaseResult) -> None:
        if len(self.results) < MOST_RESULTS or not isinstance(result.verdict, Pass):
            self.results.append(result)
        if isinstance(result.verdict, Inconclusive):
            self.more_missed += self.missed is not None
            self.missed = self.missed or result.verdict

    def complete(self, result: RunResult) -> RunResult:
        """The result with what is known of the tests."""
        verdict = self.verdict(result.verdict)
        return replace(result, verdict=verdict, tests=tuple(self.results), ledger=self.ledger.report())

    def _ordered(self) -> Iterator[TestCase]:
        if self._joining is None:
            tests = self.suite.tests
            yield from SuspiciousOrder(tests, self.suspicious) if self.suspicious and self.job.tester else tests
            return
        while (test := self._joining.next()) is not None:
            yield test

    def _play(self, test: TestCase) -> Play:
        """A play of a test case, after a reset unless the specification is where it begins."""
        start = self._joining.start(test) if self._joining else None
        self.ledger.joined += start is not None
        self._whereabouts = Whereabouts()
        watching = self.ledger.watch(*((start.prefix, start.place) if start else ()))
        plan = case_plan(test, self.spec, (start.states, start.place) if start else None)
        if self.suspicious:
            plan = replace(plan, tester=ObservedTester(plan.tester, self.suspicious, begins=start is None))
        takers = watching.take, self._whereabouts.take
        return Play(plan, test.depth, reset=start is None, test=test.name, takers=takers)

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
        if self._unplayed:
            return Inconclusive(f"the time was up before {self._unplayed.name} was played")
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
        chance = format_digits(self.ledger.fairness.chance)
        confidence = format_digits(
            math.floor(self.ledger.confidence * 10_000) / 10_000
        )  # never told as more than it is
        return f", with confidence {confidence} that {outputs} of chance {chance} cannot come"


@dataclass(frozen=True)
class ExpectedPlay:
    """The expected course of one play of a test: transitions, how likely each, and how many labels."""

    edges: States
    probability: Floats
    labels: float


class SuspiciousOrder:
    """The tests of a suite, each once; which is next is asked when it is to be played."""

    def __init__(self, tests: Iterable[TestCase], suspicious: SuspicionTester, window: int = WINDOW) -> None:
        self._rest, self._suspicious, self._window = iter(tests), suspicious, window
        self._waiting: list[tuple[TestCase, ExpectedPlay]] = []
        self._grown = suspicious.known.grown

    def __iter__(self) -> Iterator[TestCase]:
        while self._fill():
            yield self._waiting.pop(int(np.argmax(self.ratios())))[0]

    def ratios(self) -> Floats:
        """The suspicion that each of the tests that wait would meet now, for each label."""
        courses = [course for _, course in self._waiting]
        edges = np.concatenate([course.edges for course in courses])
        met = self._suspicious.player.met(edges) * np.concatenate([course.probability for course in courses])
        owner = np.repeat(np.arange(len(courses)), [len(course.edges) for course in courses])
        each = np.bincount(owner, met, minlength=len(courses))
        ratios: Floats = each / (1.0 + np.array([course.labels for course in courses]))
        return ratios

    def _fill(self) -> bool:
        """Look at more tests, as far as there is room; those that wait anew where more of the model is known."""
        known = self._suspicious.known
        if known.grown != self._grown:
            self._grown = known.grown
            self._waiting = [(test, expected_play(test, self._suspicious)) for test, _ in self._waiting]
        more = islice(self._rest, self._window - len(self._waiting))
        self._waiting += [(test, expected_play(test, self._suspicious)) for test in more]
        return bool(self._waiting)


def expected_play(test: TestCase, suspicious: SuspicionTester) -> ExpectedPlay:
    """Follow a test of a suite through the table, label by label, by how likely answers are and outputs forestall."""
    table, player = suspicious.known.table, suspicious.player
    likely = player.learnt.rows.chance
    taken: dict[int, float] = {}
    places = {(test.initial, table.initial): 1.0}
    while places:
        after: dict[tuple[int, int], float] = {}
        for (place, state), chance in places.items():
            gives = test.given(place) is not None
            forestalled = float(player.races.lost[state]) if gives else 1.0
            for edge in range(int(table.first[state]), int(table.first[state + 1])):
                label = int(table.label[edge])
                target = test.moves(place).get(table.labels[label])
                if target is None:
                    continue
                answered = label >= table.inputs
                share = chance * (forestalled * float(likely[edge]) if answered else 1.0 - forestalled)
                if share > _LEAST:
                    taken[edge] = taken.get(edge, 0.0) + share
                    there = target, int(table.target[edge])
                    after[there] = after.get(there, 0.0) + share
        places = after
    edges = np.fromiter(taken, dtype=np.int64, count=len(taken))
    visits = np.fromiter(taken.values(), dtype=np.float64, count=len(taken))
    return ExpectedPlay(edges, np.minimum(visits, 1.0), float(visits.sum()))
