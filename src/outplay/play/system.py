"""The system under test, as the runner sees it: three verbs, and an end."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Protocol, runtime_checkable

from outplay.model.channels import Channels
from outplay.model.label import Label
from outplay.play.clock import Clock
from outplay.play.event import Event


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
        """Return the next output, crash, closed or garbage, waiting at most so long, else silence."""

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
class Quieting(Protocol):
    """A system that can prove that it will say nothing more until an input or a timer."""

    def quiet(self) -> bool:
        """Prove it, which may take a moment; what was said before can then be observed without waiting."""


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
