"""Kernels are plain functions: small graphs call them as they are, large ones compiled by numba and cached on disk.

Importing numba takes 0.3 to 0.6 s and the first compilation of a kernel about a second, so it is left to graphs where
that pays. The tests run every kernel both ways.
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
        lists = [array.tolist() if hasattr(array, "tolist") else array for array in arrays]
        answer = kernel(*lists)
        for array, listed in zip(arrays, lists, strict=True):
            if hasattr(array, "tolist") and array.flags.writeable:
                array[:] = listed
        return answer

    return run


def best_for(kernel: Callable[..., Any], edges: int) -> Callable[..., Any]:
    """Choose how to run a kernel on a graph of so many edges."""
    return compiled(kernel) if edges >= COMPILE_FROM_EDGES else plain(kernel)
