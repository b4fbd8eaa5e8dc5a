"""A Python object in a process of its own: whatever it does to that process is a crash, and outplay goes on.

The same contract as `outplay.play.adapters.python_object`, with a pipe in between: outputs may cross with inputs, and
arguments that Python cannot hand over to another process arrive as text. What the object prints goes to standard error.

Values handed to another process as JSON: whatever the text says, reading it calls nothing but makers of values.
Numbers, texts, true, false and null stand for themselves; all else is a list that begins with its kind. Members of
enums and dataclasses are named by module and class, so the other side has to have them too.

    ["tuple", 1, ["bytes", "6162"], ["enum", "shop.colours", "Colour", "RED"]]
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import sys
import threading
from collections.abc import Callable, Collection
from dataclasses import fields, is_dataclass, replace
from enum import Enum
from fractions import Fraction
from functools import reduce
from typing import Any

from outplay.errors import FormatError, OutplayError, SystemUnready
from outplay.model.label import INPUT, OUTPUT, Label, Verbatim
from outplay.model.values import Map
from outplay.play.adapters.event_queue import OURS
from outplay.play.adapters.process import Process
from outplay.play.adapters.python_object import PythonObject, load_object
from outplay.play.trace import ENDS, Event

_PLAIN = (type(None), bool, int, float, str)
_LISTED: dict[type, str] = {tuple: "tuple", list: "list", set: "set", frozenset: "frozenset"}
_MAPPED: dict[type, str] = {dict: "dict", Map: "map"}
_MADE: dict[str, Callable[..., Any]] = {
    **{name: kind for kind, name in (_LISTED | _MAPPED).items()},
    "bytes": bytes.fromhex,
    "fraction": Fraction,
    "verbatim": Verbatim,
}


def _json_of_value(value: Any) -> Any:
    """The JSON form of a value.

    >>> _json_of_value((1, frozenset({b"ab"}), {"half": Fraction(1, 2)}))
    ['tuple', 1, ['frozenset', ['bytes', '6162']], ['dict', ['half', ['fraction', '1/2']]]]
    """
    kind = type(value)
    if kind in _PLAIN:
        return value
    if kind in _LISTED:
        return [_LISTED[kind], *map(_json_of_value, value)]
    if kind in _MAPPED:
        return [_MAPPED[kind], *([_json_of_value(key), _json_of_value(member)] for key, member in value.items())]
    if kind is bytes:
        return ["bytes", value.hex()]
    if kind in (Fraction, Verbatim):
        return [kind.__name__.lower(), str(value)]
    if isinstance(value, Enum) and value.name:
        return ["enum", kind.__module__, kind.__qualname__, value.name]
    if is_dataclass(kind):
        parts = ([field.name, _json_of_value(getattr(value, field.name))] for field in fields(value))
        return ["record", kind.__module__, kind.__qualname__, *parts]
    raise FormatError(f"a {kind.__name__} cannot be handed to another process")


def _value_of_json(given: Any) -> Any:
    """The value again; an error where this side does not have its type.

    >>> _value_of_json(_json_of_value((1, frozenset({b"ab"}), {"half": Fraction(1, 2)})))
    (1, frozenset({b'ab'}), {'half': Fraction(1, 2)})
    """
    if not isinstance(given, list):
        return given
    kind, *parts = given
    if kind in _LISTED.values():
        return _MADE[kind](map(_value_of_json, parts))
    if kind in _MAPPED.values():
        return _MADE[kind]((_value_of_json(key), _value_of_json(member)) for key, member in parts)
    if kind in _MADE:
        return _MADE[kind](*parts)
    module, name, *members = parts
    named = reduce(getattr, name.split("."), importlib.import_module(module))
    if kind == "enum" and isinstance(named, type) and issubclass(named, Enum):
        return named[members[0]]
    if kind == "record" and isinstance(named, type) and is_dataclass(named):
        made = object.__new__(named)
        for field, member in members:
            object.__setattr__(made, field, _value_of_json(member))
        return made
    raise FormatError(f"{module}.{name} is no {kind}")


READY, CLOSED, UNREADY = "outplay.ready", "outplay.closed", "outplay.unready"
CRASH, GARBAGE = "outplay.crash", "outplay.garbage"
_LONGEST = 4000  # characters of a traceback that go over the pipe


class Isolated(Process):
    """Runs `file.py:Class` or `module:Class` in a process of its own."""

    def __init__(self, reference: str, *, patience: float = 10.0) -> None:
        self._host = [sys.executable, "-P", "-m", "outplay.play.adapters.isolated", reference]
        super().__init__(self._host, ready=READY, reset_message=('["reset"]', READY), patience=patience)
        self._ended: Event | None = None
        self._null_gates: Collection[str] = ()

    @property
    def renewed(self) -> bool:
        return False

    def will_call(self, gates: Collection[str]) -> None:
        self.command = [*self._host, *sorted(gates)]

    def answer_null(self, gates: Collection[str]) -> None:
        self._null_gates = gates

    def reset(self) -> None:
        self._ended = None
        super().reset()

    def give(self, label: Label) -> None:
        null = label.gate in self._null_gates
        self._open().write(json.dumps(["give", label.text, _handed(label.arguments), null]), self._patience)

    def arrive(self, vertices: Collection[str]) -> None:
        self._open().write(json.dumps(["arrive", *sorted(vertices)]), self._patience)

    def observe(self, timeout: float) -> Event:
        event = self._ended or self._observed(timeout)
        self._ended = event if event.kind in ENDS else None
        return event

    def _observed(self, timeout: float) -> Event:
        event = super().observe(timeout)
        if event.kind == "closed":
            return replace(event, kind="crash", detail=f"its process ended: {event.detail}")
        if event.label is None or not event.label.gate.startswith("outplay."):
            return event
        return _said_by_it(event, event.label)

    def close(self) -> None:
        """Let the object close itself and tear down, then end the process."""
        try:
            if self._link and self._link.alive():
                self._link.write('["close"]', self._patience)
                self._expect(CLOSED, "end of the object")
        finally:
            super().close()


def _said_by_it(event: Event, label: Label) -> Event:
    """Return what the other side says about itself."""
    words = [str(word) for word in label.arguments]
    if label.gate == UNREADY:
        raise SystemUnready(" ".join(words))
    if label.gate in (CRASH, GARBAGE):
        kind = label.gate.removeprefix("outplay.")
        return Event(kind, seen=event.seen, detail=words[0], traceback=words[1] if len(words) > 1 else "")
    return event


def _handed(arguments: tuple[Any, ...]) -> Any:
    with contextlib.suppress(OutplayError, RecursionError):
        return _json_of_value(arguments)
    return None


def _received(given: Any, written: tuple[Any, ...]) -> tuple[Any, ...]:
    """The arguments as they were, or as they are written where their types are not known on this side."""
    with contextlib.suppress(Exception):
        return tuple(_value_of_json(given))
    return written


class _Host:
    """The other side: an object, orders that come as lines, and lines that say what it shows."""

    def __init__(self, system: PythonObject, wire: int) -> None:
        self._system, self._wire, self._writing = system, wire, threading.Lock()
        self._listener: threading.Thread | None = None
        self._resting = threading.Event()

    def obey(self, order: str, *more: Any) -> None:
        """Do what one line says; trouble is told and not raised."""
        try:
            if order == "give":
                self._give(*more)
            elif order == "arrive":
                self._system.arrive(more)
            else:
                (self._reset if order == "reset" else self._close)()
        except OutplayError as error:
            self.say(UNREADY, str(error))

    def say(self, gate: str, *words: str) -> None:
        """Write one line."""
        left = Label(OUTPUT, gate, words).message.encode() + b"\n"
        with self._writing:
            while left:
                left = left[os.write(self._wire, left) :]

    def _give(self, text: str, arguments: Any, null: bool) -> None:
        label = Label.parse(text)
        self._system.answer_null((label.gate,) if null else ())
        self._system.give(Label(INPUT, label.gate, _received(arguments, label.arguments)))

    def _reset(self) -> None:
        self._rest()
        self._system.reset()
        self.say(READY)
        self._resting.clear()
        self._listener = threading.Thread(target=self._listen, name=f"{OURS} listener", daemon=True)
        self._listener.start()

    def _close(self) -> None:
        self._rest()
        self._system.close()
        self.say(CLOSED)

    def _rest(self) -> None:
        """Stop listening: what an object says after its play is of no interest, and says nothing about the next."""
        self._resting.set()
        if self._listener:
            self._listener.join()

    def _listen(self) -> None:
        while not self._resting.is_set():
            try:
                event = self._system.observe(0.05)
            except OutplayError as error:
                self.say(UNREADY, str(error))
                return
            if event.label:
                self.say(event.label.gate, *event.label.arguments)
            elif event.kind != "silence":
                self.say(f"outplay.{event.kind}", event.detail, event.traceback[-_LONGEST:])
                return


def serve(reference: str, *gates: str) -> None:
    """Serve an isolated object in its own process, until nobody gives orders any more."""
    wire = os.dup(1)
    os.dup2(2, 1)  # what the object prints is no output of it
    try:
        system = load_object(reference)
    except OutplayError as error:
        os.write(wire, Label(OUTPUT, UNREADY, (str(error),)).message.encode() + b"\n")
        return
    system.will_call(gates)
    host = _Host(system, wire)
    host.obey("reset")
    for line in sys.stdin:
        host.obey(*json.loads(line))


if __name__ == "__main__":
    serve(*sys.argv[1:])
