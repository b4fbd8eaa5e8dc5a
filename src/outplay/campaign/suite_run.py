"""Playing a suite: each test case until it passes, a Fail is seen, or it was tried often enough.

A test case whose Pass end needs luck or help may end inconclusively; then it is tried again.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from typing import Any

from outplay.campaign.outcome import CaseResult, Outcome
from outplay.campaign.run import Playing, Watcher
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

LOOKED_AT = 100  # tests, before the first is played


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
) -> Outcome:
    """Play each test case up to `plays` times, stopping at the first Fail.

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
    spec = specification(model)
    _check_first(suite, spec)
    playing = Playing(system_named(system), timing or Timing(), 0, watch)
    sut = system if isinstance(system, str) else ""
    header = header or TraceHeader(spec.name, spec.fingerprint, sut, options=playing.times)
    tried = (_tried(playing, test, spec, plays) for test in suite.tests)
    outcome = playing.through(tried, keep_going, header)
    return replace(outcome, verdict=_whole(outcome.verdict, outcome.tests))


def _check_first(suite: Suite, spec: Specification) -> None:
    """A test that starts with an input nobody knows was made for another model; playing it would only waste time."""
    tests = list(islice(suite.tests, LOOKED_AT))
    if not tests:
        raise UsageError("the suite has no tests; make one with `outplay suite`")
    for test in tests:
        first = test.given(test.initial)
        if first is not None and not Tracker(spec).enabled(first):
            raise UsageError(
                f"test {test.name!r} starts with {first}, which {spec.name} does not take at the start: "
                f"the suite was made for {suite.model or 'another model'}, or with other options"
            )


def _tried(playing: Playing, test: TestCase, spec: Specification, plays: int) -> Verdict:
    """Play a test case until it passes or fails; one that never gets to its Pass end is inconclusive."""
    playing.steps, tried = test.depth, 0
    verdict: Verdict = Inconclusive(f"{test.name} was not played")
    while tried < plays and _try_again(verdict):
        verdict, tried = playing.play(case_plan(test, spec)), tried + 1
    if _try_again(verdict):
        verdict = Inconclusive(f"{test.name} did not reach its pass end in {plays} plays")
    playing.tests.append(CaseResult(test.name, verdict, tried))
    return verdict


def _try_again(verdict: Verdict) -> bool:
    return verdict.name == "inconclusive" or (isinstance(verdict, Pass) and not verdict.reached)


def _whole(verdict: Verdict, results: tuple[CaseResult, ...]) -> Verdict:
    """A suite passes when all its tests did; what failed or went wrong outweighs what nobody knows."""
    if verdict.name in ("fail", "error"):
        return verdict
    missed = [result for result in results if not isinstance(result.verdict, Pass)]
    if missed:
        more = f" and {len(missed) - 1} more" if len(missed) > 1 else ""
        return Inconclusive(f"{missed[0].verdict.why}{more}")
    return Pass(f"all {len(results)} tests passed", reached=len(results))
