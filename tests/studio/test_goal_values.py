"""What a goal is worth at a vertex is what the definition says, and what is lit in the graph proves it."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from helpers.games import draw
from helpers.seeds import seeds
from outplay.game.graph import SYSTEM, Game
from outplay.studio.goal_values import GoalValues


def random_values(seed: int) -> GoalValues:
    game = draw(seed, most=9).game()
    return GoalValues(game, next(iter(game.goals)))


def forced_costs(game: Game, goals: set[int]) -> list[Fraction | None]:
    """By rounds from the definition: the least cost that suffices whatever the system does."""
    worth: list[Fraction | None] = [Fraction(0) if v in goals else None for v in range(game.vertex_count)]
    for _ in range(game.vertex_count + 1):
        for vertex in range(game.vertex_count):
            if vertex in goals:
                continue
            beyond = [worth[int(game.target[e])] for e in game.edges_of(vertex)]
            costs = [
                None if one is None else one + (game.cost[e] or 0)
                for one, e in zip(beyond, game.edges_of(vertex), strict=True)
            ]
            known = [cost for cost in costs if cost is not None]
            if game.owner[vertex] == SYSTEM:
                worth[vertex] = max(known) if known and len(known) == len(costs) else None
            elif known:
                worth[vertex] = min(known)
    return worth


@seeds(range(200))
def test_costs_are_those_of_the_definition_and_alternatives_those_of_their_targets(seed: int):
    values = random_values(seed)
    game, goals = values.shown, set(values.target.vertices.tolist())
    expected = forced_costs(game, goals)
    for vertex in range(game.vertex_count):
        assert values.at(vertex).cost == expected[vertex]
        for edge in game.edges_of(vertex):
            assert values.after(edge).cost == expected[int(game.target[edge])]
            if expected[vertex] is not None:
                assert values.after(edge).loses(values.at(vertex)) == (expected[int(game.target[edge])] is None)


@seeds(range(200))
def test_a_blocking_set_keeps_the_tester_from_the_goal(seed: int):
    values = random_values(seed)
    game, found = values.shown, values.blocking()
    inside = set(found["vertices"])
    if not inside:
        assert values.at(game.initial).cost is not None
        return
    assert game.initial in inside
    assert inside.isdisjoint(values.target.vertices.tolist())
    for vertex in inside:
        targets = {int(game.target[edge]) for edge in game.edges_of(vertex)}
        if game.owner[vertex] == SYSTEM:
            assert not targets or targets & inside
        else:
            assert targets <= inside
    assert all(one in inside and other in inside for one, other in found["edges"])


@seeds(range(200))
def test_whoever_follows_what_is_lit_wins_whatever_the_system_does(seed: int):
    values = random_values(seed)
    game, goals = values.shown, set(values.target.vertices.tolist())
    for start in range(game.vertex_count):
        if values.at(start).cost is None:
            continue
        lit: dict[int, set[int]] = {}
        for source, target in values.strategy(start)["edges"]:
            lit.setdefault(source, set()).add(target)

        @cache
        def longest(vertex: int, depth: int = 0, lit: dict[int, set[int]] = lit) -> int:
            assert depth <= game.vertex_count, "the strategy goes round"
            if vertex in goals:
                return 0
            assert lit.get(vertex), "the strategy has no move"
            if game.owner[vertex] == SYSTEM:
                assert lit[vertex] == {int(game.target[edge]) for edge in game.edges_of(vertex)}
            return 1 + max(longest(target, depth + 1) for target in lit[vertex])

        longest(start)


def test_a_label_as_a_goal_lights_its_edges():
    from outplay import GameBuilder

    builder = GameBuilder().vertex("s", "tester").vertex("c", "system").vertex("g", "tester", goals=["done"])
    game = builder.edge("s", "c", "?go").edge("c", "g", "!ok").edge("c", "s", "!again").build()
    values = GoalValues(game, "!ok")
    assert values.reached() == {"vertices": [], "edges": [[1, 2]]}
    assert values.at(0).helps == 1
    assert [values.after(edge).words for edge in (1, 2)] == ["reached", "needs help once, cost 4 expected"]
    assert values.edge_by_order(1, worst=True) == 2
    assert values.edge_by_order(1, worst=False) == 1
