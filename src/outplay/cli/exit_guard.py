"""Leaving: no Python code but outplay's own ends the command, so that it never ends with code 0 without a verdict.

The model, and a Python object under test, run in the process of outplay. Where they would end it at once, by `os._exit`
or by becoming another program, the call raises `SystemExit` instead, which is a crash of the object or a mistake of the
model like any other. In a thread of their own nobody would see that, so there outplay says so and ends. Compiled code
that ends the process asks nobody: an object that may do so is run by `--isolated`.
"""

from __future__ import annotations

import functools
import os
import sys
import threading
from collections.abc import Callable
from typing import Any

Complain = Callable[[str], int]
_really = os._exit
_outplay: int | None = None


def guard_exit(complain: Complain) -> None:
    """Let only `leave` end this process at once; `complain` tells people and returns the exit code."""
    global _outplay
    _outplay = os.getpid()
    for name in ("_exit", "execv", "execve"):  # all other ways of becoming another program call these
        setattr(os, name, _refusing(name, getattr(os, name), complain))


def exit_at_once(code: int) -> None:
    """Exit the command now, whatever threads there are; the systems that still run are ended first."""
    running = sys.modules.get("outplay.play.adapters.program_run")
    if running:
        running.end_all()
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    _really(code)


def _refusing(name: str, function: Callable[..., Any], complain: Complain) -> Callable[..., Any]:
    @functools.wraps(function)
    def refuse(*arguments: Any, **named: Any) -> Any:
        if os.getpid() != _outplay:
            return function(*arguments, **named)  # a process that somebody has split off ends as it likes
        called = f"os.{name}({', '.join(map(repr, arguments))})"
        thread, loop = (
            threading.current_thread(),
            sys.modules.get("outplay.play.adapters.event_queue"),
        )  # there if it is used
        if thread is threading.main_thread() or (loop and thread.name == loop.OURS):
            raise SystemExit(called)
        return exit_at_once(
            complain(f"a thread of the object under test called {called}, which ends outplay; add --isolated")
        )

    return refuse
