"""The system under test, as the runner sees it: three verbs, and an end.

Time as an argument: the real monotonic clock, or a virtual one on which a whole play takes no time at all.
"""

from __future__ import annotations

import re
import time
from collections.abc import Collection, Mapping
from typing import Protocol, runtime_checkable

from outplay.errors import AdapterError, SystemUnready
from outplay.model.label import Label
from outplay.model.specification import Channels
from outplay.play.trace import Event


class Clock(Protocol):
    """Tells the time in seconds; only differences mean anything."""

    def now(self) -> float: ...
    def sleep(self, seconds: float) -> None: ...


class RealClock:
    """The monotonic clock: setting the computer's time does not touch it."""

    def now(self) -> float:
        return time.monotonic()

    def sleep(self, seconds: float) -> None:
        time.sleep(seconds)


class VirtualClock:
    """Time that passes only when somebody waits.

    >>> clock = VirtualClock()
    >>> clock.sleep(2.5)
    >>> clock.now()
    2.5
    """

    def __init__(self, start: float = 0.0) -> None:
        self._now = start

    def now(self) -> float:
        return self._now

    def sleep(self, seconds: float) -> None:
        self._now += seconds


def sleep_lateness() -> float:
    """Measure how late a short sleep ends on this machine, in seconds: the worst of 20."""
    worst = 0.0
    for _ in range(20):
        began = time.monotonic()
        time.sleep(0.005)
        worst = max(worst, time.monotonic() - began - 0.005)
    return worst


def least_silence(lateness: float) -> float:
    """Return the shortest silence of a system that means anything where sleeps end so late.

    >>> least_silence(0.0001), least_silence(0.02)
    (0.1, 0.4)
    """
    return max(0.1, 20 * lateness)


class System(Protocol):
    """Something that takes inputs and shows outputs."""

    synchronous: bool
    """True where input and output cannot cross on their way: calls, simulations. False for pipes and sockets."""
    clock: Clock

    # `one_wire = True` besides says that all labels go over one connection, whatever channels the model names.

    def reset(self) -> None:
        """Bring the system to its initial state, or raise SystemUnready."""

    def give(self, label: Label) -> float | None:
        """Hand over an input; it is never taken back. A system that is gone shows that when next observed.

        Returns when the system took it, by its clock, where that is known: what was shown before then came first.
        """

    def observe(self, timeout: float) -> Event:
        """Return the next output, crash, closed or garbage, waiting at most this long, else silence."""

    def close(self) -> None:
        """End the system and everything it started."""


@runtime_checkable
class SideBySide(Protocol):
    """A system that carries out the inputs of one channel in order, and those of different ones side by side."""

    def use_channels(self, channels: Channels) -> None:
        """From now on labels have these channels, and an answer repeats the argument that is its channel."""


@runtime_checkable
class Called(Protocol):
    """A system whose inputs are calls: that one returned None is nothing to be seen, unless the model says so."""

    def will_call(self, gates: Collection[str]) -> None:
        """From now on the calls of these gates are inputs, and nothing of outplay's own."""

    def answer_null(self, gates: Collection[str]) -> None:
        """From now on None is an answer of the calls of these gates: `!get null`."""


@runtime_checkable
class Walking(Protocol):
    """A system with methods for the edges and vertices of a walk, as GraphWalker calls them."""

    def arrive(self, vertices: Collection[str]) -> None:
        """The walk has come to vertices of these names: call their methods, where there are any, which raise if
        something is wrong there. From now on methods of edges may do without the ids of the edges."""


@runtime_checkable
class Quieting(Protocol):
    """A system that can prove that it will say nothing more until an input or a timer."""

    def quiet(self) -> bool:
        """Prove it, which may take a moment; what was said before can then be observed without waiting."""


@runtime_checkable
class Resting(Protocol):
    """A system that knows when it cannot be heard before the next input, whatever still goes on in it."""

    def rests(self) -> bool:
        """Say whether nothing is on its way and nothing comes by itself."""


@runtime_checkable
class Wordy(Protocol):
    """A system that says more than its outputs, for people to read: on standard error."""

    def words(self) -> str:
        """The end of what it has said so in this play."""


@runtime_checkable
class Renewed(Protocol):
    """A system that knows whether a play can see anything of the one before."""

    renewed: bool
    """True where each reset makes the whole system anew."""


@runtime_checkable
class Disturbed(Protocol):
    """A system behind a network with faults."""

    def faults(self) -> Mapping[str, int]:
        """Return the disturbances of this play, with their counts."""


@runtime_checkable
class Racing(Protocol):
    """A system that knows when it would be first: a simulation, whose outputs cost no time to come."""

    def forestalls(self, label: Label) -> bool:
        """Decide whether an output comes before this input, which the tester is about to give; it is observed next."""


@runtime_checkable
class Seeded(Protocol):
    """A system that draws by chance."""

    def seed(self, text: str) -> None:
        """Draw from this seed from now on."""


_FIRST, _LONGEST = 0.1, 10.0  # seconds between two tries, which double
_TOLD = re.compile(r"ready after (\d+) failed tr(?:y|ies), the last: ")


class Retries:
    """The tries that are left of a run, to reset a system that is not ready or cannot be reset.

    Only what fails before a play begins is tried again. Nothing was given to the system by then and nothing is judged,
    so no misbehaviour can hide behind a try; what fails in a play stays an Error.
    """

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


def failed_resets(event: Event) -> int:
    """Return the number of tries in which the reset of a system failed.

    >>> failed_resets(Event("reset", seen=0.0, detail="ready after 2 failed tries, the last: no answer"))
    2
    """
    told = _TOLD.match(event.detail) if event.kind == "reset" and not event.failed else None
    return int(told[1]) if told else 0
