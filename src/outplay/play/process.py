"""A subprocess as the system under test: one message a line on its standard input and output.

A thread reads what the process says and stamps it with the time; the end of its output is followed by waiting for how
it ended, so a crash is reported as a crash, after everything written before it, and never as silence. The process
leads a group of its own, and the whole group is ended with it.
"""

from __future__ import annotations

import contextlib
import os
import queue
import select
import shlex
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Sequence
from dataclasses import replace

from outplay.errors import FormatError, SystemUnready
from outplay.model.label import OUTPUT, Label
from outplay.play.clock import Clock, RealClock
from outplay.play.event import Event

LONGEST_LINE = 64 * 1024
MOST_WAITING = 10_000  # messages read and not yet taken; beyond that the system has to wait
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
            self._expect(answer, f"answer to the reset {message!r}")
            return
        self.close()
        self._running = _Running(self.command)
        if self._ready is not None:
            self._expect(self._ready, "line that says it is ready")

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

    def _expect(self, line: str, what: str) -> None:
        """Wait for a line; anything from before it belongs to the past and is dropped."""
        wanted = _event(line.encode(), 0.0).label  # as it will read when it comes, whatever its spaces
        deadline = time.monotonic() + self._patience
        while (left := deadline - time.monotonic()) > 0:
            event = self._process().next(left)
            if event.kind == "output" and event.label == wanted:
                return
            if event.kind not in ("output", "silence"):
                raise SystemUnready(f"{self.command[0]}: {event.kind} ({event.detail}) while waiting for the {what}")
        raise SystemUnready(f"{self.command[0]}: no {line!r} within {self._patience:g} s, the {what}")


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
        self._events: queue.Queue[Event] = queue.Queue(MOST_WAITING)
        self._last_words = b""
        self._ended: Event | None = None
        self._closing = False
        assert self._process.stdin
        assert self._process.stdout
        assert self._process.stderr
        self._stdin = self._process.stdin.fileno()
        os.set_blocking(self._stdin, False)
        self._stdout, self._stderr = self._process.stdout, self._process.stderr
        self._threads = [threading.Thread(target=target, daemon=True) for target in (self._read, self._listen)]
        for thread in reversed(self._threads):  # the reader waits for the listener at the end, which may come at once
            thread.start()

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
        try:
            event = self._events.get_nowait() if timeout <= 0 else self._events.get(timeout=timeout)
        except queue.Empty:
            event = self._overdue() if timeout > 0 else Event("silence", seen=time.monotonic())
        if event.kind in ("crash", "closed", "garbage"):
            self._ended = event
        return event

    def _overdue(self) -> Event:
        """Before calling silence make sure that nothing lies in the pipe unread and that the process lives.

        A child may hold the pipe open after the process itself has died, so the end of the output is not enough.
        """
        dead = _exit_code(self._process.pid) is not None
        unread = bool(select.select([self._stdout], [], [], 0)[0])
        # Where the output has ended, wait for longer than the reader takes to find out how the process did.
        patience = 2 * _REAP_PATIENCE if unread else _REAP_PATIENCE
        try:
            return self._events.get(timeout=patience) if unread or dead else self._events.get_nowait()
        except queue.Empty:
            return self._ending() if dead else Event("silence", seen=time.monotonic())

    def _read(self) -> None:
        """Turn bytes into events until the output ends, then say how the process ended."""
        pending = b""
        while True:
            try:
                chunk = os.read(self._stdout.fileno(), 65536)
            except (OSError, ValueError):
                chunk = b""
            now = time.monotonic()
            if not chunk:
                break
            *lines, pending = (pending + chunk).split(b"\n")
            for line in lines:
                self._put(_event(line, now))
            if len(pending) > LONGEST_LINE:
                self._put(_event(pending, now))
                return
        if not self._closing:
            ending = self._ending()
            if pending and ending.kind == "closed":
                self._put(_garbage(pending, now, "a line without an end"))
            elif pending:
                ending = replace(ending, detail=f"{ending.detail}; in the middle of {pending[:60]!r}")
            self._put(ending)

    def _put(self, event: Event) -> None:
        while not self._closing:
            try:
                self._events.put(event, timeout=0.1)
                return
            except queue.Full:
                continue

    def _ending(self) -> Event:
        """How the process ended; its output may end a moment before it does."""
        code = _wait(self._process.pid, _REAP_PATIENCE)
        now = time.monotonic()
        if code is None:
            return Event("closed", seen=now, detail="it closed its output and runs on")
        self._threads[1].join(timeout=_LAST_WORDS_PATIENCE)
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
        self._closing = True
        process = self._process
        assert process.stdin
        process.stdin.close()
        if _wait(process.pid, _EXIT_GRACE) is None:
            _signal_group(process.pid, signal.SIGTERM)
            _wait(process.pid, _TERMINATE_GRACE)
        # The leader is not reaped yet, so its group's number cannot have been given to anybody else.
        _signal_group(process.pid, signal.SIGKILL)
        process.wait()
        for thread, stream in zip(self._threads, (self._stdout, self._stderr), strict=True):
            thread.join(timeout=_JOIN_PATIENCE)
            if not thread.is_alive():  # a stream still being read must keep its number
                stream.close()


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


def _event(line: bytes, now: float) -> Event:
    """Read a line; whatever is wrong with it is the system's fault and must not end the thread that reads."""
    if len(line) > LONGEST_LINE:
        return _garbage(line, now, f"a line of more than {LONGEST_LINE} bytes")
    try:
        label = Label.from_message(OUTPUT, line.decode().rstrip("\r"))
        label.text.encode()  # half a surrogate pair, written as an escape, could not be recorded
        return Event("output", label, seen=now)
    except UnicodeDecodeError:
        return _garbage(line, now, "not UTF-8")
    except (FormatError, ValueError) as error:
        return _garbage(line, now, str(error))


def _garbage(line: bytes, now: float, why: str) -> Event:
    return Event("garbage", seen=now, detail=f"{why}: {line[:60]!r}")


def _status(code: int) -> str:
    if code < 0:
        try:
            return f"killed by {signal.Signals(-code).name}"
        except ValueError:
            return f"killed by signal {-code}"
    return f"exit status {code}"
