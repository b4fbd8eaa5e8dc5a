"""Kernels are plain functions: small graphs call them as they are, large ones compiled by numba and cached on disk.

Importing numba takes 0.3 to 0.6 s and the first compilation of a kernel about a second, so it is left to graphs where
that pays, and to small ones after them, or to many small ones where numba is there anyway. The tests run every kernel
both ways.

What belongs together goes in as one named tuple of arrays. A kernel looks its fields up once, at its head: compiled
code counts references at every look into a tuple, and Python's own loops are faster on local names too. A kernel may
call other functions of its own file, which are compiled into it.

Python hears signals between two of its own instructions only, so compiled code and solvers that may take long run in a
thread of their own (`heard`), while the main thread waits and listens.
"""

from __future__ import annotations

import functools
import sys
import threading
import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import FunctionType
from typing import Any, TypeVar

COMPILE_FROM_EDGES = 10_000
HEARD_FROM_EDGES = 100_000
"""Smaller graphs are done in a moment; a thread for each kernel would cost more than it is worth."""
WORKING = "outplay works"
"""The name of threads that may be left behind when a signal was heard."""
_LISTENING = 0.2  # seconds
_Result = TypeVar("_Result")


@functools.cache
def compiled(kernel: Callable[..., Any]) -> Callable[..., Any]:
    """Return the kernel compiled to machine code."""
    numba = _numba()
    # No kernel divides by zero; watching for it, as Python does, would take a third of the time of a tight loop.
    made: Callable[..., Any] = numba.njit(_linked(kernel), cache=True, nogil=True, error_model="numpy")
    _forget_unreadable(kernel, made)
    return made


def _numba() -> Any:
    """numba, imported when it is first needed, without the settings that the folder of the call may hold.

    numba reads them from `.numba_config.yaml` wherever it is started. They can name the folder of what was compiled
    before, and whoever sends such a folder could have code of theirs run.
    """
    if "numba" not in sys.modules:
        before = sys.modules.get("yaml")
        sys.modules["yaml"] = None  # type: ignore[assignment]  # numba goes without where there is none
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # that the file is there, and not read
                import numba.core.config
        finally:
            if before is None:
                del sys.modules["yaml"]
            else:
                sys.modules["yaml"] = before
        numba.core.config._config_fname = ""  # read anew before each compilation
    import numba

    return numba


def _forget_unreadable(kernel: Any, made: Any) -> None:
    """Compile anew what was kept by another version, in which the types of arguments had another home."""
    cache = getattr(made._cache, "_cache_file", None)  # numba's own; elsewhere there is nothing to be forgotten
    read = getattr(cache, "_load_index", dict)
    try:
        read()
    except Exception:  # whatever reading it raises, it would raise when the kernel is called
        for index in _kept(kernel, made):
            index.unlink(missing_ok=True)


def _linked(kernel: Callable[..., Any]) -> Callable[..., Any]:
    """Return the kernel with the functions it calls compiled into it: passing them many arrays would take time."""
    numba = _numba()
    assert isinstance(kernel, FunctionType)
    called = {name: numba.njit(_linked(helper), inline="always") for name, helper in _helpers(kernel)}
    linked = FunctionType(kernel.__code__, {**kernel.__globals__, **called}, kernel.__name__, kernel.__defaults__)
    linked.__module__, linked.__qualname__ = kernel.__module__, kernel.__qualname__
    return linked


def _helpers(kernel: FunctionType) -> list[tuple[str, FunctionType]]:
    """The functions that a kernel calls, of its own file alone: by that file numba knows whether its cache is stale."""
    named = [(name, kernel.__globals__.get(name)) for name in kernel.__code__.co_names]
    return [(name, it) for name, it in named if isinstance(it, FunctionType) and it.__module__ == kernel.__module__]


def interpreted(kernel: Callable[..., Any]) -> Callable[..., Any]:
    """Return the kernel to be run by Python itself: arrays go in and come out as lists, which Python walks faster."""

    @functools.wraps(kernel)
    def run(*arrays: Any) -> Any:
        lists = [as_lists(array) for array in arrays]
        answer = kernel(*lists)
        for array, listed in zip(arrays, lists, strict=True):
            _write_back(array, listed)
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
    """Choose how to run a kernel on a graph of this many edges."""
    if edges >= COMPILE_FROM_EDGES:
        _found_worthwhile.add(kernel)  # by the next graph it is there, however small that is
    elif not _worthwhile(kernel, edges):
        return interpreted(kernel)
    return functools.partial(interruptible, compiled(kernel)) if edges >= HEARD_FROM_EDGES else compiled(kernel)


def interruptible(work: Callable[..., _Result], *given: Any) -> _Result:
    """Do work that leaves Python for long, so that a signal is heard meanwhile.

    What a signal cuts short is left to itself; nothing that it still changes is used any more.

    >>> interruptible(max, 1, 2)
    2
    """
    if threading.current_thread() is not threading.main_thread():
        return work(*given)
    done, found, failed = threading.Event(), list[_Result](), list[BaseException]()

    def run() -> None:
        try:
            found.append(work(*given))
        except BaseException as error:
            failed.append(error)
        finally:
            done.set()

    threading.Thread(target=run, name=WORKING, daemon=True).start()
    while not done.wait(_LISTENING):  # without an end some systems would not listen
        pass
    if failed:
        raise failed[0]
    return found[0]


_so_far: Counter[Callable[..., Any]] = Counter()
_found_worthwhile: set[Callable[..., Any]] = set()  # asking numba each time would take longer than many a kernel
_NOT_CACHED = 100  # a compilation takes this many times as long as loading a kernel that was compiled before


def _worthwhile(kernel: Callable[..., Any], edges: int) -> bool:
    """Count the work: once numba is loaded, many small graphs are worth as much as one large graph."""
    if kernel in _found_worthwhile:
        return True
    if "numba" not in sys.modules:
        return False
    _so_far[kernel] += edges
    if _so_far[kernel] < COMPILE_FROM_EDGES:
        return False
    made: Any = compiled(kernel)
    if made.signatures or _so_far[kernel] >= _NOT_CACHED * COMPILE_FROM_EDGES or _kept(kernel, made):
        _found_worthwhile.add(kernel)
    return kernel in _found_worthwhile


def load(*kernels: Callable[..., Any]) -> None:
    """Run these compiled from now on, however small the graph is: whoever plays live cannot wait for it later."""
    for kernel in kernels:
        compiled(kernel)
        _found_worthwhile.add(kernel)


def _kept(kernel: Any, made: Any) -> list[Path]:
    """The files in which numba lists what it has compiled of a kernel."""
    name = f"*.{kernel.__qualname__}-{kernel.__code__.co_firstlineno}.*.nbi"
    return list(Path(made.stats.cache_path).glob(name))
