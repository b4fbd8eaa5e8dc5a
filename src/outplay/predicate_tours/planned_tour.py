"""The test of least cost for a strategy, and what of the strategy it cannot show.

What of a strategy cannot be shown for sure, and why.

The test of least cost for a strategy: its inputs, its cost with a bound, and what cannot be shown. Definition
(Kapus-Kolar 2007, 7.4 and 7.5): among all sequences of inputs that the machine cannot refuse and that surely lead it
back to its root, one that is predicted to show all that is pursued at the least predicted cost. It is found as a
postman's tour in the problem model (tour_planning.py), and comes with a bound below which there is none.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from functools import cached_property
from itertools import groupby

from outplay.cancellation import NEVER, Deadline
from outplay.errors import UsageError
from outplay.game.reset import RESET
from outplay.predicate_tours.approximation import LargeUnfolding, possible_witnesses
from outplay.predicate_tours.evidence import Pursuit
from outplay.predicate_tours.predicate_system import Evidence
from outplay.predicate_tours.sheaf_graph import SheafEdge, SheafGraph, Vector
from outplay.predicate_tours.system_model import MachineStep
from outplay.predicate_tours.tour_problem import ProblemModel
from outplay.predicate_tours.unfoldings import unfolding
from outplay.strategy.tours.postman_problem import cost_gap


class Reason(Enum):
    """The reason why something cannot be shown for certain."""

    LEFT_OUT = "no test may meet the transition: there is no safe way there and back to the root"
    NO_TOUR = "no tour from the root and back shows it"
    NO_TEST = "some run shows it, but no inputs that surely lead back to the root have such a run"
    CHOICE = "whether it is shown is the system's choice, and it may choose what shows nothing that is wanted"
    WEAKER = "whether it is shown is the system's choice; one of several is pursued in its place"
    UNSEEN = "there are too many tests to see whether one surely shows it"
    PARTS = "not all of it comes together; as much as does is pursued"


@dataclass(frozen=True)
class Unwitnessed:
    """Something wanted that no test is predicted to show, and why."""

    evidence: Evidence
    reason: Reason


def _unwitnessed(graph: SheafGraph, pursuit: Pursuit, until: Deadline = NEVER) -> tuple[Unwitnessed, ...]:
    """All that is wanted and is no goal of its own, with the reason; where time is up, what is known of it by then."""
    weakened = [Unwitnessed(one, _weak(graph, pursuit, one)) for one in pursuit.weakened]
    if not pursuit.hopeless:
        return tuple(weakened)
    tested, toured = _shown(graph), _toured(graph, until)
    left_out = frozenset(graph.model.left_out)
    hopeless = []
    for one in pursuit.hopeless:
        if _step(one.subject) in left_out:
            reason = Reason.LEFT_OUT
        elif toured is None or one in pursuit.unseen or (graph.rounded and one.subject in toured):
            reason = Reason.UNSEEN
        elif one.subject in tested:
            reason = Reason.CHOICE
        else:
            reason = Reason.NO_TEST if one.subject in toured else Reason.NO_TOUR
        hopeless.append(Unwitnessed(one, reason))
    return (*weakened, *hopeless)


def _weak(graph: SheafGraph, pursuit: Pursuit, wanted: Evidence) -> Reason:
    if graph.rounded or wanted in pursuit.unseen:
        return Reason.UNSEEN
    shown = [one for one in _all_evidence(graph) if one.subject == wanted.subject]
    return Reason.WEAKER if any(one.implies(wanted) for one in shown) else Reason.PARTS


def _shown(graph: SheafGraph) -> set[Hashable]:
    return {one.subject for one in _all_evidence(graph)}


def _toured(graph: SheafGraph, until: Deadline) -> set[Hashable] | None:
    """Return what some tour shows; of an unfolding that says too little, what one may show at the very most.

    None where there are too many tours to see it in time.
    """
    model, system = graph.model, graph.system
    subjects = [one.subject for one in system.wanted]
    try:
        if not graph.rounded:
            return _shown(unfolding(model, system, until=until))
        if not system.monotone:
            return set(subjects)
        found = possible_witnesses(model, system, [[Evidence(subject)] for subject in subjects], until)
    except LargeUnfolding:
        return None
    return {subject for subject, steps in zip(subjects, found, strict=True) if steps}


def _all_evidence(graph: SheafGraph) -> set[Evidence]:
    parts = {part for edge in graph.edges for run in edge.runs for part in run}
    return {one for part in parts for one in graph.system.evidence(part)}


def _step(subject: Hashable) -> Hashable:
    """The transition that a subject is about, where it is about one."""
    return subject if isinstance(subject, MachineStep) else getattr(subject, "step", None)


@dataclass(frozen=True)
class PlannedTour:
    """A test that meets a strategy, or the tests where they must not be put one behind the other."""

    problem: ProblemModel
    walks: tuple[tuple[SheafEdge, ...], ...]
    """One for each time the test begins at the root anew."""
    cost: Vector
    bound: Vector
    """No test that meets the strategy is predicted to cost less; of an approximation, none that shows as much."""
    checked: Vector
    """The bound as far as it is proven in whole numbers, without the floats of HiGHS."""

    @property
    def approximate(self) -> bool:
        """Whether not all tests were looked at as what they are, because there are too many."""
        return self.problem.graph.rounded

    @property
    def limited(self) -> bool:
        """Whether there are too many ways through uncertain states to look at all of them."""
        return bool(self.problem.pursuit.unseen) or not (self.problem.outlook.complete or self.optimal)

    @property
    def optimal(self) -> bool:
        """Whether it is proven that no test costs less and shows as much."""
        return self.cost == self.bound and not self.problem.pursuit.unseen

    @property
    def gap(self) -> Fraction:
        """Return by how much the cost may be too high: 0 where the bound is reached, in the first criterion that
        differs.
        """
        return cost_gap(self.cost, self.bound)

    @property
    def tests(self) -> tuple[tuple[str, ...], ...]:
        """The inputs of each test that starts afresh: at a reset, or where tests must not be put behind others."""
        rows = [self.inputs] if self.is_one_test else [_inputs(walk) for walk in self.walks]
        parts = (tuple(part) for row in rows for reset, part in groupby(row, RESET.__eq__) if not reset)
        return tuple(parts)

    @property
    def is_one_test(self) -> bool:
        """Whether all of it can be played as one test: its walks may be put one behind the other, or there is one."""
        return self.problem.joins or len(self.walks) < 2

    @property
    def inputs(self) -> tuple[str, ...]:
        """All inputs in a row, resets among them."""
        if not self.is_one_test:
            raise UsageError("these are several tests, each from a fresh start: ask for `tests`")
        return tuple(given for walk in self.walks for given in _inputs(walk))

    @property
    def edges(self) -> tuple[SheafEdge, ...]:
        return tuple(edge for walk in self.walks for edge in walk)

    @cached_property
    def missing(self) -> tuple[Unwitnessed, ...]:
        """Return what cannot be shown for certain, each with the reason."""
        return self.missing_by(NEVER)

    def missing_by(self, until: Deadline) -> tuple[Unwitnessed, ...]:
        """The same, with the reasons that are found in time."""
        return _unwitnessed(self.problem.graph, self.problem.pursuit, until)


def _inputs(walk: Sequence[SheafEdge]) -> tuple[str, ...]:
    return tuple(given for edge in walk for given in edge.inputs)
