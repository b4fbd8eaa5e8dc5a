"""Test cases that find out whether each transition leads where it should: a way to it, itself, then one test for all.

The way is a shortest trace of the specification. What the system shows on it is its own choice, so where it does
otherwise, and rightly, the test is inconclusive and is played again. After the transition the experiment begins that
tells states apart (conformance/telling_apart/adaptive.py): if the system is in a state whose answers the expected one
would not give, the test fails. Where the experiment gives an input that is not specified here the test ends.

The order is made to find faults early: first walks that take each transition once (sure_walks.py), then each transition
with the one test, the nearest first, then with the further tests that its target needs (further_tests.py).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

from outplay.conformance.behaviour import MOST_STATES, Inputs
from outplay.conformance.telling_apart.adaptive import Distinguishing, distinguishing
from outplay.conformance.telling_apart.experiment import END, Experiment
from outplay.conformance.transition_table import table_of
from outplay.game.exploring.breadth_first import Progress
from outplay.model.label import Label
from outplay.model.specification import Specification
from outplay.model.tracking import Tracker
from outplay.plurals import counted
from outplay.suite.from_tester import case_from_tester
from outplay.suite.identifying_plans import identifying_plans, without_prefixes
from outplay.suite.methods import Subject
from outplay.suite.suite import Stream, Suite
from outplay.suite.testcase import TestCase
from outplay.tester.tester import Decision, End, Give, Labels, Stop, Wait

_Memory: TypeAlias = int | Experiment | None  # labels of the way that were seen, the rest of the test, or off the way


@dataclass(frozen=True)
class Identifying:
    """Follows a trace, and then an experiment."""

    access_trace: Labels
    experiment: Experiment

    @property
    def start(self) -> _Memory:
        return self._at(0)

    def _at(self, seen: int) -> _Memory:
        return seen if seen < len(self.access_trace) else self.experiment

    def decide(self, tracker: Tracker, memory: _Memory) -> Decision:
        if memory is None:
            return Stop(End.INCONCLUSIVE)
        if isinstance(memory, int):
            label = self.access_trace[memory]
            return Give(label) if label.is_input else Wait()
        if not memory.moves or (memory.given is not None and not tracker.enabled(memory.given)):
            return Stop(End.PASS)
        return Wait() if memory.given is None else Give(memory.given)

    def remember(self, tracker: Tracker, memory: _Memory, label: Label) -> _Memory:
        """Go on where the label is the one that was asked for."""
        if isinstance(memory, int):
            return self._at(memory + 1) if label == self.access_trace[memory] else None
        # What the experiment does not wait for is shown only by states that it has told apart from all they should be.
        return None if memory is None else memory.moves.get(label, END)


def identifying_suite(subject: Subject, *, progress: Progress | None = None) -> Suite:
    """The test cases below as a suite, with the figures of the test they share."""
    spec = subject.bare()
    test = identifying_test(spec, most=subject.limits.states)
    tests = Stream(lambda: identifying_cases(spec, test))
    guarantee = "each transition that can be reached leads where it should, as far as its test can tell"
    return Suite(tests=tests, guarantee=guarantee, fair=True, remarks=_Measures(test))


@dataclass(frozen=True)
class _Measures:
    """What the test that all test cases end with is like."""

    test: Distinguishing

    def json(self) -> dict[str, Any]:
        """The columns of Table 3.2 (van den Bos 2020)."""
        return {
            "splitting_nodes": len(self.test.graph),
            "depth": self.test.experiment.depth,
            "undistinguished_pairs": 2 * len(self.test.undistinguished),
            "left_out_pairs": 2 * len(self.test.left_out),
            "average_leaf": self.test.average_leaf,
            "weighted_leaf": self.test.weighted_leaf,
        }

    def lines(self) -> list[str]:
        """The most important of them in words."""
        left = 2 * len(self.test.undistinguished) + 2 * len(self.test.left_out)
        further = f"; {counted(left, 'ordered pair')} that it leaves have further tests" if left else ""
        depth = counted(self.test.experiment.depth, "label")
        return [f"each ends with one test of at most {depth} that tells states apart{further}"]


def identifying_test(spec: Specification, *, most: int = MOST_STATES) -> Distinguishing:
    """One test for the states of a specification, giving only inputs that it specifies for sure."""
    return distinguishing(table_of(spec, inputs=Inputs.ALL, most=most))


def identifying_cases(spec: Specification, test: Distinguishing) -> Iterator[TestCase]:
    """Test cases for the initial state and for each transition that can be reached.

    Silence in which nothing changes has none: it is seen wherever a test waits. Tests that are the beginning of others
    are left out.

    >>> from outplay.model.automaton import automaton
    >>> from outplay.model.suspension import SuspensionAutomaton
    >>> steps = [("off", "?press", "on"), ("on", "!light", "off"), ("off", "?hit", "off")]
    >>> lamp = SuspensionAutomaton(automaton(steps))
    >>> [case.name for case in identifying_cases(lamp, identifying_test(lamp))]
    ['walk 1', 'off', 'off --?hit--> off', 'off --?press--> on']
    """
    shown = [label for label in test.states.table.labels if label.is_output]
    for plan in without_prefixes(test.states.table, identifying_plans(test)):
        how: dict[str, Any] = {"outputs": shown, "name": plan.name, "access": plan.access}
        yield case_from_tester(Identifying(plan.access_trace, plan.experiment), spec, **how)
