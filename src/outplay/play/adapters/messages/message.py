"""Messages as they come and go on connections, and what a kind of connection has to be able to do.

A kind of connection is one file: it connects a client, sends its messages, and hands on what comes.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from outplay.play.adapters.messages.json_values import parsed

LARGEST_MESSAGE = 16 << 20  # bytes
CLOSED = "closed"
UNREADY = "unready"
"""An ending that says that the system was never ready: trouble, and no event of a play."""


class Garbled(Exception):
    """A message is none: it is not written as it should be."""


class Gone(Exception):
    """The other side cannot be reached, or the connection broke."""


@dataclass(frozen=True)
class Received:
    """A message that came, or a signal such as the end of the connection.

    Rows of a table are for a signal only where their `when` names the part that the signal is called by.
    """

    content: bytes = b""
    further: Mapping[str, Any] = field(default_factory=dict)
    """Parts that this kind of connection has beside the content, such as a topic."""
    signal: str = ""
    ending: str = ""
    """The kind of event it is where no row is for it: `closed`, `crash` or `garbage`. Such a signal is the last."""
    detail: str = ""

    @property
    def parts(self) -> dict[str, Any]:
        """Its parts, as the rows of a table call them; there is no `body` or `json` where it is none."""
        parts = dict(self.further)
        if not self.signal:
            parts["hex"] = self.content.hex()
            with contextlib.suppress(ValueError):
                parts["body"] = self.content.decode()
                parts["json"] = parsed(self.content)
        return parts


@dataclass(frozen=True)
class Outgoing:
    """A message to send: the content, and what else this kind of connection needs to know."""

    content: bytes
    binary: bool = False
    further: Mapping[str, Any] = field(default_factory=dict)


def ended(kind: str, detail: str, code: int | None = None, **further: Any) -> Received:
    """The end of a connection; its part `closed` is the code that came with it, true where there is none."""
    parts = {CLOSED: True if code is None else code, **further}
    return Received(further=parts, signal=CLOSED, ending=kind, detail=detail)


Hear = Callable[[Received], None]


class MessageLink(Protocol):
    """One connection of a client."""

    def send(self, message: Outgoing) -> None:
        """Send a message; a link that has ended shows that by what is heard, one that takes nothing is an error."""

    def look(self, enough: Callable[[], bool]) -> None:
        """Hand on what has come already, until there is enough."""

    def close(self, *, cut: bool = False) -> None:
        """End the connection as its kind does, or cut it; nothing is heard any more."""


@dataclass(frozen=True)
class MessageKind:
    """The entries of a table for this kind of connection, beside those that all have."""

    connect: tuple[str, ...] = ()
    """Keys of its section `connect`."""
    send: tuple[str, ...] = ()
    """Keys that an input has beside its body."""
    parts: frozenset[str] = frozenset()
    """Parts of a message beside its content."""


class Transport(Protocol):
    """A kind of connection to one system."""

    kind: MessageKind

    def connect(
        self, client: str, settings: Mapping[str, Any], hear: Hear, has_room: Callable[[], bool], patience: float
    ) -> MessageLink:
        """Connect a client, trying until the patience has run out; `Gone` where that fails."""

    def reset(self) -> None:
        """Begin a play: after it, clients are connected anew."""

    def close(self) -> None:
        """End whatever belongs to no single client."""
