"""A Python object as the system under test: inputs are calls, outputs are results and callbacks.

The input `?post ann hi` calls `post("ann", "hi")`. A result that is not None is the output `!post RESULT`. A class
whose constructor takes a parameter gets a function to report outputs with, from any thread and at any time:
`emit("deliver", "bob")` is the output `!deliver bob`. Methods may be coroutines; they run in an event loop of their
own thread. An exception is a crash. A call that does not come back is left to itself, and what follows is silence.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import inspect
import queue
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

from outplay.errors import OutplayError, SystemUnready, did_you_mean
from outplay.model.label import OUTPUT, Label
from outplay.play.clock import Clock, RealClock
from outplay.play.event import Event

_PROMPT = 0.05  # seconds a call is waited for, so that a quick result comes before anything else


class PythonObject:
    """Calls the methods of an object made anew for each play."""

    def __init__(self, make: Callable[..., Any], *, patience: float = 10.0) -> None:
        self._make, self._patience = make, patience
        self.clock: Clock = RealClock()
        self._takes_emit = _takes_a_parameter(make)
        methods = (value for _, value in inspect.getmembers(make, callable)) if isinstance(make, type) else ()
        coroutines = any(inspect.iscoroutinefunction(method) for method in methods)
        self.synchronous = not (self._takes_emit or coroutines)
        """Nothing crosses where outputs are results of plain calls only."""
        self._life: _Life | None = None

    def reset(self) -> None:
        self.close()
        life = _Life()
        self._life = life
        made = life.call(lambda: self._make(life.emit) if self._takes_emit else self._make())
        if not made.wait(self._patience):
            raise SystemUnready(f"{_name(self._make)} was not made within {self._patience:g} s")
        if made.error is not None:
            raise SystemUnready(f"{_name(self._make)} cannot be made: {type(made.error).__name__}: {made.error}")
        life.subject = made.result

    def give(self, label: Label) -> None:
        life = self._alive()
        method = getattr(life.subject, label.gate, None)
        if not callable(method):
            known = [name for name in dir(life.subject) if not name.startswith("_")]
            raise SystemUnready(f"{_name(self._make)} has no method {label.gate!r}; {did_you_mean(label.gate, known)}")
        life.invoke(label.gate, method, label.arguments)

    def observe(self, timeout: float) -> Event:
        return self._alive().next(timeout)

    def close(self) -> None:
        life, self._life = self._life, None
        if life:
            life.end()

    def _alive(self) -> _Life:
        if self._life is None:
            raise SystemUnready("the system is not running: reset it first")
        return self._life


class _Call:
    """A call under way in the worker thread."""

    def __init__(self, action: Callable[[], Any]) -> None:
        self._action = action
        self._done = threading.Event()
        self.result: Any = None
        self.error: BaseException | None = None

    def run(self) -> None:
        try:
            self.result = self._action()
        except BaseException as error:
            self.error = error
        self._done.set()

    def wait(self, timeout: float) -> bool:
        return self._done.wait(timeout)


class _Life:
    """One object from its making to its end, with the thread its methods run in."""

    def __init__(self) -> None:
        self.subject: Any = None
        self._events: queue.Queue[Event] = queue.Queue()
        self._calls: queue.Queue[_Call | None] = queue.Queue()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._ended: Event | None = None
        self._closing = False
        threading.Thread(target=self._work, daemon=True).start()

    def call(self, action: Callable[[], Any]) -> _Call:
        made = _Call(action)
        self._calls.put(made)
        return made

    def invoke(self, gate: str, method: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
        """Call a method; its result becomes an output, its exception a crash. Returns soon, the call done or not."""

        def action() -> None:
            try:
                result = method(*arguments)
                if inspect.isawaitable(result):
                    asyncio.run_coroutine_threadsafe(self._awaited(gate, result), self._event_loop())
                elif result is not None:
                    self.emit(gate, result)
            except Exception as error:
                self._crashed(error)

        self.call(action).wait(_PROMPT)

    async def _awaited(self, gate: str, result: Any) -> None:
        try:
            answer = await result
            if answer is not None:
                self.emit(gate, answer)
        except Exception as error:
            self._crashed(error)

    def emit(self, gate: str, *arguments: Any) -> None:
        """Report an output, from any thread."""
        try:
            label = Label(OUTPUT, gate, arguments)
            label.text.encode()
            event = Event("output", label, seen=time.monotonic())
        except (OutplayError, ValueError, TypeError) as error:
            event = Event("garbage", seen=time.monotonic(), detail=f"{error}")
        if not self._closing:
            self._events.put(event)

    def next(self, timeout: float) -> Event:
        if self._ended:
            return self._ended
        try:
            event = self._events.get_nowait() if timeout <= 0 else self._events.get(timeout=timeout)
        except queue.Empty:
            return Event("silence", seen=time.monotonic())
        if event.kind != "output":
            self._ended = event
        return event

    def end(self) -> None:
        """Let the object close itself; a call that hangs keeps its thread, which ends with Python."""
        self._closing = True
        close = getattr(self.subject, "close", None)
        if callable(close):
            self.call(close).wait(1.0)
        self._calls.put(None)
        if self._loop:
            self._loop.call_soon_threadsafe(self._loop.stop)

    def _crashed(self, error: BaseException) -> None:
        if not self._closing:
            self._events.put(Event("crash", seen=time.monotonic(), detail=f"{type(error).__name__}: {error}"))

    def _work(self) -> None:
        while (call := self._calls.get()) is not None:
            call.run()

    def _event_loop(self) -> asyncio.AbstractEventLoop:
        if self._loop is None:
            loop = self._loop = asyncio.new_event_loop()

            def serve() -> None:
                loop.run_forever()
                loop.close()

            threading.Thread(target=serve, daemon=True).start()
        return self._loop


def load_object(reference: str) -> PythonObject:
    """Find `MODULE:CLASS`, from the installed packages or the current folder."""
    module_name, _, class_name = reference.rpartition(":")
    if not module_name or not class_name:
        raise SystemUnready(f"python:{reference}: write python:MODULE:CLASS")
    if "" not in sys.path:
        sys.path.insert(0, "")
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        raise SystemUnready(f"python:{reference}: no module {error.name!r}; install it or run where it lies") from None
    except Exception as error:
        raise SystemUnready(f"python:{reference}: importing it raised {type(error).__name__}: {error}") from error
    if not hasattr(module, class_name):
        raise SystemUnready(
            f"python:{reference}: nothing called {class_name!r} there; "
            f"{did_you_mean(class_name, [name for name in dir(module) if name[:1] != '_'])}"
        )
    return PythonObject(getattr(module, class_name))


def _takes_a_parameter(make: Callable[..., Any]) -> bool:
    with contextlib.suppress(ValueError, TypeError):
        parameters = inspect.signature(make).parameters.values()
        return any(p.default is p.empty and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) for p in parameters)
    return False


def _name(make: Any) -> str:
    return getattr(make, "__name__", repr(make))
