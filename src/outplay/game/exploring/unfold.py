"""Unfolding: the states and transitions of a model, breadth first, as flat arrays.

States are numbered in the order they are met, which no hash seed changes. Bounds end it early (breadth_first.py).
"""

from __future__ import annotations

from contextlib import closing, nullcontext
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import singledispatch
from typing import Any

import numpy as np
from numpy.typing import NDArray

from outplay.game.exact_numbers import constant_column
from outplay.game.exploring.breadth_first import Limits, Places, Progress, RegionPlaces, Walk, breadth_first
from outplay.game.exploring.edge_columns import transition_costs, transition_weights
from outplay.game.exploring.exploration_workers import Ahead, Crew
from outplay.game.exploring.turn_based import Unfolding
from outplay.model.label import SILENCE, Label
from outplay.model.offer import NotListed, offered_labels
from outplay.model.programs.hidden_knowledge import knowledge_of_tester
from outplay.model.programs.hidden_steps import InterleavedSpecification
from outplay.model.programs.program_specification import ProgramSpecification
from outplay.model.programs.stepping import Stepper
from outplay.model.specification import Specification
from outplay.model.suspension import SuspensionAutomaton
from outplay.model.symbolic.interpretation import SymbolicSpecification
from outplay.model.symbolic.region_game import RegionSpecification, regions_to_explore
from outplay.model.wrapping import KnowledgeSpecification, NumberedSpecification

Numbers = NDArray[Any]


@dataclass(frozen=True)
class Unfolded:
    """The result of exploring, and what stopped the search; `weights` are those of the transitions where the model has
    any.
    """

    specification: Specification
    """Whose states are numbers, in the order they were met."""
    unfolding: Unfolding
    goals: dict[str, list[int]]
    weights: list[Any] | None
    stopped: str | None
    places: Places | RegionPlaces | None = None
    """The place of each state where states are grouped."""
    helped: int = 0
    """The number of states that workers expanded."""


@singledispatch
def unfold(spec: Any, limits: Limits, progress: Progress | None = None) -> Unfolded:
    """Unfold a specification of any kind whose labels can be listed, as what a tester can know of it.

    Every label costs 1.
    """
    return _unfold_listed(NumberedSpecification(KnowledgeSpecification(spec)), limits, progress)


@unfold.register
def _unfold_symbolic(spec: SymbolicSpecification, limits: Limits, progress: Progress | None = None) -> Unfolded:
    """Unfold a system with data: label by label where its data can be listed, else by regions."""
    if not spec.endless:
        try:
            return _unfold_listed(NumberedSpecification(KnowledgeSpecification(spec)), limits, progress)
        except NotListed:
            pass
    graph = regions_to_explore(spec, None if limits == Limits() else limits.states, limits.seconds, progress)
    return unfold(RegionSpecification(graph), limits, progress)


@unfold.register
def _unfold_regions(spec: RegionSpecification, limits: Limits, progress: Progress | None = None) -> Unfolded:
    """Unfold regions; plays of the game are those of the system itself, with data."""
    regions = NumberedSpecification(spec)
    found = _unfold_listed(regions, limits, progress)
    places = RegionPlaces(regions, spec)
    return replace(found, specification=places.played, places=places, stopped=spec.graph.stopped or found.stopped)


@unfold.register
def unfold_program(
    spec: ProgramSpecification, limits: Limits, progress: Progress | None = None, crew: Crew | None = None
) -> Unfolded:
    """Unfold a model program, with its goals, costs and weights; one state of each group where it groups them.

    Workers may expand its states where it groups none.
    """
    stepper = spec.stepper
    places = Places(stepper) if stepper.program.groups else None
    state_at = places.states if places else range(limits.states + 1)
    goals: dict[str, list[int]] = {name: [] for name in stepper.program.goals}
    add = {name: members.append for name, members in goals.items()}

    ahead = Ahead(stepper, crew, limits.seconds) if crew and not places else None
    goals_at = ahead.goals_after_expanding if ahead else stepper.goals_after_expanding

    def ask_goals(place: int) -> None:
        for name in goals_at(state_at[place]):
            add[name](place)

    if places:
        walk = breadth_first(places.expand, places.__len__, limits, progress, ask_goals)
    else:
        expand = ahead.expand if ahead else stepper.expand
        with closing(ahead) if ahead else nullcontext():
            walk = breadth_first(expand, stepper.states.__len__, limits, progress, ask_goals)
    for name, members in goals.items():
        frontier = range(len(walk.degrees), walk.known)
        members.extend(place for place in frontier if stepper.holds(name, state_at[place]))
    states = walk.source if places is None else np.array(places.states, dtype=np.int64)[walk.source]
    label, target = (np.array(column, dtype=np.int64) for column in (walk.labels, walk.targets))
    unfolding = flat_transitions(stepper, walk.known, walk.source, label, target, states)
    shares = transition_weights(stepper, states, unfolding.label)
    meaning = spec if places is None else spec.grouped(places)
    helped = ahead.helped if ahead else 0
    return Unfolded(
        meaning, unfolding, goals, shares, explain_stop(stepper, walk.stopped, walk.culprit), places, helped
    )


@unfold.register
def _unfold_interleaved(spec: InterleavedSpecification, limits: Limits, progress: Progress | None = None) -> Unfolded:
    """Unfold a program with hidden steps or calls under way: on what the tester can know, with its costs."""
    knowledge = knowledge_of_tester(spec)
    sets = NumberedSpecification(knowledge)
    found = _unfold_listed(sets, limits, progress)
    numbers = {label.text: number for number, label in enumerate(spec.stepper.labels.all)}
    members: list[Any] = [knowledge.inside(sets.own(number)) for number in range(found.unfolding.count)]
    states = np.array([members[source][0].state for source in found.unfolding.source.tolist()], dtype=np.int64)
    label = np.array([numbers[text] for text in found.unfolding.labels], dtype=np.int64)[found.unfolding.label]
    stopped = found.stopped
    if stopped is not None:
        known = len({member for group in members for member in group})
        stopped += f" ({len(members):,} sets of {known:,} situations, as the tester does not see hidden steps)"
    return replace(
        found, unfolding=replace(found.unfolding, cost=transition_costs(spec.stepper, states, label)), stopped=stopped
    )


@unfold.register
def _unfold_automaton(spec: SuspensionAutomaton, limits: Limits, progress: Progress | None = None) -> Unfolded:
    """Unfold a suspension automaton; every label costs 1."""
    numbers: dict[Label, int] = {}
    silence: dict[int, int] = {}

    def expand(number: int, labels: list[int], targets: list[int]) -> None:
        enabled = set(spec.inputs(number))
        for label, target in spec.moves(number).items():
            if label == SILENCE:
                silence[number] = target
            elif label.is_output or label in enabled:
                labels.append(numbers.setdefault(label, len(numbers)))
                targets.append(target)

    walk = breadth_first(expand, spec.sets.__len__, limits, progress)
    names = [spec.state_name(number) for number in range(walk.known)]
    return Unfolded(spec, _flat(walk, numbers, silence, names), {}, None, walk.stopped)


def _unfold_listed(spec: NumberedSpecification, limits: Limits, progress: Progress | None) -> Unfolded:
    numbers: dict[Label, int] = {}
    silence: dict[int, int] = {}
    chances: list[Fraction] = []

    def expand(number: int, labels: list[int], targets: list[int]) -> None:
        for label in offered_labels([*spec.inputs(number), *spec.outputs(number)], "exploring"):
            for target in spec.after(number, label):
                labels.append(numbers.setdefault(label, len(numbers)))
                targets.append(target)
                chances.append(Fraction(spec.weight(number, label)))
        for target in spec.after(number, SILENCE):
            silence[number] = target

    walk = breadth_first(expand, spec.states.__len__, limits, progress)
    goals = {name: [state for state in range(walk.known) if spec.holds(name, state)] for name in spec.goals}
    shares = chances[: len(walk.targets)]
    weighed = shares if any(share != 1 for share in shares) else None
    return Unfolded(spec, _flat(walk, numbers, silence), goals, weighed, walk.stopped)


def _flat(walk: Walk, numbers: dict[Label, int], silence: dict[int, int], names: list[str] | None = None) -> Unfolding:
    label = np.array(walk.labels, dtype=np.int64)
    expanded = range(len(walk.degrees))
    return Unfolding(
        count=walk.known,
        source=walk.source,
        target=np.array(walk.targets, dtype=np.int64),
        label=label,
        labels=[each.text for each in numbers],
        is_input=np.array([each.is_input for each in numbers] or [False])[label],
        quiet=np.array([number in silence and number in expanded for number in range(walk.known)], dtype=bool),
        cost=constant_column(1, len(label)),
        silence=np.array([silence.get(number, number) for number in range(walk.known)], dtype=np.int64),
        names=names,
    )


def explain_stop(stepper: Stepper, stopped: str | None, culprit: str) -> str | None:
    """Explain why exploring stopped: by its culprit, or by the variable with the most values (perhaps unbounded)."""
    if stopped is None or not (culprit or stepper.program.variables):
        return stopped
    if culprit:
        return f"{stopped} (it was {culprit})"
    count, name = max(zip(stepper.value_counts(), stepper.program.variables, strict=True))
    return f"{stopped} ({name!r} took the most values, {count:,})"


def flat_transitions(
    stepper: Stepper, count: int, source: Numbers, label: Numbers, target: Numbers, states: Numbers
) -> Unfolding:
    """Return the unfolded transitions of some states of a program, with the stepper's number of each source."""
    inputs = np.array([each.is_input for each in stepper.labels.all] or [False])[label]
    optional = np.array([action.mark.optional for action in stepper.labels.actions] or [False])[label]
    required = np.bincount(source[~inputs & ~optional], minlength=count)
    return Unfolding(
        count=count,
        source=source,
        target=target,
        label=label,
        labels=[each.text for each in stepper.labels.all],
        is_input=inputs,
        quiet=required == 0,
        cost=transition_costs(stepper, states, label),
    )
