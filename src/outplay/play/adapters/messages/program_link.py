"""Messages with programs, over their standard input and output, framed as a table says; each client runs one."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from outplay.interrupting import unbroken
from outplay.play.adapters.messages.framed import FramedDialogue, framed_table
from outplay.play.adapters.messages.message import UNREADY, Hear, MessageKind, Outgoing, ended
from outplay.play.adapters.messages.message_system import MessageSystem
from outplay.play.adapters.program_run import ProgramRun
from outplay.play.adapters.stream_reader import StreamReader
from outplay.play.event import ENDS, Event
from outplay.play.framings.framing import Framing

_GLANCE = 1e-9


class _Pushing:
    """In place of a reader of lines: hands on messages as they come."""

    def __init__(
        self,
        dialogue: FramedDialogue,
        hear: Hear,
        has_room: Callable[[], bool],
        descriptor: int,
        read: Callable[[], bytes],
        ending: Callable[[bytes], Iterable[Event]],
    ) -> None:
        self._dialogue, self._hear, self._ending = dialogue, hear, ending
        self.stream = StreamReader(descriptor, read, self._heard, has_room)

    def take(self, timeout: float) -> Event | None:
        """Nothing is taken here; what is there is handed on."""
        self.stream.look(lambda: False)
        return None

    def close(self) -> None:
        self.stream.close()

    def _heard(self, chunk: bytes, now: float) -> bool:
        if not chunk:
            for event in self._ending(self._dialogue.pending):
                self._hear(ended(event.kind, event.detail))
            return False
        came = list(self._dialogue.heard(chunk))
        for each in came:
            self._hear(each)
        return not any(each.ending for each in came)


class ProgramLink:
    """One run of a program by a client."""

    def __init__(
        self, command: Sequence[str], framing: Framing, hear: Hear, has_room: Callable[[], bool], patience: float
    ) -> None:
        self._dialogue, self._patience, self._hear = FramedDialogue(framing), patience, hear
        self._over = self._spoke = False
        self._made = threading.Event()  # before which a program that ends at once may have said so already
        with unbroken():
            pushing = partial(_Pushing, self._dialogue, self._heard, has_room)
            self._running = ProgramRun(list(command), pushing)
            self._made.set()

    def send(self, message: Outgoing) -> None:
        self._running.send(self._dialogue.written(message), self._patience)

    def look(self, enough: Callable[[], bool]) -> None:
        event = self._running.next(_GLANCE)
        if event.kind in ENDS:  # it is dead, and a child of it may hold its output open
            self._heard(ended(event.kind, event.detail))

    def close(self, *, cut: bool = False) -> None:
        with unbroken():
            self._running.end()

    def _heard(self, heard: Any) -> None:
        self._made.wait(self._patience)
        if self._over:
            return
        self._over, self._spoke = bool(heard.ending), self._spoke or not heard.ending
        unready = (
            heard.ending in ("crash", "closed") and not self._spoke and not self._running.was_ready(self._patience)
        )
        self._hear(ended(UNREADY, f"it ended before it was ready: {heard.detail}") if unready else heard)


class ProgramTransport:
    """Clients that run a command each."""

    kind = MessageKind()

    def __init__(self, command: Sequence[str], framing: Framing) -> None:
        self._command, self._framing = command, framing

    def connect(
        self, client: str, settings: Mapping[str, Any], hear: Hear, has_room: Callable[[], bool], patience: float
    ) -> ProgramLink:
        return ProgramLink(self._command, self._framing, hear, has_room, patience)

    def reset(self) -> None:
        """Nothing is shared by the clients."""

    def close(self) -> None:
        """Nothing is shared by the clients."""


class FramedProgram(MessageSystem):
    """A command that is spoken to in messages by a table: a mapping as a TOML file holds it."""

    def __init__(
        self, command: Sequence[str], table: Mapping[str, Any], *, patience: float = 10.0, where: str = "the table"
    ) -> None:
        read, framing = framed_table(table, ProgramTransport.kind, where)
        super().__init__(ProgramTransport(command, framing), read, patience=patience)
