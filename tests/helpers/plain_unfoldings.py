"""Unfoldings straight from their definitions (Kapus-Kolar 2007, 3.8 and 3.9): every tour up to a length, one by one."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import product
from typing import TypeAlias

from outplay.predicate_tours.predicate_system import Annotated, AnnotatedStep
from outplay.predicate_tours.recognition import Neighbour
from outplay.predicate_tours.sheaf_graph import Run, SheafEdge, SheafGraph, SheafVertex
from outplay.predicate_tours.system_model import MachineStep, SystemModel

Tour: TypeAlias = tuple[MachineStep, ...]
Annotate: TypeAlias = Callable[[Tour], list[Annotated]]


def walks(model: SystemModel, inputs: Sequence[str] | None, length: int) -> Iterator[Tour]:
    """All walks of a length from the root, or all that take some inputs."""
    found: list[Tour] = [()]
    for place in range(length):
        longer = []
        for walk in found:
            here = walk[-1].target if walk else model.root
            steps = [step for step in model.steps if step.source == here]
            longer += [(*walk, step) for step in steps if inputs is None or step.given == inputs[place]]
        found = longer
    yield from found


def tours(model: SystemModel, length: int) -> Iterator[Tour]:
    """All tours of at most so many steps."""
    for exact in range(1, length + 1):
        yield from (walk for walk in walks(model, None, exact) if walk[-1].target == model.root)


def plain_tests(model: SystemModel, length: int) -> Iterator[tuple[Tour, ...]]:
    """The runs of each sequence of inputs that cannot be refused and surely leads back to the root."""
    alphabet = sorted({step.given for step in model.steps})
    for exact in range(1, length + 1):
        for inputs in product(alphabet, repeat=exact):
            runs = runs_of(model, inputs)
            if runs is not None:
                yield runs


def runs_of(model: SystemModel, inputs: Sequence[str]) -> tuple[Tour, ...] | None:
    """The runs of some inputs, or None where they are no test."""
    for known in range(len(inputs)):
        takes = {step.source for step in model.steps if step.given == inputs[known]}
        here = {walk[-1].target if walk else model.root for walk in walks(model, inputs[:known], known)}
        if not here <= takes:
            return None
    runs = tuple(walks(model, inputs, len(inputs)))
    return runs if all(run[-1].target == model.root for run in runs) else None


def excluded_by(model: SystemModel, labels: Sequence[tuple[str, str]], *, forward: bool) -> frozenset[int]:
    """The states from which (forward), or to which, no walk of the whole machine shows the labels."""
    ends = set()
    for state in model.states:
        here = {state}
        for label in labels:
            here = {step.target for step in model.machine_steps if step.source in here and step.label == label}
        ends |= ({state} if here else set()) if forward else here
    return frozenset(model.states) - ends


def by_definition(model: SystemModel, *, past: bool, future: bool, neighbours: bool) -> Annotate:
    """Annotate the states of a tour by what the predicates of 6.1 mean."""
    cache: dict[tuple[bool, tuple[tuple[str, str], ...]], frozenset[int]] = {}

    def states(labels: Iterable[tuple[str, str]], forward: bool) -> frozenset[int]:
        key = (forward, tuple(labels))
        if key not in cache:
            cache[key] = excluded_by(model, key[1], forward=forward)
        return cache[key]

    def annotate(tour: Tour) -> list[Annotated]:
        places = [model.root, *(step.target for step in tour)]
        labels = [step.label for step in tour]
        before = [states(labels[:place], False) for place in range(len(places))]
        after = [states(labels[place:], True) for place in range(len(places))]

        def beside(place: int, way: int) -> set[Neighbour]:
            other = place + way
            if not neighbours or not 0 <= other < len(places):
                return set()
            sides = ((True, before[other]), (False, after[other]))
            return {Neighbour(way, side, state) for side, of in sides for state in of | {places[other]}}

        return [
            Annotated(
                places[place],
                (before[place] if past else frozenset()) | beside(place, -1),
                (after[place] if future else frozenset()) | beside(place, 1),
            )
            for place in range(len(places))
        ]

    return annotate


def unfolded(tour: Tour, annotate: Annotate) -> list[AnnotatedStep]:
    """unf of one tour."""
    states = annotate(tour)
    return [AnnotatedStep(states[place], step, states[place + 1]) for place, step in enumerate(tour)]


def sheaved(runs: Sequence[Tour], annotate: Annotate) -> list[SheafEdge]:
    """dunf of the runs of one test."""
    edges = []
    for parts in zip(*(unfolded(run, annotate) for run in runs), strict=True):
        ends = frozenset(one.before for one in parts), frozenset(one.after for one in parts)
        edges.append(SheafEdge(*ends, frozenset((one,) for one in parts)))
    return edges


def edges_on_short_tours(graph: SheafGraph, length: int) -> set[SheafEdge]:
    """The edges through which a way from an entry to an exit has at most so many edges."""
    there = _distances(filter(graph.is_entry, graph.vertices), graph.edges, forward=True)
    back = _distances(filter(graph.is_exit, graph.vertices), graph.edges, forward=False)
    return {edge for edge in graph.edges if there[edge.source] + 1 + back[edge.target] <= length}


def _distances(seeds: Iterable[SheafVertex], edges: Iterable[SheafEdge], *, forward: bool) -> dict[SheafVertex, int]:
    distance = dict.fromkeys(seeds, 0)
    beyond: dict[SheafVertex, list[SheafVertex]] = {}
    for edge in edges:
        near, far = (edge.source, edge.target) if forward else (edge.target, edge.source)
        beyond.setdefault(near, []).append(far)
    queue = deque(distance)
    while queue:
        here = queue.popleft()
        new = [far for far in beyond.get(here, []) if far not in distance]
        distance.update(dict.fromkeys(new, distance[here] + 1))
        queue += dict.fromkeys(new)
    return distance


def sheaf_of(walk: Sequence[SheafEdge]) -> frozenset[Run]:
    """SH of a walk: all runs put together from the runs of its edges."""
    by_end: dict[Annotated | None, list[Run]] = {None: [()]}
    for number, edge in enumerate(walk):
        longer: dict[Annotated | None, list[Run]] = {}
        for run in edge.runs:
            for before in by_end.get(run[0].before if number else None, ()):
                longer.setdefault(run[-1].after, []).append(before + run)
        by_end = longer
    return frozenset(run for runs in by_end.values() for run in runs)
