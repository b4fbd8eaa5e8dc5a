"""A little server in lines, as a program: it counts, and misbehaves when it is told to. `python -m` with a port."""

from __future__ import annotations

import os
import socketserver
import subprocess
import sys
from typing import Any

COUNT = {"count": 0}


class Handler(socketserver.StreamRequestHandler):
    def handle(self) -> None:
        for line in self.rfile:
            word = line.decode().strip()
            if word == "count":
                COUNT["count"] += 1
                self.wfile.write(f"counted {COUNT['count']}\n".encode())
            elif word == "die":
                print("about to die", file=sys.stderr, flush=True)
                os._exit(3)
            elif word == "much":
                for _ in range(20_000):
                    print("x" * 100, flush=True)
                self.wfile.write(b"wrote\n")


class Server(socketserver.ThreadingTCPServer):
    daemon_threads = allow_reuse_address = True
    handle_error: Any = lambda self, *arguments: None


if __name__ == "__main__":
    if "child" in sys.argv:
        print("child", subprocess.Popen(["sleep", "600"], start_new_session=True).pid, flush=True)
    if "fail" in sys.argv:
        sys.exit("no licence")
    with Server(("127.0.0.1", int(sys.argv[1])), Handler) as server:
        print(f"listening in {os.getcwd()}", flush=True)
        server.serve_forever()
