"""How likely answers are: learnt in each state, and where answers of the same names may come."""

from __future__ import annotations

from random import Random

import pytest

from outplay import automaton
from outplay.conformance.transition_table import table_of
from outplay.model.label import Label
from outplay.strategy.suspicion import Suspicion
from outplay.strategy.suspicion.behaviour_table import Lookup, answering_rows
from outplay.strategy.suspicion.player import WAIT
from outplay.strategy.suspicion.suspicion_plan import PooledEstimates


def learnt_after(steps, *seen):
    """How likely each answer of an automaton is, by state and label, after some of them were seen."""
    table = table_of(automaton(steps))
    rows = answering_rows(table)
    learnt, lookup = PooledEstimates(rows, table), Lookup(rows, len(table.labels))

    def place(state, label):
        return lookup.edge(table.names.index(state), table.labels.index(Label.parse(label)))

    for state, label in seen:
        learnt.saw(table.names.index(state), place(state, label))
    return lambda state, label: rows.chance[place(state, label)]


TWO_NAMES = [
    *(("s", "?ask", "t"), ("t", "!receipt 1", "s"), ("t", "!news 1", "s"), ("t", "!news 2", "s")),
    *(("s", "?beg", "u"), ("u", "!receipt 2", "s"), ("u", "!news 1", "s")),
]


def test_before_anything_was_seen_all_answers_of_a_state_are_equally_likely():
    chance = learnt_after(TWO_NAMES)
    assert chance("t", "!news 1") == chance("t", "!receipt 1") == pytest.approx(1 / 3)
    assert chance("u", "!receipt 2") == 0.5


def test_answers_of_one_name_are_learnt_in_each_state_alone_by_the_rule_of_succession():
    steps = [("s", "?a", "t"), ("s", "?b", "u"), *((at, f"!x {n}", "s") for at in "tu" for n in range(2))]
    chance = learnt_after(steps, *[("t", "!x 0")] * 4)
    assert chance("t", "!x 0") == 5 / 6
    assert chance("u", "!x 0") == 0.5


def test_which_name_comes_first_is_learnt_wherever_both_may_come():
    chance = learnt_after(TWO_NAMES, *[("t", "!receipt 1")] * 20)
    assert chance("u", "!receipt 2") == pytest.approx(21 / 22)
    assert chance("u", "!news 1") == pytest.approx(1 / 22)
    assert chance("t", "!receipt 1") > chance("u", "!receipt 2")
    assert chance("t", "!news 1") == chance("t", "!news 2") > 0


def test_what_comes_in_a_state_outweighs_what_came_elsewhere():
    chance = learnt_after(TWO_NAMES, *[("t", "!receipt 1")] * 20, *[("u", "!news 1")] * 10)
    assert chance("u", "!news 1") > 0.8
    assert chance("t", "!receipt 1") > 0.9


def receipts_first():
    """Twelve questions with a receipt and news; a long talk where the news come first; and a long way aside."""
    steps = [(f"i{n}", f"?on{n}", f"i{n + 1}") for n in range(20)] + [("i20", "!end", "i0")]
    for n in range(12):
        steps += [("i0", f"?q {n}", f"m{n}"), (f"m{n}", f"!receipt {n}", f"r{n}"), (f"r{n}", f"!news {n}", "i0")]
        steps += [(f"m{n}", f"!news {n}", f"n{n}"), (f"n{n}", f"!receipt {n}", f"d{n}0"), (f"d{n}9", "?back", "i0")]
        for k in range(9):
            steps += [(f"d{n}{k}", f"?k {k}", f"e{n}{k}"), (f"e{n}{k}", f"!ok {k}", f"d{n}{k + 1}")]
    return table_of(automaton(steps))


def test_an_order_that_never_comes_is_given_up_in_states_not_yet_seen_too():
    table = receipts_first()
    player, state, seen = Suspicion(table, Random(0)), table.initial, set()
    receipts = {table.labels.index(Label.parse(f"!receipt {n}")) for n in range(12)}
    player.begin()
    for _ in range(115):  # who learns in each state alone needs 158
        move = player.move(resets=False)
        if move == WAIT:
            answers = [number for number in table.moves(state) if number >= table.inputs]
            move = min(answers, key=lambda number: number not in receipts)
        seen.add(str(table.labels[move]))
        player.saw(move)
        state = table.moves(state)[move]
    assert "!end" in seen
