"""A table for HTTP: from inputs to calls, and from answers, polls and streams of events to outputs.

The table is a document of plain values, as a TOML file holds it or as written in Python:

    saved   what each client remembers from the beginning
    inputs  `"post sender text" = {client, method, path, query, headers, json | form | body, timeout, background}`,
            with `outputs`, the rows tried in their order for the answer
    outputs rows tried for every answer that no other row is for
    listen  calls made again and again (`poll`), or streams of events, for each of `clients`
    reset   calls made before each play
    health  the call that says when the server is ready, and that it is `quiet`

An answer has the parts `status`, `headers`, `json`, `body`, `event`; `timeout` where none came in time, and `closed`
where the connection broke. What is polled `later` knows the `answer` to its call, and what was saved of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from outplay.errors import FormatError
from outplay.play.adapters.messages.label_rows import (
    COUNT,
    SHARED,
    InputRow,
    OutputRow,
    input_rows,
    number_in,
    numbered_entries,
    output_rows,
    refuse_other,
    text_in,
)
from outplay.play.adapters.messages.templates import Text, holes, read_tree, refuse_unknown_holes

ANSWER = {"status", "headers", "json", "body", "event", "timeout", "closed"}
OF_CALL = {COUNT, "answer"}
"""The first words of holes that belong to one call: its number, and its answer for what is polled later."""
BODIES = ("json", "form", "body")
CALL = ("method", "path", "query", "headers", *BODIES, "timeout")
SECTIONS = ("saved", "inputs", "outputs", "listen", "reset", "health")
_METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "QUERY")


@dataclass(frozen=True)
class CallTemplate:
    """The message of a call, with holes."""

    method: str
    path: Text
    query: Any
    headers: Any
    body: tuple[str, Any] | None
    timeout: float

    @staticmethod
    def read(entry: Mapping[str, Any], known: set[str], where: str, timeout: float) -> CallTemplate:
        """Read the parts of a table that make a call; `known` are the first words of its holes."""
        method = text_in(entry, "method", where, "GET").upper()
        if method not in _METHODS:
            raise FormatError(f"{where}: the method {method!r} is none of {', '.join(_METHODS)}")
        path = text_in(entry, "path", where, "")
        if not path.startswith("/"):
            raise FormatError(f"{where}: the path {path!r} should begin with /")
        bodies = [name for name in BODIES if name in entry]
        if len(bodies) > 1:
            raise FormatError(f"{where}: a call has one body; leave {' or '.join(bodies)} out")
        for name in ("query", "headers", "form"):
            if not isinstance(entry.get(name, {}), dict):
                raise FormatError(f"{where}: {name} should be a table")
        made = CallTemplate(
            method,
            Text.read(path, where),
            read_tree(entry.get("query", {}), f"{where}: query"),
            read_tree(entry.get("headers", {}), f"{where}: headers"),
            (bodies[0], read_tree(entry[bodies[0]], f"{where}: {bodies[0]}")) if bodies else None,
            number_in(entry, "timeout", where, timeout),
        )
        refuse_unknown_holes(made.trees, known, where)
        return made

    @property
    def trees(self) -> list[Any]:
        """All in it that has holes."""
        return [self.path, self.query, self.headers, self.body[1] if self.body else None]

    @property
    def shown_path(self) -> str:
        """Its path as the table has it."""
        return "".join(piece if isinstance(piece, str) else f"{{{'.'.join(piece.path)}}}" for piece in self.path.pieces)

    @property
    def shown(self) -> str:
        """Its method and path as the table has them."""
        return f"{self.method} {self.shown_path}"


@dataclass(frozen=True)
class Polling:
    """A call that is made again and again, with a pause between an answer and the next call."""

    call: CallTemplate
    outputs: tuple[OutputRow, ...]
    pause: float

    @staticmethod
    def read(entry: Any, known: set[str], where: str, more: tuple[str, ...] = ()) -> Polling:
        """Read it from a table, which may have more keys."""
        refuse_other(entry, (*CALL, "outputs", "pause", *more), where)
        call = CallTemplate.read(entry, known, where, 60.0)
        return Polling(call, output_rows(entry, known | ANSWER, where), number_in(entry, "pause", where, 0.05))


@dataclass(frozen=True)
class Listener:
    """A stream that a client listens to for the whole play."""

    polling: Polling
    clients: tuple[str, ...]
    stream: bool
    """Whether the answer is a stream of events, and not asked for again and again."""


@dataclass(frozen=True)
class HttpRoute:
    """An input and the call that is made for it."""

    row: InputRow
    call: CallTemplate
    client: Text
    outputs: tuple[OutputRow, ...]
    background: bool
    """Whether later inputs of the client go on beside it."""


@dataclass(frozen=True)
class ResetCall:
    """A call that is made before each play: when its answer is a good one, and what all clients remember of it."""

    call: CallTemplate
    answer: OutputRow


@dataclass(frozen=True)
class Health:
    """The call that says when the server is ready and when it is quiet."""

    call: CallTemplate
    ready: OutputRow
    quiet: OutputRow | None


@dataclass(frozen=True)
class HttpTable:
    """All of a table, read and checked."""

    routes: Mapping[str, HttpRoute]
    outputs: tuple[OutputRow, ...] = ()
    listeners: tuple[Listener, ...] = ()
    reset: tuple[ResetCall, ...] = ()
    health: Health | None = None
    saved: Mapping[str, Any] = field(default_factory=dict)
    document: Mapping[str, Any] = field(default_factory=dict)

    @staticmethod
    def read(document: Mapping[str, Any], where: str = "the table") -> HttpTable:
        """Read a table from its document; `where` names it in a complaint.

        >>> table = HttpTable.read({"inputs": {"get key": {"path": "/values/{key}"}}})
        >>> table.routes["get"].call.method
        'GET'
        >>> HttpTable.read({"inputs": {"get key": {"path": "/values/{kye}"}}})
        Traceback (most recent call last):
        outplay.errors.FormatError: the table: inputs 'get key': nothing is called {kye}; did you mean 'key'?
        """
        refuse_other(document, SECTIONS, where)
        rows = input_rows(document, SHARED | ANSWER | OF_CALL, where)
        found = HttpTable(
            {gate: _route(row) for gate, row in rows.items()},
            output_rows(document, SHARED | ANSWER, where),
            tuple(_listener(entry, place) for place, entry in numbered_entries(document, "listen", where)),
            tuple(_reset(entry, place) for place, entry in numbered_entries(document, "reset", where)),
            _health(document["health"], f"{where}: health") if "health" in document else None,
            document.get("saved", {}),
            document,
        )
        if not found.routes:
            raise FormatError(f'{where}: no inputs; write [inputs."post sender text"] with a path')
        if not isinstance(found.saved, dict):
            raise FormatError(f"{where}: saved should be a table")
        return found

    @property
    def is_synchronous(self) -> bool:
        """Whether nothing crosses on its way: one client, whose calls wait for each other, and nothing is pushed."""
        routes = self.routes.values()
        later = any(row.further for route in routes for row in route.outputs)
        one = not any(route.background or any(True for _ in holes(route.client)) for route in routes)
        return one and not self.listeners and not later


def _route(row: InputRow) -> HttpRoute:
    entry, where = row.entry, row.where
    refuse_other(entry, (*CALL, "client", "outputs", "background"), where)
    known = {*row.parameters, "saved", "env"}
    client = Text.read(text_in(entry, "client", where, "tester"), where)
    refuse_unknown_holes(client, set(row.parameters), where)
    known |= {"client", COUNT}
    call = CallTemplate.read(entry, known, where, 10.0)
    background = entry.get("background", False)
    if not isinstance(background, bool):
        raise FormatError(f"{where}: background should be true or false")
    further = known | ANSWER | {"item"}
    outputs = output_rows(entry, further, where, ("later",))
    made = tuple(_with_later(output, known | ANSWER | OF_CALL, where) for output in outputs)
    return HttpRoute(row, call, client, made, background)


def _with_later(row: OutputRow, known: set[str], where: str) -> OutputRow:
    """A row with what is polled after it, read."""
    if "later" not in row.further:
        return row
    polling = Polling.read(row.further["later"], known, f"{where}: later")
    return OutputRow(row.when, row.label, row.each, row.save, {"later": polling})


def _listener(entry: Any, where: str) -> Listener:
    polling = Polling.read(entry, SHARED, where, ("clients", "stream"))
    clients, stream = entry.get("clients", ["tester"]), entry.get("stream", False)
    if not isinstance(clients, list) or not all(isinstance(name, str) for name in clients):
        raise FormatError(f"{where}: clients should be a list of names")
    if not isinstance(stream, bool):
        raise FormatError(f"{where}: stream should be true or false")
    return Listener(polling, tuple(clients), stream)


def _reset(entry: Any, where: str) -> ResetCall:
    refuse_other(entry, (*CALL, "when", "save"), where)
    call = CallTemplate.read(entry, {"env", "saved"}, where, 10.0)
    row = {"when": entry.get("when", {"status": "2*"}), "save": entry.get("save", {})}
    return ResetCall(call, OutputRow.read(row, ANSWER | {"env"}, where))


def _health(entry: Any, where: str) -> Health:
    refuse_other(entry, (*CALL, "when", "quiet"), where)
    ready = OutputRow.read({"when": entry.get("when", {"status": "2*"})}, ANSWER | {"env"}, where)
    quiet = OutputRow.read({"when": entry["quiet"]}, ANSWER | {"env"}, where) if "quiet" in entry else None
    return Health(CallTemplate.read(entry, {"env"}, where, 10.0), ready, quiet)


LATER = "later"
"""The word for what is polled after an answer, until a row with a label is for it."""
