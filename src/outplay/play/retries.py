"""Resets that are tried again: a system that is not ready, or cannot be reset, may be so at the next try.

Only what fails before a play begins is tried again. Nothing was given to the system by then and nothing is judged, so
no misbehaviour can hide behind a try; what fails in a play stays an Error. The budget is for the whole run.
"""

from __future__ import annotations

import re

from outplay.errors import AdapterError, SystemUnready
from outplay.play.system import System
from outplay.play.trace import Event

_FIRST, _LONGEST = 0.1, 10.0  # seconds between two tries, which double
_TOLD = re.compile(r"ready after (\d+) failed tr(?:y|ies), the last: ")


class Retries:
    """The tries that are left of a run."""

    def __init__(self, budget: int = 0) -> None:
        self.left = budget

    def reset(self, system: System) -> str:
        """Reset a system; return what is to be told of the tries that failed, and raise where none is left."""
        pause, failed, why = _FIRST, 0, ""
        while True:
            try:
                system.reset()
            except AdapterError as error:
                if not self.left:
                    if failed:
                        raise SystemUnready(f"{error}; tried {failed + 1} times") from None
                    raise
                self.left -= 1
                failed, why = failed + 1, str(error)
                system.clock.sleep(pause)
                pause = min(2 * pause, _LONGEST)
            else:
                return (
                    f"ready after {failed} failed tr{'y' if failed == 1 else 'ies'}, the last: {why}" if failed else ""
                )


def failed_tries(event: Event) -> int:
    """The number of tries that failed before a reset.

    >>> failed_tries(Event("reset", seen=0.0, detail="ready after 2 failed tries, the last: no answer"))
    2
    """
    told = _TOLD.match(event.detail) if event.kind == "reset" and not event.failed else None
    return int(told[1]) if told else 0
