"""Bounded reachability against the definition: all strategies tried, and plain recursion on hundreds of games."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable
from fractions import Fraction
from random import Random

import numpy as np
import pytest

from helpers import games, worst_case
from helpers.bounded import LOST, Pair, odds, rank
from helpers.games import HUGE, Plain
from helpers.large_games import large_game
from helpers.places import shared_data
from outplay import Game, GameBuilder, compiling
from outplay.errors import GameError, UsageError
from outplay.formats.registry import read_model
from outplay.strategy.bounded import Bounded, bounded
from outplay.strategy.bounded_reachability import layers

DATA = shared_data("mdp")
draw = functools.partial(games.draw, most=7, chances=0.5, free=(0.0, 0.0, 0.3, 0.6))


def timed_strategies(plain: Plain, steps: int) -> list[list[tuple[int, int, int | None]]]:
    """For each vertex of the tester and each number of moves left: all that it can do there."""
    return [
        [(vertex, left, None), *((vertex, left, e) for e in plain.leaving(vertex) if plain.edges[e].moves <= left)]
        for vertex in plain.vertices
        for left in range(steps + 1)
        if not plain.system[vertex] and vertex not in plain.goals
    ]


def batch(number: object, size: int = 20, **options: object) -> list[Plain]:
    return [draw((number, game), **({"costs": HUGE} if game % 5 == 4 else {}), **options) for game in range(size)]


def table(answer: Bounded, steps: int) -> dict[tuple[int, int], Pair]:
    return {(v, left): answer.value_of(v, left) for v in range(answer.game.vertex_count) for left in range(steps + 1)}


def expected(chances: Plain, steps: int) -> dict[tuple[int, int], Pair]:
    value = odds(chances)
    return {(vertex, left): value(vertex, left) for vertex in chances.vertices for left in range(steps + 1)}


def moves_of(answer: Bounded) -> Callable[[int, int], int | None]:
    """The strategy in places of the list of edges; the game sorts its edges and keeps their names."""

    def move(vertex: int, left: int) -> int | None:
        edge = answer.edge(vertex, left)
        return None if edge is None else int(answer.game.edge_names[edge][1:])

    return move


def as_floats(monkeypatch: pytest.MonkeyPatch, way: Callable[..., object] = compiling.interpreted) -> None:
    monkeypatch.setattr(layers, "EXACT_WORK", -1)
    monkeypatch.setattr(layers, "best_for", lambda kernel, edges: way(kernel))


@pytest.mark.parametrize("number", range(12))
def test_no_strategy_is_better_from_any_vertex_with_any_number_of_moves_left(number):
    tried = 0
    for chances in batch(("tiny", number), 40, most=4):
        steps = Random(number).randint(1, 3)
        options = timed_strategies(chances, steps)
        if np.prod([float(len(option)) for option in options]) > 400:
            continue
        tried += 1
        best: dict[tuple[int, int], Pair] = {}
        for choice in itertools.product(*options):
            strategy = {(vertex, left): edge for vertex, left, edge in choice}
            value = odds(chances, lambda vertex, left, strategy=strategy: strategy[vertex, left])
            for at in itertools.product(chances.vertices, range(steps + 1)):
                best[at] = min(best.get(at, value(*at)), value(*at), key=rank)
        assert table(bounded(chances.game(), "done", steps), steps) == best, chances
    assert tried >= 5


@pytest.mark.parametrize("number", range(20))
def test_values_are_those_of_recursion_and_the_strategy_attains_them(number):
    for chances in batch(number):
        steps = Random(number).randint(0, 12)
        answer = bounded(chances.game(), "done", steps)
        values = table(answer, steps)
        assert answer.exact
        assert values == expected(chances, steps), chances
        own = odds(chances, moves_of(answer))
        assert all(own(vertex, left) == pair for (vertex, left), pair in values.items()), chances


@pytest.mark.parametrize("number", range(10))
@pytest.mark.parametrize("way", [compiling.interpreted, compiling.compiled])
def test_in_floats_the_costs_are_the_same_and_probabilities_differ_by_rounding(monkeypatch, number, way):
    as_floats(monkeypatch, way)
    for chances in batch(number):
        steps = Random(number).randint(0, 12)
        answer = bounded(chances.game(), "done", steps)
        assert not answer.exact
        for at, (chance, cost) in expected(chances, steps).items():
            found = answer.value_of(*at)
            assert found.probability == pytest.approx(float(chance), rel=1e-13)
            assert found.cost == (cost if isinstance(found.cost, Fraction) else pytest.approx(float(cost), rel=1e-13))


@pytest.mark.parametrize("number", range(5))
def test_run_by_python_and_compiled_the_layers_are_the_same_to_the_last_bit(monkeypatch, number):
    for chances in batch(("both", number), most=30):
        found = []
        for way in (compiling.interpreted, compiling.compiled):
            as_floats(monkeypatch, way)
            answer = bounded(chances.game(), "done", 25)
            moves = [answer.changes(vertex) for vertex in chances.vertices]
            found.append((table(answer, 25), moves, answer.settled))
        assert found[0] == found[1]


@pytest.mark.parametrize("number", range(10))
def test_changes_are_listed_only_where_the_move_changes_and_give_back_every_move(number):
    for chances in batch(("changes", number)):
        answer = bounded(chances.game(), "done", 10)
        for vertex in chances.vertices:
            changes = answer.changes(vertex)
            listed = [(-1, None), *changes]
            assert all(a < b and before != after for (a, before), (b, after) in itertools.pairwise(listed))
            for left in range(11):
                assert answer.edge(vertex, left) == [edge for start, edge in listed if start <= left][-1]
            if chances.system[vertex] or vertex in chances.goals:
                assert changes == []


@pytest.mark.parametrize("number", range(10))
def test_once_nothing_changes_more_moves_are_worth_what_recursion_says(number):
    stopped = 0
    for chances in batch(("settled", number)):
        answer = bounded(chances.game(), "done", 40)
        if answer.settled is not None:
            stopped += 1
            assert table(answer, 60) == expected(chances, 60), chances
            short = bounded(chances.game(), "done", answer.settled)
            assert short.values() == answer.values()
            assert [short.edge(v, answer.settled) for v in chances.vertices] == [
                answer.edge(v, 60) for v in chances.vertices
            ]
            own = odds(chances, moves_of(answer))
            assert all(own(vertex, 60) == answer.value_of(vertex, 60) for vertex in chances.vertices)
            if answer.settled > 0:
                before = answer.settled - 1
                same_moves = all(answer.edge(v, before) == answer.edge(v, before + 1) for v in chances.vertices)
                assert answer.values(before) != answer.values() or not same_moves
    assert stopped >= 3


@pytest.mark.parametrize("number", range(5))
@pytest.mark.parametrize("limit", [("_KEPT", 0), ("_LAYERS_AT_ONCE", 1), ("_LAYERS_AT_ONCE", 3)])
def test_values_are_the_same_when_layers_are_computed_in_parts_or_not_kept(monkeypatch, number, limit):
    chosen = batch(("parts", number))
    whole = [(table(answer, 9), answer.settled) for answer in (bounded(c.game(), "done", 9) for c in chosen)]
    monkeypatch.setattr(layers, *limit)
    for chances, found in zip(chosen, whole, strict=True):
        answer = bounded(chances.game(), "done", 9)
        assert (table(answer, 9), answer.settled) == found


@pytest.mark.parametrize("number", range(10))
def test_surely_won_within_so_many_moves_means_probability_1_at_the_cost_of_sure_win(number):
    for game in range(20):
        plain = worst_case.draw((number, game, "sure"), strategies=None, answers=None)
        answer = bounded(plain.game(), "done", 20)
        for left in (0, 1, 2, 5, 20):
            sure = [pair.cost if pair.probability == 1 else None for pair in answer.values(left)]
            assert sure == worst_case.values_within(plain, left), plain


@pytest.mark.parametrize("number", range(5))
def test_more_moves_never_make_the_odds_worse_for_the_tester(number):
    for chances in batch(("monotone", number)):
        answer = bounded(chances.game(), "done", 12)
        for vertex in chances.vertices:
            row = [answer.value_of(vertex, left) for left in range(13)]
            assert all(a.probability <= b.probability for a, b in itertools.pairwise(row))
            if not chances.system[vertex] and vertex not in chances.goals:
                assert all(pair.cost == 0 for pair in row if pair.probability == 0)


def test_the_random_games_hold_every_difficulty_they_are_drawn_for():
    games = [chances for number in range(20) for chances in batch(number)]
    difficulties: dict[str, Callable[[Plain], bool]] = {
        "parallel edges": lambda c: len({(e.source, e.target) for e in c.edges}) < len(c.edges),
        "edges of 0 moves": lambda c: any(not e.moves and e.source not in c.goals for e in c.edges),
        "two of them in a row": lambda c: any(
            not e.moves and not f.moves and e.target == f.source and not {e.source, f.source} & c.goals
            for e, f in itertools.product(c.edges, repeat=2)
        ),
        "an answer of 0 moves": lambda c: any(not e.moves and c.system[e.source] for e in c.edges),
        "0 moves into a goal": lambda c: any(not e.moves and e.target in c.goals for e in c.edges),
        "unequal probabilities": lambda c: any(
            len({c.chance_of(place) for place in c.leaving(vertex)}) > 1 for vertex in c.vertices if c.system[vertex]
        ),
        "missing probabilities": lambda c: any(c.system[e.source] and e.chance is None for e in c.edges),
        "dead end": lambda c: any(not c.leaving(vertex) for vertex in set(c.vertices) - c.goals),
        "goal at the start": lambda c: c.initial in c.goals,
        "goal with edges": lambda c: any(e.source in c.goals for e in c.edges),
        "goal of the system": lambda c: any(c.system[goal] for goal in c.goals),
        "probability between 0 and 1": lambda c: any(0 < odds(c)(v, 6)[0] < 1 for v in c.vertices),
        "a move that changes": lambda c: any(
            len(answer.changes(v)) > 1 for answer in [bounded(c.game(), "done", 8)] for v in c.vertices
        ),
    }
    for name, holds in difficulties.items():
        assert sum(map(holds, games)) >= 5, name


def tie(first: list[str], second: list[str]) -> Game:
    """Two ways, each to an answer that wins with some of the shares given; the second is cheaper."""
    builder = GameBuilder().vertex("s", "tester").vertex("g", "tester", goals=["done"]).vertex("d", "tester")
    for name, shares, cost in (("a", first, 5), ("b", second, 4)):
        builder.vertex(name, "system").edge("s", name, cost=cost)
        for share in shares:
            builder.edge(name, "g", probability=share)
        builder.edge(name, "d", probability=1 - sum(map(Fraction, shares)))
    return builder.build()


@pytest.mark.parametrize("floats", [False, True])
@pytest.mark.parametrize("turned", [False, True])
def test_equal_probabilities_are_equal_though_their_sums_are_rounded_apart(monkeypatch, floats, turned):
    assert 0.1 + 0.2 != 0.3
    if floats:
        as_floats(monkeypatch)
    shares = [["0.3"], ["0.1", "0.2"]]
    answer = bounded(tie(*(shares[::-1] if turned else shares)), "done", 2)
    assert answer.game.names[answer.game.target[answer.edge(0, 2)]] == "b"
    assert answer.value.cost == 5


def test_exact_numbers_tell_apart_what_floats_call_equal(monkeypatch):
    game = tie(["0.30000000000000001"], ["0.3"])
    assert bounded(game, "done", 2).value == (Fraction(30000000000000001, 10**17), 6)
    as_floats(monkeypatch)
    answer = bounded(game, "done", 2)
    assert answer.value.cost == 5
    assert answer.tolerance >= 1e-12


def test_decimals_that_sum_to_almost_1_are_shares_of_their_sum(monkeypatch):
    builder = GameBuilder().vertex("c", "system").vertex("g", "tester", goals=["done"])
    for _ in range(3):
        builder.edge("c", "g", probability="0.3333333333")
    assert bounded(builder.build(), "done", 1).value == (1, 1)
    as_floats(monkeypatch)
    assert bounded(builder.build(), "done", 1).value == (1.0, 1)


def test_a_lost_way_costs_nothing_because_the_tester_gives_up():
    builder = GameBuilder().vertex("s", "tester").vertex("d", "tester").vertex("g", "tester", goals=["done"])
    answer = bounded(builder.edge("s", "d", cost=7).build(), "done", 5)
    assert answer.value == LOST
    assert answer.changes(0) == []
    assert answer.settled == 0


def test_a_move_may_still_change_for_one_as_good_when_no_value_does_any_more():
    """With 3 moves left the first way has become dearer, and the second, just then, as good as the first was."""
    builder = GameBuilder()
    for name in "sud":
        builder.vertex(name, "tester")
    for name in "abw":
        builder.vertex(name, "system")
    builder.vertex("g", "tester", goals=["done"]).edge("s", "a").edge("s", "b")
    builder.edge("a", "g", cost=5).edge("a", "w").edge("w", "d", cost=10)
    builder.edge("b", "u", cost=3).edge("b", "d").edge("u", "g", cost=2)
    answer = bounded(builder.build(), "done", 9)
    assert answer.values(2) == answer.values(3)
    assert answer.changes(0) == [(2, 0), (3, 1)]
    assert answer.settled == 3


def test_a_choice_and_its_answer_are_one_move():
    builder = GameBuilder().vertex("q", "tester").vertex("(q, a)", "system").vertex("g", "tester", goals=["done"])
    game = builder.edge("q", "(q, a)", "?a", cost=0, moves=0).edge("(q, a)", "g", "?a").build()
    answer = bounded(game, "done", 1)
    assert answer.value == (1, 1)
    assert answer.changes(0) == [(1, 0)]
    assert bounded(game, "done", 0).value == LOST
    assert bounded(game, "(q, a)", 0).value == (1, 0)  # deciding takes no move


def test_a_cycle_of_0_moves_is_refused_and_named_unless_a_goal_ends_it():
    builder = GameBuilder().vertex("far", "tester")
    builder.vertex("a", "tester").vertex("b", "system").vertex("g", "tester", goals=["done"])
    builder.edge("a", "b", moves=0).edge("b", "a", moves=0).edge("b", "g").edge("far", "a", moves=0)
    with pytest.raises(GameError, match="edges of 0 moves form a cycle, 'a' → 'b' → 'a'; give one of them 1 move"):
        bounded(builder.build(), "done", 3)
    assert bounded(builder.build(), "b", 0).values() == [(1, 2), (1, 1), (1, 0), (0, 0)]


def test_a_label_may_be_the_goal():
    builder = GameBuilder().vertex("s", "tester").vertex("c", "system")
    game = builder.edge("s", "c", "?go").edge("c", "s", "!yes").edge("c", "s", "!no").build()
    assert bounded(game, "!yes", 4).value == (Fraction(3, 4), 4)
    assert bounded(game, ["!yes", "!no"], 4).value == (1, 2)


def test_numbers_of_moves_that_make_no_sense_are_refused():
    game = GameBuilder().vertex("s", "system").vertex("g", "tester", goals=["done"]).edge("s", "s").build()
    with pytest.raises(UsageError, match="the number of moves is -1; give 0 or more"):
        bounded(game, "done", -1)
    answer = bounded(game, "done", 3)
    assert answer.settled is None  # the cost of going round grows for ever
    for left in (-1, 4):
        with pytest.raises(UsageError, match=f"{left} moves left were asked for; this answer is for 0 to 3"):
            answer.value_of(0, left)
        with pytest.raises(UsageError):
            answer.edge(0, left)


large = functools.partial(large_game, vertices=16_000, costs=range(100), goals=80)


def by_numpy(game: Game, steps: int) -> tuple[np.ndarray, np.ndarray]:
    """The definition on whole arrays, equal probabilities within 1e-12."""
    owner, first, cost = game.owner, game.first[:-1].astype(int), game.cost.floats
    chance, worst = np.zeros(game.vertex_count), np.zeros(game.vertex_count)
    goals = game.goals["done"]
    chance[goals] = 1
    filled = np.diff(game.first) > 0
    degree = np.maximum(np.diff(game.first), 1)
    for _ in range(steps):
        p, c = chance[game.target], cost + worst[game.target]
        total, top = np.zeros_like(chance), np.zeros_like(chance)
        highest, cheapest = np.zeros_like(chance), np.full_like(chance, np.inf)
        total[filled] = np.add.reduceat(p, first[filled]) / degree[filled]
        top[filled] = np.maximum.reduceat(c, first[filled])
        highest[filled] = np.maximum.reduceat(p, first[filled])
        good = np.where(p >= highest[game.source] * (1 - 1e-12), c, np.inf)
        cheapest[filled] = np.minimum.reduceat(good, first[filled])
        cheapest[highest == 0] = 0
        chance, worst = np.where(owner == 1, total, highest), np.where(owner == 1, top, cheapest)
        chance[goals], worst[goals] = 1, 0
    return chance, worst


@pytest.mark.parametrize("seed", range(3))
def test_a_large_game_is_solved_in_floats_as_whole_arrays_would(seed):
    game = large(seed)
    answer = bounded(game, "done", 30)
    assert not answer.exact
    chance, worst = by_numpy(game, 30)
    found = np.array([tuple(map(float, pair)) for pair in answer.values()])
    assert np.allclose(found[:, 0], chance, rtol=1e-11, atol=0)
    assert np.array_equal(found[:, 1], worst)
    assert 0.05 < np.mean((chance > 0) & (chance < 1 - 1e-9)) < 1


@pytest.mark.skipif(not DATA.exists(), reason="no folder shared/data beside the repository")
@pytest.mark.parametrize(
    ("file", "goal", "steps", "probability"),
    [
        ("consensus-2-2.drn", "finished", 40, 0.533203125),
        ("consensus-2-2.drn", "finished", 100, 0.9041842818260193),
        ("csma-2-2.drn", "all_delivered", 100, 0.8803846035152674),
        ("firewire-3.drn", "done", 100, 0.25),
    ],
)
def test_published_models_are_won_with_the_probability_that_storm_finds(file, goal, steps, probability):
    """Pmax of reaching the goal within so many steps; a choice and its outcome are one step there and one move here."""
    assert float(bounded(read_model(DATA / file), goal, steps).value.probability) == pytest.approx(probability, 1e-12)
