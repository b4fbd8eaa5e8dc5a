"""The continuation of a test after its observations, and the systems that may still be at the other end.

Which systems may be at the other end, after what was observed. Kapus-Kolar 2007, 7.3: every observation leaves only the
implementations that can have shown it. A system that may choose anew each time can always show any transition of the
machine. One that is deterministic has made one choice for each state and input: what it showed once it will show again
there, so that the transitions beside it are ruled out.

How a test goes on after what was observed: the best continuation of a prefix. Kapus-Kolar 2007, 7.6: only tests that
begin with the inputs given so far are of interest, and of their runs only those that show what was observed. A
predicate that holds of every past but the empty one (p+) keeps the beginning of a test apart from later visits to the
root. For each way to read the past in view of what comes next, one edge stands for it, and all other edges that begin a
test go. The tour then enters the graph once, by one of these edges, and what the past has shown need not be shown
again.

There a test must not be refused and leads home whatever the system answers. Here that is asked only of what is possible
after the answers that were observed: where one of them has told the states apart, more inputs are safe.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from outplay.cancellation import deadline
from outplay.errors import UsageError
from outplay.grouping import grouped
from outplay.predicate_tours.approximation import LargeUnfolding
from outplay.predicate_tours.planned_tour import PlannedTour
from outplay.predicate_tours.predicate_system import PredicateSystem
from outplay.predicate_tours.sheaf_graph import MOST_RUNS, Prediction, Run, SheafEdge, SheafGraph, SheafVertex
from outplay.predicate_tours.system_model import MachineStep, SystemModel
from outplay.predicate_tours.tour_planning import MOST_EXACT, cheapest_test_in, plan_tour
from outplay.predicate_tours.unfoldings import determinized_unfolding
from outplay.strategy.tours.postman_problem import NoTour

MOST_READINGS = 10_000


class ManyReadings(UsageError):
    """There are too many runs to look at each of them."""


@dataclass(frozen=True)
class Belief:
    """All that may be true: the present state, and for a deterministic system the choices it is known to have made."""

    model: SystemModel
    readings: frozenset[tuple[int, frozenset[MachineStep]]]
    deterministic: bool

    def answers(self, given: str) -> set[str]:
        """The outputs that may answer an input now."""
        return {step.shown for state, made in self.readings for step in self._next(state, made, given)}

    def after(self, given: str, shown: str) -> Belief:
        """Return the belief after an input was answered; empty where no system of the kind answers so."""
        longer = set[tuple[int, frozenset[MachineStep]]]()
        for state, made in self.readings:
            for step in self._next(state, made, given):
                if step.shown == shown:
                    longer.add((step.target, made | {step} if self.deterministic else made))
        if len(longer) > MOST_READINGS:  # then choices are forgotten, and nothing is ruled out that may be true
            longer = {(state, frozenset()) for state, _ in longer}
        return replace(self, readings=frozenset(longer))

    def remaining(self) -> SystemModel:
        """The machine without the transitions that no possible system has any more."""
        ruled_out = [step for step in self.model.machine_steps if not self._possible(step)]
        return self.model.without(ruled_out) if ruled_out else self.model

    def _possible(self, step: MachineStep) -> bool:
        return any(step in _left([step], made) for _, made in self.readings)

    def _next(self, state: int, made: frozenset[MachineStep], given: str) -> list[MachineStep]:
        return _left(self.model.answers.get((state, given), []), made)


def initial_belief(model: SystemModel, *, deterministic: bool = False) -> Belief:
    """Return the belief about the system before anything was observed."""
    return Belief(model, frozenset([(model.root, frozenset())]), deterministic)


def runs_observed(
    model: SystemModel, observed: Sequence[tuple[str, str]], *, deterministic: bool = False
) -> list[tuple[MachineStep, ...]]:
    """Return the runs of the machine that show what was observed; no second choice where it is deterministic.

    Where there are too many of them, `ManyReadings` is raised.
    """
    runs: list[tuple[MachineStep, ...]] = [()]
    for label in observed:
        longer = []
        for run in runs:
            here = run[-1].target if run else model.root
            steps = [step for step in model.answers.get((here, label[0]), []) if step.shown == label[1]]
            longer += [(*run, step) for step in (_left(steps, frozenset(run)) if deterministic else steps)]
        runs = longer
        if len(runs) > MOST_READINGS:
            raise ManyReadings(f"more than {MOST_READINGS:,} runs show what was observed")
    return runs


def _left(steps: Iterable[MachineStep], made: frozenset[MachineStep]) -> list[MachineStep]:
    """The steps that go with the choices made."""
    chosen = {(one.source, one.given): one for one in made}
    return [step for step in steps if chosen.get((step.source, step.given), step) == step]


Observed: TypeAlias = Sequence[tuple[str, str]]
"""Inputs, each with the output that answered it; a reset is answered by itself."""


def plan_continuation(
    model: SystemModel,
    system: PredicateSystem,
    observed: Observed,
    *,
    prediction: Prediction | None = None,
    most: int = MOST_EXACT,
    time_limit: float | None = None,
) -> PlannedTour | NoTour:
    """Plan the test of least predicted cost that continues what was observed."""
    if not observed:
        return plan_tour(model, system, prediction=prediction, most=most, time_limit=time_limit)
    until = deadline(time_limit)
    if not model.possible_after(observed)[-1]:
        return NoTour((), "the machine cannot have shown what was observed")
    # Which past an edge stands for must never be underestimated (7.6 there), nor may what only some pasts show count.
    try:
        unfolded = determinized_unfolding(model, system, most=most, observed=observed, until=until.share(0.5))
        graph = graph_after_past(unfolded, observed)
        if not any(edge.past for edge in graph.edges):
            return NoTour((), "no test that is sure to lead back to the root begins with what was observed")
        return cheapest_test_in(graph, prediction or Prediction(), until=until)
    except (LargeUnfolding, ManyReadings) as error:
        return NoTour((), str(error))


def graph_after_past(graph: SheafGraph, observed: Observed) -> SheafGraph:
    """Return a sheaf graph in which all tests begin with what was observed."""
    edges = [edge for edge in graph.edges if not graph.is_entry(edge.source)]
    begun = graph.with_edges((*past_edges(graph, observed), *edges))
    met = {end for edge in begun.edges for end in (edge.source, edge.target)}
    return replace(begun, vertices=tuple(vertex for vertex in begun.vertices if vertex in met))


def past_edges(graph: SheafGraph, observed: Observed) -> list[SheafEdge]:
    """Return an edge for each vertex of a sheaf graph that what was observed leads to, with the runs that show it."""
    # Inputs and the last vertex determine the walk: the pasts follow from the inputs, the futures from the vertex.
    reached: dict[tuple[SheafVertex, SheafVertex], list[Run]] = {}
    for number, label in enumerate(observed):
        fitting = [edge for edge in graph.edges if edge.inputs == label[:1]]
        edges = [edge for edge in fitting if graph.is_entry(edge.source) == (number == 0)]
        if number == 0:
            longer = {(edge.source, edge.target): _runs(edge, label) for edge in edges}
        else:
            longer = {
                (start, edge.target): _joined(runs, _runs(edge, label))
                for (start, end), runs in reached.items()
                for edge in edges
                if edge.source == end
            }
        reached = {ends: runs for ends, runs in longer.items() if runs}
        if sum(map(len, reached.values())) > MOST_RUNS:
            raise ManyReadings(f"more than {MOST_RUNS:,} runs show what was observed")
    return [SheafEdge(start, end, frozenset(runs), past=True) for (start, end), runs in reached.items()]


def _runs(edge: SheafEdge, label: tuple[str, str]) -> list[Run]:
    return [run for run in edge.runs if run[0].step.label == label]


def _joined(runs: list[Run], further: list[Run]) -> list[Run]:
    begins = grouped((run[0].before, run) for run in further)
    return [run + more for run in runs for more in begins.get(run[-1].after, ())]
