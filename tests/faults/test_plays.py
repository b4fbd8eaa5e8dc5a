"""Plays of the benchmark of testers: right systems never fail, counts come from the seed, the best play is the best."""

from __future__ import annotations

from contextlib import suppress
from fractions import Fraction
from functools import partial
from random import Random

import pytest

from helpers.faults import drawn_system, machine_system, some_mutants
from outplay import GameBuilder, automaton, expected
from outplay.conformance.transition_table import table_of
from outplay.errors import NothingToRun
from outplay.model.kinds import specification
from outplay.model.label import SILENCE
from outplay.tester.tester import Walker

from benchmarks.faults import possible  # isort: skip
from benchmarks.faults.own import ByTester  # isort: skip  (helpers.faults puts it on the path)
from benchmarks.faults.players import Walk  # isort: skip
from benchmarks.faults.playing import RESET, World, play  # isort: skip
from benchmarks.faults.possible import FORBIDDEN, Product, least_expected  # isort: skip
from benchmarks.faults.proof import shortest_forbidden  # isort: skip
from benchmarks.faults.rows import lists_of, of_lists  # isort: skip
from benchmarks.faults.systems import System  # isort: skip
from benchmarks.faults.testers import TESTERS  # isort: skip

HERE = [name for name, tester in TESTERS.items() if tester.is_here() and not tester.machines_only]


@pytest.mark.parametrize("tester", HERE)
def test_a_right_system_is_never_failed(tester: str):
    for seed in range(6):
        system = drawn_system(seed, races=seed % 2 == 1)
        with suppress(NothingToRun):  # some do nothing
            assert TESTERS[tester].run(system, partial(World, system, system.right), f"{seed}", 100).labels is None


@pytest.mark.parametrize("tester", HERE)
def test_counts_come_from_the_seed(tester: str):
    system, run = machine_system(), TESTERS[tester].run
    (_, mutant), *_ = [one for one in some_mutants(system, 1) if one[0] == "another target"]
    wrong = partial(World, system, mutant.rows)
    counts = [[run(system, wrong, f"{seed}", 500).labels for seed in range(3)] for _ in range(2)]
    assert counts[0] == counts[1]
    assert None not in counts[0]


def test_seeds_make_a_difference():
    system = machine_system()
    (_, mutant), *_ = [one for one in some_mutants(system, 1) if one[0] == "another target"]
    wrong = partial(World, system, mutant.rows)
    counts = {TESTERS["uniform 0.0"].run(system, wrong, f"{seed}", 500).labels for seed in range(20)}
    assert len(counts) > 3


@pytest.mark.parametrize("seed", range(30))
def test_the_walk_is_the_one_of_run_move_for_move(seed: int):
    system = drawn_system(seed)
    real = ByTester(specification(system.model), system.table.labels, Walker(Random(seed)))
    ours, world = Walk(system, Random(seed)), World(system, system.right, Random(seed))
    real.begin(), ours.begin()
    for _ in range(300):
        move = ours.move()
        assert move == real.move()
        if move == RESET:
            world.reset(), real.begin(), ours.begin()
            continue
        seen = world.wait() if move < 0 else world.give(move)
        assert seen is not None
        real.saw(seen), ours.saw(seen)


def wrong_systems(seed: int, races: bool) -> list[tuple[System, object]]:
    system = drawn_system(seed, races)
    found = [mutant.rows for _, mutant in some_mutants(system, 1)]
    return [(system, rows) for rows in found if shortest_forbidden(system.table, system.moves, rows)]


@pytest.mark.parametrize("races", [False, True])
@pytest.mark.parametrize("seed", range(12))
def test_the_best_possible_play_is_the_least_expected_cost_of_the_product_game(seed: int, races: bool):
    for system, rows in wrong_systems(seed, races):
        assert least_expected(system, rows, precision=1e-7) == pytest.approx(by_solver(system, rows), rel=1e-3)


def by_solver(system: System, rows: object) -> float:
    """The same by a second method: the product as a game, solved with proven bounds."""
    product, builder = Product(system, rows), GameBuilder()
    for pair, moves in enumerate(product.moves):
        builder.vertex(f"{pair}", "tester")
        for number in range(len(moves)):
            builder.vertex(f"{pair} {number}", "system")
    builder.vertex("found", "tester", goals=["found"])
    for pair, moves in enumerate(product.moves):
        if pair:
            builder.edge(f"{pair}", "0", "reset", cost=1)
        for number, move in enumerate(moves):
            builder.edge(f"{pair}", f"{pair} {number}", f"{number}", cost=1)
            chances: dict[str, Fraction] = {}
            for chance, after in move:
                place = "found" if after == FORBIDDEN else f"{after}"
                chances[place] = chances.get(place, Fraction(0)) + Fraction(chance).limit_denominator(100)
            for place, chance in chances.items():
                builder.edge(f"{pair} {number}", place, place, probability=chance, cost=0)
    return float(expected(builder.build(), "found").value)


@pytest.mark.parametrize("seed", range(30))
def test_no_play_is_shorter_than_the_shortest_trace_and_without_chance_it_is_that(seed: int):
    for system, rows in wrong_systems(seed, False):
        value, length = least_expected(system, rows), shortest_forbidden(system.table, system.moves, rows)
        assert length is not None
        assert value >= length - 1e-3
        if all(len(rows.shown(state)) == 1 for state in range(system.table.state_count)):
            assert value == pytest.approx(length)


def test_labels_inputs_outputs_silences_and_resets_count_one_each():
    system = machine_system()
    world = World(system, system.right, Random(0))
    assert world.wait() == system.table.labels.index(system.table.labels[-1])
    world.give(0), world.wait(), world.reset()
    assert world.labels == 4


class Careless:
    """Gives the first input it can, and never begins again."""

    def __init__(self, system: System) -> None:
        self._system, self._at = system, 0

    def begin(self) -> None:
        self._at = 0

    def move(self) -> int:
        return min((label for label in self._system.moves[self._at] if label < self._system.table.inputs), default=-1)

    def saw(self, label: int) -> None:
        self._at = self._system.moves[self._at][label]


def test_where_inputs_race_an_output_comes_first_half_of_the_time():
    for seed in range(40):
        system = drawn_system(seed, races=True)
        both = [q for q, row in enumerate(system.moves) if len(row) > 1 and min(row) < system.table.inputs]
        if 0 in both and any(label >= system.table.inputs and label != len(system.table.labels) - 1
                             for label in system.moves[0]):  # fmt: skip
            break
    else:
        pytest.fail("no such system was drawn")
    label = min(system.moves[0])
    seen = [World(system, system.right, Random(seed)).give(label) for seed in range(400)]
    assert 140 < seen.count(label) < 260
    assert play(Careless(system), World(system, system.right, Random(0)), 300).labels is None


def test_the_best_possible_play_is_found_where_the_first_pairs_do_not_show_the_fault(monkeypatch):
    steps = [(f"s{n}", "?a", f"s{n + 1}") for n in range(9)]
    table = table_of(automaton([*steps, ("s9", "!x", "s0")]))
    system = System("chain", table, dict)
    given, shown = lists_of(table)
    wrong = of_lists(given, [*shown[:-1], ((table.labels.index(SILENCE), 9),)])
    monkeypatch.setattr(possible, "FIRST_PAIRS", 3)
    assert least_expected(system, wrong) == pytest.approx(10)
    assert least_expected(system, wrong, most=5) == float("inf")
