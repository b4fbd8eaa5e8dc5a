"""One play over HTTP, from its reset to its end: clients that call in threads of their own, and what came back.

The calls of a client are made in their order, each when the one before was answered; those of different clients, and
those in the background, go on side by side. What is answered is put in line with the time at which it was read.
"""

from __future__ import annotations

import os
import queue
import threading
import time
from collections import ChainMap
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

from outplay.errors import AdapterError, SystemUnready
from outplay.model.label import Label
from outplay.play.adapters.event_queue import OURS, EventQueue
from outplay.play.adapters.http_client import HttpAnswer, HttpCall, HttpClient, TooLate, filled_call
from outplay.play.adapters.http_table import LATER, CallTemplate, HttpRoute, HttpTable, Listener, Polling
from outplay.play.adapters.messages.label_rows import COUNT, OutputRow, missing_row
from outplay.play.adapters.messages.message import Garbled, Gone, in_words
from outplay.play.adapters.messages.templates import Absent, ChosenNames, Scope
from outplay.play.trace import Event
from outplay.redaction import Redact

_ENDING = 2.0  # seconds in which threads whose connections are shut come to their end
_SHOWN = 200  # characters of an answer that a complaint shows


class Caller:
    """One client of a play: what it remembers, and its calls in line."""

    def __init__(self, name: str, http: HttpClient, saved: dict[str, Any]) -> None:
        self.name, self.http, self.saved = name, http, saved
        self.count = 0
        self.calls: queue.Queue[Callable[[], None] | None] = queue.Queue()
        self.threads: list[threading.Thread] = []
        self.run(self._work)

    def run(self, action: Callable[[], None]) -> None:
        """Do something beside the calls in line."""
        thread = threading.Thread(target=action, name=OURS, daemon=True)
        self.threads.append(thread)
        thread.start()

    def _work(self) -> None:
        while (call := self.calls.get()) is not None:
            call()


class Remembered(ChainMap[str, Any]):
    """The values saved of one call's own answers, before those that its client remembers; new ones go to both."""

    def __setitem__(self, name: str, value: Any) -> None:
        for place in self.maps:
            place[name] = value


class HttpPlay:
    """The clients of one play, what they listen to, and what was shown."""

    def __init__(
        self, connect: Callable[[], HttpClient], table: HttpTable, saved: Mapping[str, Any], redact: Redact
    ) -> None:
        self._connect, self._table, self._saved, self._redact = connect, table, saved, redact
        self._shown = EventQueue()
        self._names = ChosenNames()
        self._callers: dict[str, Caller] = {}
        self._over = threading.Event()
        self._counting = threading.Condition()
        self._open = 0  # calls and polls after them that may still show something
        self._unanswered = 0  # calls without those polls

    def listen(self, patience: float) -> None:
        """Begin to listen, and wait until all streams have begun."""
        began = [(listener, self._listening(listener, client)) for listener, client in _listening(self._table)]
        deadline = time.monotonic() + patience
        for listener, event in began:
            if not event.wait(max(deadline - time.monotonic(), 0.0)):
                raise SystemUnready(
                    f"the stream {listener.polling.call.shown_path} has not begun within {patience:g} s"
                )
        self._shown.raise_trouble()

    def give(self, label: Label, route: HttpRoute, patience: float) -> float | None:
        """Put a call in line, and wait until it begins; return when it did, None where it has not in time."""
        scope = route.row.bound(label)
        caller = self._caller(in_words(route.client.filled(self._scope(scope, sending=True))))
        caller.count += 1
        scope |= {COUNT: caller.count, "saved": {}}
        begun, began = threading.Event(), [0.0]

        def call() -> None:
            began[0] = time.monotonic()
            begun.set()
            if not self._over.is_set():
                self._watched(lambda: self._call(caller, route, scope))
            self._opened(-1, calls=-1)

        self._opened(1, calls=1)
        if route.background:
            caller.run(call)
        else:
            caller.calls.put(call)
        return began[0] if begun.wait(patience) else None

    def next(self, timeout: float) -> Event:
        """Return the next observation, or silence where nothing comes in time."""
        return self._shown.next(timeout)

    def answered(self, patience: float) -> bool:
        """Begin no more calls; say whether all that were made are answered, or too late, within `patience` seconds."""
        self._over.set()
        with self._counting:
            return self._counting.wait_for(lambda: not self._unanswered, patience)

    def end(self) -> None:
        """Break off all calls and streams, and wait for their threads."""
        self._over.set()
        self._shown.close()
        for caller in self._callers.values():
            caller.calls.put(None)
            caller.http.end()
        deadline = time.monotonic() + _ENDING
        for caller in self._callers.values():
            for thread in caller.threads:
                thread.join(max(deadline - time.monotonic(), 0.0))

    def _caller(self, name: str) -> Caller:
        if name not in self._callers:
            self._callers[name] = Caller(name, self._connect(), dict(self._saved))
        return self._callers[name]

    def _listening(self, listener: Listener, client: str) -> threading.Event:
        caller, began = self._caller(client), threading.Event()
        if listener.stream:
            caller.run(lambda: self._streaming(caller, listener.polling, began))
        else:
            began.set()
            caller.run(lambda: self._watched(lambda: self._poll(caller, listener.polling, {}, for_ever=True)))
        return began

    def _call(self, caller: Caller, route: HttpRoute, parameters: dict[str, Any]) -> None:
        try:
            answer = caller.http.call(self._filled(route.call, caller, parameters))
        except TooLate:
            self._match({"timeout": True}, caller, route.outputs, parameters, "no answer in time", strict=False)
            return
        except Gone as gone:
            self._broke(gone, caller, (*route.outputs, *self._table.outputs), parameters)
            return
        rows = (*route.outputs, *self._table.outputs)
        row = self._read(answer, caller, rows, parameters, route.call.shown)
        if row and LATER in row.further:
            following = {**parameters, **answer.parts, "answer": answer.parts}
            self._opened(1)
            caller.run(lambda: self._follow_up(caller, row.further[LATER], following))

    def _follow_up(self, caller: Caller, polling: Polling, known: dict[str, Any]) -> None:
        self._watched(lambda: self._poll(caller, polling, known))
        self._opened(-1)

    def _opened(self, many: int, *, calls: int = 0) -> None:
        with self._counting:
            self._open += many
            self._unanswered += calls
            self._counting.notify_all()

    @property
    def rests(self) -> bool:
        """Whether no call is on its way, nothing is polled for, and nobody listens: nothing can be shown by itself."""
        return self._open == 0 and not self._table.listeners

    def _poll(self, caller: Caller, polling: Polling, known: dict[str, Any], *, for_ever: bool = False) -> None:
        """Ask again and again: for ever, or until a row with a label is for the answer."""
        while not self._over.is_set():
            try:
                answer = caller.http.call(self._filled(polling.call, caller, known))
            except TooLate:
                continue
            except Gone as gone:
                row: OutputRow | None = self._broke(gone, caller, polling.outputs, known)
            else:
                row = self._read(answer, caller, polling.outputs, known, polling.call.shown)
            if row is not None and row.label and not for_ever:
                return
            self._over.wait(polling.pause)

    def _streaming(self, caller: Caller, polling: Polling, began: threading.Event) -> None:
        self._watched(lambda: self._stream(caller, polling, began))
        began.set()  # also where it could not begin

    def _stream(self, caller: Caller, polling: Polling, began: threading.Event) -> None:
        what = f"the stream {polling.call.shown_path}"
        try:
            for answer in caller.http.events(self._filled(polling.call, caller, {}), began):
                self._read(answer, caller, polling.outputs, {}, what)
        except Gone as gone:
            if not began.is_set():
                raise SystemUnready(f"{what} cannot begin: {gone}") from None
            self._broke(gone, caller, polling.outputs, {})
        else:
            self._broke(Gone(f"the server ended {what}"), caller, polling.outputs, {})

    def _broke(self, gone: Gone, caller: Caller, rows: Iterable[OutputRow], known: dict[str, Any]) -> OutputRow:
        """Say what it means that a connection broke: a crash, unless a row is for just that."""
        for_that = tuple(row for row in rows if any(hole.path[0] == "closed" for hole in row.when))
        row = self._match({"closed": True}, caller, for_that, known, str(gone), strict=False)
        if row is None:
            raise gone
        return row

    def _read(
        self, answer: HttpAnswer, caller: Caller, rows: Iterable[OutputRow], known: dict[str, Any], what: str
    ) -> OutputRow | None:
        """Say what an answer means, by the first row that is for it."""
        if answer.too_long:
            raise Garbled(f"{what}: an answer of more than {len(answer.body)} bytes")
        body = answer.body.decode(errors="replace")[:_SHOWN]
        said = f"{what} answers {answer.event or answer.status}{': ' if body else ''}{body}"
        return self._match(answer.parts, caller, tuple(rows), known, said, strict=True)

    def _match(
        self,
        parts: dict[str, Any],
        caller: Caller,
        rows: tuple[OutputRow, ...],
        known: dict[str, Any],
        said: str,
        *,
        strict: bool,
    ) -> OutputRow | None:
        scope = self._scope_of(caller, {**known, **parts})
        for row in rows:
            if row.fits(scope):
                break
        else:
            if strict and (rows or parts["status"] >= 300):
                self._refuse(scope, said, rows)
            return None
        for label in row.meaning(scope, scope.values["saved"], lambda: said):
            self._shown.show(partial(_output, label))
        return row

    def _refuse(self, scope: Scope, said: str, rows: Iterable[OutputRow]) -> None:
        parts = scope.values
        if parts["status"] >= 500:
            raise Garbled(said)
        if "json" not in parts and parts["status"] < 300 and parts["body"] and any("json" in row.parts for row in rows):
            raise Garbled(f"no JSON: {said}")
        raise missing_row(said, rows, scope, "status")

    def _filled(self, call: CallTemplate, caller: Caller, known: dict[str, Any]) -> HttpCall:
        return filled_call(call, self._scope_of(caller, known, sending=True))

    def _scope_of(self, caller: Caller, known: dict[str, Any], *, sending: bool = False) -> Scope:
        """Return the values for a call; what was saved of its own answer comes before what the client remembers."""
        saved = Remembered(known["saved"], caller.saved) if "saved" in known else caller.saved
        return self._scope({**known, "client": caller.name, "saved": saved}, sending=sending)

    def _scope(self, values: dict[str, Any], *, sending: bool = False) -> Scope:
        return Scope({"env": os.environ, **values}, self._names, sending)

    def _watched(self, action: Callable[[], None]) -> None:
        """Do something in a thread; what goes wrong is shown in line, and nothing is raised in it."""
        try:
            action()
        except Gone as gone:
            self._shown.show(partial(_ending, "crash", self._redact(str(gone))))
        except Garbled as garbled:
            self._shown.show(partial(_ending, "garbage", self._redact(str(garbled))))
        except AdapterError as error:
            self._trouble(str(error), type(error))
        except Absent as error:
            self._trouble(f"{error}, which the table sends: give it a first value under [saved]")
        except Exception as error:
            self._trouble(f"a call failed: {type(error).__name__}: {error}")

    def _trouble(self, what: str, kind: type[AdapterError] = AdapterError) -> None:
        """Show trouble of our own or of the table."""
        trouble = kind(self._redact(what))
        self._shown.show(lambda now: trouble)


def _output(label: Label, now: float) -> Event:
    return Event("output", label, seen=now)


def _ending(kind: str, detail: str, now: float) -> Event:
    return Event(kind, seen=now, detail=detail)


def _listening(table: HttpTable) -> list[tuple[Listener, str]]:
    return [(listener, client) for listener in table.listeners for client in listener.clients]
