"""What each part of the suspicion game is worth: each switched off once, on the mutants for development.

python -m benchmarks.faults.parts [MUTANTS] [SEEDS]

Of machines many mutants are followed beside each play, so that small differences can be told from chance.
"""

from __future__ import annotations

import statistics
import sys
from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Any
from unittest.mock import patch

import numpy as np

from benchmarks.faults.mutants import Mutant
from benchmarks.faults.playing import LIMIT, World, play
from benchmarks.faults.systems import DATA, SYSTEMS, System
from benchmarks.faults.weights import labels_of
from benchmarks.page import table, write_section
from outplay.strategy.suspicion import Suspicion, features
from outplay.strategy.suspicion.behaviour_table import answering_rows
from outplay.strategy.suspicion.features import Doubts
from outplay.strategy.suspicion.hypotheses import Hypotheses
from outplay.strategy.suspicion.pair_game import PairGame, solved_pairs
from outplay.strategy.suspicion.suspects import CLEARED
from outplay.strategy.suspicion.suspicion_plan import SuspicionPlan

TITLE = "What each part of the suspicion game is worth"
SAID = """\
The mean number of labels until a mutant is found (what is not found within {limit:,} counts as that), with one part
switched off each time, on mutants for development. *Features*: every transition is in doubt by itself. *Outcomes*:
questions are not told apart by what may be said to them. *Hypotheses*: where a step may have led is not pursued; a step
that was taken counts as cleared. *Ratio*: the plan that meets the most within its horizon, however many labels that
takes.
"""
PLAYED = ("chat", "chat-races", "lock", "alarm", "tftp", "mqtt", "tcp")
OF_MACHINES = 400  # mutants that are followed beside each play


class _AllInDoubt:
    """Transitions have nothing in common."""

    def saw(self, edge: int) -> None:
        """Nothing wears off."""

    def of(self, edges: Any) -> Any:
        return np.ones(len(edges)) if not isinstance(edges, slice) else 1.0


class _Unpursued(Hypotheses):
    """Nobody follows where a step may have led."""

    def took(self, step: int, doubt: float) -> None:
        slots = self._suspects.pursued(step)
        left = CLEARED * self._suspects.left[step, slots]
        self._suspects.settle(np.full(len(slots), step), slots, left)


class _Whole(SuspicionPlan):
    """Labels cost next to nothing."""

    price = property(lambda self: 1e-9, lambda self, value: None)  # type: ignore[assignment]


def without_features(player: Suspicion) -> None:
    player.doubts = _AllInDoubt()  # type: ignore[assignment]


def without_outcomes(player: Suspicion) -> None:
    with patch.object(features, "telling_outcomes", lambda table, place: [None] * len(table.label)):
        player.doubts = Doubts(player.table)


def without_hypotheses(player: Suspicion) -> None:
    player._alive = _Unpursued(player.suspects, player.pairs, player._lookup.following, chooses=False)


def without_ratio(player: Suspicion) -> None:
    player._plan = _Whole(player.learnt.rows, player.races, player.table.initial)


PARTS: dict[str, Callable[[Suspicion], None]] = {
    "whole": lambda player: None,
    "without features": without_features,
    "without outcomes": without_outcomes,
    "without hypotheses": without_hypotheses,
    "without ratio": without_ratio,
}


def main(mutants: int, seeds: int) -> None:
    if not DATA.exists():
        print("the folder shared/data is not here: there is nothing to test")
        return
    rows = [row for name in PLAYED for row in measured(SYSTEMS[name](), mutants, seeds)]
    write_section(
        TITLE, SAID.format(limit=LIMIT) + "\n" + table(("system", "played", "mean", "ratio", "not found"), rows)
    )


def measured(system: System, mutants: int, seeds: int) -> Iterator[tuple[object, ...]]:
    """A row for each part that is switched off."""
    wanted = OF_MACHINES if system.machine else mutants
    drawn = system.mutants(wanted).by_set["development"][:wanted]
    pairs = solved_pairs(answering_rows(system.table))
    whole = 0.0
    outcomes = any(features.telling_outcomes(system.table, features.numbered_places(system.table)))
    for part, switch_off in PARTS.items():
        if switch_off is without_outcomes and not outcomes:
            continue
        print(f"{system.name}, {part}", file=sys.stderr)
        found = list(_labels(system, drawn, seeds, pairs, switch_off))
        mean, lost = statistics.mean(found), sum(labels >= LIMIT for labels in found)
        whole = whole or mean
        yield system.name, part, f"{mean:,.1f}", f"{mean / whole:.2f}", f"{lost} of {len(found):,}"


def _labels(
    system: System, mutants: Sequence[Mutant], seeds: int, pairs: PairGame, switch_off: Callable[[Suspicion], None]
) -> Iterator[int]:
    """How many labels each play takes, at most the limit."""

    def player(seed: str) -> Suspicion:
        made = Suspicion(system.table, Random(f"tester {seed}"), pairs)
        switch_off(made)
        return made

    for seed in range(seeds):
        if system.machine:
            yield from labels_of(system, mutants, player(f"{seed}"))
            continue
        for number, mutant in enumerate(mutants):
            world = World(system, mutant.rows, Random(f"system {number} {seed}"))
            yield play(player(f"{number} {seed}"), world, LIMIT).labels or LIMIT


if __name__ == "__main__":
    main(*map(int, sys.argv[1:])) if len(sys.argv) > 2 else main(30, 8)
