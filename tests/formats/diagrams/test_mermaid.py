"""Mermaid flowcharts."""

from __future__ import annotations

import pytest

from outplay import GameBuilder
from outplay.errors import FormatError
from outplay.formats.diagrams import mermaid
from outplay.model.automaton import automaton
from outplay.model.machine import Machine


def text(model):
    return "".join(mermaid.write(model))


def test_a_game_tells_tester_system_and_goals_apart():
    builder = GameBuilder().vertex("s0", "tester").vertex("c", "system").vertex("s1", "tester", goals=["done"])
    builder.edge("s0", "c", "?go", cost=0).edge("c", "s1", probability="1/3", cost=2).edge("c", "s0", probability="2/3")
    assert (
        text(builder.build())
        == """flowchart LR
  start(( ))
  n0["s0"]
  n1{"c"}
  n2["s1"]
  n0 -->|"?go, cost 0"| n1
  n1 -->|"1/3, cost 2"| n2
  n1 -->|"2/3"| n0
  classDef goal stroke-width:4px
  class n2 goal
  start --> n0
"""
    )


def test_automata_and_machines():
    assert '  n0("off")\n  n1("on")\n  n0 -->|"?press"| n1\n' in text(automaton([("off", "?press", "on")]))
    assert '  n0 -->|"coin / beep"| n0\n' in text(Machine(("a",), ((0, "coin", "beep", 0),)))
    assert '  n0("a / N")\n  n0 -->|"d"| n0\n' in text(Machine(("a",), ((0, "d", "N", 0),), moore=True))


def test_whatever_mermaid_would_read_as_syntax_is_escaped():
    shown = text(automaton([('a"b|c', '?say "x ;#1" <b> `y`', "end\n]")]))
    assert '("a#34;b#124;c")' in shown
    assert '|"?say #34;x #59;#35;1#34; #60;b#62; #96;y#96;"|' in shown
    assert '("end #93;")' in shown


def test_a_model_too_large_to_be_drawn_is_refused_with_what_to_use_instead():
    loop = [(0, "a", str(number), 0) for number in range(501)]
    with pytest.raises(FormatError, match=r"more than the 500 edges that Mermaid draws; write .dot and draw it"):
        mermaid.write(Machine(("a",), tuple(loop)))
    assert text(Machine(("a",), tuple(loop[:500]))).count("-->") == 501
    with pytest.raises(FormatError, match=r"characters are more than the 50,000 that Mermaid reads; write .dot"):
        mermaid.write(automaton([("a", f"?{'x' * 50_000}", "b")]))
