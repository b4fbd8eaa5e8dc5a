"""What vertices stand for: as the explorer knows it, and read off the edges of the same game without its origin."""

from __future__ import annotations

from dataclasses import replace

import pytest

from helpers.automata import random_automaton
from helpers.seeds import seeds
from outplay import Assumption, GameBuilder, automaton, explore, with_purpose, with_reset
from outplay.game.graph import Game
from outplay.game.roles import Role
from outplay.model.purpose import AutomatonPurpose

CONCURRENT = ["input-eager", "output-eager", "nondeterministic"]


def drawn(seed: int) -> Game:
    return explore(random_automaton(seed, share=(0.2, 0.5)), assumption=CONCURRENT[seed % 3])


def by_hand(game: Game) -> Game:
    """The same game as if it came from a file."""
    return replace(game, known_roles=None, known_origin=None)


def standing(game: Game) -> list[tuple[str, Role, str | None]]:
    """Vertex by vertex its state, its role and the input chosen there."""
    roles = game.roles
    chosen = [None if number < 0 else game.labels[number] for number in roles.choice.tolist()]
    return list(zip(game.state_names, map(Role, roles.role.tolist()), chosen, strict=True))


@seeds(range(60))
def test_what_is_read_off_the_edges_is_what_the_explorer_knows(seed):
    game = drawn(seed)
    assert standing(by_hand(game)) == standing(game)
    resettable = with_reset(game)
    assert standing(by_hand(resettable)) == standing(resettable)


@pytest.mark.parametrize("assumption", [one.value for one in Assumption])
@pytest.mark.parametrize("seed", range(20))
def test_names_of_explored_vertices_say_state_and_role(seed, assumption):
    game = explore(drawn(seed).origin.specification.automaton, assumption=assumption)
    words = {Role.STATE: "", Role.ACTIVE: " active", Role.WAITING: " wait"}
    for name, (state, role, chosen) in zip(game.names, standing(game), strict=True):
        assert name == state + words.get(role, f" {chosen}")
        assert (role == Role.CHOICE) == (chosen is not None)


@pytest.mark.parametrize("assumption", ["nondeterministic", "timeout-always"])
def test_beside_a_purpose_vertices_stand_for_what_they_stood_for(assumption):
    game = explore(
        automaton([("q", "?a", "r"), ("q", "!x", "q"), ("r", "!y", "q"), ("r", "?b", "r")]), assumption=assumption
    )
    purpose = AutomatonPurpose(automaton([("0", "!x", "1"), ("1", "delta", "2"), ("2", "!y", "accept")]))
    product = with_purpose(with_reset(game), purpose)
    base, product_standing = with_reset(game), standing(product)
    known = dict(zip(base.names, standing(base), strict=True))
    for vertex, name in enumerate(product.names):
        own, place = name.rsplit(" | ", 1)
        assert product_standing[vertex] == known[own]
        state = int(product.roles.state[vertex])
        assert product.names[state].endswith(f" | {place}")
        assert product.state_names[state] == product.state_names[vertex]
        assert product.origin.describe(state) == f"at {known[own][0]}, purpose at {place}"


def test_decisions_may_follow_one_another():
    builder = GameBuilder().vertex("s", "tester").vertex("d", "tester").vertex("c", "system").vertex("w", "system")
    builder.edge("s", "d", moves=0).edge("d", "c", moves=0).edge("d", "w", moves=0)
    game = builder.edge("c", "s", "!x").edge("c", "s", "?go").edge("w", "s", "!x").build()
    assert standing(game) == [
        ("s", Role.STATE, None), ("s", Role.WAITING, None), ("s", Role.CHOICE, "?go"), ("s", Role.WAITING, None),
    ]  # fmt: skip


def test_an_edge_of_the_tester_stands_for_its_own_input_or_the_one_chosen_behind_it():
    builder = GameBuilder().vertex("s", "tester").vertex("c", "system").vertex("w", "system")
    builder.edge("s", "s", "?own").edge("s", "c", moves=0).edge("s", "w", "wait", moves=0)
    game = builder.edge("c", "s", "!x").edge("c", "s", "?go").edge("w", "s", "!x").build()
    assert [game.input_of(edge) for edge in game.edges_of(0)] == ["?own", "?go", None]


def test_every_game_has_an_origin():
    game = GameBuilder().vertex("s", "tester").vertex("t", "tester").edge("s", "t", "?a").build()
    origin = game.origin
    assert (origin.states, origin.complete, origin.approximate, origin.explored) == (2, True, False, False)
    assert (origin.vertex(1), origin.describe(1), game.about(1)) == (1, "at t", "")
    assert origin.specification.initial == (0,)
