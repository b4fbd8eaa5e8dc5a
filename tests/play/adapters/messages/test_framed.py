"""JSON in lines and behind lengths, over TCP in both directions and over pipes, and every way to misbehave."""

from __future__ import annotations

import shlex
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from helpers import framed_program
from outplay import Label
from outplay.errors import AdapterError, FormatError, SystemUnready, UsageError
from outplay.play.adapters.adapters import adapter_of
from outplay.play.system import System

PATIENCE = 30.0
TABLE: dict[str, Any] = {
    "inputs": {
        "add what": {
            "json": {"kind": "add", "what": "{what}", "id": "{count}"},
            "outputs": [{"when": {"json.kind": "added", "json.id": "{count}"}, "label": "added {what} {json.size}"}],
        },
        "do kind": {"json": {"kind": "{kind}"}},
        "raw bytes": {"json": {"kind": "raw", "hex": "{bytes}"}},
        "tell text": {"body": "{text}"},
    },
    "outputs": [{"when": {"json.kind": "item"}, "label": "item {json.what}"}],
}
HERE = shlex.quote(str(Path(framed_program.__file__)))
WAYS = ("exec", "tcp", "listen")


def made(way: str, framing: str, port: int, table: dict[str, Any]) -> System:
    program = f"{sys.executable} {HERE} {framing}"
    text = {"exec": program, "tcp": f"127.0.0.1:{port}", "listen": "127.0.0.1:0"}[way]
    options = {"start": f"{program} connect {{port}}"} if way == "listen" else {}
    document = {"framing": framing, **TABLE, **table}
    return adapter_of(f"{way}:").system(text, table="t", read_table=lambda name: document, **options)


@pytest.fixture
def system() -> Iterator[Callable[..., System]]:
    ending: list[Callable[[], object]] = []

    def make(way: str, framing: str = "lines", **table: Any) -> System:
        listener = framed_program.serve(framing) if way == "tcp" else None
        if listener:
            ending.append(listener.close)
            table = {"begin": [{"json": {"kind": "clear"}, "when": {"json.kind": "cleared"}}], **table}
        found = made(way, framing, listener.getsockname()[1] if listener else 0, table)
        ending.append(found.close)
        found.reset()
        return found

    yield make
    for end in reversed(ending):
        end()


def give(system: System, *labels: str) -> None:
    for label in labels:
        system.give(Label.parse(f"?{label}"))


def shown(system: System, many: int = 1) -> list[str]:
    return [str(system.observe(PATIENCE)) for _ in range(many)]


@pytest.mark.parametrize(
    ("way", "framing"),
    [(way, framing) for way in WAYS for framing in ("lines", "length4-little")]
    + [("exec", "length2"), ("tcp", "netstring"), ("exec", "content-length")],
)
def test_messages_go_and_come(system, way, framing):
    talk = system(way, framing)
    give(talk, 'add "a b"', "add true")
    assert shown(talk, 2) == ['!added "a b" 1', "!added true 2"]
    give(talk, "do all", "do slowly")
    assert shown(talk, 3) == ['!item "a b"', "!item true", "!item slow"]
    assert talk.observe(0.01).kind == "silence"
    talk.reset()
    give(talk, "add new")
    assert shown(talk) == ["!added new 1"], "a new play"


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("what", "seen"),
    [
        ("do stop", "closed: "),
        ("raw ff0a", "garbage: not UTF-8: tester is sent"),
        ("raw 7b0a", "garbage: no JSON: tester is sent {"),
        ('raw "7b226b696e64223a226974656d227d0a"', "garbage: there is no json.what"),
    ],
)
def test_what_goes_wrong_is_an_event_that_says_so(system, way, what, seen):
    talk = system(way)
    give(talk, "add one")
    shown(talk)
    give(talk, what)
    event = talk.observe(PATIENCE)
    assert str(event).startswith(seen), event


def test_half_a_message_is_garbage_and_a_dead_program_a_crash(system):
    talk = system("exec", "length4")
    give(talk, "raw 00000009aa", "do stop")
    assert talk.observe(PATIENCE).kind == "garbage"
    talk = system("exec")
    give(talk, "add one", "do die")
    assert shown(talk) == ["!added one 1"]
    assert str(talk.observe(PATIENCE)).startswith("crash: exit status 3")


def test_a_huge_message_comes_whole_and_one_too_huge_is_garbage(system):
    talk = system("tcp", "length4")
    give(talk, "do huge")
    event = talk.observe(PATIENCE)
    assert event.label is not None
    assert len(event.label.arguments[0]) == 2_000_000
    talk = system("tcp", "length8")
    give(talk, "raw 00000000ffffffff" + "61" * 200)
    assert talk.observe(0.2).kind == "silence", "the rest may still come"


def test_a_text_that_cannot_be_a_line_is_trouble_of_the_table(system):
    talk = system("exec")
    with pytest.raises(AdapterError, match="several lines"):
        give(talk, r'tell "two\nlines"')


@pytest.mark.parametrize(
    ("command", "told"), [("false", "ended before it was ready"), ("no-such-program-here", "cannot start")]
)
def test_a_program_that_was_never_ready_is_trouble(command, told):
    system = adapter_of("exec:").system(command, table="t", read_table=lambda name: TABLE)

    def play() -> None:
        system.reset()
        system.observe(PATIENCE)

    with pytest.raises(SystemUnready, match=told):
        play()
    system.close()


def test_who_does_not_connect_is_told():
    system = adapter_of("listen:").system("127.0.0.1:0", start="sleep 60", read_table=dict)
    system._patience = 0.1
    with pytest.raises(SystemUnready, match="nothing has connected to port"):
        system.reset()
    system.close()
    with pytest.raises(UsageError, match="needs --start COMMAND"):
        adapter_of("listen:").system("127.0.0.1:0", read_table=dict)


def test_a_framing_that_there_is_not_is_told():
    with pytest.raises(FormatError, match="unknown framing 'line'; did you mean 'lines'"):
        adapter_of("tcp:").system("h:1", table="t", read_table=lambda name: {**TABLE, "framing": "line"})
    with pytest.raises(UsageError, match="have no effect with --table"):
        adapter_of("tcp:").system("h:1", table="t", ready="x", read_table=lambda name: TABLE)


@pytest.mark.parametrize("way", WAYS)
def test_many_plays_leave_nothing_behind(system, way):
    talk = system(way)
    before, descriptors = threading.active_count(), len(list(Path("/proc/self/fd").iterdir()))
    for _ in range(15):
        give(talk, "add one")
        assert shown(talk) == ["!added one 1"]
        talk.reset()
    assert threading.active_count() <= before + 2
    assert len(list(Path("/proc/self/fd").iterdir())) <= descriptors + 4


def test_lines_that_are_labels_come_from_who_connects_to_us():
    program = "import socket as k, sys; s = k.create_connection(('127.0.0.1', int(sys.argv[1])))"
    program += "; s.sendall(s.recv(99) * 2); s.recv(9)"
    start = f"{sys.executable} -c {shlex.quote(program)} {{port}}"
    system = adapter_of("listen:").system("127.0.0.1:0", start=start, read_table=dict)
    for _ in range(2):
        system.reset()
        give(system, "hello 1")
        assert shown(system, 2) == ["!hello 1", "!hello 1"]
    system.close()
