"""Calls over HTTP: what is sent, what is read, and every way in which a server may misbehave."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from helpers.http_server import Handler, Shop, http_server
from outplay import Label
from outplay.errors import AdapterError, SystemUnready, UsageError

pytest.importorskip("httpx2")
from outplay.play.adapters.http_system import Http, http_from_text

PATIENCE = 10.0
LOGIN = {
    "client": "{user}",
    "method": "POST",
    "path": "/login",
    "json": {"user": "{user}"},
    "outputs": [{"when": {"status": 200}, "label": "welcome {user}", "save": {"token": "{json.token}"}}],
}
POST = {
    "client": "{user}",
    "method": "POST",
    "path": "/messages",
    "headers": {"Authorization": "Bearer {saved.token}"},
    "json": {"text": "{what}"},
    "outputs": [
        {"when": {"status": 201}, "label": "posted {user} {json.id} {json.price} {json.tags} {json.none}"},
        {"when": {"status": 401}, "label": "refused {user}"},
    ],
}
SUBMIT = {
    "method": "POST",
    "path": "/jobs",
    "outputs": [
        {
            "when": {"status": 202},
            "label": "accepted {job:json.id}",
            "later": {
                "path": "/jobs/{json.id}",
                "pause": 0.01,
                "outputs": [
                    {"when": {"json.state": "done"}, "label": "finished {job:json.id}"},
                    {"when": {"status": 200}},
                ],
            },
        }
    ],
}
CANCEL = {
    "method": "DELETE",
    "path": "/jobs/{job:job}",
    "outputs": [
        {"when": {"status": 204}, "label": "cancelled {job}"},
        {"when": {"status": 404}, "label": "unknown {job}"},
    ],
}
INPUTS = {"login user": LOGIN, "post user what": POST, "submit": SUBMIT, "cancel job": CANCEL}
SAVED = {"token": "none", "cursor": 0}
RESET = [{"method": "POST", "path": "/reset"}]


@pytest.fixture
def server() -> Iterator[tuple[str, Shop]]:
    with http_server() as found:
        yield found


@pytest.fixture
def system(server: tuple[str, Shop]) -> Iterator[Callable[..., Http]]:
    made: list[Http] = []

    def make(inputs: dict[str, Any], **sections: Any) -> Http:
        made.append(Http(server[0], {"inputs": inputs, "saved": SAVED, **sections}, patience=PATIENCE))
        made[-1].reset()
        return made[-1]

    yield make
    for each in made:
        each.close()


def ask(system: Http, text: str) -> str:
    system.give(Label.parse(text))
    return str(system.observe(PATIENCE))


def route(path: str, *rows: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"go": {"path": path, "outputs": list(rows), **more}}


def test_clients_keep_their_cookies_and_tokens_apart(system, server):
    http = system(INPUTS, reset=RESET)
    assert ask(http, "?post ann early") == "!refused ann"
    assert [ask(http, f"?login {who}") for who in ("ann", "bob")] == ["!welcome ann", "!welcome bob"]
    assert ask(http, "?post ann hi") == '!posted ann 1 3/2 ["a","b"] null'
    assert ask(http, "?post bob hey") == '!posted bob 2 3/2 ["a","b"] null'
    assert [message["from"] for message in server[1].messages] == ["ann", "bob"]
    assert server[1].seen[-1][2:] == ("Bearer token-of-bob", "session=bob")
    http.reset()
    assert ask(http, "?post ann hi") == "!refused ann", "a new play remembers nothing"


def test_what_is_given_is_escaped_where_it_stands(system):
    rows = {"when": {"status": 200}, "label": "echo {json.path} {json.query} {json.body}"}
    entry = {"method": "PUT", "path": "/echo/{a}/x{b}", "query": {"q": "{a}", "n": "{b}"}, "outputs": [rows]}
    http = system({"say a b": {**entry, "body": "{a}={b}"}})
    assert ask(http, r'?say "a/../b?&=%é\u0007 {}" 3') == (
        r'!echo ["a/../b?&=%é\u0007 {}","x3"] {"n":"3","q":"a/../b?&=%é\u0007 {}"} "a/../b?&=%é\u0007 {}=3"'
    )
    http = system({"say a b": {**entry, "form": {"k": "{a}", "l": "{b}"}}})
    assert ask(http, "?say true null").endswith(" k=true&l=null")
    http = system({"say a b": {**entry, "json": {"a": "{a}", "b": ["{b}"]}}})
    assert ask(http, '?say "1" 1').endswith(r'"{\"a\":\"1\",\"b\":[1]}"')


def test_names_stand_for_what_the_server_chose_and_calls_are_answered_later(system):
    http = system(INPUTS, reset=RESET)
    assert ask(http, "?cancel 1") == "!unknown 1"
    assert ask(http, "?submit") == "!accepted 1"
    assert str(http.observe(PATIENCE)) == "!finished 1"
    assert ask(http, "?submit") == "!accepted 2"
    assert str(http.observe(PATIENCE)) == "!finished 2"
    assert ask(http, "?cancel 1") == "!cancelled 1"
    assert ask(http, "?cancel 1") == "!unknown 1"


@pytest.mark.parametrize("name", ["job:saved.id", "job:answer.json.id", "job:answer.headers.location", "count"])
def test_each_call_knows_its_own_answer_while_others_of_the_client_are_open(system, server, name):
    finished = {"path": "/held", "outputs": [{"when": {"status": 200}, "label": f"finished {{{name}}}"}]}
    accepted = {"when": {"status": 202}, "label": "accepted {count}", "save": {"id": "{json.id}"}, "later": finished}
    http = system({"submit": {"method": "POST", "path": "/jobs", "outputs": [accepted]}}, reset=RESET)
    assert [ask(http, "?submit") for _ in range(2)] == ["!accepted 1", "!accepted 2"]
    server[1].release.set()
    assert {str(http.observe(PATIENCE)) for _ in range(2)} == {"!finished 1", "!finished 2"}


def test_what_is_saved_while_polling_is_known_to_the_next_poll_and_to_the_client(system, server):
    more = {"when": {"json.query.at": ["0", "1"]}, "save": {"cursor": "{saved.cursor+1}"}}
    done = {"when": {"json.query.at": "2"}, "label": "done"}
    later = {"path": "/echo/x", "query": {"at": "{saved.cursor}"}, "pause": 0.01, "outputs": [more, done]}
    begun = {"save": {"cursor": "{json.pending}"}, "label": "begun", "later": later}
    asked = {"path": "/echo/{saved.cursor}", "outputs": [{"label": "now {json.path.0}"}]}
    http = system({"go": {"path": "/health", "outputs": [begun]}, "ask": asked})
    assert ask(http, "?go") == "!begun"
    assert str(http.observe(PATIENCE)) == "!done"
    assert ask(http, "?ask") == '!now "2"'


@pytest.mark.parametrize(
    "listener",
    [
        {"stream": True, "path": "/events", "outputs": [{"label": "deliver {client} {json.from} {json.text}"}]},
        {
            "path": "/poll",
            "query": {"since": "{saved.cursor}"},
            "outputs": [
                {
                    "each": "json.messages",
                    "label": "deliver {client} {item.from} {item.text}",
                    "save": {"cursor": "{json.next}"},
                }
            ],
        },
    ],
    ids=["stream", "long poll"],
)
def test_messages_come_by_themselves(system, listener):
    before = set(threading.enumerate())
    quiet = {**POST, "outputs": [{"when": {"status": 201}}]}
    http = system(INPUTS | {"post user what": quiet}, listen=[{**listener, "clients": ["bob", "cid"]}], reset=RESET)
    assert not http.synchronous
    assert ask(http, "?login ann") == "!welcome ann"
    for what in ("hi", "bye"):
        http.give(Label.parse(f"?post ann {what}"))
        shown = {str(http.observe(PATIENCE)) for _ in range(2)}
        assert shown == {f"!deliver bob ann {what}", f"!deliver cid ann {what}"}
    assert http.observe(0.05).kind == "silence"
    began = time.monotonic()
    http.close()
    assert time.monotonic() - began < PATIENCE, "whoever waits for an answer is broken off"
    assert not [thread for thread in set(threading.enumerate()) - before if thread.name == "outplay"]


def test_a_call_goes_on_in_the_background_while_the_client_makes_others(system, server):
    slow = {"path": "/held", "background": True, "outputs": [{"label": "slow"}]}
    http = system({"slow": slow, "submit": {"method": "POST", "path": "/jobs", "outputs": [{"label": "fast"}]}})
    http.give(Label.parse("?slow"))
    assert ask(http, "?submit") == "!fast"
    server[1].release.set()
    assert str(http.observe(PATIENCE)) == "!slow"


def test_calls_of_one_client_wait_for_each_other_and_those_of_two_do_not(system, server):
    slow = {"client": "{who}", "path": "/{word}/x", "outputs": [{"label": "done {who} {word}"}]}
    http = system({"go who word": slow})
    assert not http.synchronous
    http.give(Label.parse("?go ann held"))
    assert ask(http, "?go bob echo") == "!done bob echo"
    threading.Timer(0.1, server[1].release.set).start()
    http.give(Label.parse("?go ann echo"))
    assert [str(http.observe(PATIENCE)) for _ in range(2)] == ["!done ann held", "!done ann echo"]


def test_an_answer_that_does_not_come_in_time_is_silence_or_what_the_table_says(system):
    http = system(route("/slow?seconds=0.2", {"when": {"status": 200}, "label": "late"}, timeout=0.05))
    assert http.synchronous
    http.give(Label.parse("?go"))
    assert http.observe(0.5).kind == "silence"
    http = system(route("/slow?seconds=1", {"when": {"timeout": True}, "label": "too_late"}, timeout=0.05))
    assert ask(http, "?go") == "!too_late"


@pytest.mark.parametrize(
    ("path", "rows", "kind", "told"),
    [
        ("/crash", [{"label": "x"}], "crash", "the connection broke"),
        ("/error", [{"when": {"status": 200}}], "garbage", "GET /error answers 500"),
        ("/error", [], "garbage", "GET /error answers 500"),
        ("/garbage", [{"label": "got {json.id}"}], "garbage", "there is no json where GET /garbage answers 200"),
        ("/echo/x", [{"label": "got {json.id}"}], "garbage", "there is no json.id where GET /echo/x answers 200"),
        ("/echo/x", [{"each": "json.query", "label": "got {item}"}], "garbage", "json.query is no list"),
        ("/huge?bytes=20000000", [{"label": "x"}], "garbage", "an answer of more than"),
    ],
)
def test_what_a_server_does_wrong_is_a_fail_and_stays_one(system, path, rows, kind, told):
    http = system(route(path, *rows))
    http.give(Label.parse("?go"))
    event = http.observe(PATIENCE)
    assert (event.kind, told in event.detail) == (kind, True), event
    assert http.observe(0).kind == kind
    http.reset()
    assert http.observe(0).kind == "silence"


def test_an_answer_without_a_row_is_an_error_of_the_table_and_one_without_rows_is_no_output(system):
    rows = [{"when": {"status": 200}, "label": "x"}, {"when": {"status": 418, "json.error": "ice"}, "label": "y"}]
    http = system(route("/teapot", *rows))
    http.give(Label.parse("?go"))
    told = r"the table has no row for this: GET /teapot answers 418: .*sesame-open\S*\. Add "
    row = r'\{when = \{status = 418, "json\.error" = "short and stout, sesame-open"\}, label = "…"\}'
    with pytest.raises(AdapterError, match=f"{told}{row}"):
        http.observe(PATIENCE)
    http = system(route("/echo/x"))
    http.give(Label.parse("?go"))
    assert http.observe(0.3).kind == "silence"


def test_rows_are_tried_in_their_order_and_those_of_the_whole_table_last(system):
    http = system(
        route(
            "/teapot", {"when": {"status": "5*"}, "label": "never"}, {"when": {"status": ["418", 417]}, "label": "text"}
        ),
        outputs=[{"when": {"status": 418, "json.error": "*stout*"}, "label": 'pot "not full"'}, {"label": "too late"}],
    )
    http.give(Label.parse("?go"))
    assert http.observe(PATIENCE).label.arguments == ("not full",)


def test_no_secret_is_told_of_the_table_or_the_environment(system, monkeypatch):
    monkeypatch.setenv("DOOR", "sesame-open")
    http = system(route("/error", headers={"X-Door": "{env.DOOR}"}))
    http.give(Label.parse("?go"))
    assert "sesame-open" not in http.observe(PATIENCE).detail
    http = system(route("/teapot", json={"password": "sesame-open"}))
    http.give(Label.parse("?go"))
    with pytest.raises(AdapterError) as refused:
        http.observe(PATIENCE)
    assert "sesame-open" not in str(refused.value)
    assert "short and stout" in str(refused.value)


def test_quiet_is_what_the_health_of_the_server_says(system, server):
    assert not system(INPUTS).quiet()
    http = system(INPUTS, health={"path": "/health", "quiet": {"json.pending": 0}})
    assert http.quiet()
    server[1].pending = 2
    assert not http.quiet()


@pytest.mark.parametrize("how", ["open", "polled", "listened"])
def test_nothing_is_proven_while_an_answer_is_on_its_way(system, server, how):
    held = {"path": "/held", "outputs": [{"label": "done"}]}
    later = {"path": "/held", "outputs": [{"label": "done"}]}
    ask = held if how == "open" else {"path": "/health", "outputs": [{"label": "asked", "later": later}]}
    listen = [{"path": "/held", "outputs": []}] if how == "listened" else []
    http = system({"ask": ask}, health={"path": "/health", "quiet": {"json.pending": 0}}, listen=listen)
    assert http.quiet() == (how != "listened")
    http.give(Label.parse("?ask"))
    if how != "open":
        assert str(http.observe(PATIENCE)) == "!asked"
    assert not http.quiet()
    server[1].release.set()
    if how != "listened":
        assert str(http.observe(PATIENCE)) == "!done"
        deadline = time.monotonic() + PATIENCE
        while not http.quiet():
            assert time.monotonic() < deadline


def test_a_server_that_is_not_there_or_not_ready_or_cannot_be_reset_is_unready():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
    for sections, told in (
        ({"health": {"path": "/health"}}, r"not ready within 0\.2 s: nothing answers"),
        ({"reset": RESET}, "the reset failed: nothing answers"),
        ({"listen": [{"path": "/", "stream": True, "outputs": []}]}, "the stream / cannot begin: nothing answers"),
    ):
        with pytest.raises(SystemUnready, match=told):
            Http(url, {"inputs": INPUTS, **sections}, patience=0.2).reset()
    with http_server() as (url, shop):
        shop.pending = 3
        health = {"path": "/health", "when": {"json.pending": 0}}
        with pytest.raises(SystemUnready, match=r"not ready within 0\.2 s: it answers 200"):
            Http(url, {"inputs": INPUTS, "health": health}, patience=0.2).reset()
        with pytest.raises(SystemUnready, match="the reset failed: GET /teapot answers 418"):
            Http(url, {"inputs": INPUTS, "reset": [{"path": "/teapot"}]}).reset()


def test_an_input_without_a_row_names_the_nearest_and_the_row_to_write(system):
    told = r"""no input 'submti'; did you mean 'submit'\?, or add \[inputs\."submti argument1"\]"""
    with pytest.raises(AdapterError, match=told):
        system(INPUTS).give(Label.parse("?submti 3"))


@pytest.mark.parametrize("url", ["", "//", "localhost:8000", "//host?x=1", "ftp://host"])
def test_what_is_no_address_is_a_mistake_of_the_call(url):
    with pytest.raises(UsageError, match="--sut"):
        http_from_text(url, table="t.toml", read_table=lambda path: {"inputs": INPUTS})


def test_without_a_table_the_option_is_named():
    with pytest.raises(UsageError, match="needs --table FILE"):
        http_from_text("//localhost:1", table=None, read_table=lambda path: {})


def test_it_rests_where_no_call_is_open_and_nothing_comes_by_itself(system, server):
    later = {"path": "/held", "outputs": [{"label": "done"}]}
    http = system({"ask": {"path": "/health", "outputs": [{"label": "asked", "later": later}]}})
    assert http.rests()
    assert ask(http, "?ask") == "!asked"
    assert not http.rests(), "it is asked again and again"
    server[1].release.set()
    assert str(http.observe(PATIENCE)) == "!done"
    assert not system(INPUTS, listen=[{"path": "/held", "outputs": []}]).rests()


class Booking(Handler):
    """Writes what a held call asks for when it is released, whether its connection is still there or not."""

    freed_by_reset = False

    def do_held(self) -> None:
        self.shop.release.wait(PATIENCE)
        self.shop.jobs["booked"] = 1
        self.answer(200, {})

    def do_reset(self) -> None:
        super().do_reset()
        if self.freed_by_reset:
            self.shop.release.set()


@pytest.mark.parametrize("freed", [False, True], ids=["it ends by itself", "the reset frees it"])
def test_a_call_that_is_open_at_the_end_of_a_play_writes_nothing_into_the_next(freed):
    with http_server(type("Here", (Booking,), {"freed_by_reset": freed})) as (url, shop):
        http = Http(url, {"inputs": route("/held", {"label": "booked"}), "reset": RESET}, patience=PATIENCE)
        http.reset()
        shop.release.clear()
        http.give(Label.parse("?go"))
        while ("GET", "/held") not in {call[:2] for call in shop.seen}:
            time.sleep(0.001)
        ended = threading.Timer(0.05, shop.release.set)
        if not freed:
            ended.start()
        http.reset()
        shop.release.set()
        assert shop.seen[-1][1] == "/reset"
        assert http.observe(0.05).kind == "silence"
        assert not shop.jobs
        http.close()
