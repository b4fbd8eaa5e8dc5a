"""A studio to test: started as users start it, asked by hand or shown in Debian's Chromium."""

from __future__ import annotations

import contextlib
import http.client
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Browser, Page, sync_playwright

from outplay.runs.job import Job
from outplay.studio.application import StudioServer
from outplay.studio.workspace import workspace_of

FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"]
PATIENCE = 40_000  # milliseconds, on a busy machine


@dataclass
class Studio:
    """A running studio and the address it printed."""

    address: str

    @property
    def port(self) -> int:
        return urlsplit(self.address).port or 0

    @property
    def base(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def room(self) -> str:
        return urlsplit(self.address).path

    def ask(
        self, path: str, headers: dict[str, str] | None = None, *, method: str = "GET", body: bytes | None = None
    ) -> tuple[int, bytes, list[tuple[str, str]]]:
        """One request with just these headers, and the path as it stands below the room of the studio."""
        link = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        with contextlib.closing(link):
            given = {"Host": f"127.0.0.1:{self.port}", **(headers or {})}
            link.putrequest(method, self.room.rstrip("/") + path, skip_host=True, skip_accept_encoding=True)
            for name, value in given.items():
                link.putheader(name, value.encode("utf-8"))
            if body is not None:
                link.putheader("Content-Length", str(len(body)))
            link.endheaders(body)
            answer = link.getresponse()
            return answer.status, answer.read(), answer.getheaders()

    def cookie(self) -> str:
        """Come with the token, and return the cookie."""
        status, _, headers = self.ask(f"/?{urlsplit(self.address).query}")
        assert status == 200
        return dict(headers)["set-cookie"].partition(";")[0]


@contextlib.contextmanager
def studio(model: str = "", *, folder: Path) -> Iterator[Studio]:
    """A studio of a model in this process, which costs a tenth of what the command costs; names are full paths."""
    server = StudioServer(workspace_of(Job(model), folder))
    try:
        server.start()
        yield Studio(server.address)
    finally:
        server.close()


@contextlib.contextmanager
def studio_command(*arguments: str, folder: Path) -> Iterator[Studio]:
    """Start a studio in a folder as users do."""
    command = [sys.executable, "-m", "outplay", "studio", *arguments, "--no-open"]
    environment = {**os.environ, "XDG_DATA_HOME": str(folder / "data")}
    made = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True, env=environment)
    try:
        assert made.stdout
        found = re.search(r"http://127\.0\.0\.1:\d+/[\w-]+/\?token=\S+", made.stdout.readline())
        assert found, "the studio printed no address"
        yield Studio(found[0])
    finally:
        made.terminate()
        made.wait(30)
        assert made.stdout
        made.stdout.close()


_open: list[Any] = []  # the browser of this process, and how to end it


def open_browser() -> Browser:
    """Return the browser of this process, started where there is none."""
    if not _open:
        player = sync_playwright().start()
        _open[:] = [player.chromium.launch(executable_path="/usr/bin/chromium", args=FLAGS), player]
    return _open[0]


def close_browser() -> None:
    """Close it where there is one; no event loop is left behind for other tests."""
    if _open:
        browser, player = _open
        _open.clear()
        browser.close()
        player.stop()


@contextlib.contextmanager
def playing_browser() -> Iterator[Browser]:
    """The browser of this process, closed again where it was not open before."""
    before = bool(_open)
    try:
        yield open_browser()
    finally:
        if not before:
            close_browser()


@contextlib.contextmanager
def shown(opened: Studio, *, ready: bool = True, strict: bool = True, **how: Any) -> Iterator[Page]:
    """Show a studio in a browser; what the page does wrong fails the test."""
    with playing_browser() as browser:
        context = browser.new_context(**{"viewport": {"width": 1366, "height": 768}, **how})
        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        wrong: list[str] = []
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("console", lambda said: wrong.append(said.text) if said.type == "error" else None)
        own = (opened.base, "data:", "blob:")
        page.on("request", lambda asked: None if asked.url.startswith(own) else wrong.append(asked.url))
        page.goto(opened.address)
        if ready:
            page.wait_for_selector("canvas[data-ready]")
        yield page
        assert not (strict and wrong), wrong
        context.close()


def until(page: Page, expression: str, argument: Any = None) -> Any:
    """Wait until an expression holds; the policy of the page forbids playwright to do so inside of it."""
    deadline = time.monotonic() + PATIENCE / 1000
    while not (found := page.evaluate(expression, argument)):
        assert time.monotonic() < deadline, expression
        page.wait_for_timeout(30)
    return found
