"""Adapters that do not synchronise: clients of real servers, each on a connection of its own, and a delaying proxy.

An input is sent on its client's connection and nothing is waited for; what comes back is stamped when it is read. So
inputs and outputs of different clients cross on their way, as with real clients, and the model says so by channels.
"""

from __future__ import annotations

import contextlib
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

from outplay.model.label import OUTPUT, Label
from outplay.play.adapters.event_queue import EventQueue
from outplay.play.system import Clock, RealClock
from outplay.play.trace import Event

PATIENCE = 60.0  # seconds, on a busy machine
PROOF = "proof"  # a reply to what proves that nothing more comes
Fault = Callable[[str, str], list[tuple[str, str]]]
"""From a client and its reply to the replies that are seen, each with the client that sees it."""


class DelayingProxy:
    """Passes on what is sent, each piece after a while by chance; order is kept on each connection and direction."""

    def __init__(self, port: int, most: float, seed: int = 0) -> None:
        self._target, self._most, self._rng = port, most, Random(seed)
        self._entrance = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._entrance.getsockname()[1])
        self._links, self._threads = list[socket.socket](), list[threading.Thread]()
        self._start(self._accept)

    def close(self) -> None:
        """End it and all that it passes on, and wait for that."""
        self._entrance.shutdown(socket.SHUT_RDWR)
        self._entrance.close()
        for link in self._links:
            with contextlib.suppress(OSError):
                link.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join(PATIENCE)
        for link in self._links:
            link.close()

    def _start(self, function: Callable[..., None], *given: socket.socket) -> None:
        self._threads.append(threading.Thread(target=function, args=given, daemon=True))
        self._threads[-1].start()

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self._entrance.accept()
            except OSError:
                return
            self._links += [near, far := socket.create_connection(("127.0.0.1", self._target))]
            for source, sink in ((near, far), (far, near)):
                source.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                self._start(self._pass_on, source, sink)

    def _pass_on(self, source: socket.socket, sink: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while piece := source.recv(65536):
                time.sleep(self._rng.uniform(0.0, self._most))
                sink.sendall(piece)
        with contextlib.suppress(OSError):
            sink.shutdown(socket.SHUT_RDWR)


class Protocol:
    """How a client speaks with its server."""

    def __init__(self, link: socket.socket, client: str, play: int) -> None:
        self.link, self.client, self.key = link, client, f"play{play}"
        self.stream = link.makefile("rb")

    def begin(self) -> None:
        """Make the connection ready; nothing else happens on it yet."""

    def request(self, gate: str, *words: Any) -> bytes:
        """The bytes of an input."""
        raise NotImplementedError

    def proof(self) -> bytes:
        """The bytes of a question that is answered by `PROOF`."""
        raise NotImplementedError

    def replies(self) -> Iterator[str]:
        """What comes, reply by reply."""
        raise NotImplementedError


class Redis(Protocol):
    def request(self, gate: str, *words: Any) -> bytes:
        return {"put": f"SET {self.key} {''.join(words)}\r\n", "get": f"GET {self.key}\r\n"}[gate].encode()

    def proof(self) -> bytes:
        return b"PING\r\n"

    def replies(self) -> Iterator[str]:
        while line := self.stream.readline():
            said = line.strip().decode()
            if said[:1] == "$":
                said = "none" if said == "$-1" else self.stream.readline().strip().decode()
            yield {"+PONG": PROOF, "+OK": "ok"}.get(said, said)


class Memcached(Protocol):
    def request(self, gate: str, *words: Any) -> bytes:
        word = "".join(words)
        put = f"set {self.key} 0 0 {len(word)}\r\n{word}\r\n"
        return {"put": put, "get": f"get {self.key}\r\n"}[gate].encode()

    def proof(self) -> bytes:
        return b"version\r\n"

    def replies(self) -> Iterator[str]:
        value = "none"
        while line := self.stream.readline():
            said = line.strip().decode()
            if said.startswith("VALUE"):
                value = self.stream.readline().strip().decode()
            elif said == "END":
                yield value
                value = "none"
            else:
                yield PROOF if said.startswith("VERSION") else {"STORED": "ok"}.get(said, said)


class Postgresql(Protocol):
    """The protocol of version 3, with simple queries."""

    def begin(self) -> None:
        words = b"user\0outplay\0database\0postgres\0\0"
        self.link.sendall(struct.pack("!II", 8 + len(words), 196608) + words)
        while self._message()[0] != b"Z":
            pass

    def request(self, gate: str, *words: Any) -> bytes:
        put = f"INSERT INTO kept VALUES ('{self.key}', '{''.join(words)}') ON CONFLICT (k) DO UPDATE SET v = excluded.v"
        return self._query({"put": put, "get": f"SELECT v FROM kept WHERE k = '{self.key}'"}[gate])

    def proof(self) -> bytes:
        return self._query("")

    def replies(self) -> Iterator[str]:
        said: str | None = None
        while (message := self._message())[0]:
            kind, body = message
            if kind == b"D":
                said = body[6:].decode()
            elif kind == b"C":
                said = said or ("ok" if body.startswith(b"INSERT") else "none")
            elif kind == b"I":
                said = PROOF
            elif kind == b"E":
                said = "error"
            elif kind == b"Z" and said is not None:
                yield said
                said = None

    def _query(self, text: str) -> bytes:
        body = text.encode() + b"\0"
        return b"Q" + struct.pack("!I", 4 + len(body)) + body

    def _message(self) -> tuple[bytes, bytes]:
        head = self.stream.read(5)
        return (head[:1], self.stream.read(struct.unpack("!I", head[1:])[0] - 4)) if len(head) == 5 else (b"", b"")


class Mqtt(Protocol):
    """MQTT 3.1.1 at quality of service 0; every client has subscribed to the topic of the play."""

    def begin(self) -> None:
        self.link.sendall(self._packet(0x10, self._text("MQTT") + b"\x04\x02\0\0" + self._text("")))
        assert self._next()[0] == 0x20
        self.link.sendall(self._packet(0x82, b"\0\1" + self._text(self.key) + b"\0"))
        assert self._next()[0] == 0x90

    def request(self, gate: str, *words: Any) -> bytes:
        return self._packet(0x30, self._text(self.key) + "".join(words).encode())

    def proof(self) -> bytes:
        return b"\xc0\0"

    def replies(self) -> Iterator[str]:
        while (message := self._next())[0]:
            yield PROOF if message[0] == 0xD0 else message[1][2 + len(self.key) :].decode()

    def _packet(self, kind: int, body: bytes) -> bytes:
        return bytes([kind, len(body)]) + body

    def _text(self, word: str) -> bytes:
        return struct.pack("!H", len(word)) + word.encode()

    def _next(self) -> tuple[int, bytes]:
        head = self.stream.read(2)
        return (head[0], self.stream.read(head[1])) if len(head) == 2 else (0, b"")


class Clients:
    """Several clients of a server as one system; a reply is `!said CLIENT WORD`."""

    synchronous = False
    renewed = True
    """Each play has connections and a key of its own."""

    def __init__(self, protocol: type[Protocol], port: int, names: tuple[str, ...], fault: Fault | None = None) -> None:
        self.clock: Clock = RealClock()
        self._protocol, self._port, self._names = protocol, port, names
        self._fault = fault or (lambda client, word: [(client, word)])
        self._play, self._links, self._threads = time.time_ns(), dict[str, Protocol](), list[threading.Thread]()
        self._shown, self._proofs = EventQueue(), threading.Semaphore(0)

    def reset(self) -> None:
        self.close()
        self._play += 1
        self._shown, self._proofs = EventQueue(), threading.Semaphore(0)
        for name in self._names:
            link = socket.create_connection(("127.0.0.1", self._port), timeout=PATIENCE)
            link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._links[name] = self._protocol(link, name, self._play)
            self._links[name].begin()
        for client in self._links.values():
            given = client, self._shown, self._proofs
            self._threads.append(threading.Thread(target=self._read, args=given, daemon=True))
            self._threads[-1].start()

    def give(self, label: Label) -> None:
        client, *words = label.arguments
        one = self._links[client]
        one.link.sendall(one.request(label.gate, *words))

    def observe(self, timeout: float) -> Event:
        return self._shown.next(timeout)

    def quiet(self) -> bool:
        """Two rounds of questions on all connections: what a client did may lead to something on another one."""
        for _ in range(2):
            for one in self._links.values():
                one.link.sendall(one.proof())
            for _ in self._links:
                if not self._proofs.acquire(timeout=PATIENCE):
                    return False
        return True

    def close(self) -> None:
        self._shown.close()
        for one in self._links.values():
            with contextlib.suppress(OSError):
                one.link.shutdown(socket.SHUT_RDWR)
            one.link.close()
        for thread in self._threads:
            thread.join(PATIENCE)
        self._links, self._threads = {}, []

    def _read(self, client: Protocol, shown: EventQueue, proofs: threading.Semaphore) -> None:
        try:
            for word in client.replies():
                if word == PROOF:
                    proofs.release()
                    continue
                for name, said in self._fault(client.client, word):
                    label = Label(OUTPUT, "said", (name, said))
                    shown.show(lambda now, label=label: Event("output", label, seen=now))
        except (OSError, ValueError):
            return  # the connection was ended
        finally:
            client.stream.close()
