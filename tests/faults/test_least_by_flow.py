"""What no tester can beat, by its linear program: against all testers of a few labels who know the list of mutants."""

from __future__ import annotations

from random import Random

import pytest

from helpers.faults import drawn_system, some_mutants
from helpers.seeds import seeds
from outplay import automaton
from outplay.conformance.transition_table import table_of
from outplay.model.label import SILENCE

pytest.importorskip("scipy")
from benchmarks.faults.least_by_flow import PARTS, fault_of, is_small, least_by_flow  # isort: skip
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


def outcomes(system, rows, at, there, move):
    """What may happen after a move: labels with the states of model and system after them, and how likely."""
    shown, delta = rows.shown(there), system.table.labels.index(SILENCE)
    if move == RESET:
        return [(move, 0, 0, 1.0)]
    if move == WAIT:
        return [(label, system.moves[at].get(label), target, 1 / len(shown)) for label, target in shown]
    loud = [(label, target) for label, target in shown if label != delta] if system.races else []
    found = [(label, system.moves[at].get(label), target, 0.5 / len(loud)) for label, target in loud]
    return [*found, (move, system.moves[at][move], rows.given(there).get(move, there), 0.5 if loud else 1.0)]


def least_of_testers(system, mutants, labels):
    """The least sum over t = 0 … labels of the mutants not found within t, of all testers, who see every label."""

    def least(at, alive, left):
        left_over = sum(weight for *_, weight in alive)
        if left == 0 or not alive:
            return left_over * (left + 1)
        moves = [label for label in system.moves[at] if label < system.table.inputs] + [RESET]
        moves += [WAIT] if any(label >= system.table.inputs for label in system.moves[at]) else []
        costs = []
        for move in moves:
            seen: dict[tuple[int, int], list] = {}
            for rows, there, weight in alive:
                for label, model, target, chance in outcomes(system, rows, at, there, move):
                    if model is not None:
                        seen.setdefault((label, model), []).append((rows, target, weight * chance))
            costs.append(sum(least(model, group, left - 1) for (_, model), group in seen.items()))
        return left_over + min(costs)

    return least(0, [(rows, 0, 1.0) for rows in mutants], labels)


@seeds(range(150), quick=15)
def test_no_tester_of_what_says_one_thing_is_better_and_the_best_is_not_much_worse(seed):
    system = one_thing(seed)
    mutants = wrong(system, 4)
    if not mutants:
        pytest.skip("nothing wrong can be drawn")
    best = least_of_testers(system, mutants, 6) / len(mutants)
    assert 0.7 * best < least_by_flow(system, mutants, labels=6) < best + 1e-6


@pytest.mark.parametrize("races", [False, True])
@seeds(range(80), quick=8)
def test_no_tester_is_better_where_the_system_chooses_and_outputs_come_first(seed, races):
    system = drawn_system(seed, races)
    mutants = wrong(system, 3)
    if not mutants:
        pytest.skip("nothing wrong can be drawn")
    best = least_of_testers(system, mutants, 4) / len(mutants)
    assert 0.6 * best < least_by_flow(system, mutants, labels=4) < best + 1e-6


@seeds(range(60), quick=10)
def test_of_one_mutant_that_shows_for_sure_it_is_the_best_possible_play(seed):
    system = one_thing(seed)
    for rows in wrong(system, 4):
        fault = fault_of(system, rows)
        if set(fault.moves.values()) == {1.0} and all(set(shows) == {PARTS} for shows, _ in fault.parts):
            assert least_by_flow(system, [rows], labels=20) == pytest.approx(least_expected(system, rows), rel=1e-3)


def test_what_the_system_chooses_is_for_the_program_too():
    coin = System("coin", table_of(automaton([("s", "?a", "t"), ("t", "!x", "s"), ("t", "!y", "s")])), dict)
    assert is_small(coin)
