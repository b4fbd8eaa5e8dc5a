"""Verdicts: what a trace means. A result is a type, and its docstring says what it means."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, TypeAlias

from outplay.model.offer import Offer
from outplay.play.event import Event


@dataclass(frozen=True)
class Pass:
    """Every play conformed and, where a goal was named, at least one reached it."""

    name: ClassVar[str] = "pass"
    exit_code: ClassVar[int] = 0
    why: str = "everything seen is allowed"
    reached: int = 0


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
    """Where the system was after each event of the play, in short."""


@dataclass(frozen=True)
class _Undecided:
    """Why nothing was found out, and at which event where it is one."""

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
