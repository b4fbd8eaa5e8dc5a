"""A little HTTP server for tests: logins with cookies and tokens, messages by streams and polls, jobs, and faults."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit


class Shop:
    """What the server remembers, and who waits for something new."""

    def __init__(self) -> None:
        self.changed = threading.Condition()
        self.release = threading.Event()  # of the calls that are held
        self.seen: list[tuple[str, str, str, str]] = []  # method, path, authorization and cookie of each call
        self.clear()

    def clear(self) -> None:
        self.users: dict[str, str] = {}
        self.messages: list[dict[str, Any]] = []
        self.jobs: dict[str, int] = {}
        self.pending = 0


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    shop: Shop

    def log_message(self, *arguments: Any) -> None:
        """Nothing is written anywhere."""

    def do_GET(self) -> None:
        self._do()

    do_POST = do_PUT = do_DELETE = do_GET  # noqa: N815

    def _do(self) -> None:
        address = urlsplit(self.path)
        length = int(self.headers.get("Content-Length") or 0)
        self.body = self.rfile.read(length)
        self.query = {name: values[0] for name, values in parse_qs(address.query).items()}
        self.words = [unquote(word) for word in address.path.split("/")[1:]]
        headers = self.headers
        self.shop.seen.append((self.command, self.path, headers.get("Authorization", ""), headers.get("Cookie", "")))
        try:
            getattr(self, f"do_{self.words[0]}")()
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def answer(self, status: int, content: Any = None, **headers: str) -> None:
        body = content if isinstance(content, bytes) else json.dumps(content).encode() if content is not None else b""
        self.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def do_login(self) -> None:
        user = json.loads(self.body)["user"]
        self.shop.users[user] = f"token-of-{user}"
        self.answer(200, {"token": self.shop.users[user]}, Set_Cookie=f"session={user}; Path=/")

    def do_messages(self) -> None:
        if self.headers.get("Authorization", "") not in [f"Bearer {token}" for token in self.shop.users.values()]:
            self.answer(401, {"error": "log in first"})
            return
        with self.shop.changed:
            sender = self.headers["Cookie"].partition("=")[2]
            self.shop.messages.append({"from": sender, **json.loads(self.body)})
            self.shop.changed.notify_all()
        self.answer(201, {"id": len(self.shop.messages), "price": 1.5, "tags": ["a", "b"], "none": None})

    def do_events(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.flush()
        self.close_connection = True
        sent = 0
        while self.shop.pending >= 0:
            with self.shop.changed:
                self.shop.changed.wait(0.2 if len(self.shop.messages) == sent else 0)
                news = self.shop.messages[sent:]
            sent += len(news)
            for message in news:
                self.wfile.write(f"event: message\ndata: {json.dumps(message)}\n\n".encode())
            self.wfile.write(b": still here\n\n")
            self.wfile.flush()

    def do_poll(self) -> None:
        since = int(self.query["since"])
        with self.shop.changed:
            self.shop.changed.wait_for(lambda: len(self.shop.messages) > since, timeout=5)
            news = self.shop.messages[since:]
        self.answer(200, {"messages": news, "next": since + len(news)})

    def do_jobs(self) -> None:
        if len(self.words) == 1:
            made = f"job-{len(self.shop.jobs) * 7919:x}-x"
            self.shop.jobs[made] = 0
            self.answer(202, {"id": made}, Location=f"/jobs/{made}")
        elif self.words[1] not in self.shop.jobs:
            self.answer(404, {"error": "no such job"})
        elif self.command == "DELETE":
            del self.shop.jobs[self.words[1]]
            self.answer(204)
        else:
            self.shop.jobs[self.words[1]] += 1
            done = self.shop.jobs[self.words[1]] > 2
            self.answer(200, {"id": self.words[1], "state": "done" if done else "running"})

    def do_health(self) -> None:
        self.answer(200, {"pending": self.shop.pending})

    def do_reset(self) -> None:
        self.shop.clear()
        self.answer(204)

    def do_echo(self) -> None:
        self.answer(200, {"path": self.words[1:], "query": self.query, "body": self.body.decode()})

    def do_slow(self) -> None:
        time.sleep(float(self.query["seconds"]))
        self.answer(200, {"slow": True})

    def do_held(self) -> None:
        self.shop.release.wait(60)
        self.answer(200, {})

    def do_crash(self) -> None:
        self.close_connection = True

    def do_error(self) -> None:
        self.answer(500, {"secret": "sesame-open"})

    def do_teapot(self) -> None:
        self.answer(418, {"error": "short and stout, sesame-open"})

    def do_garbage(self) -> None:
        self.answer(200, b'{"id": \xff')

    def do_huge(self) -> None:
        self.answer(200, b"x" * int(self.query["bytes"]))


@contextmanager
def http_server(handler: type[Handler] = Handler) -> Iterator[tuple[str, Shop]]:
    """The server on a free port: its address, and what it remembers."""
    shop = Shop()

    class Server(ThreadingHTTPServer):
        daemon_threads, block_on_close = True, False
        handle_error: Callable[..., None] = lambda self, *arguments: None  # connections that were broken off

    server = Server(("127.0.0.1", 0), type("Here", (handler,), {"shop": shop}))
    serving = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    serving.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", shop
    finally:
        shop.pending = -1
        shop.release.set()
        server.shutdown()
        server.server_close()
        serving.join()
