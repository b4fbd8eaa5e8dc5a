"""Leaving: outplay ends by its own word only, so that it never ends with code 0 without a verdict.

The model, and a Python object under test, run in the process of outplay. Where they would end it at once, by `os._exit`
or by becoming another program, the call raises `SystemExit` instead, which is a crash of the object or a mistake of the
model like any other. In a thread of their own nobody would see that, so there outplay says so and ends. Compiled code
that calls `exit` of C cannot be brought back: the C library asks us first (`exit_of_c`), and there too outplay says so
and ends. What calls `_exit` of C, or the system itself, asks nobody: see `guardian`.
"""

from __future__ import annotations

import functools
import os
import sys
import threading
from collections.abc import Callable
from typing import Any

from outplay.cli import exit_of_c, guardian

_really = os._exit
_outplay: int | None = None


def guard(complain: guardian.Complain) -> None:
    """From now on only `leave` ends this process at once; `complain` tells people and returns the exit code."""
    global _outplay
    _outplay = os.getpid()
    for name in ("_exit", "execv", "execve"):  # all other ways of becoming another program call these
        setattr(os, name, _refusing(name, getattr(os, name), complain))
    exit_of_c.watch(lambda: _unsaid(complain))


def leave(code: int) -> None:
    """End now, whatever threads there are; the systems that still run are ended first."""
    running = sys.modules.get("outplay.play.running")
    if running:
        running.end_all()
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    guardian.report_exit(code)
    _really(code)


def _unsaid(complain: guardian.Complain) -> None:
    """End where compiled code has ended Python under our feet; never with code 0, whatever goes wrong here."""
    code = 1
    try:
        code = complain("compiled code called exit, which ends outplay; --isolated runs an object by itself")
        leave(code)
    finally:
        _really(code)


def _refusing(name: str, function: Callable[..., Any], complain: guardian.Complain) -> Callable[..., Any]:
    @functools.wraps(function)
    def refuse(*arguments: Any, **named: Any) -> Any:
        if os.getpid() != _outplay:
            return function(*arguments, **named)  # a process that somebody has split off ends as it likes
        called = f"os.{name}({', '.join(map(repr, arguments))})"
        thread, loop = threading.current_thread(), sys.modules.get("outplay.play.loop")  # there if it is used
        if thread is threading.main_thread() or (loop and thread.name == loop.OURS):
            raise SystemExit(called)
        return leave(complain(f"a thread of the object under test called {called}, which ends outplay; add --isolated"))

    return refuse
