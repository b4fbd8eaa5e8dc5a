"""Being asked when compiled code in this process calls `exit` of the C library.

A function that is registered under a handle of its own (`__cxa_atexit`) is called by `exit`; it is taken back by
`__cxa_finalize`, which calls it too. A C library that lacks either, or takes nothing back, as musl, is left alone.
"""

from __future__ import annotations

import atexit
import ctypes
import os
from collections.abc import Callable
from typing import Any

_FUNCTION = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
_watching: _Watch | None = None


def watch(left: Callable[[], None]) -> bool:
    """From now on call a function where others end this process by `exit`; False where that cannot be had."""
    global _watching
    asked = library()
    if asked is None or _watching is not None:
        return False
    _watching = _Watch(asked, left)
    os.register_at_fork(after_in_child=release)
    atexit.register(
        release
    )  # Python ends by `exit` too, however that came, when nothing of ours can be called any more
    return True


def release() -> None:
    """Let the process end; one that was split off, too."""
    global _watching
    if _watching is not None:
        _watching.take_back()
        _watching = None


class _Library:
    """The two functions of the C library, by which others are registered and taken back."""

    def __init__(self) -> None:
        self.all = ctypes.CDLL(None)
        self.register = getattr(self.all, "__cxa_atexit")
        self.register.argtypes = [ctypes.c_void_p] * 3
        self.take_back = getattr(self.all, "__cxa_finalize")
        self.take_back.argtypes, self.take_back.restype = [ctypes.c_void_p], None

    def takes_back(self) -> bool:
        """Whether a function is called when it is taken back, and then not again: `time`, which leaves a trace.

        Where it does not work, `time` is called once more at the very end, when nothing of Python is left.
        """
        self.all.calloc.argtypes, self.all.calloc.restype = [ctypes.c_size_t] * 2, ctypes.c_void_p
        place = self.all.calloc(1, 64)
        if not place or self.register(ctypes.cast(self.all.time, ctypes.c_void_p), place, place) != 0:
            return False
        self.take_back(place)
        return any(ctypes.string_at(place, 64))


def library() -> _Library | None:
    """The C library of this process, where it can be asked."""
    try:
        found = _Library()
        return found if found.takes_back() else None
    except (OSError, AttributeError, TypeError):  # no POSIX, or other names
        return None


class _Watch:
    """A function that `exit` calls until it is taken back."""

    def __init__(self, library: _Library, function: Callable[[], None]) -> None:
        self._library, self._function, self._process = library, function, os.getpid()
        self._awake = True
        self._called: Any = _FUNCTION(self._call)  # kept, for nobody sees that C uses it
        self._handle = ctypes.cast(self._called, ctypes.c_void_p)
        library.register(self._handle, None, self._handle)

    def _call(self, _nothing: object) -> None:
        if self._awake and os.getpid() == self._process:
            self._function()

    def take_back(self) -> None:
        """Have it called, when it does nothing, and never again."""
        self._awake = False
        self._library.take_back(self._handle)
