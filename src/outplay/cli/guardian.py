"""A guardian: where a verdict is asked for, outplay works in a child, and another process waits for its exit code.

Compiled code of a model, or of an object under test, that ends its process by `_exit` of C asks nobody, and code 0
would look like a Pass. So outplay goes on in a child, which says its exit code before it ends. The guardian ends with
that code; where none was said it says so and ends with another. Signals that are sent to it alone are handed on, and
the child ends when the guardian is killed. It takes Linux to see to that, so elsewhere there is none.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys
import threading
from collections.abc import Callable, Sequence

_JUDGING = ("run", "replay", "judge", "check")  # commands that end with a verdict
_HANDED_ON = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_AWAITED = {*_HANDED_ON, signal.SIGCHLD}
_SET_SIGNAL_WHEN_PARENT_ENDS = 1  # prctl(2)
_wire: int | None = None

Complain = Callable[[str], int]


def stand(arguments: Sequence[str], complain: Complain) -> None:
    """Go on in a child where that is called for; in the guardian this raises SystemExit when the child has ended."""
    global _wire
    if not _called_for(arguments):
        return
    for stream in filter(None, (sys.stdout, sys.stderr)):
        stream.flush()  # else both of us would write it
    heard, wire = os.pipe()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _AWAITED)  # none is lost while there are two of us
    guardian = os.getpid()
    child = os.fork()
    if child:
        os.close(wire)
        sys.exit(_awaited(child, heard, complain))
    os.close(heard)
    _wire = wire
    ctypes.CDLL(None).prctl(_SET_SIGNAL_WHEN_PARENT_ENDS, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != guardian:  # it was killed before that
        os.kill(os.getpid(), signal.SIGKILL)
    signal.pthread_sigmask(signal.SIG_SETMASK, before)


def report_exit(code: int) -> None:
    """Tell the guardian, if there is one, that all is said and this is the exit code."""
    if _wire is not None:
        with contextlib.suppress(OSError):
            os.write(_wire, bytes([code]))


def _called_for(arguments: Sequence[str]) -> bool:
    """A verdict is asked for, and nothing else runs here yet that a child would have to do without."""
    alone = sys.platform.startswith("linux") and threading.active_count() == 1
    return alone and any(word in _JUDGING for word in arguments[:1])


def _awaited(child: int, heard: int, complain: Complain) -> int:
    """Wait for the child to end, and return the exit code it said; one that a signal ended takes us along."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    while (status := _ended(child)) is None:
        came = signal.sigwaitinfo(_AWAITED)
        if came.si_signo != signal.SIGCHLD and came.si_code <= 0:  # what a terminal sends, both of us get
            os.kill(child, came.si_signo)
    if status < 0:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _AWAITED)
        with contextlib.suppress(OSError):
            signal.signal(-status, signal.SIG_DFL)
        os.kill(os.getpid(), -status)
    os.set_blocking(heard, False)  # a process that the object has split off may hold the other end
    with contextlib.suppress(BlockingIOError):
        if said := os.read(heard, 1):
            return said[0]
    return complain(f"compiled code ended outplay with status {status}; --isolated runs an object under test by itself")


def _ended(child: int) -> int | None:
    """How the child ended, less than 0 by a signal; None while it runs."""
    ended, status = os.waitpid(child, os.WNOHANG)
    return os.waitstatus_to_exitcode(status) if ended else None
