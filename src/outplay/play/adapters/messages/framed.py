"""Messages over TCP, framed as a table says.

`framing` in the table is `lines`, `length4` and its like, `netstring` or `content-length`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from outplay.errors import AdapterError, FormatError, UsageError
from outplay.play.adapters.adapter_check import message_misfits
from outplay.play.adapters.gate_use import Gates, Misfit
from outplay.play.adapters.messages.label_rows import text_in
from outplay.play.adapters.messages.message import LARGEST_MESSAGE, Hear, MessageKind, Outgoing, Received, ended
from outplay.play.adapters.messages.message_system import MessageSystem
from outplay.play.adapters.messages.message_table import MessageTable
from outplay.play.adapters.messages.socket_link import SocketLink, connected
from outplay.play.framing import Framing, NoMessage, framing_of

FRAMING = "framing"
_SHOWN = 60  # bytes of what is no message


class FramedDialogue:
    """Messages one after the other, as a framing has them."""

    def __init__(self, framing: Framing) -> None:
        self._framing, self.pending = framing, b""

    def written(self, message: Outgoing) -> bytes:
        try:
            return self._framing.framed(message.content)
        except NoMessage as error:
            raise AdapterError(f"{error}; mend the table") from None

    def heard(self, chunk: bytes) -> Iterator[Received]:
        if not chunk:
            half = self.pending
            yield _garbled(half, "a message without its end") if half else ended("closed", "the other side closed it")
            return
        try:
            messages, self.pending = self._framing.cut(self.pending + chunk)
            yield from (Received(self._framing.content(message)) for message in messages)
        except NoMessage as error:
            yield _garbled(self.pending + chunk, str(error))
            return
        if len(self.pending) > LARGEST_MESSAGE:
            yield _garbled(self.pending, f"a message of more than {LARGEST_MESSAGE} bytes")

    def replies(self) -> bytes:
        return b""

    def farewell(self) -> bytes:
        return b""


def _garbled(what: bytes, why: str) -> Received:
    return ended("garbage", f"{why}: {what[:_SHOWN]!r}")


class TcpTransport:
    """Connections to an address."""

    kind = MessageKind()

    def __init__(self, address: tuple[str, int], framing: Framing) -> None:
        self._address, self._framing = address, framing

    def connect(
        self, client: str, settings: Mapping[str, Any], hear: Hear, has_room: Callable[[], bool], patience: float
    ) -> SocketLink:
        link = connected(self._address, patience)
        return SocketLink(link, FramedDialogue(self._framing), hear, has_room, patience)

    def reset(self) -> None:
        """Nothing is shared by the clients."""

    def close(self) -> None:
        """Nothing is shared by the clients."""


def framed_table(document: Mapping[str, Any], kind: MessageKind, where: str) -> tuple[MessageTable, Framing]:
    """Read a table of framed messages, with the framing beside."""
    try:
        framing = framing_of(text_in(document, FRAMING, where, "lines"))
    except UsageError as error:
        raise FormatError(f"{where}: {error}") from None
    return MessageTable.read(document, kind, where, (FRAMING,)), framing


class FramedTcp(MessageSystem):
    """The server at `host:port`, spoken to in messages by a table: a mapping as a TOML file holds it."""

    def __init__(
        self, host: str, port: int, table: Mapping[str, Any], *, patience: float = 10.0, where: str = "the table"
    ) -> None:
        read, framing = framed_table(table, TcpTransport.kind, where)
        super().__init__(TcpTransport((host, port), framing), read, patience=patience)


def framed_misfits(
    text: str, gates: Gates, *, table: str, read_table: Callable[[str], Mapping[str, Any]], **_: Any
) -> Iterator[Misfit]:
    """Hold a table of framed messages against the gates of a model."""
    return message_misfits(framed_table(read_table(table), TcpTransport.kind, table)[0], gates)
