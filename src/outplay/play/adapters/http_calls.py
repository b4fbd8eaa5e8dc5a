"""Calls over HTTP as plain values, and what may come of one; the library is loaded when it is needed."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from outplay.deferred import imported
from outplay.errors import UsageError
from outplay.play.adapters.messages.message import parsed

if TYPE_CHECKING:
    from outplay.play.adapters.http_client import HttpClient

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


def http_client(base: str) -> HttpClient:
    """A client for the server at an address."""
    try:
        made: HttpClient = imported("outplay.play.adapters.http_client:HttpClient")(base)
    except ModuleNotFoundError as error:
        raise UsageError(f"http: needs the library {error.name}; pip install 'outplay[http]'") from None
    return made
