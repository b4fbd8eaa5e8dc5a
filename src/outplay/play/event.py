"""Events: what happened during a play, one at a time.

`input` and `output` are labels given and seen; `silence` is a wait that ended with nothing; `late` is an output that
came after silence had been called; `crash`, `closed` and `garbage` are the system dying, ending or talking nonsense;
`tester-late` is our own delay; `reset` starts a play; `note` is for people, or tells of a failure of our own.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from outplay.model.label import Label

KINDS = ("input", "output", "silence", "late", "crash", "closed", "garbage", "tester-late", "reset", "note")
MOVES = ("input", "output", "silence", "late")
ENDS = ("crash", "closed", "garbage")


@dataclass(frozen=True)
class Event:
    """One event. Times are seconds since the run began: when an input was given, when anything else was seen.

    A delay of our own is given when it began and seen when it ended; so is an input that took long to hand over.
    """

    kind: str
    label: Label | None = None
    given: float | None = None
    seen: float | None = None
    play: int = 0
    n: int = 0
    detail: str = ""
    failed: bool = False
    """For `reset` and `note`: the system could not be made ready, or outplay itself failed."""
    traceback: str = ""
    """For a `crash` of Python code: where it happened."""
    words: str = ""
    """For what ended the play: the end of what the system wrote on standard error in it."""
    taken: float | None = None
    """For an input: when it had arrived, where the system says so; from then on it is on its way no longer."""
    channel: str | None = None
    """For a label: the channel that keeps its order; None for the unnamed one."""

    def __reduce__(self) -> tuple[type[Event], tuple[Any, ...]]:
        """Write down what is set only, for most of an event is not."""
        values = [getattr(self, field.name) for field in _FIELDS]
        while len(values) > 1 and values[-1] == _FIELDS[len(values) - 1].default:
            values.pop()
        return Event, tuple(values)

    @property
    def time(self) -> float:
        """The time when it happened, given or seen."""
        return self.given if self.given is not None else self.seen if self.seen is not None else 0.0

    @property
    def is_move(self) -> bool:
        """Say whether it counts as a step of the play."""
        return self.kind in MOVES

    @property
    def shown(self) -> str:
        """The event, in short."""
        return {"silence": "delta", "late": f"{self.label} (late)"}.get(self.kind) or str(self.label or self.kind)

    def __str__(self) -> str:
        return f"{self.shown}: {self.detail}" if self.detail else self.shown


_FIELDS = fields(Event)
