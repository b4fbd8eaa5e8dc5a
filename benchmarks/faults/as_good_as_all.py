"""What it takes to find each fault of a machine as often as that peer does which finds it most often.

Where an answer leads into a part that no play leaves but by a reset, a play gets no more than one such answer, and a
tester that hears it in a share p of its runs spends p · (the way there, the question, the answer and a reset) labels on
it, on average, and on nothing else of that kind. So whoever finds the fault in each such answer as often as the peer
that is best at it needs Σ p · labels; where that is more than a run has, no tester can do it, and which faults are
missed is a choice. How often a peer hears each answer is counted in runs on the right machine. The best of the peers is
chosen by one half of the runs and counted in the other half, for the most of several counts is more than any of them
is by chance; then each half takes the other's part.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import partial
from random import Random

from benchmarks.faults.least_by_order import Question, questions
from benchmarks.faults.playing import LIMIT, World
from benchmarks.faults.systems import System
from benchmarks.faults.testers import TESTERS

RESET = 1
HALVES = 2


def labels_to_match(system: System, testers: Sequence[str], seeds: int, limit: int = LIMIT) -> float:
    """How many labels a run needs that is as good as each of some testers in each answer which ends a play."""
    once, _ = questions(system)
    heard = {tester: _heard(system, tester, seeds, limit) for tester in testers}
    needed = 0.0
    for question, labels in once.items():
        for half in range(HALVES):
            best = max(testers, key=lambda one: heard[one][half][question])
            needed += heard[best][1 - half][question] / seeds * (labels + RESET)
    return needed


def _heard(system: System, tester: str, seeds: int, limit: int) -> list[Counter[Question]]:
    """In how many runs of each half a tester heard each answer."""
    halves = [Counter[Question]() for _ in range(HALVES)]
    for seed in range(seeds):
        answered: set[Question] = set()
        TESTERS[tester].run(system, partial(_Hearing, system, answered, limit), f"{system.name} match {seed}", limit)
        halves[seed % HALVES].update(answered)
    return halves


class _Hearing(World):
    """The right machine; questions that were answered within the limit are noted."""

    def __init__(self, system: System, answered: set[Question], limit: int, rng: Random) -> None:
        super().__init__(system, system.right, rng)
        self._answered, self._limit = answered, limit
        self._question: Question | None = None

    def reset(self) -> None:
        super().reset()
        self._question = None

    def give(self, label: int) -> int | None:
        self._question = (self.at, label)
        return super().give(label)

    def wait(self) -> int | None:
        seen = super().wait()
        if self._question is not None and self.labels <= self._limit:
            self._answered.add(self._question)
        self._question = None
        return seen
