"""Planning a test: the tour of least cost is looked for in the unfolding, or where it is too large, in smaller ones.

Definition: see planned_tour.py. Where the unfolding is too large, predicates are underestimated if that is safe, and
else only some tests are looked at: the test shows what is said, but a cheaper one may do so too.
"""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction

from outplay.predicates.predicate_system import PredicateSystem
from outplay.predicates.system_model import SystemModel
from outplay.predicates.touring.bypassing import with_bypasses
from outplay.predicates.touring.planned_tour import PlannedTour
from outplay.predicates.touring.prediction import Prediction
from outplay.predicates.touring.problem_model import ProblemModel
from outplay.predicates.touring.quick_bounds import overestimated_bound, projected_bound
from outplay.predicates.unfolding.candidate_tests import among_candidates, classical_candidates
from outplay.predicates.unfolding.sheaf_graph import SheafGraph
from outplay.predicates.unfolding.underestimating import WIDTH
from outplay.predicates.unfolding.unfolding_limits import LargeUnfolding
from outplay.predicates.unfolding.unfoldings import determinized
from outplay.strategy.deadline import NEVER, Deadline, deadline
from outplay.strategy.tours.errand import NoTour

MOST_EXACT = 5_000
"""So many vertices can be toured in a minute or so; larger unfoldings are underestimated where that is safe."""
_WIDER = 4
_SEEING = 0.7  # the part of the time for finding out what tests show
_LEAST = 2.0  # seconds for a first test, so that of small machines there is one whatever the time
_BOUND = 10.0  # seconds for a bound where there is no limit


@contextmanager
def _uncollected() -> Iterator[None]:
    """Keep Python's garbage collector still while millions of small things are made that all stay.

    It looks through all of them again and again and finds nothing: so large machines are unfolded in half the time.
    """
    ran = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if ran:
            gc.enable()


@_uncollected()
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
    >>> from outplay.predicates.strategies.recognition import forward_recognition
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
    return _Approximation(model, system, expected, bypasses, most, width).found(until)


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
    walks = tuple(tuple(whole.edges[number] for number in part) for part in problem.stretches(found))
    return PlannedTour(problem, walks, cost, *bounds)


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
class _Approximation:
    """Where there are too many tests to look at all of them."""

    model: SystemModel
    system: PredicateSystem
    prediction: Prediction
    bypasses: bool
    most: int
    width: int

    def found(self, until: Deadline) -> PlannedTour | NoTour:
        """The best test that is found by then."""
        until = until.not_before(_LEAST)
        try:
            if not self.system.monotone:
                tests = classical_candidates(self.model)
                graph = among_candidates(self.model, self.system, tests, until=until.share(0.5))
                return solved(graph, self.prediction, bypasses=self.bypasses, until=until)
            found = self._widened(until.share(0.7))
        except LargeUnfolding as large:
            return NoTour((), str(large))
        return found if isinstance(found, NoTour) else _bounded(found, until)

    def _widened(self, until: Deadline) -> PlannedTour | NoTour:
        """The best test of unfoldings that say too little, each of which says more than the one before.

        Begins with a small width; `LargeUnfolding` where there is no time for that.
        """
        width, vertices = self.width, 0
        first = determinized(self.model, self.system, width=width, until=until)
        found = _toured(first, self.prediction, self.bypasses, until.share(0.5))
        while not until.passed and isinstance(found, PlannedTour):
            width = max(width, 1) * _WIDER
            try:
                graph = determinized(self.model, self.system, most=self.most, width=width, until=until.share(0.5))
                if len(graph.vertices) == vertices:
                    break
                vertices = len(graph.vertices)
                wider = _toured(graph, self.prediction, self.bypasses, until)
            except LargeUnfolding:
                break
            found = max(found, wider, key=_worth) if isinstance(wider, PlannedTour) else found
        return found


def _worth(planned: PlannedTour) -> tuple[int, tuple[Fraction, ...]]:
    """More goals are better, and then lower costs."""
    return -len(planned.problem.pursuit.hopeless), tuple(-part for part in planned.cost)
