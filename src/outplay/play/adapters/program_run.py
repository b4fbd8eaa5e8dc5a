"""One run of a program, from its start to its end and that of everything it started.

A thread reads what the program says and stamps it with the time; the end of its output is followed by waiting for how
it ended, so a crash is reported as a crash, after everything written before it, and never as silence. It leads a
session of its own and is ended with all its descendants, also where outplay itself is ended by an exception.
"""

from __future__ import annotations

import atexit
import contextlib
import fcntl
import os
import select
import shutil
import signal
import struct
import subprocess
import termios
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from dataclasses import replace

from outplay.errors import SystemUnready
from outplay.play.adapters.descendants import MARK, Adopted, Descendants
from outplay.play.adapters.lines import EventReader, LineReader, Readable, garbage_event, hand_over
from outplay.play.trace import ENDS, Event
from outplay.signals import unbroken

_EXIT_GRACE = 0.1
_TERMINATE_GRACE = 1.0
_REAP_PATIENCE = 1.0
_LAST_WORDS_PATIENCE = 0.5  # they are in the pipe already, unless a child holds it open

_living: dict[int, ProgramRun] = {}


def end_all() -> None:
    """End every program that still runs, and what is left of others, when outplay ends."""
    with unbroken(), contextlib.ExitStack() as ending:  # each is ended whatever happens to the others
        ending.callback(Adopted().end, _TERMINATE_GRACE)
        for running in list(_living.values()):
            ending.callback(running.end)


atexit.register(end_all)
os.register_at_fork(after_in_child=_living.clear)  # they are the programs of the process that has split it off


class ProgramRun:
    """One run of a command; what it writes is read by a `reader`, as lines unless another is given."""

    def __init__(self, command: list[str], reader: Callable[..., EventReader] = LineReader) -> None:
        program = shutil.which(command[0])
        if program is None:
            raise SystemUnready(f"cannot start {command[0]!r}: no such program; give a path such as ./{command[0]}")
        self._mark = uuid.uuid4().hex
        try:
            self._process = subprocess.Popen(
                command,
                env={**os.environ, MARK: self._mark},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
                bufsize=0,
            )
        except OSError as error:
            raise SystemUnready(f"cannot start {command[0]!r}: {error.strerror}; is it executable?") from None
        _living[self._process.pid] = self
        self._descendants = Descendants(self._process.pid, self._mark, _living)
        self._began = time.monotonic()
        self._last_words = bytearray()
        self._ended: Event | None = None
        self._sent, self._spoke = 0, False
        assert self._process.stdin
        assert self._process.stdout
        assert self._process.stderr
        self._stdin = self._process.stdin.fileno()
        os.set_blocking(self._stdin, False)
        self._stdout, self._stderr = self._process.stdout, self._process.stderr
        self._words = Readable(self._stderr.fileno())
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()
        self._reader = reader(self._stdout.fileno(), self._read, self._endings)

    def alive(self) -> bool:
        return self._ended is None and _exit_code(self._process.pid) is None

    def was_ready(self, patience: float) -> bool:
        """Say whether it lives, has said something, taken something in or lived this long: then it has been ready."""
        lived = _exit_code(self._process.pid) is None or time.monotonic() - self._began > patience
        return lived or self._spoke or self._sent > _unread(self._stdin)

    def write(self, message: str, patience: float) -> None:
        self.send(message.encode() + b"\n", patience)

    def send(self, content: bytes, patience: float) -> None:
        """Write bytes to its standard input."""
        hand_over(content, self._send, self._stdin, patience, "system")

    def _send(self, message: bytes) -> int:
        written = os.write(self._stdin, message)
        self._sent += written
        return written

    def next(self, timeout: float) -> Event:
        """The next event, or silence where none comes in time."""
        if self._ended:
            return self._ended
        event = self._reader.take(timeout)
        if event is None and timeout > 0 and _exit_code(self._process.pid) is not None:
            # It is dead, and a child may hold its output open, so that the end of that is not enough.
            event = self._reader.take(_REAP_PATIENCE) or self.ending()
        event = event or Event("silence", seen=time.monotonic())
        if event.kind in ENDS:
            self._ended = event
        self._spoke = self._spoke or event.kind in ("output", "garbage")
        return event

    def _read(self) -> bytes:
        try:
            return os.read(self._stdout.fileno(), 65536)
        except (OSError, ValueError):
            return b""

    def _endings(self, pending: bytes) -> Iterator[Event]:
        """Half a line is garbage where the process ended well, and part of the story where it crashed."""
        ending = self.ending()
        if pending and ending.kind == "closed":
            yield garbage_event(pending, ending.time, "a line without an end")
        elif pending:
            ending = replace(ending, detail=f"{ending.detail}; in the middle of {pending[:60]!r}")
        yield ending

    def ending(self) -> Event:
        """Return how the process ended; its output may end a moment before it does."""
        code = _wait(self._process.pid, _REAP_PATIENCE)
        now = time.monotonic()
        if code is None:
            return Event("closed", seen=now, detail="it closed its output and runs on")
        self._listener.join(timeout=_LAST_WORDS_PATIENCE)
        words = f"; last words: {self.last_words()}" if self.last_words() else ""
        return Event("crash" if code else "closed", seen=now, detail=f"{_status(code)}{words}")

    def last_words(self) -> str:
        """The last line that it has written to standard error, if any, as far as it is short."""
        said = self._written().splitlines()
        return said[-1][:200] if said else ""

    def words(self) -> str:
        """The end of what it has written to standard error, what is being read now included."""
        with contextlib.suppress(OSError, ValueError):
            deadline = time.monotonic() + _LAST_WORDS_PATIENCE
            while select.select([self._stderr], [], [], 0.01)[0] and time.monotonic() < deadline:
                if _exit_code(self._process.pid) is not None:  # it is always readable then, at its end
                    self._listener.join(timeout=_LAST_WORDS_PATIENCE)
                    break
                time.sleep(0.001)
        return self._written()

    def _written(self) -> str:
        return bytes(self._last_words).decode(errors="replace").strip()

    def forget_words(self) -> None:
        """A play begins: what was said before says nothing about it, also what is just being read."""
        self._last_words = bytearray()

    def _listen(self) -> None:
        """Keep the end of what it says on standard error, for the crash report."""
        while self._words.wait():
            words = self._last_words
            chunk = os.read(self._stderr.fileno(), 65536)
            if not chunk:
                return
            words += chunk
            del words[:-2000]

    def end(self, *, at_once: bool = False) -> None:
        """End the process and all it started: let it go on its own, then ask, then kill; or kill it at once."""
        process = self._process
        if _living.pop(process.pid, None) is None:
            return
        assert process.stdin
        self._descendants.look()  # while their parents live
        process.stdin.close()
        if not at_once and _wait(process.pid, _EXIT_GRACE) is None:
            _signal_group(process.pid, signal.SIGTERM)
            _wait(process.pid, _TERMINATE_GRACE)
        # The leader is not reaped yet, so its group's number cannot have been given to anybody else.
        _signal_group(process.pid, signal.SIGKILL)
        self._descendants.end(_TERMINATE_GRACE)
        process.wait()
        self._reader.close()
        self._words.stop()
        self._listener.join()
        self._words.close()
        self._stdout.close()
        self._stderr.close()


def _exit_code(pid: int) -> int | None:
    """Return how a child ended, or None while it runs; it is not reaped, so that its group can still be signalled
    safely.
    """
    try:
        ended = os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT | os.WNOHANG)
    except ChildProcessError:
        return 0  # reaped by `end` in another thread: nobody asks how it ended any more
    if ended is None:
        return None
    return ended.si_status if ended.si_code == os.CLD_EXITED else -ended.si_status


def _unread(descriptor: int) -> int:
    """Count the bytes in a pipe that nobody has taken out; none where the system does not tell."""
    try:
        return int(struct.unpack("i", fcntl.ioctl(descriptor, termios.FIONREAD, b"\0\0\0\0"))[0])
    except (OSError, ValueError):
        return 0


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
