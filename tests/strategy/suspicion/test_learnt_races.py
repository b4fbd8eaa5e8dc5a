"""Races: how often an output comes first where an input was meant, counted where there is something to give."""

from __future__ import annotations

from outplay import automaton
from outplay.conformance.transition_table import table_of
from outplay.model.label import SILENCE, Label
from outplay.strategy.suspicion.rows import RACES, Learnt, rows_of

TABLE = table_of(automaton([("s", "?a", "t"), ("t", "!x", "u"), ("u", "?b", "s"), ("u", "!y", "s")]))


def learnt_after(*words):
    """What was learnt of labels that came, one after the other, each time that an input was meant."""
    learnt, state = Learnt(rows_of(TABLE), TABLE.labels.index(SILENCE)), TABLE.initial
    for label in map(Label.parse, words):
        edge = next(
            e for e in range(TABLE.first[state], TABLE.first[state + 1]) if TABLE.labels[TABLE.label[e]] == label
        )
        learnt.saw(state, edge, given=True)
        state = int(TABLE.target[edge])
    return learnt


def test_an_output_that_is_owed_forestalls_nothing():
    assert learnt_after("?a", "!x").races == (0, 0, RACES[0] / RACES[1])


def test_where_both_may_come_it_is_counted_who_was_first():
    lost, tried = RACES
    assert learnt_after("?a", "!x", "!y", "?a", "!x", "?b").races == (1, 2, (lost + 1) / (tried + 2))
