"""A tester of its own, as somebody may add it: it gives the first input there is, and waits where there is none."""

from __future__ import annotations

from outplay.model.label import Label
from outplay.model.tracking import Tracker
from outplay.tester.tester import Decision, Give, Tester, Wait


class FirstInput(Tester):
    """Gives the first input of those that are allowed, by their names."""

    name = "first"

    def decide(self, tracker: Tracker) -> Decision:
        inputs = sorted(str(each) for each in tracker.inputs())
        return Give(Label.parse(inputs[0])) if inputs else Wait()
