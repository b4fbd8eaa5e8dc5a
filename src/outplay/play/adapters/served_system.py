"""A system behind a server that is started for it: for the whole run, again where it has ended, or for each play."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from typing import Any

from outplay.errors import UsageError
from outplay.model.label import Label
from outplay.play.adapters.messages.message_system import table_redaction
from outplay.play.adapters.server import AGAIN, Server
from outplay.play.system import Called, Disturbed, Quieting, Resting, System, Walking, Wordy
from outplay.play.trace import ENDS, Event

_ENDING = 0.3  # seconds in which a server whose connection has broken may come to its end


class ServedSystem:
    """A system behind a server that is started before its first play, after it has ended, or before each play.

    `make` connects to the server that was just started. Where the server has ended, that is what is seen.
    """

    def __init__(self, server: Server, make: Callable[[Server], System], *, per_play: bool = False) -> None:
        self._server, self._make, self._per_play = server, make, per_play
        self._system = make(server)
        self.synchronous, self.clock = self._system.synchronous, self._system.clock
        self._gates: Collection[str] = ()
        self.one_wire = getattr(self._system, "one_wire", False)
        self._null_gates: Collection[str] = ()
        self._since = 0  # bytes of the log when the play began

    @property
    def renewed(self) -> bool:
        return self._per_play

    def quiet(self) -> bool:
        return isinstance(self._system, Quieting) and self._system.quiet() and self._server.alive

    def rests(self) -> bool:
        return isinstance(self._system, Resting) and self._system.rests() and self._server.alive

    def words(self) -> str:
        if isinstance(self._system, Wordy) and (words := self._system.words()):
            return words
        return self._server.written(self._since)

    def faults(self) -> Mapping[str, int]:
        return self._system.faults() if isinstance(self._system, Disturbed) else {}

    def will_call(self, gates: Collection[str]) -> None:
        self._gates = gates
        if isinstance(self._system, Called):
            self._system.will_call(gates)

    def answer_null(self, gates: Collection[str]) -> None:
        self._null_gates = gates
        if isinstance(self._system, Called):
            self._system.answer_null(gates)

    def arrive(self, vertices: Collection[str]) -> None:
        if isinstance(self._system, Walking):
            self._system.arrive(vertices)

    def reset(self) -> None:
        if self._per_play or not self._server.alive:
            self._system.close()
            self._server.start()
            self._system = self._make(self._server)
            self.will_call(self._gates)
            self.answer_null(self._null_gates)
            self._since = 0
        else:
            self._since = self._server.log_size
        self._system.reset()

    def give(self, label: Label) -> float | None:
        return self._system.give(label)

    def observe(self, timeout: float) -> Event:
        event = self._system.observe(timeout)
        if event.kind in ENDS and event.kind != "garbage":
            return replace(event, kind="crash", detail=self._explained(event)) if self._has_ended() else event
        if event.kind == "silence" and timeout > 0 and not self._server.alive:
            return replace(event, kind="crash", detail=f"the server has ended{self._server.last_words()}")
        return event

    def close(self) -> None:
        try:
            self._system.close()
        finally:
            self._server.close()

    def _explained(self, event: Event) -> str:
        return f"the server has ended: {event.detail}{self._server.last_words()}"

    def _has_ended(self) -> bool:
        deadline = time.monotonic() + _ENDING
        while self._server.alive and time.monotonic() < deadline:
            time.sleep(AGAIN)
        return not self._server.alive


def served(make: Callable[..., System], text: str, **given: Any) -> System:
    """Make the system that a text names, behind a server that is started for it if the options name one."""
    command, ready, log = (given.pop(name, None) for name in ("server", "server_ready", "server_log"))
    per_play = given.pop("server_per_play", False)
    if command is None:
        if ready or log or per_play:
            raise UsageError("--server-ready, --server-log and --server-per-play need --server COMMAND")
        return make(text, **given)
    redact = table_redaction(given["read_table"](given["table"]), text) if given.get("table") else str
    server = Server(command, ready=ready, log=log, redact=redact)
    if "faults" in given:
        given["restart"] = server.restart
    return ServedSystem(server, lambda server: make(server.filled(text), **given), per_play=per_play)
