"""A system that connects to us: we listen at an address, and each play waits for a connection.

`start` is a command that is started for each play, with `{port}` for the port where we listen. Without it somebody else
makes the system connect. The system speaks in lines that are labels, or in messages as a table says.
"""

from __future__ import annotations

import contextlib
import shlex
import shutil
import socket
import time
from collections.abc import Callable, Mapping
from typing import Any

from outplay.cancellation import raise_if_cancelled
from outplay.errors import SystemUnready, UsageError
from outplay.play.adapters.line_system import LineSystem, refuse_beside_table, reset_pair
from outplay.play.adapters.messages.framed import FramedDialogue, framed_table
from outplay.play.adapters.messages.message import Hear, MessageKind
from outplay.play.adapters.messages.message_system import MessageSystem
from outplay.play.adapters.messages.socket_link import SocketLink
from outplay.play.adapters.program_run import ProgramRun
from outplay.play.adapters.tcp import TcpConnection, host_and_port
from outplay.play.framing import Framing
from outplay.play.system import System
from outplay.signals import unbroken

_LOOK = 0.05  # seconds between two looks whether to go on waiting


class Entrance:
    """The place where a system connects: the address where we listen, and the program that is started for each play."""

    def __init__(self, host: str, port: int, start: str | None = None) -> None:
        self._address, self._start = (host, port), start
        self._listener: socket.socket | None = None
        self._running: ProgramRun | None = None

    @property
    def port(self) -> int:
        """The port where we listen, from the first use on."""
        if self._listener is None:
            family = socket.AF_INET6 if ":" in self._address[0] else socket.AF_INET
            try:
                self._listener = socket.create_server(self._address, family=family)
            except OSError as error:
                where = f"{self._address[0]}:{self._address[1]}"
                raise SystemUnready(f"cannot listen at {where}: {error.strerror or error}") from None
        return int(self._listener.getsockname()[1])

    def renew(self) -> None:
        """Begin a play: whoever has connected since the last one ended belongs to none, and the program starts anew."""
        self.end_program()
        port = self.port
        assert self._listener
        self._listener.settimeout(0)
        with contextlib.suppress(OSError):
            while True:
                self._listener.accept()[0].close()
        if self._start is not None:
            words = [word.replace("{port}", str(port)) for word in shlex.split(self._start)]
            if not words or not shutil.which(words[0]):
                raise SystemUnready(f"cannot start {self._start!r}: no such program")
            with unbroken():
                self._running = ProgramRun(words)

    def accepted(self, patience: float) -> socket.socket:
        """Wait for the next connection."""
        deadline, port = time.monotonic() + patience, self.port
        assert self._listener
        while True:
            raise_if_cancelled()
            self._listener.settimeout(_LOOK)
            with contextlib.suppress(TimeoutError):
                link, _ = self._listener.accept()
                link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                return link
            if self._running and not self._running.alive():
                raise SystemUnready(f"the program ended before it connected: {self._running.last_words()}")
            if time.monotonic() > deadline:
                raise SystemUnready(f"nothing has connected to port {port} within {patience:g} s")

    def end_program(self) -> None:
        """End the program of a play."""
        with unbroken():
            running, self._running = self._running, None
            if running:
                running.end()

    def close(self) -> None:
        """End the program, and listen no longer."""
        self.end_program()
        listener, self._listener = self._listener, None
        if listener:
            listener.close()


class Listening(LineSystem[TcpConnection]):
    """A system that connects to us and speaks in lines."""

    def __init__(
        self,
        entrance: Entrance,
        *,
        ready: str | None = None,
        reset_message: tuple[str, str] | None = None,
        patience: float = 10.0,
    ) -> None:
        super().__init__(ready, reset_message, patience)
        self.entrance = entrance

    def _begin(self) -> None:
        self.entrance.renew()
        self._link = TcpConnection(self.entrance.accepted(self._patience))

    def close(self) -> None:
        super().close()
        self.entrance.close()


class EntranceTransport:
    """Connections that the system makes to us: the first belongs to the client that connects first."""

    kind = MessageKind()

    def __init__(self, entrance: Entrance, framing: Framing) -> None:
        self._entrance, self._framing = entrance, framing

    def connect(
        self, client: str, settings: Mapping[str, Any], hear: Hear, has_room: Callable[[], bool], patience: float
    ) -> SocketLink:
        link = self._entrance.accepted(patience)
        return SocketLink(link, FramedDialogue(self._framing), hear, has_room, patience)

    def reset(self) -> None:
        self._entrance.renew()

    def close(self) -> None:
        self._entrance.close()


def listening_from_text(
    text: str,
    *,
    ready: str | None,
    reset: str | None,
    start: str | None,
    table: str | None,
    read_table: Callable[[str], Mapping[str, Any]],
) -> System:
    """Make the system that connects to us, listening at `HOST:PORT`; port 0 is a free one."""
    host, port = host_and_port(text, least=0, kind="listen")
    if port == 0 and not start:
        raise UsageError("--sut listen: with port 0 needs --start COMMAND, which is told the port as {port}")
    entrance = Entrance(host, port, start)
    if table is None:
        return Listening(entrance, ready=ready, reset_message=reset_pair(reset))
    refuse_beside_table(ready, reset)
    read, framing = framed_table(read_table(table), EntranceTransport.kind, table)
    return MessageSystem(EntranceTransport(entrance, framing), read)
