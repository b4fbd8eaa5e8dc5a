"""The tester that plays for coverage covers what can be covered, of models of every kind, live."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from helpers.coverage import figure_3
from helpers.places import EXAMPLES
from outplay import GameBuilder, Model, automaton, controllable, explore, observable, run
from outplay.game.exploring.breadth_first import Limits
from outplay.game.reset import with_reset
from outplay.model.machine import Machine
from outplay.model.programs.load import load_program
from outplay.play.adapters.line_system import Resetting
from outplay.play.adapters.simulated import Simulated
from outplay.play.plan import PATIENCE, Plan, plan
from outplay.strategy.coverage.guarantee import cover_nodes
from outplay.strategy.coverage.items import Sightings, items_to_cover
from outplay.strategy.coverage.replanning import Replanning
from outplay.strategy.opponent import WitnessOpponent
from outplay.tester.coverage_tester import CoverageTester


def covering(game: Any, kind: str = "states", seed: int = 0) -> tuple[Plan, Sightings]:
    sightings = Sightings(items_to_cover(game, kind))
    tester = CoverageTester(sightings, Random(seed), Replanning(sightings), patience=PATIENCE)
    return Plan(game.origin.specification, tester), sightings


class Lift(Model):
    """It goes up and down; a door may open by itself."""

    floor: int = 0
    open: bool = False

    @controllable
    def call(self):
        self.floor = (self.floor + 1) % 4
        return None if not self.open else False

    @observable
    def opens(self):
        self.open = True
        return None if self.floor == 3 else False

    @observable
    def closes(self):
        was, self.open = self.open, False
        return None if was else False


AUTOMATON = ("s ?a t", "s ?b u", "t !x s", "t !y u", "u !x u", "u ?a s", "u ?b v", "v !y s")


@pytest.mark.parametrize("kind", ["states", "transitions", "labels"])
@pytest.mark.parametrize("assumption", ["nondeterministic", "input-eager", "output-eager"])
def test_an_automaton_is_covered_as_far_as_its_game_goes(kind: str, assumption: str):
    game = explore(automaton([line.split() for line in AUTOMATON]), assumption=assumption)
    chosen, sightings = covering(game, kind)
    outcome = run(chosen, Simulated(game.origin.specification, Random(1)), plays=60, steps=40)
    assert outcome.verdict.name == "pass"
    assert sightings.count == sightings.items.count


@pytest.mark.parametrize("kind", ["states", "transitions"])
def test_a_model_program_is_covered(kind: str):
    game = explore(Lift)
    chosen, sightings = covering(game, kind)
    run(chosen, Simulated(game.origin.specification, Random(2)), plays=30, steps=60)
    assert sightings.count == sightings.items.count > 4


def test_a_walk_of_as_many_steps_sees_less_of_the_chat():
    game = explore(load_program(str(EXAMPLES / "coverage" / "chat.py:Chat"), []), assumption="timeout")
    spec, walked = game.origin.specification, 0
    for seed in range(3):
        chosen, sightings = covering(game, seed=seed)
        steps = run(chosen, Simulated(spec, Random(seed)), plays=1, steps=1000).tally.steps
        assert sightings.count == 65
        walk = run(plan(spec, seed=seed), Simulated(spec, Random(seed)), plays=1, steps=steps)
        walked += len(walk.tally.states)
    assert walked < 3 * 65


def test_a_machine_is_covered():
    steps = ((0, "a", "x", 1), (0, "b", "y", 0), (1, "a", "y", 0), (1, "b", "x", 1), (1, "b", "y", 0))
    game = explore(Machine(("s", "t"), steps))
    chosen, sightings = covering(game, "transitions")
    run(chosen, Simulated(game.origin.specification, Random(2)), plays=20, steps=40)
    assert sightings.count == sightings.items.count > 5


def test_the_tester_stops_when_nothing_new_can_come():
    builder = GameBuilder().vertex("s", "tester").vertex("a", "tester").vertex("b", "tester")
    game = builder.edge("s", "a", "?a").edge("s", "b", "?b").build()
    chosen, sightings = covering(game)
    outcome = run(chosen, Simulated(game, Random(0)), plays=5, steps=9)
    assert sightings.count == 3
    assert outcome.tally.inputs == 2  # one play to each, and none after that


def test_with_a_reset_as_a_move_one_play_is_enough():
    builder = GameBuilder().vertex("s", "tester").vertex("a", "tester").vertex("b", "tester")
    game = with_reset(builder.edge("s", "a", "?a").edge("s", "b", "?b").build())
    chosen, sightings = covering(game)
    run(chosen, Resetting(Simulated(game, Random(0))), plays=1, steps=9)
    assert sightings.count == 3


def test_outside_of_what_was_explored_it_walks_on():
    program = load_program(str(EXAMPLES / "coverage" / "chat.py:Chat"), [])
    game = explore(program, assumption="timeout", limits=Limits(states=12))
    assert not game.origin.complete
    chosen, sightings = covering(game)
    outcome = run(chosen, Simulated(game.origin.specification, Random(0)), plays=20, steps=60)
    assert outcome.verdict.name == "pass"
    assert sightings.count == sightings.items.count
    assert len(outcome.tally.states) > sightings.items.count


def labelled_figure_3() -> Any:
    builder = GameBuilder()
    for name in ("v0", "v1", "v2"):
        builder.vertex(name, "tester")
    builder.vertex("v3", "system")
    for source, target, label in (("v0", "v1", "?l"), ("v0", "v2", "?r"), ("v1", "v3", "?go"), ("v2", "v3", "?go")):
        builder.edge(source, target, label)
    return builder.edge("v3", "v1", "!l").edge("v3", "v2", "!r").build()


def test_against_the_witness_one_play_gets_the_guarantee():
    game = labelled_figure_3()
    found = cover_nodes(game)
    assert found.value == cover_nodes(figure_3()).value == 3
    chosen, sightings = covering(game)
    run(chosen, Simulated(game, adversarial=WitnessOpponent(found)), plays=1, steps=60)
    assert sightings.count == 3


def test_the_first_plan_is_made_before_the_system_is_started(monkeypatch):
    """Finding it may take a while, also because kernels are loaded, and a system that waits meanwhile may speak."""
    made: list[str] = []
    improve, reset = Replanning.plan, Simulated.reset
    monkeypatch.setattr(Replanning, "plan", lambda strategy: (made.append("plan"), improve(strategy))[1])
    monkeypatch.setattr(Simulated, "reset", lambda system: (made.append("reset"), reset(system))[1])
    chosen, _ = covering(explore(automaton([line.split() for line in AUTOMATON])))
    system = Simulated(chosen.specification, Random(0))
    made.clear()
    run(chosen, system, plays=1, steps=5)
    assert made[:2] == ["plan", "reset"]
