# an action that does not return False is enabled

"""What is played against a simulation is the game that was solved: means of plays against forecasts, by chance."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from random import Random
from statistics import fmean, stdev

import pytest

from helpers.automata import random_automaton
from outplay import Answer, Game, GameBuilder, Model, controllable, expected, explore, given, observable, run
from outplay.formats.games.game_json import parse_game, write
from outplay.game.assumption import Assumption
from outplay.model.label import Label
from outplay.play.adapters.simulated import Simulated
from outplay.play.audit import audit
from outplay.play.plan import plan
from outplay.play.timing import Timing
from outplay.strategy.opponent import goal_opponent

PLAYS = 50


def drawn_program(seed: int) -> type[Model]:
    """A random model program with weights, one of whose outputs may stay away for ever."""
    rng = Random(f"weighted {seed}")
    states = rng.randint(3, 6)
    ways = {(at, way): rng.randrange(states) for at in range(states) for way in "abxyz" if rng.random() < 0.45}
    weight = {place: rng.choice((1, 1, 2, 5)) for place in ways}

    class Drawn(Model):
        at: int = 0

        @controllable
        @given(way=("a", "b"))
        def ask(self, way):
            if (self.at, way) not in ways:
                return False
            self.at = ways[self.at, way]

        @observable(weight=lambda model, way: weight[model.at, way])
        @given(way=("x", "y"))
        def say(self, way):
            if (self.at, way) not in ways:
                return False
            self.at = ways[self.at, way]

        @observable(optional=True, weight=2)
        def hint(self):
            if (self.at, "z") not in ways:
                return False
            self.at = ways[self.at, "z"]

    return Drawn


def drawn_games(assumption: str) -> Iterator[tuple[int, Game]]:
    """Programs, automata with silences and internal choices, and both read back from a file of a game."""
    for seed in range(10_000):
        model = (
            drawn_program(seed)
            if seed % 2
            else random_automaton(f"simulated {seed}", least=3, copies=2, silence=0.3, stays=True)
        )
        game = explore(model, assumption=assumption)
        if seed % 4 > 1:
            game = parse_game("".join(write(game)))
        yield seed, game


def errors_off(answer: Answer, game: Game, seed: int, assumption: str, plays: int) -> float:
    """By how many standard errors the mean of plays is above what was forecast."""
    how = {"plays": plays, "steps": 2_000, "assumption": assumption, "timing": Timing(settle=0)}
    result = run(plan(answer), Simulated(game, Random(f"{seed} chance")), **how)
    moves = [one.arrived for one in result.played]
    assert result.passed, f"seed {seed}: {result.verdict}"
    assert None not in moves, f"seed {seed}"
    assert result.audit.held, f"seed {seed}: {result.audit.lines()}"
    error = max(stdev(moves) / plays**0.5, 1e-6 * float(answer.value))
    return (fmean(moves) - float(answer.value)) / error


@pytest.mark.parametrize("games", [12, pytest.param(50, marks=pytest.mark.long)])
@pytest.mark.parametrize("assumption", [each.value for each in Assumption])
def test_the_mean_of_plays_is_what_was_expected_within_three_standard_errors(assumption: str, games: int):
    compared, drift = 0, 0.0
    for seed, game in drawn_games(assumption):
        goal = Random(seed).choice([name for name in map(str, game.names) if " " not in name])
        answer = expected(game, goal)
        if answer.value is None or not 1 < answer.value < 10:
            continue
        far = errors_off(answer, game, seed, assumption, PLAYS)
        drift += far**2
        if abs(far) > 3:  # of so many games, some are by chance; what is wrong stays as far off, in ever more errors
            far = errors_off(answer, game, seed, assumption, 16 * PLAYS)
        assert abs(far) <= 3, f"seed {seed}: {answer.value} is off by {far} standard errors"
        compared += 1
        if compared == games:
            break
    assert compared == games
    assert drift / games < 1.7, "by chance some are nearer than one standard error, and some further off"


def test_the_chances_of_a_game_graph_are_kept_where_they_differ_by_the_input():
    """A choice behind one input that the system rarely leaves alone, behind another one that it often does."""
    builder = GameBuilder().vertex("s", "tester").vertex("done", "tester", goals=["done"])
    for label, chance in (("?a", Fraction(1, 10)), ("?b", Fraction(1, 2))):
        builder.vertex(f"s {label}", "system").edge("s", f"s {label}", "", moves=0, cost=0)
        builder.edge(f"s {label}", "done", label, probability=chance)
        builder.edge(f"s {label}", "s", "!x", probability=1 - chance)
    game = builder.build("s")
    first = {}
    for text in ("?a", "?b"):
        systems = (Simulated(game, Random(seed)) for seed in range(1_000))
        first[text] = sum(not system.forestalls(Label.parse(text)) for system in systems) / 1_000
    assert first["?a"] == pytest.approx(0.1, abs=0.03)
    assert first["?b"] == pytest.approx(0.5, abs=0.05)
    assert expected(game, "done").value == pytest.approx(2)


def test_an_adverse_simulation_keeps_the_assumption_too():
    compared = 0
    for seed in range(60):
        game = explore(drawn_program(seed), assumption="input-eager")
        goal = Random(seed).choice([name for name in map(str, game.names) if " " not in name])
        answer = expected(game, goal)
        if answer.value is None or answer.value < 1:
            continue
        spec = game.origin.specification
        system = Simulated(spec, Random(seed), adversarial=goal_opponent(answer), assumption="input-eager")
        chosen = plan(answer)
        outcome = run(chosen, system, plays=3, steps=30)
        assert audit(chosen.specification, outcome.trace, "input-eager", tester=chosen.tester).held
        compared += 1
    assert compared > 15
