"""Run the command as a program in which a signal breaks in at a named place: `breaking_in.py PLACE SIGNAL ARGUMENTS…`.

A place is `module:Class.function` with `<` where the signal comes when it is called and `>` where it has returned. It
comes once, to this process, in its main thread; where the place ends in `!` not before the system has
been reset for the first time. Python hears signals at both moments, so these are real ones.
"""

from __future__ import annotations

import functools
import importlib
import os
import signal
import sys
import threading
from pathlib import Path
from typing import Any


class Break:
    """A function that sends a signal to its own process when it is called for the first time, or has returned."""

    def __init__(self, place: str, number: int) -> None:
        self._playing = place.endswith("!")
        self._place, self._before = place.rstrip("<>!"), "<" in place
        self._number, self._first, self._sent = number, os.getpid(), False

    def wrap(self) -> None:
        """Put it in the place of the function."""
        module, _, path = self._place.partition(":")
        *outer, name = path.split(".")
        home = functools.reduce(getattr, outer, importlib.import_module(module))
        setattr(home, name, self._around(getattr(home, name)))

    def _around(self, function: Any) -> Any:
        @functools.wraps(function)
        def called(*given: Any, **named: Any) -> Any:
            if self._before:
                self._send()
            answer = function(*given, **named)
            if not self._before:
                self._send()
            return answer

        return called

    def _send(self) -> None:
        # Not by `current_thread`, which takes the very locks whose taking may be the place.
        here = os.getpid() == self._first and threading.get_ident() == threading.main_thread().ident
        if here and not self._sent and (not self._playing or self._plays()):
            self._sent = True
            Path("sent").touch()
            signal.raise_signal(self._number)

    def _plays(self) -> bool:
        trace = Path(".outplay/last/trace.jsonl")
        return trace.exists() and trace.read_bytes().count(b"\n") >= 2  # the header, and that it was reset


if __name__ == "__main__":
    place, number, *arguments = sys.argv[1:]
    from outplay.cli.main import main

    Break(place, int(number)).wrap()
    sys.argv = ["outplay", *arguments]
    main()
