"""All processes that a program started, also those that left its group and its session.

A program leads a session of its own; whoever stays in it is found by that. One that leaves (`setsid`, a daemon) is
found by its parents, or by a mark in its environment, which it inherits. One that has lost both its parents and its
environment is found where outplay *adopts* orphans, which the command does: then it is our own child. Finding needs
`/proc` and adopting Linux; elsewhere the group is all that is ended.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import time
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

MARK = "OUTPLAY_SYSTEM"
_SET_CHILD_SUBREAPER = 36  # prctl(2)
_PROCESSES = Path("/proc")
_ROUNDS = 20  # a process that starts others while it is being ended is met again
_adopting = False


@dataclass(frozen=True)
class _Found:
    """A process as it stands in the table; with the time of its start its number is its own."""

    pid: int
    zombie: bool
    parent: int
    session: int
    start: int


def adopt_orphans() -> None:
    """Become the parent of processes whose own has ended. For commands: then all children are outplay's to end."""
    global _adopting
    with contextlib.suppress(OSError, AttributeError):
        _adopting = ctypes.CDLL(None).prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0


class Descendants:
    """What a program started, as far as it can be told; `others` lead programs that run on beside it.

    The leader must not be reaped as long as this is asked.
    """

    def __init__(self, leader: int, mark: str, others: Collection[int]) -> None:
        self._leader, self._mark, self._others = leader, mark, others
        self._known: set[tuple[int, int]] = set()

    def look(self) -> list[_Found]:
        """Those that live. Who was seen once is known again, even after its parents have gone."""
        table = {process.pid: process for process in _table()}
        if self._leader not in table:
            return []
        found = {pid for pid, process in table.items() if self._belongs(process, table[self._leader].start)}
        grown = True
        while grown:
            more = {pid for pid, process in table.items() if process.parent in found | {self._leader}} - found
            found, grown = found | more, bool(more)
        family = [table[pid] for pid in found if pid != self._leader]
        self._known |= {(process.pid, process.start) for process in family}
        _reap(family)
        return [process for process in family if not process.zombie]

    def end(self, patience: float) -> None:
        """Ask them to end, and end those that do not."""
        deadline, number = time.monotonic() + patience, signal.SIGTERM
        for _ in range(_ROUNDS):
            left = self.look()
            for process in left:
                _signal(process, number)
            while left and (left := self.look()) and time.monotonic() < deadline:
                time.sleep(0.01)
            if not left:
                return
            number, deadline = signal.SIGKILL, time.monotonic() + 0.1

    def _belongs(self, process: _Found, began: int) -> bool:
        known = (process.pid, process.start) in self._known or process.session == self._leader
        adopted = _is_adopted(process, self._leader, self._others)
        return known or (process.start >= began and (adopted or _has_mark(process.pid, self._mark)))


def _reap(family: list[_Found]) -> None:
    """The dead among those that are our own children now."""
    for process in family:
        if process.zombie and process.parent == os.getpid():
            with contextlib.suppress(ChildProcessError):
                os.waitpid(process.pid, os.WNOHANG)


def _is_adopted(process: _Found, leader: int, others: Collection[int]) -> bool:
    """A child of ours in a session of its own that we did not start."""
    foreign = process.session != os.getsid(0) and process.session not in others
    return _adopting and process.parent == os.getpid() and foreign and process.pid != leader


def _has_mark(pid: int, mark: str) -> bool:
    try:
        return f"{MARK}={mark}".encode() in (_PROCESSES / str(pid) / "environ").read_bytes().split(b"\0")
    except OSError:
        return False


def _table() -> Iterator[_Found]:
    with contextlib.suppress(OSError):
        for name in os.listdir(_PROCESSES):
            if name.isdigit() and (found := _look_up(int(name))):
                yield found


def _look_up(pid: int) -> _Found | None:
    try:
        with open(f"/proc/{pid}/stat", "rb") as stream:
            parts = stream.read().rpartition(b")")[2].split()  # its name may hold anything
    except OSError:
        return None
    return _Found(pid, parts[0] in (b"Z", b"X"), int(parts[1]), int(parts[3]), int(parts[19]))


def _signal(process: _Found, number: signal.Signals) -> None:
    """Send a signal to this very process and not to one that got its number since."""
    with contextlib.suppress(OSError):
        handle = os.pidfd_open(process.pid)
        try:
            now = _look_up(process.pid)
            if now and now.start == process.start:
                signal.pidfd_send_signal(handle, number)
        finally:
            os.close(handle)
