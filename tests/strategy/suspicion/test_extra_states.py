"""One more state behind a step: two steps in a row that were not taken so yet are met by taking them."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from outplay.conformance.transition_table import table_of
from outplay.model.automaton import automaton
from outplay.strategy.suspicion import Suspicion
from outplay.strategy.suspicion import suspects as module
from outplay.strategy.suspicion.behaviour_table import answering_rows
from outplay.strategy.suspicion.player import RESET, WAIT
from outplay.strategy.suspicion.suspects import EXTRA, ExtraStates

RING = [("0", "?a", "1"), ("0", "?b", "1"), ("1", "?a", "0"), ("1", "?b", "0"), ("0", "!x", "0"), ("1", "!y", "1")]


def test_what_comes_after_a_step_is_met_once():
    rows = answering_rows(table_of(automaton(RING)))
    extra = ExtraStates(rows)
    assert not extra.met(0).any(), "nothing was taken before"
    extra.took(0, 0)
    assert extra.met(1) == pytest.approx(np.full(3, EXTRA / 3))
    second = int(rows.first[1])
    extra.took(second, second)
    extra.begin()
    extra.took(0, 0)
    assert extra.met(1) == pytest.approx([0, EXTRA / 3, EXTRA / 3])


def longest_until_all_pairs(seed: int, monkeypatch: pytest.MonkeyPatch, extra: float) -> int:
    """Labels until each transition was taken after each other one that may come before it."""
    monkeypatch.setattr(module, "EXTRA", extra)
    table = table_of(automaton(RING))
    player, moves = Suspicion(table, Random(seed)), [table.moves(state) for state in range(2)]
    wanted = {(state, one, other) for state in range(2) for one in moves[state] for other in moves[moves[state][one]]}
    silence, labels = None, 0
    player.begin()
    while wanted and labels < 2_000:
        move, state = player.move(resets=False), player.state
        assert move != RESET
        label = next(one for one in moves[state] if one >= table.inputs) if move == WAIT else move
        if silence is not None:
            wanted.discard((*silence, label))
        silence, labels = (state, label), labels + 1
        player.saw(label)
    return labels


def test_all_pairs_of_steps_come_sooner_where_extra_states_are_suspected(monkeypatch):
    with_them = [longest_until_all_pairs(seed, monkeypatch, EXTRA) for seed in range(6)]
    without = [longest_until_all_pairs(seed, monkeypatch, 0.0) for seed in range(6)]
    assert sum(with_them) < 0.8 * sum(without)
