"""What a job comes to before anything is played: a walk, the best strategy for an objective, or a suite."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from outplay.campaign.job import Job
from outplay.campaign.preparing.job_answer import answered, opponent
from outplay.campaign.preparing.loaded_model import LoadedModel, load_model
from outplay.campaign.preparing.something_to_do import refuse_no_tests
from outplay.campaign.preparing.systems import adverse_system, system_of
from outplay.campaign.preparing.testers import (
    aimless_plan,
    goal_plan,
    suite_watchers,
    suspicion_monitor,
    tester_named,
)
from outplay.campaign.preparing.ways import chosen_objective, refuse_unheard
from outplay.campaign.watching.coverage_monitor import CoverageMonitor, ItemMonitor
from outplay.campaign.watching.quiet import Quiet
from outplay.errors import UsageError
from outplay.formats.suites.suite_json import read_suite
from outplay.formats.texts.source import LARGEST
from outplay.game.exploring.breadth_first import Progress
from outplay.game.graph import Game
from outplay.model.specification import Specification
from outplay.play.plan import Plan
from outplay.play.system import System
from outplay.strategy.answer import Answer
from outplay.strategy.coverage.items import STATES
from outplay.strategy.opponent import WitnessOpponent
from outplay.suite.suite import Suite
from outplay.tester.tester import Tester

if TYPE_CHECKING:
    from outplay.campaign.watching.suspicion_monitor import SuspicionMonitor

TOLD_IN_PASSING = 100  # tests of a suite of which it is counted what they clear though nobody asked


@dataclass(frozen=True)
class Prepared:
    """What is ready to be played: a plan or a suite, and the system to play it against."""

    job: Job
    system: System
    specification: Specification
    plan: Plan | None = None
    """Who moves how, unless it is a suite that is played."""
    suite: Suite | None = None
    game: Game | None = None
    """The game in which the goals were solved, where there are any."""
    answer: Answer | None = None
    """What was found there, whose strategy is played."""
    goals: tuple[str, ...] = ()
    monitor: CoverageMonitor | None = None
    """What is to be covered, where that is asked."""
    suspected: SuspicionMonitor | None = None
    """What may be wrong, where it is counted how much of that is cleared."""
    then: Tester | None = None
    """Who goes on after the goal, or after the tests of a suite, and sees those."""
    quiet: Quiet | None = None
    """When there is enough, where that is asked."""
    warnings: tuple[str, ...] = ()
    """What the user should know before it is played, where less is promised than was asked for."""

    def __post_init__(self) -> None:
        if self.suite is not None:
            refuse_no_tests(self.suite)


def prepare(job: Job, progress: Progress | None = None, settling: Progress | None = None) -> Prepared:
    """Load the model, decide who moves how, and make the system; what is wrong with a job shows here.

    Exploring reports to `progress`, and solvers that take long to `settling`.
    """
    refuse_unheard(job)
    if job.restart and job.reset_cost is None:
        job = replace(job, reset_cost="1")  # so that whoever judges or replays the play knows of resets
    if job.suite is not None:
        return _suite(job, job.suite)
    model, objective = _model(job), chosen_objective(job)
    if not model.goals and (objective is None or objective.takes_goal):
        return _aimless(job, model, progress, settling)
    game, goals = model.wanted(progress)
    answer, warnings = answered(job, game, goals, settling)
    chosen, then = goal_plan(answer, job)
    spec = chosen.specification
    system = adverse_system(model, spec, opponent(job, answer)) if job.adverse else system_of(job, model)
    found: dict[str, Any] = {"game": game if goals else None, "answer": answer, "goals": goals, "warnings": warnings}
    quiet = Quiet(STATES, job.until_quiet) if job.until_quiet else None
    return Prepared(job, system, spec, chosen, then=then, quiet=quiet, **found)


def _aimless(job: Job, model: LoadedModel, progress: Progress | None, settling: Progress | None) -> Prepared:
    """Play without a goal: whoever is named decides, and coverage is counted where that is asked."""
    kind = tester_named(job.tester)
    quiet = Quiet(job.cover or STATES, job.until_quiet) if job.until_quiet or job.cover or kind.covers else None
    warned = list[str]()
    chosen, sightings = aimless_plan(job, model, progress, warned.append)
    spec = chosen.specification
    further: dict[str, Any] = {"quiet": quiet, "suspected": suspicion_monitor(chosen.tester, spec, job)}
    if sightings is None:
        watch = kind.monitor(chosen.tester) if kind.monitor else None
        return Prepared(job, system_of(job, model), spec, chosen, monitor=watch, warnings=tuple(warned), **further)
    from outplay.strategy.coverage.cover import cover_nodes  # what plain walks need not load
    from outplay.strategy.coverage.outlook import outlook

    game, items = sightings.items.game, sightings.items
    before = outlook(items, plays=job.plays, steps=job.steps, seconds=job.time_limit, rehearsed=kind.covers)
    system = system_of(job, model)
    if job.adverse:
        worst = cover_nodes(game, time_limit=job.time_limit, progress=settling)
        system = adverse_system(model, spec, WitnessOpponent(worst))
    stopped = (f"{game.origin.stopped}; covering what is known",) if game.origin.stopped else ()
    monitor = ItemMonitor(sightings, before, played=kind.covers)
    return Prepared(job, system, spec, chosen, monitor=monitor, warnings=(*stopped, *warned), **further)


def _suite(job: Job, path: str) -> Prepared:
    model = _model(job)
    suite = read_suite(path, largest=job.max_bytes or LARGEST)
    # The contract has --steps with a suite too, so that it is no mistake.
    unheard = [f"each test of a suite ends by itself: --steps {job.steps} has no say"] if job.steps != Job.steps else []
    spec, warned = model.specification(), unheard
    short = suite.size is not None and suite.size <= TOLD_IN_PASSING
    then, suspected = suite_watchers(spec, job, warned.append, in_passing=short)
    found: dict[str, Any] = {"then": then, "suspected": suspected, "warnings": tuple(warned)}
    return Prepared(job, system_of(job, model), spec, suite=suite, **found)


def _model(job: Job) -> LoadedModel:
    if not job.model:
        raise UsageError("name a MODEL to play, or with --suite a file that `outplay suite` has written")
    return load_model(job)
