"""The testers that play without a goal: who they are by name, and how each is made.

One registry, from which `run --tester` draws. A new tester is a file with a `Tester` (`outplay.tester.tester`) and a
line here; what it needs is loaded when it is made.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from random import Random
from typing import TYPE_CHECKING, Any

from outplay.campaign.job import Job
from outplay.campaign.preparing.loaded_model import LoadedModel
from outplay.campaign.watching.coverage_monitor import CoverageMonitor
from outplay.errors import ModelError, UsageError, named
from outplay.game.exploring.breadth_first import Progress
from outplay.model.kinds import seen_as
from outplay.model.specification import Specification
from outplay.play.plan import PATIENCE, Plan, plan
from outplay.strategy.answer import Answer
from outplay.strategy.coverage.items import STATES, Sightings, items_of
from outplay.tester.known_behaviour import MOST_STATES, KnownBehaviour
from outplay.tester.seen_tester import GoalFirst, GoingOn, SeenTester
from outplay.tester.suspicious import Suspicious
from outplay.tester.tester import Tester
from outplay.tester.walker import Walker

if TYPE_CHECKING:
    from outplay.campaign.watching.suspicion_monitor import SuspicionMonitor

SUSPICION = "suspicion"
MOST_STATES_FOR_TIES = 2_000  # explored so that suspicions can break ties: a goal should not wait for that
SEARCHED_FOR_TIES = 20_000  # vertices


@dataclass(frozen=True)
class Situation:
    """What a tester is made from: the job and, where the model was explored, what there is to be seen of its game."""

    job: Job
    sightings: Sightings | None = None
    model: Any = None
    """The model as it was read."""
    reset_cost: Fraction | None = None
    """What it costs to start the system again in the middle of a play, where that is allowed."""
    specification: Specification | None = None
    """What plays are followed by."""
    ends: bool = True
    """Whether it may end a play to start again."""
    warn: Callable[[str], None] = lambda text: None
    """Takes what the user should know."""

    @property
    def rng(self) -> Random:
        """Chance from the seed of the job."""
        return Random(self.job.seed)


@dataclass(frozen=True)
class NamedTester:
    """One kind of tester: a sentence, how it is made, and whether it needs the model explored."""

    name: str
    summary: str
    make: Callable[[Situation], Tester]
    explores: bool = False
    covers: bool = False
    """Whether it plays for coverage alone, so that it has nothing to do when all is covered."""
    monitor: Callable[[Any], CoverageMonitor] | None = None
    """Who counts what its plays cover, where that is nothing of a game."""
    options: tuple[str, ...] = ()
    """The fields of a job that have a say in how it plays, and in no other tester's play."""


def _walker(situation: Situation) -> Tester:
    return Walker(situation.rng)


def _suspicious(situation: Situation) -> Tester:
    """Explore what there is room for; where labels cannot be listed, there is nothing to explore."""
    job, spec = situation.job, situation.specification
    assert spec is not None
    try:
        known = _known(spec, job)
    except ModelError as error:  # whoever gets there in a play will be told again, and everywhere else can be played
        situation.warn(f"exploring the model failed, so it is walked at random: {error}")
        return Walker(situation.rng)
    except UsageError:
        situation.warn("the labels of this model cannot be listed, so it is walked at random: --tester walk")
        return Walker(situation.rng)
    return Suspicious(known, situation.rng, restarts=job.plays > 1 and situation.ends)


def aimless_tester(spec: Specification, job: Job, *, ends: bool = True) -> Tester:
    """Who plays a specification where nobody is named; it may end plays to start again."""
    return _suspicious(Situation(job, specification=spec, ends=ends))


def aimless_plan(
    job: Job, model: LoadedModel, progress: Progress | None = None, warn: Callable[[str], None] = lambda text: None
) -> tuple[Plan, Sightings | None]:
    """Whoever a job names plays a model; where that or the coverage takes a game, with what there is to be seen."""
    kind = tester_named(job.tester)
    game = model.game(progress) if kind.explores or job.cover is not None else None
    spec = model.specification() if game is None else game.origin.specification
    sightings = None if game is None else Sightings(items_of(game, job.cover or STATES))
    return Plan(spec, kind.make(Situation(job, sightings, model.model, model.reset_cost, spec, warn=warn))), sightings


def suite_watchers(
    spec: Specification, job: Job, warn: Callable[[str], None] = lambda text: None, *, in_passing: bool = False
) -> tuple[Tester | None, SuspicionMonitor | None]:
    """Who sees the plays of a suite, puts its tests in order or goes on after them; and who counts what is cleared.

    Nobody where nothing of that is asked; in passing it is counted of small models.
    """
    if job.tester not in (None, SUSPICION):
        raise UsageError(f"--suite plays its own test cases; --tester {SUSPICION} puts them in order, others do not")
    if job.join and job.tester:
        raise UsageError("--join puts the tests in an order of its own: leave it out, or --tester")
    asked = job.tester is not None or job.then_walk > 0 or job.until_cleared is not None
    if not asked and not in_passing:
        return None, None
    most = job.max_states if asked else min(job.max_states, MOST_STATES_FOR_TIES)
    warnings: list[str] = []
    tester = _suspicious(Situation(replace(job, max_states=most), specification=spec, ends=False, warn=warnings.append))
    if asked:
        for text in warnings:
            warn(text)
    if not isinstance(tester, Suspicious):
        return tester if job.then_walk else None, None
    if not asked and not tester.known.complete:
        return None, None
    return tester, suspicion_monitor(tester, spec, job)


def goal_plan(answer: Answer, job: Job) -> tuple[Plan, Tester | None]:
    """Follow an answer, with ties left to suspicions where there are some; and who goes on after the goal, if any."""
    chosen, then = plan(answer), None
    ties = _has_ties(answer)
    if ties or job.then_walk:
        most = job.max_states if job.then_walk else min(job.max_states, MOST_STATES_FOR_TIES)
        then = aimless_tester(chosen.specification, replace(job, max_states=most), ends=False)
    if isinstance(then, Suspicious):
        moves = GoalFirst(answer, then, patience=PATIENCE) if ties else chosen.tester
        chosen, then = replace(chosen, tester=SeenTester(moves, then)), GoingOn(then)
    return chosen, then if job.then_walk else None


def _has_ties(answer: Answer) -> bool:
    """Whether several moves are equally good somewhere; large games are not searched for it."""
    game, proven = answer.game, type(answer).as_good is not Answer.as_good
    if proven and game.vertex_count <= SEARCHED_FOR_TIES:
        return any(len(answer.as_good(vertex)) > 1 for vertex in range(game.vertex_count))
    return proven


def suspicion_monitor(tester: Tester, spec: Specification, job: Job) -> SuspicionMonitor | None:
    """Who counts what is cleared, by a tester that plays for that or where it is a reason to stop."""
    if not isinstance(tester, Suspicious) and job.until_cleared is None:
        return None
    from outplay.campaign.watching.suspicion_monitor import SuspicionMonitor

    if isinstance(tester, Suspicious):
        return SuspicionMonitor(tester.known, tester, tester.player.pairs, until=job.until_cleared)
    return SuspicionMonitor(_known(spec, job), tester, until=job.until_cleared)


def _known(spec: Specification, job: Job) -> KnownBehaviour:
    return KnownBehaviour(spec, most=min(MOST_STATES, job.max_states), seconds=job.max_seconds)


def _coverer(situation: Situation) -> Tester:
    from outplay.tester.coverer import Coverer

    assert situation.sightings is not None
    return Coverer(situation.sightings, situation.rng, patience=PATIENCE)


def _switches(situation: Situation) -> Tester:
    from outplay.tester.switch_tester import SwitchTester

    system = seen_as(situation.model, "symbolic")
    if system is None:
        raise UsageError("--tester switches is for symbolic models (.sts), which have switches")
    return SwitchTester(system, situation.rng)


def _switch_monitor(tester: Any) -> CoverageMonitor:
    from outplay.campaign.watching.switch_monitor import SwitchMonitor

    return SwitchMonitor(tester.graph)


def _tour(situation: Situation) -> Tester:
    """Plan the test of least cost for the strategy of the job, and go on by what the system answers."""
    from outplay.predicates.strategies.ready_strategies import strategy_named
    from outplay.predicates.system_model import system_model
    from outplay.predicates.tour_playing.adaptive_tour import AdaptiveTour
    from outplay.suite.covering.tour_tests import machine_of
    from outplay.suite.methods import SECONDS

    job = situation.job
    model = system_model(machine_of(situation.model), reset=situation.reset_cost)
    limit = SECONDS if job.time_limit is None else job.time_limit
    return AdaptiveTour(
        model,
        strategy_named(job.strategy).make,
        deterministic=job.deterministic,
        budget=job.budget,
        time_limit=limit,
    )


_BUILT_IN = (
    NamedTester(SUSPICION, "against what may be wrong, where most of it is met for each label", _suspicious),
    NamedTester("walk", "at random, preferring transitions not yet seen", _walker),
    NamedTester(
        "cover",
        "to what was not covered yet, by the cheapest way",
        _coverer,
        explores=True,
        covers=True,
        options=("time_limit", "adverse"),
    ),
    NamedTester(
        "switches", "along the switches of a symbolic model, data chosen on the way", _switches, monitor=_switch_monitor
    ),
    NamedTester(
        "tour",
        "a tour of least cost for --strategy, planned anew after each choice of the system",
        _tour,
        options=("strategy", "deterministic", "budget", "time_limit"),
    ),
)
TESTERS: dict[str, NamedTester] = {kind.name: kind for kind in _BUILT_IN}
"""All testers by name; put one of your own beside them and `run --tester` knows it."""


def tester_named(name: str | None) -> NamedTester:
    """Find a tester: the one that suspects, unless another is named."""
    return named(name or SUSPICION, TESTERS, "tester")
