"""van den Bos 2020, chapter 4: Figure 4.1 and the examples about it, step by step."""

from __future__ import annotations

import pytest

from helpers.symbolic import adder
from outplay import Label, specification
from outplay.model.expressions.sorts import INTEGER
from outplay.model.symbolic.interpretation import SymbolicSpecification


@pytest.fixture
def spec() -> SymbolicSpecification:
    found = specification(adder())
    assert isinstance(found, SymbolicSpecification)
    return found


def test_example_4_4_the_system_of_figure_4_1():
    system = adder()
    assert (system.locations, system.initial) == (("l0", "l1", "l2"), "l0")
    assert (dict(system.variables), dict(system.start)) == ({"x": INTEGER}, {"x": 0})
    assert {gate.text: [one.sort for one in gate.parameters] for gate in system.gates} == {
        "?inX": [INTEGER],
        "!outX": [INTEGER],
        "!done": [],
    }
    r0, r1, r2 = system.switches
    assert (r0.source, r0.gate.text, str(r0.guard), r0.target) == ("l0", "?inX", "1 <= p and p <= 10", "l1")
    assert {name: str(term) for name, term in r0.assignment.items()} == {"x": "x + p"}
    assert (r1.source, r1.gate.text, str(r1.guard), dict(r1.assignment), r1.target) == (
        "l1",
        "!outX",
        "p = x",
        {},
        "l0",
    )
    assert (r2.source, r2.gate.text, str(r2.guard), dict(r2.assignment), r2.target) == (
        "l0",
        "!done",
        "x > 15",
        {},
        "l2",
    )


def test_example_4_9_switches_enabled_in_the_first_state(spec):
    (start,) = spec.initial
    assert start == ("l0", (0,))
    assert [(one.name, state) for one, state in spec.taken(start, Label.parse("?inX 3"))] == [("r0", ("l1", (3,)))]
    assert spec.after(start, Label.parse("?inX 3")) == [("l1", (3,))]
    assert spec.taken(start, Label.parse("!done")) == []
    assert spec.after(start, Label.parse("?inX 11")) == []
    assert spec.quiet(start)
    assert spec.after(("l0", (16,)), Label.parse("!done")) == [("l2", (16,))]
    assert not spec.quiet(("l0", (16,)))
