"""Suites that meet a strategy of predicates at the least cost: one test case for each fresh start of the tour.

See `outplay.predicate_tours`: Kapus-Kolar 2007. Without resets the tour is one test that leads the machine back to
where it began; with `--reset-cost` it may start afresh, and falls apart into tests there. An adaptive test goes on by
what the system answers, and resets are among its inputs.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from outplay.cancellation import deadline
from outplay.errors import UsageError
from outplay.game.exploring.breadth_first import Progress
from outplay.game.reset import ResettableSpecification
from outplay.model.kinds import aspect_of
from outplay.model.label import INPUT, Label
from outplay.model.machine import Machine
from outplay.model.tracking import Tracker
from outplay.plurals import counted
from outplay.predicate_tours.adaptive_tour import AdaptiveTour
from outplay.predicate_tours.planned_tour import PlannedTour, Unwitnessed
from outplay.predicate_tours.sheaf_graph import cost_vector_text
from outplay.predicate_tours.strategies import strategy_named
from outplay.predicate_tours.system_model import system_model
from outplay.predicate_tours.tour_planning import plan_tour
from outplay.strategy.tours.postman_problem import NoTour
from outplay.suite.from_tester import case_from_tester
from outplay.suite.methods import SECONDS, Subject
from outplay.suite.suite import Stream, Suite, TestCase
from outplay.tester.tester import Decision, Give, Stop, TraceBased, Wait

USUAL = "transitions"
_REASONS = 5.0  # seconds for finding out why something cannot be shown
MOST_NAMED = 10


def tour_suite(
    subject: Subject,
    *,
    strategy: str = USUAL,
    adaptive: bool = False,
    time_limit: float = SECONDS,
    progress: Progress | None = None,
) -> Suite:
    """Make the suite of a tour of least cost for a testing strategy; after `time_limit` seconds the best found."""
    chosen, until = strategy_named(strategy), deadline(time_limit)
    model = system_model(machine_to_tour(subject.model), reset=subject.reset_cost)
    guarantee = f"nothing forbidden was seen in tests that {chosen.summary}, as far as tests can"
    if adaptive:
        return _adaptive(subject, AdaptiveTour(model, chosen.make, until=until), strategy, guarantee)
    found, spec = plan_tour(model, chosen.make(model), time_limit=until.left), subject.bare()
    if isinstance(found, NoTour):
        raise UsageError(f"no tour found for {strategy}: {found.why}")
    tests = found.tests

    def cases() -> Iterator[TestCase]:
        for number, test in enumerate(tests, 1):
            yield case_from_tester(InTurn(test), spec, name=f"{strategy} {number}")

    labels = 2 * sum(map(len, tests))  # each input and its answer
    made = Suite(tests=Stream(cases), guarantee=guarantee, remarks=TourRemarks(found))
    return replace(made, count=len(tests), labels=labels)


def _adaptive(subject: Subject, tester: AdaptiveTour, strategy: str, guarantee: str) -> Suite:
    """One test, which starts the system again by itself where that is allowed."""
    bare = subject.bare()
    spec = bare if subject.reset_cost is None else ResettableSpecification(bare)
    case = case_from_tester(tester, spec, name=f"{strategy} 1")
    return Suite(tests=(case,), guarantee=guarantee, remarks=TourRemarks(tester.plan))


def machine_to_tour(model: Any) -> Machine:
    """Return the machine of a model that tours walk on, or raise an error for a model without one."""
    found: Machine | None = aspect_of(model, "machine")
    if found is not None:
        return found
    raise UsageError(
        "tours are walks of machines, in which each input is answered: read a .dot, .fsm or .efsm of one; "
        "GraphWalker models have --method walk, and all models --method edges"
    )


class InTurn(TraceBased):
    """Gives inputs one after the other, each when the one before was answered; remembers how many, and whether."""

    start = (0, True)

    def __init__(self, inputs: tuple[str, ...]) -> None:
        self._inputs = inputs

    def choose(self, tracker: Tracker, memory: tuple[int, bool]) -> Decision:
        given, answered = memory
        if not answered:
            return Wait()
        return Give(Label(INPUT, self._inputs[given])) if given < len(self._inputs) else Stop()

    def remember(self, tracker: Tracker, memory: tuple[int, bool], label: Label) -> tuple[int, bool]:
        given, answered = memory
        return (given + 1, False) if label.is_input else (given, answered or label.is_output)


@dataclass(frozen=True)
class TourRemarks:
    """The cost of a tour, how good that is, and what it cannot show."""

    tour: PlannedTour

    @cached_property
    def missing(self) -> tuple[Unwitnessed, ...]:
        """Return what cannot be shown, with the reasons that are soon found."""
        return self.tour.missing_by(deadline(_REASONS))

    def json(self) -> dict[str, Any]:
        words = self.tour.problem.graph.system.in_words
        return {
            "inputs": sum(map(len, self.tour.tests)),
            "cost": [str(part) for part in self.tour.cost],
            "bound": [str(part) for part in self.tour.bound],
            "checked": [str(part) for part in self.tour.checked],
            "gap": float(self.tour.gap),
            "optimal": self.tour.optimal,
            "approximate": self.tour.approximate or self.tour.limited,
            "goals": len(self.tour.problem.pursuit.goals),
            "missing": [{"what": words(one.evidence), "why": one.reason.value} for one in self.missing],
        }

    def lines(self) -> list[str]:
        missing, words = self.missing, self.tour.problem.graph.system.in_words
        cost, bound = cost_vector_text(self.tour.cost), cost_vector_text(self.tour.bound)
        proved = (
            "no test costs less" if self.tour.optimal else f"no test costs less than {bound} ({_percent(self.tour)})"
        )
        if self.tour.checked < self.tour.bound:
            proved += f" (found in floats; in whole numbers {cost_vector_text(self.tour.checked)} is proven)"
        lines = [f"cost {cost}; {proved}; {counted(len(self.tour.problem.pursuit.goals), 'goal')} met"]
        if self.tour.limited:
            lines.append(
                "too many ways lead through uncertain states to look at all of them: nothing is called optimal"
            )
        if self.tour.approximate:
            lines.append("there are too many tests to look at all of them; a cheaper one may show as much")
        for reason in dict.fromkeys(one.reason for one in missing):
            named = [words(one.evidence) for one in missing if one.reason is reason]
            more = [f"and {len(named) - MOST_NAMED:,} more"] if len(named) > MOST_NAMED else []
            lines += [f"not shown surely, since {reason.value}:", *(f"  {one}" for one in [*named[:MOST_NAMED], *more])]
        return lines


def _percent(tour: PlannedTour) -> str:
    """Return by how much a cost lies above its bound at most; rounded up, so that a gap is never called none."""
    tenths = math.ceil(tour.gap * 1000)
    return f"a gap of {tenths / 10:.1f} %"
