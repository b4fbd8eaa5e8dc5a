"""Transitions with vertices of their own: which edges are one, and a game that is the same but for these."""

from __future__ import annotations

from functools import partial

import numpy as np

from helpers.automata import random_automaton
from helpers.games import draw
from helpers.seeds import seeds
from outplay import Game, automaton, explore, win
from outplay.game.assumption import Assumption
from outplay.game.goals.product import with_purpose
from outplay.game.goals.splitting import Transitions, split_transitions
from outplay.game.roles import Role
from outplay.model.purpose import AutomatonPurpose
from outplay.strategy.bounded import bounded

drawn = partial(random_automaton, least=2, most=5, share=0.6, silence=0.3, internal=0.2)
RULES = list(Assumption)


def explored(seed: int) -> Game:
    """A game of an automaton, or a drawn one with a purpose beside it, where a label may lead to several vertices."""
    if seed % 4 == 0:
        plain = draw(("split", seed), least=3, labels=("!x", "!x", "?a"))
        return with_purpose(plain.game(), AutomatonPurpose(automaton([("0", "!x", "accept")]), name="once"))
    return explore(drawn(seed), assumption=RULES[seed % len(RULES)])


def by_definition(game: Game) -> list[int]:
    """A transition is a state, a label and where it leads: edges of such are numbered as they are met."""
    met: dict[tuple[int, str, int], int] = {}
    found = []
    for edge in range(game.edge_count):
        source = int(game.source[edge])
        state = int(game.roles.state[source]) if game.roles.role[source] >= Role.CHOICE else source
        key = (state, game.label_of(edge), int(game.target[edge]))
        found.append(met.setdefault(key, len(met)) if game.moves[edge] else -1)
    return found


@seeds(range(60))
def test_edges_are_one_transition_where_state_label_and_target_are_the_same(seed):
    game = explored(seed)
    transitions = Transitions(game)
    wanted = by_definition(game)
    assert transitions.of_edge.tolist() == wanted
    assert transitions.count == len(set(wanted) - {-1}) == len(set(transitions.names))
    assert [wanted[edge] for edge in transitions.examples.tolist()] == list(range(transitions.count))


@seeds(range(60))
def test_a_vertex_on_the_way_adds_neither_cost_nor_moves(seed):
    game = explored(seed)
    seen = np.flatnonzero(game.moves > 0)[:: 1 + seed % 3]
    made = split_transitions(game, seen)
    for edge in seen.tolist():
        passing = int(made.target[edge])
        (onward,) = made.edges_of(passing)
        assert passing >= game.vertex_count
        assert made.roles.role[passing] == Role.PASSING
        assert made.owner[passing] == game.owner[int(game.target[edge])]
        assert made.target[onward] == game.target[edge]
        assert (made.cost[onward], made.moves[onward], made.label_of(onward)) == (0, 0, "")
        assert made.roles.state[passing] == game.roles.state[int(game.target[edge])]
    others = sorted(set(range(game.edge_count)) - set(seen.tolist()))
    assert made.target[others].tolist() == game.target[others].tolist()
    for goal in range(game.origin.states):
        name = game.names[goal]
        assert win(made, name).solution.values()[: game.vertex_count] == win(game, name).solution.values()
        assert bounded(made, name, 4).values()[: game.vertex_count] == bounded(game, name, 4).values()
