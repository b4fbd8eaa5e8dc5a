"""Servers that are restarted in the middle of a play, by chance and as a move of the tester: what they keep shows."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from helpers.commands import called
from helpers.places import ROOT
from outplay import Label
from outplay.errors import SystemUnready, UsageError
from outplay.play.adapters.adapters import adapter_of

PATIENCE = 60.0
WAYS = ("--sut", "tcp:127.0.0.1:{port}", "--table", "store.toml", "--server-per-play")
SERVER = f"{sys.executable} {ROOT}/tests/helpers/keeping_server.py {{port}}"
MODEL = """
from outplay import Model, controllable, fault, given, goal, observable

class Store(Model):
    kept: int = 0
    asked: tuple[str, int] = ("", 0)
    armed: bool = False  # the server will be restarted in place of its next answer
    gone: bool = False
    restarts: int = 0

    @controllable
    @given(n=(1, 2))
    def put(self, n):
        if self.asked[0] or self.gone:
            return False
        self.asked = ("put", n)

    @controllable
    def get(self):
        if self.asked[0] or self.gone:
            return False
        self.asked = ("get", 0)

    @fault
    def restart(self):
        if self.armed or self.asked[0] or self.gone or self.restarts:
            return False
        self.armed = True

    @controllable
    def enter(self):
        if not self.gone:
            return False
        self.gone = False

    @observable
    def stored(self):
        if self.asked[0] != "put" or self.armed:
            return False
        self.kept, self.asked = self.asked[1], ("", 0)

    @observable
    @given(n=(0, 1, 2))
    def value(self, n):
        if self.asked[0] != "get" or self.armed or n != self.kept:
            return False
        self.asked = ("", 0)

    @observable
    def lost(self):
        if not self.asked[0] or not self.armed:
            return False
        if self.asked[0] == "put":
            self.kept = self.asked[1]  # it was carried out: only the answer is missing
        self.asked, self.armed, self.gone = ("", 0), False, True
        self.restarts += 1

    @goal
    def came_again(self):
        return self.restarts == 1 and self.kept > 0 and self.asked[0] == "get"
"""
TABLE = """
[inputs."put n"]
body = "put {n}"
[inputs.get]
body = "get"
[inputs.enter]
connection = "open"
[[outputs]]
when = {body = "kept"}
label = "stored"
[[outputs]]
when = {body = "value 0"}
label = "value 0"
[[outputs]]
when = {body = "value 1"}
label = "value 1"
[[outputs]]
when = {body = "value 2"}
label = "value 2"
[[outputs]]
when = {closed = true}
label = "lost"
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("store.py").write_text(MODEL)
    Path("store.toml").write_text(TABLE)
    return tmp_path


@pytest.mark.parametrize(("how", "verdict"), [("", "pass"), ("forgets", "fail")])
def test_a_strategy_restarts_the_server_just_before_an_answer(capsys, folder, how, verdict):
    asked = ("--server", f"{SERVER} {how}", "--faults", "model", "--goal", "came_again", "--plays", "1")
    timing = ("--silence", "20", "--settle", "1", "--shrink", "0")
    found = called(capsys, "run", "store.py:Store", *WAYS, *asked, *timing, "--json").json
    assert found["verdict"] == verdict, found["why"]
    trace = Path(found["trace"]).read_text()
    assert "?restart" in trace
    assert "!lost" in trace


def test_restarts_by_chance_are_counted_and_leave_nothing_behind(capsys, folder):
    Path("loose.py").write_text(
        MODEL.replace("or not self.armed:", "or self.gone:")
        .replace("or self.restarts", "")
        .replace("@fault", "#")
        .replace("#\n    def restart(self):", "def never(self):")
    )
    descriptors = len(os.listdir("/proc/self/fd"))
    asked = ("--server", SERVER, "--faults", "restart=30%", "--plays", "2", "--steps", "8", "--tester", "walk")
    found = called(capsys, "run", "loose.py:Store", *WAYS, *asked, "--silence", "20")
    assert "fault restart: " in found.err, found.out + found.err
    assert found.code in (0, 1, 6)
    assert len(os.listdir("/proc/self/fd")) <= descriptors + 2


def test_only_what_outplay_has_started_can_be_restarted():
    with pytest.raises(UsageError, match="needs --server COMMAND"):
        adapter_of("tcp:").system("127.0.0.1:1", faults="restart", read_table=dict)
    system = adapter_of("tcp:").system("127.0.0.1:1", faults="model", read_table=dict)
    with pytest.raises(UsageError, match="needs --server COMMAND"):
        system.give(Label("?", "restart"))
    system.close()


def test_a_server_that_does_not_come_again_is_trouble_of_the_environment(tmp_path):
    once = f"sh -c 'test -e began && exit 3; touch began; exec {SERVER}'"
    system = adapter_of("tcp:").system("127.0.0.1:{port}", faults="model", server=once, read_table=dict)
    try:
        system.reset()
        for word in ("restart", "get"):
            system.give(Label("?", word))
        with pytest.raises(SystemUnready, match="ended before it was ready"):
            assert [system.observe(0.1).kind for _ in range(100)]
    finally:
        system.close()
