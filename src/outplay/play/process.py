"""A subprocess as the system under test: one message a line on its standard input and output.

A play starts the program anew (or resets it by a message); `outplay.play.running` follows one run of it. A program
that ends before it has taken anything in or said anything was never ready: that is an error and no verdict on it.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from outplay.errors import SystemUnready
from outplay.model.label import Label
from outplay.play.clock import Clock, RealClock
from outplay.play.event import Event
from outplay.play.ready import expect
from outplay.play.running import Running
from outplay.play.unbroken import unbroken


class Process:
    """Runs a command; an input is a line written, an output a line read.

    `ready` is a line to wait for after the start, `reset_message` a pair of message and answer that resets without a
    restart; both have to come, and every input has to be taken, within `patience` seconds.
    """

    synchronous = False

    def __init__(
        self,
        command: str | Sequence[str],
        *,
        ready: str | None = None,
        reset_message: tuple[str, str] | None = None,
        patience: float = 10.0,
    ) -> None:
        self.command = shlex.split(command) if isinstance(command, str) else list(command)
        if not self.command:
            raise SystemUnready("exec: names no command; write exec:./server --option")
        self._ready, self._reset_message, self._patience = ready, reset_message, patience
        self.clock: Clock = RealClock()
        self._running: Running | None = None

    def reset(self) -> None:
        if self._running and self._reset_message and self._running.alive():
            message, answer = self._reset_message
            self._running.write(message, self._patience)
            expect(self, answer, f"answer to the reset {message!r}", self._patience)
            return
        self.close()
        with unbroken():
            self._running = Running(self.command)
        if self._ready is not None:
            expect(self, self._ready, "line that says it is ready", self._patience)

    def give(self, label: Label) -> None:
        self._process().write(label.message, self._patience)

    def observe(self, timeout: float) -> Event:
        running = self._process()
        event = running.next(timeout)
        if event.kind in ("crash", "closed") and self._ready is None and not running.was_ready(self._patience):
            raise SystemUnready(f"{self.command[0]} ended before it was ready: {event.detail}")
        return event

    def close(self) -> None:
        with unbroken():
            running, self._running = self._running, None
            if running:
                running.end()

    def _process(self) -> Running:
        if self._running is None:
            raise SystemUnready("the system is not running: reset it first")
        return self._running
