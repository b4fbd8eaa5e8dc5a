"""A server that is called over HTTP as the system under test: inputs are calls, outputs what the answers mean.

What is sent for an input, and which output an answer, a poll or an event of a stream means, says a table
(`http_table.py`). The play before is over at a reset: its clients with their cookies and what they remembered are gone.
What the server itself remembers is reset by the calls that the table has for that, or by starting it anew. The server
works on at a call whose connection is cut, so the reset that counts is made when the calls before it were answered.

A connection that breaks or is refused is a crash. An answer that the table has no row for is garbage where the server
says that it has failed (500 and above), else an error of the table. One that does not come in time is no output.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

from outplay.errors import SystemUnready, UsageError
from outplay.model.label import Label
from outplay.play.adapters.http_client import HttpAnswer, HttpClient, TooLate, filled_call
from outplay.play.adapters.http_play import HttpPlay
from outplay.play.adapters.http_table import HttpTable, ResetCall
from outplay.play.adapters.messages.label_rows import row_for
from outplay.play.adapters.messages.message import Garbled, Gone
from outplay.play.adapters.messages.message_system import table_redaction
from outplay.play.adapters.messages.templates import Absent, ChosenNames, Scope
from outplay.play.system import Clock, RealClock
from outplay.play.trace import Event

_SOON = 0.2  # seconds in which the calls of a play that ended are answered, unless they wait for something
_ENDED = 2.0  # seconds in which calls end that are too late
_AGAIN = 0.05  # seconds until a server that is not ready is asked again


class Http:
    """Calls the server at a base address, by a table: a mapping as a TOML file holds it, or one that was read.

    The server has to be ready, the calls that reset it have to be answered well, and each call has to begin, within
    `patience` seconds. `ca` is a file of certificates of authorities that are trusted, beside those of this machine.
    """

    def __init__(
        self, url: str, table: Mapping[str, Any] | HttpTable, *, patience: float = 10.0, ca: str | None = None
    ) -> None:
        self._base, self._patience, self._ca = _base(url), patience, ca
        self._table = table if isinstance(table, HttpTable) else HttpTable.read(table)
        self.synchronous = self._table.is_synchronous
        """Nothing crosses where there is one client, whose calls wait for each other."""
        self.clock: Clock = RealClock()
        self._play: HttpPlay | None = None
        self._client().end()  # so that a file of certificates that cannot be read is told before anything is played
        self._redact = table_redaction(self._table.document, url)

    def reset(self) -> None:
        if self._play and self._table.reset and not self._play.answered(_SOON):
            with suppress(SystemUnready):  # it is made again
                self._reset_server()  # frees the calls that wait for something; the server works on at the others
            self._play.answered(_ENDED + max(route.call.timeout for route in self._table.routes.values()))
        self._end_play()
        self._play = HttpPlay(self._client, self._table, self._reset_server(), self._redact)
        self._play.listen(self._patience)

    def _reset_server(self) -> dict[str, Any]:
        """Make the calls that reset the server; return what all clients remember."""
        client = self._client()
        try:
            self._get_ready(client)
            saved = dict(self._table.saved)
            for call in self._table.reset:
                saved |= self._call_for_reset(client, call, saved)
            return saved
        finally:
            client.end()

    def give(self, label: Label) -> float | None:
        """Make the call; returns when it began where nothing else can be on its way."""
        began = self._running().give(label, row_for(label, self._table.routes), self._patience)
        return began if self.synchronous else None

    def observe(self, timeout: float) -> Event:
        return self._running().next(timeout)

    def quiet(self) -> bool:
        """Say whether the server proves that it will show nothing more until it is given something.

        What is still called, polled or listened for may come after any proof.
        """
        health = self._table.health
        if health is None or health.quiet is None or not self._running().rests:
            return False
        client = self._client()
        try:
            return health.quiet.fits(_answered(client.call(filled_call(health.call, _nothing()))))
        except (Gone, TooLate, Garbled):
            return False
        finally:
            client.end()

    def rests(self) -> bool:
        return self._running().rests

    def close(self) -> None:
        self._end_play()

    def _get_ready(self, client: HttpClient) -> None:
        """Wait until the server answers, as the table says that it does when it is ready."""
        health, deadline, why = self._table.health, time.monotonic() + self._patience, ""
        while health is not None:
            try:
                answer = client.call(filled_call(health.call, _nothing()))
                if health.ready.fits(_answered(answer)):
                    return
                why = f"it answers {answer.status}"
            except (Gone, TooLate, Garbled) as error:
                why = str(error)
            if time.monotonic() > deadline:
                raise SystemUnready(self._redact(f"the server is not ready within {self._patience:g} s: {why}"))
            time.sleep(_AGAIN)

    def _call_for_reset(self, client: HttpClient, reset: ResetCall, saved: Mapping[str, Any]) -> dict[str, Any]:
        """Make a call; return what is remembered of its answer."""
        try:
            made = filled_call(reset.call, _nothing(saved))
            answer = client.call(made)
            if reset.answer.fits(_answered(answer)):
                return reset.answer.remembered(_answered(answer))
        except (Gone, TooLate, Garbled, Absent) as error:
            raise SystemUnready(self._redact(f"the reset failed: {error}")) from None
        raise SystemUnready(f"the reset failed: {made.method} {self._redact(made.target)} answers {answer.status}")

    def _client(self) -> HttpClient:
        return HttpClient(self._base, self._ca)

    def _end_play(self) -> None:
        play, self._play = self._play, None
        if play:
            play.end()

    def _running(self) -> HttpPlay:
        if self._play is None:
            raise SystemUnready("the system is not running: reset it first")
        return self._play


def http_from_text(
    text: str, *, table: str | None, read_table: Callable[[str], Mapping[str, Any]], ca: str | None = None
) -> Http:
    """Make the system of `http:URL` from its text; the URL may stand without a second `http:`."""
    if table is None:
        raise UsageError("--sut http:… needs --table FILE, which says what to call for each input; see the how-to")
    url = f"http:{text}" if text.startswith("//") else text
    _base(url)
    return Http(url, HttpTable.read(read_table(table), table), ca=ca)


def https_from_text(text: str, **given: Any) -> Http:
    """Make the system of `https:URL` from its text, called over HTTP with TLS."""
    return http_from_text(f"https:{text}" if text.startswith("//") else text, **given)


def _base(url: str) -> str:
    """The address that paths are put behind."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
        raise UsageError(f"--sut {url}: write the address of a server, such as http://127.0.0.1:8000")
    return url.rstrip("/")


def _nothing(saved: Mapping[str, Any] | None = None) -> Scope:
    return Scope({"env": os.environ, "saved": saved or {}}, ChosenNames(), sending=True)


def _answered(answer: HttpAnswer) -> Scope:
    return Scope({"env": os.environ, **answer.parts}, ChosenNames(), sending=False)
