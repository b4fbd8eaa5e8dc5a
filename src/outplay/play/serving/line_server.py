"""A model as a server over TCP: each connection is a client, and speaks in lines, or in messages of WebSocket.

In lines there is one label a line, inputs without `?` and outputs without `!`, as `tcp:` speaks them. The line `RESET`
begins a new play and is answered with `OK`. An input that is not taken is answered with `error` and why.
"""

from __future__ import annotations

import contextlib
import socket
import struct
import threading
from collections.abc import Callable, Iterator
from typing import Protocol

from outplay.cancellation import raise_if_cancelled
from outplay.errors import FormatError, UsageError
from outplay.model.label import INPUT, OUTPUT, Label
from outplay.play.adapters.lines import LONGEST_LINE
from outplay.play.serving.play_server import ANSWER, RESET, PlayServer, Said, ServedPlay, start_thread

MOST_CONNECTIONS = 1_000
_SEND_PATIENCE = 10  # seconds; a client that reads nothing for this long is let go
_LOOK = 0.2  # seconds between two looks at whether the server has been closed


class Speech(Protocol):
    """The language of one client on its connection."""

    def heard(self, chunk: bytes) -> Iterator[Label | str]:
        """The inputs that came with some bytes; `RESET`; or why something is none. `EOFError` where it has ended."""

    def told(self, label: Label) -> bytes:
        """An output as it is told."""

    def replies(self) -> bytes:
        """Return the further answers, unasked."""


class LineSpeech:
    """One label a line."""

    def __init__(self) -> None:
        self._pending = b""

    def heard(self, chunk: bytes) -> Iterator[Label | str]:
        *lines, self._pending = (self._pending + chunk).split(b"\n")
        for line in lines:
            if line.strip():
                yield RESET if line.strip() == RESET.encode() else _read(line.strip())
        if len(self._pending) > LONGEST_LINE:
            raise EOFError

    def told(self, label: Label) -> bytes:
        return label.message.encode() + b"\n"

    def replies(self) -> bytes:
        return b""


class Connection:
    """A client with a connection."""

    def __init__(self, link: socket.socket, speech: Speech) -> None:
        self._link, self._speech = link, speech
        self._writing = threading.Lock()

    def inputs(self) -> Iterator[Label | str]:
        """Return its inputs until it ends the connection."""
        while True:
            try:
                chunk = self._link.recv(65536)
                if not chunk:
                    return
                with self._writing:
                    came = list(self._speech.heard(chunk))
                self._send(self._speech.replies)
            except (OSError, EOFError):
                self._send(self._speech.replies)
                return
            yield from came

    def tell(self, label: Label) -> None:
        self._send(lambda: self._speech.told(label))

    def answer(self, why: str) -> None:
        """Tell why an input is not taken."""
        if why:
            self.tell(Label(OUTPUT, "error", (why,)))

    def end(self) -> None:
        with contextlib.suppress(OSError):
            self._link.shutdown(socket.SHUT_RDWR)
        self._link.close()

    def _send(self, content: Callable[[], bytes]) -> None:
        try:
            with self._writing:
                self._link.sendall(content())
        except OSError:
            self.end()


class LineServer(PlayServer):
    """Listens at an address, where port 0 is any free one."""

    def __init__(
        self,
        host: str,
        port: int,
        make: Callable[[int], ServedPlay],
        *,
        shared: bool = False,
        speech: Callable[[], Speech] = LineSpeech,
        scheme: str = "",
    ) -> None:
        super().__init__(make, shared=shared)
        self._speech = speech
        self._listener = listener_at(host, port)
        self.address = scheme + address_of(self._listener)

    def listen(self) -> None:
        for link in self._links():
            start_thread(self._hear, Connection(link, self._speech()))

    def stop_listening(self) -> None:
        self._listener.close()

    def _links(self) -> Iterator[socket.socket]:
        self._listener.settimeout(_LOOK)
        while not self._closed.is_set():
            raise_if_cancelled()
            try:
                link, _ = self._listener.accept()
            except TimeoutError:
                continue
            except OSError:
                return
            if self.many >= MOST_CONNECTIONS:
                link.close()
                continue
            link.settimeout(None)
            link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            link.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, struct.pack("ll", _SEND_PATIENCE, 0))
            yield link

    def _hear(self, client: Connection) -> None:
        """Put what a client says in line, with its beginning and its end."""
        said = self.enter(client)
        for what in client.inputs():
            if isinstance(what, Label):
                said.put(Said(client, what, client.answer))
            elif what == RESET:
                said.put(Said(client, RESET, lambda why: client.tell(Label(OUTPUT, ANSWER))))
            else:
                client.answer(what)
        self.leave(client, said)


def listener_at(host: str, port: int) -> socket.socket:
    """Open the socket at which a server of a model listens."""
    try:
        return socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except (OSError, OverflowError) as error:
        raise UsageError(f"cannot listen at {host}:{port}: {getattr(error, 'strerror', None) or error}") from None


def address_of(listener: socket.socket) -> str:
    """Write the address at which a server of a model listens."""
    host, port = listener.getsockname()[:2]
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def _read(line: bytes) -> Label | str:
    try:
        return Label.from_message(INPUT, line.decode())
    except (UnicodeDecodeError, FormatError, ValueError) as error:
        return f"this is no label: {error}"
