"""A server as a fixture: started on free ports in a folder of its own, ended with all it started, its log kept.

`Server("redis-server --port {port}")` is ready when its port takes connections, when an address answers, or when it has
written a certain text.
"""

from __future__ import annotations

import contextlib
import re
import shlex
import shutil
import socket
import tempfile
import threading
import time
import urllib.request
from collections.abc import Callable, Sequence
from pathlib import Path

from outplay.cancellation import raise_if_cancelled
from outplay.errors import SystemUnready, UsageError
from outplay.play.adapters.program_run import ProgramRun
from outplay.signals import unbroken

_PORT = re.compile(r"\{(port\w*)\}")
_HOST = "127.0.0.1"
AGAIN = 0.02  # seconds until a server that is not ready is looked at again
_SHOWN = 2_000  # characters of a log
# The server's output goes to a file, so that it never waits for somebody to read it. Beside it something waits for the
# end of its input: without a line before that, outplay was killed, and nobody else would end the server.
_ORPHANED = "{ (read -r _ <&3 || kill -TERM -$$) >/dev/null 2>&1 & } 3<&0"
_INTO_LOG = f'cd "$1" && log=$2 && shift 2 && {_ORPHANED}; exec "$@" >>"$log" 2>&1'
_DONE = b"\n"


class Server:
    """A command that serves; `{port}`, or several such as `{port_of_peers}`, are free ports, `{folder}` its folder.

    It is `ready` when an address `http://…` answers with success, when its log has this text, or else when it takes
    connections at `{port}`; within `patience` seconds. Its folder is a new one for each start, and removed at its end;
    what it writes is kept where a `log` is given, and `redact` leaves secrets out of what is told of it.
    """

    def __init__(
        self,
        command: str | Sequence[str],
        *,
        ready: str | None = None,
        log: str | Path | None = None,
        patience: float = 10.0,
        redact: Callable[[str], str] = str,
    ) -> None:
        self._redact = redact
        self._words = shlex.split(command) if isinstance(command, str) else list(command)
        if not self._words:
            raise UsageError("the server has no command; write for instance redis-server --port {port}")
        self._ready, self._patience = ready, patience
        self._log = None if log is None else Path(log).absolute()
        self._base: Path | None = None  # of the folder, and of the log where it has no other place
        self._running: ProgramRun | None = None
        self._changing, self._restarting = threading.Lock(), False
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
        """Whether it runs, or is just being restarted."""
        return self._running is not None and (self._restarting or self._running.alive())

    def filled(self, text: str) -> str:
        """A text with its ports and its folder in place of their names."""
        text = _PORT.sub(lambda found: str(self.ports.setdefault(found[1], _free_port())), text)
        return text.replace("{folder}", str(self.folder)) if "{folder}" in text else text

    def start(self) -> None:
        """Start it on new ports in a new folder, and wait until it is ready."""
        self.stop()
        with unbroken(), self._changing:
            self.folder.mkdir()
            self.ports = {}
            self._running = running = self._started()
        self._wait(running)

    def restart(self) -> None:
        """Kill it as a power cut would, start it again on its ports in its folder, and wait until it is ready.

        Nothing happens where it does not run. From another thread it may be stopped meanwhile.
        """
        with unbroken(), self._changing:
            if self._running is None:
                return
            self._restarting = True
            try:
                _end(self._running, at_once=True)
                self._running = running = self._started()
            finally:
                self._restarting = False
        self._wait(running)

    def stop(self) -> None:
        """End it and all it started."""
        with unbroken(), self._changing:
            running, self._running = self._running, None
            if running:
                _end(running)
            if self._base is not None:
                shutil.rmtree(self.folder, ignore_errors=True)

    def _started(self) -> ProgramRun:
        self._written = self.log_size
        words = [self.filled(word) for word in self._words]
        if not shutil.which(words[0]):
            raise SystemUnready(f"cannot start the server {words[0]!r}: no such program")
        return ProgramRun(["sh", "-c", _INTO_LOG, "sh", str(self.folder), str(self.log), *_whole(words)])

    def _wait(self, running: ProgramRun) -> None:
        """Wait until what was started is ready, or somebody has ended it."""
        deadline, name = time.monotonic() + self._patience, self._words[0]
        while self._running is running and not self._is_ready():
            raise_if_cancelled()
            if not running.alive() and self._running is running:
                raise SystemUnready(f"the server {name!r} ended before it was ready{self.last_words()}")
            if time.monotonic() > deadline:
                raise SystemUnready(f"{name!r} is not ready within {self._patience:g} s{self.last_words()}")
            time.sleep(AGAIN)

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
        return self._redact(self._said(since))

    def last_words(self) -> str:
        """The last line of its log, as the end of a sentence."""
        said = self._redact(self._said()).strip().splitlines()
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


def _end(running: ProgramRun, *, at_once: bool = False) -> None:
    with contextlib.suppress(SystemUnready, OSError, ValueError):  # it has ended
        running.send(_DONE, 0.0)
    running.end(at_once=at_once)


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
