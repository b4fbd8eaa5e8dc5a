"""Messages of protocols as they stand in a stream: RESP, MQTT, HTTP, the frames of WebSocket.

Whole messages are cut out, so that a proxy can drop or repeat one and leave the rest readable; what is in them is of no
interest.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from outplay.play.framings.framing import Framing, Lines, NoMessage, framing_of

_LENGTH = re.compile(rb"^content-length:[ \t]*(\d{1,15})[ \t]*\r?$", re.IGNORECASE | re.MULTILINE)
_CHUNKED = re.compile(rb"^transfer-encoding:.*\bchunked\b", re.IGNORECASE | re.MULTILINE)
_STREAM = re.compile(rb"^content-type:[ \t]*text/event-stream", re.IGNORECASE | re.MULTILINE)
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
    """Requests and answers of HTTP/1; a stream of events, and what follows it, is one message."""

    def size(self, pending: bytes) -> int | None:
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
    """The framing of a protocol, or of a name that tables use."""
    return WIRES[name] if name in WIRES else framing_of(name) if name else Lines()
