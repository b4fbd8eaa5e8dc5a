"""HiGHS kept quiet, and stopped by signals: it prints a line of its own now and then, whatever it is told."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from outplay.compiling import heard


def run_highs(solver: Callable[..., Any], *given: Any, **options: Any) -> Any:
    """Call `milp` or `linprog`; a signal is heard while it works."""
    with _silenced():
        return heard(partial(solver, *given, **options))


@contextmanager
def _silenced() -> Iterator[None]:
    """Keep standard output for answers."""
    if os.name != "posix":
        yield
        return
    try:
        kept = os.dup(1)
    except OSError:  # it is closed, so there is nothing to keep
        yield
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    try:
        yield
    finally:
        ctypes.CDLL(None).fflush(None)  # what is printed to a pipe waits in a buffer of C
        os.dup2(kept, 1)
        os.close(kept)
        os.close(nowhere)
