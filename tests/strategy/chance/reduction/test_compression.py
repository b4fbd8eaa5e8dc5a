"""Compressed games: fewer vertices of the system, the same values."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from helpers import chance as oracle
from helpers.games import union
from outplay import GameBuilder, Model, controllable, explore, given, goal, observable
from outplay.game.graph import SYSTEM, TESTER
from outplay.strategy.chance.reduction.compression import compress_chains, merge_parallel_edges
from outplay.strategy.chance.reduction.reachability import almost_sure
from outplay.strategy.chance.valuation.exact import exact_expected, exact_probability

BATCH = 40


def solved(game, goals):
    """Exact costs and probabilities."""
    return exact_expected(game, goals, almost_sure(game, goals).level), exact_probability(game, goals)


def solved_compressed(game, goals):
    """The same of a compressed game, for the vertices that are kept."""
    small = compress_chains(game, goals)
    return solved(small.game, small.vertex[goals])


def kept_of(game, goals):
    """What is to come of it: the values of the game itself, without those of vertices passed over."""
    kept = np.flatnonzero(compress_chains(game, goals).vertex >= 0).tolist()
    return tuple([values[vertex] for vertex in kept] for values in solved(game, goals))


@pytest.mark.parametrize("number", range(12))
def test_compression_changes_no_value_of_any_vertex_that_is_kept(number):
    plain, _ = union([oracle.draw(("compress", number, place), most=8) for place in range(BATCH)])
    game = plain.game()
    small = compress_chains(game, game.goals["done"])
    dropped = int((small.vertex < 0).sum())
    assert dropped == game.vertex_count - small.game.vertex_count >= 10
    assert small.game.edge_count <= game.edge_count - dropped // 2
    assert solved_compressed(game, game.goals["done"]) == kept_of(game, game.goals["done"])


@pytest.mark.parametrize("number", range(4))
def test_merging_and_compressing_commute_with_values(number):
    plain, _ = union([oracle.draw(("both", number, place), most=8) for place in range(BATCH)])
    game = plain.game()
    merged = merge_parallel_edges(game)
    assert solved_compressed(merged, game.goals["done"]) == kept_of(game, game.goals["done"])


def test_what_the_tester_enters_the_initial_vertex_and_goals_are_kept():
    for place in range(100):
        plain = oracle.draw(("kept", place), most=8)
        game = plain.game()
        small = compress_chains(game, game.goals["done"])
        entered = {edge[1] for edge in plain.edges if not plain.system[edge[0]] and edge[0] not in plain.goals}
        own = {vertex for vertex in plain.vertices if not plain.system[vertex]}
        assert set(np.flatnonzero(small.vertex < 0).tolist()).isdisjoint({plain.initial} | plain.goals | entered | own)


class Entering(Model):
    """The chat of 001, section 2.4: clients enter in any order before anybody posts."""

    number = 3
    started: bool = False
    clients: frozenset[int] = frozenset()
    posted: bool = False

    @controllable
    def start(self):
        if self.started:
            return False
        self.started = True

    @observable
    @given(client=lambda model: range(model.number))
    def enter(self, client):
        if not self.started or client in self.clients:
            return False
        self.clients |= {client}

    @controllable
    def post(self):
        if len(self.clients) < self.number or self.posted:
            return False
        self.posted = True

    @goal
    def done(self):
        return self.posted


@pytest.mark.parametrize("clients", [3, 5, 7])
def test_clients_that_enter_in_any_order_become_a_single_passive_state(clients):
    """001, figure 2: all subsets of the clients but one are passed over."""

    class Many(Entering):
        number = clients

    game = explore(Many, assumption="output-eager")
    small = compress_chains(game, game.goals["done"])
    passive = np.flatnonzero(small.game.owner == SYSTEM)
    entering = [v for v in passive.tolist() if any(small.game.cost[edge] == clients for edge in small.game.edges_of(v))]
    assert len(entering) == 1
    assert len(small.game.edges_of(entering[0])) == 1
    assert game.vertex_count - small.game.vertex_count == 2**clients - 2
    assert solved_compressed(game, game.goals["done"]) == kept_of(game, game.goals["done"])


def ring():
    """The tester enters a ring of two vertices of the system, which it leaves to a goal or to a dead end."""
    builder = GameBuilder().vertex("s", "tester").vertex("p", "system").vertex("q", "system")
    builder.vertex("g", "tester", goals=["done"]).vertex("d", "tester")
    builder.edge("s", "p").edge("p", "q", cost=1).edge("q", "p", cost=2, probability="1/2")
    return builder.edge("q", "g", cost=5, probability="1/3").edge("q", "d", cost=7, probability="1/6").build()


def test_a_ring_of_answers_becomes_the_chances_to_leave_it():
    small = compress_chains(ring(), np.array([3]))
    assert [small.game.names[vertex] for vertex in range(4)] == ["s", "p", "g", "d"]
    edges = [(small.game.names[small.game.target[e]], small.game.probability[e], small.game.cost[e]) for e in (1, 2)]
    # one more round costs 3 and is expected once; then 1 to q, and 5 or 7
    assert sorted(edges) == [("d", Fraction(1, 3), Fraction(11)), ("g", Fraction(2, 3), Fraction(9))]


def test_vertices_that_the_system_never_leaves_stay():
    builder = GameBuilder().vertex("s", "system").vertex("p", "system").vertex("q", "system").vertex("g", "tester")
    game = builder.edge("s", "p").edge("s", "g").edge("p", "q").edge("q", "p").build()
    small = compress_chains(game, np.array([3]))
    assert small.game.vertex_count == 3
    assert solved(small.game, small.vertex[[3]])[1] == [Fraction(1, 2), Fraction(0), Fraction(1)]


def test_a_vertex_stays_where_passing_over_it_would_make_more_edges():
    """Three vertices lead to one that leads to three others: 6 edges, which would become 9."""
    builder = GameBuilder().vertex("s", "tester")
    for name in "abc":
        builder.vertex(name, "system").edge("s", name)
    builder.vertex("m", "system")
    for name in "xyz":
        builder.vertex(name, "tester").edge("m", name).edge(name, "s")
    for name in "abc":
        builder.edge(name, "m").edge(name, "s")
    game = builder.build()
    assert compress_chains(game, np.array([5])).game.vertex_count == game.vertex_count


def test_numbers_too_long_for_a_game_are_not_made():
    builder = GameBuilder().vertex("s", "tester").vertex("0", "system").edge("s", "0").vertex("g", "tester")
    for place in range(40):
        builder.vertex(f"{place + 1}", "system")
        chance = Fraction(10**30 + place, 3 * 10**30)
        builder.edge(f"{place}", f"{place + 1}", probability=chance).edge(f"{place}", "s", probability=1 - chance)
    game = builder.edge("40", "g").build()
    goals = game.goal_vertices("g")
    small = compress_chains(game, goals)
    assert 4 < small.game.vertex_count < 20
    assert solved_compressed(game, goals) == kept_of(game, goals)


def test_edges_out_of_goals_do_not_count():
    builder = GameBuilder().vertex("g", "tester").vertex("p", "system").vertex("q", "system")
    game = builder.edge("g", "p").edge("p", "q").edge("q", "g").build()
    small = compress_chains(game, np.array([0]))
    assert (small.game.vertex_count, small.game.edge_count) == (1, 0)
    assert small.game.owner.tolist() == [TESTER]
