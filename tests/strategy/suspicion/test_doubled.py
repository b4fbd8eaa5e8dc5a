"""Answers that come twice: who waits behind each answer sees them, and each question is suspected by itself."""

from __future__ import annotations

from random import Random

import pytest

from outplay.conformance.transition_table import TransitionTable, table_of
from outplay.model.automaton import automaton
from outplay.model.label import SILENCE, Label
from outplay.strategy.suspicion import Suspicion, suspects
from outplay.strategy.suspicion.player import RESET, WAIT

QUESTIONS = "abcdef"
ASKED = [("0", f"?{one}", f"asked {one}") for one in QUESTIONS] + [(f"asked {one}", "!x", "0") for one in QUESTIONS]


def number(table: TransitionTable, text: str) -> int:
    return table.labels.index(SILENCE if text == "δ" else Label.parse(text))


def shown(player: Suspicion, *texts: str) -> float:
    player.begin()
    for text in texts:
        player.saw(number(player.table, text))
    return player.doubled.met()


def test_each_answer_is_waited_behind_once_and_by_itself():
    player = Suspicion(table_of(automaton(ASKED)), Random(0))
    assert shown(player) == 0, "nothing was answered yet"
    assert shown(player, "?a") == 0, "the answer is owed"
    before = shown(player, "?a", "!x")
    assert before > 0
    assert shown(player, "?a", "!x", "δ") == 0, "it was waited for just now"
    assert 0 < shown(player, "?a", "!x") <= suspects.CLEARED * before
    assert shown(player, "?b", "!x") > shown(player, "?a", "!x"), "another question may still be answered twice"


def test_where_more_may_come_anyway_nothing_is_added():
    steps = [("0", "?a", "1"), ("1", "!x", "2"), ("2", "!y", "0"), ("2", "?a", "1")]
    player = Suspicion(table_of(automaton(steps)), Random(0))
    assert not player.doubled.left.any()
    assert shown(player, "?a", "!x") == 0


def until_waited_behind_all(seed: int) -> int:
    """Labels until the silence behind the answer to each question was waited for."""
    table = table_of(automaton(ASKED))
    player, left, last, labels = Suspicion(table, Random(seed)), set(QUESTIONS), "", 0
    player.begin()
    while left and labels < 500:
        move, labels = player.move(), labels + 1
        if move == RESET:
            player.begin()
            last = ""
            continue
        if move == WAIT and table.names[player.state] == "0":
            left.discard(last)
            move = number(table, "δ")
        elif move == WAIT:
            move = number(table, "!x")
        else:
            last = str(table.labels[move])[1:]
        player.saw(move)
    return labels


def test_all_of_them_are_seen_sooner_than_where_only_states_are_suspected(monkeypatch: pytest.MonkeyPatch):
    suspected = [until_waited_behind_all(seed) for seed in range(8)]
    monkeypatch.setattr(suspects, "TWICE", 0.0)
    assert sum(suspected) < 0.8 * sum(until_waited_behind_all(seed) for seed in range(8))
