"""Priced jokers against the definition: least price first, then least cost paying no more, and the strategy itself."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import product
from random import Random

import pytest

from helpers.games import Edge
from helpers.jokers import draw
from helpers.seeds import seeds
from outplay import Game, GameBuilder, automaton, explore
from outplay.errors import CertificateError, UsageError
from outplay.formats.registry import write_model
from outplay.runs.job import Job
from outplay.runs.queries.solved_job import solve_job
from outplay.runs.recorded_run import run_job
from outplay.strategy.jokers.joker import joker
from outplay.strategy.jokers.priced import NoPricedStrategy, Priced, PricedStrategy, priced_joker
from outplay.strategy.jokers.prices import Prices, read_prices

NEVER = 10**9
LABELS = ("?in", "!out", "delta", "!dear", "!never")


def drawn(seed: object, most: int = 8) -> Game:
    """Every label with a price occurs, at the goal."""
    plain = draw(seed, most=most, costs=(0, 1, 1, 2, 5), labels=LABELS)
    dear, never = (Edge(0, 0, label=label) for label in ("!dear", "!never"))
    return replace(plain, edges=(*plain.edges, dear, never), goals=frozenset({0})).game()


def whole_prices(seed: int) -> dict[str, int | None]:
    rng = Random(seed)
    return {label: rng.choice((0, 1, 2, 3)) for label in LABELS} | {"!dear": 4, "!never": None}


def as_prices(prices: dict[str, int | None]) -> Prices:
    extra = {label: prices[label] for label in ("!dear", "!never")}
    return Prices(output=prices["!out"], conflict=prices["?in"], silence=prices["delta"], labels=extra)


def within(game: Game, prices: dict[str, int | None], most: int, steps: int) -> list[list[int]]:
    """The definition with memory: least worst-case cost to be at the goal after so many steps, by what is in hand."""
    table = [[0 if vertex == 0 else NEVER for vertex in range(game.vertex_count)] for _ in range(most + 1)]
    for _ in range(steps):
        before = [list(row) for row in table]
        for hand, vertex in product(range(most + 1), range(1, game.vertex_count)):
            edges = [(int(game.cost[e]), int(game.target[e]), prices[game.label_of(e)]) for e in game.edges_of(vertex)]
            offers = [cost + before[hand][to] for cost, to, _ in edges]
            if game.owner[vertex] == 1:
                asked = [(c, to, price) for c, to, price in edges if price is not None and price <= hand]
                offers = [max(offers, default=NEVER), *(c + before[hand - price][to] for c, to, price in asked)]
            table[hand][vertex] = min([NEVER, *offers])
        if table == before:
            return table
    return table


@pytest.mark.parametrize("number", range(10))
def test_prices_and_costs_of_all_vertices_are_those_of_the_definition_with_memory(number):
    for seed in range(25):
        game, prices = drawn((number, seed)), whole_prices(seed)
        result = priced_joker(game, "done", as_prices(prices))
        most = 4 * game.vertex_count
        table = within(game, prices, most, steps=10_000)
        for vertex, row in enumerate(result.offers):
            enough = [hand for hand in range(most + 1) if table[hand][vertex] < NEVER]
            assert [tuple(offer[:2]) for offer in row[:1]] == [(hand, table[hand][vertex]) for hand in enough[:1]]


def worst_play(game: Game, result, prices, vertex: int, hand: int, before: frozenset = frozenset()) -> int | None:
    """The worst cost of following the strategy with so much in hand; None where it need not arrive or overspends."""
    if vertex == 0:
        return 0
    edge = result.edge(vertex, hand)
    price = prices[game.label_of(edge)] if edge is not None and game.owner[vertex] == 1 else 0
    if (vertex, hand) in before or price is None or price > hand:
        return None
    costs = []
    for taken in game.edges_of(vertex) if edge is None else [edge]:
        beyond = worst_play(game, result, prices, int(game.target[taken]), hand - price, before | {(vertex, hand)})
        if beyond is None:
            return None
        costs.append(int(game.cost[taken]) + beyond)
    return max(costs, default=None)


@pytest.mark.parametrize("number", range(10))
def test_the_strategy_followed_against_all_answers_pays_and_costs_what_it_promises(number):
    followed = 0
    for seed in range(25):
        game, prices = drawn((number, seed), most=7), whole_prices(seed)
        result = priced_joker(game, "done", as_prices(prices))
        if isinstance(result, PricedStrategy):
            for vertex in range(game.vertex_count):
                value = result.value_of(vertex)
                if value is not None:
                    assert worst_play(game, result, prices, vertex, int(value.price)) == value.cost
                    followed += 1
    assert followed > 15


@pytest.mark.parametrize("number", range(10))
def test_with_all_prices_one_and_moves_counted_it_is_the_joker_game(number):
    for seed in range(20):
        game = drawn(("same", number, seed), most=12)
        priced, unpriced = priced_joker(game, "done", count="moves"), joker(game, "done")
        for vertex, row in enumerate(priced.offers):
            assert [offer[:2] for offer in row] == [change[:2] for change in unpriced.solution.changes(vertex)]


@seeds(range(400), quick=40)
def test_the_checker_confirms_every_answer_and_no_better_or_worse_one(seed: int):
    rng = Random(f"claims {seed}")
    result = priced_joker(drawn(("claims", seed)), "done", as_prices(whole_prices(seed)))
    result.check()
    vertex = rng.choice([vertex for vertex, row in enumerate(result.offers) if row])
    place = rng.randrange(len(result.offers[vertex]))
    right = result.offers[vertex][place]
    changed = [
        right._replace(cost=right.cost + rng.choice((-1, 1))),
        right._replace(left=right.left + rng.choice((-1, 1, Fraction(1, 2)))),
    ]
    for wrong in changed:
        offers = [list(row) for row in result.offers]
        offers[vertex][place] = wrong
        with pytest.raises(CertificateError):
            replace(result, offers=offers).check()
    dropped = [[] if at == vertex else row for at, row in enumerate(result.offers)]
    with pytest.raises(CertificateError):
        replace(result, offers=dropped).check()


def test_prices_are_read_and_mistakes_told():
    assert read_prices("output=1/2,conflict=never").conflict is None
    assert read_prices("delta=3, !say a=b=4").labels == {"delta": "3", "!say a=b": "4"}
    for wrong in ("output", "output=", "outputs=3", "output=much", ""):
        with pytest.raises(UsageError, match="--price"):
            read_prices(wrong)


def test_priced_help_is_solved_and_played():
    write_model("conflict.aut", automaton(STEPS))
    job = Job("conflict.aut", goal=("g",), objective="joker", options=("price=conflict=5/2",))
    solved = solve_job(job)
    assert solved.certificate["checked"]
    assert solved.json()["value"] == {"price": 2, "cost": 2}
    assert "  t: !x (joker, price 1)" in solved.lines()
    played = run_job(replace(job, sut="model:conflict.aut", plays=40))
    assert 0 < played.verdict.reached < 40


STEPS = [("s", "?a", "g"), ("s", "!x", "t"), ("s", "!y", "lost"), ("t", "!x", "g"), ("t", "!y", "lost")]


def conflict() -> Game:
    """From s the goal is behind an input that the system may forestall, or behind two outputs that it may choose."""
    return explore(automaton(STEPS))


def first_help(result: PricedStrategy) -> str:
    """What the first joker asks for, behind the tester's first choice."""
    asked = int(result.game.target[result.edge(result.game.initial)])
    assert result.plays_joker(asked, result.value.price)
    return result.game.label_of(result.edge(asked, result.value.price))


def test_dear_conflicts_are_avoided_and_cheap_ones_chosen():
    game = conflict()
    equal = priced_joker(game, "g")
    assert equal.value == Priced(Fraction(1), Fraction(1))
    assert first_help(equal) == "?a"
    dear = priced_joker(game, "g", Prices(conflict="5/2"))
    assert dear.value == Priced(Fraction(2), Fraction(2))
    assert first_help(dear) == "!x"
    assert priced_joker(game, "g", Prices(conflict="3/2")).value == Priced(Fraction(3, 2), Fraction(1))
    assert priced_joker(game, "g", Prices(conflict=0)).value == Priced(Fraction(0), Fraction(1))
    assert repr(dear) == "PricedStrategy(g needs help at a price of 2, and then cost 2 at most)"


def test_help_that_cannot_be_had_leaves_the_system_a_way_to_block():
    game = conflict()
    result = priced_joker(game, "g", Prices(conflict=None, labels={"!x": None}))
    assert isinstance(result, NoPricedStrategy)
    assert result.value is None
    names = {game.names[vertex] for vertex in result.blocking.tolist()}
    assert {"s", "s ?a", "s wait"} <= names
    assert "g" not in names
    assert priced_joker(game, "g", Prices(conflict=None)).value == Priced(Fraction(2), Fraction(2))


def test_silence_and_single_labels_have_their_own_prices():
    game = explore(automaton([("s", "delta", "t"), ("s", "!x", "s"), ("t", "!y", "g"), ("t", "!z", "t")]))
    prices = Prices(output=7, silence="1/3", labels={"!y": "1/2"})
    assert priced_joker(game, "g", prices).value == Priced(Fraction(5, 6), Fraction(2))


def test_prices_that_make_no_sense_are_refused_in_one_line():
    with pytest.raises(UsageError, match="a joker cannot cost -1; prices are at least 0"):
        priced_joker(conflict(), "g", Prices(output=-1))
    with pytest.raises(UsageError, match="a price for '!q', but no edge carries that label"):
        priced_joker(conflict(), "g", Prices(labels={"!q": 1}))


def test_what_is_left_over_after_unasked_help_is_spent_to_save_cost():
    builder = GameBuilder().vertex("s", "system").vertex("w", "system").vertex("q", "system").vertex("lost", "tester")
    builder.vertex("g", "tester", goals=["g"]).edge("s", "w", "!x").edge("s", "q", "!x")
    builder.edge("w", "g", "!x").edge("w", "lost", "!x")
    game = builder.edge("q", "g", "!x").edge("q", "g", "!y", cost=9).build()
    result = priced_joker(game, "g", Prices(output=2))
    assert result.value == Priced(Fraction(2), Fraction(2))
    assert result.value_of(2) == Priced(Fraction(0), Fraction(9))
    assert (result.plays_joker(2), result.plays_joker(2, 1), result.plays_joker(2, 2)) == (False, False, True)
