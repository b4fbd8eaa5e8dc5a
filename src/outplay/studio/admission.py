"""Admission to the studio: who may ask, from which page, and what a browser may do with the answer.

Only one browser of one person gets in. The address that is printed has a token that works once; the browser that shows
it gets a cookie, which the pages of other sites cannot use. Browsers send a cookie to all ports of a host, and so to
whatever other users of this machine serve: ours is for one path, its room, which nobody can guess. A request needs the
exact Host, so that no name that somebody points at this machine leads here, and an Origin that is ours where a browser
sends one. Whatever changes something needs the Origin. The policy lets the page load nothing but its own files.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs

HOST = "127.0.0.1"
READING = ("GET", "HEAD")
CHANGING = ("POST",)
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; "
    "trusted-types 'none'"
)
HEADERS = {
    "content-security-policy": _POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-embedder-policy": "require-corp",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), usb=()",
    "cache-control": "no-store",
}
"""The headers of every answer to the browser."""


@dataclass(frozen=True)
class Refused(Exception):
    """A request that is not let in."""

    status: HTTPStatus
    why: str


def _secret() -> str:
    return secrets.token_urlsafe(32)


@dataclass
class Admission:
    """Lets in the one browser that came with the token.

    >>> door = Admission(8000)
    >>> asked = [("host", "127.0.0.1:8000")]
    >>> cookie = door.admit("GET", door.room, f"token={door.token}", asked)
    >>> door.admit("GET", door.room, "", [*asked, ("cookie", cookie.partition(";")[0])])
    >>> try:
    ...     door.admit("GET", door.room, f"token={door.token}", asked)
    ... except Refused as refused:
    ...     print(refused.why)
    this address was used before; start `outplay studio` again
    """

    port: int
    token: str = field(default_factory=_secret)
    room: str = field(default_factory=lambda: f"/{secrets.token_urlsafe(12)}/")
    """The path below which everything is."""
    _cookie: str = field(default_factory=_secret)
    _used: bool = False

    @property
    def authority(self) -> str:
        return f"{HOST}:{self.port}"

    @property
    def origin(self) -> str:
        return f"http://{self.authority}"

    @property
    def address(self) -> str:
        """The address to open; it works once."""
        return f"{self.origin}{self.room}?token={self.token}"

    @property
    def _name(self) -> str:
        return f"outplay-studio-{self.port}"  # several studios may be open

    def admit(self, method: str, path: str, query: str, headers: Sequence[tuple[str, str]]) -> str | None:
        """Let a request in or raise `Refused`; return the cookie to set where it came with the token."""
        given: dict[str, list[str]] = {}
        for name, value in headers:
            given.setdefault(name.lower(), []).append(value)
        self._check_source(method, given)
        if self._has_cookie(given.get("cookie", [])):
            return None
        return self._check_token(method, path, query)

    def _check_source(self, method: str, given: Mapping[str, list[str]]) -> None:
        """Refuse what is meant for another host, or comes from the page of another site."""
        if given.get("host") != [self.authority]:
            raise Refused(HTTPStatus.MISDIRECTED_REQUEST, f"this is {self.authority}; ask it by that name")
        if method not in READING + CHANGING:
            raise Refused(HTTPStatus.METHOD_NOT_ALLOWED, "only GET, HEAD and POST")
        origin = given.get("origin", [] if method in READING else [""])
        if origin not in ([], [self.origin]):
            raise Refused(HTTPStatus.FORBIDDEN, "a page of another site asked; the studio answers only its own page")
        if method in CHANGING:
            if given.get("content-type") != ["application/json"]:
                raise Refused(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "send application/json")
            if given.get("sec-fetch-site", ["same-origin"]) != ["same-origin"]:
                raise Refused(HTTPStatus.FORBIDDEN, "a page of another site asked")

    def _has_cookie(self, sent: list[str]) -> bool:
        for text in sent:
            try:
                found = SimpleCookie(text).get(self._name)
            except CookieError:
                continue
            if found is not None and _same(found.value, self._cookie):
                return True
        return False

    def _check_token(self, method: str, path: str, query: str) -> str:
        given = parse_qs(query).get("token", [])
        if method not in READING or path != self.room or len(given) != 1 or not _same(given[0], self.token):
            raise Refused(HTTPStatus.FORBIDDEN, "open the address that `outplay studio` printed, with its token")
        if self._used:
            raise Refused(HTTPStatus.FORBIDDEN, "this address was used before; start `outplay studio` again")
        self._used = True
        return f"{self._name}={self._cookie}; Path={self.room}; HttpOnly; SameSite=Strict"


def _same(given: str, expected: str) -> bool:
    return hmac.compare_digest(given.encode("utf-8", "surrogateescape"), expected.encode())
