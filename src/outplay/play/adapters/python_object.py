"""A Python object as the system under test: inputs are calls, outputs are results and callbacks.

The input `?post ann hi` calls `post("ann", "hi")`. A result that is not None is the output `!post RESULT`; None is one,
`!post null`, only of calls that the model has it for. A class whose constructor takes a parameter gets a function to
report outputs with, from any thread and at any time: `emit("deliver", "bob")` is the output `!deliver bob`. Methods may
be coroutines. In which order calls begin and end is said in `outplay.play.adapters.object_session`.

Each play makes the object anew; the one before is closed first. What makes it may be a coroutine; its `open`, unless
that is an input of the model, and its `close`, plain or coroutines, are waited for. A class method `set_up` is called
before the first object is made, `tear_down` after the last one is closed.
What a call raises, `SystemExit` and the like included, or a thread that it began, is a crash (see event_queue.py), with
its traceback; what is raised in making, opening, closing, setting up and tearing down, and `AdapterError` anywhere, is
an error of the adapter. A call that does not come back is left to itself, and what follows is silence. Code that may
take its whole process down (`os._exit`, of which the command makes a crash, or a fault in compiled code) needs a
process of its own: `outplay.play.adapters.isolated`.
"""

from __future__ import annotations

import contextlib
import inspect
import threading
from collections.abc import Callable, Collection
from typing import Any
from weakref import WeakSet

from outplay.errors import ModelError, SystemUnready, UsageError, did_you_mean
from outplay.model.label import Label
from outplay.model.programs.load import load_module
from outplay.model.specification import ONE_FOR_ALL, Channels
from outplay.play.adapters.event_queue import EventLoop
from outplay.play.adapters.object_session import Call, ObjectSession, error_text
from outplay.play.system import Clock, RealClock, System
from outplay.play.trace import Event
from outplay.registries import imported


class PythonObject:
    """Calls the methods of an object made anew for each play.

    Making, closing, setting up and tearing down have to end, and every call has to begin, within `patience` seconds.
    """

    def __init__(self, make: Callable[..., Any], *, patience: float = 10.0) -> None:
        if not callable(make):
            name = type(make).__name__
            raise UsageError(f"each play makes an object of its own: give the class, {name}, not an object of it")
        self._make, self._patience = make, patience
        self.clock: Clock = RealClock()
        self._takes_emit = _takes_a_parameter(make)
        methods = (value for _, value in inspect.getmembers(make, callable)) if isinstance(make, type) else ()
        coroutines = any(inspect.iscoroutinefunction(method) for method in methods)
        self.synchronous = not (self._takes_emit or coroutines)
        """Nothing crosses where outputs are results of plain calls only."""
        self._life: ObjectSession | None = None
        self._loop = EventLoop()
        self._is_set_up = False
        self._kept: WeakSet[threading.Thread] = WeakSet()  # begun by `set_up`
        self._channels = ONE_FOR_ALL
        self._gates: Collection[str] = ()
        self._null_gates: Collection[str] = ()
        self._walks = False

    @property
    def renewed(self) -> bool:
        """Whether an object shares nothing with the one before, as far as can be told: nothing was set up for all."""
        return not self._has("set_up")

    def use_channels(self, channels: Channels) -> None:
        self._channels = channels
        if channels.named:
            self.synchronous = False  # calls of different channels overlap

    def will_call(self, gates: Collection[str]) -> None:
        self._gates = gates

    def answer_null(self, gates: Collection[str]) -> None:
        self._null_gates = gates

    def arrive(self, vertices: Collection[str]) -> None:
        """Call the methods of vertices that a walk has come to, in line behind that of the edge."""
        self._walks, life = True, self._alive()
        for name in vertices:
            if callable(method := getattr(life.subject, name, None)):
                life.check(name, method)

    def quiet(self) -> bool:
        """Prove silence by the object's own `quiet`, or by calls that have ended, where outputs are their results."""
        life = self._alive()
        proves = getattr(life.subject, "quiet", None)
        if callable(proves) and "quiet" not in self._gates and not _takes_a_parameter(proves):
            return bool(self._ended(life.call(proves), "has not ended quiet", "has failed in quiet"))
        return self.synchronous and life.idle

    def rests(self) -> bool:
        """Say whether all calls have ended, where outputs are only their results."""
        return not self._takes_emit and self._alive().idle

    def reset(self) -> None:
        self._end_life()
        if not self._is_set_up:
            before = set(threading.enumerate())
            self._once("set_up")
            self._kept = WeakSet(set(threading.enumerate()) - before)
            self._loop.keep()
            self._is_set_up = True
        life = ObjectSession(self._loop)
        life.watch_threads(self._kept)
        self._life = life
        made = life.call(self._make, *([life.emit] if self._takes_emit else []))
        life.subject = self._ended(made, "was not made", "cannot be made")
        opens = getattr(life.subject, "open", None)
        if callable(opens) and "open" not in self._gates and not _takes_a_parameter(opens):
            self._ended(life.call(opens), "has not ended open", "has failed in open")

    def give(self, label: Label) -> float | None:
        """Call the method; returns when the call began."""
        life = self._alive()
        method = getattr(life.subject, label.gate, None)
        if not callable(method):
            known = [name for name in dir(life.subject) if not name.startswith("_")]
            raise SystemUnready(f"{_name(self._make)} has no method {label.gate!r}; {did_you_mean(label.gate, known)}")
        null, own = label.gate in self._null_gates, self._channels.argument(label)
        channel = self._channels.of(label)
        arguments = () if self._walks and not _takes_a_parameter(method) else label.arguments
        began = life.invoke(label.gate, method, arguments, self._patience, null=null, channel=channel, repeated=own)
        # With several connections what is called is often reached by what the call sends, and nobody knows when.
        return None if self._channels.named else began

    def observe(self, timeout: float) -> Event:
        return self._alive().next(timeout)

    def close(self) -> None:
        try:
            self._end_life()
        finally:
            was, self._is_set_up = self._is_set_up, False
            try:
                if was:
                    self._once("tear_down")
            finally:
                self._loop.close()

    def _end_life(self) -> None:
        life, self._life = self._life, None
        if life:
            life.end(self._patience)

    def _once(self, name: str) -> None:
        """Call a method of the class itself, where it has it, once per run."""
        if self._has(name):
            helper = ObjectSession(self._loop)
            self._ended(helper.call(getattr(self._make, name)), f"has not ended {name}", f"has failed in {name}")
            helper.dismiss()

    def _has(self, name: str) -> bool:
        return isinstance(inspect.getattr_static(self._make, name, None), classmethod | staticmethod)

    def _ended(self, call: Call, late: str, failed: str) -> Any:
        if not call.done(self._patience):
            raise SystemUnready(f"{_name(self._make)} {late} within {self._patience:g} s")
        if call.error is not None:
            raise SystemUnready(f"{_name(self._make)} {failed}: {error_text(call.error)}") from call.error
        return call.result

    def _alive(self) -> ObjectSession:
        if self._life is None:
            raise SystemUnready("the system is not running: reset it first")
        return self._life


def object_from_text(text: str, *, isolated: bool) -> System:
    """Make the system of a Python object, `file.py:Class` or `module:Class`, in its own process if that is asked."""
    made: System = imported("outplay.play.adapters.isolated:Isolated")(text) if isolated else load_object(text)
    return made


def load_object(reference: str) -> PythonObject:
    """Load the Python object `file.py:Class` or `module:Class`, from installed packages or the current folder."""
    return PythonObject(find_class(reference))


def find_class(reference: str) -> Callable[..., Any]:
    """Find the class of the Python object that a reference names."""
    where, _, class_name = reference.rpartition(":")
    if not where or not class_name:
        raise SystemUnready(f"python:{reference}: write python:file.py:Class or python:module:Class")
    try:
        module = load_module(where)
    except ModelError as error:
        raise SystemUnready(f"python:{reference}: {error}") from error
    found = getattr(module, class_name, None)
    if not callable(found):
        known = [name for name in dir(module) if name[:1] != "_" and callable(getattr(module, name, None))]
        raise SystemUnready(f"python:{reference}: no class {class_name!r} there; {did_you_mean(class_name, known)}")
    return found  # type: ignore[no-any-return]  # callable, as was just seen


def _takes_a_parameter(make: Callable[..., Any]) -> bool:
    with contextlib.suppress(ValueError, TypeError):
        parameters = inspect.signature(make).parameters.values()
        return any(p.default is p.empty and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) for p in parameters)
    return False


def _name(make: Any) -> str:
    return getattr(make, "__name__", repr(make))
