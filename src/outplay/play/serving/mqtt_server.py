"""A model behind MQTT 3.1.1: to its clients it is the broker and the device in one.

    in/GATE     inputs are published here, RESET too
    out/GATE    outputs are published here, to clients that have subscribed

A message is a label as a list of JSON. Inputs may have any quality of service, outputs have 0. Outputs wait for the
first subscription of a client, so that none is lost before it.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator

from outplay.model.label import Label
from outplay.play.adapters.lines import LONGEST_LINE
from outplay.play.framing import MqttPackets, NoMessage
from outplay.play.serving.play_server import json_of, read_json_input

IN, OUT = "in/", "out/"
_VERSIONS = (3, 4)  # 3.1 and 3.1.1, as CONNECT calls them
_CONNECT, _PUBLISH, _PUBREL, _SUBSCRIBE, _UNSUBSCRIBE, _PINGREQ = 1, 3, 6, 8, 10, 12
_IGNORED = (4, 5, 7, 14)  # acknowledgements, and the farewell of a client that is about to close the connection
_REFUSED = b"\x20\x03\x00\x84\x00"  # in the words of MQTT 5


class MqttSpeech:
    """The language of a client in packets of MQTT; one that sends anything else is let go."""

    def __init__(self) -> None:
        self._pending, self._replies = b"", b""
        self._connected = False
        self._filters: list[list[str]] = []
        self._early: list[Label] | None = []
        self._received: set[bytes] = set()
        """The packets with quality 2 that are not released yet: they may come again."""

    def heard(self, chunk: bytes) -> Iterator[Label | str]:
        if not self._connected and (self._pending + chunk)[0] >> 4 != _CONNECT:
            raise EOFError
        try:
            packets, self._pending = MqttPackets().cut(self._pending + chunk)
            for packet in packets:
                yield from self._read(packet)
        except (NoMessage, struct.error, UnicodeDecodeError):
            raise EOFError from None
        if len(self._pending) > LONGEST_LINE:
            raise EOFError

    def told(self, label: Label) -> bytes:
        if self._early is not None:
            self._early.append(label)
            return b""
        return self._published(label)

    def replies(self) -> bytes:
        replies, self._replies = self._replies, b""
        return replies

    def _published(self, label: Label) -> bytes:
        topic = f"{OUT}{label.gate}"
        wanted = any(_matches(each, topic.split("/")) for each in self._filters)
        return _packet(0x30, _text(topic) + json_of(label).encode()) if wanted else b""

    def _read(self, packet: bytes) -> Iterator[Label | str]:
        kind, flags, body = packet[0] >> 4, packet[0] & 15, packet[_head(packet) :]
        if self._connected == (kind == _CONNECT):
            raise EOFError
        if kind == _PUBLISH:
            yield from self._input(flags >> 1 & 3, body)
        elif kind in _ANSWERS:
            self._replies += _ANSWERS[kind](self, body)
        elif kind not in _IGNORED:
            raise EOFError

    def _input(self, quality: int, body: bytes) -> Iterator[Label | str]:
        topic, rest = _cut(body)
        number, content = (rest[:2], rest[2:]) if quality else (b"", rest)
        if quality:
            self._replies += _packet(0x40 if quality == 1 else 0x50, number)
        if number in self._received:
            return
        if quality == 2:
            self._received.add(number)
        yield read_json_input(content) if topic.startswith(IN) else f"publish inputs to {IN}GATE, not to {topic}"

    def _connect(self, body: bytes) -> bytes:
        version = _cut_bytes(body)[1][0]
        if version not in _VERSIONS:
            self._replies += _REFUSED
            raise EOFError
        self._connected = True
        return b"\x20\x02\x00\x00"

    def _subscribe(self, body: bytes) -> bytes:
        number, rest, count = body[:2], body[2:], 0
        while rest:
            topic, rest = _cut(rest)
            self._filters.append(topic.split("/"))
            rest, count = rest[1:], count + 1
        early, self._early = self._early or [], None
        return _packet(0x90, number + bytes(count)) + b"".join(map(self._published, early))

    def _unsubscribe(self, body: bytes) -> bytes:
        number, rest = body[:2], body[2:]
        while rest:
            topic, rest = _cut(rest)
            self._filters = [each for each in self._filters if each != topic.split("/")]
        return _packet(0xB0, number)

    def _release(self, body: bytes) -> bytes:
        self._received.discard(body[:2])
        return _packet(0x70, body[:2])


_ANSWERS: dict[int, Callable[[MqttSpeech, bytes], bytes]] = {
    _CONNECT: MqttSpeech._connect,
    _SUBSCRIBE: MqttSpeech._subscribe,
    _UNSUBSCRIBE: MqttSpeech._unsubscribe,
    _PUBREL: MqttSpeech._release,
    _PINGREQ: lambda speech, body: b"\xd0\x00",
}


def _matches(wanted: list[str], topic: list[str]) -> bool:
    """Say whether a subscription is for a topic, both cut into levels.

    >>> [_matches(each.split("/"), ["out", "deliver"]) for each in ("out/+", "out/#", "#", "out", "out/deliver/+")]
    [True, True, True, False, False]
    """
    if wanted[:1] == ["#"] or not wanted or not topic:
        return wanted[:1] == ["#"] or wanted == topic
    return wanted[0] in ("+", topic[0]) and _matches(wanted[1:], topic[1:])


def _packet(kind: int, body: bytes) -> bytes:
    head, size = bytes([kind]), len(body)
    while size > 127:
        head, size = head + bytes([size & 127 | 128]), size >> 7
    return head + bytes([size]) + body


def _head(packet: bytes) -> int:
    """The size of a packet's head: its kind, and its length in bytes of which all but the last are above 127."""
    return 2 + next(n for n, byte in enumerate(packet[1:]) if byte < 128)


def _text(text: str) -> bytes:
    return struct.pack("!H", len(text.encode())) + text.encode()


def _cut_bytes(body: bytes) -> tuple[bytes, bytes]:
    (size,) = struct.unpack("!H", body[:2])
    if len(body) < 2 + size:
        raise EOFError
    return body[2 : 2 + size], body[2 + size :]


def _cut(body: bytes) -> tuple[str, bytes]:
    """The text at the beginning, and the rest."""
    text, rest = _cut_bytes(body)
    return text.decode(), rest
