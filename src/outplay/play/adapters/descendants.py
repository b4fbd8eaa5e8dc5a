"""All processes that a program started, also those that left its group and its session.

A program leads a session of its own; whoever stays in it is found by that. One that leaves (`setsid`, a daemon) is
found by its parents, or by a mark in its environment, which it inherits. One that has lost both its parents and its
environment is found where outplay *adopts* orphans, which the command does: then it is our own child, and whatever is
left when the command ends is ended too. Finding needs `/proc` and adopting Linux; elsewhere the group is all that is
ended.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import time
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

MARK = "_OUTPLAY_DESCENDANT"  # no setting: those begin without a line
_SET_CHILD_SUBREAPER = 36  # prctl(2)
_PROCESSES = Path("/proc")
_ROUNDS = 20  # a process that starts others while it is being ended is met again
_CHANGING = 1.0  # seconds for a process to become another program
_adopting = False
_first: int | None = None  # when the first program was started


@dataclass(frozen=True)
class _Found:
    """A process as it stands in the table; with the time of its start its number is its own."""

    pid: int
    zombie: bool
    parent: int
    session: int
    start: int
    bare: bool
    """It has no environment, and not only because it is just becoming another program."""


def adopt_orphans() -> None:
    """Adopt the orphans of started programs: become the parent of descendants whose own parent has ended."""
    global _adopting
    with contextlib.suppress(OSError, AttributeError):
        _adopting = ctypes.CDLL(None).prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0


def _start_afresh() -> None:
    """A process that was split off adopts nobody and has started nothing."""
    global _adopting, _first
    _adopting, _first = False, None


os.register_at_fork(after_in_child=_start_afresh)


class _ProcessGroup(ABC):
    """Processes that belong together, and all that they start."""

    def __init__(self) -> None:
        self._known: set[tuple[int, int]] = set()

    @abstractmethod
    def _belongs(self, process: _Found) -> bool:
        """Say whether a process is one of them by itself, whoever its parent is."""

    def look(self) -> list[_Found]:
        """Those that live. Who was seen once is known again, even after its parents have gone."""
        table = list(_table())
        family = {process.pid: process for process in table if self._is_known(process) or self._belongs(process)}
        grown = True
        while grown:
            more = [process for process in table if process.parent in family and process.pid not in family]
            family, grown = family | {process.pid: process for process in more}, bool(more)
        self._known |= {(process.pid, process.start) for process in family.values()}
        others = [process for process in family.values() if not self._leads(process)]
        _reap(others)
        return [process for process in others if not process.zombie]

    def end(self, patience: float) -> None:
        """Ask them to end, and end those that do not."""
        deadline, number = time.monotonic() + patience, signal.SIGTERM
        for _ in range(_ROUNDS):
            # Who is started while a look is taken, by somebody who ends meanwhile, is met by the next look.
            left = self.look() or self.look()
            if not left:
                return
            for process in left:
                _signal(process, number)
            while self.look() and time.monotonic() < deadline:
                time.sleep(0.01)
            number, deadline = signal.SIGKILL, time.monotonic() + 0.1

    def _is_known(self, process: _Found) -> bool:
        return (process.pid, process.start) in self._known

    def _leads(self, process: _Found) -> bool:
        return False


class Descendants(_ProcessGroup):
    """The processes that a program started, as far as it can be told; `others` lead programs that run on beside it.

    The leader must have been started and not have been reaped when this is made, and must not be reaped as long as
    this is asked; it is ended by whoever started it.
    """

    def __init__(self, leader: int, mark: str, others: Collection[int]) -> None:
        global _first
        super().__init__()
        self._leader, self._mark, self._others = leader, mark, others
        found = _look_up(leader)
        self._began = found.start if found else None
        _first = self._began if _first is None else _first

    def _belongs(self, process: _Found) -> bool:
        if self._began is None or process.start < self._began:
            return False
        ours = process.session == self._leader or _is_adopted(process, self._others)
        return ours or _has_mark(process.pid, self._mark)

    def _leads(self, process: _Found) -> bool:
        return process.pid == self._leader


class Adopted(_ProcessGroup):
    """The processes left of programs that have ended, where orphans are adopted: nobody else would end them."""

    def _belongs(self, process: _Found) -> bool:
        return _first is not None and process.start >= _first and _is_adopted(process, ())


def _reap(family: list[_Found]) -> None:
    """The dead among those that are our own children now."""
    for process in family:
        if process.zombie and process.parent == os.getpid():
            with contextlib.suppress(ChildProcessError):
                os.waitpid(process.pid, os.WNOHANG)


def _is_adopted(process: _Found, others: Collection[int]) -> bool:
    """A child of ours in a session that is neither ours nor that of another program."""
    foreign = process.session != os.getsid(0) and process.session not in others
    return _adopting and process.parent == os.getpid() and foreign


def _has_mark(pid: int, mark: str) -> bool:
    try:
        return f"{MARK}={mark}".encode() in _environment(pid).split(b"\0")
    except OSError:
        return False


def _environment(pid: int) -> bytes:
    """With what environment a process was started; one that is just becoming another program is waited for."""
    path, deadline = _PROCESSES / str(pid) / "environ", time.monotonic() + _CHANGING
    while not (read := path.read_bytes()) and (found := _look_up(pid)) and not found.bare:
        if time.monotonic() > deadline:
            break
        time.sleep(0.001)
    return read


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
    size, code, *environment = (int(parts[place]) for place in (20, 23, 47, 48))  # of its memory and where things are
    bare = not size or (code != 0 and environment[0] == environment[1])  # the place of the code is known last
    return _Found(pid, parts[0] in (b"Z", b"X"), int(parts[1]), int(parts[3]), int(parts[19]), bare)


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
