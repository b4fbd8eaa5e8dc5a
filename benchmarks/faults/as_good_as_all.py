"""What it takes to find each fault of a machine as often as that peer does which finds it most often.

    python -m benchmarks.faults.as_good_as_all m76 --seeds 20

Where an answer leads into a part that no play leaves but by a reset, a play gets no more than one such answer, and a
tester that hears it in a share p of its runs spends p · (the way there, the question, the answer and a reset) labels on
it, on average, and on nothing else of that kind. So whoever finds the fault in each such answer as often as the peer
that is best at it needs Σ p · labels; where that is more than a run has, no tester can do it, and which faults are
missed is a choice. How often a peer hears each answer is counted in runs on the right machine. The best of the peers is
chosen by one half of the runs and counted in the other half, for the most of several counts is more than any of them
is by chance; then each half takes the other's part.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from functools import partial
from random import Random

from benchmarks.faults.least_by_order import Question, questions
from benchmarks.faults.playing import LIMIT, World
from benchmarks.faults.systems import DATA, System, machine
from benchmarks.faults.testers import TESTERS
from benchmarks.page import table, write_section

RESET = 1
HALVES = 2
Heard = list[Counter[Question]]
"""In how many runs each answer was heard, by half."""
TITLE = "As good as every peer at every fault"
SAID = """\
On machines where most answers end a play, since no play leaves where they lead but by a reset, each of these answers
takes a play of its own. Whoever hears each of them as often as a tester does needs so many labels of a run of {limit:,}
for these alone; *all* is who hears each as often as the one of them that hears it most often. Where that is more than a
run has, no tester finds each fault as often as the best of the others at it, and whoever finds more of some finds less
of others. In {seeds} runs of each on the right machine.
"""


def labels_to_match(system: System, testers: Sequence[str], seeds: int, limit: int = LIMIT) -> float:
    """How many labels a run needs that is as good as each of some testers in each answer which ends a play."""
    return _needed(system, [answers_heard(system, tester, seeds, limit) for tester in testers], seeds)


def _needed(system: System, heard: Sequence[Heard], seeds: int) -> float:
    once, _ = questions(system)
    needed = 0.0
    for question, labels in once.items():
        for half in range(HALVES):
            best = max(heard, key=lambda one: one[half][question])
            needed += best[1 - half][question] / seeds * (labels + RESET)
    return needed


def answers_heard(system: System, tester: str, seeds: int, limit: int = LIMIT) -> Heard:
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


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.faults.as_good_as_all")
    parser.add_argument("machines", nargs="*", default=["tcp_server_ubuntu_trans", "m76", "m106", "m172"])
    parser.add_argument("--seeds", type=int, default=20)
    asked = parser.parse_args(arguments)
    if not DATA.exists():
        print("the folder shared/data is not here: there is nothing to test")
        return
    peers = [name for name, tester in TESTERS.items() if tester.peer and tester.is_here()]
    write_section(TITLE, _body(asked.machines, peers, asked.seeds))


def _body(machines: Sequence[str], peers: Sequence[str], seeds: int) -> str:
    rows = []
    for name in machines:
        system, heard = machine(name, name), []
        for peer in peers:
            print(f"{peer} on {name}", file=sys.stderr)
            heard.append(answers_heard(system, peer, seeds))
        once, others = questions(system)
        alone = [f"{_needed(system, [one], seeds):,.0f}" for one in heard]
        rows.append([name, len(once) + len(others), len(once), *alone, f"{_needed(system, heard, seeds):,.0f}"])
    head = ("machine", "questions", "that end a play", *peers, "all")
    return SAID.format(limit=LIMIT, seeds=seeds) + "\n" + table(head, rows)


if __name__ == "__main__":
    main(sys.argv[1:])
