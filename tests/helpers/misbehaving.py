"""A system that misbehaves as it is told, in each way in which messages travel; a program that imports nothing of ours.

misbehaving.py SPEECH                     at its standard streams
misbehaving.py SPEECH connect PORT        connects to a port
misbehaving.py SPEECH serve [PEM]         listens at a free port, which it prints; with TLS where there is a file

Each message that comes has a word, which says what to do: see `behave`. Any other word is answered with `heard`.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import socket
import struct
import sys
import threading
import time
from collections.abc import Callable, Iterator
from urllib.parse import urlsplit

HUGE = 500_000  # characters
LATE, SLOW = 0.05, 0.15  # seconds
CRASHED = 3


class Link:
    """The bytes of one connection; `abort` ends it without a word, `close` in good order."""

    def __init__(
        self,
        read: Callable[[], bytes],
        write: Callable[[bytes], object],
        abort: Callable[[], None],
        close: Callable[[], object] = lambda: None,
    ) -> None:
        self.read, self.write, self.abort, self.close = read, write, abort, close


class Speech:
    """Messages in a stream of bytes. This one has lines that are labels."""

    garbage = b'heard "\n'
    """Bytes that are no message."""
    farewell = b""
    """Bytes before a connection is ended in good order."""

    def words(self, link: Link) -> Iterator[str]:
        """The words of the messages that come, until the connection ends."""
        for line in _lines(link):
            yield line.decode().split(" ", 1)[1]

    def told(self, content: bytes) -> bytes:
        """A content as it stands in the stream."""
        return content + b"\n"

    def content(self, word: str) -> bytes:
        return f"heard {word}".encode()


class Json(Speech):
    """JSON in lines."""

    garbage = b"{no json\n"

    def words(self, link: Link) -> Iterator[str]:
        for line in _lines(link):
            yield json.loads(line)["say"]

    def content(self, word: str) -> bytes:
        return json.dumps({"heard": word}).encode()


class Headed(Json):
    """JSON behind its length, which a pattern finds and a format writes."""

    def __init__(self, head: re.Pattern[bytes], written: bytes, tail: bytes = b"") -> None:
        self._head, self._written, self._tail = head, written, tail
        self.garbage = self.told(b"{no json")

    def words(self, link: Link) -> Iterator[str]:
        pending = b""
        while chunk := link.read():
            pending += chunk
            while head := self._head.match(pending):
                end = head.end() + int(head[1]) + len(self._tail)
                if len(pending) < end:
                    break
                content, pending = pending[head.end() : end - len(self._tail)], pending[end:]
                yield json.loads(content)["say"]

    def told(self, content: bytes) -> bytes:
        return self._written % len(content) + content + self._tail


class Prefixed(Json):
    """JSON behind its length in some bytes."""

    def __init__(self, head: str) -> None:
        self._head = head
        self.garbage = self.told(b"{no json")

    def words(self, link: Link) -> Iterator[str]:
        read = _exactly(link)
        while head := read(struct.calcsize(self._head)):
            yield json.loads(read(struct.unpack(self._head, head)[0]))["say"]

    def told(self, content: bytes) -> bytes:
        return struct.pack(self._head, len(content)) + content


class WebSocket(Json):
    """The server's side of WebSocket: texts that are JSON."""

    garbage = b"\x83\x00"  # a kind of frame that there is not
    farewell = b"\x88\x02\x03\xe8"

    def words(self, link: Link) -> Iterator[str]:
        from base64 import b64encode
        from hashlib import sha1

        read = _exactly(link)
        request = b""
        while not request.endswith(b"\r\n\r\n"):
            request += read(1)
        key = re.search(rb"(?i)sec-websocket-key: *(\S+)", request)[1]
        accepted = b64encode(sha1(key + b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11").digest())
        link.write(
            b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            b"Sec-WebSocket-Accept: " + accepted + b"\r\n\r\n"
        )
        while head := read(2):
            size = head[1] & 127
            size = struct.unpack("!H", read(2))[0] if size == 126 else size
            size = struct.unpack("!Q", read(8))[0] if size == 127 else size
            mask = int.from_bytes((read(4) * (size // 4 + 1))[:size], "big")
            content = (int.from_bytes(read(size), "big") ^ mask).to_bytes(size, "big")
            if head[0] & 15 == 8:
                return
            yield json.loads(content)["say"]

    def told(self, content: bytes) -> bytes:
        size = len(content)
        head = struct.pack("!BQ", 127, size) if size >= 1 << 16 else struct.pack("!BH", 126, size)
        return b"\x81" + (bytes([size]) if size < 126 else head) + content


class Mqtt(Json):
    """A broker of MQTT 3.1.1 with one client, which publishes what is said and hears all."""

    garbage = b"\x00\x00"  # a kind of packet that there is not

    def words(self, link: Link) -> Iterator[str]:
        read = _exactly(link)
        while head := read(1):
            size, shift = 0, 0
            while True:
                byte = read(1)[0]
                size, shift = size | (byte & 127) << shift, shift + 7
                if byte < 128:
                    break
            body, kind = read(size), head[0] >> 4
            if kind == 1:
                link.write(b"\x20\x02\x00\x00")
            elif kind == 8:
                link.write(b"\x90\x03" + body[:2] + b"\x00")
            elif kind == 3:
                yield json.loads(body[2 + int.from_bytes(body[:2], "big") :])["say"]

    def told(self, content: bytes) -> bytes:
        body, head = b"\0\5heard" + content, b"\x30"
        size = len(body)
        while size > 127:
            head, size = head + bytes([size & 127 | 128]), size >> 7
        return head + bytes([size]) + body


class Answers(Json):
    """HTTP, where the answer to a call is the message."""

    garbage = b"no HTTP\r\n\r\n"

    def words(self, link: Link) -> Iterator[str]:
        for path, body in _calls(link):
            if path == "/say":
                yield json.loads(body)["say"]
            else:
                HELD.clear()
                link.write(self.told(b"{}"))

    def told(self, content: bytes) -> bytes:
        return b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(content) + content


class Events(Answers):
    """HTTP, where messages are events of a stream; what is said by calls is answered at once."""

    garbage = b"data: {no json\n\n"
    stream: Link
    """The latest stream that was asked for."""
    over = threading.Event()
    """Whether it has ended."""

    def words(self, link: Link) -> Iterator[str]:
        for path, body in _calls(link):
            if path == "/events":
                Events.over.set()
                Events.stream, over = link, threading.Event()
                Events.over = over
                link.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n")
                over.wait()
                return
            link.write(super().told(b"{}"))
            if path == "/say":
                over = Events.over  # another stream may have begun when this one has ended
                if not behave(json.loads(body)["say"], self, Events.stream):
                    over.set()
        yield from ()

    def told(self, content: bytes) -> bytes:
        return b"data: " + content + b"\n\n"


SPEECHES: dict[str, Speech] = {
    "labels": Speech(),
    "lines": Json(),
    "netstring": Headed(re.compile(rb"(\d+):"), b"%d:", b","),
    "content-length": Headed(re.compile(rb"Content-Length: (\d+)\r\n\r\n"), b"Content-Length: %d\r\n\r\n"),
    **{f"length{struct.calcsize(head)}": Prefixed(f">{head}") for head in "BHIQ"},
    **{f"length{struct.calcsize(head)}-little": Prefixed(f"<{head}") for head in "HIQ"},
    "ws": WebSocket(),
    "mqtt": Mqtt(),
    "answers": Answers(),
    "events": Events(),
}
HELD: list[Callable[[], object]] = []


def behave(word: str, speech: Speech, link: Link) -> bool:
    """Do what a word says; return whether the connection goes on."""

    def tell(what: str) -> object:
        return link.write(speech.told(speech.content(what)))

    if word == "hang":
        return True
    if word == "late":
        time.sleep(LATE)
    if word == "slow":
        time.sleep(SLOW)  # in which nothing is read
    if word == "hold":
        HELD.append(lambda: tell(word))
        return True
    if word == "crash":
        link.abort()
        return False
    if word == "close":
        link.write(speech.farewell)
        return False
    if word == "garbage":
        link.write(speech.garbage)
        return True
    if word == "utf8":
        link.write(speech.told(speech.content("?").replace(b"?", b"\xff\xfe")))
        return True
    if word in ("half", "break"):
        whole = speech.told(speech.content("half"))
        link.write(whole[: len(whole) - 2])
        return word == "half"
    if word == "release":
        _wait_until_held()
    tell("x" * HUGE if word == "huge" else word)
    if word == "twice":
        tell(word)
    while word == "release" and HELD:
        HELD.pop()()
    return True


class Misbehaving:
    """The same as an object."""

    def __init__(self, emit: Callable[..., object]) -> None:
        self._emit = emit

    def say(self, word: str) -> None:
        if word == "crash":
            raise RuntimeError("crash")
        if word == "exit":
            os._exit(CRASHED)
        if word in ("late", "slow"):
            time.sleep(LATE)
        if word in ("hang", "hold"):
            return
        heard = {"huge": "x" * HUGE, "garbage": object(), "utf8": "\udcff"}.get(word, word)
        for _ in range(2 if word == "twice" else 1):
            self._emit("heard", heard)
        if word == "release":
            self._emit("heard", "hold")


def _wait_until_held() -> None:
    """Wait for what may still be on its way on another connection."""
    deadline = time.monotonic() + 10.0
    while not HELD and time.monotonic() < deadline:
        time.sleep(0.001)


def talk(speech: Speech, link: Link) -> None:
    """Behave as told until the end."""
    for word in speech.words(link):
        if not behave(word, speech, link):
            return


def _lines(link: Link) -> Iterator[bytes]:
    pending = b""
    while chunk := link.read():
        *lines, pending = (pending + chunk).split(b"\n")
        yield from lines


def _exactly(link: Link) -> Callable[[int], bytes]:
    """Reads as many bytes as asked for; fewer at the end."""
    pending = bytearray()

    def read(many: int) -> bytes:
        while len(pending) < many and (chunk := link.read()):
            pending.extend(chunk)
        found = bytes(pending[:many])
        del pending[:many]
        return found

    return read


def _calls(link: Link) -> Iterator[tuple[str, bytes]]:
    """The paths and bodies of the calls on a connection."""
    read = _exactly(link)
    while True:
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            if not (byte := read(1)):
                return
            head += byte
        size = re.search(rb"(?i)content-length: *(\d+)", head)
        yield urlsplit(head.split()[1].decode()).path, read(int(size[1]) if size else 0)


def _at_streams(speech: Speech) -> None:
    def write(content: bytes) -> None:
        while content:
            content = content[os.write(1, content) :]

    talk(speech, Link(lambda: os.read(0, 1 << 16), write, lambda: os._exit(CRASHED)))


def _on_socket(speech: Speech, plain: socket.socket, context: object = None) -> None:
    def abort() -> None:
        link.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        link.close()

    try:
        plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        link = context.wrap_socket(plain, server_side=True) if context else plain
    except OSError:
        plain.close()
        return

    def close() -> None:
        with contextlib.suppress(OSError):  # the other side has gone
            link.shutdown(socket.SHUT_RDWR)

    with contextlib.suppress(OSError):
        talk(speech, Link(lambda: link.recv(1 << 16), link.sendall, abort, close))
    close()
    link.close()


def _serve(speech: Speech, pem: str | None) -> None:
    context = None
    if pem:
        import ssl

        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(pem)
    listener = socket.create_server(("127.0.0.1", 0), backlog=128)
    print(listener.getsockname()[1], flush=True)
    while True:
        link, _ = listener.accept()
        threading.Thread(target=_on_socket, args=(speech, link, context), daemon=True).start()


@contextlib.contextmanager
def served(speech: str, *pem: str) -> Iterator[str]:
    """This program as a server; its port."""
    import subprocess

    command = [sys.executable, "-I", "-S", __file__, speech, "serve", *pem]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        yield server.stdout.readline().strip()
    finally:
        server.kill()
        server.communicate()


def main(name: str, way: str = "", where: str = "") -> None:
    speech = SPEECHES[name]
    if way == "serve":
        _serve(speech, where)
    elif way == "connect":
        _on_socket(speech, socket.create_connection(("127.0.0.1", int(where))))
    else:
        _at_streams(speech)


if __name__ == "__main__":
    main(*sys.argv[1:])
