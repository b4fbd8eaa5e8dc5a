"""A chat over WebSockets, by the library `websockets`: what one says comes to all others, but for planted faults."""

from __future__ import annotations

import asyncio
import contextlib
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

MISBEHAVIOUR = {
    "huge": lambda: json.dumps({"text": "x" * 3_000_000}),
    "too huge": lambda: "x" * (17 << 20),
    "no json": lambda: "{half",
    "unknown": lambda: json.dumps({"kind": "surprise", "key": "sesame-open"}),
    "binary": lambda: b"\xff\xfe",
}


class Broadcast:
    """Who is there, and which fault is planted."""

    def __init__(self, fault: str = "") -> None:
        self.fault, self.clients, self.said, self.headers = fault, {}, 0, []

    async def serve(self, link: Any) -> None:
        name = urlsplit(link.request.path).path.strip("/")
        if name == "reset":
            await link.recv()
            self.said = 0
            await link.send('{"kind":"reset"}')
            return
        self.clients[name] = link
        self.headers.append(link.request.headers.get("X-Who"))
        try:
            async for line in link:
                await self.heard(name, link, json.loads(line))
        finally:
            if self.clients.get(name) is link:
                del self.clients[name]

    async def heard(self, name: str, link: Any, message: dict[str, Any]) -> None:
        kind = message["kind"]
        if kind == "login":
            await link.send(json.dumps({"kind": "welcome", "token": f"token-of-{name}"}))
        elif kind == "say":
            await self.say(name, message)
        elif kind == "leave":
            await link.close(int(message.get("code", 1000)), "bye")
        elif kind == "abort":
            link.transport.abort()
        elif kind == "ask":
            await link.send(json.dumps({"kind": "answer", "id": message["id"], "who": name}))
        elif kind == "bad utf-8":
            link.transport.write(b"\x81\x02\xff\xfe")
        elif kind == "no frame":
            link.transport.write(b"\xff\xff\xff\xff")
        else:
            await link.send(MISBEHAVIOUR[kind]())

    async def say(self, name: str, message: dict[str, Any]) -> None:
        from websockets.exceptions import ConnectionClosed

        self.said += 1
        others = [other for who, other in self.clients.items() if who != name or self.fault == "echo"]
        if self.fault == "loses the third" and self.said == 3:
            return
        text = {"kind": "said", "from": name, "text": message["text"], "token": message.get("token")}
        for other in others:
            with contextlib.suppress(ConnectionClosed):  # who is just leaving
                await other.send(json.dumps(text))


@contextmanager
def broadcast(fault: str = "") -> Iterator[tuple[str, Broadcast]]:
    """The server on a free port: its address, and what it knows."""
    from websockets.asyncio.server import serve

    chat, started, place = Broadcast(fault), threading.Event(), []

    async def work() -> None:
        async with serve(chat.serve, "127.0.0.1", 0, max_size=None) as server:
            place.extend([server.sockets[0].getsockname()[1], asyncio.get_running_loop(), stop := asyncio.Event()])
            started.set()
            await stop.wait()

    thread = threading.Thread(target=lambda: asyncio.run(work()), daemon=True)
    thread.start()
    assert started.wait(30)
    try:
        yield f"ws://127.0.0.1:{place[0]}", chat
    finally:
        place[1].call_soon_threadsafe(place[2].set)
        thread.join(10)
