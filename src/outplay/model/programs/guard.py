"""Keeping the user's code within its budget, also inside one call of it: a method that loops, a value that grows.

While something is guarded, a timer interrupts the main thread twenty times a second. Where a bound has been passed
it raises `OverBudget` right there, in the user's code. Our own code, which keeps books, is never left in the middle:
it looks by itself where it may take long. What Python does in one piece is not interrupted, but the system refuses it
memory. In other threads, and without such a timer, only our own code looks.
"""

from __future__ import annotations

import _weakrefset
import atexit
import math
import os
import signal
import threading
import time
import weakref
from pathlib import Path
from types import FrameType
from typing import Any

from outplay.model import values
from outplay.model.programs.budget import (
    Budget,
    Ceiling,
    OverBudget,
    blame_user_code,
    over_budget_error,
    resident_memory,
)

TICK = 0.05  # seconds
GRACE = 1.0  # seconds past the bound, so that a search that looks between states stops itself, and no action is blamed
FINISHING = 10.0  # seconds that are always left to finish what was begun
_PATIENCE = 2  # ticks with too much memory, for the same reason
_OURS = str(Path(__file__).resolve().parents[2])
_OURS_TO_LEAVE = {values.__file__}  # they keep no books, and large values take them long
_TIDYING = {weakref.__file__, _weakrefset.__file__}
_HAS_TIMER = hasattr(signal, "setitimer")
_local = threading.local()


class Guard:
    """Inside, a budget holds; passing it is a ModelError that says what was going on. Only the outermost one counts.

    Without a budget of its own it holds each `GuardedStep` inside to the budget of the step. To play or judge inside
    one is much faster than to set the timer for every step.
    """

    def __init__(self, budget: Budget | None = None) -> None:
        self.budget = budget or Budget()
        self.full = False
        """More memory has been taken than allowed, when last looked."""
        self.in_steps = budget is None
        self._in_use = self._most = 0
        self._until = math.inf
        self._ticks_full = 0
        self._is_outermost = False
        self._timer: _Timer | None = None
        self._ceiling = Ceiling()

    def __enter__(self) -> Guard:
        outer: Guard | None = getattr(_local, "guard", None)
        if outer is not None:
            return outer
        _local.guard, self._is_outermost, self._in_use = self, True, resident_memory()
        if not self.in_steps:
            self.begin(self.budget)
        if _HAS_TIMER and threading.current_thread() is threading.main_thread():
            if not self.in_steps:  # a system that is started in a play would inherit it
                self._ceiling.put(self.budget.bytes * 5 // 4)
            self._timer = _Timer(self._tick)
        return self

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        if not self._is_outermost:
            return
        if self._timer:
            self._timer.stop()
            self._ceiling.lift()
        _local.guard, self._is_outermost = None, False
        if isinstance(error, OverBudget):
            raise over_budget_error(error) from error

    def begin(self, budget: Budget) -> None:
        """Let a budget hold from now on."""
        self.budget, self._most = budget, self._in_use + budget.bytes
        self._until = time.monotonic() + budget.seconds + GRACE

    def end(self) -> None:
        """Let none hold until the next beginning."""
        self._until = math.inf

    def finish(self) -> None:
        """Allow as much time again, and some more memory where it is full, to finish what was begun."""
        self._until = time.monotonic() + max(self.budget.seconds, FINISHING)
        if self.full:
            self.full, self._ticks_full, self._most = False, 0, resident_memory() + self.budget.bytes // 2
            if self._timer:
                self._ceiling.put(self.budget.bytes // 2)

    def measure(self) -> None:
        """See how much memory has been taken."""
        self.full = resident_memory() > self._most

    def look(self) -> None:
        """Raise where a bound has been passed."""
        self.measure()
        if time.monotonic() > self._until:
            raise OverBudget(f"{self.budget.seconds:g} s", "--max-seconds")
        if self.full:
            raise self.refusal()

    def refusal(self) -> OverBudget:
        """That there is no more memory."""
        return OverBudget(f"{self.budget.memory:,} MB of memory", "--max-memory")

    def _tick(self, frame: FrameType | None) -> None:
        if self._until == math.inf:
            return
        self.measure()
        self._ticks_full = self._ticks_full + 1 if self.full else 0
        passed = time.monotonic() > self._until or self._ticks_full > _PATIENCE
        if passed and frame is not None and _may_be_left(frame):
            self.look()


class GuardedStep:
    """One step of the user's code within its budget; passing it is a ModelError that says what was going on."""

    __slots__ = ("_around", "_budget")

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self._around: Guard | None = None

    def __enter__(self) -> None:
        outer: Guard | None = getattr(_local, "guard", None)
        if outer is None:
            self._around = Guard(self._budget).__enter__()
        elif outer.in_steps:
            self._around = outer
            outer.begin(self._budget)

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        around = self._around
        if around is None:
            return
        if not around.in_steps:
            around.__exit__(kind, error, trace)
            return
        around.end()
        if isinstance(error, OverBudget):
            raise over_budget_error(error) from error


def check_budget() -> None:
    """Raise where user code has passed a bound of its budget."""
    guard: Guard | None = getattr(_local, "guard", None)
    if guard is not None:
        guard.look()


def memory_error(error: MemoryError, doing: str) -> BaseException:
    """Return the exception for memory that the system refused to user code: a bound was passed, if one holds here."""
    guard: Guard | None = getattr(_local, "guard", None)
    return blame_user_code(error, doing) if guard is None else guard.refusal().during(doing)


def _may_be_left(frame: FrameType) -> bool:
    file = frame.f_code.co_filename
    return (not file.startswith(_OURS) or file in _OURS_TO_LEAVE) and not _tidies_up(frame)


def _tidies_up(frame: FrameType | None) -> bool:
    """Say whether Python is letting go of an object, where it would only print what is raised, and go on."""
    while frame is not None and not frame.f_code.co_filename.startswith(_OURS):
        if frame.f_code.co_name == "__del__" or frame.f_code.co_filename in _TIDYING:
            return True
        frame = frame.f_back
    return False


class _Timer:
    """Calls a function at every tick, in the main thread; a timer that somebody else has set still goes off."""

    def __init__(self, tick: Any) -> None:
        self._tick = tick
        left, self._interval = signal.getitimer(signal.ITIMER_REAL)
        self._due = time.monotonic() + left if left else None  # known before the first tick can come
        self._handler: Any = None
        self._handler = signal.signal(signal.SIGALRM, self._rang)
        atexit.register(self.stop)  # a run that is left half played: Python would take the handler and leave the timer
        signal.setitimer(signal.ITIMER_REAL, TICK, TICK)

    def stop(self) -> None:
        """Set the clock as it was."""
        atexit.unregister(self.stop)
        left = 0.0 if self._due is None else max(self._due - time.monotonic(), 1e-6)
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, self._handler)
        if left:
            signal.setitimer(signal.ITIMER_REAL, left, self._interval)

    def _rang(self, number: int, frame: FrameType | None) -> None:
        now = time.monotonic()
        if self._due is not None and now >= self._due:
            self._due = now + self._interval if self._interval else None
            self._hand_on(number, frame)
        self._tick(frame)

    def _hand_on(self, number: int, frame: FrameType | None) -> None:
        if callable(self._handler):
            self._handler(number, frame)
        elif self._handler == signal.SIG_DFL:  # which ends the process
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            os.kill(os.getpid(), number)
