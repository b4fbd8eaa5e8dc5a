"""A program nobody here has written, by its own protocol, behind an object and as a daemon: Redis, where it is."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest

from helpers.commands import shell
from helpers.servers import eagerly, free_port, is_served, needs, questions, redis_on, serving
from outplay import Model, Process, PythonObject, Tcp, controllable, given, observable, run
from outplay.play.adapters.served_system import ServedSystem
from outplay.play.adapters.server import Server
from outplay.play.timing import Timing

pytestmark = needs("redis-server", "redis-cli")


class Key(Model):
    """One key that is set and read, one question at a time."""

    value: str = "nil"
    owed: str = ""

    @controllable
    @given(word=["a", "b"])
    def set(self, word):
        if self.owed:
            return False
        self.value, self.owed = word, "OK"

    @controllable
    def get(self):
        if self.owed:
            return False
        self.owed = self.value

    @observable
    @given(word=["OK", "a", "b", "nil"])
    def said(self, word):
        if self.owed != word:
            return False
        self.owed = ""


@pytest.fixture
def port() -> int:
    return free_port()


def client(port: int) -> type:
    """An object that asks the server; `broken` forgets what was set."""

    class Client(redis_on(port)):
        broken = False

        def __init__(self, emit) -> None:
            self.emit = emit
            self.ask("flushall")

        def set(self, word: str) -> None:
            self.emit("said", "OK" if self.broken else self.ask("set", "k", word))

        def get(self) -> None:
            self.emit("said", self.ask("get", "k"))

    return Client


@pytest.mark.parametrize("broken", [False, True])
def test_redis_behind_an_object_passes_and_a_planted_fault_is_found(port, broken):
    made = client(port)
    made.broken = broken
    outcome = run(eagerly(Key), PythonObject(made), plays=5, steps=12, timing=Timing(30.0, 0.1))
    assert outcome.verdict.name == ("fail" if broken else "pass")
    assert not is_served(port), "it was torn down"


def test_redis_as_a_daemon_is_ended_with_each_play(port, tmp_path, monkeypatch):
    """It leaves the session and its parents and writes over its environment; the command adopts it all the same."""
    monkeypatch.chdir(tmp_path)
    Path("model.py").write_text(f"from outplay import Model, controllable, given, observable\n{inspect.getsource(Key)}")
    Path("bridge.sh").write_text(
        f"redis-server --port {port} --save '' --daemonize yes >/dev/null\n"
        f"until redis-cli -p {port} ping >/dev/null 2>&1; do sleep 0.02; done\n"
        "echo ready\n"
        "while read command word; do\n"
        f"  said=$(redis-cli -p {port} $command k $word)\n"
        '  echo "said ${said:-nil}"\n'
        "done\n"
    )
    command = ["run", "model.py:Key", "--sut", "exec:sh bridge.sh", "--ready", "ready", "--plays", "2", "--steps", "8"]
    done = shell(*command, "--silence", "2")
    assert done.code == 0, f"each play begins with an empty server: {done}"
    assert not is_served(port)


def test_redis_as_a_fixture_is_started_for_each_play():
    server = Server("redis-server --port {port} --save '' --dir {folder}", ready="Ready to accept", patience=60)
    system = ServedSystem(server, lambda server: Tcp("127.0.0.1", int(server.filled("{port}"))), per_play=True)
    outcome = run(eagerly(questions(key_with_a_deadline())), system, plays=4, steps=20, timing=Timing(30, 0.01))
    assert outcome.verdict.name == "pass", f"each play begins with an empty server: {outcome.verdict.why}"
    assert not server.alive


def test_redis_that_cannot_start_is_an_error_and_no_fail():
    outcome = run(Key, Process(["redis-server", "--port", "nowhere"]), plays=1)
    assert outcome.verdict.name == "error"
    assert "redis-server ended before it was ready: exit status 1" in outcome.verdict.why


def key_with_a_deadline(*, persist: str = ":1") -> dict[str, dict[str, tuple[str, ...]]]:
    """What Redis says of a key that is set, counted up, given a deadline and removed; `persist` may be said wrongly."""
    none = {"GET k": ("$-1", "none"), "DEL k": (":0", "none"), "EXPIRE k 1000": (":0", "none"), "INCR k": (":1", "one")}
    one = {"GET k": ("$1", "1", "one"), "DEL k": (":1", "none"), "PERSIST k": (":0", "one")}
    timed = {"GET k": ("$1", "1", "timed"), "DEL k": (":1", "none"), "EXPIRE k 1000": (":1", "timed")}
    return {
        "none": {**none, "SET k 1": ("+OK", "one"), "PERSIST k": (":0", "none")},
        "one": {**one, "SET k 1": ("+OK", "one"), "EXPIRE k 1000": (":1", "timed")},
        "timed": {**timed, "SET k 1": ("+OK", "one"), "PERSIST k": (persist, "one")},
    }


@pytest.mark.parametrize(("persist", "verdict"), [(":1", "pass"), (":0", "fail")])
def test_redis_over_tcp_passes_by_a_right_model_and_fails_by_a_wrong_one(port, tmp_path, persist, verdict):
    """Its protocol has one message a line where no value is longer; resetting is a message too."""
    command = ["redis-server", "--port", str(port), "--save", "", "--dir", str(tmp_path)]
    with serving(command, port, tmp_path):
        system = Tcp("127.0.0.1", port, reset_message=("FLUSHALL", "+OK"))
        model = questions(key_with_a_deadline(persist=persist))
        outcome = run(eagerly(model), system, plays=20, steps=60, timing=Timing(silence=30, latency=0.01))
    assert outcome.verdict.name == verdict, outcome
    if verdict == "fail":
        assert [str(event) for event in outcome.failure().events][-2:] == ["?PERSIST k", "!:1"]
