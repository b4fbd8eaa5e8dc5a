"""Verdicts: what a trace means. A result is a type, and its docstring says what it means."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, TypeAlias

from outplay.model.offer import Offer
from outplay.play.trace import Event


@dataclass(frozen=True)
class Pass:
    """Every play conformed and, where a goal was named, at least one reached it."""

    name: ClassVar[str] = "pass"
    exit_code: ClassVar[int] = 0
    why: str = "everything seen is allowed"
    reached: int = 0


@dataclass(frozen=True)
class SingleChange:
    """A change of one thing that was seen, with which a failing play would be allowed (nearest_change.py)."""

    kind: str
    """`lost`, `doubled`, `late`, `other`, `input lost`, `input later` or `race`."""
    label: str
    step: int
    """The step of the play that is changed, or before which something is put in."""
    text: str
    """The change for people."""

    def json(self) -> dict[str, str | int]:
        return {"kind": self.kind, "label": self.label, "step": self.step, "text": self.text}


@dataclass(frozen=True)
class Fail:
    """The system showed what the model forbids; no later event can mend it."""

    name: ClassVar[str] = "fail"
    exit_code: ClassVar[int] = 1
    why: str
    event: Event
    allowed: tuple[Offer, ...] = ()
    states: tuple[str, ...] = ()
    """The states the system may have been in just before."""
    path: tuple[str, ...] = ()
    """The states of the system after each event of the play, in short."""
    change: SingleChange | None = field(default=None, compare=False)
    """The smallest single change of what was seen that would make the play allowed, where there is one and it was
    looked for."""


@dataclass(frozen=True)
class _Undecided:
    """The reason why nothing was found out, and the event where it is one."""

    why: str
    event: Event | None = None


@dataclass(frozen=True)
class Inconclusive(_Undecided):
    """Nothing forbidden was seen, but what was asked for was not shown either."""

    name: ClassVar[str] = "inconclusive"
    exit_code: ClassVar[int] = 6


@dataclass(frozen=True)
class Error(_Undecided):
    """The test itself could not be carried out: the system was not ready, or outplay failed."""

    name: ClassVar[str] = "error"
    exit_code: ClassVar[int] = 4


Verdict: TypeAlias = Pass | Fail | Inconclusive | Error
