"""Blackjack (paper 000, section 3.3.3): the model of the examples, its known answers, and a second method."""

from __future__ import annotations

import re
import sys
from fractions import Fraction
from functools import cache
from types import ModuleType

import pytest

from helpers.places import ROOT
from outplay import Game, Process, Timing, explore, run
from outplay.model.programs.load import load_module, load_program
from outplay.strategy.bounded import bounded
from outplay.strategy.probability import probability

BLACKJACK = ROOT / "examples" / "blackjack"
MODEL = f"{BLACKJACK / 'model.py'}:Blackjack"
ONE_DECK = {card: 16 if card == 10 else 4 for card in range(1, 11)}
ALL_CARDS = 52
Cards = tuple[int, ...]

HIT = Fraction(22296647489, 94705393860)
KNOWN = [
    (8, (8, 9), "?hit", HIT),
    (6, (2, 10), "?stand", Fraction(4417592857, 10522821540)),
    (6, (1, 7), "?stand", Fraction(2076929027, 3607824528)),
]


def points(hand: Cards) -> int:
    """The best count that is not above 21 if there is one: try each ace as 11."""
    counts = {sum(hand) + 10 * raised for raised in range(hand.count(1) + 1)}
    return max((count for count in counts if count <= 21), default=min(counts))


def average(out: Cards, worth: dict[int, Fraction]) -> Fraction:
    """The mean over the next card, when some are out of the deck."""
    left = {card: count - out.count(card) for card, count in ONE_DECK.items()}
    return sum((left[card] * value for card, value in worth.items()), Fraction(0)) / sum(left.values())


@cache
def standing(mine: Cards, theirs: Cards) -> Fraction:
    """How likely standing wins, by the rules: the dealer draws to 17; a tie is no win."""
    if points(theirs) >= 17:
        return Fraction(points(theirs) > 21 or points(mine) > points(theirs))
    out = mine + theirs
    worth = {c: standing(mine, with_card(theirs, c)) for c in ONE_DECK if out.count(c) < ONE_DECK[c]}
    return average(out, worth)


@cache
def hitting(mine: Cards, dealer: int) -> Fraction:
    out = (*mine, dealer)
    worth = {c: best(with_card(mine, c), dealer) for c in ONE_DECK if out.count(c) < ONE_DECK[c]}
    return average(out, worth)


@cache
def best(mine: Cards, dealer: int) -> Fraction:
    return Fraction(0) if points(mine) > 21 else max(standing(mine, (dealer,)), hitting(mine, dealer))


def with_card(hand: Cards, card: int) -> Cards:
    return tuple(sorted((*hand, card)))


@cache
def game_of(dealer: int, player: Cards) -> Game:
    return explore(load_program(MODEL, [f"dealer={dealer}", f"player={player}"]))


@pytest.mark.parametrize(
    ("dealer", "player", "action", "chance"),
    [KNOWN[0], *(pytest.param(*row, marks=pytest.mark.long) for row in KNOWN[1:])],
)
def test_the_known_answers_come_out_exactly(dealer: int, player: Cards, action: str, chance: Fraction):
    game = game_of(dealer, player)
    answer = probability(game, "won", epsilon=0)
    assert answer.value_of(game.initial) == chance
    assert game.label_of(answer.bounds.edge(game.initial)) == action


@pytest.mark.long
@pytest.mark.parametrize(("dealer", "player", "action", "chance"), KNOWN)
def test_with_a_bound_of_all_cards_as_in_the_paper_the_answers_are_the_same(
    dealer: int, player: Cards, action: str, chance: Fraction
):
    game = game_of(dealer, player)
    answer = bounded(game, "won", ALL_CARDS)
    assert float(answer.value.probability) == pytest.approx(float(chance), rel=1e-9)
    assert game.label_of(answer.edge(game.initial, ALL_CARDS)) == action


def test_eight_and_nine_against_an_eight_is_hit_at_the_printed_probability():
    game = game_of(8, (8, 9))
    assert bounded(game, "won", ALL_CARDS).value.probability == HIT
    answer = probability(game, "won")
    low, high = answer.interval(game.initial)
    assert low <= HIT <= high
    assert str(answer.value).startswith("0.2354316")


def test_eight_and_nine_with_few_moves_left_is_stand():
    """Hitting takes a card and its answer before the dealer can be beaten."""
    game = game_of(8, (8, 9))
    changes = bounded(game, "won", ALL_CARDS).changes(game.initial)
    assert [(left, game.label_of(edge)) for left, edge in changes] == [(3, "?stand"), (7, "?hit")]


def test_the_second_method_gives_the_known_answers():
    for dealer, player, action, chance in KNOWN[:2]:
        assert best(player, dealer) == chance
        assert (standing(player, (dealer,)) == chance) == (action == "?stand")
    assert f"{float(standing((8, 9), (8,))):.7f}" == "0.2341131"
    assert standing((1, 7), (6,)) == KNOWN[2][3]


@pytest.mark.parametrize("dealer", [1, 7, 10])
@pytest.mark.parametrize("player", [(10, 10), (8, 9), (6, 10)])
def test_the_model_and_the_second_method_agree_exactly(dealer: int, player: Cards):
    game = game_of(dealer, player)
    assert probability(game, "won", epsilon=0).value_of(game.initial) == best(player, dealer)


def script() -> ModuleType:
    """The script that makes the table."""
    return load_module(str(BLACKJACK / "table.py"))


def page() -> dict[tuple[int, Cards], str]:
    """The cells of the table in the documentation, by dealer and pair."""
    rows = re.findall(r"^\| (.*) \|$", (ROOT / "docs" / "blackjack.md").read_text(encoding="utf-8"), re.MULTILINE)
    head, _, *body = [[cell.strip(" *") for cell in row.split("|")] for row in rows]
    cards = {"A": 1} | {str(card): card for card in ONE_DECK}
    return {
        (cards[dealer], tuple(cards[card] for card in row[0].split(", "))): cell
        for row in body
        for dealer, cell in zip(head[1:], row[1:], strict=True)
    }


def test_the_table_in_the_documentation_is_whole():
    pairs = [(first, second) for first in ONE_DECK for second in ONE_DECK if first <= second]
    assert set(page()) == {(dealer, pair) for dealer in ONE_DECK for pair in pairs}


def test_cells_of_the_table_are_what_is_computed():
    table, shown = script(), page()
    answers = table.advise((8, 10), ((8, 9), (10, 10)))
    assert {deal: table.cell(one) for deal, one in answers.items()} == {deal: shown[deal] for deal in answers}


def test_cells_of_the_table_are_what_the_second_method_says():
    for (dealer, pair), cell in page().items():
        if dealer >= 7 and sum(pair) >= 17:
            stand, hit = standing(pair, (dealer,)), hitting(pair, dealer)
            assert cell == f"{'hit' if hit > stand else 'stand'} {float(max(stand, hit)):.4f}"


@pytest.mark.long
def test_the_whole_table_is_what_is_computed():
    table, shown = script(), page()
    assert {deal: table.cell(one) for deal, one in table.advise().items()} == shown


def dealer_program(*options: str) -> Process:
    return Process([sys.executable, str(BLACKJACK / "dealer.py"), "--greet", *options], ready="ready")


def test_a_dealer_who_keeps_the_rules_passes():
    outcome = run(load_program(MODEL), dealer_program(), plays=5, timing=Timing(silence=0.4))
    assert outcome.verdict.name == "pass"


def test_a_dealer_who_draws_on_a_soft_17_fails():
    """Seed 6 shuffles so that the dealer's six is followed by an ace."""
    model = load_program(MODEL, ["dealer=6", "player=(10,10)"])
    unlucky = dealer_program("--bug", "--dealer", "6", "--player", "10", "10", "--seed", "6")
    assert run(model, unlucky, plays=20, timing=Timing(silence=0.4)).verdict.name == "fail"
