"""Playing a suite: each test case until it passes, a Fail is seen, or it was tried often enough.

A test case whose Pass end needs luck or help may end inconclusively; then it is tried again.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from outplay.campaign.outcome import Outcome
from outplay.campaign.run import Interrupted, Playing, Watcher, goes_on
from outplay.campaign.systems import system_named
from outplay.errors import UsageError
from outplay.model.kinds import specification
from outplay.model.specification import Specification
from outplay.model.tracking import Tracker
from outplay.play.plan import case_plan
from outplay.play.runner import Timing
from outplay.play.system import System
from outplay.play.trace import TraceHeader
from outplay.suite.testcase import Suite, TestCase
from outplay.verdict.verdicts import Inconclusive, Pass, Verdict


@dataclass(frozen=True)
class CaseResult:
    """How one test case ended, and after how many plays."""

    name: str
    verdict: Verdict
    plays: int


@dataclass(frozen=True)
class SuiteOutcome:
    """What a run of a suite came to, as a whole and test by test."""

    outcome: Outcome
    results: tuple[CaseResult, ...]


def run_suite(
    suite: Suite,
    model: Any,
    system: System | str,
    *,
    header: TraceHeader | None = None,
    timing: Timing | None = None,
    plays: int = 10,
    keep_going: bool = False,
    watch: Watcher = lambda event: None,
) -> SuiteOutcome:
    """Play each test case up to `plays` times, stopping at the first Fail.

    >>> from random import Random
    >>> from outplay import Simulated, automaton
    >>> from outplay.model.suspension import SuspensionAutomaton
    >>> from outplay.suite.testcase import case_of
    >>> lamp = SuspensionAutomaton(automaton([("off", "?press", "on"), ("on", "!light", "off")]))
    >>> case = case_of([("t0", "?press", "t1"), ("t1", "!light", "pass"), ("t1", "delta", "fail")], name="lamp")
    >>> made = run_suite(Suite(tests=(case,)), lamp, Simulated(lamp, Random(0)))
    >>> made.outcome.verdict.name, [(result.name, result.plays) for result in made.results]
    ('pass', [('lamp', 1)])
    """
    if not suite.tests:
        raise UsageError("the suite has no tests; make one with `outplay suite`")
    spec = specification(model)
    _check_inputs(suite, spec)
    steps = max(test.depth for test in suite.tests)
    playing = Playing(system_named(system), timing or Timing(), steps, watch)
    sut = system if isinstance(system, str) else ""
    header = header or TraceHeader(spec.name, spec.fingerprint, sut, options=playing.times)
    results: list[CaseResult] = []
    interrupted = False
    try:
        for test in suite.tests:
            results.append(_tried(playing, test, spec, plays))
            if not isinstance(results[-1].verdict, Pass) and not goes_on(results[-1].verdict, keep_going):
                break
    except KeyboardInterrupt:
        interrupted = True
    finally:
        playing.close()
    if interrupted:
        raise Interrupted(playing.outcome(header, ()), results)
    outcome = playing.outcome(header, ())
    return SuiteOutcome(replace(outcome, verdict=_whole(outcome.verdict, results)), tuple(results))


def _check_inputs(suite: Suite, spec: Specification) -> None:
    """A test that starts with an input nobody knows was made for another model; playing it would only waste time."""
    for test in suite.tests:
        first = test.given(test.initial)
        if first is not None and not Tracker(spec).enabled(first):
            raise UsageError(
                f"test {test.name!r} starts with {first}, which {spec.name} does not take at the start: "
                f"the suite was made for {suite.model or 'another model'}, or with other options"
            )


def _tried(playing: Playing, test: TestCase, spec: Specification, plays: int) -> CaseResult:
    """Play a test case until it passes or fails; one that never gets to its Pass end is inconclusive."""
    for number in range(1, plays + 1):
        verdict = playing.play(case_plan(test, spec))
        if not _try_again(verdict):
            return CaseResult(test.name, verdict, number)
    gave_up = Inconclusive(f"{test.name} did not reach its pass end in {plays} plays")
    return CaseResult(test.name, gave_up, plays)


def _try_again(verdict: Verdict) -> bool:
    return verdict.name == "inconclusive" or (isinstance(verdict, Pass) and not verdict.reached)


def _whole(verdict: Verdict, results: list[CaseResult]) -> Verdict:
    """A suite passes when all its tests did; what failed or went wrong outweighs what nobody knows."""
    if verdict.name in ("fail", "error"):
        return verdict
    missed = [result for result in results if not isinstance(result.verdict, Pass)]
    if missed:
        more = f" and {len(missed) - 1} more" if len(missed) > 1 else ""
        return Inconclusive(f"{missed[0].verdict.why}{more}")
    return Pass(f"all {len(results)} tests passed", reached=len(results))
