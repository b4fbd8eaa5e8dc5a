"""Giving the inputs of a recorded play again."""

from __future__ import annotations

from collections.abc import Iterable

from outplay.model.label import Label
from outplay.model.tracking import Tracker
from outplay.tester.tester import Decision, End, Give, Labels, Stop, Wait


class Script:
    """Gives the inputs among the labels of a play again, at the places where they stood; its memory is what is left."""

    def __init__(self, labels: Iterable[Label]) -> None:
        self.start: Labels = tuple(labels)

    def decide(self, tracker: Tracker, memory: Labels) -> Decision:
        if not memory:
            return Stop(End.INCONCLUSIVE)
        return Give(memory[0]) if memory[0].is_input else Wait()

    def remember(self, tracker: Tracker, memory: Labels, label: Label) -> Labels:
        if not memory:
            return memory
        if label.is_input or not memory[0].is_input:
            return memory[1:]
        # An output where the record has an input came early: skip it in the record where it stands later.
        later = next((place for place, one in enumerate(memory) if one == label), len(memory))
        return memory[:later] + memory[later + 1 :]
