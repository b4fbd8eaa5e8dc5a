"""What systems that speak in lines share, a program and a server: being reset, made ready, given to and watched."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Iterable
from typing import Generic, Protocol, TypeVar

from outplay.errors import SystemUnready
from outplay.interrupting import unbroken
from outplay.model.label import Label
from outplay.play.clock import Clock, RealClock
from outplay.play.event import Event
from outplay.play.lines import line_event


class LineLink(Protocol):
    """One run of a program, or one connection, from its beginning to its end."""

    def alive(self) -> bool:
        """Say whether it has not ended by itself."""

    def write(self, message: str, patience: float) -> None:
        """Hand over a line; one that is gone shows that when next observed, one that takes nothing is an error."""

    def next(self, timeout: float) -> Event:
        """What comes next, or silence."""

    def end(self) -> None:
        """End it, and everything that belongs to it."""


L = TypeVar("L", bound=LineLink)
_LAST_LOOKS = 10_000  # lines
_LONGEST_SHOWN = 100  # characters of a line


class LineSystem(ABC, Generic[L]):
    """A system with one message a line; each play has a link of its own, unless a message resets it.

    `ready` is a line to wait for at the beginning, `reset_message` a pair of message and answer that resets without
    beginning anew; both have to come, and every input has to be taken, within `patience` seconds.
    """

    synchronous = False

    def __init__(self, ready: str | None, reset_message: tuple[str, str] | None, patience: float) -> None:
        self._ready, self._reset_message, self._patience = ready, reset_message, patience
        self.clock: Clock = RealClock()
        self._link: L | None = None

    @abstractmethod
    def _begin(self) -> None:
        """Begin a link."""

    def reset(self) -> None:
        if self._link and self._reset_message and self._link.alive():
            message, answer = self._reset_message
            self._link.write(message, self._patience)
            self._expect(answer, f"answer to the reset {message!r}")
            return
        self.close()
        self._begin()
        if self._ready is not None:
            self._expect(self._ready, "line that says it is ready")

    def give(self, label: Label) -> None:
        self._open().write(label.message, self._patience)

    def observe(self, timeout: float) -> Event:
        return self._open().next(timeout)

    def close(self) -> None:
        with unbroken():
            link, self._link = self._link, None
            if link:
                link.end()

    def _open(self) -> L:
        if self._link is None:
            raise SystemUnready("the system is not running: reset it first")
        return self._link

    def _expect(self, line: str, what: str) -> None:
        """Wait for a line; anything from before it belongs to the past and is dropped."""
        wanted = line_event(line.encode(), 0.0).label  # as it will read when it comes, whatever its spaces
        deadline, looks = time.monotonic() + self._patience, _LAST_LOOKS
        came: deque[str] = deque(maxlen=2)
        while looks:
            left = max(deadline - time.monotonic(), 0.0)
            event = self.observe(left or 1e-9)  # never a mere glance
            if event.kind == "output" and event.label == wanted:
                return
            if event.kind not in ("output", "silence"):
                raise SystemUnready(f"{event.kind} ({event.detail}) while waiting for the {what}{_instead(came, '')}")
            if event.label is not None:
                came.append(event.label.message)
            if not left:  # we may have been stopped ourselves: what was said by now is looked at, but no flood for ever
                looks = 0 if event.kind == "silence" else looks - 1
        raise SystemUnready(f"no {line!r} within {self._patience:g} s, the {what}{_instead(came, event.detail)}")


def _instead(came: Iterable[str], further: str) -> str:
    """What was said last, where another line was waited for."""
    said = " and ".join(repr(line[:_LONGEST_SHOWN]) for line in came)
    return "".join(f"; {words}" for words in (said and f"it said {said}", further) if words)
