"""Regions: data that behave alike as one, so that systems over endless data become finite games.

Definition. A partition of the states is stable where, for every step and every region it leads to, either all states of
a region can take it there, with some parameters, or none can. Then states of one region are alternately bisimilar
(Alur, Henzinger, Kupferman and Vardi 1998): whatever tester or system can force from one of them they can force from
all, label for label by regions of parameters. Goals and silence hold in all of a region or in none.

The coarsest stable partition may have no end where its reachable part has. So only regions are split that hold a state
which is known to be reached, by what this state can do and others cannot (Lee and Yannakakis 1992): where the
reachable part is finite, this ends. Where a condition is beyond what can be split exactly, the state known is split off
by itself, which is finer than needed and never wrong.
"""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from outplay.model.expressions.evaluation import free_variables, substitute
from outplay.model.expressions.quantifier_elimination import eliminate_exists
from outplay.model.expressions.simplifying import negated, simplify, tightened_bounds
from outplay.model.expressions.sorts import Sort, Value
from outplay.model.expressions.term import FALSE, TRUE, Term, literals
from outplay.model.label import Label
from outplay.model.symbolic.data_knowledge import Control, DataKnowledge, KnowledgeStep, RegionsTooComplex
from outplay.model.symbolic.region_tree import (
    DataRegion,
    RegionMove,
    RegionTree,
    fixes_variable,
    implying_comparisons,
    point_condition,
    split_leaf,
    tree_leaves,
)
from outplay.model.symbolic.solving import Satisfied, Undecided, Unsatisfiable, solve_condition
from outplay.model.wrapping import Members
from outplay.plurals import counted

Progress = Callable[[int, int], None]  # regions that are stable, regions known


@dataclass(eq=False)
class RegionGraph:
    """The regions found from the start on, and what stopped the search, if anything did."""

    knowledge: DataKnowledge
    trees: dict[Control, RegionTree] = field(default_factory=dict)
    stopped: str | None = None
    asked: Counter[str] = field(default_factory=Counter)
    """The number of times that regions were split by conditions on each variable."""
    count: int = 0
    hindered: str = ""
    """The reason why a region could not be looked at, where there is one."""

    def region(self, members: Members) -> DataRegion | None:
        """The region of some knowledge; None where none is known."""
        tree = self.trees.get(self.knowledge.control(members))
        return None if tree is None else tree.region(self.knowledge.values(members))

    @property
    def start(self) -> DataRegion:
        """The region of the start."""
        found = self.region(self.knowledge.start)
        assert found is not None
        return found


def region_graph(
    knowledge: DataKnowledge, most: int, seconds: float = 60.0, progress: Progress | None = None
) -> RegionGraph:
    """Find the regions of a symbolic system that can be reached, no more than this many.

    >>> from outplay.model.expressions.term import variable
    >>> from outplay.model.symbolic.building import input_gate, switch, symbolic_system
    >>> from outplay.model.symbolic.interpretation import SymbolicSpecification
    >>> x, up = variable("x"), input_gate("up")
    >>> counter = symbolic_system("counter", "l", {x: 0}, [
    ...     switch("r", "l", up, "l", do={x: x + 1}), switch("s", "l", up, "m", when=x > 1)
    ... ])
    >>> region_graph(DataKnowledge(SymbolicSpecification(counter)), 100).count  # 0, 1, 2, and then l or m
    4
    """
    search = _RegionSearch(RegionGraph(knowledge), most, time.monotonic() + seconds)
    search.run(progress)
    return search.graph


class _RegionSearch:
    def __init__(self, graph: RegionGraph, most: int, deadline: float) -> None:
        self.graph, self._most, self._deadline = graph, most, deadline
        self._knowledge = graph.knowledge
        self._work: deque[DataRegion] = deque()
        self._before: dict[DataRegion, set[DataRegion]] = {}

    def run(self, progress: Progress | None) -> None:
        initial = self._knowledge.start
        self._tree(self._knowledge.control(initial))
        first = self.graph.start
        self._meet(first, initial)
        done = 0
        while self._work and self.graph.stopped is None:
            region = self._work.popleft()
            if region.known is None or region.moves is not None or self._is_gone(region):
                continue
            try:
                self._stabilise(region)
            except RegionsTooComplex as why:
                self.graph.hindered = str(why)
            done += 1
            if progress and done % 16 == 0:
                progress(done, self.graph.count)
            if self.graph.count > self._most or time.monotonic() > self._deadline:
                cure = "--max-states" if self.graph.count > self._most else "--max-seconds"
                self.graph.stopped = f"stopped at {counted(self.graph.count, 'region')}: raise {cure} to go on"

        if self.graph.stopped is None and self.graph.hindered:
            self.graph.stopped = f"stopped at {counted(self.graph.count, 'region')}: {self.graph.hindered}"

    def _is_gone(self, region: DataRegion) -> bool:
        return region.known is None or self.graph.region(region.known) is not region

    def _meet(self, region: DataRegion, members: Members) -> None:
        if region.known is None:
            region.known = members
            self.graph.count += 1
            self._work.append(region)

    def _tree(self, control: Control) -> RegionTree:
        """The tree of a control, whose regions agree about the goals from the first."""
        if control not in self.graph.trees:
            root = self.graph.trees[control] = RegionTree(DataRegion(control, TRUE, is_point=not self._knowledge.data))
            for mark in self._knowledge.marks(control):
                for node in [*tree_leaves(root)]:
                    split_leaf(node, mark)
        return self.graph.trees[control]

    def _stabilise(self, region: DataRegion) -> None:
        """Find what the known state can do, and split off what differs from it; all that is left is then stable."""
        assert region.known is not None
        values = self._knowledge.values(region.known)
        moves: list[RegionMove] = []
        for step in self._knowledge.steps(region.control):
            reached, missed = self._reached(region, step, values)
            asked = [(into, True) for _, into in reached] + [(into, False) for into in missed]
            for condition, wanted in asked:
                parting = self._parting(region, step, condition, wanted, values)
                if parting is not None:
                    self._split(region, parting)
                    return
            moves += (RegionMove(step, tightened_bounds(step.condition & into), target) for target, into in reached)
        region.moves = moves
        for move in moves:
            self._before.setdefault(move.target, set()).add(region)

    def _reached(
        self, region: DataRegion, step: KnowledgeStep, values: Mapping[str, Value]
    ) -> tuple[list[tuple[DataRegion, Term]], list[Term]]:
        """The regions that the known state reaches by a step, with the conditions on data and parameters to get there.

        Beside them conditions for all that it does not reach.
        """
        reached, missed = list[tuple[DataRegion, Term]](), list[Term]()
        stack = [(self._tree(step.control), TRUE, self._here(step.condition, region, values))]
        while stack:
            node, into, condition = stack.pop()
            found = Unsatisfiable() if condition is FALSE else solve_condition(condition, _sorts(step.parameters))
            if isinstance(found, Undecided):
                raise RegionsTooComplex(f"{condition} cannot be decided ({found.why}); bound its data")
            if isinstance(found, Unsatisfiable):
                missed.append(into)
            elif isinstance(node.inside, DataRegion):
                self._arrive(region, step, node.inside, found)
                reached.append((node.inside, into))
            else:
                parting = node.inside
                for side, branch in (
                    (parting.condition, parting.yes),
                    (negated(parting.condition), parting.no),
                ):
                    led = simplify(substitute(side, step.terms))
                    here = simplify(condition & self._here(led, region, values))
                    stack.append((branch, tightened_bounds(into & led), here))
        return reached, missed

    def _here(self, condition: Term, region: DataRegion, values: Mapping[str, Value]) -> Term:
        sorts = self._knowledge.sorts(region.control)
        return simplify(substitute(condition, literals(values, sorts)))

    def _arrive(self, region: DataRegion, step: KnowledgeStep, target: DataRegion, found: Satisfied) -> None:
        if target.known is not None or region.known is None:
            return
        if step.gate is None:
            label = Label("delta")
        else:
            given = tuple(found.values[str(one.value)] for one in step.parameters)
            label = Label(step.gate.kind, step.gate.name, given)
        (members,) = self._knowledge.after(region.known, label)
        self._meet(target, members)

    def _parting(
        self, region: DataRegion, step: KnowledgeStep, into: Term, wanted: bool, values: Mapping[str, Value]
    ) -> list[Term] | None:
        """Conditions on data that part the known state from all that differ; None where all of a region agree."""
        whole = simplify(step.condition & into)
        if region.is_point or (whole is FALSE and not wanted):
            return None
        sorts = self._knowledge.sorts(region.control)
        able = eliminate_exists(step.parameters, whole)
        if able is None:
            return point_condition(values, sorts)
        same = able if wanted else simplify(negated(able))
        found = solve_condition(simplify(region.condition & negated(same)), sorts)
        if isinstance(found, Unsatisfiable):
            return None
        return (
            point_condition(values, sorts)
            if isinstance(found, Undecided)
            else implying_comparisons(same, region.condition, values)
        )

    def _split(self, region: DataRegion, parting: list[Term]) -> None:
        """Part a region; whoever leads into it has to be looked at again."""
        assert region.known is not None
        self.graph.asked.update(name for one in parting for name in free_variables(one))
        node = next(node for node in tree_leaves(self.graph.trees[region.control]) if node.inside is region)
        for condition in parting:
            node = split_leaf(node, condition).yes
        inside = node.inside
        assert isinstance(inside, DataRegion)
        inside.is_point = len(parting) == len(self._knowledge.sorts(region.control)) and all(
            map(fixes_variable, parting)
        )
        self.graph.count -= 1
        self._meet(inside, region.known)
        for before in self._before.pop(region, set()):
            if before.moves is not None:
                before.moves = None
                self._work.append(before)


def _sorts(parameters: tuple[Term, ...]) -> dict[str, Sort]:
    return {str(one.value): one.sort for one in parameters}
