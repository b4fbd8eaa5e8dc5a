"""Real servers through adapters that do not synchronise: no right one fails, directly and delayed, and faults do."""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from helpers.places import ROOT
from helpers.servers import free_port, needs, serving
from helpers.unsynchronised import Clients, DelayingProxy, Fault, Memcached, Mqtt, Postgresql, Protocol, Redis
from live.test_postgresql import USER, program
from outplay import Model, controllable, given, observable, run
from outplay.model.specification import Channel
from outplay.play.timing import Timing

TIMING = Timing(silence=30.0, latency=2.0)
NAMES = ("ann", "bob", "cid")
DELAY = 0.05  # seconds at most, each way
FIGURES = ROOT / ".outplay" / "figures"
RUNS = 10  # at the same time, directly and delayed


class Kept(Model):
    """One value that clients put and get, each on a connection of its own; a client may ask again before its answer."""

    channel = "who"
    who = NAMES
    value: str = "none"
    owed: tuple[tuple[str, ...], ...] = ((),) * len(NAMES)

    def ask(self, who, answer):
        place = self.who.index(who)
        if len(self.owed[place]) == 2:
            return False
        self.owed = tuple((*one, answer) if number == place else one for number, one in enumerate(self.owed))
        return None

    @controllable
    @given(who="who", word=("a", "b"))
    def put(self, who, word):
        self.value = word
        return self.ask(who, "ok")

    @controllable
    @given(who="who")
    def get(self, who):
        return self.ask(who, self.value)

    @observable
    @given(who="who", word=("ok", "a", "b", "none"))
    def said(self, who, word):
        place = self.who.index(who)
        if self.owed[place][:1] != (word,):
            return False
        self.owed = tuple(one[1:] if number == place else one for number, one in enumerate(self.owed))
        return None


class Spread(Model):
    """What a client publishes comes to every client, in one order for all."""

    channel = "who"
    who = NAMES
    coming: tuple[tuple[str, ...], ...] = ((),) * len(NAMES)

    @controllable
    @given(who="who", word=("a", "b"))
    def publish(self, who, word):
        if any(len(one) == 2 for one in self.coming):
            return False
        self.coming = tuple((*one, word) for one in self.coming)
        return None

    @observable
    @given(who="who", word=("a", "b"))
    def said(self, who, word):
        place = self.who.index(who)
        if self.coming[place][:1] != (word,):
            return False
        self.coming = tuple(one[1:] if number == place else one for number, one in enumerate(self.coming))
        return None


@contextmanager
def redis() -> Iterator[int]:
    with tempfile.TemporaryDirectory(prefix="outplay-") as folder:
        port = free_port()
        with serving(["redis-server", "--port", str(port), "--save", ""], port, Path(folder)):
            yield port


@contextmanager
def memcached() -> Iterator[int]:
    with tempfile.TemporaryDirectory(prefix="outplay-") as folder:
        port = free_port()
        with serving(["memcached", "-u", "nobody", "-l", "127.0.0.1", "-p", str(port)], port, Path(folder)):
            yield port


@contextmanager
def mosquitto() -> Iterator[int]:
    with tempfile.TemporaryDirectory(prefix="outplay-") as folder:
        port = free_port()
        (Path(folder) / "m.conf").write_text(f"listener {port} 127.0.0.1\nallow_anonymous true\nset_tcp_nodelay true\n")
        with serving([shutil.which("mosquitto") or "", "-c", f"{folder}/m.conf"], port, Path(folder)):
            yield port


@contextmanager
def postgresql() -> Iterator[int]:
    with tempfile.TemporaryDirectory(prefix="outplay-") as name:
        folder, port = Path(name), free_port()
        if USER:
            shutil.chown(folder, USER)
        how = {"user": USER, "cwd": folder, "check": True, "capture_output": True}
        make = [program("initdb"), "--no-sync", "--no-instructions", "-A", "trust", "-U", "outplay", "-D", "data"]
        subprocess.run(make, **how)
        command = [program("postgres"), "-D", "data", "-p", str(port), "-k", str(folder), "-h", "127.0.0.1", "-F"]
        with serving(command, port, folder, user=USER):
            to = ["psql", "-X", "-q", "-h", "127.0.0.1", "-p", str(port), "-U", "outplay", "-d", "postgres"]
            deadline = time.monotonic() + 60
            table = "CREATE TABLE kept (k text PRIMARY KEY, v text)"
            while subprocess.run([*to, "-c", table], capture_output=True).returncode:
                assert time.monotonic() < deadline, "the server is not ready"
            yield port


SERVERS: dict[str, tuple[object, type[Protocol], type[Model]]] = {
    "redis": (redis, Redis, Kept),
    "memcached": (memcached, Memcached, Kept),
    "postgresql": (postgresql, Postgresql, Kept),
    "mosquitto": (mosquitto, Mqtt, Spread),
}
INSTALLED = [
    pytest.param(name, marks=needs(*programs))
    for name, programs in {
        "redis": ["redis-server"],
        "memcached": ["memcached"],
        "postgresql": [program("postgres"), program("initdb"), "psql"],
        "mosquitto": ["mosquitto"],
    }.items()
]


@pytest.fixture(scope="module")
def port_of() -> Iterator[dict[str, int]]:
    """Ports of servers, started when they are first asked for."""
    with ExitStack() as stack:

        class Ports(dict):
            def __missing__(self, name):
                self[name] = stack.enter_context(SERVERS[name][0]())
                return self[name]

        yield Ports()


def played(name: str, port: int, *, plays: int, seed: int, fault: Fault | None = None):
    _, protocol, model = SERVERS[name]
    system = Clients(protocol, port, NAMES, fault)
    return run(model, system, tester="walk", plays=plays, steps=20, seed=seed, timing=TIMING, shrink=0.0)


def keep_figures(name: str, figures: object) -> None:
    """For the page of results."""
    FIGURES.mkdir(parents=True, exist_ok=True)
    (FIGURES / f"{name}.json").write_text(json.dumps(figures, indent=1) + "\n")


def passes_directly_and_delayed(name: str, port: int, plays: int) -> None:
    """Several runs at once, since most of their time is spent waiting."""
    proxy, share, began = DelayingProxy(port, DELAY), plays // RUNS, time.perf_counter()
    asked = [(to, seed) for to in (port, proxy.port) for seed in range(RUNS)]
    try:
        with ThreadPoolExecutor(len(asked)) as all_of_them:
            found = list(all_of_them.map(lambda one: played(name, one[0], plays=share, seed=one[1]), asked))
    finally:
        proxy.close()
    for way, results in (("directly", found[:RUNS]), ("delayed", found[RUNS:])):
        verdicts = Counter(play.verdict.name for result in results for play in result.played)
        sums = {"plays": verdicts, "labels": sum(result.tally.steps for result in results)}
        keep_figures(f"unsynchronised-{name}-{way}-{plays}", {**sums, "seconds": time.perf_counter() - began})
    for result in found:
        assert result.verdict.name == "pass", f"{name}: {result}"
        assert result.tally.plays == share
        assert result.tally.outputs > share


@pytest.mark.skipif(shutil.which("redis-server") is None, reason="not installed here: redis-server")
def test_a_model_that_takes_its_connections_for_one_fails_there(port_of):
    class Joined(Kept):
        channel = Channel("all")

    proxy = DelayingProxy(port_of["redis"], DELAY)
    try:
        system = Clients(Redis, proxy.port, NAMES)
        result = run(Joined, system, tester="walk", plays=100, steps=20, timing=TIMING, shrink=0.0)
    finally:
        proxy.close()
    assert result.verdict.name == "fail", "a test that any model passes shows nothing"


@pytest.mark.parametrize("name", INSTALLED)
@pytest.mark.timeout(600)
def test_a_right_server_passes_directly_and_through_delaying_proxies(name, port_of):
    passes_directly_and_delayed(name, port_of[name], 20)


@pytest.mark.long
@pytest.mark.parametrize("name", INSTALLED)
@pytest.mark.timeout(3600)
def test_a_right_server_passes_two_hundred_plays(name, port_of):
    passes_directly_and_delayed(name, port_of[name], 200)


def lost() -> Fault:
    """Every twelfth reply is lost."""
    count = iter(range(1, 1 << 30))
    return lambda client, word: [(client, word)] if next(count) % 12 else []


def doubled() -> Fault:
    count = iter(range(1, 1 << 30))
    return lambda client, word: [(client, word)] * (1 if next(count) % 12 else 2)


def stolen() -> Fault:
    """Every twelfth reply comes to another client."""
    count, other = iter(range(1, 1 << 30)), dict(zip(NAMES, NAMES[1:] + NAMES[:1], strict=True))
    return lambda client, word: [(client if next(count) % 12 else other[client], word)]


def mistaken() -> Fault:
    """Every twelfth value is another one."""
    count, other = iter(range(1, 1 << 30)), {"a": "b", "b": "a"}
    return lambda client, word: [(client, word if next(count) % 12 or word not in other else other[word])]


def stale() -> Fault:
    """A client that has seen a value sees it again a while later."""
    last: dict[str, list[str]] = {}

    def seen(client: str, word: str) -> list[tuple[str, str]]:
        if word == "ok":
            return [(client, word)]
        values = last.setdefault(client, [])
        values.append(word)
        return [(client, values[-2] if len(values) % 4 == 0 else word)]

    return seen


FAULTS = {fault.__name__: fault for fault in (lost, doubled, stolen, mistaken, stale)}


@pytest.mark.parametrize("name", INSTALLED)
@pytest.mark.timeout(600)
def test_planted_faults_are_found(name, port_of):
    port, found = port_of[name], {}
    for fault, made in FAULTS.items():
        began = time.perf_counter()
        result = played(name, port, plays=200, seed=1, fault=made())
        found[fault] = (result.verdict.name, result.tally.steps, round(time.perf_counter() - began, 2))
    keep_figures(f"unsynchronised-{name}-faults", found)
    assert [fault for fault, (verdict, _, _) in found.items() if verdict != "fail"] == []
