"""A server on the network as the system under test: one message a line over TCP.

Each play makes a new connection, unless a reset message and its answer are given. The other side closing the connection
is `closed`, breaking it is a `crash`. A server that stops reading is waited for as long as one that does not get ready.
"""

from __future__ import annotations

import contextlib
import socket
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from outplay.errors import SystemUnready, UsageError
from outplay.play.adapters.line_system import LineSystem, refuse_beside_table, reset_pair
from outplay.play.adapters.lines import LineReader, garbage_event, hand_over
from outplay.play.adapters.messages.framed import FramedTcp
from outplay.play.system import System
from outplay.play.trace import ENDS, Event


class Tcp(LineSystem["TcpConnection"]):
    """Connects to `host:port`; an input is a line sent, an output a line received."""

    def __init__(
        self,
        host: str,
        port: int,
        *,
        ready: str | None = None,
        reset_message: tuple[str, str] | None = None,
        patience: float = 10.0,
    ) -> None:
        super().__init__(ready, reset_message, patience)
        self._address = (host, port)

    def _begin(self) -> None:
        self._link = TcpConnection(self._connect())

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


def tcp_from_text(
    text: str,
    *,
    ready: str | None,
    reset: str | None,
    probe: str | None,
    table: str | None,
    read_table: Callable[[str], Mapping[str, Any]],
) -> System:
    """Make the system at `HOST:PORT` over TCP, which speaks in lines that are labels, or as a table says."""
    host, port = host_and_port(text)
    if table is None:
        return Tcp(host, port, ready=ready, reset_message=reset_pair(reset)).proving_by(probe)
    refuse_beside_table(ready, reset)
    return FramedTcp(host, port, read_table(table), where=table)


def host_and_port(text: str, *, least: int = 1, kind: str = "tcp") -> tuple[str, int]:
    """Read the TCP address `HOST:PORT`, with a port from `least` on.

    >>> host_and_port("[::1]:7000")
    ('::1', 7000)
    """
    host, _, port = text.rpartition(":")
    if not host or not port.isdigit() or not least <= int(port) < 65536:
        raise UsageError(f"{kind}:{text}: write {kind}:HOST:PORT, for instance {kind}:127.0.0.1:7000")
    return host.strip("[]"), int(port)


class TcpConnection:
    """One connection from its making to its end."""

    def __init__(self, link: socket.socket) -> None:
        self._socket = link
        link.settimeout(None)
        link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._broken = ""
        self._ended: Event | None = None
        self._reader = LineReader(link.fileno(), self._receive, self._ending)

    def alive(self) -> bool:
        return self._ended is None

    def write(self, message: str, patience: float) -> None:
        hand_over(message.encode() + b"\n", self._send, self._socket.fileno(), patience, "server")

    def _send(self, message: bytes) -> int:
        return self._socket.send(message, socket.MSG_DONTWAIT)

    def next(self, timeout: float) -> Event:
        if self._ended:
            return self._ended
        event = self._reader.take(timeout) or Event("silence", seen=time.monotonic())
        if event.kind in ENDS:
            self._ended = event
        return event

    def end(self) -> None:
        self._reader.close()
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()

    def _receive(self) -> bytes:
        try:
            return self._socket.recv(65536)
        except OSError as error:
            self._broken = error.strerror or str(error)
            return b""

    def _ending(self, pending: bytes) -> Iterator[Event]:
        now = time.monotonic()
        if self._broken:
            yield Event("crash", seen=now, detail=f"the connection broke: {self._broken}")
            return
        if pending:
            yield garbage_event(pending, now, "a line without an end")
        yield Event("closed", seen=now, detail="the other side closed the connection")
