"""The application behind the page: its own files, the operations by name, and nothing else.

Everything is asked through the admission first. Paths are looked up in tables, so there is no way from a request to a
file.

The server of the studio: on this machine only, at a port that is free, until the command ends.
"""

from __future__ import annotations

import asyncio
import json
import os
import socket
import threading
import webbrowser
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import cache
from http import HTTPStatus
from importlib.resources import files
from pathlib import Path
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Mount, Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from outplay.cancellation import Cancelled
from outplay.errors import OutplayError, UsageError, explained
from outplay.escaping import escaped_lines
from outplay.pages.page_frame import DARK, LIGHT, colour_variables
from outplay.runs.preparing.remembered_code import data_folder
from outplay.studio.admission import HEADERS, HOST, Admission, Refused
from outplay.studio.document import Asked
from outplay.studio.live import LiveRun, live_run
from outplay.studio.operations import OPERATIONS, Operation
from outplay.studio.workspace import Workspace

_KINDS = {"html": "text/html", "css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}
PAGE = "index.html"
EVERY = 0.25
"""Seconds between two pieces of news about a run."""


@cache
def page_files() -> dict[str, tuple[bytes, str]]:
    """The files of the page by name, with their types."""
    folder = files(__package__).joinpath("page")
    found = {one.name: one.read_bytes() for one in folder.iterdir() if one.name.rpartition(".")[2] in _KINDS}
    found["colours.css"] = _colours().encode()
    return {name: (data, f"{_KINDS[name.rpartition('.')[2]]}; charset=utf-8") for name, data in found.items()}


def _colours() -> str:
    """The colours of all pages and pictures, light and dark; the page may ask for one of them by itself."""
    light, dark = colour_variables(LIGHT), colour_variables(DARK)
    return (
        f":root {{ color-scheme: light dark; {light} }}\n"
        f"@media (prefers-color-scheme: dark) {{ :root:not([data-look=light]) {{ {dark} }} }}\n"
        f":root[data-look=dark] {{ color-scheme: dark; {dark} }}\n:root[data-look=light] {{ color-scheme: light; }}\n"
    )


def application(workspace: Workspace, admission: Admission) -> ASGIApp:
    """Make the application of one studio."""

    async def page(request: Request) -> Response:
        name = request.path_params.get("name", PAGE)
        if name not in page_files():
            return _refusal(HTTPStatus.NOT_FOUND, "there is no such file")
        data, kind = page_files()[name]
        return Response(data, media_type=kind)

    async def operation(request: Request) -> Response:
        found = OPERATIONS.get(request.path_params["name"])
        if found is None:
            return _refusal(HTTPStatus.NOT_FOUND, "there is no such operation")
        if found.changes != (request.method == "POST"):
            return _refusal(HTTPStatus.METHOD_NOT_ALLOWED, "ask for it with the other method")
        try:
            asked = Asked(await _given(request, found))
        except ValueError as error:
            return _refusal(HTTPStatus.BAD_REQUEST, str(error))
        return await run_in_threadpool(_answered, workspace, found, asked)

    async def listening(request: Request) -> Response:
        try:
            run = live_run(workspace, Asked(dict(request.query_params)))
        except OutplayError as error:
            return _refusal(HTTPStatus.UNPROCESSABLE_ENTITY, str(error))
        last = request.headers.get("last-event-id", "")
        count = int(last) if last.isascii() and last.isdigit() and len(last) < 16 else 0
        return StreamingResponse(_told(workspace, run, count), media_type="text/event-stream")

    routes = [
        Route("/", page),
        Route("/page/{name}", page),
        Route("/ask/{name}", operation, methods=["GET", "POST"]),
        Route("/listen/run", listening),
    ]
    room = Mount(admission.room.rstrip("/"), routes=routes)
    return guarded(Starlette(routes=[room]), admission)


async def _told(workspace: Workspace, run: LiveRun, count: int) -> AsyncIterator[bytes]:
    """Tell the page what happens in a run, a few times a second, from where it has heard it."""
    before = ""
    while not workspace.closing.is_set():
        over = run.over
        told = await run_in_threadpool(run.json, count)
        text = json.dumps(told, ensure_ascii=True)
        if text != before:
            yield f"id: {told['count']}\ndata: {text}\n\n".encode()
        count, before = told["count"], text
        if over:
            yield b"event: ended\ndata: {}\n\n"
            return
        await asyncio.sleep(EVERY)


async def _given(request: Request, found: Operation) -> dict[str, Any]:
    if request.method != "POST":
        return dict(request.query_params)
    data = bytearray()
    try:
        async for chunk in request.stream():
            data += chunk
            if len(data) > found.most:
                raise ValueError(f"the request is larger than {found.most:,} bytes")
    except ClientDisconnect:
        raise ValueError("the request broke off") from None
    try:
        given = json.loads(data)
    except (ValueError, RecursionError):
        raise ValueError("the request is no JSON") from None
    if not isinstance(given, dict):
        raise ValueError("the request is no JSON object")
    return given


def _answered(workspace: Workspace, operation: Operation, asked: Asked) -> Response:
    """Answer in a thread of its own; what the user or the model did wrong is said to the page."""
    try:
        answer = operation.answer(workspace, asked)
    except OutplayError as error:
        return _refusal(HTTPStatus.UNPROCESSABLE_ENTITY, str(error))
    except Cancelled:
        return _refusal(HTTPStatus.CONFLICT, "cancelled")
    except Exception as error:
        return _refusal(HTTPStatus.INTERNAL_SERVER_ERROR, explained(error))
    if isinstance(answer, bytes):
        return Response(answer, media_type="application/octet-stream")
    return _json(answer)


def _json(value: Any, status: int = HTTPStatus.OK) -> Response:
    data = json.dumps(value, ensure_ascii=True, allow_nan=False).encode()
    return Response(data, status_code=status, media_type="application/json")


def _refusal(status: HTTPStatus, why: str) -> Response:
    return _json({"error": escaped_lines(why)}, status)


def guarded(inner: ASGIApp, admission: Admission) -> ASGIApp:
    """Ask the admission before anything else, and add the security headers to every answer."""

    async def admitted(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await inner(scope, receive, send)
            return
        if scope["type"] != "http":
            return
        headers = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in scope["headers"]]
        try:
            cookie = admission.admit(scope["method"], scope["path"], scope["query_string"].decode("latin-1"), headers)
        except Refused as refused:
            await _refusal(refused.status, refused.why)(scope, receive, _secured(send))
            return
        await inner(scope, receive, _secured(send, cookie))

    return admitted


def _secured(send: Send, cookie: str | None = None) -> Callable[[Message], Awaitable[None]]:
    added = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
    added += [(b"set-cookie", cookie.encode())] if cookie else []

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [*message.get("headers", []), *added]
        await send(message)

    return sending


_PATIENCE = 5.0  # seconds for requests to end


class StudioServer:
    """Listens from the beginning; `start` answers in threads of its own."""

    def __init__(self, workspace: Workspace, port: int = 0) -> None:
        self.workspace = workspace
        try:
            self._socket = socket.create_server((HOST, port))
        except OSError as error:
            raise UsageError(f"port {port} cannot be had: {error.strerror}; leave --port out for a free one") from None
        self.admission = Admission(self._socket.getsockname()[1])
        settings = uvicorn.Config(
            application(workspace, self.admission),
            log_level="critical",
            access_log=False,
            server_header=False,
            proxy_headers=False,
            lifespan="off",
            ws="none",
            timeout_graceful_shutdown=1,
            h11_max_incomplete_event_size=64_000,
        )
        self._server = uvicorn.Server(settings)
        self._thread = threading.Thread(target=self._server.run, args=([self._socket],), daemon=True)

    @property
    def address(self) -> str:
        """The address to open; it works once."""
        return self.admission.address

    def start(self) -> None:
        """Begin to answer, and to explore the model that the command named."""
        self._thread.start()
        threading.Thread(target=self.workspace.explore_ahead, daemon=True).start()

    def wait(self) -> None:
        """Go on until a signal comes."""
        while self._thread.is_alive():
            self._thread.join(0.5)

    def close(self) -> None:
        """End everything."""
        self.workspace.close()
        self._server.should_exit = True
        if self._thread.is_alive():
            self._thread.join(_PATIENCE)  # it closes the socket
        elif self._thread.ident is None:
            self._socket.close()


def open_browser(address: str) -> bool:
    """Show an address in the user's browser, without its token on a command line that others can see."""
    folder = data_folder()
    if folder is None:
        return False
    try:
        return webbrowser.open(browser_page(address, folder).as_uri())
    except OSError:
        return False


def browser_page(address: str, folder: Path) -> Path:
    """Write the page that leads the browser to the application's address; nobody else may read it."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    page = folder / "studio.html"
    page.unlink(missing_ok=True)
    with os.fdopen(os.open(page, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as stream:
        stream.write(_FORWARD.format(address))
    return page.absolute()


_FORWARD = (
    '<!doctype html><meta charset="utf-8"><title>outplay studio</title>'
    '<meta http-equiv="refresh" content="0; url={0}"><p><a href="{0}">outplay studio</a></p>\n'
)
