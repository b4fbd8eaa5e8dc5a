"""Messages of protocols are cut out whole, however the stream comes in pieces, and nothing of it is lost."""

from __future__ import annotations

import struct
from random import Random

import pytest

from outplay.play.framing import WIRES, NoMessage


def resp(rng: Random, depth: int = 2) -> bytes:
    kind = rng.randrange(6 if depth else 4)
    text = bytes(rng.choice(b"ab\r\n:$*") for _ in range(rng.randrange(6)))
    if kind == 0:
        return b"+OK\r\n"
    if kind == 1:
        return b":%d\r\n" % rng.randrange(100)
    if kind == 2:
        return b"$%d\r\n%b\r\n" % (len(text), text)
    if kind == 3:
        return b"$-1\r\n"
    parts = [resp(rng, depth - 1) for _ in range(rng.randrange(4))]
    return b"*%d\r\n%b" % (len(parts), b"".join(parts))


def mqtt(rng: Random) -> bytes:
    size, head = rng.choice([0, 5, 127, 128, 300, 20_000]), b""
    left = size
    while True:
        left, digit = divmod(left, 128)
        head += bytes([digit | (128 if left else 0)])
        if not left:
            return bytes([rng.randrange(16, 240)]) + head + rng.randbytes(size)


def http(rng: Random) -> bytes:
    body = rng.randbytes(rng.randrange(50))
    kind = rng.randrange(4)
    if kind == 0:
        return b"GET /x HTTP/1.1\r\nHost: h\r\n\r\n"
    if kind == 1:
        return b"HTTP/1.1 204 No Content\r\nX: y\r\n\r\n"
    if kind == 2:
        return b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n%b" % (len(body), body)
    chunks = b"".join(b"%x\r\n%b\r\n" % (len(part), part) for part in (body[:20], body[20:]) if part)
    trailer = rng.choice([b"", b"Checksum: 1\r\n"])
    return b"POST /x HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks + b"0\r\n" + trailer + b"\r\n"


def ws(rng: Random) -> bytes:
    size, mask = rng.choice([0, 125, 126, 70_000]), rng.choice([0, 128])
    length = bytes([mask | size]) if size < 126 else b""
    if not length:
        short = size < 65536
        length = bytes([mask | (126 if short else 127)]) + struct.pack("!H" if short else "!Q", size)
    return b"\x81" + length + (b"mask" if mask else b"") + rng.randbytes(size)


@pytest.mark.parametrize("make", [resp, mqtt, http, ws], ids=lambda make: make.__name__)
@pytest.mark.parametrize("seed", range(60))
def test_messages_are_cut_out_in_whatever_pieces_they_come(make, seed):
    rng = Random(f"{make.__name__} {seed}")
    messages = [make(rng) for _ in range(rng.randrange(1, 6))]
    if make is ws and rng.random() < 0.5:
        messages.insert(0, b"GET / HTTP/1.1\r\nUpgrade: websocket\r\n\r\n")
    whole, cut, pending, at = b"".join(messages), [], b"", 0
    while at < len(whole):
        size = rng.choice([1, 3, 40, 5000]) if len(whole) < 500 else rng.choice([700, 5000])
        found, pending = WIRES[make.__name__].cut(pending + whole[at : at + size])
        cut += found
        at += size
    assert (cut, pending) == (messages, b"")


def test_a_stream_of_events_is_passed_on_as_it_comes():
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: 1"
    for chunk in (head, b"data: 2\n\n", b"\xff"):
        assert WIRES["http"].cut(chunk) == ([chunk], b"")
    for begun in (b"HT", b"GET /events"):
        assert WIRES["http"].cut(begun) == ([], begun)


@pytest.mark.parametrize(
    ("name", "stream"),
    [
        ("resp", b"*x\r\n"),
        ("mqtt", b"\x30\xff\xff\xff\xff"),
        ("http", b"HTTP/1.1 200\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n"),
    ],
)
def test_what_can_be_no_message_is_told(name, stream):
    with pytest.raises(NoMessage):
        WIRES[name].cut(stream)
