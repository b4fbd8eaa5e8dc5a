"""A table for messages: from inputs to messages that a client sends, and from messages that come to outputs.

The table is a document of plain values, as a TOML file holds it or as written in Python:

    clients who connects at the beginning of a play; others connect with their first input
    connect how a client connects, by the kind of connection
    begin   messages sent as soon as a client is connected, each with `when` and `save` for the answer it waits for
    reset   the same, sent by a client of its own before each play
    saved   what each client remembers from the beginning
    inputs  `"post sender text" = {client, json | body | hex}`, with `outputs`, rows tried first for an answer: those
            of the question that was asked first; or `connection = "open"`, `"close"` or `"cut"`
    outputs rows tried for every message

A message has the parts `json`, `body` and `hex`; `closed` where it is the end of a connection.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from outplay.errors import FormatError
from outplay.play.adapters.messages.label_rows import (
    COUNT,
    SHARED,
    InputRow,
    OutputRow,
    input_rows,
    numbered_entries,
    output_rows,
    refuse_other,
    text_in,
)
from outplay.play.adapters.messages.message import CLOSED, MessageKind
from outplay.play.adapters.messages.templates import Text, read_tree, refuse_unknown_holes

BODIES = ("json", "body", "hex")
PARTS = {*BODIES, CLOSED}
_SECTIONS = ("clients", "connect", "begin", "reset", "saved", "inputs", "outputs")
_ALWAYS = {"saved", "env", "client", COUNT}


@dataclass(frozen=True)
class MessageTemplate:
    """The message to send, with holes; nothing where it only opens or ends a connection."""

    body: tuple[str, Any] | None
    further: Mapping[str, Any]
    connection: str = ""

    @staticmethod
    def read(entry: Mapping[str, Any], kind: MessageKind, known: set[str], where: str) -> MessageTemplate:
        """Read the parts of a table that make a message; `known` are the first words of its holes."""
        bodies = [name for name in BODIES if name in entry]
        connection = text_in(entry, "connection", where, "")
        if connection not in ("", *CONNECTION):
            raise FormatError(f"{where}: connection = {connection!r} is none of {', '.join(CONNECTION)}")
        further = {name: read_tree(entry[name], f"{where}: {name}") for name in kind.send if name in entry}
        if len(bodies) + bool(connection) > 1:
            raise FormatError(f"{where}: a message has one body, and none where a connection opens or ends")
        if not bodies and not connection and not further:
            raise FormatError(f"{where}: nothing is sent; write one of {', '.join((*BODIES, *kind.send))}")
        body = (bodies[0], read_tree(entry[bodies[0]], f"{where}: {bodies[0]}")) if bodies else None
        if bodies and bodies[0] != "json" and not isinstance(entry[bodies[0]], str):
            raise FormatError(f"{where}: {bodies[0]} should be a text")
        refuse_unknown_holes([body[1] if body else None, further], known, where)
        return MessageTemplate(body, further, connection)


CONNECTION = ("open", "close", "cut")
"""The effects that an input may have on the connection of its client."""


@dataclass(frozen=True)
class MessageRoute:
    """An input, who sends what for it, and what the answers mean."""

    row: InputRow
    client: Text
    message: MessageTemplate
    outputs: tuple[OutputRow, ...]


@dataclass(frozen=True)
class Prelude:
    """A message sent before the play proper, and the answer that is waited for, if any."""

    message: MessageTemplate
    answer: OutputRow | None


@dataclass(frozen=True)
class MessageTable:
    """All of a table, read and checked."""

    routes: Mapping[str, MessageRoute]
    outputs: tuple[OutputRow, ...] = ()
    clients: tuple[str, ...] = ()
    connect: Mapping[str, Any] = field(default_factory=dict)
    begin: tuple[Prelude, ...] = ()
    reset: tuple[Prelude, ...] = ()
    saved: Mapping[str, Any] = field(default_factory=dict)
    document: Mapping[str, Any] = field(default_factory=dict)

    @staticmethod
    def read(
        document: Mapping[str, Any], kind: MessageKind, where: str = "the table", more: tuple[str, ...] = ()
    ) -> MessageTable:
        """Read a table from its document; `where` names it in a complaint, `more` sections belong to somebody else.

        >>> table = MessageTable.read({"inputs": {"say who what": {"json": {"text": "{what}"}}}}, MessageKind())
        >>> table.routes["say"].row.parameters
        ('who', 'what')
        >>> MessageTable.read({"inputs": {"say what": {"json": "{waht}"}}}, MessageKind())
        Traceback (most recent call last):
        outplay.errors.FormatError: the table: inputs 'say what': nothing is called {waht}; did you mean 'what'?
        """
        refuse_other(document, (*_SECTIONS, *more), where)
        parts = PARTS | kind.parts
        rows = input_rows(document, SHARED | parts | {COUNT}, where)
        found = MessageTable(
            {gate: _route(row, kind) for gate, row in rows.items()},
            output_rows(document, SHARED | parts, where),
            _clients(document, where),
            _connect(document, kind, where),
            tuple(_prelude(entry, kind, place) for place, entry in numbered_entries(document, "begin", where)),
            tuple(_prelude(entry, kind, place) for place, entry in numbered_entries(document, "reset", where)),
            document.get("saved", {}),
            document,
        )
        if not found.routes:
            raise FormatError(f'{where}: no inputs; write [inputs."post sender text"] with json or body')
        if not isinstance(found.saved, dict):
            raise FormatError(f"{where}: saved should be a table")
        return found

    def with_a_client(self) -> MessageTable:
        """The same, where a client that every input names is there from the beginning of a play."""
        names = {route.client.pieces for route in self.routes.values()}
        whole = [pieces[0] for pieces in names if len(pieces) == 1 and isinstance(pieces[0], str)]
        return self if self.clients or len(names) > 1 else replace(self, clients=tuple(whole))

    @property
    def speaks_json(self) -> bool:
        """Whether every row for a message reads it as JSON."""
        rows = [*self.outputs, *(row for route in self.routes.values() for row in route.outputs)]
        return all(row.parts & {CLOSED, "json"} for row in rows)


def _route(row: InputRow, kind: MessageKind) -> MessageRoute:
    entry, where = row.entry, row.where
    refuse_other(entry, (*BODIES, *kind.send, "client", "connection", "outputs"), where)
    client = Text.read(text_in(entry, "client", where, "tester"), where)
    refuse_unknown_holes(client, set(row.parameters), where)
    known = {*row.parameters, *_ALWAYS}
    message = MessageTemplate.read(entry, kind, known, where)
    return MessageRoute(row, client, message, output_rows(entry, known | PARTS | kind.parts | {"item"}, where))


def _prelude(entry: Any, kind: MessageKind, where: str) -> Prelude:
    refuse_other(entry, (*BODIES, *kind.send, "when", "save"), where)
    message = MessageTemplate.read(entry, kind, _ALWAYS, where)
    if "when" not in entry and "save" not in entry:
        return Prelude(message, None)
    row = {"when": entry.get("when", {}), "save": entry.get("save", {})}
    return Prelude(message, OutputRow.read(row, PARTS | kind.parts | _ALWAYS, where))


def _clients(document: Mapping[str, Any], where: str) -> tuple[str, ...]:
    clients = document.get("clients", [])
    if not isinstance(clients, list) or not all(isinstance(name, str) for name in clients):
        raise FormatError(f"{where}: clients should be a list of names")
    return tuple(clients)


def _connect(document: Mapping[str, Any], kind: MessageKind, where: str) -> Mapping[str, Any]:
    entry = document.get("connect", {})
    refuse_other(entry, kind.connect, f"{where}: connect")
    settings: Mapping[str, Any] = read_tree(dict(entry), f"{where}: connect")
    refuse_unknown_holes(settings, {"client", "env", "saved"}, f"{where}: connect")
    return settings
