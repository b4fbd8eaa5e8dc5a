"""A program that speaks JSON in a framing, over its standard streams or a socket, and misbehaves when asked to.

framed_program.py FRAMING [serve | connect PORT]
"""

from __future__ import annotations

import contextlib
import json
import os
import socket
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[2] / "src"))

from outplay.play.framing import FRAMINGS

KEPT: list[str] = []
SAYING = threading.Condition()


def talk(framing: str, read: Callable[[], bytes], write: Callable[[bytes], object]) -> None:
    """Answer until the end: `say` is told to all that `listen`, `get` answers with what was said."""
    way, pending = FRAMINGS[framing], b""

    def send(message: object) -> None:
        write(way.framed(json.dumps(message).encode()))

    while chunk := read():
        messages, pending = way.cut(pending + chunk)
        for content in messages:
            message = json.loads(way.content(content))
            kind = message["kind"]
            if kind == "add":
                KEPT.append(message["what"])
                send({"kind": "added", "id": message["id"], "size": len(KEPT)})
            elif kind == "clear":
                KEPT.clear()
                send({"kind": "cleared"})
            elif kind == "all":
                for what in KEPT:
                    send({"kind": "item", "what": what})
            elif kind == "slowly":
                whole = way.framed(json.dumps({"kind": "item", "what": "slow"}).encode())
                for n in range(len(whole)):
                    write(whole[n : n + 1])
                    time.sleep(0.001)
            elif kind == "huge":
                send({"kind": "item", "what": "x" * 2_000_000})
            elif kind == "raw":
                write(bytes.fromhex(message["hex"]))
            elif kind == "die":
                os._exit(3)
            elif kind == "stop":
                return


def link_talk(framing: str, link: socket.socket) -> None:
    with link, contextlib.suppress(OSError):
        talk(framing, lambda: link.recv(65536), link.sendall)


def serve(framing: str) -> socket.socket:
    """Serve on a free port, in threads, until the listener is closed."""
    listener = socket.create_server(("127.0.0.1", 0))

    def accept() -> None:
        while True:
            try:
                link, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=link_talk, args=(framing, link), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    return listener


def main() -> None:
    framing, *where = sys.argv[1:]
    if where:
        link_talk(framing, socket.create_connection(("127.0.0.1", int(where[1]))))
    else:
        talk(framing, lambda: os.read(0, 65536), lambda content: os.write(1, content))


if __name__ == "__main__":
    main()
