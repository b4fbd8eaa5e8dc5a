"""One battery for all adapters: whatever the other side does is an event that tells so, and nothing is left behind.

Each case is a way to reach a system that misbehaves as it is told (`helpers/misbehaving.py`). The troubles come one
after the other, each in a play of its own, so every reset is one after trouble.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import shlex
import sys
import threading
import time
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from helpers import misbehaving
from helpers.certificates import certificate
from helpers.killing import marked
from helpers.misbehaving import HUGE, served
from outplay import Label
from outplay.play.adapters.adapters import ADAPTERS, adapter_of
from outplay.play.framing import FRAMINGS
from outplay.play.system import System
from outplay.play.trace import ENDS

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks processes up in /proc")
PATIENCE = 60.0  # seconds for what has to come
NOTHING = 0.05  # seconds in which nothing comes, however long they are
PLAYS = int(os.environ.get("OUTPLAY_PLAYS", 1_000))  # of each case, by `make test-long`
MANY = [f"{n} {'y' * 2_000}" for n in range(20)]  # words for one who does not read

TROUBLES: dict[str, tuple[list[str], list[str]]] = {
    "none": (["fine", "well"], ["fine", "well"]),
    "late": (["late"], ["late"]),
    "duplicate": (["twice"], ["twice", "twice"]),
    "reorder": (["hold", "release"], ["release", "hold"]),
    "hang": (["hang"], ["silence"]),
    "half-open": (["half"], ["silence"]),
    "half and closed": (["break"], ["garbage"]),
    "closed": (["close"], ["closed"]),
    "crash": (["crash"], ["crash"]),
    "garbage": (["garbage"], ["garbage"]),
    "bad UTF-8": (["utf8"], ["garbage"]),
    "huge": (["huge"], ["x" * HUGE]),
    "slow reader": (["slow", *MANY], ["slow", *MANY]),
}
"""The words that are given, and what is seen of them: outputs, or kinds of events."""

OUTPUTS = [{"when": {"json.heard": "*"}, "label": "heard {json.heard}"}]
MESSAGES = {"inputs": {"say word": {"json": {"say": "{word}"}}}, "outputs": OUTPUTS}
CALL = {"method": "POST", "path": "/say", "json": {"say": "{word}"}}
BEFORE = {"reset": [{"method": "POST", "path": "/reset"}]}
TABLES: dict[str, dict[str, Any]] = {
    "ws": MESSAGES,
    "mqtt": {
        "connect": {"subscribe": ["heard"]},
        "inputs": {"say word": {"topic": "say", "json": {"say": "{word}"}}},
        "outputs": OUTPUTS,
    },
    "answers": {"inputs": {"say word": {**CALL, "client": "{word}", "outputs": OUTPUTS}}, **BEFORE},
    "events": {
        "inputs": {"say word": CALL},
        "listen": [{"path": "/events", "stream": True, "outputs": OUTPUTS}],
        **BEFORE,
    },
    "pty": MESSAGES,
    **{name: {"framing": name, **MESSAGES} for name in FRAMINGS},
}


@dataclass(frozen=True)
class Case:
    """An adapter with a system behind it, and what is seen other than by the others; None where it cannot be."""

    adapter: str
    speech: str
    differs: Mapping[str, list[str] | None] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    ordered: bool = True
    """Whether what it answers keeps an order."""

    def __str__(self) -> str:
        return "-".join([self.adapter, self.speech, *self.options])

    @property
    def troubles(self) -> dict[str, tuple[list[str], list[str]]]:
        """What is done to it, and what is seen."""
        told = {name: (words, self.differs.get(name, seen)) for name, (words, seen) in TROUBLES.items()}
        return {name: (words, seen) for name, (words, seen) in told.items() if seen is not None}

    @contextlib.contextmanager
    def system(self, pem: str) -> Iterator[System]:
        """The system, with its server where it has one."""
        command = [sys.executable, "-I", "-S", misbehaving.__file__, self.speech]
        adapter, options = adapter_of(f"{self.adapter}:"), dict(self.options)
        with contextlib.ExitStack() as ending:
            if self.adapter in ("exec", "pty"):
                text = shlex.join(command)
            elif self.adapter == "python":
                module = misbehaving.__file__ if self.options else misbehaving.__name__
                text = f"{module}:Misbehaving"
            elif self.adapter == "listen":
                text, options["start"] = "127.0.0.1:0", f"{shlex.join(command)} connect {{port}}"
            else:
                files = [pem] if self.adapter in SECURE else []
                options |= {"ca": pem} if files else {}
                address = f"127.0.0.1:{ending.enter_context(served(self.speech, *files))}"
                text = f"//{address}" if self.adapter.startswith(("http", "ws")) else address
            if table := TABLES.get(self.adapter, TABLES.get(self.speech)):
                options |= {"table": "table", "read_table": lambda name: table}
            elif "table" in adapter.options:
                options["read_table"] = dict
            system = adapter.system(text, **options)
            ending.callback(system.close)
            yield system


Differences = dict[str, list[str] | None]
NO_STREAM: Differences = dict.fromkeys(["half-open", "half and closed", "closed", "bad UTF-8"])
ANSWERS: Differences = {"duplicate": ["twice"]} | {
    name: ["crash"] for name in ("closed", "half and closed", "garbage")
}  # one answer to one call
EVENTS: Differences = {"bad UTF-8": ["\ufffd\ufffd"], "closed": ["crash"], "half and closed": ["crash"]}
"""A stream of events does not end, and what is no UTF-8 in it is replaced."""
SOCKET: Differences = {"half and closed": ["crash"]}
BROKER: Differences = {"half and closed": ["closed"], "crash": ["closed"]}  # the library does not tell how it ended
LIMITS: dict[str, Differences] = {
    "labels": {"huge": ["garbage"]},  # no label has so long a line
    "length1": dict.fromkeys(["huge", "slow reader"]),
    "length2": dict.fromkeys(["huge"]),
    "length2-little": dict.fromkeys(["huge"]),
}
PROXY = {"faults": "model"}
CASES = [
    *(Case("exec", speech, LIMITS.get(speech, {})) for speech in ("labels", "lines")),
    *(Case("listen", speech, LIMITS.get(speech, {})) for speech in ("labels", "length4")),
    *(Case("tcp", speech, LIMITS.get(speech, {})) for speech in ("labels", *FRAMINGS)),
    Case("tcp", "lines", {"crash": ["closed"]}, PROXY),
    Case("pty", "lines"),
    *(
        Case(adapter, speech, differs, options, ordered=speech != "answers")
        for (plain, secure), speech, differs in (
            (("http", "https"), "answers", ANSWERS),
            (("http", "https"), "events", EVENTS),
            (("ws", "wss"), "ws", SOCKET),
            (("mqtt", "mqtts"), "mqtt", BROKER),
        )
        for adapter, options in ((plain, {}), (plain, PROXY), (secure, {}), (secure, PROXY))
    ),
    Case("python", "object", NO_STREAM),
    Case("python", "object", {**NO_STREAM, **LIMITS["labels"]}, {"isolated": True}),
]
SECURE = ("https", "wss", "mqtts")
WITHOUT = {"model"}  # a simulation, which nothing can go wrong with on the way


def test_every_adapter_and_every_framing_is_tried():
    assert {case.adapter for case in CASES} | WITHOUT == set(ADAPTERS)
    assert {case.speech for case in CASES} >= set(FRAMINGS)


def play(system: System, words: list[str], seen: list[str]) -> list[str]:
    """What is seen in one play."""
    system.reset()
    for word in words:
        system.give(Label("?", "say", (word,)))
    found = []
    for _ in seen:
        event, deadline = system.observe(NOTHING), time.monotonic() + PATIENCE
        while event.kind == "silence" != seen[0] and time.monotonic() < deadline:
            event = system.observe(0.1)  # in slices, as the runner waits
        found.append(str(event.label.arguments[0]) if event.label else event.kind)
        if event.kind in ENDS:
            print(event.kind, event.detail)  # shown where the test fails
            assert system.observe(0.001).kind == event.kind, "it stays the last"
    return found


def held() -> tuple[int, int]:
    """The threads and descriptors of this process."""
    return threading.active_count(), len(os.listdir("/proc/self/fd"))


def settled(before: tuple[int, int]) -> tuple[int, int]:
    """The threads and descriptors, when those that are about to end have ended."""
    deadline = time.monotonic() + PATIENCE
    while (now := held()) > before or now[1] > before[1]:
        if time.monotonic() > deadline:
            break
        time.sleep(0.01)
    return now


def endure(case: Case, plays: int, pem: str, monkeypatch: pytest.MonkeyPatch) -> None:
    mark = uuid.uuid4().hex
    outside = held()
    with case.system(pem) as system:
        monkeypatch.setenv("MARK", mark)
        calm, warm = TROUBLES["none"], []
        for _ in range(3):
            play(system, *calm)
            warm.append(held())
        before = max(threads for threads, _ in warm), max(descriptors for _, descriptors in warm)
        for name, (words, seen) in itertools.islice(itertools.cycle(case.troubles.items()), plays):
            found = play(system, words, seen)
            assert (name, found if case.ordered else sorted(found)) == (name, seen if case.ordered else sorted(seen))
        assert sorted(play(system, *calm)) == sorted(calm[1])
        threads, descriptors = settled(before)
        assert (threads <= before[0], descriptors <= before[1]) == (True, True), (threads, descriptors, before)
        running = len(marked(mark))
        assert running <= 2, "the programs of plays that are over have ended"
    threads, descriptors = settled(outside)
    assert (threads <= outside[0], descriptors <= outside[1]) == (True, True), (threads, descriptors, outside)
    assert marked(mark) == {}


@pytest.fixture(scope="module")
def pem(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A file with the key and the certificate of the servers."""
    pytest.importorskip("cryptography")
    path = tmp_path_factory.mktemp("certificates") / "server.pem"
    certificate(path)
    return str(path)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_trouble_of_every_kind_is_an_event_and_leaves_nothing_behind(case, pem, monkeypatch):
    endure(case, len(case.troubles), pem, monkeypatch)


@pytest.mark.long
@pytest.mark.timeout(3_600)
@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_thousand_plays_leave_nothing_behind(case, pem, monkeypatch):
    endure(case, PLAYS, pem, monkeypatch)
