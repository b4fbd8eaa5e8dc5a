"""Interactive programs, played at a terminal of their own: prompts, and lines that are answered by lines.

A table says what is typed and what the lines mean that come. Its section `terminal` has `prompts`, which are messages
of their own where they stand at the beginning of a line, and `echo`, true where the program repeats what is typed. An
input may have `keys`, typed as they are, such as "\\u0003" for Ctrl-C; any other is ended with the Enter key. Colours
and other commands to the terminal are left out of what is read.
"""

from __future__ import annotations

import os
import re
import shutil
import termios
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from outplay.errors import FormatError, SystemUnready, UsageError
from outplay.play.adapters.adapter_check import message_misfits
from outplay.play.adapters.gate_use import Gates, Misfit
from outplay.play.adapters.lines import StreamReader, hand_over
from outplay.play.adapters.messages.label_rows import refuse_other
from outplay.play.adapters.messages.message import UNREADY, Hear, MessageKind, Outgoing, Received, ended, in_words
from outplay.play.adapters.messages.message_system import MessageSystem
from outplay.play.adapters.messages.message_table import MessageTable
from outplay.play.adapters.process import command_words
from outplay.play.adapters.program_run import ProgramRun
from outplay.signals import unbroken

_COMMANDS = re.compile(rb"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\^_=>])")
_HALF = re.compile(rb"\x1b(?:\[[0-9;?]*[ -/]*|\][^\x07\x1b]*\x1b?)?$")
_ENTER, TERMINAL = b"\n", "terminal"
LONGEST, _SHOWN = 1 << 20, 60  # bytes of a line
# The program becomes the leader of the terminal by opening it.
_AT_TERMINAL = 'TERM=dumb; export TERM; exec "$@" <>"$0" >&0 2>&0'


@dataclass
class Screen:
    """The output of a program, as lines and prompts."""

    prompts: tuple[bytes, ...]
    typed: deque[bytes] | None = None
    """The typed bytes that are to be repeated, where the program does that."""
    pending: bytes = field(default=b"")

    def heard(self, chunk: bytes) -> Iterator[Received]:
        """The lines and prompts that are whole now."""
        self.pending += chunk
        if b"\x1b" in self.pending:
            half = _HALF.search(self.pending)
            cut = half.start() if half else len(self.pending)
            self.pending = _COMMANDS.sub(b"", self.pending[:cut]) + self.pending[cut:]
        while True:
            prompt = next((each for each in self.prompts if self.pending.startswith(each)), None)
            if prompt is not None:
                self.pending = self.pending[len(prompt) :]
                yield Received(prompt)
                continue
            line, end, rest = self.pending.partition(b"\n")
            if not end:
                if len(line) > LONGEST:
                    yield ended("garbage", f"a line of more than {LONGEST} bytes: {line[:_SHOWN]!r}")
                return
            self.pending = rest
            line = line.replace(b"\r", b"")
            if self.typed and line == self.typed[0]:
                self.typed.popleft()
            elif line:
                yield Received(line)

    def rest(self) -> Iterator[Received]:
        """The line without an end with which a program ended."""
        line, self.pending = self.pending, b""
        yield from self.heard(line + b"\n") if line else ()


class TerminalLink:
    """One run of a program at a terminal."""

    def __init__(
        self, command: Sequence[str], screen: Screen, hear: Hear, has_room: Callable[[], bool], patience: float
    ) -> None:
        self._screen, self._hear, self._patience = screen, hear, patience
        self._over = self._spoke = False
        with unbroken():
            self._ours, theirs = os.openpty()
            self._theirs = theirs  # held open, so that the terminal is not over before the program has opened it
            try:
                _quieten(theirs)
                self._running = ProgramRun(["sh", "-c", _AT_TERMINAL, os.ttyname(theirs), *command])
            except BaseException:
                os.close(self._ours)
                os.close(theirs)
                raise
            os.set_blocking(self._ours, False)
            self._reader = StreamReader(self._ours, self._read, self._heard, has_room)

    def send(self, message: Outgoing) -> None:
        self._spoke = True  # whatever comes of it, it has been ready
        keys = message.further.get("keys")
        content = in_words(keys).encode() if keys is not None else message.content + _ENTER
        if self._screen.typed is not None and keys is None:
            self._screen.typed.append(message.content)
        hand_over(content, lambda left: os.write(self._ours, left), self._ours, self._patience, "program")

    def look(self, enough: Callable[[], bool]) -> None:
        self._reader.look(enough)
        if not self._running.alive() and not enough():
            self._end()

    def close(self, *, cut: bool = False) -> None:
        with unbroken():
            self._running.end()
            self._reader.close()
            for descriptor in (self._ours, self._theirs):
                os.close(descriptor)

    def _read(self) -> bytes:
        try:
            return os.read(self._ours, 65536)
        except OSError:
            return b""

    def _heard(self, chunk: bytes, now: float) -> bool:
        for each in self._screen.heard(chunk):
            self._spoke = True
            self._hear(each)
            if each.ending:
                return False
        return True

    def _end(self) -> None:
        """Say how the program ended, once."""
        if self._over:
            return
        self._over = True
        event = self._running.ending()
        for each in self._screen.rest():
            self._hear(each)
        if self._spoke:
            self._hear(ended(event.kind, event.detail))
        else:
            self._hear(ended(UNREADY, f"it ended before it was ready: {event.detail}"))


class TerminalTransport:
    """Clients that run a command each, at a terminal of their own."""

    kind = MessageKind(send=("keys",))

    def __init__(self, command: Sequence[str], prompts: tuple[bytes, ...], *, echo: bool) -> None:
        self._command, self._prompts, self._echo = command, prompts, echo

    def connect(
        self, client: str, settings: Mapping[str, Any], hear: Hear, has_room: Callable[[], bool], patience: float
    ) -> TerminalLink:
        screen = Screen(self._prompts, deque() if self._echo else None)
        return TerminalLink(self._command, screen, hear, has_room, patience)

    def reset(self) -> None:
        """Nothing is shared by the clients."""

    def close(self) -> None:
        """Nothing is shared by the clients."""


def terminal_from_text(
    text: str, *, table: str | None, read_table: Callable[[str], Mapping[str, Any]]
) -> MessageSystem:
    """Make the system of `pty:COMMAND LINE` from its text, an interactive program at a terminal."""
    words = command_words(text, "pty")
    if not shutil.which(words[0]):
        raise SystemUnready(f"cannot start {words[0]!r}: no such program; give a path such as ./{words[0]}")
    if table is None:
        raise UsageError("--sut pty:… needs --table FILE, which says what is typed for each input; see the docs")
    read, prompts, echo = _terminal_table(read_table(table), table)
    return MessageSystem(TerminalTransport(words, prompts, echo=echo), read)


def terminal_misfits(
    text: str, gates: Gates, *, table: str, read_table: Callable[[str], Mapping[str, Any]], **_: Any
) -> Iterator[Misfit]:
    """Hold a table for an interactive program at a terminal against the gates of a model."""
    return message_misfits(_terminal_table(read_table(table), table)[0], gates)


def _terminal_table(document: Mapping[str, Any], where: str) -> tuple[MessageTable, tuple[bytes, ...], bool]:
    entry = document.get(TERMINAL, {})
    refuse_other(entry, ("prompts", "echo"), f"{where}: {TERMINAL}")
    prompts, echo = entry.get("prompts", []), entry.get("echo", False)
    if not isinstance(prompts, list) or not all(isinstance(each, str) and each for each in prompts):
        raise FormatError(f'{where}: {TERMINAL}: prompts should be a list of texts, such as [">>> "]')
    if not isinstance(echo, bool):
        raise FormatError(f"{where}: {TERMINAL}: echo should be true or false")
    read = MessageTable.read(document, TerminalTransport.kind, where, (TERMINAL,))
    return read, tuple(each.encode() for each in prompts), echo


def _quieten(descriptor: int) -> None:
    """Have a terminal repeat nothing of what is typed, and leave line ends as they are."""
    settings = termios.tcgetattr(descriptor)
    settings[1] &= ~termios.OPOST
    settings[3] &= ~(termios.ECHO | termios.ECHONL)
    termios.tcsetattr(descriptor, termios.TCSANOW, settings)
