"""A subprocess as the system under test: one message a line on its standard input and output.

A play starts the program anew (or resets it by a message); `outplay.play.running` follows one run of it. A program
that ends before it has taken anything in or said anything was never ready: that is an error and no verdict on it.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import replace

from outplay.errors import SystemUnready
from outplay.interrupting import unbroken
from outplay.play.event import Event
from outplay.play.line_system import LineSystem
from outplay.play.running import Running


class Process(LineSystem[Running]):
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
            self._link = Running(self.command)

    def reset(self) -> None:
        if self._link:
            self._link.forget_words()
        super().reset()

    def observe(self, timeout: float) -> Event:
        event = super().observe(timeout)
        if event.kind == "silence" and (words := self._open().last_words()):
            return replace(event, detail=f"standard error says: {words}")
        if event.kind in ("crash", "closed") and self._ready is None and not self._open().was_ready(self._patience):
            raise SystemUnready(f"{self.command[0]} ended before it was ready: {event.detail}")
        return event
