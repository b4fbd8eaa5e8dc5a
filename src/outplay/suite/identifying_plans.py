"""The tests that identify states, in their order: a way, and the experiment after it.

On a deterministic machine without equivalent states the tests after the walks are complete: every machine with as many
states that differs is found. For each two states some test is played after the ways to both that tells them apart, and
each transition is followed by all tests of the state it should lead to (as in the method of harmonized state
identifiers, Luo, Petrenko and von Bochmann 1994).

Traces kept as a tree, so that those that begin alike share their beginnings: hundreds of thousands fit in memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from outplay.conformance.distinguishing.adaptive_graph import Distinguishing
from outplay.conformance.distinguishing.experiment import END, Experiment
from outplay.conformance.distinguishing.further_tests import further_tests
from outplay.conformance.transition_table import TransitionTable
from outplay.game.goals.goal import transition_text
from outplay.model.label import SILENCE
from outplay.suite.covering.sure_walks import missed_target_counts, sure_walks


class TraceTree:
    """Traces of numbered labels; each is a number itself, that of the empty one is 0.

    >>> tree = TraceTree()
    >>> tree.extended(0, [1, 2]), tree.extended(0, [1, 3]), tree.trace(3)
    (2, 3, [1, 3])
    >>> tree.depth(2), tree.goes_on(1), tree.goes_on(2)
    (2, True, False)
    """

    EMPTY = 0

    def __init__(self) -> None:
        self._parent, self._label, self._depth = [0], [0], [0]
        self._goes_on = [False]
        self._known: dict[tuple[int, int], int] = {}

    def after(self, trace: int, label: int) -> int:
        """The trace with one more label."""
        found = self._known.setdefault((trace, label), len(self._parent))
        if found == len(self._parent):
            self._parent.append(trace)
            self._label.append(label)
            self._depth.append(self._depth[trace] + 1)
            self._goes_on.append(False)
            self._goes_on[trace] = True
        return found

    def extended(self, trace: int, labels: Iterable[int]) -> int:
        """The trace with some more labels."""
        for label in labels:
            trace = self.after(trace, label)
        return trace

    def depth(self, trace: int) -> int:
        """Return the length of a trace."""
        return self._depth[trace]

    def goes_on(self, trace: int) -> bool:
        """Say whether some other trace begins with this one."""
        return self._goes_on[trace]

    def trace(self, trace: int) -> list[int]:
        """The labels of a trace."""
        labels = []
        while trace:
            labels.append(self._label[trace])
            trace = self._parent[trace]
        return labels[::-1]


@dataclass(frozen=True)
class IdentifyingPlan:
    """A trace of the specification, the state it leads to, and what is done there to find out whether it does."""

    name: str
    tree: TraceTree
    way: int
    """The trace, by its number in the tree."""
    reached: int
    experiment: Experiment = END
    access: int | None = None
    """The number of labels that lead to the transition that is tested, where it is one."""
    transition: tuple[int, int] | None = None
    """The state that it leaves, and its label."""


def identifying_plans(test: Distinguishing, *, ordered: bool = True) -> Iterator[IdentifyingPlan]:
    """Plan identifying tests: walks, then each transition with the one test, then with the further tests it needs.

    The transitions are in an order: first those of which the walks would miss the most wrong targets for each label.
    Who only counts them can do without.
    """
    table, tree = test.states.table, TraceTree()
    walks = sure_walks(table)
    for number, walk in enumerate(walks, 1):
        way = tree.extended(TraceTree.EMPTY, (table.numbers[label] for label in walk))
        yield IdentifyingPlan(f"walk {number}", tree, way, table.initial)
    missed = missed_target_counts(table, walks) if ordered else {}

    def missed_a_label(plan: IdentifyingPlan) -> float:
        wrong = table.state_count if plan.transition is None else missed.get(plan.transition, table.state_count)
        return wrong / (1 + tree.depth(plan.way))

    plans = sorted(_plans(table, tree), key=missed_a_label, reverse=True)
    yield from (replace(plan, experiment=test.experiment) for plan in plans)
    for number, further in enumerate(further_tests(test), 2):
        for plan in plans:
            if plan.reached in further.states:
                yield replace(plan, name=f"{plan.name} ({number})", experiment=further.experiment)


def plans_without_prefixes(table: TransitionTable, plans: Iterable[IdentifyingPlan]) -> Iterator[IdentifyingPlan]:
    """Yield identifying plans without those that other tests begin with and those that repeat earlier ones."""
    follow = ExpectedTraces(table)
    listed = [(plan, *follow.place(plan)) for plan in plans]
    taken = set[int]()
    for plan, trace, whole in listed:
        if not whole or not (plan.tree.goes_on(trace) or trace in taken):
            yield plan
        taken.add(trace)


class ExpectedTraces:
    """The expected traces: what tests do and see on a system that is as it should be."""

    def __init__(self, table: TransitionTable) -> None:
        self.inputs, self.labels = table.inputs, table.labels
        self.numbers, self.rows = table.numbers, table.rows

    def trace(self, plan: IdentifyingPlan) -> tuple[tuple[int, ...], bool]:
        """The labels of a test by number up to where the system has a choice in the experiment; whether that is all."""
        place, whole = self.place(plan)
        return tuple(plan.tree.trace(place)), whole

    def place(self, plan: IdentifyingPlan) -> tuple[int, bool]:
        """The same, the trace by its number in the tree of the plan."""
        tree, place = plan.tree, plan.way
        state, part = plan.reached, plan.experiment
        while part.moves:
            row = self.rows[state]
            going = [self.numbers[part.given]] if part.given else [label for label in row if label >= self.inputs]
            if len(going) > 1:
                return place, False
            if going[0] not in row:
                break  # the input is not specified here
            place = tree.after(place, going[0])
            state, part = row[going[0]], part.moves.get(self.labels[going[0]], END)
        return place, True


def _plans(table: TransitionTable, tree: TraceTree) -> Iterator[IdentifyingPlan]:
    """A way to the initial state, and over each transition that can be reached, the nearest first; no experiment yet.

    Where the one thing that can follow is an output, it is part of the way: the state after it is identified.
    """
    yield IdentifyingPlan(table.names[table.initial], tree, TraceTree.EMPTY, table.initial)
    seen = {TraceTree.EMPTY}
    for state, access in _access_traces(table, tree).items():
        for number, target in table.rows[state].items():
            label = table.labels[number]
            if label != SILENCE or target != state:
                way, reached = _forced(table, tree, tree.after(access, number), target)
                if way not in seen:
                    seen.add(way)
                    name = transition_text(table.names[state], label.text, table.names[target])
                    transition = (state, number)
                    depth = tree.depth(access)
                    yield IdentifyingPlan(name, tree, way, reached, access=depth, transition=transition)


def _forced(table: TransitionTable, tree: TraceTree, way: int, state: int) -> tuple[int, int]:
    """Go on while one output is all that can follow."""
    met = {state}
    while True:
        row = table.rows[state]
        label = next(iter(row), 0)
        if len(row) != 1 or label < table.inputs or row[label] in met:
            return way, state
        way, state = tree.after(way, label), row[label]
        met.add(state)


def _access_traces(table: TransitionTable, tree: TraceTree) -> dict[int, int]:
    """A shortest trace to each state, those with fewer outputs first among equals, by its number in the tree."""
    found: dict[int, int] = {table.initial: TraceTree.EMPTY}
    queue = [table.initial]
    for state in queue:  # grows on the way
        for label, target in table.rows[state].items():  # inputs come first
            if target not in found:
                found[target] = tree.after(found[state], label)
                queue.append(target)
    return found
