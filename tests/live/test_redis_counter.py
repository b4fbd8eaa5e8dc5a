"""A counter of Redis, with data over all its integers: the symbolic model is covered against the server itself."""

from __future__ import annotations

import subprocess
from random import Random

import pytest

from helpers.places import EXAMPLES
from helpers.servers import free_port, is_served, needs
from outplay import PythonObject, Timing, read_model, run, specification
from outplay.play.plan import Plan
from outplay.tester.switch_tester import SwitchTester

pytestmark = needs("redis-server", "redis-cli")


def counter(port: int, wraps: bool) -> type:
    """An object that asks the server; one that `wraps` counts on from the other end instead of refusing."""

    class Counter:
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

        def __init__(self, emit) -> None:
            self.emit = emit
            self._ask("set", "k", "0")

        def _ask(self, *words: str) -> str:
            done = subprocess.run(["redis-cli", "-p", str(port), *words], capture_output=True, text=True)
            return done.stdout.strip()

        def incrby(self, n: int) -> None:
            told = self._ask("incrby", "k", str(n))
            if "overflow" not in told:
                self.emit("said", int(told))
            elif wraps:
                self.emit("said", n)
            else:
                self.emit("overflow")

        def get(self) -> None:
            self.emit("said", int(self._ask("get", "k")))

    return Counter


@pytest.mark.parametrize(("wraps", "verdict"), [(False, "pass"), (True, "fail")])
def test_all_switches_of_the_counter_are_taken(wraps, verdict):
    system = read_model(EXAMPLES / "symbolic" / "redis_counter.sts")
    tester = SwitchTester(system, Random(1))
    server = PythonObject(counter(free_port(), wraps))
    outcome = run(Plan(specification(system), tester), server, plays=1, steps=20, timing=Timing(silence=0.3))
    assert outcome.verdict.name == verdict
    assert wraps or tester.coverage == 1.0
