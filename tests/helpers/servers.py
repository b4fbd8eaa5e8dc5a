"""Real servers to play against: each on a free port, in a folder of its own, and ended with all it started."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest

from outplay import Automaton, automaton, specification
from outplay.model.tracking import Tracker
from outplay.play.plan import Plan
from outplay.tester.tester import Decision, Give, TraceBased, Wait

PATIENCE = 60.0  # seconds for a server to answer, on a busy machine


def needs(*programs: str) -> pytest.MarkDecorator:
    """Skip tests where one of these programs is not installed."""
    missing = [program for program in programs if not shutil.which(program)]
    return pytest.mark.skipif(bool(missing), reason=f"not installed here: {', '.join(missing)}")


def free_port() -> int:
    """A port that nobody listens at now."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        return int(free.getsockname()[1])


def is_served(port: int) -> bool:
    """Say whether somebody listens at a port."""
    with socket.socket() as link:
        return link.connect_ex(("127.0.0.1", port)) == 0


@contextlib.contextmanager
def serving(command: Sequence[str], port: int, folder: Path, *, user: str | None = None) -> Iterator[None]:
    """Run a server as long as it is needed."""
    with (folder / "server.log").open("wb") as log:
        server = subprocess.Popen(command, cwd=folder, stdout=log, stderr=log, start_new_session=True, user=user)
    try:
        deadline = time.monotonic() + PATIENCE
        while not is_served(port):
            assert server.poll() is None, (folder / "server.log").read_text()
            assert time.monotonic() < deadline, "the server does not answer"
            time.sleep(0.02)
        yield
    finally:
        server.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            server.wait(10)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(server.pid, signal.SIGKILL)
        server.wait()
    assert not is_served(port)


Answers = Mapping[str, Mapping[str, tuple[str, ...]]]


def questions(states: Answers) -> Automaton:
    """A model of questions and answers: for each state and question the lines of the answer, and the state after it.

    The first state is the initial one; one question is asked at a time.
    """
    steps = []
    for state, asked in states.items():
        for question, (*answers, after) in asked.items():
            places = [state, *(f"{state} {question} {number}" for number in range(len(answers))), after]
            labels = [f"?{question}", *(f"!{answer}" for answer in answers)]
            steps += list(zip(places[:-1], labels, places[1:], strict=True))
    return automaton(steps, name="questions")


class Eager(TraceBased):
    """Gives one input after the other, by chance, and waits only for what is owed: it never waits for silence."""

    start = None

    def __init__(self, seed: int) -> None:
        self._rng = Random(seed)

    def choose(self, tracker: Tracker, memory: None) -> Decision:
        return Wait() if tracker.owes else Give(self._rng.choice(tracker.inputs()))

    def remember(self, tracker: Tracker, memory: None, label: object) -> None:
        return None


def eagerly(model: Any, seed: int = 0) -> Plan:
    """Plan to play a model so; however slow the machine is, silence is called for nothing but a missing answer."""
    return Plan(specification(model), Eager(seed))


def redis_on(port: int) -> type:
    """An object with a Redis server of its own on this port, from set-up to tear-down, and a way to ask it."""

    class Redis:
        @classmethod
        def set_up(cls) -> None:
            command = ["redis-server", "--port", str(port), "--save", ""]
            cls.server = subprocess.Popen(command, stdout=subprocess.DEVNULL)
            while not is_served(port):
                pass

        @classmethod
        def tear_down(cls) -> None:
            cls.server.terminate()
            cls.server.wait()

        def ask(self, *words: str) -> str:
            done = subprocess.run(["redis-cli", "-p", str(port), *words], capture_output=True, text=True, check=True)
            return done.stdout.strip() or "nil"

    return Redis
