"""The life of one Python object under test: its calls in order, its coroutines, and what it showed.

Calls begin in the order in which they were made. A plain call runs in a thread of the object's own and has ended before
the next call begins; a coroutine runs in an event loop and has come to its first `await` before the next call begins,
and goes on beside those that follow. Whatever a call raises, an order to end the program included, is a crash, and so
is what ends a thread or a task of the object; only `AdapterError` says that the trouble is the adapter's own.
"""

from __future__ import annotations

import inspect
import queue
import threading
import time
import traceback
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from outplay.errors import AdapterError, OutplayError, SystemUnready
from outplay.model.label import OUTPUT, Label
from outplay.model.specification import UNNAMED
from outplay.play.adapters.event_queue import OURS, EventLoop, EventQueue, Threads
from outplay.play.trace import Event

_PROMPT = 0.05  # seconds a call is waited for, so that a quick result comes before anything else
_LONGEST_TRACEBACK, _LONGEST_WORDS = 10_000, 2_000  # characters


class Call:
    """A call that waits in line, runs or has ended."""

    def __init__(self, action: Callable[[Call], Any]) -> None:
        self._action = action
        self._begun, self._done = threading.Event(), threading.Event()
        self.began: float | None = None
        self.result: Any = None
        self.error: BaseException | None = None

    def run(self) -> None:
        """Run it; nothing it raises goes further."""
        try:
            self.result = self._action(self)
        except BaseException as error:
            self.error = error
        self._begun.set()
        self._done.set()

    def begins(self) -> None:
        """Its code starts now."""
        self.began = time.monotonic()
        self._begun.set()

    def begun(self, timeout: float) -> bool:
        """Wait for it to begin."""
        return self._begun.wait(timeout)

    def done(self, timeout: float) -> bool:
        """Wait for it to end."""
        return self._done.wait(timeout)


class ObjectSession:
    """One object from its making to its end."""

    def __init__(self, loop: EventLoop) -> None:
        self.subject: Any = None
        self._loop = loop
        self._shown = EventQueue()
        self._calls: queue.Queue[Call | None] = queue.Queue()
        self._lanes: dict[str, queue.Queue[Call | None]] = {}
        self._open: list[Call] = []  # not known to have ended
        self._closing = False
        loop.report(self.failed)
        self._threads: Threads | None = None
        self._worker = threading.Thread(target=self._work, args=(self._calls,), name=OURS, daemon=True)
        self._worker.start()

    def watch_threads(self, kept: Iterable[threading.Thread]) -> None:
        """See how the threads end that its calls and coroutines start, and those that belong to the whole run."""
        self._threads = Threads(self.failed, [*kept, self._worker, *self._loop.threads])

    def _watch_no_more(self) -> None:
        if self._threads:
            self._threads.close()

    def call(self, function: Callable[..., Any], *arguments: Any) -> Call:
        """Put a call in line; where it is a coroutine, it is waited for to the end."""

        def action(call: Call) -> Any:
            call.begins()
            result = function(*arguments)
            return self._loop.result(result) if inspect.isawaitable(result) else result

        return self._in_line(action)

    def invoke(
        self,
        gate: str,
        method: Callable[..., Any],
        arguments: tuple[Any, ...],
        patience: float,
        *,
        null: bool = False,
        channel: str = UNNAMED,
        repeated: tuple[Any, ...] = (),
    ) -> float | None:
        """Call a method: its result becomes an output, None only where that is an answer; what it raises a crash.

        Calls of one channel run one after the other, those of different ones side by side. The output begins with the
        arguments that are `repeated`.

        Waits until it has begun, and a moment longer, and returns when it began; None where it has not within the
        patience, as behind a call that hangs: then the system hangs, and what follows may be called silence.
        """
        answer = partial(self._answered, gate, null, repeated)
        call = self._in_line(lambda call: self._invoked(call, method, arguments, answer), channel)
        if not call.begun(patience):
            return None
        if channel == UNNAMED:
            call.done(_PROMPT)
        return call.began

    def check(self, name: str, method: Callable[..., Any]) -> None:
        """Put a call in line whose result is no output, and wait a moment; what it raises is a crash, with the name."""
        call = self._in_line(lambda call: self._invoked(call, method, (), lambda result: None, f"in {name}: "))
        call.done(_PROMPT)

    def _invoked(
        self,
        call: Call,
        method: Callable[..., Any],
        arguments: tuple[Any, ...],
        answer: Callable[[Any], None],
        where: str = "",
    ) -> None:
        if not inspect.iscoroutinefunction(method):  # the code of a coroutine begins in the loop
            call.begins()
        try:
            result = method(*arguments)
            if inspect.isawaitable(result):
                self._loop.start(self._awaited(call, result, answer, where), stop=lambda: self._closing)
            else:
                answer(result)
        except BaseException as error:
            self.failed(error, where)

    async def _awaited(self, call: Call, result: Any, answer: Callable[[Any], None], where: str) -> None:
        if call.began is None:
            call.begins()
        try:
            answer(await result)
        except BaseException as error:
            self.failed(error, where)

    def _answered(self, gate: str, null: bool, repeated: tuple[Any, ...], result: Any) -> None:
        if null or result is not None:
            self.emit(gate, *repeated, result)

    @property
    def idle(self) -> bool:
        """Whether all calls have ended, and no thread or task that they began is left."""
        ended = all(call.done(0.0) for call in self._open)
        return ended and not (self._threads and self._threads.some_live) and not self._loop.busy

    def emit(self, gate: str, *arguments: Any) -> None:
        """Report an output, from any thread."""
        try:
            label = Label(OUTPUT, gate, arguments)
            label.text.encode()
            self._shown.show(lambda now: Event("output", label, seen=now))
        except (OutplayError, ValueError, TypeError, AttributeError) as error:
            why = str(error)
            self._shown.show(lambda now: Event("garbage", seen=now, detail=why))

    def failed(self, error: BaseException, where: str = "") -> None:
        """Something the object ran raised this; where that was is told with it."""
        if isinstance(error, AdapterError):
            self._shown.show(lambda now: error)
            return
        detail, trace = where + error_text(error), "".join(traceback.format_exception(error))[-_LONGEST_TRACEBACK:]
        self._shown.show(lambda now: Event("crash", seen=now, detail=detail, traceback=trace))

    def next(self, timeout: float) -> Event:
        """Return the next observation, or silence where nothing comes in time."""
        return self._shown.next(timeout)

    def end(self, patience: float) -> None:
        """Let the object close itself; a call that hangs keeps its thread, which ends with Python."""
        self._closing = True
        self._shown.close()
        self._watch_no_more()
        try:
            close = getattr(self.subject, "close", None)
            if callable(close):
                _finish(self.call(close), "close", patience)
        finally:
            self.dismiss()
            self._loop.clear()

    def dismiss(self) -> None:
        """End the thread, where there is no object to close."""
        self._watch_no_more()
        for calls in (self._calls, *self._lanes.values()):
            calls.put(None)

    def _in_line(self, action: Callable[[Call], Any], channel: str = UNNAMED) -> Call:
        call = Call(action)
        self._open = [one for one in self._open if not one.done(0.0)] + [call]
        (self._calls if channel == UNNAMED else self._lane(channel)).put(call)
        return call

    def _lane(self, channel: str) -> queue.Queue[Call | None]:
        """The calls of a channel, which a thread of its own makes."""
        if channel not in self._lanes:
            self._lanes[channel] = queue.Queue()
            worker = threading.Thread(target=self._work, args=(self._lanes[channel],), name=OURS, daemon=True)
            if self._threads:
                self._threads.add(worker)
            worker.start()
        return self._lanes[channel]

    @staticmethod
    def _work(calls: queue.Queue[Call | None]) -> None:
        while (call := calls.get()) is not None:
            call.run()


def _finish(call: Call, what: str, patience: float) -> None:
    """See a call of ours through; one that cannot begin because another hangs is left to itself."""
    if not call.begun(1.0):
        return
    if not call.done(patience):
        raise SystemUnready(f"{what} has not ended within {patience:g} s")
    if call.error is not None:
        raise SystemUnready(f"{what} raised {error_text(call.error)}") from call.error


def error_text(error: BaseException) -> str:
    """Write an exception of the object in words, even where it fails to do so itself."""
    try:
        words = str(error)[:_LONGEST_WORDS]
        return f"{type(error).__name__}: {words}" if words else type(error).__name__
    except Exception:
        return type(error).__name__
