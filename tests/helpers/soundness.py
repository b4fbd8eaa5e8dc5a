"""Whether a test case is sound: it fails nobody who conforms (van den Bos 2020, 5.9)."""

from __future__ import annotations

from outplay.model.specification import Specification
from outplay.model.tracking import Tracker
from outplay.suite.suite import TestCase
from outplay.tester.tester import End, Labels


def unsound(case: TestCase, spec: Specification) -> Labels | None:
    """A shortest trace to `fail` that the specification allows, or None: then the test case is sound."""
    start = (case.initial, Tracker(spec))
    seen, queue = {start}, [(*start, Labels())]
    for state, tracker, trace in queue:
        if case.end(state) is End.FAIL:
            return trace
        for label, target in case.moves(state).items():
            after = tracker.gave(label) if label.is_input else tracker.saw(label)
            # An input nobody specified may be followed by anything: `fail` after it is not what the model says.
            reached = (target, after)
            if after.conforms and reached not in seen:
                seen.add(reached)
                queue.append((*reached, (*trace, label)))
    return None
