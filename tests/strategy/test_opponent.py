"""The witness as a system to play against: it concedes the guarantee and no more, in plays like any other."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from random import Random

import pytest

from helpers.coverage import draw_field
from helpers.places import EXAMPLES
from outplay import Game, Simulated, explore, run
from outplay.errors import NothingToRun
from outplay.game.reset import with_reset
from outplay.model.programs.load import load_program
from outplay.play.adapters.line_system import Resetting
from outplay.play.plan import Plan
from outplay.strategy.coverage.guarantee import Coverage, cover_nodes
from outplay.strategy.opponent import WitnessOpponent
from outplay.tester.tester import Walker


class Noting(WitnessOpponent):
    """Notes which vertices a play comes to."""

    def __init__(self, found: Coverage) -> None:
        super().__init__(found)
        self.seen: set[int] = set()
        self._game = found.game

    def moved(self, state: object) -> None:
        super().moved(state)
        vertex = self._game.origin.vertex(state)
        assert vertex is not None
        self.seen.add(vertex)


def labelled(game: Game) -> Game:
    """Give every edge a label of its own, of the side that moves."""
    marks = ["!" if game.owner[vertex] else "?" for vertex in game.source.tolist()]
    labels = tuple(f"{mark}{edge}" for edge, mark in enumerate(marks))
    return replace(game, label=game.label * 0 + range(game.edge_count), labels=labels)


def benchmark(name: str, *constants: str) -> Game:
    return explore(load_program(str(EXAMPLES / "coverage" / name), list(constants)), assumption="timeout")


def conceded(answer: Coverage, what: object, plays: int = 1) -> set[int]:
    """What a system that plays the witness shows."""
    opponent = Noting(answer)
    system = Simulated(answer.game.origin.specification, Random(0), adversarial=opponent)
    with suppress(NothingToRun):  # where nothing leads on, what is shown is the start
        assert run(what, Resetting(system), plays=plays, steps=300).verdict.name == "pass"
    return opponent.seen


@pytest.mark.parametrize("seed", range(25))
def test_the_witness_concedes_the_guarantee_in_a_play(seed: int):
    field = draw_field(f"opponent {seed}", most=8)
    answer = cover_nodes(labelled(field.game()))
    assert field.gain(frozenset(conceded(answer, answer))) == answer.value


@pytest.mark.parametrize("seed", range(25))
def test_with_a_reset_in_the_middle_of_a_play_too(seed: int):
    field = draw_field(f"opponent with reset {seed}", most=7)
    answer = cover_nodes(with_reset(labelled(field.game())))
    assert field.gain(frozenset(conceded(answer, answer))) == answer.value


@pytest.mark.parametrize("seed", range(25))
def test_a_walk_does_not_get_more_out_of_it(seed: int):
    field = draw_field(f"walk {seed}", most=8)
    answer = cover_nodes(labelled(field.game()))
    walk = Plan(answer.game.origin.specification, Walker(Random(seed)))
    assert field.gain(frozenset(conceded(answer, walk))) <= answer.value


@pytest.mark.parametrize(
    ("name", "constants", "sure"),
    [("multiset.py:Multiset", ["threads=3"], 10), ("inventory.py:Inventory", ["clients=2"], 10)],
)
def test_the_benchmark_models_show_their_guarantee_and_no_more(name: str, constants: list[str], sure: int):
    answer = cover_nodes(benchmark(name, *constants))
    assert len(conceded(answer, answer)) == sure


def test_what_one_play_has_visited_the_next_need_not_visit_again():
    answer = cover_nodes(benchmark("multiset.py:Multiset", "threads=2"))
    outcome = run(answer, Simulated(answer.game, Random(0)), plays=60, steps=6)
    assert len(outcome.tally.states) == 19
    assert outcome.tally.steps < 330  # of 360: in the last plays there is often nothing left to do
