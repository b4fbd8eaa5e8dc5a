"""Messages in a stream of bytes: as lines, behind their lengths, or as RESP, MQTT, HTTP and WebSocket have them.

A framing cuts a stream into whole messages as they stand there, and knows what is content in one. It remembers nothing:
what is not a whole message yet is handed to it again with what comes next.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from outplay.errors import UsageError, did_you_mean

_LONGEST_HEAD = 64 * 1024  # bytes before a content


class NoMessage(Exception):
    """Bytes in a stream that cannot be a message."""


class Framing(Protocol):
    """One way in which messages follow each other."""

    def cut(self, pending: bytes) -> tuple[list[bytes], bytes]:
        """The whole messages at the beginning, as they stand, and the rest; `NoMessage` where that can be none."""

    def content(self, message: bytes) -> bytes:
        """Return the part of a message between its head and its end."""

    def framed(self, content: bytes) -> bytes:
        """A content as it stands in the stream; `NoMessage` where it cannot stand there."""


@dataclass(frozen=True)
class Lines:
    """A message a line.

    >>> Lines().cut(b"one\\ntwo\\r\\nthr")
    ([b'one\\n', b'two\\r\\n'], b'thr')
    """

    def cut(self, pending: bytes) -> tuple[list[bytes], bytes]:
        *lines, rest = pending.split(b"\n")
        return [line + b"\n" for line in lines], rest

    def content(self, message: bytes) -> bytes:
        return message.rstrip(b"\r\n")

    def framed(self, content: bytes) -> bytes:
        if b"\n" in content:
            raise NoMessage("a message of several lines cannot be sent as one line")
        return content + b"\n"


@dataclass(frozen=True)
class Headed:
    """A content behind a head that has its length.

    `head` reads the head at the beginning: its size and that of all that follows, or None where it is not whole yet.
    """

    head: Callable[[bytes], tuple[int, int] | None]
    written: Callable[[bytes], bytes]
    tail: bytes = b""

    def cut(self, pending: bytes) -> tuple[list[bytes], bytes]:
        messages, at = list[bytes](), 0
        while (found := self.head(pending[at : at + _LONGEST_HEAD])) is not None:
            end = at + found[0] + found[1] + len(self.tail)
            if len(pending) < end:
                break
            if not pending[at:end].endswith(self.tail):
                raise NoMessage(f"a message does not end with {self.tail!r}")
            messages.append(pending[at:end])
            at = end
        else:
            if len(pending) - at >= _LONGEST_HEAD:
                raise NoMessage("there is no length")
        return messages, pending[at:]

    def content(self, message: bytes) -> bytes:
        found = self.head(message)
        return b"" if found is None else message[found[0] : found[0] + found[1]]

    def framed(self, content: bytes) -> bytes:
        return self.written(content) + content + self.tail


def _prefixed(size: int, order: str) -> Headed:
    """A length in this many bytes, `big` or `little` endian, before each message.

    >>> _prefixed(2, "big").cut(b"\\0\\3abc\\0\\2d")
    ([b'\\x00\\x03abc'], b'\\x00\\x02d')
    """

    def head(pending: bytes) -> tuple[int, int] | None:
        return (size, int.from_bytes(pending[:size], order)) if len(pending) >= size else None  # type: ignore[arg-type]

    def written(content: bytes) -> bytes:
        try:
            return len(content).to_bytes(size, order)  # type: ignore[arg-type]
        except OverflowError:
            raise NoMessage(f"{len(content)} bytes are too many for a length of {size} bytes") from None

    return Headed(head, written)


def _netstring(pending: bytes) -> tuple[int, int] | None:
    found = re.match(rb"(\d{1,12}):", pending)
    if found:
        return found.end(), int(found[1])
    if pending and not re.fullmatch(rb"\d{1,12}", pending):
        raise NoMessage("there is no length with a colon")
    return None


def _headers(pending: bytes) -> tuple[int, int] | None:
    end = pending.find(b"\r\n\r\n")
    if end < 0:
        return None
    found = re.search(rb"^content-length:[ \t]*(\d{1,12})[ \t]*\r?$", pending[: end + 2], re.IGNORECASE | re.MULTILINE)
    if not found:
        raise NoMessage("the headers have no Content-Length")
    return end + 4, int(found[1])


FRAMINGS: dict[str, Framing] = {
    "lines": Lines(),
    "netstring": Headed(_netstring, lambda content: b"%d:" % len(content), b","),
    "content-length": Headed(_headers, lambda content: b"Content-Length: %d\r\n\r\n" % len(content)),
    **{f"length{size}": _prefixed(size, "big") for size in (1, 2, 4, 8)},
    **{f"length{size}-little": _prefixed(size, "little") for size in (2, 4, 8)},
}
"""All framings by name."""


def framing_of(name: str) -> Framing:
    """Return the framing of messages with this name.

    >>> framing_of("length3")
    Traceback (most recent call last):
    outplay.errors.UsageError: unknown framing 'length3'; did you mean 'length8'?
    """
    if name not in FRAMINGS:
        raise UsageError(f"unknown framing {name!r}; {did_you_mean(name, FRAMINGS)}")
    return FRAMINGS[name]


_LENGTH = re.compile(rb"^content-length:[ \t]*(\d{1,15})[ \t]*\r?$", re.IGNORECASE | re.MULTILINE)
_CHUNKED = re.compile(rb"^transfer-encoding:.*\bchunked\b", re.IGNORECASE | re.MULTILINE)
_STREAM = re.compile(rb"^content-type:[ \t]*text/event-stream", re.IGNORECASE | re.MULTILINE)
_STARTS = (b"HTTP/1.", *b"GET |HEAD |POST |PUT |PATCH |DELETE |OPTIONS |QUERY |TRACE |CONNECT ".split(b"|"))
_NO_BODY = re.compile(rb"HTTP/1\.\d (?:1\d\d|204|304)\b")


class _Cutting:
    """Cuts messages whose ends `size` finds: None where one is not whole yet, 0 where all that follows is a stream."""

    def size(self, pending: bytes) -> int | None:
        raise NotImplementedError

    def cut(self, pending: bytes) -> tuple[list[bytes], bytes]:
        messages = list[bytes]()
        while pending and (size := self.size(pending)) is not None:
            if size == 0:
                return [*messages, pending], b""
            messages.append(pending[:size])
            pending = pending[size:]
        return messages, pending

    def content(self, message: bytes) -> bytes:
        return message

    def framed(self, content: bytes) -> bytes:
        return content


@dataclass(frozen=True)
class Resp(_Cutting):
    """Values of RESP, as Redis speaks it, and commands in one line.

    >>> Resp().cut(b"+OK\\r\\n*2\\r\\n$1\\r\\na\\r\\n:7\\r\\n$-1\\r\\n$5\\r\\nhel")
    ([b'+OK\\r\\n', b'*2\\r\\n$1\\r\\na\\r\\n:7\\r\\n', b'$-1\\r\\n'], b'$5\\r\\nhel')
    """

    def size(self, pending: bytes) -> int | None:
        at, values = 0, 1
        while values:
            end = pending.find(b"\r\n", at)
            if end < 0:
                return None
            kind, length = pending[at : at + 1], pending[at + 1 : end]
            at, values = end + 2, values - 1
            if kind not in b"$*%~>=!" or length == b"-1":
                continue
            if not length.isdigit():
                raise NoMessage(f"{length!r} is no length")
            if kind in b"$=!":
                at += int(length) + 2
            else:
                values += int(length) * (2 if kind == b"%" else 1)
            if len(pending) < at:
                return None
        return at


@dataclass(frozen=True)
class MqttPackets(_Cutting):
    """Packets of MQTT.

    >>> MqttPackets().cut(b"\\x40\\x02\\0\\1\\x30\\x05\\0")
    ([b'@\\x02\\x00\\x01'], b'0\\x05\\x00')
    """

    def size(self, pending: bytes) -> int | None:
        length = 0
        for n, byte in enumerate(pending[1:5]):
            length += (byte & 127) << 7 * n
            if byte < 128:
                whole = n + 2 + length
                return whole if len(pending) >= whole else None
        if len(pending) >= 5:
            raise NoMessage("there is no length")
        return None


@dataclass(frozen=True)
class HttpMessages(_Cutting):
    """Requests and answers of HTTP/1; a stream of events, and what follows it, are messages as they come."""

    def size(self, pending: bytes) -> int | None:
        if not any(pending.startswith(start) or start.startswith(pending) for start in _STARTS):
            return 0
        end = pending.find(b"\r\n\r\n")
        if end < 0:
            return None
        head, at = pending[: end + 2], end + 4
        if _STREAM.search(head):
            return 0
        if found := _LENGTH.search(head):
            at += int(found[1])
            return at if len(pending) >= at else None
        if _CHUNKED.search(head):
            return self._chunks(pending, at)
        return 0 if head.startswith(b"HTTP/") and not _NO_BODY.match(head) else at

    def _chunks(self, pending: bytes, at: int) -> int | None:
        while True:
            end = pending.find(b"\r\n", at)
            if end < 0:
                return None
            try:
                length = int(pending[at:end].split(b";")[0], 16)
            except ValueError:
                raise NoMessage("a chunk without a length") from None
            at = end + 2 + length + 2
            if length == 0:
                final = pending.find(b"\r\n", end + 2)
                while final > end + 2:  # trailers
                    end = final
                    final = pending.find(b"\r\n", end + 2)
                return None if final < 0 else final + 2
            if len(pending) < at:
                return None


@dataclass(frozen=True)
class WebSocketFrames(_Cutting):
    """The request or answer that begins a WebSocket, and then its frames."""

    def size(self, pending: bytes) -> int | None:
        if pending[:4] in (b"GET ", b"HTTP"):
            end = pending.find(b"\r\n\r\n")
            return end + 4 if end >= 0 else None
        if len(pending) < 2:
            return None
        length, at = pending[1] & 127, 2
        if length > 125:
            width = 2 if length == 126 else 8
            if len(pending) < 2 + width:
                return None
            length, at = int.from_bytes(pending[2 : 2 + width], "big"), 2 + width
        whole = at + (4 if pending[1] & 128 else 0) + length
        return whole if len(pending) >= whole else None


WIRES: dict[str, Framing] = {
    "resp": Resp(),
    "mqtt": MqttPackets(),
    "http": HttpMessages(),
    "ws": WebSocketFrames(),
}
"""Framings of protocols by name."""


def wire_framing(name: str) -> Framing:
    """Return the framing of messages in a protocol on the wire, or of a name that tables use."""
    return WIRES[name] if name in WIRES else framing_of(name) if name else Lines()
