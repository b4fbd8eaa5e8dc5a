"""Sources of plays: what a run plays next.

A source is an observer that also names the next play. It sees the outcome of each before the next, and adds to
the result what it knows.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from outplay.errors import UsageError
from outplay.model.tracking import Tracker
from outplay.model.wrapping import own_state
from outplay.play.following import Step
from outplay.play.plan import Plan
from outplay.play.runner import Afterwards
from outplay.plurals import counted
from outplay.runs.events import Observer, PlayEnded, RunEvent
from outplay.runs.job import Job
from outplay.runs.play_loop import Play
from outplay.runs.preparing.loaded_model import rules_of_game
from outplay.runs.preparing.planning import Prepared, refuse_idle_model
from outplay.runs.preparing.testers import goalless_tester, tester_named
from outplay.runs.recorded_play import RecordedPlay
from outplay.runs.result import RunResult
from outplay.runs.run_budget import RunBudget
from outplay.strategy.coverage.replanning import RESTART
from outplay.verdict.verdicts import Error, Fail


class PlaySource(Observer):
    """Says what is played next."""

    essential = remembers = True
    goals: tuple[str, ...] = ()
    """The goals that plays are to reach."""
    afterwards: Afterwards | None = None
    """The tester that goes on after the goal."""

    @abstractmethod
    def next(self) -> Play | None:
        """The next play; None where there is nothing more to play."""

    def again(self, recorded: RecordedPlay) -> Play:
        """The next play, which was made already."""
        play = self.next()
        if play is None:
            raise UsageError("the run cannot be resumed: with this budget it has fewer plays than were made")
        return replace(play, recorded=recorded)

    @property
    def may_end(self) -> bool:
        """Whether the run may end here because an observer has seen enough."""
        return True

    @property
    def progress(self) -> dict[str, Any]:
        """Return the progress, for the event that ends a play."""
        return {}


def model_state_keys(tracker: Tracker) -> Iterator[str]:
    """Return the keys of the states of the model itself, whatever is wrapped around it, for sources of plays."""
    for state in tracker.states:
        spec, own = own_state(tracker.spec, state)
        yield spec.key(own)


class PlanPlays(PlaySource):
    """The same plan, played until the budget is used up.

    A model that takes no input and allows no output is refused after the first play, unless somebody else has planned
    what is played, such as a replay.
    """

    def __init__(self, prepared: Prepared, plan: Plan) -> None:
        job = prepared.job
        self.plan, self.goals, self.budget = plan, plan.goals, _budget(job)
        self._model, self._planned, self._steps = job.model, prepared.planned, 0
        self._places, self._ends = set[str](), job.end_in
        self.afterwards, self.ending = tester_after_goal(prepared), prepared.ending
        self._last: Tracker | None = None
        self._ended = [0, 0]  # plays, and those of them that ended where they should

    @property
    def enough(self) -> bool:
        return not self.budget.given and self.plan.tester.report().nothing_left

    def next(self) -> Play | None:
        self._steps, until = 0, self.budget.begin()
        return Play(self.plan, self.budget.steps, until=until, ending=self.ending) if self.budget.left else None

    def again(self, recorded: RecordedPlay) -> Play:
        self._steps = 0
        return Play(self.plan, self.budget.most_steps, recorded=recorded)

    def observe(self, event: RunEvent) -> None:
        if isinstance(event, Step):
            self._steps += event.label is not None
            self._last = event.after
            if len(self._places) < 2:
                self._places |= {*model_state_keys(event.before), *model_state_keys(event.after)}
        elif isinstance(event, PlayEnded):
            wrong = isinstance(event.verdict, Fail | Error)
            if not self._planned and not wrong and len(self._places) < 2:
                # Asked after a play only: there a mistake of the model is an Error, and what a system says a Fail.
                refuse_idle_model(self.plan.specification, self._model)
            early = event.verdict.name == "pass" and self.plan.tester.report().ended_early
            self.budget.played(self._steps, early=early)
            if self.ending and self._last is not None and not wrong:
                self._ended[0] += 1
                self._ended[1] += self.ending.tester.arrived(self._last)

    def complete(self, result: RunResult) -> RunResult:
        lines = self.plan.tester.report().lines
        if self.ending and self._ended[0]:
            plays, there = self._ended
            lines = (*lines, f"ended in {' or '.join(self._ends)}: {there:,} of {counted(plays, 'play')}")
        return replace(result, toured=lines)


def _budget(job: Job) -> RunBudget:
    """Return the budget; one of costs begins with a system that is at its start."""
    spent = job.budget if tester_named(job.tester).pays_for_starts else None
    if spent is None:
        return RunBudget(job.steps, job.plays, job.labels, job.time)
    if job.labels is not None:
        raise UsageError("--labels and --budget both limit the labels of the run: leave one out")
    cost = rules_of_game(job).reset_cost
    restart = round(RESTART) if cost is None else math.ceil(cost)
    return RunBudget(job.steps, job.plays, spent + restart, job.time, start=restart + 1)


def tester_after_goal(prepared: Prepared) -> Afterwards | None:
    """Return the tester that goes on with a play after the goal, where a job asks for it."""
    job = prepared.job
    if not job.extra_steps:
        return None
    then = prepared.then or goalless_tester(prepared.specification, job, ends=False)
    return Afterwards(then, job.extra_steps)


def play_source_of(prepared: Prepared) -> PlaySource:
    """Return the source of the plays of what was prepared, behind the plays that failed earlier."""
    source = _source(prepared)
    if not prepared.failures:
        return source
    from outplay.runs.failing.failures_first import FailuresFirst

    return FailuresFirst(prepared, source)


def _source(prepared: Prepared) -> PlaySource:
    elsewhere = prepared.job.jobs is not None or prepared.job.scheduler is not None
    if prepared.suite is not None and prepared.job.exhaustive:
        if elsewhere:
            raise UsageError("--exhaustive plays against one system: leave out --jobs and --scheduler")
        from outplay.runs.suite_runs.exhaustive import ExhaustivePlays

        return ExhaustivePlays(prepared)
    if prepared.suite is not None and elsewhere:
        from outplay.runs.parallel.parallel_suite import ParallelSuite

        return ParallelSuite(prepared)
    if prepared.suite is not None:
        from outplay.runs.suite_runs.suite_plays import SuitePlays

        return SuitePlays(prepared)
    assert prepared.plan is not None
    if elsewhere and not prepared.planned:
        from outplay.runs.parallel.parallel_plays import ParallelPlays

        return ParallelPlays(prepared, prepared.plan)
    return PlanPlays(prepared, prepared.plan)
