"""What no tester can beat who does not know which of some mutants it is: against the definition, searched plainly."""

from __future__ import annotations

from functools import partial

import pytest

from helpers.faults import drawn_system, some_mutants
from outplay.model.label import SILENCE

from benchmarks.faults.any_tester import least_mean  # isort: skip  (helpers.faults puts it on the path)
from benchmarks.faults.playing import World  # isort: skip
from benchmarks.faults.possible import least_expected  # isort: skip
from benchmarks.faults.proof import shortest_forbidden  # isort: skip
from benchmarks.faults.testers import TESTERS  # isort: skip

pytestmark = pytest.mark.long  # compiling alone takes a while


def wrong(system, count):
    found = [mutant.rows for _, mutant in some_mutants(system, 2)]
    return [rows for rows in found if shortest_forbidden(system.table, system.moves, rows)][:count]


def outcomes(system, rows, at, there, move):
    """What may happen after a move: labels with the states of model and system after them, and how likely."""
    shown, delta = rows.shown(there), system.table.labels.index(SILENCE)
    if move == "reset":
        return [(move, 0, 0, 1.0)]
    if move == "wait":
        return [(label, system.moves[at].get(label), target, 1 / len(shown)) for label, target in shown]
    loud = [(label, target) for label, target in shown if label != delta] if system.races else []
    found = [(label, system.moves[at].get(label), target, 0.5 / len(loud)) for label, target in loud]
    return [*found, (move, system.moves[at][move], rows.given(there).get(move, there), 0.5 if loud else 1.0)]


def moves_at(system, at):
    return ["wait", *(label for label in system.moves[at] if label < system.table.inputs), "reset"]


def known_values(system, rows):
    """The least expected number of labels where the mutant is known, for each pair of states."""
    pairs = [(0, 0)]
    for at, there in pairs:
        for move in moves_at(system, at):
            after = [(model, target) for _, model, target, _ in outcomes(system, rows, at, there, move)]
            pairs += [pair for pair in dict.fromkeys(after) if pair[0] is not None and pair not in pairs]
    value = dict.fromkeys(pairs, 0.0)
    for _ in range(500):
        value = {
            (at, there): min(
                1 + sum(c * value.get((m, s), 0.0) for _, m, s, c in outcomes(system, rows, at, there, move))
                for move in moves_at(system, at)
            )
            for at, there in pairs
        }
    return value


def searched(system, alive, depth, known) -> float:
    """The least sum of labels over mutants, each with its state and how likely it is; known ones after `depth`."""
    if depth == 0 or not alive:
        return sum(weight * known[rows][at, there] for rows, at, there, weight in alive)
    costs = []
    for move in moves_at(system, alive[0][1]):
        groups: dict[object, list] = {}
        for rows, at, there, weight in alive:
            for label, model, target, chance in outcomes(system, rows, at, there, move):
                if model is not None:
                    groups.setdefault(label, []).append((rows, model, target, weight * chance))
        after = sum(searched(system, group, depth - 1, known) for group in groups.values())
        costs.append(sum(weight for *_, weight in alive) + after)
    return min(costs)


@pytest.mark.parametrize("races", [False, True])
@pytest.mark.parametrize("seed", range(25))
def test_it_is_the_least_of_all_plays_of_so_many_labels(seed, races):
    system = drawn_system(seed, races)
    mutants = wrong(system, 3)
    if not mutants:
        pytest.skip("nothing wrong can be drawn")
    known = {rows: known_values(system, rows) for rows in mutants}
    for depth in range(4):
        plainly = searched(system, [(rows, 0, 0, 1.0) for rows in mutants], depth, known) / len(mutants)
        assert least_mean(system, mutants, longest=depth) == pytest.approx(plainly, rel=1e-4)


@pytest.mark.parametrize("races", [False, True])
@pytest.mark.parametrize("seed", range(25))
def test_of_one_mutant_it_is_the_best_possible_play(seed, races):
    system = drawn_system(seed, races)
    for rows in wrong(system, 3):
        possible = least_expected(system, rows, precision=1e-7)
        assert least_mean(system, [rows], longest=3) == pytest.approx(possible, rel=1e-3)


@pytest.mark.parametrize("seed", range(10))
def test_no_tester_is_better(seed):
    system = drawn_system(seed)
    mutants = wrong(system, 4)
    if not mutants:
        pytest.skip("nothing wrong can be drawn")
    bound = least_mean(system, mutants, longest=6)
    for name in ("greedy", "suspicion", "uniform 0.1"):
        run = TESTERS[name].run
        labels = [
            run(system, partial(World, system, rows), f"{k}", 2_000).labels or 2_000
            for rows in mutants
            for k in range(60)
        ]
        assert sum(labels) / len(labels) > 0.9 * bound, name  # as far as chance lets say


def test_more_labels_searched_make_the_bound_better():
    system = drawn_system(3, races=True)
    mutants = wrong(system, 6)
    bounds = [least_mean(system, mutants, longest=depth) for depth in range(6)]
    assert bounds == sorted(bounds)
    assert bounds[0] < bounds[-1]
