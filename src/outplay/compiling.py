"""Kernels are plain functions: small graphs call them as they are, large ones compiled by numba and cached on disk.

Importing numba takes 0.3 to 0.6 s and the first compilation of a kernel about a second, so it is left to graphs where
that pays. The tests run every kernel both ways.

What belongs together goes in as one named tuple of arrays. A kernel looks its fields up once, at its head: compiled
code counts references at every look into a tuple, and Python's own loops are faster on local names too.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

COMPILE_FROM_EDGES = 10_000


@functools.cache
def compiled(kernel: Callable[..., Any]) -> Callable[..., Any]:
    """Return the kernel compiled to machine code."""
    import numba  # only here: most commands never need it

    made: Callable[..., Any] = numba.njit(cache=True, nogil=True)(kernel)
    return made


def plain(kernel: Callable[..., Any]) -> Callable[..., Any]:
    """Return the kernel to be run by Python itself: arrays go in and come out as lists, which Python walks faster."""

    @functools.wraps(kernel)
    def run(*arrays: Any) -> Any:
        lists = [as_lists(given) for given in arrays]
        answer = kernel(*lists)
        for given, listed in zip(arrays, lists, strict=True):
            _write_back(given, listed)
        return answer

    return run


def as_lists(given: Any) -> Any:
    """Return an array as a list and a named tuple of arrays as one of lists; anything else as it is."""
    if isinstance(given, tuple):
        return type(given)(*map(as_lists, given))
    return given.tolist() if hasattr(given, "tolist") else given


def _write_back(given: Any, listed: Any) -> None:
    if isinstance(given, tuple):
        for array, part in zip(given, listed, strict=True):
            _write_back(array, part)
    elif hasattr(given, "tolist") and given.flags.writeable:
        given[:] = listed


def best_for(kernel: Callable[..., Any], edges: int) -> Callable[..., Any]:
    """Choose how to run a kernel on a graph of so many edges."""
    return compiled(kernel) if edges >= COMPILE_FROM_EDGES else plain(kernel)
