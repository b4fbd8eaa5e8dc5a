"""The test of least cost for a strategy: inputs, what may be answered, what each step shows, and what cannot be shown.

Definition (Kapus-Kolar 2007, 7.4 and 7.5): among all sequences of inputs that the machine cannot refuse and that surely
lead it back to its root, one that is predicted to show all that is pursued at the least predicted cost. It is found as
a postman's tour in the problem model, and comes with a bound below which there is none. Where the unfolding is too
large, predicates are underestimated if that is safe, and else only some tests are looked at: the test shows what is
said, but a cheaper one may do so too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import groupby

from outplay.errors import UsageError
from outplay.game.reset import RESET
from outplay.predicates.bypassing import with_bypasses
from outplay.predicates.candidate_tests import among_candidates, classical_candidates
from outplay.predicates.overestimated_bound import overestimated_bound
from outplay.predicates.predicate_system import PredicateSystem
from outplay.predicates.prediction import Prediction, Vector
from outplay.predicates.problem_model import ProblemModel
from outplay.predicates.projected_bound import projected_bound
from outplay.predicates.sheaf_graph import SheafEdge, SheafGraph
from outplay.predicates.system_model import SystemModel
from outplay.predicates.uncollected import uncollected
from outplay.predicates.underestimating import WIDTH
from outplay.predicates.unfolding_limits import LargeUnfolding
from outplay.predicates.unfoldings import determinized
from outplay.predicates.unwitnessed import Unwitnessed, unwitnessed
from outplay.predicates.witnessing import Pursued
from outplay.strategy.deadline import NEVER, Deadline, deadline
from outplay.strategy.tours.errand import NoTour

MOST_EXACT = 5_000
"""So many vertices can be toured in a minute or so; larger unfoldings are underestimated where that is safe."""
_WIDER = 4
_SEEING = 0.7  # the part of the time for finding out what tests show
_LEAST = 2.0  # seconds for a first test, so that of small machines there is one whatever the time
_BOUND = 10.0  # seconds for a bound where there is no limit


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
    def optimal(self) -> bool:
        return self.cost == self.bound

    @property
    def gap(self) -> Fraction:
        """How much of the cost may be too much, by the first criterion in which cost and bound differ."""
        pairs = zip(self.cost, self.bound, strict=True)
        return next(((cost - bound) / cost for cost, bound in pairs if cost != bound), Fraction(0))

    @property
    def tests(self) -> tuple[tuple[str, ...], ...]:
        """The inputs of each test that starts afresh: at a reset, or where tests must not be put behind others."""
        rows = [self.inputs] if self.in_a_row else [_inputs(walk) for walk in self.walks]
        parts = (tuple(part) for row in rows for reset, part in groupby(row, RESET.__eq__) if not reset)
        return tuple(parts)

    @property
    def in_a_row(self) -> bool:
        """Whether all of it can be played as one test: its walks may be put one behind the other, or there is one."""
        return self.problem.joins or len(self.walks) < 2

    @property
    def inputs(self) -> tuple[str, ...]:
        """All inputs in a row, resets among them."""
        if not self.in_a_row:
            raise UsageError("these are several tests, each from a fresh start: ask for `tests`")
        return tuple(given for walk in self.walks for given in _inputs(walk))

    @property
    def edges(self) -> tuple[SheafEdge, ...]:
        return tuple(edge for walk in self.walks for edge in walk)

    @cached_property
    def missing(self) -> tuple[Unwitnessed, ...]:
        """What cannot be shown for sure, each with the reason."""
        return self.missing_by(NEVER)

    def missing_by(self, until: Deadline) -> tuple[Unwitnessed, ...]:
        """The same, with the reasons that are found in time."""
        return unwitnessed(self.problem.graph, self.problem.pursuit, until)

    def shown_by(self, edge: SheafEdge) -> list[Pursued]:
        """The goals that an edge is a witness of."""
        number = self.problem.graph.edges.index(edge)
        return [goal for goal in self.problem.pursuit.goals if number in goal.edges]

    def lines(self) -> Iterator[str]:
        """The test in words: a line for each edge, with what may be answered and what is shown first there."""
        system, seen = self.problem.graph.system, set[Pursued]()
        for walk in self.walks:
            for edge in walk:
                new = [goal for goal in self.shown_by(edge) if goal not in seen]
                seen.update(new)
                shown = "; ".join(goal.in_words(system) for goal in new)
                yield _in_words(edge) + (f"   shows {shown}" if shown else "")


@uncollected()
def plan_tour(
    model: SystemModel,
    system: PredicateSystem,
    *,
    prediction: Prediction | None = None,
    bypasses: bool = True,
    most: int = MOST_EXACT,
    width: int = WIDTH,
    candidates: Iterable[Sequence[str]] | None = None,
    time_limit: float | None = None,
) -> PlannedTour | NoTour:
    """Find the test of least predicted cost that meets a strategy.

    Where the unfolding has more than `most` vertices, or takes more than half of the time, it is made smaller by
    underestimating: first `width` annotations wide, then wider, as long as there are few enough vertices and time.
    Where that is not safe, the test is put together from those of a simpler method, or from `candidates` if any are
    given. `time_limit` is for all of it, in seconds; where nothing was found by then, that is said.

    >>> from outplay.model.machine import Machine
    >>> from outplay.predicates.recognition import forward_recognition
    >>> from outplay.predicates.system_model import system_model
    >>> steps = (0, "press", "on", 1), (1, "press", "off", 0), (0, "wait", "dark", 0), (1, "wait", "light", 1)
    >>> lamp = system_model(Machine(("off", "on"), steps))
    >>> test = plan_tour(lamp, forward_recognition(lamp))
    >>> " ".join(test.inputs), test.optimal
    ('wait press wait press wait', True)
    """
    until, expected = deadline(time_limit), prediction or Prediction()
    try:
        if candidates is not None:
            graph = among_candidates(model, system, candidates)
        else:
            graph = determinized(model, system, most=most, until=until.share(0.5))
        return solved(graph, expected, bypasses=bypasses, until=until)
    except LargeUnfolding as large:
        if candidates is not None:
            return NoTour((), str(large))
    return _approximated(model, system, expected, bypasses=bypasses, most=most, width=width, until=until)


def _approximated(
    model: SystemModel,
    system: PredicateSystem,
    prediction: Prediction,
    *,
    bypasses: bool,
    most: int,
    width: int,
    until: Deadline,
) -> PlannedTour | NoTour:
    """The best test that is found where there are too many tests to look at all of them."""
    until = until.not_before(_LEAST)
    try:
        if not system.monotone:
            graph = among_candidates(model, system, classical_candidates(model), until=until.share(0.5))
            return solved(graph, prediction, bypasses=bypasses, until=until)
        found = Widening(model, system, prediction, bypasses, most, until.share(0.7)).best(width)
    except LargeUnfolding as large:
        return NoTour((), str(large))
    return found if isinstance(found, NoTour) else _bounded(found, until)


def solved(
    graph: SheafGraph, prediction: Prediction, *, bypasses: bool = True, until: Deadline = NEVER
) -> PlannedTour | NoTour:
    """The test of least predicted cost among those of a sheaf graph, with the best bound."""
    found = _toured(graph, prediction, bypasses, until)
    return found if isinstance(found, NoTour) else _bounded(found, until)


def _toured(graph: SheafGraph, prediction: Prediction, bypasses: bool, until: Deadline) -> PlannedTour | NoTour:
    """The test with the bound that its graph proves, which is none where predicates are underestimated."""
    whole = with_bypasses(graph, prediction, until=until.share(0.2)) if bypasses else graph
    problem = ProblemModel(whole, prediction, until.share(_SEEING))
    found = problem.solve(until)
    if isinstance(found, NoTour):
        return found
    # The first column counts how often the tour enters the graph, which is no cost of the test.
    cost, bounds = found.cost[1:], (found.bound[1:], found.checked[1:])
    if graph.rounded:
        bounds = (graph.model.nothing,) * 2
    return PlannedTour(problem, tuple(_walks(problem, found.walk)), cost, *bounds)


def _bounded(planned: PlannedTour, until: Deadline) -> PlannedTour:
    """The test with the bound of the steps alone, or of an unfolding that says too much, if one of them is better."""
    found, until = planned, (until.within(_BOUND) if until.left is None else until).not_before(_LEAST)
    for bound in (projected_bound, overestimated_bound) if planned.approximate else (projected_bound,):
        least = None if found.optimal else bound(found.problem, until)
        if least is not None:
            least = min(found.cost, least)
            found = replace(found, bound=max(found.bound, least), checked=max(found.checked, least))
    return found


@dataclass(frozen=True)
class Widening:
    """Looks for a test in unfoldings that say too little, each of which says more than the one before."""

    model: SystemModel
    system: PredicateSystem
    prediction: Prediction
    bypasses: bool
    most: int
    until: Deadline

    def best(self, width: int) -> PlannedTour | NoTour:
        """The best test, beginning with a small width; `LargeUnfolding` where there is no time for that."""
        first = determinized(self.model, self.system, width=width, until=self.until)
        found, vertices = self._tour(first, self.until.share(0.5)), 0
        while not self.until.passed and isinstance(found, PlannedTour):
            width = max(width, 1) * _WIDER
            try:
                graph = determinized(self.model, self.system, most=self.most, width=width, until=self.until.share(0.5))
                if len(graph.vertices) == vertices:
                    break
                vertices = len(graph.vertices)
                wider = self._tour(graph, self.until)
            except LargeUnfolding:
                break
            found = max(found, wider, key=_worth) if isinstance(wider, PlannedTour) else found
        return found

    def _tour(self, graph: SheafGraph, until: Deadline) -> PlannedTour | NoTour:
        return _toured(graph, self.prediction, self.bypasses, until)


def _worth(planned: PlannedTour) -> tuple[int, tuple[Fraction, ...]]:
    """More goals are better, and then lower costs."""
    return -len(planned.problem.pursuit.hopeless), tuple(-part for part in planned.cost)


def _walks(problem: ProblemModel, tour: Sequence[int]) -> Iterator[tuple[SheafEdge, ...]]:
    """The stretches of a tour within the graph."""
    edges, walk = problem.graph.edges, list[SheafEdge]()
    for number in tour:
        if number < len(edges):
            walk.append(edges[number])
        elif walk:
            yield tuple(walk)
            walk = []
    if walk:
        yield tuple(walk)


def _inputs(walk: Sequence[SheafEdge]) -> tuple[str, ...]:
    return tuple(given for edge in walk for given in edge.inputs)


def _in_words(edge: SheafEdge) -> str:
    """Inputs and what may answer them."""
    answers = sorted({" ".join(part.step.shown for part in run) for run in edge.runs})
    return f"{' '.join(edge.inputs)} / {' | '.join(answers)}"
