"""A counter of Redis, with data over all its integers: the symbolic model is covered against the server itself."""

from __future__ import annotations

from random import Random

import pytest

from helpers.places import EXAMPLES
from helpers.servers import free_port, needs, redis_on
from outplay import PythonObject, Timing, read_model, run, specification
from outplay.play.plan import Plan
from outplay.runs.monitors.switch_monitor import SwitchMonitor
from outplay.tester.switch_tester import SwitchTester

pytestmark = needs("redis-server", "redis-cli")


def counter(port: int, wraps: bool) -> type:
    """An object that asks the server; one that `wraps` counts on from the other end instead of refusing."""

    class Counter(redis_on(port)):
        def __init__(self, emit) -> None:
            self.emit = emit
            self.ask("set", "k", "0")

        def incrby(self, n: int) -> None:
            told = self.ask("incrby", "k", str(n))
            if "overflow" not in told:
                self.emit("said", int(told))
            elif wraps:
                self.emit("said", n)
            else:
                self.emit("overflow")

        def get(self) -> None:
            self.emit("said", int(self.ask("get", "k")))

    return Counter


@pytest.mark.parametrize(("wraps", "verdict"), [(False, "pass"), (True, "fail")])
def test_all_switches_of_the_counter_are_taken(wraps, verdict):
    system = read_model(EXAMPLES / "symbolic" / "redis_counter.sts")
    tester = SwitchTester(system, Random(1))
    server = PythonObject(counter(free_port(), wraps))
    plan, monitor = Plan(specification(system), tester), SwitchMonitor(tester.graph)
    outcome = run(plan, server, plays=1, steps=20, timing=Timing(silence=0.3), observers=[monitor])
    assert outcome.verdict.name == verdict
    assert wraps or monitor.covered(1).missing == {}
