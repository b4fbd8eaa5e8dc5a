"""A server as a fixture: on a free port in a folder of its own, new where asked, and gone with all it started."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest

from helpers.places import ROOT
from outplay import Label, Tcp
from outplay.errors import SystemUnready, UsageError
from outplay.play.adapters.served_system import ServedSystem, served
from outplay.play.adapters.server import Server

PATIENCE = 60.0
COMMAND = f"{sys.executable} {ROOT}/tests/helpers/counting_server.py {{port}}"
COUNT = Label("?", "count")


def serving(extra: str = "", **told) -> Server:
    return Server(f"{COMMAND} {extra}", **{"patience": PATIENCE, **told})


def behind(server: Server, **told) -> ServedSystem:
    def make(server: Server) -> Tcp:
        return Tcp("127.0.0.1", int(server.filled("{port}")), patience=PATIENCE)

    return ServedSystem(server, make, **told)


def ask(system: ServedSystem, label: Label = COUNT) -> str:
    system.reset()
    system.give(label)
    return str(system.observe(PATIENCE))


def gone(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().split()[2] == "Z"
    except OSError:
        return True


def test_it_is_ready_when_it_listens_and_leaves_nothing_behind():
    with serving("child", ready="listening in") as server:
        folder, log = server.folder, server.log
        assert f"listening in {folder.resolve()}" in log.read_text()
        child = int(log.read_text().split()[1])
        assert not gone(child)
    assert not server.alive
    assert not folder.exists()
    assert not log.exists()
    deadline = time.monotonic() + PATIENCE
    while not gone(child):
        assert time.monotonic() < deadline


@pytest.mark.parametrize(("per_play", "said"), [(False, ["!counted 1", "!counted 2"]), (True, ["!counted 1"] * 2)])
def test_it_is_started_for_the_run_or_for_each_play(per_play, said):
    system = behind(serving(), per_play=per_play)
    assert [ask(system) for _ in range(2)] == said
    system.close()


def test_one_that_dies_is_a_crash_with_its_last_words_and_is_started_again(tmp_path):
    server = serving(log=tmp_path / "kept.log")
    system = behind(server)
    system.reset()
    system.give(Label("?", "die"))
    event = system.observe(PATIENCE)
    assert event.kind == "crash"
    assert "its log ends with: about to die" in event.detail
    assert ask(system) == "!counted 1"
    assert ask(system, Label("?", "much")) == "!wrote", "what it writes is never waited for"
    system.close()
    assert (tmp_path / "kept.log").read_text().count("listening in") == 2


def test_secrets_of_the_table_are_left_out_of_what_is_told_of_its_log():
    def make(text: str, **told) -> Tcp:
        return Tcp("127.0.0.1", int(text), patience=PATIENCE)

    table = {"inputs": {"count": {"json": {"password": "listening"}}}}
    system = served(make, "{port}", server=COMMAND, server_ready="in /", table="t", read_table=lambda name: table)
    system.reset()
    assert system.words().startswith("<redacted password of the table> in /")
    system.close()


def test_one_that_dies_while_nobody_speaks_is_no_silence():
    server = serving()
    system = behind(server)
    system.reset()
    os.kill(server._running._process.pid, 9)
    deadline = time.monotonic() + PATIENCE
    while (kind := system.observe(0.1).kind) == "silence":
        assert time.monotonic() < deadline
    assert kind == "crash"
    system.close()


@pytest.mark.parametrize(
    ("command", "told", "complaint"),
    [
        (f"{COMMAND} fail", {}, "ended before it was ready; its log ends with: no licence"),
        ("no-such-server {port}", {}, "cannot start the server 'no-such-server': no such program"),
        (COMMAND, {"ready": "never said", "patience": 0.3}, "is not ready within 0.3 s"),
        (COMMAND, {"ready": "http://127.0.0.1:{port}/health", "patience": 0.3}, "is not ready within 0.3 s"),
    ],
)
def test_one_that_does_not_get_ready_says_why(command, told, complaint):
    server = Server(command, **{"patience": PATIENCE, **told})
    with pytest.raises(SystemUnready) as refused:
        server.start()
    server.close()
    assert complaint in str(refused.value)
    assert not server.alive


def test_no_command_is_a_mistake():
    with pytest.raises(UsageError, match="has no command"):
        Server("  ")
