"""Games with a reset, against the concurrent game of 004 (Definition 5.13); and stopping, which changes nothing."""

from __future__ import annotations

import random
from fractions import Fraction
from functools import partial
from random import Random

import numpy as np
import pytest

from helpers.arena import executed
from helpers.automata import random_automaton
from helpers.seeds import seeds
from outplay import Game, GameBuilder, Model, Simulated, automaton, explore, run, win
from outplay.errors import UsageError
from outplay.game.builder import game_from_arrays
from outplay.game.exact_numbers import exact_column_of
from outplay.game.graph import SYSTEM, TESTER
from outplay.game.reset import ResettableSpecification, with_reset
from outplay.model.label import Label
from outplay.model.programs.actions import controllable, observable
from outplay.model.suspension import SuspensionAutomaton
from outplay.play.adapters.line_system import Resetting

ASSUMPTIONS = ("input-eager", "output-eager", "nondeterministic")

drawn = partial(random_automaton, least=2, share=(0.3, 0.5), silence=0.3)


def values(spec: SuspensionAutomaton, count: int, goal: int, assumption: str, reset: Fraction) -> list[Fraction | None]:
    """The least worst cost in the concurrent game: each label costs 1, a reset what it is said to."""
    known: list[Fraction | None] = [Fraction(0) if state == goal else None for state in range(count)]
    for _ in range(2 * count + 2):
        before = list(known)
        for state in set(range(count)) - {goal}:
            moves = spec.moves(state)
            shown = [label for label in moves if not label.is_input]
            offers = [] if before[0] is None else [reset + before[0]]
            for given in [None, *spec.inputs(state)]:
                carried = {label for x in shown for label in executed(assumption, given, x)}
                after = [before[moves[label]] for label in carried]
                if None not in after:
                    offers.append(1 + max(after))
            known[state] = min(offers, default=None)
    return known


@pytest.mark.parametrize("assumption", ASSUMPTIONS)
@seeds(range(100))
def test_values_with_a_reset_are_those_of_the_concurrent_game(seed, assumption):
    game = explore(drawn(seed), assumption=assumption)
    cost = random.Random(seed).choice([Fraction(0), Fraction(1), Fraction(5, 2), Fraction(10)])
    resettable = with_reset(game, cost=cost)
    spec, count = game.origin.specification, game.origin.states
    for goal in range(count):
        found = win(resettable, game.names[goal]).solution.values()[:count]
        assert found == values(spec, count, goal, assumption, cost)


@pytest.mark.parametrize("assumption", [*ASSUMPTIONS, "timeout", "timeout-always"])
@pytest.mark.parametrize("seed", range(30))
def test_every_state_gets_one_reset_and_only_the_system_answers_behind_waiting(seed, assumption):
    game = explore(drawn(seed), assumption=assumption)
    resettable = with_reset(game, cost=3)
    states = np.flatnonzero(game.is_state).tolist()
    resets = [e for e in range(resettable.edge_count) if resettable.label_of(e) == "?reset"]
    assert sorted(resettable.source[resets].tolist()) == states
    assert set(resettable.target[resets].tolist()) == {game.initial}
    assert all(resettable.cost[edge] == 3 and resettable.moves[edge] == 1 for edge in resets)
    assert all(resettable.owner[vertex] == TESTER for vertex in states)
    for vertex in range(game.vertex_count, resettable.vertex_count):
        assert resettable.owner[vertex] == SYSTEM
        assert resettable.names[vertex].endswith(" wait")
    # Apart from that, what is possible stays as it was.
    old = sorted(edge_of(game, edge) for edge in range(game.edge_count))
    kept = [e for e in range(resettable.edge_count) if e not in resets]
    new = [edge_of(resettable, edge) for edge in kept if resettable.target[edge] < game.vertex_count]
    assert sorted(new) == old


def edge_of(game: Game, edge: int) -> tuple[str, str, str, int]:
    source = game.names[game.source[edge]].removesuffix(" wait")
    return source, game.label_of(edge), game.names[game.target[edge]], int(game.moves[edge])


def test_probabilities_gains_and_goals_stay():
    builder = GameBuilder().vertex("s", "system", gain=7).vertex("g", "tester", goals=["done"], gain=2)
    builder.edge("s", "g", "!x", probability="1/3", cost=4).edge("s", "s", "!y", probability="2/3")
    game = with_reset(builder.build(), cost="1/2")
    assert list(game.names) == ["s", "g", "s wait"]
    assert [str(game.probability[edge]) for edge in game.edges_of(2)] == ["1/3", "2/3"]
    assert [game.cost[edge] for edge in game.edges_of(2)] == [4, 1]
    assert [game.cost[edge] for edge in game.edges_of(0)] == [0, Fraction(1, 2)]
    assert [game.label_of(edge) for edge in game.edges_of(0)] == ["wait", "?reset"]
    assert [game.gain[vertex] for vertex in range(3)] == [7, 2, 0]
    assert game.goals["done"].tolist() == [1]


def test_a_label_that_is_there_already_is_refused():
    game = GameBuilder().vertex("s", "tester").edge("s", "s", "?reset").build()
    with pytest.raises(UsageError, match=r"has a label '\?reset' already"):
        with_reset(game)
    assert "?again" in with_reset(game, label="?again").labels


def test_a_vertex_that_is_called_like_a_waiting_one_keeps_its_name():
    builder = GameBuilder().vertex("c", "system").vertex("c wait", "system").vertex("c wait'", "tester")
    builder.edge("c", "c wait", "!x").edge("c wait", "c wait'", "!y")
    game = with_reset(builder.build())
    assert list(game.names) == ["c", "c wait", "c wait'", "c wait''", "c wait wait"]


def test_edges_keep_their_names_and_resets_get_new_ones():
    builder = GameBuilder().vertex("t", "tester").vertex("s", "system")
    game = builder.edge("s", "t", "!x", name="t ?reset").edge("t", "s", "?a", name="given").edge("s", "s", "!y").build()
    named = with_reset(game)
    shown = {name: (named.names[named.source[e]], named.label_of(e)) for e, name in enumerate(named.edge_names)}
    assert shown == {
        "given": ("t", "?a"),
        "t ?reset": ("s wait", "!x"),
        "e2": ("s wait", "!y"),
        "s wait": ("s", "wait"),
        "t ?reset'": ("t", "?reset"),
        "s ?reset": ("s", "?reset"),
    }


@pytest.mark.parametrize("seed", range(30))
def test_every_old_edge_is_found_under_its_old_name(seed):
    game = explore(drawn(seed))
    resettable = with_reset(game)
    new = {name: edge for edge, name in enumerate(resettable.edge_names)}
    assert len(new) == resettable.edge_count
    for edge, name in enumerate(game.edge_names):
        assert edge_of(resettable, new[name]) == edge_of(game, edge)


def test_the_initial_vertex_is_a_state_also_where_only_decisions_lead_to_it():
    builder = GameBuilder().vertex("c", "system").vertex("s", "tester").vertex("d", "system")
    builder.edge("c", "s", "?a").edge("s", "c", moves=0).edge("s", "d", moves=0).edge("d", "s", "?b")
    assert builder.build().is_state.tolist() == [True, True, False]


@seeds(range(60))
def test_from_the_start_a_sure_win_never_needs_the_reset(seed):
    game = explore(drawn(seed))
    for goal in range(game.origin.states):
        name = game.names[goal]
        assert win(with_reset(game), name).value == win(game, name).value


def with_stop(game: Game) -> Game:
    """Definition 5.11 in full: every vertex of the tester has an edge to a sink that is never left."""
    own = np.flatnonzero(game.owner == TESTER)
    sink = game.vertex_count
    more = len(own) + 1
    return game_from_arrays(
        owner=[*game.owner.tolist(), TESTER],
        source=[*game.source.tolist(), *own.tolist(), sink],
        target=[*game.target.tolist(), *[sink] * more],
        cost=exact_column_of([*(game.cost[edge] for edge in range(game.edge_count)), *[1] * more]),
    )


@seeds(range(60))
def test_stopping_changes_no_value(seed):
    game = explore(drawn(seed))
    stoppable = with_stop(game)
    for goal in range(game.origin.states):
        values = win(game, game.names[goal]).solution.values()
        assert win(stoppable, f"v{goal}").solution.values() == [*values, None]


TRY = automaton([("s", "?try", "w"), ("w", "!yes", "done"), ("w", "!no", "stuck")])


def test_a_play_resets_and_goes_on_until_the_goal():
    game = with_reset(explore(TRY))
    result = win(game, "done")
    spec = game.origin.specification
    assert isinstance(spec, ResettableSpecification)
    seen = set()
    for seed in range(20):
        system = Resetting(Simulated(SuspensionAutomaton(TRY), Random(seed)))
        outcome = run(result, system, plays=1, steps=200)
        assert outcome.verdict.name == "pass"
        assert outcome.verdict.reached == 1
        seen.add(sum(event.label == Label.parse("?reset") for event in outcome.trace.events))
    assert {0, 1} < seen


def test_a_system_that_goes_on_after_a_reset_as_if_nothing_had_happened_fails():
    game = with_reset(explore(TRY))
    deaf = SuspensionAutomaton(automaton([("s", "?try", "w"), ("w", "!no", "stuck"), ("stuck", "?reset", "stuck")]))
    outcome = run(win(game, "done"), Simulated(deaf, Random(0)), plays=1, steps=50)
    assert outcome.verdict.name == "fail"
    assert outcome.verdict.states == ("at w",)


class Once(Model):
    """A model program whose second try is lost."""

    tried: bool = False
    good: bool = False

    @controllable
    def attempt(self):
        if self.tried:
            return False
        self.tried = True

    @observable
    def yes(self):
        if not self.tried or self.good:
            return False
        self.good = True

    @observable
    def no(self):
        if not self.tried or self.good:
            return False


def test_a_model_program_can_be_reset_too():
    game = with_reset(explore(Once, assumption="input-eager"))
    spec = game.origin.specification
    start = spec.initial[0]
    tried = spec.after(start, Label.parse("?attempt"))[0]
    assert Label.parse("?reset") in spec.inputs(tried)
    assert spec.after(tried, Label.parse("?reset")) == spec.initial
    assert set(spec.outputs(tried)) == {Label.parse("!yes"), Label.parse("!no")}
    assert not spec.quiet(tried)
    assert spec.is_state("s0")
    assert spec.holds("s0", start)
    assert spec.weight(tried, Label.parse("!yes")) == 1.0
    assert "tried" in spec.describe(tried)
    assert game.origin.vertex(tried) == tried
