"""Test cases that find out whether each transition leads where it should: a way to it, itself, then one test for all.

The way is a shortest trace of the specification. What the system shows on it is its own choice, so where it does
otherwise, and rightly, the test is inconclusive and is played again. After the transition the experiment begins that
tells states apart (conformance/adaptive.py): if the system is in a state whose answers the expected one would not give,
the test fails. Where the experiment gives an input that is not specified here the test ends.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

from outplay.conformance.adaptive import Distinguishing, distinguishing
from outplay.conformance.behaviour import MOST_STATES, Inputs
from outplay.conformance.experiment import END, Experiment
from outplay.conformance.further_tests import further_tests
from outplay.conformance.transition_table import TransitionTable, table_of
from outplay.game.goal import written_transition
from outplay.game.unfold import Progress
from outplay.model.label import SILENCE, Label
from outplay.model.specification import Specification
from outplay.model.tracking import Tracker
from outplay.strategy.words import counted
from outplay.suite.from_tester import case_from_tester
from outplay.suite.methods import Subject
from outplay.suite.testcase import Stream, Suite, TestCase
from outplay.tester.tester import Decision, End, Give, Labels, Stop, Wait

_Memory: TypeAlias = int | Experiment | None  # labels of the way that were seen, the rest of the test, or off the way


@dataclass(frozen=True)
class Identifying:
    """Follows a trace, and then an experiment."""

    way: Labels
    experiment: Experiment

    @property
    def start(self) -> _Memory:
        return self._at(0)

    def _at(self, seen: int) -> _Memory:
        return seen if seen < len(self.way) else self.experiment

    def decide(self, tracker: Tracker, memory: _Memory) -> Decision:
        """Do what the way or the experiment asks for."""
        if memory is None:
            return Stop(End.INCONCLUSIVE)
        if isinstance(memory, int):
            label = self.way[memory]
            return Give(label) if label.is_input else Wait()
        if not memory.moves or (memory.given is not None and not tracker.enabled(memory.given)):
            return Stop(End.PASS)
        return Wait() if memory.given is None else Give(memory.given)

    def remember(self, tracker: Tracker, memory: _Memory, label: Label) -> _Memory:
        """Go on where the label is the one that was asked for."""
        if isinstance(memory, int):
            return self._at(memory + 1) if label == self.way[memory] else None
        # What the experiment does not wait for is shown only by states that it has told apart from all they should be.
        return None if memory is None else memory.moves.get(label, END)


def identifying_suite(subject: Subject, *, progress: Progress | None = None) -> Suite:
    """The test cases below as a suite, with the figures of the test they share."""
    spec = subject.bare()
    test = identifying_test(spec, most=subject.limits.states)
    tests = Stream(lambda: identifying_cases(spec, test))
    guarantee = "each transition that can be reached leads where it should, as far as its test can tell"
    return Suite(method="distinguish", tests=tests, guarantee=guarantee, fair=True, remarks=_Figures(test))


@dataclass(frozen=True)
class _Figures:
    """What the test that all test cases end with is like."""

    test: Distinguishing

    def json(self) -> dict[str, Any]:
        """The columns of Table 3.2 (van den Bos 2020)."""
        return {
            "splitting_nodes": len(self.test.graph),
            "depth": self.test.depth,
            "undistinguished_pairs": 2 * len(self.test.undistinguished),
            "left_out_pairs": 2 * len(self.test.left_out),
            "average_leaf": self.test.average_leaf,
            "weighted_leaf": self.test.weighted_leaf,
        }

    def lines(self) -> list[str]:
        """The most important of them in words."""
        left = 2 * len(self.test.undistinguished) + 2 * len(self.test.left_out)
        further = f"; {counted(left, 'ordered pair')} that it leaves have further tests" if left else ""
        depth = counted(self.test.depth, "label")
        return [f"each ends with one test of at most {depth} that tells states apart{further}"]


def identifying_test(spec: Specification, *, most: int = MOST_STATES) -> Distinguishing:
    """One test for the states of a specification, giving only inputs that it specifies for sure."""
    return distinguishing(table_of(spec, inputs=Inputs.ALL, most=most))


def identifying_cases(spec: Specification, test: Distinguishing) -> Iterator[TestCase]:
    """Test cases for the initial state and for each transition that can be reached, the nearest first.

    Where the one test leaves pairs of states undistinguished, few further ones tell them apart (further_tests.py), and
    what leads to such a state has a test case more for each of those. Silence in which nothing changes has none: it is
    seen wherever a test waits.

    >>> from outplay.model.automaton import automaton
    >>> from outplay.model.suspension import SuspensionAutomaton
    >>> lamp = SuspensionAutomaton(automaton([("off", "?press", "on"), ("on", "!light", "off")]))
    >>> [case.name for case in identifying_cases(lamp, identifying_test(lamp))]
    ['off', 'off --?press--> on', 'on --!light--> off']
    """
    more = further_tests(test)
    shown = [label for label in test.states.table.labels if label.is_output]
    for name, way, reached in _aims(test.states.table):
        experiments = [test.experiment, *(one.experiment for one in more if reached in one.states)]
        for number, experiment in enumerate(experiments, 1):
            numbered = f"{name} ({number})" if number > 1 else name
            yield case_from_tester(Identifying(way, experiment), spec, outputs=shown, name=numbered)


def _aims(table: TransitionTable) -> Iterator[tuple[str, Labels, int]]:
    """What is tested: its name, a way there, and the state that should be reached."""
    yield table.names[table.initial], (), table.initial
    for state, way in ways(table).items():
        for number, target in table.moves(state).items():
            label = table.labels[number]
            if label != SILENCE or target != state:
                name = written_transition(table.names[state], label.text, table.names[target])
                yield name, (*way, label), target


def ways(table: TransitionTable) -> dict[int, Labels]:
    """A shortest trace to each state, those with fewer outputs first among equals."""
    found: dict[int, Labels] = {table.initial: ()}
    queue = [table.initial]
    for state in queue:  # grows on the way
        for label, target in table.moves(state).items():  # inputs come first
            if target not in found:
                found[target] = (*found[state], table.labels[label])
                queue.append(target)
    return found
