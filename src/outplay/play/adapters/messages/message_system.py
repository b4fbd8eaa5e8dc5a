"""A system that is sent messages and sends some: what stands for inputs and outputs says a table.

A play before is broken off at a reset: its connections are ended, and what its clients remembered is gone. What the
system itself remembers is reset by the messages that the table has for that, or by starting it anew.

The end of a connection is an event, `closed` or a crash, unless a row of the table is for it. A message that no row is
for is an error of the table; one that is no UTF-8, or no JSON where all rows read JSON, is garbage.

The secrets of a table: what looks like one, and all that it takes from the environment.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

from outplay.errors import SystemUnready
from outplay.model.label import Label
from outplay.play.adapters.messages.label_rows import row_for
from outplay.play.adapters.messages.message import Transport
from outplay.play.adapters.messages.message_play import MessagePlay
from outplay.play.adapters.messages.message_table import MessageTable
from outplay.play.adapters.messages.templates import holes, read_tree
from outplay.play.system import Clock, RealClock
from outplay.play.trace import Event
from outplay.redaction import Redact, redaction
from outplay.signals import unbroken

_SECRET = re.compile(r"authorization|cookie|passw|secret|token|credential|key", re.IGNORECASE)


def table_redaction(document: Mapping[str, Any], url: str = "") -> Redact:
    """Return the redaction for a system of messages: for secrets in its table, its address and the environment."""
    secrets = {f"{name} of the table": value for name, value in _secrets(document)}
    secrets |= {name: value for name in _variables(document) if (value := os.environ.get(name))}
    if password := urlsplit(url).password:
        secrets["password of the address"] = password
    return redaction(secrets, {**os.environ, **secrets})


def _variables(document: Mapping[str, Any]) -> Iterator[str]:
    """The variables of the environment that holes stand for."""
    known = read_tree({key: value for key, value in document.items() if key != "saved"}, "")
    yield from (hole.path[1] for hole in holes(known) if hole.path[0] == "env" and len(hole.path) > 1)


def _secrets(tree: Any, name: str = "") -> Iterator[tuple[str, str]]:
    """The texts of a table that stand under a name that looks like that of a secret."""
    if isinstance(tree, Mapping):
        for key, value in tree.items():
            yield from _secrets(value, key if _SECRET.search(key) or not _SECRET.search(name) else name)
    elif isinstance(tree, list):
        for value in tree:
            yield from _secrets(value, name)
    elif isinstance(tree, str) and _SECRET.search(name):
        whole = re.sub(r"\{[^{}]*\}", " ", tree)
        yield from ((name, word) for word in whole.split() if word.lower() not in ("bearer", "basic") and len(word) > 3)


class MessageSystem:
    """Clients of a system that is reached by a kind of connection, and what they send and get by a table.

    Connecting, and each answer waited for before a play, may take `patience` seconds.
    """

    synchronous = False

    def __init__(
        self,
        transport: Transport,
        table: MessageTable,
        *,
        patience: float = 10.0,
        address: str = "",
    ) -> None:
        self._transport, self._table, self._patience = transport, table.with_a_client(), patience
        self.clock: Clock = RealClock()
        self._play: MessagePlay | None = None
        self._redact = table_redaction(self._table.document, address)

    def reset(self) -> None:
        self._end_play()
        self._transport.reset()
        self._play = MessagePlay(self._transport, self._table, self._redact, self._patience)
        self._play.begin()

    def give(self, label: Label) -> None:
        self._running().give(label, row_for(label, self._table.routes))

    def observe(self, timeout: float) -> Event:
        return self._running().next(timeout)

    def close(self) -> None:
        try:
            self._end_play()
        finally:
            self._transport.close()

    def _end_play(self) -> None:
        with unbroken():
            play, self._play = self._play, None
            if play:
                play.end()

    def _running(self) -> MessagePlay:
        if self._play is None:
            raise SystemUnready("the system is not running: reset it first")
        return self._play
