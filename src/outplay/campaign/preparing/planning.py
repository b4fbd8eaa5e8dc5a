"""What a job comes to before anything is played: a walk, the best strategy for an objective, or a suite."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from outplay.campaign.job import Job
from outplay.campaign.preparing.loaded_model import LoadedModel, load_model
from outplay.campaign.preparing.systems import adverse_system, system_of
from outplay.campaign.preparing.testers import (
    SUSPICION,
    NamedTester,
    Situation,
    goal_plan,
    suite_watchers,
    suspicion_monitor,
    tester_named,
)
from outplay.campaign.watching.coverage_monitor import CoverageMonitor, ItemMonitor
from outplay.campaign.watching.quiet import Quiet
from outplay.errors import UsageError
from outplay.formats.suites.suite_json import read_suite
from outplay.formats.texts.source import LARGEST
from outplay.game.assumption import Assumption
from outplay.game.exploring.breadth_first import Progress
from outplay.game.goals.target import Target, find_target
from outplay.game.graph import Game
from outplay.model.specification import Specification
from outplay.play.opponent import Badness, Opponent, WitnessOpponent
from outplay.play.plan import Plan, plan
from outplay.play.system import System
from outplay.strategy.answer import Answer
from outplay.strategy.attractor import Solution
from outplay.strategy.coverage.items import STATES, Sightings, items_of
from outplay.strategy.objectives import OBJECTIVES, objective_named
from outplay.strategy.win import win
from outplay.strategy.words import digits
from outplay.suite.reaching import COVER, COVER_EDGES
from outplay.suite.suite import Suite
from outplay.tester.tester import Tester

if TYPE_CHECKING:
    from outplay.campaign.watching.suspicion_monitor import SuspicionMonitor

TOLD_IN_PASSING = 100  # tests of a suite of which it is counted what they clear though nobody asked
_USUAL = {"method": Job.method, "epsilon": Job.epsilon}


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


def prepare(job: Job, progress: Progress | None = None) -> Prepared:
    """Load the model, decide who moves how, and make the system; what is wrong with a job shows here."""
    if job.suite is not None:
        return _suite(job, job.suite)
    model = _model(job)
    if job.objective == COVER_EDGES:
        return _covering_edges(job, model, progress)
    if job.objective == COVER:
        return _covering(job, model, progress)
    if not model.goals:
        return _aimless(job, model, progress)
    _need_a_goal(job)
    game, goals = model.wanted(progress)
    target = _target(game, goals)
    cut = (f"{game.origin.stopped}; playing on what is known",) if game.origin.stopped else ()
    answer, warnings = _answer(target, job)
    chosen, then = goal_plan(answer, job)
    if job.adverse:
        badness = _badness(target.game, win(target.game, target).solution)
        system = adverse_system(job, chosen.specification, Opponent(badness))
    else:
        system = system_of(job, model)
    found: dict[str, Any] = {"game": game, "answer": answer, "goals": goals, "warnings": cut + warnings}
    return Prepared(job, system, chosen.specification, chosen, then=then, **found)


def _aimless(job: Job, model: LoadedModel, progress: Progress | None) -> Prepared:
    """Play without a goal: whoever is named decides, and coverage is counted where that is asked."""
    kind = tester_named(job.tester)
    quiet = Quiet(job.cover or STATES, job.until_quiet) if job.until_quiet or job.cover or kind.covers else None
    _need_no_goal(job, kind)
    if not kind.explores and job.cover is None:
        spec, warned = model.specification(), list[str]()
        tester = kind.make(Situation(job, None, model.model, model.reset_cost, spec, warn=warned.append))
        watch = kind.monitor(tester) if kind.monitor else None
        further: dict[str, Any] = {"monitor": watch, "quiet": quiet, "warnings": tuple(warned)}
        further["suspected"] = suspicion_monitor(tester, spec, job)
        return Prepared(job, system_of(job, model), spec, Plan(spec, tester), **further)
    from outplay.strategy.coverage.cover import cover_nodes  # what plain walks need not load
    from outplay.strategy.coverage.outlook import outlook

    game = model.game(progress)
    items = items_of(game, job.cover or STATES)
    sightings = Sightings(items)
    before = outlook(items, plays=job.plays, steps=job.steps, seconds=job.time_limit, rehearsed=kind.covers)
    spec = game.origin.specification
    system = system_of(job, model)
    if job.adverse:
        system = adverse_system(job, spec, WitnessOpponent(cover_nodes(game, time_limit=job.time_limit)))
    stopped = game.origin.stopped
    warned = [f"{stopped}; covering what is known"] if stopped else []
    monitor = ItemMonitor(sightings, before, played=kind.covers)
    situation = Situation(job, sightings, model.model, model.reset_cost, spec, warn=warned.append)
    chosen = Plan(spec, kind.make(situation))
    further = {"suspected": suspicion_monitor(chosen.tester, spec, job), "warnings": tuple(warned)}
    return Prepared(job, system, spec, chosen, monitor=monitor, quiet=quiet, **further)


def _covering(job: Job, model: LoadedModel, progress: Progress | None) -> Prepared:
    """Play for coverage: all that can be visited is the goal."""
    if job.then_walk:
        raise UsageError("--then-walk needs a --goal after which to walk; coverage has no end: --steps")
    from outplay.strategy.coverage.cover import cover_nodes

    game, goals = model.wanted(progress)
    answer = cover_nodes(game, goals, time_limit=job.time_limit)
    chosen = plan(answer)
    system = system_of(job, model)
    if job.adverse:
        system = adverse_system(job, chosen.specification, WitnessOpponent(answer))
    return Prepared(job, system, chosen.specification, chosen, answer=answer, warnings=(answer.sentence,))


def _covering_edges(job: Job, model: LoadedModel, progress: Progress | None) -> Prepared:
    """Play the pieces of a tour of all edges as the system answers."""
    if job.then_walk or job.adverse:
        raise UsageError(f"{COVER_EDGES} has no goal, and trusts to chance: leave --then-walk and --adverse out")
    game, goals = model.wanted(progress)
    answer = objective_named(COVER_EDGES).solve(game, goals)
    chosen = plan(answer)
    warned = (answer.sentence, *answer.warnings)
    return Prepared(job, system_of(job, model), chosen.specification, chosen, answer=answer, warnings=warned)


def _suite(job: Job, path: str) -> Prepared:
    if job.goal or job.adverse or job.cover:
        raise UsageError("--suite plays its own test cases: leave --goal, --adverse and --cover out")
    model = _model(job)
    suite = read_suite(path, largest=job.max_bytes or LARGEST)
    spec, warned = model.specification(), list[str]()
    short = suite.size is not None and suite.size <= TOLD_IN_PASSING
    then, suspected = suite_watchers(spec, job, warned.append, in_passing=short)
    found: dict[str, Any] = {"then": then, "suspected": suspected, "warnings": tuple(warned)}
    return Prepared(job, system_of(job, model), spec, suite=suite, **found)


def _model(job: Job) -> LoadedModel:
    if not job.model:
        raise UsageError("name a MODEL to play, or with --suite a file that `outplay suite` has written")
    return load_model(job)


def _target(game: Game, goals: tuple[str, ...]) -> Target:
    """Find what is to be reached; a goal that holds nowhere is a mistake that is best told at once."""
    found = find_target(game, goals)
    if not len(found.vertices):
        stopped = game.origin.stopped
        cure = f"exploring {stopped}" if stopped else "no way leads there; mend the goal or the model"
        raise UsageError(f"goal {' or '.join(found.names)} holds at none of {game.vertex_count:,} vertices: {cure}")
    return found


def _need_a_goal(job: Job) -> None:
    if job.tester not in (None, SUSPICION) or job.cover is not None or job.until_cleared is not None:
        raise UsageError("with a goal the best strategy for it plays: leave --tester, --cover and --until-cleared out")


def _need_no_goal(job: Job, kind: NamedTester) -> None:
    if job.adverse and not kind.covers:
        raise UsageError("--adverse needs a --goal to play against")
    if job.then_walk:
        raise UsageError(
            "--then-walk needs a --goal after which to walk; without one the tester goes on anyway: --steps"
        )
    if job.objective != "auto":
        raise UsageError(f"--objective {job.objective} needs a --goal to play for; without one --tester says who plays")


def _answer(target: Target, job: Job) -> tuple[Answer, tuple[str, ...]]:
    """Solve for the objective; `auto` is the strongest promise there is: sure, then almost sure, then likely."""
    if job.objective == "auto":
        return _strongest(target, job.assumption)
    objective = objective_named(job.objective)
    given = {name: value for name, value in (("method", job.method), ("epsilon", job.epsilon)) if value != _USUAL[name]}
    if "steps" in objective.options:
        given["steps"] = job.steps
    return objective.solve(target.game, target, **given), ()


def _strongest(target: Target, assumption: str) -> tuple[Answer, tuple[str, ...]]:
    sure = OBJECTIVES["win"].solve(target.game, target)
    if sure.value is not None:
        return sure, ()
    cannot = f"{sure.goal} cannot be forced under {assumption}"
    if target.game.origin.assumption is Assumption.INPUT_FAIR:
        return sure, (f"{cannot}; playing the shortest way to be lucky",)
    expectation = OBJECTIVES["expected"].solve(target.game, target)
    if (cost := expectation.value_of(target.game.initial)) is not None:
        return expectation, (f"{cannot}; playing for the least expected cost, {digits(cost)}",)
    likelihood = OBJECTIVES["probability"].solve(target.game, target)
    chance = likelihood.value_of(target.game.initial)
    impossible = f"{sure.goal} is impossible in this model"
    best = f"{cannot}; the best chance is {digits(chance)}" if chance else impossible
    return likelihood, (best,)


def _badness(game: Game, solution: Solution) -> Badness:
    """How bad a state is for the tester: lost states worst, then the expensive ones."""

    def bad(state: Any) -> float:
        vertex = game.origin.vertex(state)
        worth = -1.0 if vertex is None else float(solution.worth[vertex])
        return float("inf") if worth < 0 else worth

    return bad
