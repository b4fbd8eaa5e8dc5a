"""Calls over HTTP, with a library that no other file imports: one client with its cookies and connections.

Nothing is followed or tried again by itself: a redirection is an answer, and a call that breaks has broken. Passwords
that the user keeps elsewhere (`.netrc`) and proxies of the environment are left alone. Calls and answers are plain
data.
"""

from __future__ import annotations

import contextlib
import socket
import ssl
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode

import httpx2

from outplay.errors import SystemUnready
from outplay.play.adapters.http_table import CallTemplate
from outplay.play.adapters.messages.message import Garbled, Gone, in_words, parsed, to_json
from outplay.play.adapters.messages.templates import Scope, filled
from outplay.play.secure_link import insecure_error, tls_context

LARGEST_ANSWER = 16 << 20  # bytes, after decompression


class TooLate(Exception):
    """No answer came in time."""


@dataclass(frozen=True)
class HttpCall:
    """A call with everything filled in."""

    method: str
    target: str
    """Path and query, escaped."""
    headers: Mapping[str, str]
    body: tuple[str, Any] | None
    timeout: float


def filled_call(call: CallTemplate, scope: Scope) -> HttpCall:
    """Fill the holes of an HTTP call: what stands in the path and the query is escaped there."""
    path = call.path.written(scope, lambda value: quote(in_words(value), safe=""))
    query = urlencode({name: in_words(value) for name, value in filled(call.query, scope).items()})
    headers = {name: in_words(value) for name, value in filled(call.headers, scope).items()}
    target = path + (("&" if "?" in path else "?") + query if query else "")
    return HttpCall(call.method, target, headers, _body(call, scope), call.timeout)


def _body(call: CallTemplate, scope: Scope) -> tuple[str, Any] | None:
    if call.body is None:
        return None
    kind, tree = call.body
    content = filled(tree, scope)
    if kind == "json":
        return kind, to_json(content)
    return kind, {name: in_words(value) for name, value in content.items()} if kind == "form" else in_words(content)


@dataclass(frozen=True)
class HttpAnswer:
    """The answer of a server, or one event of a stream."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    event: str = ""
    too_long: bool = False

    @property
    def parts(self) -> dict[str, Any]:
        """Its parts, as the rows of a table call them; there is no `json` where it is none."""
        parts: dict[str, Any] = {"status": self.status, "headers": self.headers, "event": self.event}
        parts["body"] = self.body.decode(errors="replace")
        with contextlib.suppress(ValueError):
            parts["json"] = parsed(self.body)
        return parts


_UNUSED = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)  # where nothing is encrypted
_IDLE = 1.0  # seconds; a server closes idle connections later than that, which a call might else run into


class HttpClient:
    """One client: whoever calls with it shares its cookies. It may be ended from any thread, in the middle of calls."""

    def __init__(self, base: str, ca: str | None = None) -> None:
        self._base = base
        limits = httpx2.Limits(keepalive_expiry=_IDLE)
        # Reading certificates takes longer than a play of ten calls, so each client has those that were read once.
        verify = tls_context(ca) if base.startswith("https:") else _UNUSED
        self._http = httpx2.Client(trust_env=False, follow_redirects=False, limits=limits, verify=verify)
        self._sockets: set[socket.socket] = set()
        self._ended, self._lock = False, threading.Lock()

    def call(self, call: HttpCall) -> HttpAnswer:
        """Make a call and read the whole answer."""
        deadline = time.monotonic() + call.timeout
        with self._made(call) as response:
            body = bytearray()
            for chunk in response.iter_bytes():
                body += chunk
                if time.monotonic() > deadline:
                    raise TooLate(_late(call))
                if len(body) > LARGEST_ANSWER:
                    return HttpAnswer(response.status_code, dict(response.headers), bytes(body[:200]), too_long=True)
            return HttpAnswer(response.status_code, dict(response.headers), bytes(body))

    def events(self, call: HttpCall, began: threading.Event) -> Iterator[HttpAnswer]:
        """Make a call, say when its answer has begun, and read that event by event."""
        with self._made(call, stream=True) as response:
            headers = dict(response.headers)
            if response.status_code >= 300:
                raise SystemUnready(f"{call.target} is no stream of events: it answers {response.status_code}")
            began.set()
            for event in httpx2.EventSource(response, LARGEST_ANSWER):
                yield HttpAnswer(response.status_code, headers, event.data.encode(), event.event)

    @contextlib.contextmanager
    def _made(self, call: HttpCall, *, stream: bool = False) -> Iterator[httpx2.Response]:
        read = None if stream else call.timeout
        timeout = httpx2.Timeout(call.timeout, read=read)
        kind, content = call.body or ("", None)
        body: dict[str, Any] = {{"form": "data", "body": "content"}.get(kind, kind): content} if kind else {}
        try:
            with self._http.stream(
                call.method,
                self._base + call.target,
                headers=call.headers,
                timeout=timeout,
                extensions={"trace": self._noticed},
                **body,
            ) as response:
                yield response
        except httpx2.TimeoutException as error:
            if isinstance(error, httpx2.ConnectTimeout):
                raise Gone(f"nothing answers at {self._base}") from None
            raise TooLate(_late(call)) from None
        except httpx2.ConnectError as error:
            if "[SSL" in str(error):
                raise insecure_error(self._base, error) from None
            raise Gone(f"nothing answers at {self._base} ({error})") from None
        except httpx2.SSEError as error:
            raise SystemUnready(f"{call.target} is no stream of events: {error}") from None
        except httpx2.TransportError as error:
            raise Gone(f"the connection broke: {error}") from None
        except httpx2.DecodingError as error:
            raise Garbled(f"{call.method} {call.target}: {error}") from None
        except (httpx2.InvalidURL, UnicodeError) as error:
            raise SystemUnready(f"{call.method} {self._base}{call.target}: {error}") from None

    def _noticed(self, name: str, info: Mapping[str, Any]) -> None:
        """Keep the socket of a new connection, so that it can be shut whatever waits for it."""
        if name in ("connection.connect_tcp.complete", "connection.start_tls.complete"):
            link = info["return_value"].get_extra_info("socket")
            with self._lock:
                self._sockets.add(link)
                ended = self._ended
            if ended:
                _shut(link)

    def end(self) -> None:
        """Break off whatever is on its way, and close all connections."""
        with self._lock:
            self._ended = True
            links = list(self._sockets)
        for link in links:
            _shut(link)
        self._http.close()


def _late(call: HttpCall) -> str:
    return f"{call.method} {call.target} was not answered within {call.timeout:g} s"


def _shut(link: socket.socket) -> None:
    with contextlib.suppress(OSError):
        link.shutdown(socket.SHUT_RDWR)
