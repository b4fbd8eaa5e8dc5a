"""The plan for a job: a walk, the best strategy for an objective, or a suite; and whether there is anything to play.

A model whose first state offers nothing would pass against every system that is silent, and a suite without tests
against every system at all: such a Pass would mean nothing, so there is none.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from outplay.errors import NothingToRun, UsageError
from outplay.formats.common.source import LARGEST
from outplay.formats.suites.suite_json import read_suite
from outplay.game.assumption import Assumption
from outplay.game.exploring.breadth_first import Progress
from outplay.game.goals.target import Target
from outplay.game.graph import Game
from outplay.model.label import Label
from outplay.model.programs.program_specification import ProgramSpecification
from outplay.model.specification import Specification
from outplay.model.wrapping import own_state
from outplay.play.plan import PATIENCE, Plan
from outplay.play.runner import Ending
from outplay.play.system import SideBySide, System
from outplay.registries import imported
from outplay.runs.events import Observer
from outplay.runs.job import Job
from outplay.runs.monitors.coverage_monitor import CoverageMonitor, ItemMonitor
from outplay.runs.monitors.quiet import Quiet
from outplay.runs.preparing.job_answer import answer_for_job, goal_target, opponent_of_answer
from outplay.runs.preparing.loaded_model import LoadedModel, load_model
from outplay.runs.preparing.option_rules import chosen_objective, refuse_unused_options
from outplay.runs.preparing.systems import adversarial_system, system_of
from outplay.runs.preparing.testers import (
    goal_plan,
    goalless_plan,
    suite_watchers,
    suspicion_monitor,
    tester_named,
)
from outplay.strategy.answer import Answer
from outplay.strategy.coverage.items import STATES
from outplay.strategy.objectives import OBJECTIVES
from outplay.strategy.opponent import WitnessOpponent
from outplay.suite.suite import Suite
from outplay.tester.follower import Homing
from outplay.tester.tester import Tester

if TYPE_CHECKING:
    from outplay.runs.monitors.promise_against_outcome import PromiseMonitor
    from outplay.runs.monitors.suspicion_monitor import SuspicionMonitor

TOLD_IN_PASSING = 100  # tests of a suite of which it is counted what they clear though nobody asked


@dataclass(frozen=True)
class Prepared:
    """A plan or a suite that is ready, and the system to play it against."""

    job: Job
    system: System
    specification: Specification
    plan: Plan | None = None
    """The plan to play, unless it is a suite."""
    suite: Suite | None = None
    game: Game | None = None
    """The game in which the goals were solved, where there are any."""
    answer: Answer | None = None
    """The answer whose strategy is played."""
    goals: tuple[str, ...] = ()
    monitor: CoverageMonitor | None = None
    """The monitor of what is to be covered, where that is asked."""
    suspected: SuspicionMonitor | None = None
    """The monitor of suspicions, where it is counted how much of them is cleared."""
    then: Tester | None = None
    """The tester that goes on after the goal, or after the tests of a suite, and sees those."""
    ending: Ending | None = None
    """The tester that takes every play to a clean state, where that is asked."""
    promise: PromiseMonitor | None = None
    """The monitor of what the answer promises, held against what happens."""
    quiet: Quiet | None = None
    """The condition to stop when nothing new is seen, where that is asked."""
    warnings: tuple[str, ...] = ()
    """The warnings before it is played, where less is promised than was asked for."""
    audited: bool = True
    """Whether the test assumption is held against what happens."""
    failures: tuple[tuple[Label, ...], ...] = ()
    """The moves of plays that failed earlier and are played again first."""
    planned: bool = False
    """Whether somebody else has planned what is played, such as a replay: it is played even where nothing is tested."""

    @property
    def monitors(self) -> tuple[Observer, ...]:
        """Return the monitors of the run."""
        return tuple(one for one in (self.monitor, self.suspected, self.quiet, self.promise) if one is not None)

    def __post_init__(self) -> None:
        if isinstance(self.system, SideBySide):
            self.system.use_channels(self.specification.channels)
        if self.suite is not None:
            _refuse_empty_suite(self.suite)


def prepare(
    job: Job,
    progress: Progress | None = None,
    settling: Progress | None = None,
    *,
    model: LoadedModel | None = None,
    system: System | None = None,
) -> Prepared:
    """Prepare a job: load the model, plan who moves how, and make the system; mistakes of a job show here.

    A model or system that is alive may be given. Exploring reports to `progress`, and solvers that take long to
    `settling`.
    """
    refuse_unused_options(job)
    if job.restart and job.reset_cost is None:
        job = replace(job, reset_cost="1")  # so that whoever judges or replays the play knows of resets
    if job.suite is not None:
        return _suite(job, job.suite)
    model, objective = model or _model(job), chosen_objective(job)
    if not model.goals and (objective is None or objective.takes_goal):
        return _aimless(job, model, system, progress, settling)
    game, goals = model.wanted(progress)
    answer, warnings = answer_for_job(job, game, goals, settling)
    chosen, then = goal_plan(answer, job)
    spec = chosen.specification
    if system is None:
        system = (
            adversarial_system(model, spec, opponent_of_answer(job, answer))
            if job.adversarial
            else system_of(job, model)
        )
    found: dict[str, Any] = {"game": game if goals else None, "answer": answer, "goals": goals, "warnings": warnings}
    quiet = Quiet(STATES, job.until_quiet) if job.until_quiet else None
    found |= {"then": then, "quiet": quiet, "promise": promise_of(answer, job), "ending": _ending_of(job, answer.game)}
    return Prepared(job, system, spec, chosen, **found)


def promise_of(answer: Answer, job: Job) -> PromiseMonitor:
    """Return the monitor that holds what a planned answer promises against what happens."""
    # imported here, so that walks need not load it
    made: type[PromiseMonitor] = imported("outplay.runs.monitors.promise_against_outcome:PromiseMonitor")
    return made(answer, job.steps)


def _aimless(
    job: Job, model: LoadedModel, system: System | None, progress: Progress | None, settling: Progress | None
) -> Prepared:
    """Play without a goal: whoever is named decides, and coverage is counted where that is asked."""
    kind = tester_named(job.tester)
    if job.until_covered and job.cover is None:
        job = replace(job, cover=STATES)
    quiet = Quiet(job.cover or STATES, job.until_quiet) if job.until_quiet or job.cover or kind.covers else None
    warned = list[str]()
    chosen, sightings, explored = goalless_plan(job, model, progress, warned.append)
    spec = chosen.specification
    further: dict[str, Any] = {"quiet": quiet, "suspected": suspicion_monitor(chosen.tester, spec, job)}
    further["ending"] = _ending_of(job, explored)
    if sightings is None:
        watch = kind.monitor(chosen.tester) if kind.monitor else None
        system = system or system_of(job, model)
        return Prepared(job, system, spec, chosen, monitor=watch, warnings=tuple(warned), **further)
    from outplay.strategy.coverage.expected_coverage import expected_coverage
    from outplay.strategy.coverage.guarantee import TIME_LIMIT, cover_nodes  # what plain walks need not load

    game, items = sightings.items.game, sightings.items
    before = expected_coverage(
        items, plays=job.most_plays, steps=job.steps, seconds=job.time_limit, rehearsed=kind.rehearsed
    )
    system = system or system_of(job, model)
    if job.adversarial:
        limit = TIME_LIMIT if job.time_limit is None else job.time_limit
        worst = cover_nodes(game, time_limit=limit, progress=settling)
        system = adversarial_system(model, spec, WitnessOpponent(worst))
    stopped = (f"{game.origin.stopped}; covering what is known",) if game.origin.stopped else ()
    monitor = ItemMonitor(sightings, before, played=kind.covers or job.until_covered)
    told = (*game.origin.cautions, *stopped, *warned)
    return Prepared(job, system, spec, chosen, monitor=monitor, warnings=told, **further)


def _suite(job: Job, path: str) -> Prepared:
    model = _model(job)
    suite = read_suite(path, largest=job.max_bytes or LARGEST)
    # The contract has --steps with a suite too, so that it is no mistake.
    unheard = (
        [f"each test of a suite ends by itself: --steps {job.steps} has no effect"] if job.steps != Job.steps else []
    )
    spec, warned = model.specification(), unheard
    short = suite.size is not None and suite.size <= TOLD_IN_PASSING
    then, suspected = suite_watchers(spec, job, warned.append, in_passing=short)
    found: dict[str, Any] = {"then": then, "suspected": suspected, "warnings": tuple(warned)}
    return Prepared(job, system_of(job, model), spec, suite=suite, **found)


def _model(job: Job) -> LoadedModel:
    if not job.model:
        raise UsageError("name a MODEL to play, or with --suite a file that `outplay suite` has written")
    return load_model(job)


def refuse_idle_model(specification: Specification, model: str = "") -> None:
    """Refuse to play a model that takes no input and allows no output at the start; `model` is how it is named.

    What is around a model, such as a reset in the middle of a play, is nothing of its own to be tested.

    >>> from outplay import automaton
    >>> from outplay.model.suspension import SuspensionAutomaton
    >>> refuse_idle_model(SuspensionAutomaton(automaton([("off", "delta", "off")], name="lamp")))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    outplay.errors.NothingToRun: nothing to run: lamp takes no input and allows no output in its first state (at off)...
    """
    own = [own_state(specification, state) for state in specification.initial]
    if any(spec.inputs(state) or spec.outputs(state) for spec, state in own):
        return
    spec, state = own[0]
    what = f"{spec.name} takes no input and allows no output in its first state ({spec.describe(state)}){_idle(spec)}"
    raise NothingToRun(f"nothing to run: {what}; see `outplay inspect {model or 'MODEL'}`")


def _refuse_empty_suite(suite: Suite) -> None:
    """Refuse to play a suite without tests."""
    empty = suite.size == 0 if suite.size is not None else next(iter(suite.tests), None) is None
    if empty:
        raise NothingToRun("nothing to run: the suite has no tests; make some with `outplay suite`")


def _idle(spec: Specification) -> str:
    """Return the actions that are never enabled, as nothing else is ever reached."""
    if not isinstance(spec, ProgramSpecification):
        return ""
    names = [repr(action.name) for action in spec.program.actions]
    if not names:
        return ": it has no actions; mark some with @controllable or @observable"
    return f": {', '.join(names)} {'is' if len(names) == 1 else 'are'} never enabled"


def _ending_of(job: Job, game: Game | None) -> Ending | None:
    """Return the tester that takes a play to its end state, by the cheapest way."""
    if not job.end_in or game is None:
        return None
    if job.jobs is not None:
        raise UsageError("--end-in does not go with --jobs: leave one out")
    target = goal_target(game, job.end_in)
    home = Homing(target.game, _way_home(target).persistent, target.vertices.tolist(), patience=PATIENCE)
    return Ending(home, job.steps)


def _way_home(target: Target) -> Answer:
    """Force it from everywhere, else arrive with probability 1 from everywhere, else be lucky as soon as can be."""
    game, vertices = target.game, range(target.game.vertex_count)
    sure = OBJECTIVES["win"].solve(game, target)
    if game.origin.assumption is Assumption.INPUT_FAIR or all(sure.value_of(each) is not None for each in vertices):
        return sure
    expectation = OBJECTIVES["expected"].solve(game, target)
    return expectation if all(expectation.value_of(each) is not None for each in vertices) else sure
