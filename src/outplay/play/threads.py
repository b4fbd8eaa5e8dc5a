"""The threads that a Python object under test starts: one that ends with an exception is a crash of the object.

Python tells of such an exception through `threading.excepthook`. While an object lives that is ours: what is of the
object is reported, everything else goes to the hook that was there before, pytest's for instance. A thread belongs to
the play in which it began, or to the whole run where `set_up` began it; what threads of earlier plays come to says
nothing about the play now. What an executor runs has its exception in a future, which is for the object to look at.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from weakref import WeakSet

from outplay.play.loop import OURS


class Threads:
    """Watches those threads that begin while it does, and `kept` ones that began before, until it is closed."""

    def __init__(self, report: Callable[[BaseException], None], kept: Iterable[threading.Thread] = ()) -> None:
        self._others = WeakSet(set(threading.enumerate()) - set(kept))
        self._report, self._watching = report, True
        self._before, threading.excepthook = threading.excepthook, self._ended

    def close(self) -> None:
        """Watch no longer; where somebody has put a hook over ours, ours stays below it and hands everything on."""
        self._watching = False
        if threading.excepthook == self._ended:
            threading.excepthook = self._before

    def _ended(self, arguments: threading.ExceptHookArgs) -> None:
        error = arguments.exc_value
        # SystemExit ends a thread in order, as Python has it: no hook is told of it aloud.
        if self._is_watched(arguments.thread) and error is not None and not isinstance(error, SystemExit):
            self._report(error)
        else:
            self._before(arguments)

    def _is_watched(self, thread: threading.Thread | None) -> bool:
        own = thread is None or thread.name.startswith(OURS)
        return self._watching and not own and thread not in self._others
