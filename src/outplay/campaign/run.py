"""A run: plays of one tester against one system until a Fail, or until there have been enough."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from outplay.campaign.finishing import shrunk, without_secrets
from outplay.campaign.heading import header_of
from outplay.campaign.job import Job
from outplay.campaign.outcome import Outcome
from outplay.campaign.playing import Playing, Taker, Watcher
from outplay.campaign.preparing.live_job import live_job, live_model, live_system
from outplay.campaign.preparing.planning import Prepared
from outplay.campaign.preparing.something_to_do import refuse_nothing
from outplay.campaign.preparing.testers import aimless_plan, aimless_tester, goal_plan, suspicion_monitor
from outplay.campaign.watching.coverage_monitor import CoverageMonitor
from outplay.campaign.watching.coverage_tally import Tally
from outplay.campaign.watching.quiet import Quiet
from outplay.errors import UsageError
from outplay.game.assumption import Assumption, named_assumption
from outplay.play.plan import Plan
from outplay.play.runner import Afterwards
from outplay.play.system import System
from outplay.play.timing import Timing
from outplay.play.trace import TraceHeader
from outplay.redaction import redaction
from outplay.strategy.answer import Answer
from outplay.tester.tester import Tester
from outplay.verdict.verdicts import Error, Fail, Verdict

if TYPE_CHECKING:
    from outplay.campaign.watching.suspicion_monitor import SuspicionMonitor


def run(
    what: Any,
    system: System | str,
    *,
    header: TraceHeader | None = None,
    seed: int | None = None,
    timing: Timing | None = None,
    plays: int = 100,
    steps: int = 100,
    tester: str | None = None,
    until_cleared: float | None = None,
    keep_going: bool = False,
    then_walk: int = 0,
    then: Tester | None = None,
    assumption: Assumption | str | None = None,
    watch: Watcher = lambda event: None,
    shrink: float | None = None,
    redact: Iterable[str] = (),
    monitor: CoverageMonitor | None = None,
    quiet: Quiet | None = None,
    suspected: SuspicionMonitor | None = None,
) -> Outcome:
    """Play a strategy, a plan or a model up to `plays` times, stopping at the first Fail.

    A model is played against what may be wrong, as the command does without a goal, and `outcome.suspected` says how
    much of that is cleared; `tester` names another who plays it, such as `"walk"`, and with `until_cleared` the run
    ends where such a share of single faults would have been found. A play that has reached its goal goes on for
    `then_walk` steps against what may be wrong, unless a tester is given (`then`), and until the system owes nothing
    more. A play that its tester ends early leaves its labels to further plays.
    A system may be named as on the command line, and so may a model: `run(Chat, "exec:./server").check()` is a test.
    Chance starts from `seed`. With a test assumption, `outcome.audit` says whether the system kept to it. A failing
    play is made short for `shrink` seconds: where a system is named as many as the command takes, else none. Secrets
    are left out of what is told, those named by `redact` too. A `monitor` watches what is covered, `suspected` what is
    cleared, and with `quiet` a run ends when plays show nothing new. The trace keeps the job where the model has a
    name: it is a text, or a class at the top of a file.

    >>> from random import Random
    >>> from outplay import Model, Simulated, observable, run, specification
    >>> class Clock(Model):
    ...     even: bool = True
    ...     @observable
    ...     def tick(self):
    ...         self.even = not self.even
    >>> outcome = run(Clock, Simulated(specification(Clock), Random(0)), plays=3, steps=10)
    >>> outcome.verdict.name, outcome.tally.plays, outcome.tally.outputs
    ('pass', 3, 30)
    """
    seconds = (Job.shrink if isinstance(system, str) else 0.0) if shrink is None else shrink
    further = {"tester": tester, "until_cleared": until_cleared, "then_walk": then_walk, "keep_going": keep_going}
    further |= {"assumption": named_assumption(assumption).value} if assumption else {}
    asked = {"plays": max(plays, 1), "steps": steps, "shrink": seconds, "redact": tuple(redact), **further}
    job = live_job(what, system, header, seed, timing, **asked)
    chosen, after = _planned(what, job)
    if not isinstance(what, Plan | Answer) or until_cleared is not None:
        suspected = suspected or suspicion_monitor(chosen.tester, chosen.specification, job)
    watching: dict[str, Any] = {"monitor": monitor, "quiet": quiet, "suspected": suspected, "then": then or after}
    prepared = Prepared(job, live_system(system, job), chosen.specification, chosen, **watching)
    how = {"audited": assumption is not None, "as_planned": isinstance(what, Plan)}
    outcome = play_plan(prepared, header, watch, plays=plays, **how)
    short, _ = shrunk(outcome, chosen.specification, prepared.system, job.timing, job.shrink)
    return without_secrets(short, redaction(redact))


def play_plan(
    prepared: Prepared,
    header: TraceHeader | None = None,
    watch: Watcher = lambda event: None,
    *,
    plays: int | None = None,
    audited: bool = True,
    as_planned: bool = False,
) -> Outcome:
    """Play what was prepared, as often as the job says; the test assumption is held against it where it is audited.

    Where nothing can be tested that is refused; but what somebody else has planned, such as a replay, is played.
    """
    job, chosen, spec = prepared.job, prepared.plan, prepared.specification
    assert chosen is not None
    afterwards = None
    if job.then_walk:
        afterwards = Afterwards(prepared.then or aimless_tester(spec, job, ends=False), job.then_walk)
    playing = Playing(prepared.system, job.timing, job.steps, watch, job.assumption if audited else None, afterwards)
    verdicts = _watched(playing, prepared, chosen, job.plays if plays is None else plays, as_planned)

    def completed(outcome: Outcome) -> Outcome:
        """The outcome with how much is cleared, where that was counted."""
        suspected = prepared.suspected
        return replace(outcome, suspected=suspected.covered(outcome.tally.plays)) if suspected else outcome

    return playing.through(verdicts, job.keep_going, header or header_of(prepared), chosen.goals, completed)


def _planned(what: Any, job: Job) -> tuple[Plan, Tester | None]:
    """Who plays, and who goes on after the goal, as the command would have it."""
    if isinstance(what, Plan | Answer) and job.tester is not None:
        raise UsageError("a tester is named for a model; a strategy or a plan has its own: leave tester out")
    if isinstance(what, Answer):
        return goal_plan(what, job)
    return (what if isinstance(what, Plan) else aimless_plan(job, live_model(what, job))[0]), None


def _watched(playing: Playing, prepared: Prepared, chosen: Plan, plays: int, as_planned: bool) -> Iterator[Verdict]:
    """Play so often, or until there is nothing left to play for, seen by those who count coverage."""
    budget, quiet = PlayBudget(plays, playing.steps), prepared.quiet
    monitors = [one for one in (prepared.monitor, prepared.suspected) if one]
    while budget.left:
        playing.steps = budget.steps
        before, seen = playing.tally.steps, Tally()
        also: list[Taker] = [seen.take] if quiet else []
        for monitor in monitors:
            monitor.begin()
            also.append(monitor.take)
        verdict = playing.play(chosen, *also)
        if not as_planned and len(playing.tally.states) < 2 and not isinstance(verdict, Fail | Error):
            # Asked after a play only: there a mistake of the model is an Error, and what a system says a Fail.
            refuse_nothing(chosen.specification, prepared.job.model)
        early = verdict.name == "pass" and getattr(chosen.tester, "ended_early", False)
        budget.played(playing.tally.steps - before, early=early)
        if quiet:
            quiet.ended(seen)
        yield verdict
        if any(monitor.enough for monitor in monitors) or (quiet and quiet.enough):
            return


@dataclass
class PlayBudget:
    """What is left of plays and labels: so many plays of so many labels, or as many in more and shorter plays.

    A tester that starts again where that promises more ends plays early. What such a play leaves is left to further
    plays, so that a run has about as many labels as were asked for, whoever plays; to start again counts as a label.

    >>> budget = PlayBudget(plays=2, most_steps=9)
    >>> budget.played(4, early=True)
    >>> budget.left, budget.steps
    (15, 9)
    >>> budget.played(9), budget.steps
    (None, 4)
    """

    plays: int
    most_steps: int
    left: int = field(init=False)
    """Labels that are left, with one for the start of each play."""

    def __post_init__(self) -> None:
        self.left = self.plays * (self.most_steps + 1)

    @property
    def steps(self) -> int:
        """How many labels the next play may have."""
        return min(self.most_steps, self.left - 1)

    def played(self, labels: int, *, early: bool = False) -> None:
        """A play had so many labels; where its tester did not end it early, it has used up all that it had."""
        self.left -= 1 + (min(labels, self.steps) if early else self.steps)
