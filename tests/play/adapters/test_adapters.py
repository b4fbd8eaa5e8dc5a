"""One battery for every adapter: each fault, tried on a subprocess, a TCP server and a Python object."""

from __future__ import annotations

import asyncio
import os
import socket
import struct
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from outplay import Label, Process
from outplay.errors import SystemUnready
from outplay.play.adapters.python_object import PythonObject, load_object
from outplay.play.adapters.tcp import Tcp
from outplay.play.system import System

PATIENCE = 15.0
ASK = Label("?", "ask")

# What a system does with each line it reads; the same words drive all three kinds.
PROGRAM = """
import os, sys, time
def say(data):
    os.write(1, data)
say(b"ready\\n")
for line in sys.stdin:
    word = line.strip()
    if word == "RESET": say(b"OK\\n")
    elif word == "ask": say(b"answer 1\\n")
    elif word == "twice": say(b"answer 1\\nanswer 2\\n")
    elif word == "swapped": say(b"answer 2\\nanswer 1\\n")
    elif word == "late": time.sleep(0.3); say(b"answer 1\\n")
    elif word == "hang": time.sleep(3600)
    elif word == "crash": say(b"answer 1\\n"); os._exit(3)
    elif word == "end": sys.exit(0)
    elif word == "garbage": say(b"\\xff\\xfe\\n")
    elif word == "endless": say(b"x" * 100_000)
"""


class Subject:
    """The same behaviour as an object."""

    def __init__(self, emit: Callable[..., None]) -> None:
        self.emit = emit

    def ask(self) -> None:
        self.emit("answer", 1)

    def twice(self) -> None:
        self.emit("answer", 1)
        threading.Thread(target=self.emit, args=("answer", 2)).start()

    def swapped(self) -> None:
        self.emit("answer", 2)
        self.emit("answer", 1)

    async def late(self) -> None:
        await asyncio.sleep(0.3)
        self.emit("answer", 1)

    def hang(self) -> None:
        time.sleep(3600)

    def crash(self) -> None:
        self.emit("answer", 1)
        raise ValueError("broken")

    def garbage(self) -> None:
        self.emit("answer", object())


@contextmanager
def served() -> Iterator[int]:
    """The program's behaviour on a loopback port, one connection after another."""
    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        while True:
            try:
                link, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=_talk, args=(link,), daemon=True).start()

    threading.Thread(target=serve, daemon=True).start()
    try:
        yield listener.getsockname()[1]
    finally:
        listener.close()


def _talk(link: socket.socket) -> None:
    replies: dict[str, bytes] = {
        "RESET": b"OK\n", "ask": b"answer 1\n", "twice": b"answer 1\nanswer 2\n", "garbage": b"\xff\xfe\n",
        "endless": b"x" * 100_000, "swapped": b"answer 2\nanswer 1\n",
    }  # fmt: skip
    with link, link.makefile("rb") as lines:
        link.sendall(b"ready\n")
        for line in lines:
            word = line.decode().strip()
            if word == "late":
                time.sleep(0.3)
                link.sendall(b"answer 1\n")
            elif word == "hang":
                time.sleep(3600)
            elif word == "crash":
                # Closing with "linger 0" breaks the connection instead of ending it.
                link.sendall(b"answer 1\n")
                time.sleep(0.1)
                link.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                os.dup2(os.open(os.devnull, os.O_RDONLY), link.fileno())
                return
            elif word == "end":
                return
            else:
                link.sendall(replies[word])


@pytest.fixture(params=["exec", "tcp", "python"])
def system(request: Any) -> Iterator[System]:
    with served() as port:
        made: System = {
            "exec": lambda: Process([sys.executable, "-c", PROGRAM], ready="ready"),
            "tcp": lambda: Tcp("127.0.0.1", port, ready="ready"),
            "python": lambda: PythonObject(Subject),
        }[request.param]()
        made.reset()
        yield made
        made.close()


def give(system: System, word: str) -> None:
    system.give(Label("?", word))


def test_an_input_is_answered(system: System):
    give(system, "ask")
    event = system.observe(PATIENCE)
    assert (event.kind, str(event.label)) == ("output", "!answer 1")


def test_two_answers_come_in_their_order(system: System):
    give(system, "twice")
    assert [str(system.observe(PATIENCE).label) for _ in range(2)] == ["!answer 1", "!answer 2"]


def test_what_the_system_says_in_the_wrong_order_is_not_put_right(system: System):
    give(system, "swapped")
    assert [str(system.observe(PATIENCE).label) for _ in range(2)] == ["!answer 2", "!answer 1"]


def test_nothing_said_is_silence(system: System):
    assert system.observe(0.05).kind == "silence"
    assert system.observe(0.0).kind == "silence"


def test_a_late_answer_is_silence_first_and_an_output_in_its_time(system: System):
    give(system, "late")
    assert system.observe(0.05).kind == "silence"
    assert str(system.observe(PATIENCE).label) == "!answer 1"


def test_a_hang_is_silence_and_the_next_reset_works(system: System):
    give(system, "hang")
    assert system.observe(0.2).kind == "silence"
    system.reset()
    give(system, "ask")
    assert str(system.observe(PATIENCE).label) == "!answer 1"


def test_a_crash_is_a_crash_after_all_that_was_said_before(system: System):
    give(system, "crash")
    assert str(system.observe(PATIENCE).label) == "!answer 1"
    # A connection that is dropped cannot always be told from one that is closed; it is never silence.
    assert system.observe(PATIENCE).kind in (("crash",) if not isinstance(system, Tcp) else ("crash", "closed"))
    assert system.observe(0.0).kind in ("crash", "closed"), "and it stays one"


def test_the_end_of_the_system_is_no_silence(system: System):
    if isinstance(system, PythonObject):
        pytest.skip("an object does not end")
    give(system, "end")
    assert system.observe(PATIENCE).kind == "closed"


def test_garbage_is_garbage(system: System):
    give(system, "garbage")
    assert system.observe(PATIENCE).kind == "garbage"


def test_a_line_without_end_is_garbage(system: System):
    if isinstance(system, PythonObject):
        pytest.skip("an object has no lines")
    give(system, "endless")
    assert system.observe(PATIENCE).kind == "garbage"


def test_after_every_fault_a_reset_starts_afresh(system: System):
    for fault in ("crash", "garbage"):
        give(system, fault)
        system.observe(PATIENCE)
        system.reset()
        give(system, "ask")
        assert str(system.observe(PATIENCE).label) == "!answer 1"


def test_a_reset_message_keeps_the_connection():
    with served() as port:
        for system in (
            Process([sys.executable, "-c", PROGRAM], ready="ready", reset_message=("RESET", "OK")),
            Tcp("127.0.0.1", port, ready="ready", reset_message=("RESET", "OK")),
        ):
            system.reset()
            give(system, "twice")
            system.observe(PATIENCE)
            system.reset()  # the second answer is of the past
            give(system, "ask")
            assert str(system.observe(PATIENCE).label) == "!answer 1"
            assert system.observe(0.05).kind == "silence"
            system.close()


def test_a_server_that_is_not_there_is_unready():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    with pytest.raises(SystemUnready, match=r"nothing answers at 127\.0\.0\.1"):
        Tcp("127.0.0.1", port, patience=0.2).reset()


def test_results_of_calls_are_outputs_and_such_an_object_is_synchronous():
    class Adder:
        def __init__(self) -> None:
            self.total = 0

        def add(self, amount: int) -> int:
            self.total += amount
            return self.total

    system = PythonObject(Adder)
    assert system.synchronous
    system.reset()
    system.give(Label("?", "add", (2,)))
    assert str(system.observe(PATIENCE).label) == "!add 2"
    system.close()


def test_an_unknown_method_or_class_names_the_nearest():
    system = PythonObject(Subject)
    system.reset()
    with pytest.raises(SystemUnready, match="no method 'aks'; did you mean 'ask'"):
        system.give(Label("?", "aks"))
    system.close()
    with pytest.raises(SystemUnready, match="did you mean 'OrderedDict'"):
        load_object("collections:OrderedDic")
    with pytest.raises(SystemUnready, match="no module"):
        load_object("no_such_module_here:X")


def test_an_object_that_cannot_be_made_is_unready():
    def broken() -> None:
        raise RuntimeError("no licence")

    with pytest.raises(SystemUnready, match="no licence"):
        PythonObject(broken).reset()


def test_a_server_that_stops_reading_is_an_error_and_no_hang():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        system = Tcp("127.0.0.1", listener.getsockname()[1], patience=0.5)
        system.reset()
        with pytest.raises(SystemUnready, match=r"the server has taken no input for 0\.5 s"):
            system.give(Label("?", "much", ("x" * 50_000_000,)))
        system.close()


def test_a_long_line_goes_over_to_a_server_that_reads_slowly():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        system = Tcp("127.0.0.1", listener.getsockname()[1])
        system.reset()
        link, _ = listener.accept()
        total = 0

        def read() -> None:
            nonlocal total
            while chunk := link.recv(200_000):
                total += len(chunk)
                time.sleep(0.002)

        reading = threading.Thread(target=read)
        reading.start()
        label = Label("?", "long", ("x" * 20_000_000,))
        system.give(label)
        system.close()
        reading.join()
        link.close()
    assert total == len(label.message) + 1
