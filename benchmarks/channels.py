"""Following a system over five connections with ten inputs in flight: time an event takes, and memory of a long play.

python -m benchmarks.channels [--steps 10000] [--seed 0]
"""

from __future__ import annotations

import argparse
import statistics
import time
import tracemalloc
from collections import deque
from random import Random

from outplay.model.kinds import specification
from outplay.model.label import Label
from outplay.model.programs.actions import controllable, given, observable
from outplay.model.programs.program import Model
from outplay.model.tracking import Tracker
from outplay.model.values import Map

CLIENTS = ("ann", "bob", "cid", "dan", "eve")
IN_FLIGHT = 10
LATENCY = 10.0  # seconds: all that is not answered yet is on its way


class Counters(Model):
    """Each client counts for itself, so that the steps of different clients commute."""

    channel = "who"
    count: Map[str, int] = Map((who, 0) for who in CLIENTS)
    asked: Map[str, int] = Map((who, 0) for who in CLIENTS)

    @controllable
    @given(who=CLIENTS)
    def add(self, who: str) -> bool | None:
        if self.asked[who] >= IN_FLIGHT:
            return False
        self.asked = self.asked.set(who, self.asked[who] + 1)
        return None

    @observable
    @given(who=CLIENTS, number=range(10))
    def added(self, who: str, number: int) -> bool | None:
        if not self.asked[who] or self.count[who] != number:
            return False
        self.asked = self.asked.set(who, self.asked[who] - 1)
        self.count = self.count.set(who, (number + 1) % 10)
        return None


def play(steps: int, seed: int, *, watched: bool = False) -> tuple[list[float], list[int]]:
    """Follow a play; the seconds of each event, and where memory is watched the bytes in use after each tenth of it."""
    rng, tracker = Random(seed), Tracker(specification(Counters), latency=LATENCY).started(0.0)
    open_inputs: deque[str] = deque()
    counts = dict.fromkeys(CLIENTS, 0)
    spent, memory, now = [], [], 0.0
    if watched:
        tracemalloc.start()
    for step in range(steps):
        now += 0.01
        if len(open_inputs) < IN_FLIGHT:
            who = min(CLIENTS, key=lambda name: (open_inputs.count(name), rng.random()))
            open_inputs.append(who)
            label = Label("?", "add", (who,))
        else:
            who = open_inputs.popleft()
            label = Label("!", "added", (who, counts[who]))
            counts[who] = (counts[who] + 1) % 10
        began = time.perf_counter()
        tracker = tracker.settled(now)
        tracker = tracker.gave(label, now) if label.is_input else tracker.saw(label, now)
        spent.append(time.perf_counter() - began)
        if not tracker.conforms:
            raise SystemExit(f"step {step}: {label} should be possible")
        if watched and (step + 1) % max(steps // 10, 1) == 0:
            memory.append(tracemalloc.get_traced_memory()[0])
    tracemalloc.stop()
    return spent, memory


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    spent, _ = play(asked.steps, asked.seed)
    _, memory = play(asked.steps, asked.seed, watched=True)
    ordered = [seconds * 1e3 for seconds in sorted(spent)]
    print(f"{asked.steps:,} events, {IN_FLIGHT} inputs in flight on {len(CLIENTS)} channels")
    late = ordered[len(ordered) * 99 // 100]
    print(f"median {statistics.median(ordered):.3f} ms, 99th percentile {late:.2f} ms")
    print(f"memory after each tenth: {', '.join(f'{size / 1e6:.1f}' for size in memory)} MB")


if __name__ == "__main__":
    main()
