"""The checker accepts what the definition says, and nothing that the definition contradicts."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, replace
from fractions import Fraction
from random import Random

import pytest

from helpers import chance as oracle
from helpers.games import Plain
from outplay.errors import CertificateError
from outplay.strategy.certificate.check_chance import check_expected, check_probability

BATCH = 25
TINY = Fraction(1, 10**30)


@dataclass(frozen=True)
class Claim:
    """What the checker is told; `levels` only where the cost is asked for. Choices are places in the list of edges."""

    low: list
    high: list
    choices: list
    ranks: list
    levels: list | None

    def accepted(self, plain, game=None):
        game = plain.game() if game is None else game
        number_of = {int(name[1:]): number for number, name in enumerate(game.edge_names)}
        choices = [number_of.get(place, place) for place in self.choices]
        told = (game, plain.goals, self.low, self.high, choices, self.ranks)
        try:
            check_probability(*told) if self.levels is None else check_expected(*told, self.levels)
        except CertificateError:
            return False
        return True

    def at(self, part, vertex, new):
        column = list(getattr(self, part))
        column[vertex] = new
        return replace(self, **{part: column})


def ranks_of(plain, strategy):
    """Steps to a goal along the strategy and any answers; 0 where there is no way."""
    rank = dict.fromkeys(plain.goals, 0)
    while True:
        new = {
            vertex: 1 + min(rank[target] for _, _, target in oracle.steps(plain, vertex, strategy) if target in rank)
            for vertex in plain.vertices
            if vertex not in rank and any(target in rank for _, _, target in oracle.steps(plain, vertex, strategy))
        }
        if not new:
            return [rank.get(vertex, 0) for vertex in plain.vertices]
        rank |= new


def levels_of(plain):
    """In each round all that stays where it is, or where it was cut before, whatever the tester does."""
    level = {}
    for number in itertools.count():
        stuck = set(plain.vertices) - plain.goals - level.keys()
        while True:
            escaping = set()
            for vertex in stuck:
                targets = {plain.edges[place][1] for place in plain.leaving(vertex)}
                if not targets <= stuck | level.keys() and not (plain.system[vertex] and targets & level.keys()):
                    escaping.add(vertex)
            if not escaping:
                break
            stuck -= escaping
        if not stuck:
            return [level.get(vertex, -1) for vertex in plain.vertices]
        level |= dict.fromkeys(stuck, number)


def expected_claim(plain):
    """The definition's own answer, as exact numbers."""
    values = oracle.least_costs(plain)
    strategy = next(s for s in plain.strategies() if oracle.costs_of(plain, s) == values)
    choices = [strategy.get(vertex, -1) for vertex in plain.vertices]
    return Claim(values, values, choices, ranks_of(plain, strategy), levels_of(plain))


def probability_claim(plain):
    values = oracle.greatest_probabilities(plain)
    strategy = next(s for s in plain.strategies() if oracle.probabilities_of(plain, s) == values)
    choices = [strategy.get(vertex, -1) for vertex in plain.vertices]
    return Claim(values, values, choices, ranks_of(plain, strategy), None)


def is_true(plain, truth, claim):
    """The bounds hold, the strategy keeps what is promised, and what is called out of reach is."""
    strategy = {v: place for v, place in enumerate(claim.choices) if not plain.system[v] and v not in plain.goals}
    strategy = {v: place for v, place in strategy.items() if place in plain.leaving(v)}
    if claim.levels is None:
        got = oracle.probabilities_of(plain, strategy)
        return all(claim.low[v] <= got[v] and truth[v] <= claim.high[v] for v in plain.vertices)
    got = oracle.costs_of(plain, strategy)
    for vertex in plain.vertices:
        low, high, value = claim.low[vertex], claim.high[vertex], truth[vertex]
        if value is None or low is None or high is None:
            if not low is high is value is None:
                return False
        elif not (low <= value and got[vertex] is not None and got[vertex] <= high):
            return False
    return True


def mutations(plain, claim, rng):
    """Everything that can be wrong at one vertex, and some things that are wrong at several at once."""
    for vertex in plain.vertices:
        for part, direction in (("low", 1), ("high", -1)):
            value = getattr(claim, part)[vertex]
            wrong = [Fraction(0), Fraction(1), Fraction(1, 2), None] if claim.levels is not None else [Fraction(0), 1]
            if value is not None:
                wrong += [value + direction * TINY, value - direction * TINY, value + direction, value * 2, value / 2]
            yield from (claim.at(part, vertex, new) for new in wrong if new != value)
        for new in {claim.ranks[vertex] + 1, claim.ranks[vertex] - 1, -1, 10**9} - {claim.ranks[vertex]}:
            yield claim.at("ranks", vertex, new)
        for new in {-1, len(plain.edges), *range(len(plain.edges))} - {claim.choices[vertex]}:
            yield claim.at("choices", vertex, new)
            yield replace(claim.at("choices", vertex, new), ranks=rng.sample(claim.ranks, len(claim.ranks)))
        if claim.levels is not None:
            yield from (claim.at("levels", vertex, new) for new in range(-2, 3) if new != claim.levels[vertex])
            yield claim.at("levels", vertex, 1).at("low", vertex, None).at("high", vertex, None)
            finite = [Fraction(5) if value is None else value for value in claim.high]
            yield replace(claim, high=finite, low=[0 if v is None else v for v in claim.low], levels=[-1] * len(finite))
    away = [vertex not in plain.goals for vertex in plain.vertices]
    for part, more in itertools.product(("low", "high"), (-1, -TINY, TINY, 1)):
        column = [v if v is None or not a else v + more for v, a in zip(getattr(claim, part), away, strict=True)]
        yield replace(claim, **{part: column})
    yield replace(claim, ranks=[0] * len(claim.ranks))
    yield replace(claim, ranks=[-rank for rank in claim.ranks])
    yield replace(claim, choices=rng.sample(claim.choices, len(claim.choices)))


@pytest.mark.parametrize("number", range(10))
def test_what_the_definition_says_is_accepted(number):
    for game_number in range(BATCH):
        plain = oracle.draw(("accepted", number, game_number))
        assert expected_claim(plain).accepted(plain), plain
        assert probability_claim(plain).accepted(plain), plain


def verdicts(make, truth_of, seed, games=BATCH):
    """How many changed claims were accepted and refused; none that is accepted contradicts the definition."""
    counts = {True: 0, False: 0}
    rng = Random(f"{seed}")
    for game_number in range(games):
        plain = oracle.draw((seed, game_number), most=5, strategies=12)
        game, truth = plain.game(), truth_of(plain)
        for claim in mutations(plain, make(plain), rng):
            verdict = claim.accepted(plain, game)
            assert not verdict or is_true(plain, truth, claim), (plain, claim)
            counts[verdict] += 1
    return counts


@pytest.mark.parametrize("number", range(5))
def test_no_changed_claim_of_cost_is_accepted_that_the_definition_contradicts(number):
    counts = verdicts(expected_claim, oracle.least_costs, ("changed cost", number))
    assert counts[False] > 1000
    assert counts[True] > 100


@pytest.mark.parametrize("number", range(5))
def test_no_changed_claim_of_probability_is_accepted_that_the_definition_contradicts(number):
    counts = verdicts(probability_claim, oracle.greatest_probabilities, ("changed probability", number))
    assert counts[False] > 1000
    assert counts[True] > 100


@pytest.mark.long
@pytest.mark.parametrize("number", range(40))
def test_the_same_for_a_million_changed_claims(number):
    verdicts(expected_claim, oracle.least_costs, ("long cost", number), games=200)
    verdicts(probability_claim, oracle.greatest_probabilities, ("long probability", number), games=200)


@pytest.mark.parametrize("number", range(10))
def test_an_exact_value_moved_by_next_to_nothing_the_wrong_way_is_refused(number):
    moved = 0
    for game_number in range(BATCH):
        plain = oracle.draw(("moved", number, game_number))
        for claim in (expected_claim(plain), probability_claim(plain)):
            for vertex in plain.vertices:
                if claim.low[vertex] is not None and vertex not in plain.goals:
                    assert not claim.at("low", vertex, claim.low[vertex] + TINY).accepted(plain)
                    assert not claim.at("high", vertex, claim.high[vertex] - TINY).accepted(plain)
                    moved += 1
    assert moved > BATCH


def line(*costs):
    """Tester vertices in a row to a goal."""
    edges = tuple((place, place + 1, Fraction(cost), None) for place, cost in enumerate(costs))
    return Plain((False,) * (len(costs) + 1), edges, frozenset({len(costs)}))


def test_the_last_bit_of_a_float_decides():
    plain = line("1/10")
    below = 0.09999999999999999  # 0.1 as a float is a little more than a tenth
    for low, high, right in ((below, 0.1, True), (0.1, 0.1, False), (below, below, False)):
        assert Claim([low, 0.0], [high, 0.0], [0, -1], [1, 0], [-1, -1]).accepted(plain) == right


def test_the_last_bit_of_a_probability_decides():
    edges = ((0, 1, Fraction(1), Fraction(1, 10)), (0, 2, Fraction(1), Fraction(9, 10)))
    plain = Plain((True, False, False), edges, frozenset({1}))
    below = math.nextafter(0.1, 0)
    for low, high, right in ((below, 0.1, True), (0.1, 0.1, False), (below, below, False), (0.0, 1.0, True)):
        assert Claim([low, 1.0, 0.0], [high, 1.0, 0.0], [-1] * 3, [1, 0, 0], None).accepted(plain) == right


@pytest.mark.parametrize("value", [0, 3])
def test_going_round_for_nothing_never_arrives_whatever_the_ranks(value):
    """Both values satisfy every inequality of cost; only ranks tell that the play never arrives."""
    edges = ((0, 1, Fraction(0), None), (1, 0, Fraction(0), None), (1, 2, Fraction(5), None))
    plain = Plain((False, False, False), edges, frozenset({2}))
    values = [Fraction(value), Fraction(value), Fraction(0)]
    for ranks in itertools.product(range(-1, 4), repeat=3):
        assert not Claim(values, values, [0, 1, -1], list(ranks), [-1] * 3).accepted(plain)
        assert not Claim([1, 1, 1], [1, 1, 1], [0, 1, -1], list(ranks), None).accepted(plain)
    assert Claim([5, 5, 0], [5, 5, 0], [0, 2, -1], [2, 1, 0], [-1] * 3).accepted(plain)
    assert Claim([1, 1, 1], [1, 1, 1], [0, 2, -1], [2, 1, 0], None).accepted(plain)


def test_a_system_that_goes_round_for_nothing_never_arrives_whatever_the_ranks():
    edges = ((0, 1, Fraction(0), None), (1, 0, Fraction(0), None))
    plain = Plain((True, True, False), edges, frozenset({2}))
    for ranks in itertools.product(range(-1, 4), repeat=3):
        assert not Claim([0, 0, 0], [0, 0, 0], [-1] * 3, list(ranks), [-1] * 3).accepted(plain)
        assert not Claim([1, 1, 1], [1, 1, 1], [-1] * 3, list(ranks), None).accepted(plain)


def test_no_levels_put_a_loop_out_of_reach_that_is_left_in_the_end():
    edges = ((0, 1, Fraction(1), None), (1, 0, Fraction(1), None), (1, 2, Fraction(1), None))
    plain = Plain((False, True, False), edges, frozenset({2}))
    for levels in itertools.product(range(-1, 4), repeat=2):
        bounds = [None if level >= 0 else Fraction(3) for level in levels]
        claim = Claim([*bounds, 0], [*bounds, 0], [0, -1, -1], [2, 1, 0], [*levels, -1])
        assert not claim.accepted(plain)
    assert Claim([4, 3, 0], [4, 3, 0], [0, -1, -1], [2, 1, 0], [-1] * 3).accepted(plain)


def test_a_probability_may_not_live_on_a_rank_that_falls_to_where_there_is_none():
    """From 0 the play goes round with the system, or is lost: never to the goal 3."""
    edges = ((0, 1, Fraction(1), None), (1, 0, Fraction(1), Fraction(1, 2)), (1, 2, Fraction(1), Fraction(1, 2)))
    plain = Plain((False, True, False, False), edges, frozenset({3}))
    for low in (Fraction(1), Fraction(1, 2), TINY):
        for ranks in itertools.product(range(3), repeat=3):
            claim = Claim([low, low, 0, 1], [1, 1, 1, 1], [0, -1, -1, -1], [*ranks, 0], None)
            assert not claim.accepted(plain)


def test_absent_probabilities_count_as_equal_and_sums_near_one_as_one():
    third = Fraction(333333333, 10**9)
    for chances in ((None,) * 3, (third,) * 3):
        edges = tuple((0, 1 + min(place, 1), Fraction(place), chance) for place, chance in enumerate(chances))
        plain = Plain((True, False, False), edges, frozenset({1, 2}))
        assert Claim([1, 0, 0], [1, 0, 0], [-1] * 3, [1, 0, 0], [-1] * 3).accepted(plain)
        assert not Claim([1 + TINY, 0, 0], [2, 0, 0], [-1] * 3, [1, 0, 0], [-1] * 3).accepted(plain)
        assert not Claim([0, 0, 0], [1 - TINY, 0, 0], [-1] * 3, [1, 0, 0], [-1] * 3).accepted(plain)


def test_numbers_of_all_lengths_are_taken():
    """Denominators that have no short common multiple, and floats at the end of their range."""
    costs = [Fraction(1, 2**300 + 2 * place + 1) for place in range(40)]
    plain = line(*costs)
    values = [sum(costs[place:], Fraction(0)) for place in range(41)]
    ranks = list(range(40, -1, -1))
    claim = Claim(values, values, [*range(40), -1], ranks, [-1] * 41)
    assert claim.accepted(plain)
    assert not claim.at("low", 0, values[0] + Fraction(1, 10**4000)).accepted(plain)
    wide = replace(claim, low=[5e-324 * (place < 40) for place in range(41)], high=[*[1.7e308] * 40, 0.0])
    assert not wide.accepted(plain)
    assert replace(wide, high=[*[float(place) for place in range(40, 0, -1)], 0.0]).accepted(plain)


@pytest.mark.parametrize("wrong", [math.nan, -math.inf])
def test_what_is_no_number_is_refused(wrong):
    assert not Claim([wrong, 0.0], [1.0, 0.0], [0, -1], [1, 0], [-1, -1]).accepted(line(1))
    assert not Claim([0.0, 1.0], [wrong, 1.0], [0, -1], [1, 0], None).accepted(line(1))


def test_infinity_and_none_both_say_that_no_cost_is_enough():
    plain = Plain((False, False), (), frozenset({1}))
    for endless in (None, math.inf):
        assert Claim([endless, 0], [endless, 0], [-1, -1], [0, 0], [0, -1]).accepted(plain)
        assert not Claim([endless, 0], [endless, 0], [-1, -1], [0, 0], [-1, -1]).accepted(plain)
        assert not Claim([endless, endless], [endless, endless], [-1, -1], [0, 0], [0, 0]).accepted(plain)
        assert not Claim([endless, 1], [1, 1], [-1, -1], [0, 0], None).accepted(plain)


def test_a_claim_of_another_length_is_refused():
    game = line(1).game()
    right = [[1, 0], [1, 0], [0, -1], [1, 0], [-1, -1]]
    assert check_expected(game, {1}, *right).vertices == 2
    for place in range(5):
        wrong = [column[:1] if number == place else column for number, column in enumerate(right)]
        with pytest.raises(CertificateError, match="a game of 2"):
            check_expected(game, {1}, *wrong)


def test_a_refusal_names_the_vertex_and_what_is_wrong():
    game = line(1).game()
    with pytest.raises(CertificateError, match=r"at vertex 'v0': the chosen edge costs more than is claimed; this"):
        check_expected(game, {1}, [0, 0], [0, 0], [0, -1], [1, 0], [-1, -1])
    with pytest.raises(
        CertificateError, match=r"at vertex 'v0': a move is more likely to arrive than is claimed; this"
    ):
        check_probability(game, {1}, [0, 1], [0, 1], [0, -1], [1, 0])
