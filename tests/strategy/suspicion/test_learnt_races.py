"""Races: how often an output comes first where an input was meant, learnt by where the same may be said."""

from __future__ import annotations

from random import Random

import pytest

from outplay import automaton
from outplay.conformance.transition_table import table_of
from outplay.model.label import Label
from outplay.strategy.suspicion import Suspicion
from outplay.strategy.suspicion.player import RESET, WAIT
from outplay.strategy.suspicion.suspicion_plan import BEFORE, TRIES, RaceOdds

TABLE = table_of(
    automaton(
        [("s", "?a", "t"), ("t", "!x", "u"), ("u", "?b", "s"), ("u", "!y", "v"), ("v", "?b", "s"), ("v", "!z", "s")]
    )
)
S, T, U, V = (TABLE.names.index(name) for name in "stuv")


def odds_after(*seen):
    """What was learnt of inputs that were meant in some states, and lost or not."""
    odds = RaceOdds(TABLE)
    for state, lost in seen:
        odds.saw(state, lost=lost)
    return odds


def test_where_nothing_can_be_given_or_nothing_comes_there_is_no_race():
    odds = odds_after((T, True), (S, False))
    assert odds.counts == (0, 0, BEFORE[0] / BEFORE[1])
    assert odds.lost[[S, T]].tolist() == [0.0, 0.0]


def test_before_anything_was_seen_all_states_are_alike():
    assert odds_after().lost[[U, V]].tolist() == [BEFORE[0] / BEFORE[1]] * 2


def test_what_was_seen_in_a_state_counts_there_most_and_elsewhere_a_little():
    odds = odds_after((U, True), (U, True), (V, False))
    everywhere = (BEFORE[0] + 2) / (BEFORE[1] + 3)
    assert odds.counts == (2, 3, everywhere)
    alike_u, alike_v = (2 + TRIES * everywhere) / (2 + TRIES), TRIES * everywhere / (1 + TRIES)
    assert odds.lost[U] == pytest.approx((2 + TRIES * alike_u) / (2 + TRIES))
    assert odds.lost[V] == pytest.approx(TRIES * alike_v / (1 + TRIES))


def test_states_that_say_the_same_but_for_arguments_learn_from_each_other():
    table = table_of(automaton([("s", "?a", "t"), ("s", "!x 1", "s"), ("t", "?a", "s"), ("t", "!x 2", "t")]))
    odds = RaceOdds(table)
    for _ in range(50):
        odds.saw(0, lost=True)
    assert odds.lost[1] > 0.9


def slow_and_prompt():
    """Six questions that are answered at once, in whose midst more could be asked; and a long way with a timer."""
    steps = [(f"i{n}", f"?on{n}", f"i{n + 1}") for n in range(9)] + [(f"i{n}", "!tick", "i0") for n in range(1, 9)]
    for n in range(6):
        steps += [("i0", f"?q{n}", f"m{n}"), (f"m{n}", f"!r{n}", "i0")]
        steps += [(f"m{n}", f"?k{k}", f"m{n}{k}") for k in range(6)] + [(f"m{n}{k}", f"!r{n}", "i0") for k in range(6)]
    return table_of(automaton([*steps, ("i9", "!end", "i0")]))


@pytest.mark.parametrize("seed", range(5))
def test_a_race_that_is_always_lost_is_given_up(seed: int):
    table = slow_and_prompt()
    player, rng = Suspicion(table, Random(seed)), Random(seed)
    state, seen, prompt = table.initial, set(), [Label.parse(f"!r{n}") for n in range(6)]
    player.begin()
    for _ in range(300):
        answers = [number for number in table.moves(state) if table.labels[number] in prompt]
        move = answers[0] if answers else player.move(resets=False)
        assert move != RESET
        if move == WAIT:
            move = rng.choice([number for number in table.moves(state) if number >= table.inputs])
        seen.add(str(table.labels[move]))
        player.saw(move)
        state = table.moves(state)[move]
    assert "!end" in seen
