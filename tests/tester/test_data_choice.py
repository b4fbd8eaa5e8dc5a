"""Data for inputs: values coincide in all the ways there are, soon and about as often."""

from __future__ import annotations

from random import Random

from outplay.model.expressions.term import TRUE, variable
from outplay.model.symbolic.building import input_gate, switch, symbolic_system
from outplay.tester.switch_tester import DataChoice

P, Q, R = (variable(name) for name in "pqr")


def test_all_ways_in_which_values_can_be_equal_are_tried_soon():
    system = symbolic_system("three", "l", {}, [switch("s", "l", input_gate("a", P, Q, R), "l", when=P > 5)])
    for seed in range(20):
        choice, seen = DataChoice(system, Random(seed)), set()
        for _ in range(60):
            values = choice.choose((P, Q, R), P > 5, (7,))
            assert values is not None
            assert values["p"] > 5
            listed = list(values.values())
            seen.add((tuple(map(listed.index, listed)), 7 in listed))
        ways = {way for way, _ in seen}
        assert ways == {(0, 1, 2), (0, 0, 2), (0, 1, 0), (0, 1, 1), (0, 0, 0)}
        assert {held for _, held in seen} == {True, False}


def test_where_nothing_is_asked_values_differ_as_well_as_coincide():
    system = symbolic_system("two", "l", {}, [switch("s", "l", input_gate("a", P, Q), "l")])
    choice = DataChoice(system, Random(0))
    rows = [choice.choose((P, Q), TRUE) for _ in range(100)]
    equal = sum(row is not None and row["p"] == row["q"] for row in rows)
    assert 20 <= equal <= 80
