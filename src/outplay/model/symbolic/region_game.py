"""Regions as a model to be explored, and the play of it: labels of regions in the game, labels with data in the play.

A label of a region is a gate with a condition on its parameters, `?bid amount (amount > best + 1000)`. Where a strategy
says so, any member of the region will do; what is seen belongs to the region that has it as a member.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from outplay.errors import UsageError
from outplay.model.expressions.evaluation import free_variables, substitute
from outplay.model.expressions.simplifying import conjuncts, simplify
from outplay.model.expressions.term import TRUE, conjunction, literals
from outplay.model.label import SILENCE, Label, write_argument
from outplay.model.offer import Offer
from outplay.model.specification import ListedSpecification, State
from outplay.model.symbolic.data_knowledge import Control, DataKnowledge
from outplay.model.symbolic.interpretation import SymbolicOffer, SymbolicSpecification
from outplay.model.symbolic.region_graph import Progress, RegionGraph, region_graph
from outplay.model.symbolic.region_tree import DataRegion, RegionMove, without_implied
from outplay.model.symbolic.symbolic_system import explain_many_regions
from outplay.model.wrapping import Members, Wrapped

MOST, SECONDS = 1_000, 20.0  # regions, where nobody says how many


def regions_to_explore(
    spec: SymbolicSpecification, most: int | None, seconds: float, progress: Progress | None = None
) -> RegionGraph:
    """Find the regions of a symbolic system to explore, or explain why they do not seem to end."""
    knowledge = DataKnowledge(spec)
    if most is not None:
        return region_graph(knowledge, most, seconds, progress)
    graph = region_graph(knowledge, MOST, min(seconds, SECONDS), progress)
    if graph.stopped:
        raise UsageError(explain_many_regions(spec.system, graph.count, graph.asked, graph.hindered))
    return graph


class RegionSpecification(ListedSpecification):
    """Regions as states; every label leads to one of them. Regions that may have to be split yet have no moves."""

    def __init__(self, graph: RegionGraph) -> None:
        self.graph, self._knowledge = graph, graph.knowledge
        self.name, self.fingerprint = graph.knowledge.name, graph.knowledge.fingerprint
        self.goals = graph.knowledge.goals
        self.initial: Collection[DataRegion] = (graph.start,)
        self._labels: dict[DataRegion, dict[Label, RegionMove]] = {}

    def labelled(self, region: DataRegion) -> dict[Label, RegionMove]:
        """The moves of a region by their labels."""
        known = self._labels.get(region)
        if known is None:
            known = self._labels[region] = {_label(region, move): move for move in region.moves or ()}
        return known

    def moves(self, state: DataRegion) -> dict[Label, Collection[State]]:
        return {label: (move.target,) for label, move in self.labelled(state).items()}

    def quiet(self, state: Any) -> bool:
        return bool(self.after(state, SILENCE))

    def after(self, state: Any, label: Label) -> Collection[State]:
        found = self.labelled(state).get(label)
        if found is not None:
            return (found.target,)
        # One state alone is silent where it has no output; of several, silence tells which are left.
        is_silent = label == SILENCE and len(state.control) == 1 and not self.outputs(state)
        return (state,) if is_silent and state.moves is not None else ()

    def holds(self, goal: str, state: Any) -> bool:
        return self._knowledge.holds(goal, state.known)

    def describe(self, state: Any) -> str:
        where = _written_control(self._knowledge, state.control)
        return where if state.condition is TRUE else f"{where} with {state.condition}"

    def key(self, state: Any) -> str:
        return self.describe(state)


class RegionPlay(Wrapped):
    """The knowledge of a symbolic system, with labels of regions known in its states."""

    def __init__(self, regions: RegionSpecification) -> None:
        self._regions, self._knowledge = regions, regions.graph.knowledge
        super().__init__(self._knowledge)

    def offer(self, state: Any, label: Label) -> Offer:
        move = self._moves(state).get(label)
        return label if move is None or move.step.gate is None else self._offer(state, move)

    def written(self, state: Any, label: Label) -> Label:
        gates = ((known, move) for known, move in self._moves(state).items() if move.step.gate is not None)
        return next((known for known, move in gates if label in self._offer(state, move)), label)

    def _moves(self, members: Members) -> dict[Label, RegionMove]:
        region = self._regions.graph.region(members)
        return {} if region is None else self._regions.labelled(region)

    def _offer(self, members: Members, move: RegionMove) -> Offer:
        gate = move.step.gate
        assert gate is not None
        if not gate.parameters:
            return Label(gate.kind, gate.name)
        sorts = self._knowledge.sorts(self._knowledge.control(members))
        values = literals(self._knowledge.values(members), sorts)
        condition = simplify(substitute(move.condition, values))
        return SymbolicOffer(gate.kind, gate.name, gate.parameters, condition)


def _label(region: DataRegion, move: RegionMove) -> Label:
    """The gate with the condition on its parameters, in short; what all of the region has goes unsaid."""
    gate = move.step.gate
    if gate is None:
        return SILENCE
    if not gate.parameters:
        return Label(gate.kind, gate.name)
    names = {str(one.value) for one in gate.parameters}
    said = without_implied(move.condition, region.condition)
    parts = [one for one in conjuncts(said) if not names.isdisjoint(free_variables(one))]
    words = " ".join([gate.name, *map(str, gate.parameters)])
    return Label.from_message(gate.kind, f"{words} ({conjunction(parts)})" if parts else words)


def _written_control(knowledge: DataKnowledge, control: Control) -> str:
    parts = []
    for location, values in control:
        pairs = zip(knowledge.control_names, values, strict=True)
        parts.append(", ".join([location, *(f"{name} = {write_argument(value)}" for name, value in pairs)]))
    return " or ".join(parts)
