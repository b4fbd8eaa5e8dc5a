"""`outplay verify`: what an adapter lacks is found before anything is played, and one that fits is left alone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from helpers.commands import called

MODEL = """
from outplay import Model, controllable, given, internal, observable


class Shop(Model):
    kind: str = ""
    never = False

    @internal
    @given(who=("ann", "bob"))
    def pack(self, who):  # nobody sees it, so no adapter shows it
        if self.kind != "ordered":
            return False
        self.kind = "packed"

    @controllable
    @given(who=("ann", "bob"), size=(1, 2))
    def order(self, who, size):
        if self.kind:
            return False
        self.kind = "ordered"

    @controllable(returns=(0, 1))
    def count(self, result):
        return not self.kind

    @observable
    @given(who=("ann", "bob"), size=(1, 2))
    def sent(self, who, size):
        if not self.kind:
            return False
        self.kind = ""

    @observable
    @given(why=("late",))
    def refused(self, why):
        return self.never
"""
OBJECT = """
class Shop:
    def __init__(self, emit):
        self.emit, self.orders = emit, 0

    def order(self, who, size):
        self.emit("sent", who, size)

    def count(self):
        return self.orders

    def late(self):
        self.emit("refused", "late")
"""
TABLE = """
[inputs."order who size"]
path = "/orders/{who}/{size}"
outputs = [{when = {status = 200}, label = "sent {who} {json.size}"}, {when = {status = 409}, label = "refused late"}]

[inputs.count]
path = "/count"
outputs = [{label = "count {json.count}"}]
"""
MESSAGES = TABLE.replace('path = "/orders/{who}/{size}"', 'json = ["{who}", "{size}"]')
MESSAGES = (
    MESSAGES.replace('path = "/count"', 'body = "count"')
    .replace("{when = {status = 200}, ", "{")
    .replace("status", "json.code")
)


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("shop.py").write_text(MODEL)


def verified(capsys: pytest.CaptureFixture[str], content: str, sut: str = "python:adapter.py:Shop") -> list[str]:
    name = "adapter.py" if sut.startswith("python:") else "table.toml"
    Path(name).write_text(content)
    table = [] if sut.startswith("python:") else ["--table", name]
    done = called(capsys, "verify", "shop.py:Shop", sut, *table, "--json")
    found = json.loads(done.out)
    assert done.code == (0 if found["fits"] else 1)
    assert found["fits"] == (not found["misfits"])
    return [f"{each['label']}: {each['what']}" for each in found["misfits"]]


WAYS = [
    ("python:adapter.py:Shop", OBJECT),
    ("http://h", TABLE),
    ("tcp:h:1", MESSAGES),
    ("exec:cat", MESSAGES),
    ("ws://h", MESSAGES),
    ("mqtt:h:1", MESSAGES),
]


@pytest.mark.parametrize(("sut", "content"), WAYS, ids=[sut for sut, _ in WAYS])
def test_what_fits_is_left_alone(capsys, sut, content):
    assert verified(capsys, content, sut) == []


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (
            "def order(self, who, size)",
            "def oder(self, who, size)",
            "?order who size: Shop has no method order; did you mean 'oder'?",
        ),
        (
            "def order(self, who, size)",
            "def order(self, who)",
            "?order who size: Shop.order(self, who) does not take 2 arguments",
        ),
        ('emit("sent", who', 'emit("send", who', "!send: the model has no such output; did you mean 'sent'?"),
        (
            'emit("sent", who, size)',
            'emit("sent", who)',
            "!sent: it is reported with 1 arguments, the model's !sent who size has 2",
        ),
        ('emit("sent", who, size)', 'emit("sent", who, "1")', '!sent: "1" is a text, the model has 1, a number'),
        (
            'emit("sent", who, size)',
            'emit("sent", "ann", 3)',
            "!sent: 3 is none of the values that the model has there: 1, 2",
        ),
        ('self.emit("refused", "late")', "pass", "!refused why: nothing reports this output"),
    ],
)
def test_what_a_class_lacks_is_told(capsys, old, new, told):
    assert old in OBJECT
    found = verified(capsys, OBJECT.replace(old, new))
    assert any(each.startswith(told) for each in found), found


@pytest.mark.parametrize("sut", ["http://h", "tcp:h:1"])
@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (
            'inputs."order who size"',
            'inputs."oder who size"',
            '?order who size: no row for this input; add [inputs."order who size"]',
        ),
        (
            'inputs."order who size"',
            'inputs."oder who size"',
            "?oder who size: the model has no such input; did you mean 'order'?",
        ),
        ("[inputs.count]", '[inputs."count who"]', "?count: its row 'count who' has 1 parameters"),
        (
            "sent {who} {json.size}",
            "send {who} {json.size}",
            "!send {who} {json.size}: the model has no such output; did you mean 'sent'?",
        ),
        ("sent {who} {json.size}", "sent {who}", "!sent {who}: it has 1 argument, the model's !sent who size has 2"),
        (
            "sent {who} {json.size}",
            "sent {who} {body}",
            "!sent {who} {body}: {body} is always a text, the model has 1, a number",
        ),
        (
            "sent {who} {json.size}",
            'sent {who} \\\\"1\\\\"',
            '!sent {who} "1": "1" is a text, the model has 1, a number',
        ),
        ("count {json.count}", "count true", "!count true: true is none of the values that the model has there: 0, 1"),
        (
            "sent {who} {json.size}",
            "sent {id:json.who} {json.size}",
            "!sent {id:json.who} {json.size}: {id:json.who}, the name of what the server chose, is always a number",
        ),
        (
            "count {json.count}",
            "count 1 {json.count}",
            "!count 1 {json.count}: it has 2 arguments, the model's !count result has 1",
        ),
        ("sent {who} {json.size}", "refused late", "!sent who size: no row means this output"),
    ],
)
def test_what_a_table_lacks_is_told(capsys, sut, old, new, told):
    content = TABLE if sut.startswith("http") else MESSAGES
    assert old in content
    found = verified(capsys, content.replace(old, new.replace("\\\\", "\\")), sut)
    assert any(each.startswith(told) for each in found), found


LATER = """
[inputs."order who size"]
path = "/orders/{who}/{size}"
outputs = [{when = {status = 202}, save = {size = "{json.size}"}, later = {path = "/{json.id}", outputs = [
    {when = {status = 200}, label = "sent {who} {saved.size}"}, {when = {status = 409}, label = "refused late"}]}}]

[inputs.count]
path = "/count"
outputs = [{label = "count {json.count}"}]
"""


def test_a_label_that_another_call_may_change_in_the_meantime_is_told(capsys):
    assert verified(capsys, LATER, "http://h") == []
    assert verified(capsys, LATER.replace("saved.size", "answer.json.size"), "http://h") == []
    moved = LATER.replace('save = {size = "{json.size}"}, ', "").replace("{label", '{save = {size = "{body}"}, label')
    (found,) = verified(capsys, moved, "http://h")
    assert found.startswith("!sent {who} {saved.size}: {saved.size} may come from another call of the client")


def test_names_made_on_the_way_say_nothing_about_what_is_missing(capsys):
    assert verified(capsys, OBJECT.replace('emit("refused", "late")', 'emit("ref" + "used", "late")')) == []
    assert verified(capsys, OBJECT.replace('self.emit("refused", "late")', "thread(self.emit)")) == []


def test_of_other_systems_nothing_shows(capsys):
    done = called(capsys, "verify", "shop.py:Shop", "exec:cat")
    assert done.code == 2
    assert "nothing of it shows before it is played" in done.err


def test_in_words(capsys):
    Path("adapter.py").write_text(OBJECT)
    assert called(capsys, "verify", "shop.py:Shop", "python:adapter.py:Shop").out == (
        "✓ python:adapter.py:Shop fits shop.py:Shop: 2 inputs and 3 outputs\n"
    )
