"""Mutants that are followed along one play are found as if each were played by itself, by every tester."""

from __future__ import annotations

from functools import partial
from random import Random

import pytest

from helpers.faults import ring_machine, some_mutants

from benchmarks.faults.alongside import Along, WorldAlong  # isort: skip  (helpers.faults puts it on the path)
from benchmarks.faults.least_by_order import least_by_order  # isort: skip
from benchmarks.faults.mutants import Mutant  # isort: skip
from benchmarks.faults.playing import World  # isort: skip
from benchmarks.faults.systems import DATA, SYSTEMS, System  # isort: skip
from benchmarks.faults.testers import TESTERS  # isort: skip

LIMIT = 400
HERE = [name for name, tester in TESTERS.items() if tester.is_here() and not tester.machines_only]


def both_ways(
    tester: str, system: System, mutants: list[Mutant], seed: int, limit: int
) -> tuple[list[int | None], ...]:
    """After how many labels a tester finds each mutant: along one play, and each by itself."""
    run, along = TESTERS[tester].run, Along(system, mutants)
    run(system, partial(WorldAlong, system, along), f"{seed}", limit)
    worlds = [partial(World, system, mutant.rows) for mutant in mutants]
    return along.found, [run(system, world, f"{seed}", limit).labels for world in worlds]


@pytest.mark.parametrize("tester", HERE)
@pytest.mark.parametrize("seed", range(6))
def test_mutants_along_a_play_are_found_as_by_themselves(tester: str, seed: int):
    system = ring_machine(seed)
    mutants = [mutant for _, mutant in some_mutants(system, 4)]
    together, alone = both_ways(tester, system, mutants, seed, LIMIT)
    assert together == alone
    assert any(alone)


@pytest.mark.skipif(not DATA.exists(), reason="the folder shared/data is not here")
@pytest.mark.skipif(not TESTERS["random Wp"].is_here(), reason="AALpy is not installed")
def test_so_does_a_tester_that_listens_for_more_than_one_answer():
    system = SYSTEMS["mqtt"]()
    mutants = [mutant for _, mutant in some_mutants(system, 5)]
    together, alone = both_ways("random Wp", system, mutants, 0, 2_000)
    assert together == alone
    assert any(alone)


@pytest.mark.parametrize("seed", range(12))
def test_no_tester_beats_the_bound_for_all_questions(seed: int):
    system = ring_machine(seed)
    questions = [
        (state, label) for state, row in enumerate(system.moves) for label in row if label < system.table.inputs
    ]
    bound = least_by_order(system, limit=LIMIT)
    assert bound > len(questions)  # two labels each, so as many on average, and one more
    for tester in HERE:
        asked: dict[tuple[int, int], int] = {}
        world = Noting(system, asked)
        TESTERS[tester].run(system, lambda rng, world=world: world.anew(), f"{seed}", LIMIT)
        assert sum(asked.get(one, LIMIT) for one in questions) / len(questions) >= bound


class Noting(World):
    """Notes when each question has its answer for the first time; labels go on over all plays."""

    def __init__(self, system: System, asked: dict[tuple[int, int], int]) -> None:
        super().__init__(system, system.right, Random(0))
        self._asked, self._question = asked, None
        self._begun = False

    def anew(self) -> World:
        if self._begun:
            self.reset()
        self._begun = True
        return self

    def give(self, label: int) -> int | None:
        self._question = (self.at, label)
        return super().give(label)

    def wait(self) -> int | None:
        seen = super().wait()
        if self._question is not None:
            self._asked.setdefault(self._question, self.labels)
            self._question = None
        return seen
