"""The coverage guarantee, held against minimax over visited sets, and against what it promises."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from helpers.coverage import Field, consistent, doubled, draw_field, figure_3, guarantees
from helpers.deadlines import after
from helpers.games import Edge, Plain
from helpers.seeds import seeds
from outplay import GameBuilder, Model, controllable, explore, observable, solve
from outplay.cancellation import deadline
from outplay.errors import UsageError
from outplay.game.reset import with_reset
from outplay.strategy.attractor import attractor_steps
from outplay.strategy.coverage.guarantee import cover_nodes
from outplay.strategy.coverage.guarantee_bounds import Cheapest, cheapest_system_set


def check_against_definition(field: Field) -> None:
    answer = cover_nodes(field.game(), restart=field.restart)
    found = [answer.value_of(vertex) for vertex in field.plain.vertices]
    assert found == guarantees(field)
    assert answer.check().vertices == answer.game.vertex_count
    if not field.restart:
        assert consistent(field, answer.witness.bounds, answer.witness.traps)


@seeds(range(160))
def test_the_guarantee_is_minimax_over_visited_sets(seed: int):
    check_against_definition(draw_field(seed, most=8, least_gain=seed % 4 > 0, restart=seed % 2 == 1))


@pytest.mark.long
@seeds(range(1000, 2000))
def test_the_guarantee_is_minimax_over_visited_sets_of_ten_vertices(seed: int):
    check_against_definition(draw_field(seed, most=10, least_gain=seed % 5 > 0, restart=seed % 2 == 1))


@pytest.mark.parametrize("seed", range(40))
def test_the_doubled_game_gives_twice_the_guarantee_with_restart(seed: int):
    field = draw_field(f"doubled {seed}", most=7, restart=True)
    twice = cover_nodes(doubled(field).game()).value
    assert twice == 2 * cover_nodes(field.game(), restart=True).value


def test_a_restart_adds_to_what_is_sure():
    game = figure_3()
    assert [cover_nodes(game).value_of(vertex) for vertex in range(4)] == [3, 2, 2, 2]
    assert cover_nodes(game, restart=True).value == 4
    assert cover_nodes(with_reset(game), restart=True).value == 4  # and a second one nothing


class Lamp(Model):
    on: bool = False

    @controllable
    def press(self):
        self.on = not self.on

    @observable
    def hum(self):
        return None if self.on else False


def test_a_decision_gains_nothing():
    game = explore(Lamp)
    answer = cover_nodes(game)
    assert game.vertex_count > 2  # some are decisions
    assert (answer.value, answer.total) == (2, 2)
    assert answer.check()


def test_gains_may_be_fractions():
    game = GameBuilder().vertex("a", "tester", gain="1/3").vertex("b", "tester", gain="1/7").edge("a", "b").build()
    assert str(cover_nodes(game).value) == "10/21"


def test_gains_too_far_apart_are_refused():
    game = GameBuilder().vertex("a", "tester", gain=10**20).vertex("b", "tester").edge("a", "b").build()
    with pytest.raises(UsageError, match="too far apart"):
        cover_nodes(game)


def test_a_goal_is_refused():
    with pytest.raises(UsageError, match="leave the goal out"):
        solve(figure_3(), "v1", "cover-nodes")
    assert solve(figure_3(), (), "cover-nodes").value == 3


def ladder(rungs: int) -> Field:
    """Circles within circles: the system has two answers at every rung."""
    edges = []
    for rung in range(rungs):
        a, b, c = 3 * rung, 3 * rung + 1, 3 * rung + 2
        edges += [Edge(a, b), Edge(b, a), Edge(b, c), Edge(c, (a + 7) % (3 * rungs)), Edge(c, (a + 3) % (3 * rungs))]
    system = tuple(vertex % 3 != 2 for vertex in range(3 * rungs))
    return Field(Plain(system, tuple(edges), frozenset()), (1,) * (3 * rungs))


def test_without_time_there_are_bounds_that_hold():
    field = ladder(3)
    exact = guarantees(field)
    answer = cover_nodes(field.game(), time_limit=0)
    for vertex, value in enumerate(exact):
        low, high = answer.bounds_of(vertex)
        assert low <= value <= high
    assert answer.check()
    assert [cover_nodes(field.game()).value_of(vertex) for vertex in field.plain.vertices] == exact


@pytest.mark.parametrize("seed", range(30))
def test_bounds_hold_however_little_time_there_is(seed: int):
    field = draw_field(f"hasty {seed}", most=8)
    answer = cover_nodes(field.game(), time_limit=0)
    for vertex, value in enumerate(guarantees(field)):
        low, high = answer.bounds_of(vertex)
        assert low <= value <= high
        assert answer.value_of(vertex) in (value, None)
    assert consistent(field, answer.witness.bounds, answer.witness.traps)


@pytest.mark.parametrize("looks", [0, 1, 3, 8, 20])
def test_bounds_hold_whenever_time_is_up(looks: int, monkeypatch):
    monkeypatch.setattr("outplay.strategy.coverage.guarantee.deadline", lambda seconds: after(looks))
    monkeypatch.setattr("outplay.strategy.coverage.guarantee_bounds._SMALL", 0)
    for seed in range(4):
        field = draw_field(f"stopped {seed}", most=8)
        answer = cover_nodes(field.game(), time_limit=1)
        for vertex, value in enumerate(guarantees(field)):
            low, high = answer.bounds_of(vertex)
            assert low <= value <= high
        assert answer.check()


def test_what_the_search_took_of_the_time_limit_its_proof_has_no_longer(monkeypatch):
    now = [100.0]
    by_our_clock = partial(deadline, now=lambda: now[0])
    monkeypatch.setattr("outplay.strategy.coverage.guarantee.deadline", by_our_clock)
    field = ladder(3)

    def slowly(*given: Any) -> Cheapest:
        now[0] += 4
        return cheapest_system_set(*given)

    monkeypatch.setattr("outplay.strategy.coverage.guarantee_bounds.cheapest_system_set", slowly)
    answer = cover_nodes(field.game(), time_limit=10)
    assert now[0] == 108.0  # six of ten seconds are for the search, and nothing is begun after them
    assert answer.seconds == 2
    assert cover_nodes(field.game(), time_limit=None).seconds == 20
    assert cover_nodes(field.game(), time_limit=0).seconds < 1


def test_by_name_too_there_are_bounds_after_thirty_seconds(monkeypatch):
    asked: list[float | None] = []
    monkeypatch.setattr(
        "outplay.strategy.coverage.guarantee.deadline", lambda seconds: asked.append(seconds) or deadline(seconds)
    )
    assert solve(figure_3(), (), "cover-nodes").value == 3
    assert solve(figure_3(), (), "cover-nodes", time_limit=2.0).value == 3
    assert asked == [30.0, 2.0]


def test_progress_is_told_until_all_is_settled():
    told: list[tuple[int, int]] = []
    cover_nodes(ladder(3).game(), progress=lambda done, count: told.append((done, count)))
    assert [count for count, _ in told] == list(range(1, 10))
    assert {count for _, count in told} == {9}


def test_the_words_tell_guarantee_total_and_what_the_system_offers():
    answer = cover_nodes(figure_3())
    assert answer.sentence == (
        "3 of 4 are sure to be covered, whatever the system does; no tester is sure of more; "
        "the strategy played is proven to cover 3"
    )
    assert answer.lines()[0] == "the system lets the tester have v0"
    assert answer.lines()[1].startswith("the system lets the tester have v")
    witness = answer.json()["witness"]
    assert witness["offers"][witness["at"]["v1"]] == ["v1", "v3"]
    assert (answer.json()["bounds"], answer.json()["played"]) == ([3.0, 3.0], 3.0)
    hasty = replace(answer, found=replace(answer.found, low=[1, 1, 1, 1]))
    assert hasty.value is None
    assert "no tester is sure of more than 3; time ran out" in hasty.sentence


def test_a_long_offer_names_its_first_vertices_and_counts_the_others():
    builder = GameBuilder()
    for number in range(12):
        builder.vertex(f"v{number}", "tester")
    for number in range(12):
        builder.edge(f"v{number}", f"v{(number + 1) % 12}", f"?{number}")
    (line,) = cover_nodes(builder.build()).offers()
    assert line.endswith(" and 4 more")
    assert [word for word in line.replace(",", "").split() if word[1:].isdigit()] == [f"v{n}" for n in range(8)]


def test_what_is_asked_only_for_the_start_is_the_same_there_and_bounds_hold_elsewhere():
    for seed in range(40):
        field = draw_field(f"start {seed}", most=8, least_gain=seed % 2)
        answer = cover_nodes(field.game(), everywhere=False)
        exact = guarantees(field)
        assert answer.value == exact[answer.game.initial]
        for vertex, value in enumerate(exact):
            low, high = answer.bounds_of(vertex)
            assert low <= value <= high
        assert consistent(field, answer.witness.bounds, answer.witness.traps)


def test_what_can_be_forced_in_a_part_is_looked_for_in_that_part_alone(monkeypatch):
    met: list[int] = []

    def counting(*given: Any) -> dict[int, int]:
        found = attractor_steps(*given)
        met.append(len(found))
        return found

    monkeypatch.setattr("outplay.strategy.coverage.weighted_game.attractor_steps", counting)
    pairs = 20  # of states, each pair leading to the next
    builder = GameBuilder()
    for pair in range(pairs):
        builder.vertex(f"{pair}", "tester").vertex(f"{pair}'", "tester")
        builder.edge(f"{pair}", f"{pair}'").edge(f"{pair}'", f"{pair}")
        if pair:
            builder.edge(f"{pair - 1}'", f"{pair}")
    answer = cover_nodes(builder.build("0"), time_limit=None)
    assert answer.value == 2 * pairs
    assert met == [2] * 2 * pairs
