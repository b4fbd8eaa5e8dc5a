"""An event loop in a thread of its own, for the coroutines of a Python object under test."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from typing import Any

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
