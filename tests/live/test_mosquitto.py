"""A broker of messages, Mosquitto, played through a client of thirty lines: subscriptions and retained messages."""

from __future__ import annotations

import socket
import struct
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from helpers.servers import eagerly, free_port, needs, serving
from outplay import Model, PythonObject, controllable, given, observable, run
from outplay.play.timing import Timing

pytestmark = needs("mosquitto")


class Broker(Model):
    """Hands on what is published to whoever listens, and keeps the last message that is to be retained.

    Every order is answered by an `ok`, which may come before or after what is handed on.
    """

    forgets = False  # a wrong expectation: nothing is retained
    kept: str = ""
    listening: bool = False
    owed: tuple[str, ...] = ()

    @controllable
    def subscribe(self):
        if self.listening or self.owed:
            return False
        self.listening, self.owed = True, ("ok",)
        if self.kept and not self.forgets:
            self.owed += (self.kept,)

    @controllable
    @given(word=("a", "b"))
    def retain(self, word):
        if self.owed:
            return False
        self.kept = word
        self.owed = ("ok", word) if self.listening else ("ok",)

    @controllable
    @given(word=("a", "b"))
    def publish(self, word):
        if self.owed:
            return False
        self.owed = ("ok", word) if self.listening else ("ok",)

    @observable
    @given(word="owed")
    def message(self, word):
        self.owed = tuple(other for other in self.owed if other != word)


def packet(kind: int, body: bytes) -> bytes:
    return bytes([kind, len(body)]) + body


def text(word: str) -> bytes:
    return struct.pack("!H", len(word)) + word.encode()


def client(port: int) -> type:
    """An object that speaks MQTT 3.1.1 with the broker, by a topic of its own for each play."""

    class Client:
        made = 0

        def __init__(self, emit) -> None:
            Client.made += 1
            self.emit, self.topic = emit, f"play/{Client.made}"
            self.link = socket.create_connection(("127.0.0.1", port))
            self.link.sendall(packet(0x10, text("MQTT") + b"\x04\x02" + struct.pack("!H", 0) + text("")))
            assert self._next() == (0x20, b"\0\0")
            self.listener = threading.Thread(target=self._listen, daemon=True)
            self.listener.start()

        def _next(self) -> tuple[int, bytes] | None:
            try:
                head = self.link.recv(2, socket.MSG_WAITALL)
                return (head[0], self.link.recv(head[1], socket.MSG_WAITALL) if head[1] else b"") if head else None
            except OSError:
                return None  # the connection was ended meanwhile

        def _listen(self) -> None:
            while found := self._next():
                kind, body = found
                if kind in (0x40, 0x90):
                    self.emit("message", "ok")
                elif kind & 0xF0 == 0x30:
                    self.emit("message", body[2 + len(self.topic) :].decode())

        def subscribe(self) -> None:
            self.link.sendall(packet(0x82, b"\0\1" + text(self.topic) + b"\0"))

        def publish(self, word: str, kind: int = 0x32) -> None:
            self.link.sendall(packet(kind, text(self.topic) + b"\0\1" + word.encode()))

        def retain(self, word: str) -> None:
            self.publish(word, 0x33)

        def close(self) -> None:
            self.link.shutdown(socket.SHUT_RDWR)
            self.listener.join()
            self.link.close()

    return Client


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    port, folder = free_port(), tmp_path_factory.mktemp("broker")
    Path(folder, "broker.conf").write_text(f"listener {port} 127.0.0.1\nallow_anonymous true\nuser root\n")
    with serving(["mosquitto", "-c", "broker.conf"], port, folder):
        yield port


@pytest.mark.parametrize(("forgets", "verdict"), [(False, "pass"), (True, "fail")])
def test_a_broker_passes_by_a_right_model_and_fails_by_a_wrong_one(port, forgets, verdict):
    class Expected(Broker):
        pass

    Expected.forgets = forgets
    timing = Timing(silence=30.0, latency=0.02)
    outcome = run(eagerly(Expected), PythonObject(client(port)), plays=10, steps=25, timing=timing)
    assert outcome.verdict.name == verdict, outcome
