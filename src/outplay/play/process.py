"""A subprocess as the system under test: one message a line on its standard input and output.

A thread reads what the process says and stamps it with the time; the end of its output is followed by waiting for how
it ended, so a crash is reported as a crash, after everything written before it, and never as silence. The process
leads a group of its own, and the whole group is ended with it.
"""

from __future__ import annotations

import contextlib
import os
import select
import shlex
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace

from outplay.errors import SystemUnready
from outplay.model.label import Label
from outplay.play.clock import Clock, RealClock
from outplay.play.event import ENDS, Event
from outplay.play.lines import LineReader, garbage
from outplay.play.ready import expect

_EXIT_GRACE = 0.1
_TERMINATE_GRACE = 1.0
_REAP_PATIENCE = 1.0
_JOIN_PATIENCE = 1.0
_LAST_WORDS_PATIENCE = 0.5  # they are in the pipe already, unless a child holds it open


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
        self._running: _Running | None = None

    def reset(self) -> None:
        if self._running and self._reset_message and self._running.alive():
            message, answer = self._reset_message
            self._running.write(message, self._patience)
            expect(self, answer, f"answer to the reset {message!r}", self._patience)
            return
        self.close()
        self._running = _Running(self.command)
        if self._ready is not None:
            expect(self, self._ready, "line that says it is ready", self._patience)

    def give(self, label: Label) -> None:
        self._process().write(label.message, self._patience)

    def observe(self, timeout: float) -> Event:
        return self._process().next(timeout)

    def close(self) -> None:
        running, self._running = self._running, None
        if running:
            running.end()

    def _process(self) -> _Running:
        if self._running is None:
            raise SystemUnready("the system is not running: reset it first")
        return self._running


class _Running:
    """One run of the command."""

    def __init__(self, command: list[str]) -> None:
        program = shutil.which(command[0])
        if program is None:
            raise SystemUnready(f"cannot start {command[0]!r}: no such program; give a path such as ./{command[0]}")
        try:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
                bufsize=0,
            )
        except OSError as error:
            raise SystemUnready(f"cannot start {command[0]!r}: {error.strerror}; is it executable?") from None
        self._last_words = b""
        self._ended: Event | None = None
        assert self._process.stdin
        assert self._process.stdout
        assert self._process.stderr
        self._stdin = self._process.stdin.fileno()
        os.set_blocking(self._stdin, False)
        self._stdout, self._stderr = self._process.stdout, self._process.stderr
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()
        self._reader = LineReader(self._read, self._endings)

    def alive(self) -> bool:
        return self._ended is None and _exit_code(self._process.pid) is None

    def write(self, message: str, patience: float) -> None:
        """Write a line; a system that is gone shows that when next observed, one that takes nothing is an error."""
        left = message.encode() + b"\n"
        deadline = time.monotonic() + patience
        while left:
            try:
                left = left[os.write(self._stdin, left) :]
            except BlockingIOError:
                if time.monotonic() > deadline:
                    raise SystemUnready(f"the system has taken no input for {patience:g} s") from None
                select.select([], [self._stdin], [], 0.1)
            except OSError:
                return  # it is gone; the reader says how

    def next(self, timeout: float) -> Event:
        if self._ended:
            return self._ended
        event = self._reader.take(timeout)
        if event is None:
            event = self._overdue() if timeout > 0 else Event("silence", seen=time.monotonic())
        if event.kind in ENDS:
            self._ended = event
        return event

    def _overdue(self) -> Event:
        """Before calling silence make sure that nothing lies in the pipe unread and that the process lives.

        A child may hold the pipe open after the process itself has died, so the end of the output is not enough.
        """
        dead = _exit_code(self._process.pid) is not None
        unread = bool(select.select([self._stdout], [], [], 0)[0])
        # Where the output has ended, wait for longer than the reader takes to find out how the process did.
        patience = 2 * _REAP_PATIENCE if unread else _REAP_PATIENCE if dead else 0.0
        event = self._reader.take(patience)
        if event is None:
            event = self._ending() if dead else Event("silence", seen=time.monotonic())
        return event

    def _read(self) -> bytes:
        try:
            return os.read(self._stdout.fileno(), 65536)
        except (OSError, ValueError):
            return b""

    def _endings(self, pending: bytes) -> Iterator[Event]:
        """Half a line is garbage where the process ended well, and part of the story where it crashed."""
        ending = self._ending()
        if pending and ending.kind == "closed":
            yield garbage(pending, ending.time, "a line without an end")
        elif pending:
            ending = replace(ending, detail=f"{ending.detail}; in the middle of {pending[:60]!r}")
        yield ending

    def _ending(self) -> Event:
        """How the process ended; its output may end a moment before it does."""
        code = _wait(self._process.pid, _REAP_PATIENCE)
        now = time.monotonic()
        if code is None:
            return Event("closed", seen=now, detail="it closed its output and runs on")
        self._listener.join(timeout=_LAST_WORDS_PATIENCE)
        said = self._last_words.decode(errors="replace").strip().splitlines()
        words = f"; last words: {said[-1][:200]}" if said else ""
        return Event("crash" if code else "closed", seen=now, detail=f"{_status(code)}{words}")

    def _listen(self) -> None:
        """Keep the end of what it says on standard error, for the crash report."""
        while True:
            try:
                chunk = os.read(self._stderr.fileno(), 65536)
            except (OSError, ValueError):
                return
            if not chunk:
                return
            self._last_words = (self._last_words + chunk)[-2000:]

    def end(self) -> None:
        """End the process and its whole group: let it go on its own, then ask, then kill."""
        self._reader.stop()
        process = self._process
        assert process.stdin
        process.stdin.close()
        if _wait(process.pid, _EXIT_GRACE) is None:
            _signal_group(process.pid, signal.SIGTERM)
            _wait(process.pid, _TERMINATE_GRACE)
        # The leader is not reaped yet, so its group's number cannot have been given to anybody else.
        _signal_group(process.pid, signal.SIGKILL)
        process.wait()
        # A stream still being read must keep its number.
        if self._reader.ended(_JOIN_PATIENCE):
            self._stdout.close()
        self._listener.join(_JOIN_PATIENCE)
        if not self._listener.is_alive():
            self._stderr.close()


def _exit_code(pid: int) -> int | None:
    """How a child ended, or None while it runs; it is not reaped, so that its group can still be signalled safely."""
    try:
        ended = os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT | os.WNOHANG)
    except ChildProcessError:
        return 0  # reaped by `end` in another thread: nobody asks how it ended any more
    if ended is None:
        return None
    return ended.si_status if ended.si_code == os.CLD_EXITED else -ended.si_status


def _wait(pid: int, timeout: float) -> int | None:
    """Wait for a child to end without reaping it."""
    deadline = time.monotonic() + timeout
    pause = 0.0005
    while (code := _exit_code(pid)) is None and time.monotonic() < deadline:
        time.sleep(pause)
        pause = min(pause * 2, 0.02)
    return code


def _signal_group(group: int, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)


def _status(code: int) -> str:
    if code < 0:
        try:
            return f"killed by {signal.Signals(-code).name}"
        except ValueError:
            return f"killed by signal {-code}"
    return f"exit status {code}"
