"""One play by messages: clients with a connection each, what is sent on it, and what comes.

What comes on a connection is read in its order, by the thread of that connection, and put in line with the time.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

from outplay.cancellation import raise_if_cancelled
from outplay.errors import AdapterError, SystemUnready
from outplay.model.label import Label
from outplay.play.adapters.event_queue import EventQueue
from outplay.play.adapters.messages.label_rows import COUNT, OutputRow, missing_row
from outplay.play.adapters.messages.message import (
    UNREADY,
    Garbled,
    Gone,
    MessageLink,
    Outgoing,
    Received,
    Transport,
    in_words,
    to_json,
)
from outplay.play.adapters.messages.message_table import MessageRoute, MessageTable, MessageTemplate, Prelude
from outplay.play.adapters.messages.templates import Absent, ChosenNames, Scope, filled
from outplay.play.trace import Event
from outplay.redaction import Redact

_SHOWN = 200  # characters of a message that a complaint shows
_MOST_WAITING = 10_000  # messages read and not yet taken; beyond that the system has to wait
_SLICE = 0.05  # seconds of a wait for an answer, in which the end of the connection shows


class MessageClient:
    """One client of a play: its connection, what it remembers, and what it waits for."""

    def __init__(self, name: str, saved: Mapping[str, Any], *, plays: bool = True) -> None:
        self.name, self.saved, self.plays = name, dict(saved), plays
        self.link: MessageLink | None = None
        self.generation = 0
        """The number of the connection that is heard: one that it has ended is ignored."""
        self.ended = ""
        """The way in which the other side ended the connection."""
        self.waiting: tuple[OutputRow, threading.Event] | None = None
        self.questions: list[tuple[tuple[OutputRow, ...], dict[str, Any]]] = []
        self.count = 0


class MessagePlay:
    """The clients of one play and what was shown."""

    def __init__(
        self, transport: Transport, table: MessageTable, redact: Redact, patience: float, where: str = ""
    ) -> None:
        self._transport, self._table, self._redact, self._patience = transport, table, redact, patience
        self._shown = EventQueue()
        self._names = ChosenNames()
        self._clients: dict[str, MessageClient] = {}
        self._saved: Mapping[str, Any] = table.saved
        self._hearing = threading.Lock()
        self._over = False

    def begin(self) -> None:
        """Reset the system where the table says how, and connect the clients that are there from the beginning."""
        try:
            if self._table.reset:
                self._reset()
            for name in self._table.clients:
                self._connect(self._client(name))
        except Gone as gone:
            raise SystemUnready(self._redact(str(gone))) from None
        except Absent as absent:
            raise SystemUnready(f"{absent}, which the table sends: give it a first value under [saved]") from None
        self._shown.raise_trouble()

    def give(self, label: Label, route: MessageRoute) -> None:
        """Send the message of an input; what cannot be sent because the other side is gone is lost."""
        parameters = route.row.bound(label)
        try:
            client = self._client(in_words(route.client.filled(self._scope(parameters))))
            self._act(client, route, parameters)
        except Gone as gone:
            why = self._redact(str(gone))
            self._shown.show(lambda now: Event("crash", seen=now, detail=why))
        except Absent as absent:
            raise SystemUnready(f"{absent}, which the table sends: give it a first value under [saved]") from None

    def next(self, timeout: float) -> Event:
        """Return the next observation, or silence where nothing comes in time."""
        event = self._shown.next(timeout)
        if event.kind == "silence" and timeout > 0:
            for client in list(self._clients.values()):
                if client.link:
                    client.link.look(self._shown.has_some)
            return self._shown.next(0)
        return event

    def end(self) -> None:
        """End all connections."""
        self._over = True
        self._shown.close()
        for client in self._clients.values():
            self._disconnect(client)

    def _act(self, client: MessageClient, route: MessageRoute, parameters: dict[str, Any]) -> None:
        what = route.message.connection
        if what == "open" or (client.link is None and not what):
            self._connect(client)
        elif what:
            self._disconnect(client, cut=what == "cut")
        if what or client.ended or client.link is None:
            return
        client.count += 1
        asked = {**parameters, COUNT: client.count}
        if route.outputs:
            with self._hearing:
                client.questions.append((route.outputs, asked))
        client.link.send(self._filled(route.message, client, asked))

    def _client(self, name: str) -> MessageClient:
        if name not in self._clients:
            self._clients[name] = MessageClient(name, self._saved)
        return self._clients[name]

    def _connect(self, client: MessageClient) -> None:
        self._disconnect(client)
        settings = filled(self._table.connect, self._scope_of(client, {}))
        hear = partial(self._hear, client, client.generation)
        client.link = self._transport.connect(client.name, settings, hear, self._has_room, self._patience)
        for prelude in self._table.begin:
            self._greet(client, prelude)

    def _disconnect(self, client: MessageClient, *, cut: bool = False) -> None:
        client.generation += 1
        link, client.link, client.ended = client.link, None, ""
        client.questions.clear()
        if link:
            link.close(cut=cut)

    def _reset(self) -> None:
        """Send what resets the system; all clients remember what was learnt."""
        client = MessageClient("reset", self._table.saved, plays=False)
        settings = filled(self._table.connect, self._scope_of(client, {}))
        hear = partial(self._hear, client, client.generation)
        client.link = self._transport.connect(client.name, settings, hear, self._has_room, self._patience)
        try:
            for prelude in self._table.reset:
                self._greet(client, prelude)
        finally:
            self._disconnect(client)
        self._saved = client.saved

    def _greet(self, client: MessageClient, prelude: Prelude) -> None:
        """Send a message before the play proper, and wait for its answer."""
        assert client.link
        came = threading.Event()
        client.count += 1
        if prelude.answer:
            client.waiting = (prelude.answer, came)
        client.link.send(self._filled(prelude.message, client, {COUNT: client.count}))
        deadline = time.monotonic() + self._patience
        while prelude.answer and not came.wait(_SLICE):
            raise_if_cancelled()
            self._shown.raise_trouble()
            if client.ended:
                raise SystemUnready(self._redact(f"{client.ended} while {client.name} waited for an answer"))
            if time.monotonic() > deadline:
                what = f"no answer to what {client.name} sends at the beginning within {self._patience:g} s"
                raise SystemUnready(what)

    def _hear(self, client: MessageClient, generation: int, heard: Received) -> None:
        """Put in line what a message means; runs in the thread of its connection, where nothing may be raised."""
        if self._over or generation != client.generation:
            return
        try:
            with self._hearing:
                labels = self._labels(client, heard)
        except Garbled as garbled:
            self._end("garbage", str(garbled))
        except AdapterError as error:
            self._trouble(str(error), type(error))
        except Exception as error:
            self._trouble(f"a message could not be read: {type(error).__name__}: {error}")
        else:
            for label in labels:
                self._shown.show(partial(_output, label))

    def _labels(self, client: MessageClient, heard: Received) -> list[Label]:
        if heard.ending:
            client.ended = f"{heard.detail} ({client.name})"
        parts = heard.parts
        if client.waiting and not heard.signal:
            row, came = client.waiting
            scope = self._scope_of(client, parts, sending=False)
            if row.fits(scope):
                client.saved.update(row.remembered(scope))
                client.waiting = None
                came.set()
                return []
        if not client.plays:
            return []
        for n, (rows, parameters) in enumerate(client.questions):
            scope = self._scope_of(client, {**parameters, **parts}, sending=False)
            if row_found := _fitting(rows, heard, scope):
                del client.questions[n]
                return row_found.meaning(scope, client.saved, partial(_said, client, heard))
        scope = self._scope_of(client, parts, sending=False)
        if found := _fitting(self._table.outputs, heard, scope):
            return found.meaning(scope, client.saved, partial(_said, client, heard))
        self._refuse(client, heard, parts)
        return []

    def _refuse(self, client: MessageClient, heard: Received, parts: Mapping[str, Any]) -> None:
        """Say what a message is that no row is for."""
        if heard.ending == UNREADY:
            raise SystemUnready(client.ended)
        if heard.ending:
            self._end(heard.ending, client.ended)
        elif heard.signal:
            return
        elif "body" not in parts:
            raise Garbled(f"not UTF-8: {_said(client, heard)}")
        elif "json" not in parts and self._table.speaks_json:
            raise Garbled(f"no JSON: {_said(client, heard)}")
        else:
            scope = self._scope_of(client, parts, sending=False)
            raise missing_row(_said(client, heard), self._table.outputs, scope, "body")

    def _filled(self, template: MessageTemplate, client: MessageClient, parameters: Mapping[str, Any]) -> Outgoing:
        scope = self._scope_of(client, parameters)
        further = {name: filled(tree, scope) for name, tree in template.further.items()}
        kind, tree = template.body or ("body", "")
        content = filled(tree, scope)
        if kind == "hex":
            try:
                return Outgoing(bytes.fromhex(in_words(content)), binary=True, further=further)
            except ValueError:
                raise AdapterError(f"{in_words(content)!r} is no hex text; mend the table") from None
        written = _compact(content) if kind == "json" else in_words(content)
        return Outgoing(written.encode(errors="surrogatepass"), further=further)

    def _scope(self, values: Mapping[str, Any], *, sending: bool = True) -> Scope:
        return Scope({"env": os.environ, **values}, self._names, sending)

    def _scope_of(self, client: MessageClient, values: Mapping[str, Any], *, sending: bool = True) -> Scope:
        return self._scope({**values, "client": client.name, "saved": client.saved}, sending=sending)

    def _has_room(self) -> bool:
        return self._shown.size < _MOST_WAITING

    def _end(self, kind: str, detail: str) -> None:
        told = self._redact(detail)
        self._shown.show(lambda now: Event(kind, seen=now, detail=told))

    def _trouble(self, what: str, kind: type[AdapterError] = AdapterError) -> None:
        trouble = kind(self._redact(what))
        self._shown.show(lambda now: trouble)


def _fitting(rows: Iterable[OutputRow], heard: Received, scope: Scope) -> OutputRow | None:
    """The first row for a message; for a signal only one that names it."""
    for row in rows:
        if heard.signal and not any(hole.path[0] == heard.signal for hole in row.when):
            continue
        if row.fits(scope):
            return row
    return None


def _said(client: MessageClient, heard: Received) -> str:
    content = heard.content[: _SHOWN + 1].decode(errors="replace")
    return f"{client.name} is sent {content[:_SHOWN]}{'…' if len(content) > _SHOWN else ''}"


def _compact(content: Any) -> str:
    plain = to_json(content)
    return in_words(plain) if not isinstance(plain, str) else in_words((plain,))[1:-1]


def _output(label: Label, now: float) -> Event:
    return Event("output", label, seen=now)
