"""The tester that plays for coverage gets what it was promised, from the witness and from any other system."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import field as dataclass_field
from graphlib import CycleError, TopologicalSorter
from random import Random
from typing import Any

import pytest

from helpers.coverage import Field, Witnessing, draw_field, figure_3, guarantees, visited_by
from helpers.games import Edge, Plain
from helpers.seeds import seeds
from outplay.game.graph import SYSTEM
from outplay.strategy.coverage import coverage_strategy
from outplay.strategy.coverage.coverage_strategy import Touring
from outplay.strategy.coverage.guarantee import Coverage, cover_nodes


@dataclass
class Drawing:
    """A system that goes by chance: each time, once for each vertex, or once for each vertex and all visited."""

    successors: Sequence[Sequence[int]]
    rng: Random
    kind: int
    kept: dict[object, int] = dataclass_field(default_factory=dict)

    def watch(self, vertex: int) -> None:
        """It does not care."""

    def answer(self, vertex: int, visited: frozenset[int]) -> int:
        chosen = self.rng.choice(self.successors[vertex])
        return self.kept.setdefault([object(), vertex, (vertex, visited)][self.kind], chosen)


HABIT = 1


def draw_wide(seed: int, least: int, most: int) -> Field:
    """Draw a game with two or three edges at each vertex, half of the vertices the system's."""
    rng = Random(f"wide {seed}")
    count = rng.randint(least, most)
    system = tuple(rng.random() < 0.5 for _ in range(count))
    edges = [Edge(v, rng.randrange(count)) for v in range(count) for _ in range(rng.choice((2, 2, 3)))]
    return Field(Plain(system, tuple(edges), frozenset()), (1,) * count)


def gained(answer: Coverage, visited: frozenset[int]) -> int:
    return sum(answer.weighted.gains[vertex] for vertex in visited)


def check_promise(field: Field, habits: int, *, restart: bool) -> None:
    """Play against the worst of all systems, against the witness and against fixed habits."""
    answer = cover_nodes(field.game(), restart=restart, everywhere=False)
    strategy, successors = answer.strategy, answer.weighted.successors
    assert strategy.proven <= answer.bounds_of(answer.game.initial)[1]
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(strategy, "_hopeful", refused)
        assert least_gain(answer, strategy) == strategy.proven
    habitual = [Drawing(successors, Random(number), HABIT) for number in range(habits)]
    for system in [Witnessing(answer), *habitual]:
        visited = visited_by(answer, strategy, system, steps=800, enough=lambda v: gained(answer, v) >= strategy.proven)
        assert gained(answer, visited) >= strategy.proven


def refused(*_: object) -> None:
    """Fail where a strategy goes by hope although more is sure."""
    pytest.fail("the strategy hopes although more is sure")


@pytest.mark.parametrize("restart", [False, True])
@pytest.mark.parametrize("seed", [3, 10, 17])
def test_no_system_and_no_habit_holds_the_strategy_below_what_it_is_proven_to_cover(seed: int, restart: bool):
    check_promise(draw_wide(seed, 17, 22), 10, restart=restart)


@pytest.mark.long
@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize("restart", [False, True])
@pytest.mark.parametrize("seed", range(200))
def test_no_system_and_no_habit_holds_the_strategy_below_what_it_is_proven_to_cover_in_200_games(
    seed: int, restart: bool, exact: bool, monkeypatch
):
    if not exact:
        monkeypatch.setattr(coverage_strategy, "_EXACT", 0)
    check_promise(draw_wide(seed, 8, 25), 20, restart=restart)


@pytest.mark.parametrize("restart", [False, True])
@pytest.mark.parametrize("seed", range(20))
def test_forced_chains_keep_their_promise_in_games_too_large_for_more(seed: int, restart: bool, monkeypatch):
    monkeypatch.setattr(coverage_strategy, "_EXACT", 0)
    check_promise(draw_wide(seed, 8, 25), 5, restart=restart)


@seeds(range(60))
def test_against_the_witness_the_tester_gets_the_guarantee_and_no_more(seed: int):
    field = draw_field(f"touring {seed}", most=9)
    answer = cover_nodes(field.game())
    assert answer.strategy.proven == answer.value
    assert field.gain(visited_by(answer, answer.strategy, Witnessing(answer))) == answer.value


@seeds(range(50))
def test_a_thousand_systems_that_go_by_chance_do_not_get_the_tester_below_the_guarantee(seed: int):
    field = draw_field(f"chance {seed}", most=7)
    answer = cover_nodes(field.game())
    for number in range(20):
        system = Drawing(field.successors, Random(number), number % 3)
        assert field.gain(visited_by(answer, answer.strategy, system, steps=150)) >= answer.value


@pytest.mark.parametrize("exact", [True, False])
def test_the_worst_of_all_systems_gets_no_less_than_what_is_proven(exact: bool, monkeypatch):
    if not exact:
        monkeypatch.setattr(coverage_strategy, "_EXACT", 0)
    for seed in range(40):
        field = draw_field(f"all {seed}", most=7, least_gain=seed % 2)
        answer = cover_nodes(field.game())
        strategy = answer.strategy
        assert least_gain(answer, strategy) >= strategy.proven
        guarantee = guarantees(field)[answer.game.initial]
        assert strategy.proven == guarantee if exact else strategy.proven <= guarantee


def least_gain(answer: Coverage, strategy: Touring) -> int:
    """The least that any system concedes to the strategy, up to what is proven: plays end, or come round in vain.

    Knows nothing of the solver: it follows every answer of the system and asks the strategy where it goes.
    """
    game, ends = answer.game, [int(strategy.proven)]
    follows: dict[tuple[int, frozenset[int]], list[tuple[int, frozenset[int]]]] = {}
    left: list[tuple[int, Any, frozenset[int]]] = [(game.initial, strategy.start, frozenset([game.initial]))]
    while left:
        vertex, memory, visited = left.pop()
        # What the system answered before counts only where nothing more is sure (`_hopeful`, which is refused below).
        if (vertex, visited) in follows or gained(answer, visited) >= strategy.proven:
            continue
        system = game.owner[vertex] == SYSTEM
        edge = None if system else strategy.edge(vertex, memory)
        edges = list(game.edges_of(vertex)) if system else [edge] if edge is not None else []
        targets = [int(game.target[each]) for each in edges]
        follows[vertex, visited] = [(target, visited | {target}) for target in targets]
        left += [(target, strategy.after(vertex, memory), visited | {target}) for target in targets]
        if not edges:
            ends.append(gained(answer, visited))
    try:
        TopologicalSorter(follows).prepare()
    except CycleError as found:
        ends.append(gained(answer, found.args[1][0][1]))
    return min(ends)


def test_in_figure_3_the_tester_stops_when_nothing_new_can_come():
    answer = cover_nodes(figure_3())
    strategy, memory = answer.strategy, answer.strategy.start
    for vertex in (0, 1, 3, 2):
        assert not strategy.hopeless(vertex, memory) or vertex == 2
        memory = strategy.after(vertex, memory)
    assert strategy.hopeless(3, memory)


def test_where_nothing_is_sure_another_way_is_tried_when_the_system_refuses():
    # 0 asks 1 or 3; both may send it back; 1 always does, 3 does not.
    edges = (Edge(0, 1), Edge(1, 0), Edge(1, 2), Edge(0, 3), Edge(3, 0), Edge(3, 4), Edge(4, 5), Edge(5, 2))
    field = Field(Plain((False, True, False, True, True, True), edges, frozenset()), (0, 0, 1, 0, 0, 0))
    answer = cover_nodes(field.game())
    system = Drawing(field.successors, Random(0), HABIT, {1: 0, 3: 4})
    assert answer.strategy.proven == 0
    assert 2 in visited_by(answer, answer.strategy, system, steps=40)
