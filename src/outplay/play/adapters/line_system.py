"""The parts that systems which speak in lines share, a program and a server: being reset, made ready, given to and
watched.

Systems whose reset is an input: a strategy that resets in mid-play is played like any other.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Collection, Iterable, Mapping
from typing import Generic, Protocol, Self, TypeVar

from outplay.errors import SystemUnready, UsageError
from outplay.game.reset import RESET
from outplay.model.label import Label
from outplay.model.specification import Channels
from outplay.play.adapters.lines import line_event
from outplay.play.system import (
    Called,
    Clock,
    Disturbed,
    Quieting,
    Racing,
    RealClock,
    Renewed,
    Resting,
    Seeded,
    SideBySide,
    System,
    Walking,
    Wordy,
)
from outplay.play.trace import Event
from outplay.signals import unbroken


class LineLink(Protocol):
    """One run of a program, or one connection, from its beginning to its end."""

    def alive(self) -> bool:
        """Say whether it has not ended by itself."""

    def write(self, message: str, patience: float) -> None:
        """Hand over a line; one that is gone shows that when next observed, one that takes nothing is an error."""

    def next(self, timeout: float) -> Event:
        """Return the next observation, or silence."""

    def end(self) -> None:
        """End it, and everything that belongs to it."""


L = TypeVar("L", bound=LineLink)
PROBES = 2  # what the first one meets may lead to something that the second one meets
_LAST_LOOKS = 10_000  # lines
_LONGEST_SHOWN = 100  # characters of a line


class LineSystem(ABC, Generic[L]):
    """A system with one message a line; each play has a link of its own, unless a message resets it.

    `ready` is a line to wait for at the beginning, `reset_message` a pair of message and answer that resets without
    beginning anew; both have to come, and every input has to be taken, within `patience` seconds.
    """

    synchronous = False
    one_wire = True

    def __init__(self, ready: str | None, reset_message: tuple[str, str] | None, patience: float) -> None:
        self._ready, self._reset_message, self._patience = ready, reset_message, patience
        self.clock: Clock = RealClock()
        self._link: L | None = None
        self._probe: tuple[str, str] | None = None
        self._came: deque[Event] = deque()  # before the answer to a probe

    def proving_by(self, probe: str | None) -> Self:
        """Prove silence by a message and its answer, `PING=PONG`, before which all comes that the system has to say."""
        self._probe = reset_pair(probe, "probe")
        return self

    def quiet(self) -> bool:
        if self._probe is None or self._link is None or self._came or not self._link.alive():
            return False
        wanted = line_event(self._probe[1].encode(), 0.0).label
        for _ in range(PROBES):
            self._link.write(self._probe[0], self._patience)
            deadline = time.monotonic() + self._patience
            while True:
                event = self._link.next(max(deadline - time.monotonic(), 1e-9))
                if event.kind == "output" and event.label == wanted:
                    break
                if event.kind == "silence" and time.monotonic() < deadline:
                    continue
                if event.kind == "silence":
                    return False
                self._came.append(event)
                if event.kind != "output":
                    return False
        return not self._came

    @abstractmethod
    def _begin(self) -> None:
        """Begin a link."""

    def reset(self) -> None:
        self._came.clear()
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
        return self._came.popleft() if self._came else self._open().next(timeout)

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


def reset_pair(given: str | None, option: str = "reset") -> tuple[str, str] | None:
    """Read the option `--reset MESSAGE=ANSWER` of a system that speaks in lines, or another such pair."""
    if given is None:
        return None
    message, equals, answer = given.partition("=")
    if not equals or not message or not answer:
        raise UsageError(f"--{option} {given}: write MESSAGE=ANSWER, for instance {option.upper()}=OK")
    return message, answer


def refuse_beside_table(ready: str | None, reset: str | None) -> None:
    """Refuse lines to wait for where a system speaks as a table says."""
    if ready is not None or reset is not None:
        raise UsageError("--ready and --reset have no effect with --table; write [[begin]] and [[reset]] in the table")


def _instead(came: Iterable[str], further: str) -> str:
    """Return the last line, where another was waited for."""
    said = " and ".join(repr(line[:_LONGEST_SHOWN]) for line in came)
    return "".join(f"; {words}" for words in (said and f"it said {said}", further) if words)


class Resetting:
    """A system that is reset when it is given the label for it; all other inputs go to the system itself."""

    def __init__(self, system: System, label: str = RESET) -> None:
        self._system, self._reset = system, Label.parse(label)
        self.synchronous, self.clock = system.synchronous, system.clock
        self.one_wire = getattr(system, "one_wire", False)

    @property
    def inside(self) -> System:
        """The system itself."""
        return self._system

    def reset(self) -> None:
        self._system.reset()

    def give(self, label: Label) -> float | None:
        if label != self._reset:
            return self._system.give(label)
        self._system.reset()
        return None

    def forestalls(self, label: Label) -> bool:
        return label != self._reset and isinstance(self._system, Racing) and self._system.forestalls(label)

    @property
    def renewed(self) -> bool:
        return isinstance(self._system, Renewed) and self._system.renewed

    def faults(self) -> Mapping[str, int]:
        return self._system.faults() if isinstance(self._system, Disturbed) else {}

    def quiet(self) -> bool:
        return isinstance(self._system, Quieting) and self._system.quiet()

    def rests(self) -> bool:
        return isinstance(self._system, Resting) and self._system.rests()

    def words(self) -> str:
        return self._system.words() if isinstance(self._system, Wordy) else ""

    def will_call(self, gates: Collection[str]) -> None:
        if isinstance(self._system, Called):
            self._system.will_call(gates)

    def answer_null(self, gates: Collection[str]) -> None:
        if isinstance(self._system, Called):
            self._system.answer_null(gates)

    def use_channels(self, channels: Channels) -> None:
        if isinstance(self._system, SideBySide):
            self._system.use_channels(channels)
            self.synchronous = self._system.synchronous

    def arrive(self, vertices: Collection[str]) -> None:
        if isinstance(self._system, Walking):
            self._system.arrive(vertices)

    def observe(self, timeout: float) -> Event:
        return self._system.observe(timeout)

    def seed(self, text: str) -> None:
        """Let the system draw from this seed, if it draws by chance."""
        if isinstance(self._system, Seeded):
            self._system.seed(text)

    def close(self) -> None:
        self._system.close()
