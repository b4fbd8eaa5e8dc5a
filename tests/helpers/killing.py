"""Killing a command at a counted point: its calls are counted, and at one of them it gets a signal.

Run as a program it loads what a command needs, then makes a process of itself for every line it reads:
`{"folder": …, "arguments": […], "signal": number, "point": count, "mark": …}`. It answers each with a line
`{"code": …, "calls": …}`: the exit code (less than 0 for a signal) and how many calls there were. Counted are calls in
the main thread, those of built-in functions too, from the first line of `main` to the last that Python does. A
function of Python gets the signal when it is entered, a built-in one when it has returned, for that is when Python
looks for signals: one that came before the `__exit__` of a lock and kept it from being called would be no real one.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

PATIENCE = 120.0  # seconds for one command; only one that hangs takes so long
HUNG = -1_000


class Killer:
    """The other side of that program."""

    def __init__(self) -> None:
        quiet = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
        command = [sys.executable, "-P", __file__]
        self._program = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=quiet)

    def kill(self, **trial: Any) -> dict[str, int]:
        """Run a command and end it at a point; 0 lets it run to its end."""
        assert self._program.stdin
        assert self._program.stdout
        self._program.stdin.write(json.dumps(trial) + "\n")
        self._program.stdin.flush()
        return json.loads(self._program.stdout.readline())

    def close(self) -> None:
        """End the program."""
        self._program.communicate()


@contextlib.contextmanager
def killing() -> Iterator[Killer]:
    """A killer, as long as it is needed."""
    killer = Killer()
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
    os.environ["MARK"] = trial["mark"]
    for number, name in ((1, "out"), (2, "err")):
        os.dup2(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.argv = ["outplay", *trial["arguments"]]
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
    main()


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
