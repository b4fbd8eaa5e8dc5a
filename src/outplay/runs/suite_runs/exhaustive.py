"""A suite played against everything that a simulated system can do: the verdict is a proof.

Each test is played until the system has taken each of its choices in every situation of the test (`Branching`),
under the test assumption. What a situation is: where the test and the specification may be, what was seen last, and the
state of the system. A test case has no cycles and the system finitely many states, so this ends; a test that needs more
plays than the bound leaves the suite inconclusive. Judging, recording and the end of a play are those of any run.

Every choice of a simulated system, taken in one play after the other. Each play goes along the choices of the last one
as far as the last choice that has something left, takes the next way there and goes on by first ways: a search depth
first, in which a way back is a reset. Where a play comes to a situation that an earlier one met, it branches no
further, since all that can follow is taken care of there. So there are at most as many plays as ways in all situations
together. A situation is the state of the system, what it may do, and whatever else the rest of the play depends on,
which whoever plays says (`situation`).
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from outplay.errors import UsageError
from outplay.model.specification import State
from outplay.play.adapters.line_system import Resetting
from outplay.play.adapters.simulated import Simulated
from outplay.play.following import Step
from outplay.play.move_odds import Happening
from outplay.play.plan import case_plan
from outplay.play.system import System
from outplay.plurals import counted
from outplay.runs.events import PlayEnded, RunEvent
from outplay.runs.job import Job
from outplay.runs.play_loop import Play
from outplay.runs.play_sources import PlaySource
from outplay.runs.preparing.planning import Prepared
from outplay.runs.result import CaseResult, RunResult
from outplay.suite.suite import TestCase
from outplay.verdict.verdicts import Error, Fail, Inconclusive, Pass, Verdict


@dataclass
class _Choice:
    """A choice on the way of the play: which way is taken, out of how many that are to be tried."""

    taken: int
    ways: int


class Branching:
    """Chooses for a simulated system, so that in the end it has done all that it can.

    >>> from outplay.model.label import SILENCE
    >>> ways, branching = [Happening(SILENCE, 1), Happening(SILENCE, 2)], Branching()
    >>> branching.choose(0, ways).target, branching.advance(), branching.choose(0, ways).target, branching.advance()
    (1, True, 2, False)
    """

    def __init__(self) -> None:
        self.situation: Hashable = None
        """The conditions on which the rest of the play depends beside the system."""
        self._path: list[_Choice] = []
        self._depth = 0
        self._met = set[Hashable]()

    def choose(self, state: State, ways: Sequence[Happening]) -> Happening:
        """Choose what the system does in a state."""
        if len(ways) == 1:
            return ways[0]
        if self._depth == len(self._path):
            here = self.situation, state, tuple(ways)
            self._path.append(_Choice(0, 1 if here in self._met else len(ways)))
            self._met.add(here)
        self._depth += 1
        return ways[self._path[self._depth - 1].taken]

    def advance(self) -> bool:
        """Get ready for the next play; False where everything was played."""
        self._depth, self.situation = 0, None
        while self._path and self._path[-1].taken + 1 == self._path[-1].ways:
            self._path.pop()
        if self._path:
            self._path[-1].taken += 1
        return bool(self._path)


MOST_PLAYS = 100_000
"""Plays of one test, unless the job names another number."""
_ALONE = ("join", "tester", "extra_steps", "until_cleared", "chance", "confidence")


class ExhaustivePlays(PlaySource):
    """The plays of a suite, each test until nothing that the simulated system can do is left."""

    def __init__(self, prepared: Prepared) -> None:
        assert prepared.suite is not None
        self.job, self.spec, self.suite = prepared.job, prepared.specification, prepared.suite
        self.simulated = _simulated(prepared.system)
        _refuse_others(self.job)
        self.limit = MOST_PLAYS if self.job.plays is None else self.job.plays
        self._tests = iter(self.suite.tests)
        self._test: TestCase | None = None
        self._play: Play | None = None
        self._branching = Branching()
        self._tried, self._reached = 0, False
        self.results: list[CaseResult] = []
        self.plays = self.unreached = 0

    @property
    def may_end(self) -> bool:
        return False  # what was left out would be no proof

    @property
    def progress(self) -> dict[str, Any]:
        return {"tests": len(self.results), "open": 0}

    def next(self) -> Play | None:
        if self._test is None:
            self._test = next(self._tests, None)
            if self._test is None:
                return None
            plan = case_plan(self._test, self.spec)  # one for all its plays, so that situations can be compared
            self._play = Play(plan, self._test.depth, test=self._test.name, takers=(self._note,))
            self._branching = self.simulated.choosing = Branching()
            self._tried, self._reached = 0, False
        return self._play

    def _note(self, step: Step) -> None:
        self._branching.situation = step.after, step.event.kind

    def observe(self, event: RunEvent) -> None:
        if isinstance(event, PlayEnded) and self._test is not None:
            self._ended(self._test, event.verdict)

    def _ended(self, test: TestCase, verdict: Verdict) -> None:
        """A play of a test ended; the test is done when it failed, or all of its choices were made."""
        self._tried += 1
        self._reached = self._reached or (isinstance(verdict, Pass) and verdict.reached > 0)
        if not isinstance(verdict, Fail | Error):
            if self._branching.advance():
                if self._tried < self.limit:
                    return
                verdict = Inconclusive(f"{test.name} can go on in more than {counted(self.limit, 'play')}: no proof")
            else:
                verdict = self._came_to(test)
        self.plays += self._tried
        self.results.append(CaseResult(test.name, verdict, self._tried))
        self._test = None

    def _came_to(self, test: TestCase) -> Verdict:
        if self._reached:
            return Pass(reached=1)
        self.unreached += 1
        if self.suite.fair:
            return Pass("what leads to its end cannot come")
        return Inconclusive(f"{test.name} cannot come to its pass end on this system")

    def complete(self, result: RunResult) -> RunResult:
        """The result with what is known of the tests; whoever plays the system later does so by chance."""
        self.simulated.choosing = None
        verdict = self.verdict(result.verdict, interrupted=result.interrupted)
        return replace(result, verdict=verdict, tests=tuple(self.results))

    def verdict(self, verdict: Verdict, *, interrupted: bool = False) -> Verdict:
        """The suite passes when every test did, and that is a proof."""
        missed = [test.verdict for test in self.results if isinstance(test.verdict, Inconclusive)]
        if isinstance(verdict, Fail | Error) or not self.results:
            return verdict
        if interrupted:
            return Inconclusive(f"ended after {counted(len(self.results), 'test')}: no proof")
        if missed:
            more = f" and {len(missed) - 1} more" if len(missed) > 1 else ""
            return Inconclusive(f"{missed[0].why}{more}")
        tests, plays = len(self.results), counted(self.plays, "play")
        every = f"{'all ' * (tests > 1)}{counted(tests, 'test')} passed"
        proof = f"a proof: the system can do nothing else under {self.job.assumption}"
        return Pass(f"{every} in {plays}, which is {proof}", reached=tests - self.unreached)


def _simulated(system: System) -> Simulated:
    inside = system.inside if isinstance(system, Resetting) else system
    if not isinstance(inside, Simulated):
        raise UsageError("--exhaustive plays all choices of a simulated system: give --sut model:FILE")
    return inside


def _refuse_others(job: Job) -> None:
    """Refuse what changes the order of tests or goes by frequencies: there is no such thing here."""
    for name in _ALONE:
        if getattr(job, name) != getattr(Job, name):
            option = "--" + name.replace("_", "-")
            raise UsageError(f"{option} has no effect with --exhaustive, which plays each test in all ways; remove it")
