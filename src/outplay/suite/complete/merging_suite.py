"""Suites over merges: compatible states are told apart by testing whether the implementation conforms to both.

Definition (van den Bos 2020, 2.37): follow all traces of the specification with at most n labels, and after each make
the distinguishing experiments of the state q reached: for each state that is incompatible with q the graph that tells
them apart, and for each that is compatible, but not equivalent, the suite of their merge. Suites of merges contain
suites of merges, so this may never end: it does not where a merge is needed in its own suite. Merges are sets of states
(`Conjunctions`), of which there are finitely many, so this is found out.

Two things are more than the definition. Traces are followed from certainly reachable, pairwise incompatible states on,
r of them, and then n - r + 1 labels are enough, by the argument of counting.py; with the initial state alone these are
the n labels of the thesis. And an output that leads to states that nothing conforms to together is followed by the
experiment that shows it; without it the suite is not n-complete (`Conjunctions`).

Several states of a specification at once: what conforms to all of them. Definition (van den Bos 2020, 2.20 to 2.24):
the merge of states runs them in step. An input leads to all states that specify it; an output needs to be allowed by
all, and what it leads to must be *valid*: some implementation conforms to it, so that the tester cannot force that no
output is left which all allow. Merging merges again gives sets of states of the specification, so a merge is a set, and
there are finitely many.

Trap: an output may be allowed by all states and lead to an invalid set. Then an implementation that shows it does not
conform to all of them, but nothing forbidden has been seen yet. The thesis takes it as seen (proof of Theorem 2.40); to
see it, the experiment that refutes the set has to follow.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from outplay.conformance._kernels import WAIT
from outplay.conformance.compatibility import valid_states
from outplay.conformance.completion import equivalent_states
from outplay.conformance.distinguishing.experiment import END, Experiment
from outplay.conformance.transition_table import table_of_rows
from outplay.errors import ModelError
from outplay.suite.complete.counting import Access, certain_accesses, starting_obligations
from outplay.suite.complete.normal_form import NormalForm
from outplay.suite.complete.state_identification import Probe, Probes
from outplay.suite.complete.suite_tree import Obligation, TooLarge

AllOfPurpose: TypeAlias = tuple[int, ...]  # states of the specification in order
MOST_SETS = 100_000


class Conjunctions:
    """Sets of states of a specification, solved as they are asked for."""

    def __init__(self, form: NormalForm) -> None:
        self.form, self.inputs = form, form.table.inputs
        self._move: dict[AllOfPurpose, int | None] = {}  # what forces an invalid set on; None: valid
        self._rows: dict[AllOfPurpose, dict[int, AllOfPurpose]] = {}
        self._refuted: dict[AllOfPurpose, Experiment] = {}

    def row(self, states: AllOfPurpose) -> dict[int, AllOfPurpose]:
        """Return the targets of inputs that some, and outputs that all states of a set specify."""
        known = self._rows.get(states)
        if known is None:
            if len(self._rows) > MOST_SETS:
                raise TooLarge(f"more than {MOST_SETS:,} sets of compatible states; make the model smaller")
            known = self._rows[states] = self._row(states)
        return known

    def valid(self, states: AllOfPurpose) -> bool:
        """Say whether some implementation conforms to all states of a set."""
        return self._solved(states) is None

    def refutation(self, states: AllOfPurpose) -> Experiment:
        """An experiment each of whose traces one state of an invalid set forbids."""
        known = self._refuted.get(states)
        if known is None:
            move, row = self._solved(states), self.row(states)
            if move == WAIT:
                shown = {label for state in states for label in self.form.outputs(state)}
                known = Experiment(
                    {
                        self.form.table.labels[label]: self.refutation(row[label]) if label in row else END
                        for label in sorted(shown)
                    }
                )
            else:
                assert move is not None
                known = Experiment({self.form.table.labels[move]: self.refutation(row[move])})
            self._refuted[states] = known
        return known

    def _row(self, states: AllOfPurpose) -> dict[int, AllOfPurpose]:
        rows = [self.form.rows[state] for state in states]
        found: dict[int, AllOfPurpose] = {}
        for label in sorted({label for row in rows for label in row}):
            if label < self.inputs or all(label in row for row in rows):
                found[label] = tuple(sorted({row[label] for row in rows if label in row}))
        return found

    def _solved(self, states: AllOfPurpose) -> int | None:
        if states not in self._move:
            self._solve(states)
        return self._move[states]

    def _solve(self, states: AllOfPurpose) -> None:
        """Solve all sets that can be reached from this one; those that were solved before stand for their answer."""
        place, order, rows = {states: 0}, [states], list[dict[int, int]]()
        for one in order:  # grows on the way
            row = self.row(one) if one not in self._move else {}
            for reached in row.values():
                if reached not in place:
                    place[reached] = len(order)
                    order.append(reached)
            rows.append({label: place[reached] for label, reached in row.items()} or self._answer(one, place[one]))
        solved = valid_states(table_of_rows(rows, self.form.table.labels, list(map(str, order))))
        for one, rank, move in zip(order, solved.rank.tolist(), solved.move.tolist(), strict=True):
            self._move.setdefault(one, None if rank < 0 else move)

    def _answer(self, states: AllOfPurpose, place: int) -> dict[int, int]:
        """A row by which a set that is solved is valid, or not."""
        return {self.inputs: place} if self._move.get(states, WAIT) is None else {}


MOST_MERGES = 300


class EndlessMerges(ModelError):
    """The suite of a merge contains itself."""


class Merges:
    """The suites of a specification and of all merges that they need."""

    def __init__(self, form: NormalForm, most_states: int, *, adaptive: bool = False) -> None:
        self.form, self.most_states, self.adaptive = form, most_states, adaptive
        self.sets, self.probes = Conjunctions(form), Probes(form.table.labels)
        self._suites: dict[AllOfPurpose, MergeSuite] = {}
        self._refuse_endless()

    def obligations(self) -> tuple[Obligation, ...]:
        """All that is to be done from the initial state on."""
        return self.suite((self.form.table.initial,)).obligations

    def suite(self, states: AllOfPurpose) -> MergeSuite:
        """The suite of a merge."""
        known = self._suites.get(states)
        if known is None:
            if len(self._suites) >= MOST_MERGES:
                raise TooLarge(f"more than {MOST_MERGES:,} merges of compatible states; take another construction")
            known = self._suites[states] = MergeSuite(self, states)
        return known

    def named(self, states: AllOfPurpose) -> str:
        """A merge by its states' names."""
        return " ∧ ".join(self.form.table.names[state] for state in states)

    def _refuse_endless(self) -> None:
        """Look for a merge whose suite contains itself, depth first."""
        start: AllOfPurpose = (self.form.table.initial,)
        stack = [(start, iter(self.suite(start).needed()))]
        inside, done = {start}, set[AllOfPurpose]()
        while stack:
            states, needed = stack[-1]
            following = next(needed, None)
            if following is None:
                stack.pop()
                inside.discard(states)
                done.add(states)
            elif following in inside:
                raise EndlessMerges(f"the suite of the merge {self.named(following)} contains itself")
            elif following not in done:
                inside.add(following)
                stack.append((following, iter(self.suite(following).needed())))


class MergeSuite:
    """The suite of one merge; its states are sets of the specification's, numbered as they are met."""

    def __init__(self, merges: Merges, states: AllOfPurpose) -> None:
        self.merges, self.inputs = merges, merges.form.table.inputs
        self.sets = [states]
        self.rows: list[dict[int, int]] = []
        self._refuted: list[dict[int, tuple[Probe, ...]]] = []
        self._explore()
        self.access: dict[int, Access] = certain_accesses(self.rows, self.inputs, 0, adaptive=merges.adaptive)
        self.targets = self._apart()
        self.full = max(merges.most_states - len(self.targets) + 1, 0)

    def _explore(self) -> None:
        place, sets = {self.sets[0]: 0}, self.merges.sets
        for states in self.sets:  # grows on the way
            row, refuted = dict[int, int](), dict[int, tuple[Probe, ...]]()
            for label, reached in sets.row(states).items():
                if not sets.valid(reached):
                    refuted[label] = self.merges.probes.of(sets.refutation(reached))
                    continue
                if reached not in place:
                    place[reached] = len(self.sets)
                    self.sets.append(reached)
                row[label] = place[reached]
            self.rows.append(row)
            self._refuted.append(refuted)

    def _apart(self) -> list[int]:
        """Certainly reachable states that are pairwise incompatible, as many as are found one by one."""
        found: list[int] = []
        for state in self.access:
            if not any(self._compatible(state, other) for other in found):
                found.append(state)
        return found

    def _compatible(self, one: int, other: int) -> bool:
        return self.merges.sets.valid(self._union(one, other))

    def _union(self, one: int, other: int) -> AllOfPurpose:
        return tuple(sorted({*self.sets[one], *self.sets[other]}))

    @cached_property
    def classes(self) -> list[int]:
        """The class of each state: equivalent ones need not be told apart."""
        names = [str(number) for number in range(len(self.rows))]
        return equivalent_states(table_of_rows(self.rows, self.merges.form.table.labels, names))

    def needed(self) -> Iterator[AllOfPurpose]:
        """The merges whose suites are experiments of this one."""
        for one in range(len(self.sets)):
            for other in range(one):
                if self.classes[one] != self.classes[other] and self._compatible(one, other):
                    yield self._union(one, other)

    @cached_property
    def obligations(self) -> tuple[Obligation, ...]:
        """All that is to be done from the start of the merge on."""
        return starting_obligations(self, 0, self.targets)

    def begin(self, state: int) -> tuple[Obligation, ...]:
        """Make the experiments of a state that was reached by its access, and follow all traces from there."""
        return self.arrive(state, self.full)

    def refuting(self, state: int) -> dict[int, tuple[Probe, ...]]:
        """The experiments after outputs that lead to what nothing conforms to."""
        return self._refuted[state]

    def arrive(self, state: int, left: int) -> tuple[Obligation, ...]:
        """Make the experiments of a state, and go on as many labels as are left."""
        going = (Onward(self, state, left),) if left else ()
        return (*going, *self.experiments(state))

    def experiments(self, state: int) -> tuple[Obligation, ...]:
        """Return the experiments that tell a state from all others that are not equivalent to it."""
        return tuple(dict.fromkeys(self._experiments(state)))

    def _experiments(self, state: int) -> Iterator[Obligation]:
        for other in range(len(self.sets)):
            if self.classes[other] == self.classes[state]:
                continue
            both = self._union(state, other)
            if self.merges.sets.valid(both):
                yield from self.merges.suite(both).obligations
            else:
                yield from self.merges.probes.of(self.merges.sets.refutation(both))


@dataclass(frozen=True)
class Onward:
    """Watch, and follow every label, this many labels on."""

    suite: MergeSuite
    state: int
    left: int
    watches = True

    def moves(self) -> dict[int, tuple[Obligation, ...]]:
        """Each label of the merge, and what refutes the outputs that nothing conforms to."""
        suite = self.suite
        going = {label: suite.arrive(target, self.left - 1) for label, target in suite.rows[self.state].items()}
        return {**going, **suite.refuting(self.state)}

    def within(self, other: Obligation) -> bool:
        """Less is done where fewer labels are left."""
        return (
            isinstance(other, Onward)
            and (other.suite, other.state) == (self.suite, self.state)
            and self.left <= other.left
        )
