"""A proxy on the way to a server, which disturbs what is sent: message by message, in both directions.

What is no message of the protocol is passed on as it is. What begins a connection (the handshake of WebSocket, the
first packets of MQTT) is left alone.
"""

from __future__ import annotations

import contextlib
import select
import socket
import ssl
import struct
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator

from outplay.errors import OutplayError
from outplay.play.disturbances import RESTART, FaultChooser
from outplay.play.framing import Framing, NoMessage
from outplay.play.secure_link import Link, SecureLink, insecure_error, receive_available

_REORDERED = 0.05  # seconds that a message waits for the next one to pass
_PATIENCE = 10.0
_ENDING = 2.0


class Proxy:
    """Listens at `port`, and connects each that comes to the server at an address.

    This many messages of each direction are `spared` at the beginning of a connection. Where the server is `answering`,
    with one message for each that it is sent, the answer to one that was sent twice comes once. While the server is
    restarted, connections wait; what goes wrong in that is kept as `trouble`.
    """

    def __init__(
        self,
        target: tuple[str, int],
        framing: Framing,
        chooser: FaultChooser,
        *,
        spared: int = 0,
        answering: bool = False,
        restart: Callable[[], None] | None = None,
        secure: ssl.SSLContext | None = None,
    ) -> None:
        self._secure = secure
        self._restart, self._up = restart, threading.Event()
        self._up.set()
        self.trouble: OutplayError | None = None
        self._target, self._framing, self._chooser = target, framing, chooser
        self._spared, self._answering = spared, answering
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._choosing = threading.Lock()
        self._ways: set[_Way] = set()
        self._closed = False
        self._thread = threading.Thread(target=self._accept, daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Break all connections, and take no more."""
        self._closed = True
        self._up.set()
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join(_ENDING)
        self.cut()

    def cut(self) -> None:
        """Break all connections off."""
        ways = list(self._ways)
        for way in ways:
            way.cut()
        for way in ways:
            way.join()

    def restart(self) -> None:
        """Restart the server; who connects meanwhile waits."""
        assert self._restart
        self._up.clear()
        try:
            self._restart()
        except OutplayError as error:
            self.trouble = error
        finally:
            self._up.set()

    @property
    def delay(self) -> float:
        """Return the delay of a message, in seconds."""
        return self._chooser.disturbances.delay

    def fault(self, *, to_client: bool) -> str:
        """The fault for the next message."""
        with self._choosing:
            return self._chooser.fault(to_client=to_client)

    def _accept(self) -> None:
        while not self._closed:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            self._up.wait()
            try:
                server = self._connected()
            except OSError:
                _abort(client)
                continue
            for link in (client, server):
                link.settimeout(None)
                link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            answers: deque[bool] | None = deque() if self._answering else None
            pair = [_Way(self, self._framing, client, server, self._spared, answers)]
            pair.append(_Way(self, self._framing, server, client, self._spared, answers, to_client=True))
            pair[0].back, pair[1].back = pair[1], pair[0]
            self._ways = {way for way in self._ways if not way.over} | set(pair)
            for way in pair:
                way.start()

    def _connected(self) -> Link:
        link = socket.create_connection(self._target, timeout=_PATIENCE)
        if self._secure is None:
            return link
        try:
            return SecureLink(link, self._secure, self._target[0])
        except OSError as error:
            link.close()
            self.trouble = insecure_error(f"{self._target[0]}:{self._target[1]}", error)
            raise


class _Way:
    """One direction of one connection."""

    def __init__(
        self,
        proxy: Proxy,
        framing: Framing,
        source: Link,
        target: Link,
        spared: int,
        answers: deque[bool] | None,
        *,
        to_client: bool = False,
    ) -> None:
        self._proxy, self._framing, self._source, self._target = proxy, framing, source, target
        self._spared, self._answers, self._to_client = spared, answers, to_client
        self._thread = threading.Thread(target=self._work, daemon=True)
        self.over = False
        self.back: _Way | None = None

    def start(self) -> None:
        self._thread.start()

    def join(self) -> None:
        self._thread.join(_ENDING)

    def cut(self) -> None:
        """Break both directions off."""
        for link in (self._source, self._target):
            _abort(link)

    def _work(self) -> None:
        held = b""
        try:
            for message in self._messages():
                held = self._pass(message, held)
            self._target.sendall(held)
            self._target.shutdown(socket.SHUT_WR)
        except OSError:
            self.cut()
        self.over = True
        if self.back is None or self.back.over:
            for link in (self._source, self._target):
                link.close()

    def _messages(self) -> Iterator[bytes]:
        """Return the messages as they come, and an empty one where none has come while one is held."""
        pending, readable = b"", True
        poll = select.poll()
        poll.register(self._source.fileno(), select.POLLIN)
        while True:
            if not poll.poll(_REORDERED * 1000):
                yield b""
                continue
            if (chunk := receive_available(self._source)) is None:
                continue
            if not chunk:
                if pending:
                    yield pending
                return
            messages = [chunk]
            if readable:
                try:
                    messages, pending = self._framing.cut(pending + chunk)
                except NoMessage:
                    messages, pending, readable = [pending + chunk], b"", False
            yield from messages

    def _pass(self, message: bytes, held: bytes) -> bytes:
        """Pass a message on, or not; return what is held for the next one to pass."""
        if not message:
            self._target.sendall(held)
            return b""
        fault = ""
        if self._spared:
            self._spared -= 1
        else:
            fault = self._proxy.fault(to_client=self._to_client)
        if self._answers is not None:
            if self._to_client:
                if self._answers and not self._answers.popleft():
                    return held  # the second answer
                fault = "" if fault == "duplicate" else fault
            else:
                self._answers.extend({"drop": [], "duplicate": [True, False]}.get(fault, [True]))
        if fault == "cut":
            raise OSError("cut")
        if fault == RESTART:
            self._proxy.restart()
            raise OSError("restarted")
        if fault == "reorder" and not held:
            return message
        if fault == "delay":
            time.sleep(self._proxy.delay)
        parts = {"drop": b"", "duplicate": message + message}.get(fault, message)
        self._target.sendall(parts + held)
        return b""


def _abort(link: Link) -> None:
    with contextlib.suppress(OSError):
        link.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        link.shutdown(socket.SHUT_RDWR)
    link.close()
