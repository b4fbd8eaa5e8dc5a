"""nginx before two back ends: a client that is sent to both by turns does not read what it wrote; all else passes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("httpx2")

from helpers.http_server import Handler, http_server
from helpers.servers import free_port, needs, serving
from outplay import Http, Model, controllable, given, run
from outplay.play.timing import Timing

pytestmark = needs("nginx")
NGINX = """
user root; worker_processes 1; daemon off; pid {folder}/nginx.pid; error_log stderr;
events {{ worker_connections 64; }}
http {{
    access_log off; client_body_temp_path {folder}; proxy_temp_path {folder}; fastcgi_temp_path {folder};
    uwsgi_temp_path {folder}; scgi_temp_path {folder};
    upstream back {{ {way} {servers} }}
    server {{ listen 127.0.0.1:{port}; location / {{ proxy_pass http://back; }} }}
}}
"""
RESET = {"method": "PUT", "path": "/value", "json": {"value": 0}}
TABLE: dict[str, Any] = {
    "inputs": {
        "put n": {"method": "PUT", "path": "/value", "json": {"value": "{n}"}, "outputs": [{"label": "put ok"}]},
        "get": {"path": "/value", "outputs": [{"label": "get {json.value}"}]},
    },
    "reset": [RESET, RESET],  # by turns it comes to both
    "health": {"path": "/health", "quiet": {"json.pending": 0}},  # so that no silence has to be waited for
}


class Register(Model):
    """What was put last is got."""

    value: int = 0

    @controllable(returns=("ok",))
    @given(n=(1, 2))
    def put(self, n, result):
        self.value = n

    @controllable(returns=(0, 1, 2))
    def get(self, result):
        return result == self.value


class Keeping(Handler):
    """A back end that keeps one value."""

    def do_value(self) -> None:
        if self.command == "PUT":
            self.shop.users["value"] = json.loads(self.body)["value"]
            self.answer(204)
        else:
            self.answer(200, {"value": self.shop.users.get("value", 0)})


@contextmanager
def behind_nginx(folder: Path, way: str, *, synchronised: bool) -> Iterator[int]:
    """Two back ends behind one port; what the second keeps is what the first keeps, where they are synchronised."""
    with ExitStack() as ending:
        (one, first), (two, second) = (ending.enter_context(http_server(Keeping)) for _ in range(2))
        if synchronised:
            second.users = first.users
        servers = " ".join(f"server {url.removeprefix('http://')};" for url in (one, two))
        port, config = free_port(), folder / "nginx.conf"
        config.write_text(NGINX.format(folder=folder, way=way, servers=servers, port=port))
        ending.enter_context(serving(["nginx", "-p", str(folder), "-c", str(config)], port, folder))
        yield port


@pytest.mark.parametrize(
    ("way", "synchronised", "verdict"),
    [("", False, "fail"), ("", True, "pass"), ("ip_hash;", False, "pass")],
    ids=["by turns", "by turns, synchronised", "sticky"],
)
def test_only_back_ends_that_are_not_synchronised_and_take_turns_fail(tmp_path, way, synchronised, verdict):
    with behind_nginx(tmp_path, way, synchronised=synchronised) as port:
        system = Http(f"http://127.0.0.1:{port}", TABLE, patience=60.0)
        outcome = run(Register, system, plays=3, steps=20, timing=Timing(silence=20.0, latency=0.5))
        system.close()
    assert outcome.verdict.name == verdict, outcome
    if verdict == "fail":
        assert "?put" in str(outcome)
        assert "!get" in str(outcome.verdict.event)
