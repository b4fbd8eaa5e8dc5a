"""The forecast of every target of explored models equals what the solvers of one target say, under every assumption."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from helpers.automata import random_automaton
from outplay import Assumption, Game, automaton, explore
from outplay.game.goals.goal import NamedSet
from outplay.game.goals.splitting import Transitions
from outplay.game.goals.target import Target, find_target
from outplay.model.programs.load import load_program
from outplay.strategy.bounded import bounded
from outplay.strategy.expected import expected
from outplay.strategy.forecast.entries import Entry
from outplay.strategy.forecast.forecast import forecast
from outplay.strategy.forecast.listed_goals import listed_by_name
from outplay.strategy.jokers.joker import joker
from outplay.strategy.win import win

RULES = [rule for rule in Assumption if rule is not Assumption.INPUT_FAIR]
STEPS = 6
drawn = partial(
    random_automaton, least=3, most=6, labels=("?a", "?b", "!x", "!y", "!z"), share=0.5, silence=0.2, stays=True
)


def single(game: Game, entry: Entry) -> Target:
    """The entry's target on its own: by name, or for a transition on the game with all of them split."""
    if entry.kind != "transition":
        return find_target(game, [entry.name])
    table, (goal,) = listed_by_name(game, [entry.name])
    return Target(NamedSet(entry.name), table.split, goal.vertices)


def check(game: Game) -> list[Entry]:
    seen = forecast(game, steps=STEPS)
    for entry in seen.entries:
        target = single(game, entry)
        worst, jokers = win(target.game, target).value, joker(target.game, target)
        assert (entry.forced and entry.forced.cost) == worst, entry
        if entry.forced:
            moves = entry.forced.moves
            assert bounded(target.game, target, moves).value == (1, worst), entry
            assert moves == 0 or bounded(target.game, target, moves - 1).value != (1, worst), entry
        found = int(jokers.solution.jokers[target.game.initial])
        assert (-1 if entry.jokers is None else entry.jokers) == found, entry
        assert entry.impossible == (found < 0)
        assert entry.probability == pytest.approx(
            float(bounded(target.game, target, STEPS).value.probability), abs=1e-12
        )
        least = expected(target.game, target).value
        assert (entry.expected_cost is None) == (least is None), entry
        if least is not None:
            assert entry.expected_cost == pytest.approx(least, rel=3e-6, abs=1e-12), entry
    return list(seen.entries)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.value)
@pytest.mark.parametrize("number", range(2))
def test_every_figure_is_that_of_the_solver_of_one_target(rule, number):
    found = [p for seed in range(3) for p in check(explore(drawn((number, seed)), assumption=rule))]
    assert {entry.kind for entry in found} == {"label", "state", "transition"}
    assert sum(bool(entry.jokers) for entry in found) > 10


@pytest.mark.long
@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.value)
@pytest.mark.parametrize("number", range(100, 140))
def test_every_figure_of_hundreds_of_games_is_that_of_the_solver_of_one_target(rule, number):
    for seed in range(5):
        check(explore(drawn((number, seed)), assumption=rule))


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.value)
def test_the_figures_of_a_model_program_with_costs_and_weights(rule, tmp_path):
    path = tmp_path / "costly.py"
    path.write_text(COSTLY)
    assert len(check(explore(load_program(f"{path}:Costly"), assumption=rule))) > 20


COSTLY = """
from outplay import Model, controllable, given, goal, observable

class Costly(Model):
    place: int = 0
    busy: bool = False

    @controllable(cost=3)
    def jump(self):
        if self.busy or self.place > 1:
            return False
        self.place += 2

    @controllable
    @given(by=(1, 2))
    def walk(self, by):
        if self.busy or self.place + by > 3:
            return False
        self.place, self.busy = self.place + by, True

    @observable(weight=3, cost="1/2")
    def arrived(self):
        if not self.busy:
            return False
        self.busy = False

    @observable
    def slipped(self):
        if not self.busy:
            return False
        self.place, self.busy = 0, False

    @goal
    def top(self):
        return self.place == 3 and not self.busy
"""


def test_a_transition_of_the_model_is_one_target_wherever_its_edges_are():
    model = automaton([("s", "?a", "t"), ("s", "?b", "s"), ("s", "!x", "t"), ("t", "!x", "s")])
    game = explore(model)
    table = Transitions(game)
    assert sorted(table.names) == ["s --!x--> t", "s --?a--> t", "s --?b--> s", "t --!x--> s"]
    on = [
        int(np.sum(table.of_edge == table.names.index(name))) for name in ("s --!x--> t", "s --?a--> t", "t --!x--> s")
    ]
    assert on == [3, 1, 1]  # after ?a, after ?b and after waiting; after ?a alone; once
