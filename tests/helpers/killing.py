"""Killing a command at a counted point or at a named place: there it gets a signal.

Run as a program it loads what a command needs (unless it is called with `bare`), then makes a process of itself for
every line it reads: `{"folder": …, "arguments": […], "environment": {…}, "signal": number, "point": count}`, or with a
`"place"`. It answers each with a line `{"code": …, "calls": …}`: the exit code (less than 0 for a signal) and how many
calls there were. Counted are calls in the main thread, those of built-in functions too, from the first line of `main`
to the last that Python does. A function of Python gets the signal when it is entered, a built-in one when it has
returned, for that is when Python looks for signals: one that came before the `__exit__` of a lock and kept it from
being called would be no real one.

A place is `module:Class.function` with `<` where the signal comes when it is called and `>` where it has returned. It
comes once, to this process, in its main thread, and leaves a file `sent`; where the place ends in `!` not before the
system has been reset for the first time.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

PATIENCE = 120.0  # seconds for one command; only one that hangs takes so long
HUNG = -1_000


class Killer:
    """The other side of that program."""

    def __init__(self, *how: str) -> None:
        quiet = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
        command = [sys.executable, "-P", __file__, *how]
        self._program = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=quiet)

    def kill(self, *, mark: str, **trial: Any) -> dict[str, int]:
        """Run a command with a mark in its environment and end it at a point or place; 0 lets it run to its end."""
        trial["environment"] = {**os.environ, "MARK": mark}
        assert self._program.stdin
        assert self._program.stdout
        self._program.stdin.write(json.dumps(trial) + "\n")
        self._program.stdin.flush()
        return json.loads(self._program.stdout.readline())

    def close(self) -> None:
        """End the program."""
        self._program.communicate()


@contextlib.contextmanager
def killing(*how: str) -> Iterator[Killer]:
    """A killer, as long as it is needed."""
    killer = Killer(*how)
    try:
        yield killer
    finally:
        killer.close()


def marked(mark: str) -> dict[int, str]:
    """The processes that were started with a mark in their environment and live: who they are, and how they stand."""
    found = {}
    for entry in Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            if entry.name.isdigit() and mark.encode() in (entry / "environ").read_bytes():
                words = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode()
                found[int(entry.name)] = f"{words}: {(entry / 'stat').read_text()[:100]}"
    return found


def _play(trial: dict[str, Any]) -> None:
    """Be the command, in a process of its own."""
    from outplay.cli.main import main

    os.chdir(trial["folder"])
    os.environ.clear()
    os.environ.update(trial["environment"])
    for number, name in ((1, "out"), (2, "err")):
        os.dup2(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.argv = ["outplay", *trial["arguments"]]
    if "place" in trial:
        Break(trial["place"], trial["signal"]).wrap()
    else:
        _count_calls(trial)
    main()


def _count_calls(trial: dict[str, Any]) -> None:
    calls, point, number, done = [0], trial["point"], trial["signal"], os.open("calls", os.O_WRONLY | os.O_CREAT)
    process, kill, write, at = os.getpid(), os.kill, os.pwrite, [0]

    def count(frame: object, event: str, arg: object) -> None:
        if event in ("call", "c_return"):
            calls[0] += 1
            if calls[0] == point:
                kill(process, number)
            if not point and calls[0] - at[0] > 100:
                at[0] = calls[0]
                write(done, b"%d" % calls[0], 0)

    sys.setprofile(count)


class Break:
    """A function that sends a signal to its own process when it is called for the first time, or has returned."""

    def __init__(self, place: str, number: int) -> None:
        self._playing = place.endswith("!")
        self._place, self._before = place.rstrip("<>!"), "<" in place
        self._number, self._first, self._sent = number, os.getpid(), False

    def wrap(self) -> None:
        """Put it in the place of the function."""
        module, _, path = self._place.partition(":")
        *outer, name = path.split(".")
        home = functools.reduce(getattr, outer, importlib.import_module(module))
        setattr(home, name, self._around(getattr(home, name)))

    def _around(self, function: Any) -> Any:
        @functools.wraps(function)
        def called(*given: Any, **named: Any) -> Any:
            if self._before:
                self._send()
            answer = function(*given, **named)
            if not self._before:
                self._send()
            return answer

        return called

    def _send(self) -> None:
        # Not by `current_thread`, which takes the very locks whose taking may be the place.
        here = os.getpid() == self._first and threading.get_ident() == threading.main_thread().ident
        if here and not self._sent and (not self._playing or self._plays()):
            self._sent = True
            Path("sent").touch()
            signal.raise_signal(self._number)

    def _plays(self) -> bool:
        trace = Path(".outplay/last/trace.jsonl")
        return trace.exists() and trace.read_bytes().count(b"\n") >= 2  # the header, and that it was reset


def _ended(child: int) -> int:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.005)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return HUNG


def _serve() -> None:
    if "bare" not in sys.argv:
        import outplay.cli.run
        import outplay.play.adapters.program_run  # noqa: F401

    for line in sys.stdin:
        trial = json.loads(line)
        child = os.fork()
        if child == 0:
            _play(trial)
            return
        code = _ended(child)
        counted = Path(trial["folder"], "calls")
        calls = int(counted.read_text() or 0) if counted.exists() else 0
        print(json.dumps({"code": code, "calls": calls}), flush=True)


if __name__ == "__main__":
    _serve()
