"""Data without end are told, where nothing else can be done with them."""

from __future__ import annotations

from random import Random

import pytest

from helpers.commands import called
from helpers.places import EXAMPLES
from helpers.seeds import seeds
from helpers.symbolic import random_system
from outplay import explore
from outplay.game.exploring.breadth_first import Limits
from outplay.model.expressions.sorts import TEXT, integer_sort
from outplay.model.expressions.term import if_then_else, literal, variable, variables
from outplay.model.symbolic.building import input_gate, switch, symbolic_system
from outplay.model.symbolic.symbolic_system import explain_endless

ADDER = EXAMPLES / "symbolic" / "adder.sts"
X, Y = variables("x y")
P = variable("p", integer_sort(0, 2))


def counters(rng):
    """Two counters, bounded by guards or not."""
    a = input_gate("a", P)
    guards = [X < 4, X > -3, (X < 4) & (Y > -3), X == Y, Y < 5, (X < 3) | (Y < 3), X + Y < 6]
    values = [X + 1, X - 1, Y, P, X + P, literal(0), if_then_else(X > 2, 0, X + 1)]
    return symbolic_system("counters", "l", {X: 0, Y: 0}, [
        switch(f"r{number}", "l", a, "l", when=rng.choice(guards), do={rng.choice([X, Y]): rng.choice(values)})
        for number in range(rng.randint(1, 3))
    ])  # fmt: skip


def told_and_true(seed):
    """What is not called endless ends; tells whether it was called so."""
    system = counters(Random(seed))
    found = explain_endless(system)
    assert found or explore(system, limits=Limits(states=400)).origin.complete
    return bool(found)


def test_what_is_not_called_endless_ends():
    assert {told_and_true(seed) for seed in range(12)} == {False, True}


@seeds(range(12, 300), quick=0)
def test_what_is_not_called_endless_ends_often(seed):
    told_and_true(seed)


def test_ranges_are_never_endless():
    assert {explain_endless(random_system(Random(seed))) for seed in range(20)} == {""}


def test_texts_end_where_they_are_only_copied():
    s, t, w = variable("s", TEXT), variable("t", TEXT), variable("w", TEXT)

    def told(term):
        return explain_endless(
            symbolic_system("some", "l", {s: "", t: "a"}, [switch("r", "l", input_gate("a", w), "l", do={s: term})])
        )

    assert told(t) == told(if_then_else(s == "", t, "b")) == ""
    assert "the values of s may have no end (switch r: s := s + t)" in told(s + t)
    assert "(switch r: s := w)" in told(w)


@pytest.mark.parametrize(
    "command", [("explore", ADDER), ("forecast", ADDER), ("run", ADDER, "--goal", "l2", "--sut", f"model:{ADDER}")]
)
def test_commands_say_in_one_line_what_cannot_be_done(command, capsys, monkeypatch):
    monkeypatch.setattr("outplay.model.symbolic.region_game.MOST", 5)
    told = called(capsys, *command)
    assert (told.code, len(told.err.strip().splitlines())) == (2, 1)
    assert (
        "adder: the values of x may have no end (switch r0: x := x + p), and do not fall into few regions" in told.err
    )
    assert "give x a range" in told.err
    assert "--max-states N" in told.err
    assert "--tester switches" in told.err
    assert called(capsys, *command, "--max-states", "60").code != 2
