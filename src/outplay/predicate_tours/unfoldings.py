"""Unfoldings: a machine split until every state knows which predicates hold of its past and of its future.

Definition (Kapus-Kolar 2007, 3.8 and 3.9). The unfolding of a tour annotates each of its states. `unfolding` has the
vertices and edges of the unfoldings of all tours (unf, Figure 2). `determinized` has those of all tests: sequences of
inputs that the machine cannot refuse and that surely lead back to the root, all runs of one test in one sheaf (dunf,
Figure 5). Both come from the same construction: from the machine, made deterministic by inputs or left as it is, each
stage walks forwards and splits by what holds of the past, then backwards and splits by what holds of the future. Each
walk takes time proportional to the graph it makes, which may be exponential in the predicates. With a `width` it is
kept small by saying less (approximation.py). After something was observed, the tests are those that go on from there:
what the system did not answer need not be reckoned with any more.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import NamedTuple, TypeAlias

from outplay.cancellation import NEVER, Deadline
from outplay.errors import UsageError
from outplay.grouping import grouped
from outplay.predicate_tours.approximation import Rounding, RoundingUp, UnfoldingLimits, check_deadline
from outplay.predicate_tours.predicate_system import (
    NOTHING,
    Annotated,
    AnnotatedStep,
    Predicates,
    PredicateSystem,
    Stage,
)
from outplay.predicate_tours.sheaf_graph import SheafEdge, SheafGraph
from outplay.predicate_tours.system_model import MachineStep, SystemModel

MOST_VERTICES = 100_000

_Set: TypeAlias = frozenset[int]
_Member: TypeAlias = tuple[int, MachineStep, int]


def unfolding(
    model: SystemModel, system: PredicateSystem, *, most: int = MOST_VERTICES, until: Deadline = NEVER
) -> SheafGraph:
    """Unfold all tours of a machine with their predicates, as if the tester could choose the system's answers, too."""
    return _unfold(model, system, lambda step: step, UnfoldingLimits(most, until))


def determinized_unfolding(
    model: SystemModel,
    system: PredicateSystem,
    *,
    most: int = MOST_VERTICES,
    width: int | None = None,
    observed: Sequence[tuple[str, str]] = (),
    until: Deadline = NEVER,
) -> SheafGraph:
    """Unfold all tests of a machine with their predicates: each edge stands for all answers to one input.

    With a `width` predicates are underestimated, which only rules that are monotone allow. After what was `observed`,
    tests begin with that, and only answers that were given count for it; `Begun` says of every past how much is over.
    What has more than `most` vertices, or takes too long, is a `LargeUnfolding`.
    """
    if width is not None and not system.monotone:
        raise UsageError(f"the rules of {system.name} are not monotone, so that nothing may be underestimated")
    rounding = None if width is None else partial(Rounding, width)
    return _unfold(model, system, lambda step: step.given, UnfoldingLimits(most, until), rounding, observed)


def overestimated_unfolding(
    model: SystemModel, system: PredicateSystem, *, width: int, until: Deadline = NEVER
) -> SheafGraph:
    """Unfold all tests of a machine with more predicates than hold: for each test a walk that shows no less."""
    return _unfold(
        model, system, lambda step: step.given, UnfoldingLimits(MOST_VERTICES, until), partial(RoundingUp, width)
    )


class Begun(NamedTuple):
    """The number of observed labels that are past; holds of all pasts but the empty one (p+, 7.6 there)."""

    labels: int


@dataclass
class _Unfolded:
    """The graph after one walk: annotated states by number, and edges between sets of them."""

    states: list[Annotated] = field(default_factory=list)
    vertices: list[_Set] = field(default_factory=list)
    edges: list[tuple[_Set, _Set, tuple[_Member, ...]]] = field(default_factory=list)


def _unfold(
    model: SystemModel,
    system: PredicateSystem,
    key: Callable[[MachineStep], Hashable],
    limits: UnfoldingLimits,
    rounding: Callable[..., Rounding] | None = None,
    observed: Sequence[tuple[str, str]] = (),
) -> SheafGraph:
    begun: Predicates = frozenset([Begun(len(observed))] if observed else [])
    layer = _by_inputs(model, key, limits, begun, frozenset(model.possible_after(observed)[-1]))
    if observed:
        _observe(layer, model, observed)
    past: Predicates = NOTHING
    future: Predicates = NOTHING
    for number, stage in enumerate(system.stages):
        if stage.forward is not None or stage.past_at_start:
            layer = _Traversal(layer, stage, limits, rounding, forward=True).walk(model.root, past)
        past |= stage.past_at_start
        if number == 0 or stage.backward is not None or stage.future_at_end:
            layer = _Traversal(layer, stage, limits, rounding, forward=False).walk(model.root, future, begun)
        future |= stage.future_at_end
    graph = replace(_graph(model, system, layer, limits.until), begun=begun)
    return graph if rounding is None else replace(graph, rounded=True).with_edges(graph.edges)


def _by_inputs(
    model: SystemModel, key: Callable[[MachineStep], Hashable], limits: UnfoldingLimits, begun: Predicates, first: _Set
) -> _Unfolded:
    """The machine made deterministic: an input is followed only where every possible state takes it."""
    layer = _Unfolded([Annotated(state, begun) for state in model.states], [first])
    known = set(layer.vertices)
    for vertex in layer.vertices:  # grows on the way
        chosen = grouped((key(step), step) for state in vertex for step in model.steps_from[state])
        for steps in chosen.values():
            if {step.source for step in steps} == vertex:
                target = frozenset(step.target for step in steps)
                layer.edges.append((vertex, target, tuple((step.source, step, step.target) for step in steps)))
                if target not in known:
                    known.add(target)
                    layer.vertices.append(target)
        limits.check(layer.vertices)
    return layer


def _observe(layer: _Unfolded, model: SystemModel, observed: Sequence[tuple[str, str]]) -> None:
    """Put the way of what was observed before a layer; it has states of its own, so that it is gone only once."""
    possible = model.possible_after(observed)
    behind = {state: state for state in possible[-1]}
    for place in reversed(range(len(observed))):
        steps = [one for one in model.machine_steps if one.label == observed[place] and one.target in behind]
        steps = [one for one in steps if one.source in possible[place]]
        marks = frozenset([Begun(place)]) if place else NOTHING
        copies = {state: len(layer.states) + at for at, state in enumerate(sorted({one.source for one in steps}))}
        layer.states += [Annotated(state, marks) for state in copies]
        members = tuple((copies[one.source], one, behind[one.target]) for one in steps)
        layer.edges.append((frozenset(copies.values()), frozenset(behind.values()), members))
        behind = copies
    layer.vertices.append(frozenset(behind.values()))


class _Traversal:
    """One walk over a layer that makes the next one; backwards, every edge is taken the other way round."""

    def __init__(
        self,
        old: _Unfolded,
        stage: Stage,
        limits: UnfoldingLimits,
        rounding: Callable[..., Rounding] | None,
        *,
        forward: bool,
    ) -> None:
        self.old, self.new, self.stage, self.limits, self.forward = old, _Unfolded(), stage, limits, forward
        self.rounding = None if rounding is None else rounding(forward=forward)
        self.old_of: list[int] = []
        self.numbers: dict[Annotated, int] = {}
        self.further: dict[tuple[int, MachineStep, int], int] = {}
        self.edges_at: dict[_Set, list[dict[int, list[tuple[MachineStep, int]]]]] = {}
        for source, target, members in old.edges:
            near: dict[int, list[tuple[MachineStep, int]]] = {}
            for before, step, after in members:
                start, end = (before, after) if forward else (after, before)
                near.setdefault(start, []).append((step, end))
            self.edges_at.setdefault(source if forward else target, []).append(near)

    def walk(self, root: int, empty: Predicates, begun: Predicates = NOTHING) -> _Unfolded:
        """Follow the old edges from all places where tests begin (forwards) or end (backwards, with a past)."""
        self.new.vertices += dict.fromkeys(self.seeds(root, empty, begun))
        known = set(self.new.vertices)
        for vertex in self.new.vertices:  # grows on the way
            for near in self.edges_at.get(frozenset(self.old_of[one] for one in vertex), ()):
                far = self.follow(vertex, near)
                if far not in known:
                    known.add(far)
                    self.new.vertices.append(far)
            self.limits.check(self.new.vertices)
        return self.new

    def seeds(self, root: int, empty: Predicates, begun: Predicates) -> Iterable[_Set]:
        for vertex in self.old.vertices:
            states = [self.old.states[one] for one in vertex]
            here = all(one.state == root and begun <= one.past for one in states)
            if here and all((one.past if self.forward else one.future) == empty for one in states):
                first = [self.stage.begun(one, forward=self.forward) for one in states]
                yield frozenset(map(self.number, first, vertex))

    def follow(self, vertex: _Set, near: dict[int, list[tuple[MachineStep, int]]]) -> _Set:
        """The vertex behind an old edge; the new edge is kept."""
        found = [(one, step, self.behind(one, step, far)) for one in vertex for step, far in near[self.old_of[one]]]
        reached = frozenset(far for _, _, far in found)
        if self.forward:
            self.new.edges.append((vertex, reached, tuple(found)))
        else:
            self.new.edges.append((reached, vertex, tuple((far, step, one) for one, step, far in found)))
        return reached

    def behind(self, one: int, step: MachineStep, far: int) -> int:
        """The annotated state behind a step: the old one, with what the stage adds."""
        key = (one, step, far)
        if key not in self.further:
            check_deadline(self.limits.until)  # a rule may take long
            here, there = self.new.states[one], self.old.states[far]
            before, after = (here, there) if self.forward else (there, here)
            self.further[key] = self.number(self.stage.followed(before, step, after, forward=self.forward), far)
        return self.further[key]

    def number(self, state: Annotated, old: int) -> int:
        if self.rounding is not None:
            state = self.rounding.settled(state, self.old.states[old], old)
        if state not in self.numbers:
            self.numbers[state] = len(self.old_of)
            self.old_of.append(old)
            self.new.states.append(state)
        if self.old_of[self.numbers[state]] != old:
            raise UsageError("a stage says again what an earlier one said; let each stage have predicates of its own")
        return self.numbers[state]


def _graph(model: SystemModel, system: PredicateSystem, layer: _Unfolded, until: Deadline) -> SheafGraph:
    sets = {vertex: frozenset(layer.states[one] for one in vertex) for vertex in layer.vertices}
    edges = []
    for done, (source, target, members) in enumerate(layer.edges):
        check_deadline(until, done)
        runs = frozenset((AnnotatedStep(layer.states[a], step, layer.states[b]),) for a, step, b in members)
        edges.append(SheafEdge(sets[source], sets[target], runs))
    return SheafGraph(model, system, tuple(sets.values()), tuple(edges))
