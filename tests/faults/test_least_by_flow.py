"""What no walk through a model can beat, by its linear program: against all walks of a few labels, one by one."""

from __future__ import annotations

from random import Random

import pytest

from helpers.faults import some_mutants
from helpers.seeds import seeds
from outplay import automaton
from outplay.conformance.transition_table import table_of
from outplay.model.label import SILENCE

pytest.importorskip("scipy")
from benchmarks.faults.least_by_flow import fault_of, least_by_flow, is_small_walk  # isort: skip
from benchmarks.faults.playing import RESET, WAIT  # isort: skip
from benchmarks.faults.possible import least_expected  # isort: skip
from benchmarks.faults.proof import shortest_forbidden  # isort: skip
from benchmarks.faults.systems import System  # isort: skip
from benchmarks.faults.table_changes import TableChanges  # isort: skip


def one_thing(seed: int) -> System:
    """A system of a few states that says one thing at most in each."""
    rng = Random(seed)
    names = [f"s{number}" for number in range(rng.randint(2, 4))]
    steps = [(name, f"!{rng.choice('xy')}", rng.choice(names)) for name in names if rng.random() < 0.5]
    steps += [(name, f"?{gate}", rng.choice(names)) for name in names for gate in "ab" if rng.random() < 0.7]
    table = table_of(automaton(steps or [("s0", "?a", "s0")]), labels=[SILENCE])
    return System(f"one thing {seed}", table, lambda: TableChanges(table, Random(seed)).of_automaton())


def wrong(system, count):
    found = [mutant.rows for _, mutant in some_mutants(system, 2)]
    return [rows for rows in found if shortest_forbidden(system.table, system.moves, rows)][:count]


def least_of_walks(system, mutants, labels):
    """The least sum over t = 0 … labels of the mutants not found within t, of all walks of so many labels."""

    def after(alive, at, move):
        """The systems after a move, each with how likely it is; those that showed something forbidden are gone."""
        found = []
        for rows, there, weight in alive:
            if move == RESET:
                found.append((rows, 0, weight))
            elif move == WAIT:
                shown = rows.shown(there)
                found += [(rows, target, weight / len(shown)) for label, target in shown if label in system.moves[at]]
            else:
                found.append((rows, rows.given(there).get(move, there), weight))
        return found

    def least(at, alive, left):
        left_over = sum(weight for *_, weight in alive)
        if left == 0 or left_over == 0:
            return left_over * (left + 1)
        row, inputs = system.moves[at], system.table.inputs
        moves = [(label, target) for label, target in row.items() if label < inputs] + [(RESET, 0)]
        moves += [(WAIT, target) for label, target in row.items() if label >= inputs]
        return left_over + min(least(target, after(alive, at, move), left - 1) for move, target in moves)

    return least(0, [(rows, 0, 1.0) for rows in mutants], labels)


@seeds(range(150), quick=15)
def test_no_walk_is_better_and_the_best_is_not_much_worse(seed):
    system = one_thing(seed)
    mutants = wrong(system, 4)
    if not mutants or not is_small_walk(system):
        pytest.skip("nothing wrong can be drawn")
    best = least_of_walks(system, mutants, 7) / len(mutants)
    bound = least_by_flow(system, mutants, labels=7)
    assert 0.7 * best < bound < best + 1e-6


@seeds(range(60), quick=10)
def test_of_one_mutant_that_shows_for_sure_it_is_the_best_possible_play(seed):
    system = one_thing(seed)
    for rows in wrong(system, 6):
        if fault_of(system, rows).chance == 1 and fault_of(system, rows).later == 0:
            assert least_by_flow(system, [rows], labels=20) == pytest.approx(least_expected(system, rows), rel=1e-3)
