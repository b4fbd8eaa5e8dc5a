"""A model behind HTTP, for clients that have no server yet.

    POST /GATE     an input, with its arguments as a list of JSON: 202 where it is taken, else 409 and why
    GET /events    the outputs as a stream of events, each a list of JSON: the gate and its arguments
    GET /next      the next output, waited for as long as `?wait=SECONDS` says; 204 where none comes
    POST /RESET    a new play

A play belongs to a cookie, which the first answer sets; so browsers and clients of libraries have one each.
"""

from __future__ import annotations

import contextlib
import json
import queue
import secrets
import threading
import time
from collections.abc import Callable
from http.cookies import CookieError, SimpleCookie
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from outplay.cancellation import raise_if_cancelled
from outplay.model.label import Label
from outplay.play.adapters.lines import LONGEST_LINE, MOST_WAITING
from outplay.play.adapters.messages.message import parsed
from outplay.play.serving.line_server import MOST_CONNECTIONS, address_of, listener_at
from outplay.play.serving.play_server import RESET, Line, PlayServer, Said, ServedPlay, json_input, json_of

COOKIE = "outplay"
_IDLE = 600.0  # seconds without a call after which a client has gone
_ANSWERED = 30.0  # seconds for an input to be taken or not
_LONGEST_WAIT = 60.0
_LOOK = 0.2


class HttpSession:
    """A client by its cookie: what it is to be told, and where what it says goes."""

    said: Line

    def __init__(self) -> None:
        self.name = secrets.token_hex(8)
        self.outputs: queue.Queue[Label] = queue.Queue(MOST_WAITING)
        self.gone = threading.Event()
        self.used = time.monotonic()

    def tell(self, label: Label) -> None:
        with contextlib.suppress(queue.Full):  # nobody has asked for the last ten thousand
            self.outputs.put_nowait(label)

    def end(self) -> None:
        self.gone.set()

    def say(self, what: Label | str) -> str:
        """Say something; return why it is not taken."""
        answers: queue.Queue[str] = queue.Queue()
        self.said.put(Said(self, what, answers.put))
        try:
            return answers.get(timeout=_ANSWERED)
        except queue.Empty:
            return "the model takes too long"


class HttpServer(PlayServer):
    """Listens at an address, where port 0 is any free one."""

    def __init__(self, host: str, port: int, make: Callable[[int], ServedPlay], *, shared: bool = False) -> None:
        super().__init__(make, shared=shared)
        listener = listener_at(host, port)
        self.address = f"http://{address_of(listener)}"
        self._http = _Listener(listener.getsockname()[:2], _Handler, bind_and_activate=False)
        self._http.socket.close()
        self._http.socket, self._http.play_server = listener, self
        self._serving = False
        self._sessions: dict[str, HttpSession] = {}
        self._entering = threading.Lock()

    def listen(self) -> None:
        self._serving = True
        threading.Thread(target=self._http.serve_forever, args=(_LOOK,), daemon=True).start()
        while not self._closed.wait(_LOOK):
            raise_if_cancelled()
            self._forget(time.monotonic() - _IDLE)

    def stop_listening(self) -> None:
        if self._serving:  # else there is no end to wait for
            self._http.shutdown()
        self._http.server_close()

    def session(self, name: str) -> HttpSession:
        """The client of a cookie; a new one where there is none of that name."""
        with self._entering:
            found = self._sessions.get(name)
            if found is None or found.gone.is_set():
                found = HttpSession()
                self._sessions[found.name] = found
                found.said = self.enter(found)
            found.used = time.monotonic()
        if len(self._sessions) > MOST_CONNECTIONS:
            self._forget(sorted(each.used for each in self._sessions.values())[1])
        return found

    @property
    def is_closed(self) -> bool:
        """Whether nobody is served any more."""
        return self._closed.is_set()

    def _forget(self, before: float) -> None:
        with self._entering:
            for session in [each for each in self._sessions.values() if each.used < before]:
                del self._sessions[session.name]
                self.leave(session, session.said)


class _Listener(ThreadingHTTPServer):
    daemon_threads, block_on_close = True, False
    play_server: HttpServer

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A connection that breaks is the client's affair."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _Listener

    def log_message(self, *arguments: Any) -> None:
        """Nothing is written about calls."""

    def do_POST(self) -> None:
        session, gate = self._session(), unquote(urlsplit(self.path).path).strip("/")
        what = self._said(gate)
        if isinstance(what, str) and what != RESET:
            self._answer(session, 400, {"error": what})
            return
        why = session.say(what)
        if what == RESET:
            with contextlib.suppress(queue.Empty):
                while True:
                    session.outputs.get_nowait()
        self._answer(session, 409 if why else 202, {"error": why} if why else {})

    def do_GET(self) -> None:
        address = urlsplit(self.path)
        if address.path == "/events":
            self._stream(self._session())
        elif address.path == "/next":
            self._next(self._session(), parse_qs(address.query).get("wait", ["0"])[0])
        else:
            self._answer(self._session(), 404, {"error": "there are POST /GATE, POST /RESET, GET /events, GET /next"})

    def _said(self, gate: str) -> Label | str:
        """The input of a call, `RESET`, or why it is none."""
        length = self.headers.get("Content-Length", "0")
        if not length.isdigit() or int(length) > LONGEST_LINE:
            self.close_connection = True
            return f"this is too long: at most {LONGEST_LINE} bytes"
        body = self.rfile.read(int(length))
        if gate == RESET:
            return RESET
        try:
            arguments = parsed(body) if body.strip() else []
        except ValueError as error:
            return f"this is no JSON: {error}"
        if not isinstance(arguments, list):
            return 'this is no list of arguments; send one such as ["ann", "hi"]'
        return json_input(gate, arguments)

    def _session(self) -> HttpSession:
        try:
            cookie = SimpleCookie(self.headers.get("Cookie", "")).get(COOKIE)
        except CookieError:
            cookie = None
        return self.server.play_server.session(cookie.value if cookie else "")

    def _head(self, session: HttpSession, status: int, kind: str) -> None:
        self.send_response(status)
        self.send_header("Set-Cookie", f"{COOKIE}={session.name}; Path=/; HttpOnly; SameSite=Lax")
        self.send_header("Content-Type", kind)
        self.send_header("Cache-Control", "no-store")

    def _answer(self, session: HttpSession, status: int, content: Any) -> None:
        body = b"" if content is None else json.dumps(content, ensure_ascii=False).encode()
        self._head(session, status, "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _next(self, session: HttpSession, wait: str) -> None:
        patience = min(float(wait), _LONGEST_WAIT) if wait.replace(".", "", 1).isdigit() else 0.0
        try:
            label = session.outputs.get(timeout=patience) if patience else session.outputs.get_nowait()
        except queue.Empty:
            self._answer(session, 204, None)
            return
        self._answer(session, 200, json.loads(json_of(label)))

    def _stream(self, session: HttpSession) -> None:
        self._head(session, 200, "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True
        silent = 0.0
        while not session.gone.is_set() and not self.server.play_server.is_closed:
            session.used = time.monotonic()
            try:
                label = session.outputs.get(timeout=_LOOK)
            except queue.Empty:
                silent += _LOOK
                if silent >= 1.0:  # so that a client that has gone shows
                    silent = 0.0
                    self.wfile.write(b": still here\n\n")
                continue
            self.wfile.write(f"data: {json_of(label)}\n\n".encode())
