"""Choosing weights: mutants that are followed along one play are found when they are played by themselves."""

from __future__ import annotations

from random import Random

import pytest

from helpers.faults import some_mutants
from outplay import automaton
from outplay.conformance.transition_table import table_of
from outplay.strategy.suspicion import Suspicion, hypotheses, suspects

from benchmarks.faults.playing import World, play  # isort: skip  (helpers.faults puts it on the path)
from benchmarks.faults.systems import System  # isort: skip
from benchmarks.faults.table_changes import TableChanges  # isort: skip
from benchmarks.faults.weights import changed, labels_of  # isort: skip

LIMIT = 400


def drawn_machine(seed: int) -> System:
    """A machine of up to six states in a ring, each with two questions and one answer to each."""
    rng = Random(seed)
    states = range(rng.randint(2, 6))
    leads = {(state, given): rng.choice(states) for state in states for given in "ab"}
    leads |= {(state, "a"): (state + 1) % len(states) for state in states}
    steps = [
        step
        for (state, given), after in leads.items()
        for step in (
            (f"s{state}", f"?{given}", f"s{state}{given}"),
            (f"s{state}{given}", f"!{rng.choice('xyz')}", f"s{after}"),
        )
    ]
    table = table_of(automaton(steps))
    return System(f"machine {seed}", table, lambda: TableChanges(table, Random(seed)).of_machine())


@pytest.mark.parametrize("seed", range(12))
def test_mutants_along_a_play_are_found_as_by_themselves(seed: int):
    system = drawn_machine(seed)
    mutants = [mutant for _, mutant in some_mutants(system, 4)]
    together = labels_of(system, mutants, Suspicion(system.table, Random(seed)), LIMIT)
    worlds = [World(system, mutant.rows, Random(0)) for mutant in mutants]
    alone = [play(Suspicion(system.table, Random(seed)), world, LIMIT).labels or LIMIT for world in worlds]
    assert together == alone
    assert min(alone) < LIMIT


def test_weights_are_set_wherever_they_are_used():
    kept = suspects.LOST
    try:
        changed("suspects.LOST=0.25")
        assert suspects.LOST == hypotheses.LOST == 0.25
    finally:
        changed(f"suspects.LOST={kept}")


def test_a_weight_that_is_not_there_is_named():
    with pytest.raises(ValueError, match=r"no weight suspects\.LEFT"):
        changed("suspects.LEFT=1")
