"""The tester that follows a way and then an experiment: the definition of the test cases that identify states."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from outplay.conformance.distinguishing.experiment import END, Experiment
from outplay.model.label import Label
from outplay.model.tracking import Tracker
from outplay.tester.tester import Decision, End, Give, Labels, Stop, TraceBased, Wait

_Memory: TypeAlias = int | Experiment | None  # labels of the way that were seen, the rest of the test, or off the way


@dataclass(frozen=True)
class Identifying(TraceBased):
    """Follows a trace, and then an experiment."""

    access_trace: Labels
    experiment: Experiment

    @property
    def start(self) -> _Memory:
        return self._at(0)

    def _at(self, seen: int) -> _Memory:
        return seen if seen < len(self.access_trace) else self.experiment

    def choose(self, tracker: Tracker, memory: _Memory) -> Decision:
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
