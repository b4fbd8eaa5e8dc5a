"""A server as a fixture: started on free ports in a folder of its own, ended with all it started, its log kept.

`Server("redis-server --port {port}")` is ready when its port takes connections, when an address answers, or when it has
written a certain text. A system behind it may have it for the whole run, or a new one for each play.
"""

from __future__ import annotations

import contextlib
import re
import shlex
import shutil
import socket
import tempfile
import time
import urllib.request
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from outplay.cancellation import look
from outplay.errors import SystemUnready, UsageError
from outplay.interrupting import unbroken
from outplay.model.label import Label
from outplay.play.adapters.program_run import ProgramRun
from outplay.play.event import ENDS, Event
from outplay.play.system import Called, Disturbed, Quieting, System, Wordy

_PORT = re.compile(r"\{(port\w*)\}")
_HOST = "127.0.0.1"
_AGAIN = 0.02  # seconds until a server that is not ready is looked at again
_ENDING = 0.3  # seconds in which a server whose connection has broken may come to its end
_SHOWN = 2_000  # characters of a log
# The server's output goes to a file, so that it never waits for somebody to read it.
_INTO_LOG = 'cd "$1" && log=$2 && shift 2 && exec "$@" >>"$log" 2>&1'


class Server:
    """A command that serves; `{port}`, or several such as `{port_of_peers}`, are free ports, `{folder}` its folder.

    It is `ready` when an address `http://…` answers with success, when its log has this text, or else when it takes
    connections at `{port}`; within `patience` seconds. Its folder is a new one for each start, and removed at its end;
    what it writes is kept where a `log` is given.
    """

    def __init__(
        self,
        command: str | Sequence[str],
        *,
        ready: str | None = None,
        log: str | Path | None = None,
        patience: float = 10.0,
    ) -> None:
        self._words = shlex.split(command) if isinstance(command, str) else list(command)
        if not self._words:
            raise UsageError("the server has no command; write for instance redis-server --port {port}")
        self._ready, self._patience = ready, patience
        self._log = None if log is None else Path(log).absolute()
        self._base: Path | None = None  # of the folder, and of the log where it has no other place
        self._running: ProgramRun | None = None
        self._written = 0  # bytes of the log from earlier starts
        self.ports: dict[str, int] = {}
        """The ports by their names, once it is started."""

    @property
    def port(self) -> int:
        """The port that `{port}` stands for."""
        return self.ports["port"]

    @property
    def log(self) -> Path:
        """Return what it has written since its first start."""
        return self._log or self._own / "server.log"

    @property
    def folder(self) -> Path:
        """The folder where it works."""
        return self._own / "work"

    @property
    def _own(self) -> Path:
        """The folder of all its starts."""
        if self._base is None:
            self._base = Path(tempfile.mkdtemp(prefix="outplay-"))
        return self._base

    @property
    def alive(self) -> bool:
        """Whether it runs."""
        return self._running is not None and self._running.alive()

    def filled(self, text: str) -> str:
        """A text with its ports and its folder in place of their names."""
        text = _PORT.sub(lambda found: str(self.ports.setdefault(found[1], _free_port())), text)
        return text.replace("{folder}", str(self.folder)) if "{folder}" in text else text

    def start(self) -> None:
        """Start it on new ports, and wait until it is ready."""
        self.stop()
        with unbroken():
            self._written = self.log_size
            self.folder.mkdir()
            self.ports = {}
            words = [self.filled(word) for word in self._words]
            if not shutil.which(words[0]):
                raise SystemUnready(f"cannot start the server {words[0]!r}: no such program")
            self._running = ProgramRun(["sh", "-c", _INTO_LOG, "sh", str(self.folder), str(self.log), *_whole(words)])
        deadline = time.monotonic() + self._patience
        while not self._is_ready():
            look()
            if not self.alive:
                raise SystemUnready(f"the server {words[0]!r} ended before it was ready{self.last_words()}")
            if time.monotonic() > deadline:
                raise SystemUnready(f"{words[0]!r} is not ready within {self._patience:g} s{self.last_words()}")
            time.sleep(_AGAIN)

    def stop(self) -> None:
        """End it and all it started."""
        with unbroken():
            running, self._running = self._running, None
            if running:
                running.end()
            if self._base is not None:
                shutil.rmtree(self.folder, ignore_errors=True)

    def close(self) -> None:
        """End it, and remove what it leaves behind, but for a log that was asked for."""
        self.stop()
        if self._base is not None:
            shutil.rmtree(self._base, ignore_errors=True)
            self._base = None

    @property
    def log_size(self) -> int:
        """The number of bytes it has written."""
        return self.log.stat().st_size if self.log.exists() else 0

    def written(self, since: int) -> str:
        """The end of what it has written since its log was so large."""
        return self._said(since)

    def last_words(self) -> str:
        """The last line of its log, as the end of a sentence."""
        said = self._said().strip().splitlines()
        return f"; its log ends with: {said[-1][:200]}" if said else ""

    def __enter__(self) -> Server:
        self.start()
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def _is_ready(self) -> bool:
        if self._ready is None:
            return "port" not in self.ports or _answers(self.port)
        if not self._ready.startswith(("http://", "https://")):
            return self._ready in self._said()
        with contextlib.suppress(OSError, ValueError), urllib.request.urlopen(self.filled(self._ready), timeout=1.0):
            return True
        return False

    def _said(self, since: int = 0) -> str:
        """The end of what it has written since it was started."""
        if not self.log.exists():
            return ""
        with self.log.open("rb") as log:
            log.seek(max(self._written, since, self.log_size - (_SHOWN if self._ready is None else 1 << 20)))
            return log.read().decode(errors="replace")


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
            time.sleep(_AGAIN)
        return not self._server.alive


def _whole(words: list[str]) -> list[str]:
    """A program that is named from here, for one that starts it elsewhere."""
    program = words[0]
    return [str(Path(program).absolute()) if "/" in program else program, *words[1:]]


def _free_port() -> int:
    with socket.create_server((_HOST, 0)) as free:
        return int(free.getsockname()[1])


def _answers(port: int) -> bool:
    with socket.socket() as link:
        link.settimeout(1.0)
        return link.connect_ex((_HOST, port)) == 0


def served(make: Callable[..., System], text: str, **given: Any) -> System:
    """Make the system that a text names, behind the server that the options name, if they do."""
    command, ready, log = (given.pop(name, None) for name in ("server", "server_ready", "server_log"))
    per_play = given.pop("server_per_play", False)
    if command is None:
        if ready or log or per_play:
            raise UsageError("--server-ready, --server-log and --server-per-play need --server COMMAND")
        return make(text, **given)
    server = Server(command, ready=ready, log=log)
    return ServedSystem(server, lambda server: make(server.filled(text), **given), per_play=per_play)
