"""The application behind the page: its own files, the operations by name, and nothing else.

Everything is asked through the admission first. Paths are looked up in tables, so there is no way from a request to a
file.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import cache
from http import HTTPStatus
from importlib.resources import files
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from outplay.cancellation import Cancelled
from outplay.errors import OutplayError, explained
from outplay.escaping import escaped_lines
from outplay.look.page_frame import DARK, LIGHT, colour_variables
from outplay.studio.admission import HEADERS, Admission, Refused
from outplay.studio.asked import Asked
from outplay.studio.live import LiveRun, run_of
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
    """The application of one studio."""

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
            run = run_of(workspace, Asked(dict(request.query_params)))
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
    return guarded(Starlette(routes=routes), admission)


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
