"""Messages as they come and go on connections, and what a kind of connection has to be able to do.

A kind of connection is one file: it connects a client, sends its messages, and hands on what comes.

Values of labels as JSON and back: numbers stay exact, lists become tuples, objects become maps.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from enum import Enum
from fractions import Fraction
from typing import Any, Protocol

from outplay.model.label import Verbatim
from outplay.model.values import Map, ordered

_LONGEST = 400  # digits


def from_json(value: Any) -> Any:
    """Read a part of a JSON message as a value that a label can hold.

    >>> from_json([1, {"a": None}])
    (1, Map({'a': None}))
    """
    if isinstance(value, list):
        return tuple(from_json(part) for part in value)
    return Map({key: from_json(part) for key, part in value.items()}) if isinstance(value, dict) else value


def parsed(text: str | bytes) -> Any:
    """Parse a JSON message, with decimals as exact fractions; what is no JSON, `NaN` included, raises ValueError.

    >>> parsed('{"price": 1.10}')
    {'price': Fraction(11, 10)}
    """
    try:
        return json.loads(text, parse_float=_exact, parse_constant=_refused)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def to_json(value: Any) -> Any:
    """Write an argument of a label as a part of a JSON message.

    >>> to_json((1, Map(a=Fraction(1, 2)), frozenset({"b"})))
    [1, {'a': 0.5}, ['b']]
    """
    if isinstance(value, Enum):
        return value.name
    if isinstance(value, Verbatim):
        return _structured(value)
    if isinstance(value, Fraction):
        return value.numerator if value.denominator == 1 else float(value)
    if isinstance(value, tuple | list):
        return [to_json(part) for part in value]
    if isinstance(value, frozenset):
        return [to_json(part) for part in ordered(value)]
    if isinstance(value, Mapping):
        return {str(key): to_json(part) for key, part in value.items()}
    if is_dataclass(value):
        return {field.name: to_json(getattr(value, field.name)) for field in fields(value)}
    return value.hex() if isinstance(value, bytes) else value


def in_words(value: Any) -> str:
    """Write a value as a piece of text in a message: of a path, a header or a topic.

    >>> in_words("a b"), in_words(True), in_words((1, "x")), in_words(Fraction(1, 2))
    ('a b', 'true', '[1,"x"]', '0.5')
    """
    plain = to_json(value)
    return plain if isinstance(plain, str) else json.dumps(plain, separators=(",", ":"), ensure_ascii=False)


def _structured(text: Verbatim) -> Any:
    """A structured argument as it was read from a trace: its value where it is JSON."""
    try:
        return json.loads(text)
    except ValueError:
        return str(text)


def _exact(text: str) -> Fraction | str:
    """A number with a point or an exponent; one too large to be a number of anything stays text."""
    exponent = text.lower().partition("e")[2] or "0"
    return Fraction(text) if len(text) < _LONGEST and abs(int(exponent)) < _LONGEST else text


def _refused(name: str) -> None:
    raise ValueError(f"{name} is no JSON")


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
    """Return the message that a connection ended; its part `closed` is the code that came with it, if any."""
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
