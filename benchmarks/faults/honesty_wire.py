"""Is the number told honest where input and output cross? As `honesty.py`, with `run` on a slow wire.

python -m benchmarks.faults.honesty_wire --systems chat,tftp,mqtt --faults 400
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from itertools import islice
from random import Random

from benchmarks.faults.honesty import Agreement, compared, drawn_faults, main
from benchmarks.faults.rows import Rows, Simulation
from benchmarks.faults.systems import System
from benchmarks.faults.wire import LATENCY, SILENCE, Wire
from outplay import Timing, run, specification
from outplay.play.following import Step
from outplay.play.plan import Plan
from outplay.runs.monitors.suspicion_monitor import SuspicionMonitor
from outplay.runs.result import RunResult
from outplay.tester.known_behaviour import KnownBehaviour
from outplay.tester.suspicion_tester import SuspicionTester

MOMENTS = (20, 50, 100, 200, 400)
PLAYS, STEPS = 40, 50
FAULTS, RUNS = 400, 40  # two drawings of 40 faults differ by as much as 0.2


class Telling(SuspicionMonitor):
    """Keeps what is told at some moments."""

    labels = 0

    @property
    def enough(self) -> bool:
        return self.labels >= self._moments[-1]

    def __init__(self, known: KnownBehaviour, tester: SuspicionTester, moments: Sequence[int]) -> None:
        super().__init__(known, tester)
        self._moments, self.told = moments, list[float]()

    def take(self, step: Step) -> None:
        super().take(step)
        self.labels += step.label is not None
        if step.label is not None and self.labels in self._moments:
            self.told.append(self.clearing.cleared.share)


def played(
    system: System, rows: Rows, known: KnownBehaviour, seed: str, watched: bool
) -> tuple[RunResult, list[float]]:
    """One run, and what it told on the way."""
    tester = SuspicionTester(known, Random(f"tester {seed}"))
    monitor = Telling(known, tester, MOMENTS) if watched else None
    wire = Wire(Simulation(system.table, rows), Random(f"system {seed}"))
    plan, timing = Plan(known.behaviour.spec, tester), Timing(SILENCE, LATENCY)
    return run(
        plan, wire, timing=timing, plays=PLAYS, steps=STEPS, observers=[monitor] if monitor else []
    ), monitor.told if monitor else []


def agreement(system: System, faults: int, runs: int) -> Agreement:
    """Play so many faults, each by itself, and the right system so often."""
    known, labels = KnownBehaviour(specification(system.model)), list[float]()
    player = SuspicionTester(known, Random(0))
    drawn = drawn_faults(SuspicionMonitor(known, player).clearing, Random(f"faults {system.name}"))
    for number, rows in enumerate(islice(drawn, faults)):
        outcome, _ = played(system, rows, known, f"{system.name} {number}", watched=False)
        labels.append(outcome.tally.steps if outcome.verdict.name == "fail" else float("inf"))
    said = []
    for number in range(runs):
        outcome, told = played(system, system.right, known, f"{system.name} right {number}", watched=True)
        assert outcome.verdict.name in ("pass", "inconclusive"), (
            outcome
        )  # input and output may meet where none is given
        assert len(told) == len(MOMENTS), "plays were too short"
        said.append(told)
    return compared(system, MOMENTS, labels, said)


if __name__ == "__main__":
    main(sys.argv[1:], "honesty_wire", "chat,alarm,tftp,mqtt", agreement, faults=FAULTS, runs=RUNS)
