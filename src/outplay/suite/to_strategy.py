"""From a test case to its strategy, and whether a test case is sound.

Definition (004, 5.22 and Theorem 5.23): after a trace the strategy gives the input of the test case's state where the
specification enables it, stops at an end or where it does not enable it, and waits otherwise. With Theorem 5.20 this is
one to one between the strategies, as far as their own plays go, and the test cases that give only inputs the
specification enables and that end with `fail` exactly where it forbids what was seen. The thesis (5.25) leaves these
conditions out; what a strategy would do in plays that cannot occur is in no test case, and a test case that gives an
input nobody specified, or forgives a forbidden output, stands for the same strategy as another one.
"""

from __future__ import annotations

from outplay.model.label import Label
from outplay.model.specification import Specification
from outplay.model.tracking import Tracker
from outplay.suite.decisions import Decision, Give, Stop, Trace, Wait
from outplay.suite.testcase import End, TestCase


class CaseStrategy:
    """A test case as a trace-based strategy; its memory is the state of the test case, None outside of it."""

    def __init__(self, case: TestCase) -> None:
        self._case = case
        self.start: int | None = case.initial

    def decide(self, tracker: Tracker, memory: int | None) -> Decision:
        if memory is None:
            return Stop(End.INCONCLUSIVE)
        end = self._case.end(memory)
        if end is not None:
            return Stop(end)
        label = self._case.given(memory)
        if label is None:
            return Wait()
        return Give(label) if tracker.enabled(label) else Stop(End.INCONCLUSIVE)

    def remember(self, tracker: Tracker, memory: int | None, label: Label) -> int | None:
        return None if memory is None else self._case.after(memory, label)


def strategy_from_case(case: TestCase) -> CaseStrategy:
    """Take a test case as the strategy it stands for."""
    return CaseStrategy(case)


def unsound(case: TestCase, spec: Specification) -> Trace | None:
    """A shortest trace to `fail` that the specification allows, or None: then the test case is sound (004, 5.9).

    >>> from outplay.model.automaton import automaton
    >>> from outplay.model.suspension import SuspensionAutomaton
    >>> from outplay.suite.testcase import case_of
    >>> strict = case_of([("t0", "!x", "fail"), ("t0", "delta", "pass")])
    >>> unsound(strict, SuspensionAutomaton(automaton([("a", "!x", "a")])))
    (!x,)
    """
    start = (case.initial, Tracker(spec))
    seen, queue = {start}, [(*start, Trace())]
    for state, tracker, trace in queue:
        if case.end(state) is End.FAIL:
            return trace
        for label, target in case.moves(state).items():
            after = tracker.gave(label) if label.is_input else tracker.saw(label)
            # An input nobody specified may be followed by anything: `fail` after it is not what the model says.
            reached = (target, after)
            if after.possible and reached not in seen:
                seen.add(reached)
                queue.append((*reached, (*trace, label)))
    return None
