"""An observer that calls a function with every event of every play."""

from __future__ import annotations

from collections.abc import Callable

from outplay.play.following import Step
from outplay.play.trace import Event
from outplay.runs.events import Noted, Observer, RunEvent


class Heard(Observer):
    """Calls a function with every event as it happens; what that raises ends the run where it is essential."""

    def __init__(self, heard: Callable[[Event], object], *, essential: bool = False) -> None:
        self._heard, self.essential = heard, essential

    def observe(self, event: RunEvent) -> None:
        if isinstance(event, Step | Noted):
            self._heard(event.event)
