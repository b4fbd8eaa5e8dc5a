"""The events that a system shows from threads of its own, in order: each is stamped when it is put there.

The threads that a Python object under test starts: one that ends with an exception is a crash of the object. Python
tells of such an exception through `threading.excepthook`. While an object lives that is ours: what is of the object is
reported, everything else goes to the hook that was there before, pytest's for instance. A thread belongs to whom the
thread belongs that started it: to the play whose calls did, or to the whole run where `set_up` did. Python does not
keep who that was, so it is noted when a thread starts; what threads of earlier plays and of other objects come to says
nothing about this play. What an executor runs has its exception in a future, which is for the object to see.

An event loop in a thread of its own, for the coroutines of a Python object under test.
"""

from __future__ import annotations

import asyncio
import queue
import threading
import time
from collections.abc import Callable, Coroutine, Iterable
from typing import Any
from weakref import WeakKeyDictionary, WeakSet

from outplay.cancellation import wait_for
from outplay.errors import AdapterError
from outplay.play.trace import Event

OURS = "outplay"  # the name of threads in which an exception of the object under test is seen and told
_STUCK = 2.0  # seconds after which a loop that does not answer is left to itself


class EventLoop:
    """Runs coroutines; what breaks it from within is reported and does not end it."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self.threads: list[threading.Thread] = []
        """The one it runs in, once it does."""
        self._held: set[asyncio.Task[Any]] = set()  # a loop itself holds on to its tasks only weakly
        self._kept: set[asyncio.Task[Any]] = set()
        self._report: Callable[[BaseException], None] = lambda error: None

    def report(self, to: Callable[[BaseException], None]) -> None:
        """Whom to tell of exceptions that nobody awaits."""
        self._report = to

    @property
    def busy(self) -> bool:
        """Whether coroutines that were started have not ended."""
        return bool(self._held)

    def result(self, awaitable: Any) -> Any:
        """Await something to its end and return its result."""
        return asyncio.run_coroutine_threadsafe(_awaited(awaitable), self._running()).result()

    def start(self, coroutine: Coroutine[Any, Any, None], *, stop: Callable[[], bool]) -> None:
        """Start a coroutine and wait until it has come to its first `await`, or `stop` says that nobody waits."""
        loop, started = self._running(), threading.Event()

        def begin() -> None:
            task = loop.create_task(coroutine)
            self._held.add(task)
            task.add_done_callback(self._held.discard)
            loop.call_soon(started.set)  # after the task's first step, which is in line already

        loop.call_soon_threadsafe(begin)
        while not started.wait(0.1) and not stop():
            pass

    def keep(self) -> None:
        """Whatever runs now belongs to the whole run, not to one play."""
        self._kept = asyncio.all_tasks(self._loop) if self._loop else set()

    def clear(self) -> None:
        """Cancel what a play has left running, and wait for it; a loop that is stuck is given up."""
        loop = self._loop
        if loop is None:
            return
        cleared = asyncio.run_coroutine_threadsafe(_cancel(self._kept), loop)
        try:
            cleared.result(_STUCK)
        except TimeoutError:
            self._loop = None
            loop.call_soon_threadsafe(loop.stop)

    def close(self) -> None:
        """End the loop with everything in it."""
        self._kept = set()
        self.clear()
        loop, self._loop = self._loop, None
        if loop:
            loop.call_soon_threadsafe(loop.stop)

    def _running(self) -> asyncio.AbstractEventLoop:
        if self._loop is None:
            self._loop = asyncio.new_event_loop()
            self._loop.set_exception_handler(self._unawaited)
            self.threads = [threading.Thread(target=self._serve, args=(self._loop,), name=OURS, daemon=True)]
            self.threads[0].start()
        return self._loop

    def _serve(self, loop: asyncio.AbstractEventLoop) -> None:
        stopped = False
        while not stopped:
            try:
                loop.run_forever()
                stopped = True
            except BaseException as error:  # a task that wants to end the program breaks out of the loop
                self._report(error)
        loop.close()

    def _unawaited(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        if isinstance(context.get("exception"), BaseException):
            self._report(context["exception"])


async def _awaited(awaitable: Any) -> Any:
    return await awaitable


async def _cancel(kept: set[asyncio.Task[Any]]) -> None:
    """Cancel all tasks but these and this one, and wait until they have ended."""
    left = asyncio.all_tasks() - kept - {asyncio.current_task()}
    for task in left:
        task.cancel()
    await asyncio.gather(*left, return_exceptions=True)


class EventQueue:
    """Events from any thread, one after the other; what ends the play, or is trouble of our own, stays the last."""

    def __init__(self) -> None:
        self._shown: queue.Queue[Event | AdapterError] = queue.Queue()
        self._showing = threading.Lock()  # held from stamping what was shown to having put it away
        self._ended: Event | AdapterError | None = None
        self._closed = False

    def show(self, made: Callable[[float], Event | AdapterError]) -> None:
        """Put something in line, made with the time; after the end nobody is interested."""
        with self._showing:
            if not self._closed:
                self._shown.put(made(time.monotonic()))

    def next(self, timeout: float) -> Event:
        """Return the next observation, or silence where nothing comes in time."""
        if self._ended is None:
            shown = self._take(timeout)
            if isinstance(shown, Event) and shown.kind in ("output", "silence"):
                return shown
            self._ended = shown
        if isinstance(self._ended, AdapterError):
            raise self._ended
        return self._ended

    @property
    def size(self) -> int:
        """The size of the events that wait."""
        return self._shown.qsize()

    def has_some(self) -> bool:
        """Say whether anything stands in line."""
        return not self._shown.empty()

    def raise_trouble(self) -> None:
        """Raise trouble of our own that stands in line."""
        for shown in list(self._shown.queue):
            if isinstance(shown, AdapterError):
                raise shown

    def close(self) -> None:
        """Show nothing more."""
        self._closed = True

    def _take(self, timeout: float) -> Event | AdapterError:
        try:
            return self._shown.get_nowait() if timeout <= 0 else wait_for(self._shown, timeout)
        except queue.Empty:
            with self._showing:  # what was shown by now is not late because its thread was stopped before saying so
                return Event("silence", seen=time.monotonic()) if self._shown.empty() else self._shown.get_nowait()


_owners: WeakKeyDictionary[threading.Thread, Threads] = WeakKeyDictionary()


class Threads:
    """Watches some threads, and all that are started by them while it does, until it is closed."""

    def __init__(self, report: Callable[[BaseException], None], roots: Iterable[threading.Thread]) -> None:
        self._report, self._watching = report, True
        self._roots = WeakSet(roots)
        for thread in self._roots:
            _owners[thread] = self
        _noting.begin()
        self._before, threading.excepthook = threading.excepthook, self._ended

    def add(self, thread: threading.Thread) -> None:
        """Watch what a thread starts as well."""
        self._roots.add(thread)
        _owners[thread] = self

    @property
    def some_live(self) -> bool:
        """Whether a thread lives that was started while it watched."""
        return any(
            owner is self and thread.is_alive() and thread not in self._roots for thread, owner in list(_owners.items())
        )

    def close(self) -> None:
        """Watch no longer; where somebody has put a hook over ours, ours stays below it and hands everything on."""
        if self._watching:
            _noting.end()
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
        if thread is None or thread.name.startswith(OURS):
            return False
        return self._watching and _owners.get(thread) is self


class _Noting:
    """Notes to whom threads belong, while anything is watched."""

    def __init__(self) -> None:
        self._watched, self._lock = 0, threading.Lock()
        self._before: Callable[[threading.Thread], None] = threading.Thread.start

    def begin(self) -> None:
        with self._lock:
            self._watched += 1
            if self._watched == 1:
                self._before, threading.Thread.start = threading.Thread.start, _start  # type: ignore[method-assign, assignment]

    def end(self) -> None:
        with self._lock:
            self._watched -= 1
            if not self._watched and threading.Thread.start is _start:
                threading.Thread.start = self._before  # type: ignore[method-assign, assignment]

    def start(self, thread: threading.Thread) -> None:
        owner = _owners.get(threading.current_thread())
        if owner is not None:
            _owners[thread] = owner
        self._before(thread)


_noting = _Noting()


def _start(thread: threading.Thread) -> None:
    """In place of `threading.Thread.start`, which does the work."""
    _noting.start(thread)
