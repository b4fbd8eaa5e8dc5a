"""What the tests that identify states do, and in which order: a way, and the experiment after it.

On a deterministic machine without equivalent states the tests after the walks are complete: every machine with as many
states that differs is found. For each two states some test is played after the ways to both that tells them apart, and
each transition is followed by all tests of the state it should lead to (as in the method of harmonized state
identifiers, Luo, Petrenko and von Bochmann 1994).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from outplay.conformance.telling_apart.adaptive import Distinguishing
from outplay.conformance.telling_apart.experiment import END, Experiment
from outplay.conformance.telling_apart.further_tests import further_tests
from outplay.conformance.transition_table import TransitionTable
from outplay.game.goals.goal import written_transition
from outplay.model.label import SILENCE
from outplay.suite.covering.sure_walks import doubts, sure_walks
from outplay.tester.tester import Labels


@dataclass(frozen=True)
class IdentifyingPlan:
    """A trace of the specification, the state it leads to, and what is done there to find out whether it does."""

    name: str
    access_trace: Labels
    reached: int
    experiment: Experiment = END
    access: int | None = None
    """How many labels lead to the transition that is tested, where it is one."""
    transition: tuple[int, int] | None = None
    """The state that it leaves, and its label."""


def identifying_plans(test: Distinguishing) -> Iterator[IdentifyingPlan]:
    """Walks first, then each transition with the one test, then with the further tests that its target needs.

    The transitions are in an order: first those of which the walks would miss the most wrong targets for each label.
    """
    table = test.states.table
    walks = sure_walks(table)
    for number, walk in enumerate(walks, 1):
        yield IdentifyingPlan(f"walk {number}", walk, table.initial)
    missed = doubts(table, walks)

    def missed_a_label(plan: IdentifyingPlan) -> float:
        wrong = table.state_count if plan.transition is None else missed.get(plan.transition, table.state_count)
        return wrong / (1 + len(plan.access_trace))

    plans = sorted(_plans(table), key=missed_a_label, reverse=True)
    yield from (replace(plan, experiment=test.experiment) for plan in plans)
    for number, further in enumerate(further_tests(test), 2):
        for plan in plans:
            if plan.reached in further.states:
                yield replace(plan, name=f"{plan.name} ({number})", experiment=further.experiment)


def without_prefixes(table: TransitionTable, plans: Iterable[IdentifyingPlan]) -> Iterator[IdentifyingPlan]:
    """The plans in their order, without those that other tests begin with and those that are as earlier ones."""
    follow = ExpectedTraces(table)
    listed = [(plan, *follow.trace(plan)) for plan in plans]
    order = sorted({trace for _, trace, _ in listed})
    needless = {one for one, after in itertools.pairwise(order) if after[: len(one)] == one}
    for plan, trace, whole in listed:
        if not whole or trace not in needless:
            yield plan
        needless.add(trace)


class ExpectedTraces:
    """What tests do and see on a system that is as it should be."""

    def __init__(self, table: TransitionTable) -> None:
        self.inputs, self.labels = table.inputs, table.labels
        self.numbers, self.rows = table.numbers, table.rows

    def trace(self, plan: IdentifyingPlan) -> tuple[tuple[int, ...], bool]:
        """The labels of a test by number up to where the system has a choice in the experiment; whether that is all."""
        trace = [self.numbers[label] for label in plan.access_trace]
        state, part = plan.reached, plan.experiment
        while part.moves:
            row = self.rows[state]
            going = [self.numbers[part.given]] if part.given else [label for label in row if label >= self.inputs]
            if len(going) > 1:
                return tuple(trace), False
            if going[0] not in row:
                break  # the input is not specified here
            trace.append(going[0])
            state, part = row[going[0]], part.moves.get(self.labels[going[0]], END)
        return tuple(trace), True


def _plans(table: TransitionTable) -> Iterator[IdentifyingPlan]:
    """A way to the initial state, and over each transition that can be reached, the nearest first; no experiment yet.

    Where the one thing that can follow is an output, it is part of the way: the state after it is identified.
    """
    yield IdentifyingPlan(table.names[table.initial], (), table.initial)
    seen: set[Labels] = {()}
    for state, access_trace in access_traces(table).items():
        for number, target in table.rows[state].items():
            label = table.labels[number]
            if label != SILENCE or target != state:
                onward, reached = _forced(table, (*access_trace, label), target)
                if onward not in seen:
                    seen.add(onward)
                    name = written_transition(table.names[state], label.text, table.names[target])
                    transition = (state, number)
                    yield IdentifyingPlan(name, onward, reached, access=len(access_trace), transition=transition)


def _forced(table: TransitionTable, access_trace: Labels, state: int) -> tuple[Labels, int]:
    """Go on while one output is all that can follow."""
    met = {state}
    while True:
        row = table.rows[state]
        label = next(iter(row), 0)
        if len(row) != 1 or label < table.inputs or row[label] in met:
            return access_trace, state
        access_trace, state = (*access_trace, table.labels[label]), row[label]
        met.add(state)


def access_traces(table: TransitionTable) -> dict[int, Labels]:
    """A shortest trace to each state, those with fewer outputs first among equals."""
    found: dict[int, Labels] = {table.initial: ()}
    queue = [table.initial]
    for state in queue:  # grows on the way
        for label, target in table.rows[state].items():  # inputs come first
            if target not in found:
                found[target] = (*found[state], table.labels[label])
                queue.append(target)
    return found
