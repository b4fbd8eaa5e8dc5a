"""Paper 000, sections 3 and 4, number by number: bounded reachability and sure win, each beside a second method."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import partial

import pytest

from helpers.games import Plain, draw
from helpers.seeds import seeds
from outplay import Game, GameBuilder, win
from outplay.errors import UsageError
from outplay.strategy.bounded import bounded
from outplay.strategy.certificate.check_win import check_win
from outplay.strategy.value_orders import Order, check_acceptable, counterexample
from outplay.strategy.win import NoSureWin, SureWin

FIGURE_1 = {
    "e1": ("s1", "s2"),
    "e2": ("s2", "s1"),
    "e3": ("s1", "s3"),
    "e4": ("s3", "s1"),
    "e5": ("s2", "s4"),
    "e6": ("s3", "s4"),
    "e7": ("s4", "cp"),
    "e8": ("cp", "s2"),
    "e9": ("cp", "s3"),
}


def figure_1(without: str = "") -> Game:
    """The test graph of Figure 1 at unit costs, perhaps without one edge; edges are labelled with their names."""
    builder = GameBuilder()
    for state in ("s1", "s2", "s3", "s4"):
        builder.vertex(state, "tester")
    builder.vertex("cp", "system")
    for name, (source, target) in FIGURE_1.items():
        if name != without:
            builder.edge(source, target, name, name=name, probability="1/2" if source == "cp" else None)
    return builder.build()


def solved(game: Game, goal: str | list[str]) -> dict[str, Fraction | None]:
    """Values by name, confirmed by the checker."""
    result = win(game, goal)
    solution = result.solution
    values = solution.values()
    check_win(result.game, result.goal_vertices.tolist(), values, solution.rank.tolist(), solution.choice.tolist())
    return {name: value for name, value in zip(result.game.names, values, strict=True) if not name.startswith("after")}


@pytest.mark.parametrize(
    ("goal", "values"),
    [
        # From s3 straight back over s1; the choice point may send the tester to s3, so 1 + 2, and s4 one more.
        ("s2", {"s1": 1, "s2": 0, "s3": 2, "s4": 4, "cp": 3}),
        ("s3", {"s1": 1, "s2": 2, "s3": 0, "s4": 4, "cp": 3}),
        ("s1", {"s1": 0, "s2": 1, "s3": 1, "s4": 3, "cp": 2}),
        ("s4", {"s1": 2, "s2": 1, "s3": 1, "s4": 0, "cp": 2}),
        ("cp", {"s1": 3, "s2": 2, "s3": 2, "s4": 1, "cp": 0}),
    ],
)
def test_every_state_of_figure_1_is_winnable_from_everywhere(goal, values):
    found = solved(figure_1(), goal)
    assert {name: found[name] for name in figure_1().names} == values  # the edges themselves have a vertex each


def test_the_strategy_towards_s2_in_figure_1_takes_the_edges_found_by_hand():
    result = win(figure_1(), "s2")
    chosen = {result.game.names[vertex]: result.game.edge_names[edge] for vertex, edge in result.choices()}
    assert chosen == {"s1": "e1", "s3": "e4", "s4": "e7"}


def test_without_the_way_back_from_s3_the_choice_point_can_go_round_for_ever():
    game = figure_1(without="e4")
    assert solved(game, "s2") == {"s1": 1, "s2": 0, "s3": None, "s4": None, "cp": None}
    assert isinstance(win(game, "s2"), SureWin)
    around = figure_1(without="e1")
    assert solved(around, "s2") == {"s1": None, "s2": 0, "s3": None, "s4": None, "cp": None}
    result = win(around, "s2")
    assert isinstance(result, NoSureWin)
    assert {around.names[vertex] for vertex in result.blocking.tolist()} == {"s1", "s3", "s4", "cp"}


@pytest.mark.parametrize(
    ("goal", "values"),
    [
        ("e8", {"s1": None, "s2": None, "s3": None, "s4": None, "cp": None}),
        (["e8", "e9"], {"s1": 4, "s2": 3, "s3": 3, "s4": 2, "cp": 1}),
        ("e5", {"s1": 2, "s2": 1, "s3": 3, "s4": 5, "cp": 4}),
        (["e8", "s3"], {"s1": 1, "s2": 2, "s3": 0, "s4": 2, "cp": 1}),
    ],
)
def test_an_edge_of_figure_1_can_be_forced_unless_the_system_alone_decides_on_it(goal, values):
    found = solved(figure_1(), goal)
    assert {name: found[name] for name in figure_1().names} == values  # the edges themselves have a vertex each


def test_the_diamond_of_section_4_is_won_though_the_system_chooses_on_the_way():
    builder = GameBuilder().vertex("s", "tester").vertex("cp", "system").vertex("left", "tester")
    builder.vertex("right", "tester").vertex("g", "tester", goals=["done"])
    builder.edge("s", "cp", cost=1).edge("cp", "left", cost=1).edge("cp", "right", cost=2)
    builder.edge("left", "g", cost=5).edge("right", "g", cost=3)
    assert solved(builder.build(), "done") == {"s": 7, "cp": 6, "left": 5, "right": 3, "g": 0}


def test_parallel_edges_of_a_choice_point_are_counted_alike_when_numbered_and_when_relaxed():
    """Counted by successors but relaxed by edges, the choice point would be settled before w, at 2."""
    builder = GameBuilder().vertex("cp", "system").vertex("g", "tester", goals=["done"]).vertex("w", "tester")
    builder.edge("cp", "g", cost=1).edge("cp", "g", cost=2).edge("cp", "w", cost=1).edge("w", "g", cost=5)
    assert solved(builder.build(), "done") == {"cp": 6, "g": 0, "w": 5}


drawn = partial(draw, least=2, most=25, ways=(0.7,), costs=range(4))


def pebbled(plain: Plain) -> set[int]:
    """The vertices that can be pebbled from s in the reversed graph D of section 4.3.

    Goals count as states, hence as or-vertices. The paper has no choice point without edges; here such a one is lost,
    so it gets the same loop as a state without edges, which keeps it from an initial pebble.
    """
    system, edges, goals = plain.system, plain.edges, plain.goals
    start = len(system)
    before: dict[int, set[int]] = {vertex: set() for vertex in range(start + 1)}
    for source, target, *_ in edges:
        before[source].add(target)
    for vertex in range(start):
        before[vertex] |= {vertex} if not before[vertex] else set()
    for goal in goals:
        before[goal].add(start)
    needs_all = {vertex for vertex in range(start) if system[vertex] and vertex not in goals}
    pebbles = {start}
    while True:
        more = {
            vertex
            for vertex in range(start)
            if (before[vertex] <= pebbles if vertex in needs_all else before[vertex] & pebbles)
        } - pebbles
        if not more:
            return pebbles - {start}
        pebbles |= more


@seeds(range(300))
def test_winnable_vertices_are_those_that_pebbles_reach_in_the_alternating_graph(seed):
    plain = drawn(seed)
    values = solved(plain.game(), "done").values()
    assert {vertex for vertex, value in enumerate(values) if value is not None} == pebbled(plain)


def test_the_pebbled_graphs_are_neither_all_won_nor_all_lost():
    shares = []
    for seed in range(300):
        plain = drawn(seed)
        shares.append((len(pebbled(plain)) - len(plain.goals)) / len(plain.system))
    assert sum(0 < share < 0.9 for share in shares) > 150


@seeds(range(100))
def test_without_choice_points_the_values_are_the_shortest_paths(seed):
    """Section 4: the algorithm reduces to Dijkstra's. Here paths get shorter edge by edge, as with Bellman and Ford."""
    plain = drawn(seed, system=0.0)
    shortest = [0 if vertex in plain.goals else None for vertex in plain.vertices]
    for _ in plain.vertices:
        for source, target, cost, *_ in plain.edges:
            beyond = shortest[target]
            if beyond is not None and (shortest[source] is None or cost + beyond < shortest[source]):
                shortest[source] = cost + beyond
    assert list(solved(plain.game(), "done").values()) == shortest


def leaking() -> Game:
    """A choice point k that cannot win within the bound, behind another one that can."""
    builder = GameBuilder().vertex("s", "tester").vertex("c1", "system").vertex("c2", "system").vertex("k", "system")
    builder.vertex("d", "tester").vertex("g", "tester", goals=["done"])
    builder.edge("s", "c1").edge("s", "c2").edge("c1", "g", probability="1/2").edge("c1", "k", probability="1/2")
    builder.edge("k", "d", cost=100, probability=1)
    return builder.edge("c2", "g", cost=50, probability="1/2").edge("c2", "d", probability="1/2").build()


def by_pseudo_code(game: Game, steps: int) -> tuple[Fraction, Fraction, int]:
    """The algorithm of section 3.3 as written: probability, cost and edge at the initial vertex."""
    goals = set(game.goals["done"].tolist())
    chance = [Fraction(int(vertex in goals)) for vertex in range(game.vertex_count)]
    cost, choice, front = [Fraction(0)] * game.vertex_count, {}, set(goals)
    for _ in range(steps):
        old_chance, old_cost, new_front = list(chance), list(cost), set()
        for edge in (e for e in range(game.edge_count) if int(game.target[e]) in front):
            u, v = int(game.source[edge]), int(game.target[edge])
            offer = old_chance[v], game.cost[edge] + old_cost[v]
            if game.owner[u] == 1:
                chance[u] = sum(game.probability[e] * old_chance[game.target[e]] for e in game.edges_of(u))
                cost[u] = max(game.cost[e] + old_cost[game.target[e]] for e in game.edges_of(u))
                new_front.add(u)
            elif (-offer[0], offer[1]) < (-chance[u], cost[u]):
                (chance[u], cost[u]), choice[u] = offer, edge
                new_front.add(u)
        front = new_front
    return chance[game.initial], cost[game.initial], choice[game.initial]


def test_costs_of_choice_points_that_cannot_win_count_though_the_pseudo_code_of_section_3_misses_them():
    game = leaking()
    assert by_pseudo_code(game, 3) == (Fraction(1, 2), 2, 0)  # through c1; a play over k costs 102
    answer = bounded(game, "done", 3)
    assert answer.value == (Fraction(1, 2), 51)
    assert game.names[game.target[answer.edge(game.initial, 3)]] == "c2"
    assert answer.value_of(game.vertex_numbers["c1"], 2) == (Fraction(1, 2), 101)
    answer.check()


def test_with_two_moves_the_cost_of_the_dead_end_is_out_of_reach_and_the_move_is_another():
    answer = bounded(leaking(), "done", 3)
    assert answer.value_of(0, 2) == (Fraction(1, 2), 2)
    assert answer.changes(0) == [(2, 0), (3, 1)]


def test_the_order_of_example_1_is_not_acceptable_in_the_sense_of_definition_1():
    order = Order("Example 1", lambda probability, cost: (-probability, cost if probability else 0))
    found = counterexample(order)
    assert found is not None
    assert (found.better.probability, found.worse.probability) == (0, 0)
    with pytest.raises(
        UsageError, match=r"\(0, 1\) is at least as good as \(0, 0\), .* become \(1/2, 1\) and \(1/2, 0\)"
    ):
        check_acceptable(order)
    for cost, mixed in ((100, (Fraction(1, 2), 100)), (0, (Fraction(1, 2), 0))):  # half and half with (1, 0)
        assert order.key(0, cost) == order.key(0, 0)
        assert found._replace(weight=Fraction(1, 2), cost=0).mixed(found.better._replace(cost=cost)) == mixed


@pytest.mark.parametrize(
    ("moves", "odds"),
    [(0, (0, 0)), (1, (0, 0)), (2, (Fraction(1, 2), 2)), (3, (Fraction(1, 2), 2)), (4, (1, 4)), (9, (1, 4))],
)
def test_from_s4_to_s2_in_figure_1_two_moves_win_half_the_plays_and_four_win_all(moves, odds):
    game = figure_1()
    assert bounded(game, "s2", 9).value_of(game.vertex_numbers["s4"], moves) == odds


@seeds(range(60))
def test_in_an_acyclic_graph_nothing_changes_beyond_the_longest_path(seed):
    """Section 3.3.3: from some number of moves on the strategy cannot be improved."""
    plain = drawn(seed)
    downwards = [e._replace(source=max(e[:2]), target=min(e[:2])) for e in plain.edges if e.source != e.target]
    answer = bounded(replace(plain, edges=tuple(downwards)).game(), "done", len(plain.system) + 1)
    assert answer.settled is not None
    assert answer.settled < len(plain.system)
    answer.check()
