"""A server in lines that keeps a number in its folder, as a program: with `forgets` it keeps it in memory only."""

from __future__ import annotations

import socketserver
import sys
from pathlib import Path
from typing import Any

KEPT = Path("kept")
MEMORY = {"value": KEPT.read_text() if KEPT.exists() else "0"}


class Handler(socketserver.StreamRequestHandler):
    def handle(self) -> None:
        for line in self.rfile:
            word, *value = line.decode().split()
            if word == "put":
                MEMORY["value"] = value[0]
                if "forgets" not in sys.argv:
                    KEPT.write_text(value[0])
                self.wfile.write(b"kept\n")
            else:
                self.wfile.write(f"value {MEMORY['value']}\n".encode())


class Server(socketserver.ThreadingTCPServer):
    daemon_threads = allow_reuse_address = True
    handle_error: Any = lambda self, *arguments: None


if __name__ == "__main__":
    with Server(("127.0.0.1", int(sys.argv[1])), Handler) as server:
        server.serve_forever()
