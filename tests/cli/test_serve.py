"""`outplay serve`: a model that is played against over TCP conforms to itself, and plays for or against a goal."""

from __future__ import annotations

import contextlib
import json
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from helpers.places import EXAMPLES

CHAT = f"{EXAMPLES}/chat/model.py:Chat"
PATIENCE = 60.0


@contextlib.contextmanager
def served(*arguments: str, way: str = "tcp") -> Iterator[str]:
    """The command in a process of its own, ended as a user would."""
    command = [sys.executable, "-m", "outplay", "serve", *arguments, f"--{way}", "127.0.0.1:0", "--seed", "1"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        line = process.stdout.readline()
        assert line.startswith("ready "), process.stderr.read()
        yield line.split()[1]
    finally:
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE) == 130
        assert "Traceback" not in process.stderr.read()
        process.stdout.close()
        process.stderr.close()


class Client:
    def __init__(self, address: str) -> None:
        host, port = address.split(":")
        self.link = socket.create_connection((host, int(port)), timeout=PATIENCE)
        self.lines = self.link.makefile("rb")

    def ask(self, line: str) -> str:
        self.link.sendall(line.encode() + b"\n")
        return self.read()

    def read(self) -> str:
        return self.lines.readline().decode().rstrip("\n")

    def close(self) -> None:
        self.lines.close()
        self.link.close()


def test_it_conforms_to_its_model(outplay):
    with served(CHAT) as address:
        found = outplay(
            "run", CHAT, "--sut", f"tcp:{address}", "--plays", "3", "--steps", "8", "--silence", "1", "--json"
        )
    assert (found.json["verdict"], found.json["plays"] > 1) == ("pass", True), found.json["why"]


def test_with_a_reset_by_line_too(outplay):
    with served(CHAT, "--shared") as address:
        sut = ("--sut", f"tcp:{address}", "--reset", "RESET=OK", "--plays", "2", "--steps", "8", "--silence", "1")
        assert outplay("run", CHAT, *sut, "--json").json["verdict"] == "pass"


@pytest.mark.parametrize(("side", "verdict"), [("adversarial", "inconclusive"), ("helpful", "pass")])
def test_an_adversary_keeps_the_goal_back_and_a_helper_leads_to_it(outplay, side, verdict):
    with served(CHAT, "--as", side, "--goal", "two_pending", "--pace", "2") as address:
        asked = ("--goal", "two_pending", "--plays", "1", "--steps", "6", "--silence", "8", "--latency", "2")
        found = outplay("run", CHAT, "--sut", f"tcp:{address}", *asked, "--json").json
    assert found["verdict"] == verdict, found["why"]


def test_each_connection_is_a_play_of_its_own():
    with served(CHAT) as address:
        for client in (Client(address), Client(address)):
            assert {client.ask("post ann hi"), client.read()} == {"deliver bob ann hi", "deliver cid ann hi"}
            client.close()


def test_mistakes_are_told_and_not_taken():
    with served(CHAT) as address:
        client = Client(address)
        assert client.ask("post nobody hi").startswith('error "post nobody hi is not allowed here; allowed: post ann')
        assert client.ask('post "').startswith('error "this is no label')
        client.link.sendall(b"\n  \n")
        assert {client.ask("post ann hi"), client.read()} == {"deliver bob ann hi", "deliver cid ann hi"}
        assert client.ask("RESET") == "OK"
        client.close()


def test_all_connections_are_one_play_where_they_are_shared():
    with served(CHAT, "--shared") as address:
        one, two = Client(address), Client(address)
        assert one.ask("RESET") == two.ask("RESET") == "OK"
        heard = {one.ask("post ann hi"), one.read()}
        assert heard == {two.read(), two.read()} == {"deliver bob ann hi", "deliver cid ann hi"}
        one.close()
        assert two.ask("post nobody hi").startswith("error")
        two.close()


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ((CHAT,), "say where to listen: --tcp, --http, --ws or --mqtt"),
        ((CHAT, "--tcp", "127.0.0.1:0", "--ws", "127.0.0.1:0"), "say one of --tcp, --http, --ws and --mqtt"),
        ((CHAT, "--tcp", "localhost"), "write tcp:HOST:PORT"),
        ((CHAT, "--tcp", "127.0.0.1:0", "--as", "adversarial"), "needs a --goal to play against"),
        ((CHAT, "--tcp", "127.0.0.1:0", "--goal", "two_pending"), "--goal needs --as helpful or --as adversarial"),
        ((CHAT, "--tcp", "300.0.0.1:0"), "cannot listen at 300.0.0.1:0"),
    ],
)
def test_what_cannot_be_served_is_a_mistake_of_the_call(outplay, arguments, complaint):
    refused = outplay("serve", *arguments)
    assert (refused.code, complaint in refused.err) == (2, True), refused.err


EXTRAS = {"ws": "websockets", "http": "httpx2", "mqtt": "paho.mqtt"}
RESETS = {
    "ws": 'json = ["RESET"]\nwhen = {"json.0" = "OK"}\n',
    "http": 'method = "POST"\npath = "/RESET"\n',
    "mqtt": 'topic = "in/RESET"\njson = ["RESET"]\nwhen = {"json.0" = "OK"}\n',
}


@pytest.mark.parametrize("way", EXTRAS)
@pytest.mark.parametrize("shared", [False, True])
def test_it_conforms_over_what_browsers_and_devices_speak_too(outplay, tmp_path, monkeypatch, way, shared):
    pytest.importorskip(EXTRAS[way])
    monkeypatch.chdir(tmp_path)
    assert outplay("new", CHAT, "--as", way).code == 0
    if shared:
        Path("chat.toml").write_text(f"{Path('chat.toml').read_text()}\n[[reset]]\n{RESETS[way]}")
    with served(CHAT, *(["--shared"] if shared else []), way=way) as address:
        sut = ("--sut", address, "--table", "chat.toml", "--plays", "3", "--steps", "8", "--silence", "1")
        found = outplay("run", CHAT, *sut, "--json").json
    assert (found["verdict"], found["plays"]) == ("pass", 3), found["why"]


ASKING = """des (0, 9, 7)
(0, "?try", 1)
(1, "!yes", 6)
(1, "!no", 2)
(2, "?try", 3)
(3, "!yes", 6)
(3, "!no", 4)
(4, "?try", 5)
(5, "!yes", 6)
(6, "?again", 0)
"""


def played_as(side: tuple[str, ...], way: str, plays: int, outplay, *more: str) -> dict:
    """Play the little game of asking against itself as a server."""
    Path("asking.aut").write_text(ASKING)
    table: tuple[str, ...] = ()
    if way in EXTRAS:
        pytest.importorskip(EXTRAS[way])
        assert outplay("new", "asking.aut", "--as", way).code == 0
        table = ("--table", "asking.toml")
    with served("asking.aut", *side, way=way) as address:
        sut = ("--sut", address if table else f"tcp:{address}", *table, "--plays", str(plays))
        return outplay("run", "asking.aut", *sut, *more, "--json").json


def against(side: str, way: str, plays: int, outplay) -> float:
    """The most that a play against this side costs, on the way to the goal."""
    found = played_as(
        ("--as", side, "--goal", "6"), way, plays, outplay, "--goal", "6", "--settle", "0", "--silence", "10"
    )
    assert (found["verdict"], found["plays"]) == ("pass", plays), found["why"]
    return found["promise"]["most_cost"]


@pytest.mark.parametrize("way", ["tcp", *EXTRAS])
def test_the_adversary_reaches_the_worst_value_of_the_game(outplay, tmp_path, monkeypatch, way):
    monkeypatch.chdir(tmp_path)
    assert against("adversarial", way, 2, outplay) == 6


@pytest.mark.long
@pytest.mark.timeout(1_800)
@pytest.mark.parametrize("way", ["tcp", *EXTRAS])
def test_over_each_transport_it_conforms_in_two_hundred_plays_and_is_as_good_or_bad_as_it_can_be(
    outplay, tmp_path, monkeypatch, way
):
    monkeypatch.chdir(tmp_path)
    found = played_as((), way, 200, outplay, "--steps", "20", "--tester", "walk", "--silence", "1")
    assert (found["verdict"], found["plays"]) == ("pass", 200), found["why"]
    for side, worst in (("adversarial", 6), ("helpful", 2)):
        for stub in ("asking.toml", "test_asking.py"):
            Path(stub).unlink(missing_ok=True)
        assert against(side, way, 200, outplay) == worst


@pytest.mark.parametrize("way", EXTRAS)
def test_a_model_that_is_not_the_one_served_is_found_out(outplay, tmp_path, monkeypatch, way):
    pytest.importorskip(EXTRAS[way])
    monkeypatch.chdir(tmp_path)
    Path("model.py").write_text(Path(CHAT.rpartition(":")[0]).read_text().replace("- {sender}", ""))
    assert outplay("new", CHAT, "--as", way).code == 0
    with served("model.py:Chat", way=way) as address:
        sut = ("--sut", address, "--table", "chat.toml", "--plays", "5", "--steps", "8", "--silence", "1")
        assert outplay("run", CHAT, *sut, "--json").json["verdict"] == "fail"


def call(url: str, path: str, body: object = None, cookie: str = "") -> tuple[int, object, str]:
    content = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url + path, data=content, headers={"Cookie": cookie})
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            found = answer.read()
            return answer.status, json.loads(found) if found else None, answer.headers["Set-Cookie"].partition(";")[0]
    except urllib.error.HTTPError as error:
        return error.code, json.loads(error.read()), cookie


def test_over_http_each_cookie_is_a_play_and_mistakes_are_told():
    with served(CHAT, way="http") as url:
        status, _, ann = call(url, "/post", ["ann", "hi"])
        assert status == 202
        heard = {tuple(call(url, "/next?wait=60", cookie=ann)[1]) for _ in range(2)}
        assert heard == {("deliver", "bob", "ann", "hi"), ("deliver", "cid", "ann", "hi")}
        assert call(url, "/next", cookie=ann)[:2] == (204, None)
        status, told, _ = call(url, "/post", ["nobody", "hi"], ann)
        assert status == 409
        assert told["error"].startswith("post nobody hi is not allowed here; allowed: post ann")
        assert call(url, "/post", {"who": "ann"}, ann)[0] == 400
        assert call(url, "/nothing", cookie=ann)[0] == 404
        other = call(url, "/post", ["bob", "hi"])
        assert other[0] == 202
        assert other[2] != ann, "another play, in which ann has said nothing"
        assert call(url, "/RESET", [], ann)[0] == 202
