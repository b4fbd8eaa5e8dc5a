"""The server of the studio: on this machine only, at a port that is free, until the command ends."""

from __future__ import annotations

import os
import socket
import threading
import webbrowser
from pathlib import Path

import uvicorn

from outplay.errors import UsageError
from outplay.runs.preparing.remembered_code import data_folder
from outplay.studio.admission import HOST, Admission
from outplay.studio.application import application
from outplay.studio.workspace import Workspace

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
        """Begin to answer."""
        self._thread.start()

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
    """Write the page that leads the browser to an address; nobody else may read it."""
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
