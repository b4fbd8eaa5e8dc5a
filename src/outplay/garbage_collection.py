"""Python's garbage collector, kept still where it would only find out that everything is still needed."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def uncollected() -> Iterator[None]:
    """Keep the collector still while millions of small things are made that all stay.

    It looks through all of them again and again and finds nothing: large machines are read and unfolded in half the
    time. Also a decorator.
    """
    ran = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if ran:
            gc.enable()
