"""A subprocess as the system under test: one message a line on its standard input and output.

A play starts the program anew (or resets it by a message); `outplay.play.adapters.program_run` follows one run of it. A
program that ends before it has taken anything in or said anything was never ready: that is an error and no verdict.

Messages with programs, over their standard input and output, framed as a table says; each client runs one.
"""

from __future__ import annotations

import shlex
import shutil
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from outplay.errors import SystemUnready, UsageError
from outplay.play.adapters.line_system import LineSystem, refuse_beside_table, reset_pair
from outplay.play.adapters.lines import StreamReader
from outplay.play.adapters.messages.framed import FramedDialogue, framed_table
from outplay.play.adapters.messages.message import UNREADY, Hear, MessageKind, Outgoing, ended
from outplay.play.adapters.messages.message_system import MessageSystem
from outplay.play.adapters.program_run import ProgramRun
from outplay.play.framing import Framing
from outplay.play.system import System
from outplay.play.trace import ENDS, Event
from outplay.signals import unbroken

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


class Process(LineSystem[ProgramRun]):
    """Runs a command; an input is a line written, an output a line read.

    `ready` is a line to wait for after the start, `reset_message` a pair of message and answer that resets without a
    restart; both have to come, and every input has to be taken, within `patience` seconds.
    """

    def __init__(
        self,
        command: str | Sequence[str],
        *,
        ready: str | None = None,
        reset_message: tuple[str, str] | None = None,
        patience: float = 10.0,
    ) -> None:
        super().__init__(ready, reset_message, patience)
        self.command = shlex.split(command) if isinstance(command, str) else list(command)
        if not self.command:
            raise SystemUnready("exec: names no command; write exec:./server --option")

    def _begin(self) -> None:
        with unbroken():
            self._link = ProgramRun(self.command)

    def reset(self) -> None:
        if self._link:
            self._link.forget_words()
        super().reset()

    @property
    def renewed(self) -> bool:
        return self._reset_message is None

    def words(self) -> str:
        return self._link.words() if self._link else ""

    def observe(self, timeout: float) -> Event:
        event = super().observe(timeout)
        if event.kind == "silence" and (words := self._open().last_words()):
            return replace(event, detail=f"standard error says: {words}")
        if event.kind in ("crash", "closed") and self._ready is None and not self._open().was_ready(self._patience):
            raise SystemUnready(f"{self.command[0]} ended before it was ready: {event.detail}")
        return event


def process_from_text(
    line: str,
    *,
    ready: str | None,
    reset: str | None,
    probe: str | None,
    table: str | None,
    read_table: Callable[[str], Mapping[str, Any]],
) -> System:
    """Make the system of a subprocess from its command line; it speaks in lines that are labels, or as a table says."""
    words = command_words(line, "exec")
    why_not = _hindrance(words[0])
    if why_not:
        return _Unstartable(words, why_not)
    if table is None:
        return Process(words, ready=ready, reset_message=reset_pair(reset)).proving_by(probe)
    refuse_beside_table(ready, reset)
    return FramedProgram(words, read_table(table), where=table)


class _Unstartable(Process):
    """A program that is not there or may not be run: said when it is to be started, so that the run ends in Error."""

    def __init__(self, words: list[str], why: str) -> None:
        super().__init__(words)
        self._why = f"cannot start {words[0]!r}: {why}"

    def reset(self) -> None:
        raise SystemUnready(self._why)


def command_words(line: str, kind: str) -> list[str]:
    """Split the command line of a subprocess, after `exec:` or another kind, into words."""
    try:
        words = shlex.split(line)
    except ValueError as error:
        raise UsageError(f"--sut {kind}:{line}: {error}; mend the quotes") from None
    if not words:
        raise UsageError(f"--sut {kind}: names no command; write {kind}:./server --option")
    return words


def _hindrance(program: str) -> str | None:
    """Say why a program cannot be started, as far as that shows beforehand."""
    if shutil.which(program):
        return None
    if Path(program).is_dir():
        return "it is a folder; name a program"
    if Path(program).is_file():
        if "/" not in program:
            return f"it is not on the path; write exec:./{program}"
        return "it is not executable; chmod +x it, or put what runs it in front: exec:python3 …"
    return "no such program; check the name, or give its path"
