"""The testers that play without a goal: who they are by name, and how each is made.

One registry, from which `run --tester` draws. A new tester is a file with a `Tester` (`outplay.tester.tester`) and a
line here; what it needs is loaded when it is made.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from outplay.caching import user_cache
from outplay.errors import ModelError, UsageError, named
from outplay.game.exploring.breadth_first import Progress, states_to_explore
from outplay.game.graph import Game
from outplay.model.kinds import aspect_of, specification
from outplay.model.specification import Specification
from outplay.play.plan import PATIENCE, Plan, plan
from outplay.runs.job import Job
from outplay.runs.monitors.coverage_monitor import CoverageMonitor
from outplay.runs.preparing.loaded_model import LoadedModel
from outplay.runs.preparing.named_tester import NamedTester, Situation
from outplay.strategy.answer import Answer
from outplay.strategy.coverage.items import STATES, Sightings, items_to_cover
from outplay.tester.known_behaviour import MOST_STATES, KnownBehaviour
from outplay.tester.observed_tester import Continuation, GoalFirst, ObservedTester
from outplay.tester.portfolio import GRACE, LONGEST_GRACE, TURN_WITH_DATA, Member, Portfolio
from outplay.tester.suspicion_tester import FollowUpTester, SuspicionTester
from outplay.tester.tester import Tester, Walker

if TYPE_CHECKING:
    from outplay.runs.monitors.suspicion_monitor import SuspicionMonitor

SHARES = {"walk": 0.05, "coverage": 0.05}
"""The share of testers of the mix where nobody discovers more; what is left goes where most is discovered."""
SHARE_WITH_DATA = 0.3  # the same of the tester of switches, and of the one that suspects what can be listed
MIX, SUSPICION = Portfolio.name, SuspicionTester.name
FEW_DATA = 1  # integers from 0 to this are suspected in systems with data
MOST_STATES_FOR_TIES = 2_000  # explored so that suspicions can break ties: a goal should not wait for that
SEARCHED_FOR_TIES = 20_000  # vertices


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
    return SuspicionTester(known, situation.rng, restarts=job.plays is None and situation.ends)


def _mix(situation: Situation) -> Tester:
    """Let all testers take turns that can play the model; where there is but the walk, it walks."""
    from outplay.tester.switch_tester import SwitchTester

    system = aspect_of(situation.model, "symbolic")
    suspecting = _suspicious(situation) if system is None else _suspicious_of_few_data(situation, system)
    suspicious, walker = (suspecting.suspicions if suspecting else None), Walker(situation.rng)
    if suspecting is not None and suspicious is None:
        return suspecting
    each_once = 0 if suspicious is None or system is not None else len(suspicious.known.table.label)
    grace = min(max(GRACE, each_once), LONGEST_GRACE)
    further = [Member("coverage", FollowUpTester(suspicious), SHARES["coverage"], grace)] if suspicious else []
    further.append(Member("walk", walker, SHARES["walk"], grace))
    if system is None:
        assert suspicious is not None
        return Portfolio([Member(SUSPICION, suspicious), *further], walker.seen, suspicious)
    switches = SwitchTester(system, situation.rng)
    first = [Member("switches", switches, SHARE_WITH_DATA, grace=0)]
    first += [Member(SUSPICION, suspicious, SHARE_WITH_DATA, grace=0)] if suspicious else []
    ends = situation.ends and situation.job.plays is None
    return Portfolio([*first, *further], switches.news.taken, suspicious, turn=TURN_WITH_DATA, ends=ends, full=True)


def _suspicious_of_few_data(situation: Situation, system: Any) -> Tester | None:
    """Suspect what can be listed of a system with data: what it does with a few of them."""
    from outplay.model.symbolic.building import restricted

    job = situation.job
    try:
        few = specification(restricted(system, 0, FEW_DATA))
        known = _known(few, job, whole=False)
    except ModelError:
        return None
    except UsageError:  # what it shows cannot be listed even so
        return None
    return SuspicionTester(known, situation.rng, restarts=job.plays is None and situation.ends)


def goalless_tester(spec: Specification, job: Job, *, ends: bool = True) -> Tester:
    """Return the tester of a model without a goal, where nobody is named; it may end plays to start again."""
    return _suspicious(Situation(job, specification=spec, ends=ends))


def goalless_plan(
    job: Job, model: LoadedModel, progress: Progress | None = None, warn: Callable[[str], None] = lambda text: None
) -> tuple[Plan, Sightings | None, Game | None]:
    """Make the plan of the tester that a job without a goal names; with the game, where it needs one."""
    kind = tester_named(job.tester)
    counts = kind.explores or job.cover is not None
    game = model.game(progress) if counts or job.end_in else None
    spec = model.specification() if game is None else game.origin.specification
    sightings = Sightings(items_to_cover(game, job.cover or STATES)) if game and counts else None
    tester = kind.make(Situation(job, sightings, model.model, model.reset_cost, spec, warn=warn))
    return Plan(spec, tester), sightings, game


def suite_watchers(
    spec: Specification, job: Job, warn: Callable[[str], None] = lambda text: None, *, in_passing: bool = False
) -> tuple[Tester | None, SuspicionMonitor | None]:
    """Return the tester that sees the plays of a suite and orders its tests, and the monitor of what is cleared.

    Nobody where nothing of that is asked; in passing it is counted of small models.
    """
    if job.tester not in (None, SUSPICION):
        raise UsageError(f"--suite plays its own test cases; --tester {SUSPICION} puts them in order, others do not")
    if job.join and job.tester:
        raise UsageError("--join puts the tests in an order of its own: leave it out, or --tester")
    asked = job.tester is not None or job.extra_steps > 0 or job.until_cleared is not None
    if not asked and not in_passing:
        return None, None
    most = job.max_states if asked else min(job.max_states, MOST_STATES_FOR_TIES)
    warnings: list[str] = []
    tester = _suspicious(Situation(replace(job, max_states=most), specification=spec, ends=False, warn=warnings.append))
    if asked:
        for text in warnings:
            warn(text)
    if tester.suspicions is None:
        return tester if job.extra_steps else None, None
    if not asked and not tester.suspicions.known.complete:
        return None, None
    return tester, suspicion_monitor(tester, spec, job)


def goal_plan(answer: Answer, job: Job) -> tuple[Plan, Tester | None]:
    """Plan to follow an answer, with ties left to a suspicious tester; and the tester that goes on after the goal."""
    chosen, then = plan(answer), None
    ties = _has_ties(answer)
    if ties or job.extra_steps:
        most = job.max_states if job.extra_steps else min(job.max_states, MOST_STATES_FOR_TIES)
        then = goalless_tester(chosen.specification, replace(job, max_states=most), ends=False)
    if then and (suspicious := then.suspicions):
        moves = GoalFirst(answer, suspicious, patience=PATIENCE) if ties else chosen.tester
        chosen, then = replace(chosen, tester=ObservedTester(moves, suspicious)), Continuation(suspicious)
    return chosen, then if job.extra_steps else None


def _has_ties(answer: Answer) -> bool:
    """Say whether several moves are equally good somewhere; large games are not searched for it."""
    game, proven = answer.game, type(answer).as_good is not Answer.as_good
    if proven and game.vertex_count <= SEARCHED_FOR_TIES:
        return any(len(answer.as_good(vertex)) > 1 for vertex in range(game.vertex_count))
    return proven


def suspicion_monitor(tester: Tester, spec: Specification, job: Job) -> SuspicionMonitor | None:
    """Return the monitor of cleared suspicions, for a tester that plays for that or where it is a reason to stop."""
    suspicious = tester.suspicions
    if suspicious is None and job.until_cleared is None:
        return None
    from outplay.runs.monitors.suspicion_monitor import SuspicionMonitor

    known = suspicious.known if suspicious else _known(spec, job)
    return SuspicionMonitor(known, suspicious or tester, until=job.until_cleared)


def _known(spec: Specification, job: Job, *, whole: bool = True) -> KnownBehaviour:
    cache = None if job.no_cache else user_cache()
    most = min(MOST_STATES, states_to_explore(spec, job.max_states))
    return KnownBehaviour(spec, most=most, seconds=job.max_seconds, whole=whole, cache=cache)


def _coverer(situation: Situation) -> Tester:
    from outplay.strategy.coverage.replanning import RESTART, Replanning
    from outplay.tester.coverage_tester import CoverageTester

    sightings, cost = situation.sightings, situation.reset_cost
    assert sightings is not None
    strategy = Replanning(sightings, RESTART if cost is None else float(cost))
    return CoverageTester(sightings, situation.rng, strategy, patience=PATIENCE)


def _repeated_paths(situation: Situation) -> Tester:
    from outplay.strategy.coverage.repeated_execution import GAINS, RepeatedExecution
    from outplay.tester.coverage_tester import CoverageTester

    sightings, rng = situation.sightings, situation.rng
    assert sightings is not None
    named(situation.job.gain, GAINS, "gain")
    strategy = RepeatedExecution(sightings, rng, situation.job.gain)
    return CoverageTester(sightings, rng, strategy, patience=PATIENCE, wanders=False)


def _switches(situation: Situation) -> Tester:
    from outplay.tester.switch_tester import SwitchTester

    system = aspect_of(situation.model, "symbolic")
    if system is None:
        raise UsageError("--tester switches is for symbolic models (.sts), which have switches")
    return SwitchTester(system, situation.rng)


def _switch_monitor(tester: Any) -> CoverageMonitor:
    from outplay.runs.monitors.switch_monitor import SwitchMonitor

    return SwitchMonitor(tester.graph)


def _tour(situation: Situation) -> Tester:
    """Plan the test of least cost for the strategy of the job, and go on by what the system answers."""
    from outplay.predicate_tours.adaptive_tour import AdaptiveTour
    from outplay.predicate_tours.strategies import strategy_named
    from outplay.predicate_tours.system_model import system_model
    from outplay.suite.covering.tour_tests import machine_to_tour
    from outplay.suite.methods import SECONDS

    job = situation.job
    model = system_model(machine_to_tour(situation.model), reset=situation.reset_cost)
    limit = SECONDS if job.time_limit is None else job.time_limit
    return AdaptiveTour(
        model,
        strategy_named(job.strategy).make,
        deterministic=job.deterministic,
        budget=job.budget,
        time_limit=limit,
    )


_BUILT_IN = (
    NamedTester(MIX, "the others in turn, most often the one that discovers most", _mix),
    NamedTester(
        SUSPICION, "look for wrong answers and wrong target states, as many as possible per label", _suspicious
    ),
    NamedTester("walk", "random moves, preferring transitions not yet seen", _walker),
    NamedTester(
        "cover",
        "the cheapest way to what was not covered yet",
        _coverer,
        explores=True,
        covers=True,
        rehearsed=True,
        pays_for_starts=True,
        options=("time_limit", "adversarial", "budget"),
    ),
    NamedTester(
        "nt-plan",
        "paths to everything to be covered, one for each play, chosen by --gain (Wang et al. 2013)",
        _repeated_paths,
        explores=True,
        covers=True,
        pays_for_starts=True,
        options=("time_limit", "adversarial", "budget", "gain"),
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
    """Find a tester by its name: the mix of all, unless another is named."""
    return named(name or MIX, TESTERS, "tester")
