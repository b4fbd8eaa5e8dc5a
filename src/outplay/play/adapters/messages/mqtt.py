"""A broker of messages, and whoever is behind it, over MQTT: each client has a connection, each message a topic.

connect  `id`, `username`, `password`, `clean`, and `subscribe`, topics from the beginning
inputs   `topic` with a body, `qos` and `retain`; or `subscribe`, `unsubscribe`
outputs  `topic`, its `levels`, `qos`, `retain`; or `ack`: `publish`, `subscribe`, `unsubscribe`, where the broker
         acknowledges
"""

from __future__ import annotations

import contextlib
import select
import socket
import ssl
import struct
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from paho.mqtt import client as paho
from paho.mqtt.enums import CallbackAPIVersion, MQTTErrorCode

from outplay.cancellation import raise_if_cancelled
from outplay.errors import SystemUnready, UsageError
from outplay.play.adapters.adapter_check import message_misfits
from outplay.play.adapters.gate_use import Gates, Misfit
from outplay.play.adapters.lines import StreamReader
from outplay.play.adapters.messages.message import Gone, Hear, MessageKind, Outgoing, Received, ended, in_words
from outplay.play.adapters.messages.message_system import MessageSystem
from outplay.play.adapters.messages.message_table import MessageTable
from outplay.play.adapters.tcp import host_and_port
from outplay.play.secure_link import insecure_error, tls_context

_AGAIN = 0.05  # seconds until a broker that does not answer is tried again
ACK = "ack"


class MqttTransport:
    """Connections to a broker."""

    kind = MessageKind(
        ("id", "username", "password", "clean", "subscribe"),
        ("topic", "qos", "retain", "subscribe", "unsubscribe"),
        frozenset({"topic", "levels", "qos", "retain", ACK}),
    )

    def __init__(self, host: str, port: int, secure: ssl.SSLContext | None = None) -> None:
        self._address, self._secure = (host, port), secure

    def connect(
        self, client: str, settings: Mapping[str, Any], hear: Hear, has_room: Callable[[], bool], patience: float
    ) -> MqttLink:
        link = MqttLink(settings, hear, self._secure)
        try:
            link.open(self._address, settings, has_room, patience)
        except BaseException:
            link.close(cut=True)
            raise
        return link

    def reset(self) -> None:
        """Nothing is shared by the clients."""

    def close(self) -> None:
        """Nothing is shared by the clients."""


class MqttLink:
    """One connection to a broker."""

    def __init__(self, settings: Mapping[str, Any], hear: Hear, secure: ssl.SSLContext | None) -> None:
        self._hear = hear
        name, clean = in_words(settings.get("id", "")), settings.get("clean", True)
        self._client = paho.Client(
            CallbackAPIVersion.VERSION2, client_id=name, clean_session=bool(clean), reconnect_on_failure=False
        )
        if "username" in settings:
            password = settings.get("password")
            self._client.username_pw_set(
                in_words(settings["username"]), None if password is None else in_words(password)
            )
        if secure:
            self._client.tls_set_context(secure)
        self._client.on_connect = lambda client, data, flags, code, properties: self._answered.append(code)
        self._client.on_message = lambda client, data, message: self._message(message)
        self._client.on_publish = lambda client, data, mid, *more: self._acknowledged("publish", mid)
        self._client.on_subscribe = lambda client, data, mid, *more: self._acknowledged("subscribe", mid)
        self._client.on_unsubscribe = lambda client, data, mid, *more: self._acknowledged("unsubscribe", mid)
        self._answered: list[Any] = []
        self._wanted: int | None = None
        self._reader: StreamReader | None = None

    def open(
        self, address: tuple[str, int], settings: Mapping[str, Any], has_room: Callable[[], bool], patience: float
    ) -> None:
        """Connect, subscribe to what the client has from the beginning, and begin to read."""
        deadline, where = time.monotonic() + patience, f"{address[0]}:{address[1]}"
        self._client.connect_timeout = max(patience, 1.0)
        while True:
            try:
                self._client.connect(*address, keepalive=0)
                break
            except ssl.SSLError as error:
                raise insecure_error(where, error) from None
            except OSError as error:
                if time.monotonic() > deadline:
                    raise Gone(f"nothing answers at {where} ({error.strerror or error})") from None
                raise_if_cancelled()
                time.sleep(_AGAIN)
        self._until(lambda: bool(self._answered), deadline, f"the broker at {where} does not answer")
        if self._answered[0].is_failure:
            raise SystemUnready(f"the broker at {where} refuses the connection: {self._answered[0]}")
        for topic in settings.get("subscribe", []):
            self._wanted = self._client.subscribe(in_words(topic), 2)[1]
            self._until(lambda: self._wanted is None, deadline, f"the broker at {where} does not let {topic} be read")
        link = self._client.socket()
        assert link
        self._reader = StreamReader(link.fileno(), self._read, self._heard, has_room)

    def send(self, message: Outgoing) -> None:
        further = message.further
        if "subscribe" in further:
            self._client.subscribe(in_words(further["subscribe"]), _qos(further))
        elif "unsubscribe" in further:
            self._client.unsubscribe(in_words(further["unsubscribe"]))
        else:
            topic = in_words(further.get("topic", ""))
            try:
                self._client.publish(topic, message.content, _qos(further), further.get("retain") is True)
            except ValueError as error:
                raise SystemUnready(f"cannot publish to {topic!r}: {error}") from None

    def look(self, enough: Callable[[], bool]) -> None:
        if self._reader:
            self._reader.look(enough)

    def close(self, *, cut: bool = False) -> None:
        if self._reader:
            self._reader.close()
        link: Any = self._client.socket()
        for name in ("connect", "message", "publish", "subscribe", "unsubscribe"):
            setattr(self._client, f"on_{name}", None)  # so that nothing keeps it alive
        if cut and link:
            with contextlib.suppress(OSError):
                link.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        elif link:
            self._client.disconnect()
        if link:
            link.close()

    def _until(self, done: Callable[[], bool], deadline: float, why: str) -> None:
        """Read until something has come, before the thread reads that does so afterwards."""
        while not done():
            link: Any = self._client.socket()
            if time.monotonic() > deadline or link is None:
                raise SystemUnready(why)
            raise_if_cancelled()
            if select.select([link], [], [], _AGAIN)[0] and self._client.loop_read() != MQTTErrorCode.MQTT_ERR_SUCCESS:
                if not done():
                    raise SystemUnready(why)
                return

    def _read(self) -> bytes:
        """Have the library read what is there; return whether the connection is still there, as bytes."""
        code = self._client.loop_read()
        while code == MQTTErrorCode.MQTT_ERR_SUCCESS and _pending(self._client.socket()):
            code = self._client.loop_read()
        self._code = code
        return b"." if code == MQTTErrorCode.MQTT_ERR_SUCCESS else b""

    def _heard(self, chunk: bytes, now: float) -> bool:
        if not chunk:
            kind = "garbage" if self._code == MQTTErrorCode.MQTT_ERR_PROTOCOL else "closed"
            self._hear(ended(kind, f"the broker ended the connection: {paho.error_string(self._code)}"))
        return bool(chunk)

    def _message(self, message: paho.MQTTMessage) -> None:
        topic = message.topic
        further = {"topic": topic, "levels": topic.split("/"), "qos": message.qos, "retain": bool(message.retain)}
        self._hear(Received(bytes(message.payload), further))

    def _acknowledged(self, what: str, mid: int) -> None:
        if mid == self._wanted:
            self._wanted = None
            return
        self._hear(Received(further={ACK: what}, signal=ACK))


def _qos(further: Mapping[str, Any]) -> int:
    qos = further.get("qos", 0)
    if qos not in (0, 1, 2):
        raise SystemUnready(f"qos = {qos!r} is none of 0, 1, 2; mend the table")
    return int(qos)


def _pending(link: Any) -> bool:
    """Say whether a secure connection has something to read that does not show on its socket."""
    return hasattr(link, "pending") and bool(link.pending())


class Mqtt(MessageSystem):
    """The broker at `host:port`, by a table: a mapping as a TOML file holds it.

    Connecting, and each answer waited for before a play, may take `patience` seconds. `ca` is a file of certificates
    of authorities that are trusted, beside those of this machine, where the connection is `secure`.
    """

    def __init__(
        self,
        host: str,
        port: int,
        table: Mapping[str, Any],
        *,
        secure: bool = False,
        ca: str | None = None,
        patience: float = 10.0,
        where: str = "the table",
    ) -> None:
        transport = MqttTransport(host, port, tls_context(ca) if secure else None)
        super().__init__(transport, MessageTable.read(table, transport.kind, where), patience=patience)


def mqtt_from_text(
    text: str,
    *,
    table: str | None,
    read_table: Callable[[str], Mapping[str, Any]],
    scheme: str = "mqtt",
    ca: str | None = None,
) -> Mqtt:
    """Make the system of `mqtt:HOST:PORT` from its text."""
    if table is None:
        raise UsageError(f"--sut {scheme}:… needs --table FILE, which says what to send for each input; see the docs")
    host, port = host_and_port(text.removeprefix("//"), kind=scheme)
    return Mqtt(host, port, read_table(table), secure=scheme == "mqtts", ca=ca, where=table)


def secure_mqtt_from_text(text: str, **given: Any) -> Mqtt:
    """Make the system of `mqtts:HOST:PORT` from its text, spoken to over MQTT with TLS."""
    return mqtt_from_text(text, **given, scheme="mqtts")


def mqtt_misfits(
    text: str, gates: Gates, *, table: str, read_table: Callable[[str], Mapping[str, Any]], **_: Any
) -> Iterator[Misfit]:
    """Hold a table for MQTT against the gates of a model."""
    return message_misfits(MessageTable.read(read_table(table), MqttTransport.kind, table), gates)
