"""A server behind WebSockets as the system under test: each client has a connection, each message is one of a table.

A `connect` section says `path`, `query`, `headers` and `subprotocols`, with holes such as `{client}`. Messages
are texts, those of `hex` binary.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from websockets.client import ClientProtocol
from websockets.frames import CloseCode, Frame, Opcode
from websockets.protocol import Event, State
from websockets.uri import parse_uri

from outplay.errors import SystemUnready, UsageError
from outplay.play.adapters.adapter_check import message_misfits
from outplay.play.adapters.gate_use import Gates, Misfit
from outplay.play.adapters.messages.message import (
    LARGEST_MESSAGE,
    Gone,
    Hear,
    MessageKind,
    Outgoing,
    Received,
    ended,
    in_words,
)
from outplay.play.adapters.messages.message_system import MessageSystem
from outplay.play.adapters.messages.message_table import MessageTable
from outplay.play.adapters.messages.socket_link import SocketLink, connected
from outplay.play.secure_link import Link, tls_context

_NORMAL = (CloseCode.NORMAL_CLOSURE, CloseCode.GOING_AWAY)  # codes with which a connection is closed in good order


class WebSocketTransport:
    """Connections to a `ws://` or `wss://` address."""

    kind = MessageKind(("path", "query", "headers", "subprotocols"), (), frozenset({"binary", "reason"}))

    def __init__(self, url: str, ca: str | None = None) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("ws", "wss") or not parts.hostname or parts.query or parts.fragment:
            raise UsageError(f"--sut {url}: write the address of a server, such as ws://127.0.0.1:8000")
        self._url, self._secure = url.rstrip("/"), tls_context(ca) if parts.scheme == "wss" else None
        self._address = (parts.hostname, parts.port or (443 if self._secure else 80))

    def connect(
        self, client: str, settings: Mapping[str, Any], hear: Hear, has_room: Callable[[], bool], patience: float
    ) -> SocketLink:
        link = connected(self._address, patience, self._secure)
        try:
            link.settimeout(patience)
            dialogue = _WebSocketDialogue(self._asking(settings))
            dialogue.shake_hands(link)
        except BaseException:
            link.close()
            raise
        for early in dialogue.heard_early():
            hear(early)
        return SocketLink(link, dialogue, hear, has_room, patience)

    def reset(self) -> None:
        """Nothing is shared by the clients."""

    def close(self) -> None:
        """Nothing is shared by the clients."""

    def _asking(self, settings: Mapping[str, Any]) -> ClientProtocol:
        """The client's side of the protocol, about to ask for the connection."""
        query = urlencode({name: in_words(value) for name, value in settings.get("query", {}).items()})
        target = self._url + quote(in_words(settings.get("path", "")), safe="/%") + (f"?{query}" if query else "")
        names = settings.get("subprotocols") or None
        protocol = ClientProtocol(parse_uri(target), subprotocols=names, max_size=LARGEST_MESSAGE)
        request = protocol.connect()
        for name, value in settings.get("headers", {}).items():
            request.headers[name] = in_words(value)
        protocol.send_request(request)
        return protocol


class _WebSocketDialogue:
    """One connection's messages in frames, by a protocol of the library that reads and writes no socket itself."""

    def __init__(self, protocol: ClientProtocol) -> None:
        self._protocol = protocol
        self._parts, self._text, self._over = bytearray(), True, False
        self._early: list[Event] = []

    def shake_hands(self, link: Link) -> None:
        """Ask for the connection, and wait for the answer."""
        protocol = self._protocol
        link.sendall(self.replies())
        while protocol.state is State.CONNECTING and protocol.handshake_exc is None:
            try:
                chunk = link.recv(65536)
            except TimeoutError:
                raise SystemUnready("the server does not answer the WebSocket handshake") from None
            except OSError as error:
                raise Gone(f"the connection broke in the WebSocket handshake: {error.strerror or error}") from None
            if chunk:
                protocol.receive_data(chunk)
            else:
                protocol.receive_eof()
            self._early = protocol.events_received()
            if not chunk:
                break
        if protocol.handshake_exc is not None:
            raise SystemUnready(f"the server refuses the WebSocket handshake: {protocol.handshake_exc}")

    def heard_early(self) -> Iterator[Received]:
        """Return what came together with the answer to the handshake."""
        yield from self._read(self._early[1:])

    def written(self, message: Outgoing) -> bytes:
        if self._protocol.state is State.OPEN:
            send = self._protocol.send_binary if message.binary else self._protocol.send_text
            send(message.content)
        return self.replies()

    def heard(self, chunk: bytes) -> Iterator[Received]:
        protocol = self._protocol
        if chunk:
            protocol.receive_data(chunk)
        else:
            protocol.receive_eof()
        yield from self._read(protocol.events_received())

    def replies(self) -> bytes:
        return b"".join(self._protocol.data_to_send())

    def farewell(self) -> bytes:
        if self._protocol.state is State.OPEN:
            self._protocol.send_close(1000)
        return self.replies()

    def _read(self, frames: list[Event]) -> Iterator[Received]:
        for frame in frames:
            if not isinstance(frame, Frame):
                continue
            if frame.opcode in (Opcode.TEXT, Opcode.BINARY):
                self._parts, self._text = bytearray(), frame.opcode is Opcode.TEXT
            if frame.opcode in (Opcode.TEXT, Opcode.BINARY, Opcode.CONT):
                self._parts += frame.data
                if frame.fin:
                    yield self._message()
        if not self._over and (end := self._ending()):
            self._over = True
            yield end

    def _message(self) -> Received:
        content = bytes(self._parts)
        return Received(content, {"binary": not self._text})

    def _ending(self) -> Received | None:
        protocol = self._protocol
        if protocol.parser_exc is not None and not isinstance(protocol.parser_exc, EOFError):
            return ended("garbage", f"no WebSocket message: {protocol.parser_exc}", 1002)
        if (said := protocol.close_rcvd) is not None:
            kind = "closed" if said.code in _NORMAL else "crash"
            why = f": {said.reason}" if said.reason else ""
            detail = f"the server closed the WebSocket with code {int(said.code)}{why}"
            return ended(kind, detail, int(said.code), reason=said.reason)
        if protocol.eof_sent or protocol.state is State.CLOSED:
            return ended("crash", "the connection ended without a word", 1006)
        return None


class WebSocket(MessageSystem):
    """The server at a `ws://` or `wss://` address, by a table: a mapping as a TOML file holds it.

    Connecting, and each answer waited for before a play, may take `patience` seconds. `ca` is a file of certificates
    of authorities that are trusted, beside those of this machine.
    """

    def __init__(
        self,
        url: str,
        table: Mapping[str, Any],
        *,
        patience: float = 10.0,
        where: str = "the table",
        ca: str | None = None,
    ) -> None:
        transport = WebSocketTransport(url, ca)
        read = MessageTable.read(table, transport.kind, where)
        super().__init__(transport, read, patience=patience, address=url)


def websocket_from_text(
    text: str,
    *,
    table: str | None,
    read_table: Callable[[str], Mapping[str, Any]],
    scheme: str = "ws",
    ca: str | None = None,
) -> WebSocket:
    """Make the system of `ws:URL` from its text; the URL may stand without a second `ws:`."""
    if table is None:
        raise UsageError(f"--sut {scheme}:… needs --table FILE, which says what to send for each input; see the how-to")
    return WebSocket(f"{scheme}:{text}" if text.startswith("//") else text, read_table(table), where=table, ca=ca)


def secure_websocket_from_text(text: str, **given: Any) -> WebSocket:
    """Make the system of `wss:URL` from its text, spoken to over WebSockets with TLS."""
    return websocket_from_text(text, **given, scheme="wss")


def websocket_misfits(
    text: str, gates: Gates, *, table: str, read_table: Callable[[str], Mapping[str, Any]], **_: Any
) -> Iterator[Misfit]:
    """Hold a table for WebSockets against the gates of a model."""
    return message_misfits(MessageTable.read(read_table(table), WebSocketTransport.kind, table), gates)
