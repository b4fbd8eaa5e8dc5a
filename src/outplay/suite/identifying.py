"""Test cases that find out whether each transition leads where it should: a way to it, itself, then one test for all.

The way is a shortest trace of the specification. What the system shows on it is its own choice, so where it does
otherwise, and rightly, the test is inconclusive and is played again. After the transition the experiment begins that
tells states apart (adaptive_graph.py): if the system is in a state whose answers the expected one
would not give, the test fails. Where the experiment gives an input that is not specified here the test ends.

The order is made to find faults early: first walks that take each transition once (sure_walks.py), then each transition
with the one test, the nearest first, then with the further tests that its target needs (further_tests.py).

Plans written down as test cases, straight from the table of a specification, and counted without being written. The
test case is that of the tester which follows the way of its plan and then the experiment (from_tester.py, van den Bos
2020, 5.19): off the way it is inconclusive, what the specification does not allow is a fail, and where the experiment
ends, or gives an input that is not specified here, it passes. A tester that follows the specification itself takes
hundreds of times as long.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

from outplay.conformance.behaviour import MOST_STATES, Inputs
from outplay.conformance.distinguishing.adaptive_graph import Distinguishing, distinguishing
from outplay.conformance.distinguishing.experiment import Experiment
from outplay.conformance.distinguishing.one_test_limit import fewest_missed
from outplay.conformance.transition_table import TransitionTable, table_of
from outplay.game.exploring.breadth_first import Progress
from outplay.model.automaton import Automaton
from outplay.model.label import SILENCE, Label
from outplay.model.specification import Specification
from outplay.plurals import counted
from outplay.suite.identifying_plans import IdentifyingPlan, identifying_plans, plans_without_prefixes
from outplay.suite.methods import Subject
from outplay.suite.suite import Stream, Suite, TestCase
from outplay.tester.tester import End

_Memory: TypeAlias = int | Experiment  # labels of the way that were seen, or the rest of the experiment
_Row: TypeAlias = list[tuple[int, int]]  # labels by number with the number of a state, ends below 0
_ENDS = (End.FAIL, End.PASS, End.INCONCLUSIVE)
_FAIL, _PASS, _INCONCLUSIVE = -1, -2, -3


class IdentifyingCases:
    """Test cases for the states of a table."""

    def __init__(self, table: TransitionTable) -> None:
        self.rows, self.numbers = table.rows, table.numbers
        self.labels: tuple[Label, ...] = table.labels
        if SILENCE not in self.numbers:
            self.labels += (SILENCE,)
        self.silence = self.labels.index(SILENCE)
        shown = [number for number, label in enumerate(table.labels) if label.is_output]
        self.shown = sorted(shown, key=lambda number: str(table.labels[number]))
        self._longest: dict[tuple[int, int], int] = {}
        self._kept: dict[int, Experiment] = {}  # so that no other one gets its number

    def case(self, plan: IdentifyingPlan, initial: int) -> TestCase:
        """The test case of a plan, from the initial state of the table on."""
        rows = self._unrolled(plan.tree.trace(plan.way), plan.experiment, initial)
        order = {0: 0}  # states are numbered as they are named first
        for state, row in enumerate(rows):
            order.setdefault(state, len(order))
            for _, reached in row:
                order.setdefault(reached, len(order))
        if not rows:
            return TestCase(Automaton((End.PASS.value,), (), (0, 0), (), (), 0, plan.name), plan.access)
        names = tuple(f"t{state}" if state >= 0 else _ENDS[-1 - state].value for state in order)
        met: dict[int, int] = {}
        first, label, target = [0], list[int](), list[int]()
        for state in order:
            for number, reached in rows[state] if state >= 0 else ():
                label.append(met.setdefault(number, len(met)))
                target.append(order[reached])
            first.append(len(label))
        labels = tuple(self.labels[number] for number in met)
        return TestCase(Automaton(names, labels, tuple(first), tuple(label), tuple(target), 0, plan.name), plan.access)

    def depth(self, plan: IdentifyingPlan) -> int:
        """The most labels that a play of the test case of a plan has."""
        return plan.tree.depth(plan.way) + self._depth(plan.experiment, plan.reached)

    def _unrolled(self, way: list[int], experiment: Experiment, initial: int) -> list[_Row]:
        """Return the continuation in each state of the test case, the first one first."""
        known: dict[tuple[int, int], int] = {}
        queue: list[tuple[int, _Memory]] = []

        def place(state: int, memory: _Memory) -> int:
            if memory == len(way):
                memory = experiment
            if not isinstance(memory, int) and self._is_over(state, memory):
                return _PASS
            key = state, memory if isinstance(memory, int) else len(way) + id(memory)
            if key not in known:
                known[key] = len(queue)
                queue.append((state, memory))
            return known[key]

        place(initial, 0)
        rows: list[_Row] = []
        for state, memory in queue:  # grows on the way
            row = self.rows[state]
            following: dict[int, tuple[int, _Memory]]
            if isinstance(memory, int):
                following = {way[memory]: (row[way[memory]], memory + 1)}
                given = self.labels[way[memory]].is_input
            else:
                following, given = {**dict(self._following(state, memory))}, memory.given is not None
            rows.append([])
            for number in self._listed(following, given=given):
                if number in following:
                    rows[-1].append((number, place(*following[number])))
                elif number not in row:
                    rows[-1].append((number, _FAIL))
                else:
                    rows[-1].append((number, _INCONCLUSIVE if isinstance(memory, int) else _PASS))
        return rows

    def _listed(self, following: dict[int, tuple[int, _Memory]], *, given: bool) -> list[int]:
        """The labels that a state of a test case lists: its input, all outputs, and silence where it waits."""
        return [next(iter(following)), *self.shown] if given else [*self.shown, self.silence]

    def _is_over(self, state: int, part: Experiment) -> bool:
        return not part.moves or (part.given is not None and self.numbers[part.given] not in self.rows[state])

    def _following(self, state: int, part: Experiment) -> Iterator[tuple[int, tuple[int, Experiment]]]:
        """Return the targets of the labels that a part of an experiment gives or waits for, and how it goes on."""
        row = self.rows[state]
        for label, after in part.moves.items():
            number = self.numbers[label]
            if number in row:
                yield number, (row[number], after)

    def _depth(self, experiment: Experiment, state: int) -> int:
        """The most labels of an experiment in a state, without recursion; what was found is kept."""
        longest, stack = self._longest, [(experiment, state)]
        self._kept[id(experiment)] = experiment
        while stack:
            part, here = stack[-1]
            key = id(part), here
            if key in longest or self._is_over(here, part):
                longest.setdefault(key, 0)
                stack.pop()
                continue
            following = [(after, target) for _, (target, after) in self._following(here, part)]
            missing = [one for one in following if (id(one[0]), one[1]) not in longest]
            if missing:
                stack += missing
            else:
                stack.pop()
                longest[key] = 1 + max((longest[id(after), target] for after, target in following), default=0)
        return longest[id(experiment), state]


def identifying_suite(subject: Subject, *, progress: Progress | None = None) -> Suite:
    """Make the suite of identifying test cases, with the figures of the test they share."""
    test = identifying_test(subject.bare(), most=subject.limits.states)
    return Suite(
        tests=Stream(lambda: identifying_cases(test)),
        measure=lambda: identifying_case_counts(test),
        guarantee="each transition that can be reached leads where it should, as far as its test can tell",
        fair=True,
        remarks=_Measures(test),
    )


@dataclass(frozen=True)
class _Measures:
    """The measures of the test that all test cases end with."""

    test: Distinguishing

    def json(self) -> dict[str, Any]:
        """The columns of Table 3.2 (van den Bos 2020), and how much of what can be told apart the test tells apart."""
        return {
            "splitting_nodes": len(self.test.graph),
            "depth": self.test.experiment.depth,
            "undistinguished_pairs": 2 * len(self.test.undistinguished),
            "left_out_pairs": 2 * len(self.test.left_out),
            "average_leaf": self.test.average_leaf,
            "weighted_leaf": self.test.weighted_leaf,
            "incompatible_pairs": 2 * self._incompatible,
            "told_apart_at_most": 2 * (self._incompatible - self._sure_to_be_missed),
        }

    @cached_property
    def _incompatible(self) -> int:
        count = self.test.states.count
        return count * (count - 1) // 2 - self.test.states.found.count

    @cached_property
    def _missed(self) -> int:
        return len(self.test.undistinguished) + len(self.test.left_out)

    @cached_property
    def _sure_to_be_missed(self) -> int:
        """A number of pairs that every one test misses; 0 where nothing is known."""
        found = self.test.states.found
        return fewest_missed(found, known=self._missed) if self._missed and found.has_pairs else 0

    def lines(self) -> list[str]:
        """The most important of them in words."""
        depth = counted(self.test.experiment.depth, "label")
        return [f"each ends with one test of at most {depth} that tells states apart", *self._share()]

    def _share(self) -> list[str]:
        """Return the share of the pairs that can be told apart which one test tells apart, and the most that any one
        could.
        """
        pairs, missed, least = self._incompatible, self._missed, self._sure_to_be_missed
        if not pairs:
            return []
        told = f"it tells apart {_percent(pairs - missed, pairs)} of {2 * pairs:,} ordered pairs of states that differ"
        if not missed:
            return [told]
        further = f"; {counted(2 * missed, 'ordered pair')} that it leaves have further tests"
        if least == missed:
            return [f"{told}, and no single test does better{further}"]
        most = f" (a single test can do {_percent(pairs - least, pairs)} at most)" if least else ""
        return [f"{told}{most}{further}"]


def _percent(part: int, whole: int) -> str:
    """A share with two decimals, rounded down so that only all is 100 %."""
    hundredths = 10_000 * part // whole
    return f"{hundredths / 100:g} %"


def identifying_test(spec: Specification, *, most: int = MOST_STATES) -> Distinguishing:
    """Find one test that identifies the states of a specification, giving only inputs that are surely specified."""
    return distinguishing(table_of(spec, inputs=Inputs.ALL, most=most))


def identifying_cases(test: Distinguishing) -> Iterator[TestCase]:
    """Yield identifying test cases for the initial state and for each transition that can be reached.

    Silence in which nothing changes has none: it is seen wherever a test waits. Tests that are the beginning of others
    are left out.

    >>> from outplay.model.automaton import automaton
    >>> from outplay.model.suspension import SuspensionAutomaton
    >>> steps = [("off", "?press", "on"), ("on", "!light", "off"), ("off", "?hit", "off")]
    >>> lamp = SuspensionAutomaton(automaton(steps))
    >>> [case.name for case in identifying_cases(identifying_test(lamp))]
    ['walk 1', 'off', 'off --?hit--> off', 'off --?press--> on']
    """
    table = test.states.table
    made = IdentifyingCases(table)
    for plan in plans_without_prefixes(table, identifying_plans(test)):
        yield made.case(plan, table.initial)


def identifying_case_counts(test: Distinguishing) -> tuple[int, int]:
    """Count the identifying test cases, and their labels at most in all, without making any.

    >>> from outplay.model.automaton import automaton
    >>> identifying_case_counts(identifying_test(automaton([("off", "?press", "on"), ("on", "!light", "off")])))
    (2, 4)
    """
    made = IdentifyingCases(test.states.table)
    depths = [
        made.depth(plan) for plan in plans_without_prefixes(test.states.table, identifying_plans(test, ordered=False))
    ]
    return len(depths), sum(depths)
