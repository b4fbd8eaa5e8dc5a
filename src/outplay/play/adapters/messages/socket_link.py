"""A connection over a socket: what is written and read on it says a dialogue, such as that of WebSocket."""

from __future__ import annotations

import contextlib
import socket
import ssl
import struct
import threading
import time
from collections.abc import Callable, Iterable
from typing import Protocol

from outplay.cancellation import raise_if_cancelled
from outplay.errors import SystemUnready
from outplay.play.adapters.lines import StreamReader
from outplay.play.adapters.messages.message import Gone, Hear, Outgoing, Received, ended
from outplay.play.secure_link import Link, SecureLink, insecure_error, receive_available

_AGAIN = 0.05  # seconds until a system that does not answer is tried again


class Dialogue(Protocol):
    """The framing of messages in the bytes of one connection, and the answers to some of them unasked."""

    def written(self, message: Outgoing) -> bytes:
        """The bytes of a message."""

    def heard(self, chunk: bytes) -> Iterable[Received]:
        """Return the messages that have come with some bytes; none are the end of the stream. What ends the connection
        comes last.
        """

    def replies(self) -> bytes:
        """The bytes that are to be written now, unasked."""

    def farewell(self) -> bytes:
        """The bytes that end the connection in good order."""


class SocketLink:
    """One connection: sends messages, and hands on what comes."""

    def __init__(
        self, link: Link, dialogue: Dialogue, hear: Hear, has_room: Callable[[], bool], patience: float
    ) -> None:
        self._socket, self._dialogue, self._hear, self._patience = link, dialogue, hear, patience
        self._writing = threading.Lock()
        self._broken = ""
        link.settimeout(patience)
        self._reader = StreamReader(link.fileno(), self._receive, self._heard, has_room)

    def send(self, message: Outgoing) -> None:
        with self._writing:
            self._write(self._dialogue.written(message))

    def look(self, enough: Callable[[], bool]) -> None:
        self._reader.look(enough)

    def close(self, *, cut: bool = False) -> None:
        self._reader.close()
        with contextlib.suppress(OSError, SystemUnready):
            if cut:
                self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            else:
                self._socket.settimeout(0)
                self._socket.send(self._dialogue.farewell())
                self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()

    def _write(self, content: bytes) -> None:
        try:
            self._socket.sendall(content)
        except TimeoutError:
            raise SystemUnready(f"the server has taken no input for {self._patience:g} s") from None
        except OSError:
            return  # it is gone; the reader says how

    def _receive(self) -> bytes | None:
        try:
            return receive_available(self._socket)
        except OSError as error:
            self._broken = error.strerror or str(error)
            return b""

    def _heard(self, chunk: bytes, now: float) -> bool:
        if self._broken:
            self._hear(ended("crash", f"the connection broke: {self._broken}"))
            return False
        with self._writing:
            came = list(self._dialogue.heard(chunk))
            if replies := self._dialogue.replies():
                with contextlib.suppress(SystemUnready):
                    self._write(replies)
        for each in came:
            self._hear(each)
        over = any(each.ending for each in came)
        if over:
            with contextlib.suppress(OSError):
                self._socket.shutdown(socket.SHUT_RDWR)
        return not over


def connected(address: tuple[str, int], patience: float, secure: ssl.SSLContext | None = None) -> Link:
    """Connect a socket to an address, with TLS if it is `secure`; one that does not answer yet is given time."""
    deadline, where = time.monotonic() + patience, f"{address[0]}:{address[1]}"
    while True:
        try:
            link = socket.create_connection(address, timeout=patience)
            link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return SecureLink(link, secure, address[0]) if secure else link
        except socket.gaierror as error:
            raise SystemUnready(f"{address[0]}: {error.strerror}; check the host's name") from None
        except ssl.SSLError as error:
            raise insecure_error(where, error) from None
        except OSError as error:
            if time.monotonic() > deadline:
                raise Gone(f"nothing answers at {where} ({error.strerror or error})") from None
            raise_if_cancelled()
            time.sleep(_AGAIN)
