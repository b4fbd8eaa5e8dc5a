"""A system that is sent messages and sends some: what stands for inputs and outputs says a table.

A play before is broken off at a reset: its connections are ended, and what its clients remembered is gone. What the
system itself remembers is reset by the messages that the table has for that, or by starting it anew.

The end of a connection is an event, `closed` or a crash, unless a row of the table is for it. A message that no row is
for is an error of the table; one that is no UTF-8, or no JSON where all rows read JSON, is garbage.
"""

from __future__ import annotations

from outplay.errors import SystemUnready
from outplay.interrupting import unbroken
from outplay.model.label import Label
from outplay.play.adapters.messages.label_rows import row_for
from outplay.play.adapters.messages.message import Transport
from outplay.play.adapters.messages.message_play import MessagePlay
from outplay.play.adapters.messages.message_table import MessageTable
from outplay.play.adapters.messages.table_secrets import table_redaction
from outplay.play.clock import Clock, RealClock
from outplay.play.event import Event


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
