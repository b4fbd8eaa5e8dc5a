"""The tester that plays for coverage gets what it was promised, from the witness and from any other system."""

from __future__ import annotations

from dataclasses import dataclass
from dataclasses import field as dataclass_field
from random import Random
from typing import Any

from helpers.coverage import Field, Witnessing, draw_field, figure_3, guarantees, visited_by
from helpers.seeds import seeds
from outplay import GameBuilder
from outplay.game.graph import SYSTEM
from outplay.strategy.coverage.cover import cover_nodes
from outplay.strategy.coverage.coverage_strategy import Touring
from outplay.strategy.coverage.guarantee import Coverage
from outplay.strategy.coverage.visited_sets import visited_sets


@dataclass
class Drawing:
    """A system that goes by chance: each time, once for each vertex, or once for each vertex and all visited."""

    field: Field
    rng: Random
    kind: int
    kept: dict[object, int] = dataclass_field(default_factory=dict)

    def watch(self, vertex: int) -> None:
        """It does not care."""

    def answer(self, vertex: int, visited: frozenset[int]) -> int:
        chosen = self.rng.choice(self.field.successors[vertex])
        return self.kept.setdefault([object(), vertex, (vertex, visited)][self.kind], chosen)


@seeds(range(60))
def test_against_the_witness_both_ways_of_playing_get_the_guarantee_and_no_more(seed: int):
    field = draw_field(f"touring {seed}", most=9)
    answer = cover_nodes(field.game())
    for most_sets in (100_000, 0):
        strategy = Touring(answer.game, answer.weighted, answer.witness, most_sets)
        assert field.gain(visited_by(answer, strategy, Witnessing(answer))) == answer.value


@seeds(range(50))
def test_a_thousand_systems_that_go_by_chance_do_not_get_the_tester_below_the_guarantee(seed: int):
    field = draw_field(f"chance {seed}", most=7)
    answer = cover_nodes(field.game())
    for number in range(20):
        system = Drawing(field, Random(number), number % 3)
        assert field.gain(visited_by(answer, answer.strategy, system, steps=150)) >= answer.value


def test_the_worst_of_all_systems_that_remember_what_was_visited_gets_no_less():
    for seed in range(40):
        field = draw_field(f"all {seed}", most=6)
        answer = cover_nodes(field.game())
        strategy = Touring(answer.game, answer.weighted, answer.witness)
        assert least_gain(answer, strategy, field) == guarantees(field)[answer.game.initial]


def least_gain(answer: Coverage, strategy: Touring, field: Field) -> int:
    """The least that any system concedes to the strategy: plays end, or come round where nothing new is seen."""
    game, least = answer.game, list[int]()
    under_way, done = set[object](), set[object]()

    def follow(vertex: int, memory: Any, visited: frozenset[int]) -> None:
        here = vertex, memory, visited
        if here in under_way:
            least.append(field.gain(visited))
        if here in under_way or here in done:
            return
        under_way.add(here)
        edge = None if game.owner[vertex] == SYSTEM else strategy.edge(vertex, memory)
        edges = list(game.edges_of(vertex)) if game.owner[vertex] == SYSTEM else [edge] if edge is not None else []
        for each in edges:
            target = int(game.target[each])
            follow(target, strategy.after(vertex, memory), visited | {target})
        if not edges:
            least.append(field.gain(visited))
        under_way.remove(here)
        done.add(here)

    follow(game.initial, strategy.start, frozenset([game.initial]))
    return min(least)


def test_in_figure_3_the_tester_stops_when_nothing_new_can_come():
    answer = cover_nodes(figure_3())
    strategy, memory = answer.strategy, answer.strategy.start
    for vertex in (0, 1, 3, 2):
        assert not strategy.hopeless(vertex, memory) or vertex == 2
        memory = strategy.after(vertex, memory)
    assert strategy.hopeless(3, memory)


def test_a_play_may_visit_more_vertices_than_calls_can_be_nested():
    builder = GameBuilder().vertex("v0", "tester")
    for number in range(1, 600):
        builder = builder.vertex(f"v{number}", "tester").edge(f"v{number - 1}", f"v{number}")
    answer = cover_nodes(builder.build(), time_limit=0)
    sets = visited_sets(answer.weighted, 0, 600)
    assert (len(sets), sets[1][0].target) == (600, 1)
    assert visited_sets(answer.weighted, 0, 599) == {}
