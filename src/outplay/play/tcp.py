"""A server on the network as the system under test: one message a line over TCP.

Each play makes a new connection, unless a reset message and its answer are given. The other side closing the connection
is `closed`, breaking it is a `crash`. A server that stops reading is waited for as long as one that does not get ready.
"""

from __future__ import annotations

import contextlib
import socket
import time
from collections.abc import Iterator

from outplay.errors import SystemUnready, UsageError
from outplay.model.label import Label
from outplay.play.clock import Clock, RealClock
from outplay.play.event import ENDS, Event
from outplay.play.lines import LineReader, garbage
from outplay.play.readable import writable
from outplay.play.ready import expect


class Tcp:
    """Connects to `host:port`; an input is a line sent, an output a line received."""

    synchronous = False

    def __init__(
        self,
        host: str,
        port: int,
        *,
        ready: str | None = None,
        reset_message: tuple[str, str] | None = None,
        patience: float = 10.0,
    ) -> None:
        self._address, self._ready, self._reset_message, self._patience = (host, port), ready, reset_message, patience
        self.clock: Clock = RealClock()
        self._connection: _Connection | None = None

    @classmethod
    def from_text(cls, text: str, *, ready: str | None = None, reset_message: tuple[str, str] | None = None) -> Tcp:
        """Read `HOST:PORT`."""
        host, _, port = text.rpartition(":")
        if not host or not port.isdigit() or not 0 < int(port) < 65536:
            raise UsageError(f"tcp:{text}: write tcp:HOST:PORT, for instance tcp:127.0.0.1:7000")
        return cls(host.strip("[]"), int(port), ready=ready, reset_message=reset_message)

    def reset(self) -> None:
        if self._connection and self._reset_message and self._connection.ended is None:
            message, answer = self._reset_message
            self._connection.send(message, self._patience)
            expect(self, answer, f"answer to the reset {message!r}", self._patience)
            return
        self.close()
        self._connection = _Connection(self._connect())
        if self._ready is not None:
            expect(self, self._ready, "line that says it is ready", self._patience)

    def give(self, label: Label) -> None:
        self._open().send(label.message, self._patience)

    def observe(self, timeout: float) -> Event:
        return self._open().next(timeout)

    def close(self) -> None:
        connection, self._connection = self._connection, None
        if connection:
            connection.close()

    def _open(self) -> _Connection:
        if self._connection is None:
            raise SystemUnready("the system is not connected: reset it first")
        return self._connection

    def _connect(self) -> socket.socket:
        """Connect; a server that is still starting is given time."""
        deadline = time.monotonic() + self._patience
        while True:
            try:
                return socket.create_connection(self._address, timeout=self._patience)
            except socket.gaierror as error:
                raise SystemUnready(f"{self._address[0]}: {error.strerror}; check the host's name") from None
            except OSError as error:
                if time.monotonic() > deadline:
                    where = f"{self._address[0]}:{self._address[1]}"
                    raise SystemUnready(
                        f"nothing answers at {where} ({error.strerror or error}); start it first"
                    ) from None
                time.sleep(0.05)


class _Connection:
    """One connection from its making to its end."""

    def __init__(self, link: socket.socket) -> None:
        self._link = link
        link.settimeout(None)
        link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._broken = ""
        self.ended: Event | None = None
        self._reader = LineReader(link.fileno(), self._receive, self._ending)

    def send(self, message: str, patience: float) -> None:
        """Send a line; a server that is gone shows that when next observed, one that takes nothing is an error."""
        left = message.encode() + b"\n"
        deadline = time.monotonic() + patience
        while left:
            try:
                left = left[self._link.send(left, socket.MSG_DONTWAIT) :]
            except BlockingIOError:
                if time.monotonic() > deadline:
                    raise SystemUnready(f"the server has taken no input for {patience:g} s") from None
                writable(self._link.fileno(), 0.1)
            except OSError:
                return  # it is gone; the reader says how

    def next(self, timeout: float) -> Event:
        if self.ended:
            return self.ended
        event = self._reader.take(timeout) or Event("silence", seen=time.monotonic())
        if event.kind in ENDS:
            self.ended = event
        return event

    def close(self) -> None:
        self._reader.close()
        with contextlib.suppress(OSError):
            self._link.shutdown(socket.SHUT_RDWR)
        self._link.close()

    def _receive(self) -> bytes:
        try:
            return self._link.recv(65536)
        except OSError as error:
            self._broken = error.strerror or str(error)
            return b""

    def _ending(self, pending: bytes) -> Iterator[Event]:
        now = time.monotonic()
        if self._broken:
            yield Event("crash", seen=now, detail=f"the connection broke: {self._broken}")
            return
        if pending:
            yield garbage(pending, now, "a line without an end")
        yield Event("closed", seen=now, detail="the other side closed the connection")
