"""Where a play of a test case has left the specification, as far as that is sure, and by which transitions.

Surely means whatever the order of events was, with nothing on its way, and without the tester's own delay as an excuse.
"""

from __future__ import annotations

from typing import Any, TypeAlias

from outplay.model.label import SILENCE, Label
from outplay.model.possibility import UNSPECIFIED
from outplay.model.specification import State
from outplay.model.tracking import Tracker
from outplay.play.event import ENDS
from outplay.play.following import Step

States: TypeAlias = frozenset[State]
Transition: TypeAlias = tuple[States, Label]


class Whereabouts:
    """Takes the steps of a play, and knows where it ended."""

    def __init__(self) -> None:
        self._last: Tracker | None = None
        self._gone = False
        self.transitions: set[Transition] = set()
        """What was taken on the way; silence in which nothing changes is left out."""

    def take(self, step: Step) -> None:
        """Note where a step has led."""
        self._last = step.after
        self._gone = self._gone or step.event.kind in ENDS or step.event.failed
        if step.label is not None:
            before = _models(step.before)
            if step.label != SILENCE or before != _models(step.after):
                self.transitions.add((before, step.label))

    def states(self, now: float) -> States | None:
        """The states of the model, of which it is in one by now; None where that is not sure, or the system is gone."""
        if self._last is None or self._gone:
            return None
        settled = self._last.settled(now)
        sure = all(not p.on_the_way and not p.excused and p.state is not UNSPECIFIED for p in settled.possible)
        return _models(settled) if sure and settled.possible else None


def _models(tracker: Tracker) -> States:
    states: tuple[Any, ...] = tracker.states
    return frozenset(model for model, _ in states)
