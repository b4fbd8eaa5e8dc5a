"""WebSockets: several clients of a broadcasting server, and every way in which it may misbehave."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

pytest.importorskip("websockets")

from helpers.broadcast import Broadcast, broadcast
from outplay import Label, Model, controllable, given, observable, run
from outplay.errors import AdapterError, FormatError, SystemUnready, UsageError
from outplay.play.adapters.messages.websocket import WebSocket, websocket_from_text
from outplay.play.timing import Timing

PATIENCE = 20.0
SAY = {"client": "{who}", "json": {"kind": "say", "text": "{what}", "token": "{saved.token}"}}
SAID = {"when": {"json.kind": "said"}, "label": "hear {client} {json.from} {json.text}"}
TABLE: dict[str, Any] = {
    "clients": ["ann", "bob", "cid"],
    "connect": {"path": "/{client}", "headers": {"X-Who": "{client}"}},
    "begin": [{"json": {"kind": "login"}, "when": {"json.kind": "welcome"}, "save": {"token": "{json.token}"}}],
    "inputs": {
        "say who what": SAY,
        "leave who code": {"client": "{who}", "json": {"kind": "leave", "code": "{code}"}},
        "abort who": {"client": "{who}", "json": {"kind": "abort"}},
        "enter who": {"client": "{who}", "connection": "open"},
        "go who": {"client": "{who}", "connection": "close"},
        "fall who": {"client": "{who}", "connection": "cut"},
        "ask who n": {
            "client": "{who}",
            "json": {"kind": "ask", "id": "{count}"},
            "outputs": [{"when": {"json.kind": "answer", "json.id": "{count}"}, "label": "answer {client} {n}"}],
        },
        "misbehave kind": {"client": "ann", "json": {"kind": "{kind}"}},
    },
    "outputs": [SAID],
}


@pytest.fixture
def server() -> Iterator[tuple[str, Broadcast]]:
    with broadcast() as found:
        yield found


@pytest.fixture
def system(server: tuple[str, Broadcast]) -> Iterator[Callable[..., WebSocket]]:
    made: list[WebSocket] = []

    def make(**changed: Any) -> WebSocket:
        made.append(WebSocket(server[0], {**TABLE, **changed}, patience=PATIENCE))
        made[-1].reset()
        return made[-1]

    yield make
    for each in made:
        each.close()


def give(system: WebSocket, *labels: str) -> None:
    for label in labels:
        system.give(Label.parse(f"?{label}"))


def shown(system: WebSocket, many: int) -> list[str]:
    return [str(system.observe(PATIENCE)) for _ in range(many)]


def test_what_one_says_comes_to_the_others_and_clients_keep_their_tokens_apart(system, server):
    chat = system(outputs=[{**SAID, "label": "hear {client} {json.from} {json.text} {json.token}"}])
    give(chat, 'say ann "two words"')
    assert sorted(shown(chat, 2)) == [f'!hear {who} ann "two words" token-of-ann' for who in ("bob", "cid")]
    assert chat.observe(0.01).kind == "silence"
    assert sorted(server[1].headers) == ["ann", "bob", "cid"]


def test_an_answer_belongs_to_its_question(system):
    chat = system()
    give(chat, "ask ann 7", "ask ann 8", "ask bob 9")
    assert sorted(shown(chat, 3)) == ["!answer ann 7", "!answer ann 8", "!answer bob 9"]


@pytest.mark.parametrize(
    ("what", "seen"),
    [
        ("leave ann 1000", "closed: the server closed the WebSocket with code 1000: bye (ann)"),
        ("leave ann 4001", "crash: the server closed the WebSocket with code 4001: bye (ann)"),
        ("abort ann", "crash: "),
        ('misbehave "bad utf-8"', "garbage: not UTF-8: ann is sent"),
        ('misbehave "no frame"', "garbage: no WebSocket message"),
        ('misbehave "too huge"', "garbage: no WebSocket message"),
        ('misbehave "no json"', "garbage: no JSON: ann is sent {half"),
        ("misbehave binary", "garbage: not UTF-8: ann is sent"),
    ],
)
def test_what_goes_wrong_is_an_event_that_says_so(system, what, seen):
    chat = system()
    give(chat, what)
    event = chat.observe(PATIENCE)
    assert str(event).startswith(seen), event
    assert chat.observe(0.01).kind == event.kind, "it stays the last"


def test_the_end_of_a_connection_is_an_output_where_a_row_is_for_it(system):
    chat = system(outputs=[SAID, {"when": {"closed": 4001}, "label": "left {client} {reason}"}])
    give(chat, "leave ann 4001")
    assert shown(chat, 1) == ["!left ann bye"]
    give(chat, "say ann lost", "say bob hi")
    assert shown(chat, 1) == ["!hear cid bob hi"], "what a client says that is not connected is lost"
    give(chat, "enter ann", "say bob again")
    assert sorted(shown(chat, 2)) == ["!hear ann bob again", "!hear cid bob again"]


@pytest.mark.parametrize("how", ["go", "fall"])
def test_a_client_goes_and_comes_again(system, server, how):
    chat = system()
    give(chat, f"{how} ann")
    while "ann" in server[1].clients:
        assert chat.observe(0.01).kind == "silence", "that is our own doing"
    give(chat, "say bob alone")
    assert shown(chat, 1) == ["!hear cid bob alone"]
    give(chat, "say ann back")
    assert sorted(shown(chat, 2)) == ["!hear bob ann back", "!hear cid ann back"]


def test_a_huge_message_comes_whole(system):
    chat = system(outputs=[{"label": "big {json.text}"}])
    give(chat, "misbehave huge")
    event = chat.observe(PATIENCE)
    assert event.label is not None
    assert len(event.label.arguments[0]) == 3_000_000


def test_a_message_without_a_row_is_trouble_of_the_table_and_its_secrets_stay_out(system):
    chat = system(saved={"key": "sesame-open"})
    give(chat, "misbehave unknown")
    with pytest.raises(AdapterError, match=r"the table has no row for this: .*\. Add \{when = ") as raised:
        chat.observe(PATIENCE)
    assert "sesame-open" not in str(raised.value)


def test_plays_are_apart_and_leave_nothing_behind(system, server):
    chat = system(reset=[{"json": {}, "when": {"json.kind": "reset"}}])
    threads = threading.active_count()
    for _ in range(20):
        give(chat, "say ann hi")
        shown(chat, 1)
        chat.reset()
        assert chat.observe(0.001).kind == "silence", "what belongs to the play before is not shown"
    assert threading.active_count() <= threads + 2
    assert server[1].said == 0


def test_a_server_that_is_no_websocket_server_is_trouble_before_the_play():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        url = f"ws://127.0.0.1:{listener.getsockname()[1]}"
        with pytest.raises(SystemUnready, match="does not answer the WebSocket handshake"):
            WebSocket(url, TABLE, patience=0.2).reset()
    with pytest.raises(SystemUnready, match="nothing answers"):
        WebSocket(url, TABLE, patience=0.1).reset()


@pytest.mark.parametrize(
    ("entry", "told"),
    [
        ({"jsn": {}}, "unknown 'jsn'; did you mean 'json'"),
        ({}, "nothing is sent"),
        ({"json": {}, "body": "x"}, "one body"),
        ({"body": 3}, "body should be a text"),
        ({"connection": "opn"}, "none of open, close, cut"),
        ({"body": "{who}", "client": "{whom}"}, "nothing is called {whom}"),
    ],
)
def test_a_mistake_of_a_table_is_told_with_its_place(entry, told):
    with pytest.raises(FormatError, match=f"the table: inputs 'say who'.*{told}"):
        WebSocket("ws://localhost:1", {"inputs": {"say who": entry}})


def test_it_needs_an_address_and_a_table():
    with pytest.raises(UsageError, match="needs --table FILE"):
        websocket_from_text("//localhost:1", table=None, read_table=lambda path: {})
    with pytest.raises(UsageError, match="write the address of a server"):
        websocket_from_text("localhost", table="t.toml", read_table=lambda path: TABLE)


class Chat(Model):
    """What is said comes to all others; what is said after it may overtake it on the way to somebody else."""

    names = ("ann", "bob")
    owed: tuple[tuple[str, str], ...] = ()

    @controllable
    @given(who="names", what=("hi", "bye"))
    def say(self, who, what):
        if len(self.owed) > 1:
            return False
        self.owed += tuple((other, what) for other in self.names if other != who)

    @observable
    @given(who="names", sender="names", what=("hi", "bye"))
    def hear(self, who, sender, what):
        mine = [n for n, (whose, _) in enumerate(self.owed) if whose == who]
        if who == sender or not mine or self.owed[mine[0]][1] != what:
            return False
        self.owed = self.owed[: mine[0]] + self.owed[mine[0] + 1 :]


@pytest.mark.parametrize(("fault", "verdict"), [("", "pass"), ("echo", "fail"), ("loses the third", "fail")])
def test_a_broadcasting_server_passes_and_its_faults_are_found(fault, verdict):
    reset = [{"json": {}, "when": {"json.kind": "reset"}}]
    with broadcast(fault) as (url, _):
        system = WebSocket(url, {**TABLE, "clients": ["ann", "bob"], "reset": reset})
        outcome = run(Chat, system, plays=3, steps=14, seed=1, timing=Timing(silence=1.5, latency=0.5))
        system.close()
    assert outcome.verdict.name == verdict, outcome
