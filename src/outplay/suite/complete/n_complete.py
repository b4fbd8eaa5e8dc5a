"""n-complete suites: whoever passes conforms, or has more than n states.

Definition (van den Bos 2020, 2.34 and 2.35): the states of an implementation that count are those it can be in after a
trace of the specification. A suite is n-complete when every implementation with at most n of them that passes it
conforms, provided that tests are executed fairly: whatever the system can show after a trace is seen sooner or later,
and an input can sooner or later be given before an output comes (2.7.4). How suites are made is in counting.py and
merging_suite.py; the smallest is taken. It may have exponentially many tests, so they are counted first, and made one
by one.

The method `n-complete`: the tests of an n-complete suite as a stream, with what it guarantees.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from typing import Any

from outplay.conformance.behaviour import MOST_STATES
from outplay.conformance.compatibility import Compatibility, compatible_states
from outplay.errors import UsageError, named
from outplay.game.exploring.breadth_first import Progress
from outplay.plurals import counted
from outplay.suite.complete.counting import Access, Counting, Identify, certain_accesses, incompatible_blocks
from outplay.suite.complete.merging_suite import EndlessMerges, Merges
from outplay.suite.complete.normal_form import NormalForm, ObservingCases, normal_form
from outplay.suite.complete.state_identification import harmonized_identifiers
from outplay.suite.complete.suite_tree import MOST_PLACES, LabelPath, Obligation, SuiteSize, SuiteTree, TooLarge
from outplay.suite.covering.sure_walks import missed_target_counts, sure_walks
from outplay.suite.methods import Subject
from outplay.suite.suite import Stream, Suite, TestCase
from outplay.tester.tester import Labels

MOST_TRIED = 5_000  # places of a suite that is only tried
_WORTH = 5  # times as large a suite must be at least as the walks that are played before it


class Construction(Enum):
    """The construction of an n-complete suite."""

    SMALLEST = "smallest"
    COUNTING = "counting"
    MERGING = "merging"
    UNCONDITIONAL = "unconditional"


@dataclass(frozen=True)
class Completeness:
    """The class of systems that a suite is complete for, and how its states are reached."""

    states: int
    adaptive: bool = False
    """Whether states count as certainly reachable that need a tester who takes what comes."""
    machine: bool = False
    """Whether the system gives one answer to each input and is silent otherwise, so that only waiting states count."""


@dataclass(frozen=True, eq=False)
class CompleteSuite:
    """An n-complete suite; no test is made before it is asked for."""

    form: NormalForm
    asked: Completeness
    construction: Construction
    tree: SuiteTree
    note: str = ""
    """The reason why another construction was not taken, where that was asked for."""

    @property
    def size(self) -> SuiteSize:
        """The exact number of tests, and of their labels."""
        return self.tree.size

    def traces(self, first: Sequence[Labels] = ()) -> Iterator[Labels]:
        """The tests as traces: follow them, and then watch. Their order follows walks that are played before."""
        labels = self.form.table.labels
        return (tuple(labels[number] for number in path) for path in self._paths(first))

    def cases(self, first: Sequence[Labels] = ()) -> Iterator[TestCase]:
        """The tests as test cases, after walks that are played first (`first_walks`)."""
        made, numbers = ObservingCases(self.form), self.form.table.numbers
        for number, walk in enumerate(first, 1):
            yield made.case(tuple(numbers[label] for label in walk), name=f"walk {number}")
        yield from map(made.case, self._paths(first))

    def _paths(self, first: Sequence[Labels]) -> Iterator[LabelPath]:
        return self.tree.paths(missed_target_counts(self.form.table, first) if first else None)

    def first_walks(self) -> list[Labels]:
        """Walks that find most faults soon: each sure transition once, where that adds little to the suite."""
        numbers, tree = self.form.table.numbers, self.tree
        walks = sure_walks(self.form.table)
        found = [walk for walk in walks if not tree.begins(tuple(numbers[label] for label in walk))]
        return found if _WORTH * sum(len(walk) + 2 for walk in found) <= self.size.symbols else []

    @property
    def access(self) -> str:
        """Return how states are reached for certain: by a trace that all conforming systems have, by one of several, or
        not.
        """
        if self.construction is Construction.UNCONDITIONAL:
            return "no"
        return "adaptive" if self.asked.adaptive else "fixed"

    @property
    def guarantee(self) -> str:
        """Return the meaning of passing all tests."""
        asked = self.asked
        which = "in which it waits for an input" if asked.machine else "that traces of the model lead to"
        machine = ", gives exactly one answer to each" if asked.machine else ""
        size = f"at most {counted(asked.states, 'state')} {which}"
        return (
            f"conforms (uioco), if it has {size}, takes every input{machine}, and "
            "if execution is fair: all it can show after a trace is seen at last, and each input can be given at last"
        )

    def json(self) -> dict[str, Any]:
        """The parameters, and what they promise."""
        return {
            "states": self.asked.states,
            "construction": self.construction.value,
            "access": self.access,
            "guarantee": self.guarantee,
            "note": self.note or None,
        }

    def lines(self) -> list[str]:
        note = [f"note: {self.note}"] if self.note else []
        return [*note, f"{self.asked.states}-complete ({self.construction.value}, {self.access} access)"]


def n_complete(
    model: Any,
    states: int | None = None,
    *,
    construction: Construction = Construction.SMALLEST,
    adaptive: bool = False,
    machine: bool = False,
    most: int = MOST_STATES,
) -> CompleteSuite:
    """Make an n-complete suite of a model for implementations with at most n states, by default those of the model.

    >>> from outplay.model.automaton import automaton
    >>> lamp = automaton([("off", "?press", "on"), ("on", "!light", "off")])
    >>> suite = n_complete(lamp)
    >>> suite.size
    SuiteSize(tests=2, labels=5)
    >>> [" ".join(map(str, trace)) for trace in suite.traces()]
    ['?press !light', 'delta']
    """
    form = normal_form(model, most=most)
    if machine and (wrong := _no_machine(form)):
        raise UsageError(f"{form.table.name} is no machine: {wrong}; leave the assumption out")
    own = form.waiting if machine else form.states
    asked = Completeness(own if states is None else states, adaptive, machine)
    if asked.states < 1:
        raise UsageError(f"an implementation has at least one state; {asked.states} was asked for")
    return _Maker(form, asked).made(construction)


class _Maker:
    def __init__(self, form: NormalForm, asked: Completeness) -> None:
        self.form, self.asked = form, asked
        self.found: Compatibility = compatible_states(form.table)
        self.access = certain_accesses(form.rows, form.table.inputs, form.table.initial, adaptive=asked.adaptive)

    def made(self, construction: Construction) -> CompleteSuite:
        if construction is Construction.SMALLEST:
            return self.smallest()
        if construction is Construction.UNCONDITIONAL:
            return self.suite(construction, self.unconditional())
        if construction is Construction.COUNTING:
            return min(self.counted(), key=lambda suite: suite.size.symbols)
        try:
            return self.suite(construction, self.merging())
        except EndlessMerges as error:
            note = f"{error}, so it has no end; the unconditional suite is finite and guarantees as much"
            return self.suite(Construction.UNCONDITIONAL, self.unconditional(), note)

    def smallest(self) -> CompleteSuite:
        """The suite with the fewest labels and resets among those that can be made."""
        found, refused = list[CompleteSuite](), list[TooLarge]()
        for suite in (*self.counted(), *self.others()):
            if refused and suite.construction is Construction.COUNTING:
                continue  # other identifiers make little difference
            try:
                suite.tree.count()
                found.append(suite)
            except TooLarge as error:
                refused.append(error)
        if not found:
            raise refused[0]
        return min(found, key=lambda suite: suite.size.symbols)

    def others(self) -> Iterator[CompleteSuite]:
        """Suites that are seldom smaller, looked at as far as that takes no long time."""
        if not self.asked.machine:
            yield self.suite(Construction.UNCONDITIONAL, self.unconditional(), most=MOST_TRIED)
            if self.found.count:
                with suppress(EndlessMerges, TooLarge):
                    yield self.suite(Construction.MERGING, self.merging(), most=MOST_TRIED)

    def suite(
        self, construction: Construction, obligations: tuple[Obligation, ...], note: str = "", most: int = MOST_PLACES
    ) -> CompleteSuite:
        table = self.form.table
        tree = SuiteTree(self.form.rows, table.inputs, table.initial, obligations, most)
        return CompleteSuite(self.form, self.asked, construction, tree, note)

    def merging(self) -> tuple[Obligation, ...]:
        if self.asked.machine:
            raise UsageError("merges have states that no machine has; take another construction")
        return Merges(self.form, self.asked.states, adaptive=self.asked.adaptive).obligations()

    def unconditional(self) -> tuple[Obligation, ...]:
        """U(S, n): each state by itself, and nothing is identified."""
        blocks = [[state] for state in self.counted_states]
        start: dict[int, Access] = {self.form.table.initial: {}}
        return self.counting(blocks, start, lambda state: ())

    def counted(self) -> list[CompleteSuite]:
        """Suites by counting, with identifiers found in several ways."""
        blocks = incompatible_blocks(self.found, self.counted_states, self.access)
        listed = harmonized_identifiers(self.form, self.found, blocks, resting=self.asked.machine)
        return [self.suite(Construction.COUNTING, self.counting(blocks, self.access, identify)) for identify in listed]

    def counting(
        self, blocks: list[list[int]], access: dict[int, Access], identify: Identify
    ) -> tuple[Obligation, ...]:
        asked = self.asked
        resting = self.counted_states if asked.machine else ()
        return Counting(self.form, asked.states, blocks, access, identify, resting=resting).obligations()

    @property
    def counted_states(self) -> list[int]:
        return self.form.resting if self.asked.machine else list(range(len(self.form.rows)))


def _no_machine(form: NormalForm) -> str:
    """Explain why a specification is not one of a machine: states that wait for an input, and states that answer it at
    once.
    """
    resting = set(form.resting)
    for state in range(len(form.rows)):
        name, row = form.table.names[state], form.rows[state]
        if state in resting:
            if form.silence is not None and row[form.silence] != state:
                return f"silence changes {name}"
        elif form.silence in row or any(label < form.table.inputs for label in row):
            return f"{name} may answer, and may wait for an input as well"
        elif not resting.issuperset(row.values()):
            return f"{name} does not wait for an input after its answer"
    return "" if form.table.initial in resting else f"{form.table.names[form.table.initial]} does not wait for an input"


def complete_suite(
    subject: Subject,
    *,
    progress: Progress | None = None,
    states: int | None = None,
    construction: str = Construction.SMALLEST.value,
    adaptive_access: bool = False,
    machine: bool = False,
) -> Suite:
    """Make the n-complete suite of the method `complete`, walks first; its size is known before any test is made."""
    made = n_complete(
        subject.bare(),
        states,
        construction=named(construction, {kind.value: kind for kind in Construction}, "construction"),
        adaptive=adaptive_access,
        machine=machine,
        most=subject.limits.states,
    )
    walks = made.first_walks()
    return Suite(
        tests=Stream(lambda: made.cases(walks)),
        guarantee=made.guarantee,
        fair=True,
        count=len(walks) + made.size.tests,
        labels=sum(len(walk) + 1 for walk in walks) + made.size.labels,
        remarks=made,
    )
