"""Symbolic systems and their graphs are drawn."""

from __future__ import annotations

from pathlib import Path

from helpers.symbolic import adder
from outplay.model.symbolic.execution_graph import SymbolicLimits, execution_graph
from outplay.pictures.views.views import view_of


def test_a_symbolic_system_is_drawn_with_guards_and_assignments():
    view = view_of(adder())
    assert [view.node(number).name for number in range(3)] == ["l0", "l1", "l2"]
    texts = ["".join(part.text for part in view.edge(number).label) for number in range(3)]
    assert texts[0] == "r0: ?inX p [1 <= p and p <= 10] x := x + p"
    assert [view.quiet(number) for number in range(3)] == [False, False, True]
    adder().draw("m.svg")
    assert "?inX p" in Path("m.svg").read_text()


def test_the_graph_of_a_symbolic_system_is_drawn():
    graph = execution_graph(adder(), SymbolicLimits(depth=4))
    view = view_of(graph)
    assert view.node(1).name == "1: l1"
    assert view.node(1).details == "l1, x = p@1 (1 <= p@1 and p@1 <= 10)"
    assert view.target == [1, 2, 3, 4]
    graph.draw("g.svg")
    assert "r0: " in Path("g.svg").read_text()
