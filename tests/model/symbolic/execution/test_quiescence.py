"""Silence found symbolically is that of the states that can be reached."""

from __future__ import annotations

from random import Random

from helpers.seeds import seeds
from helpers.symbolic import adder, random_system, reachable
from outplay import specification
from outplay.model.expressions.term import variables
from outplay.model.symbolic.building import output_gate, switch, symbolic_system
from outplay.model.symbolic.execution_graph import Silence, SymbolicLimits, execution_graph, quiescent_states


@seeds(range(20), quick=5)
def test_silence_is_possible_where_some_state_has_nothing_to_say(seed):
    system = random_system(Random(seed))
    spec = specification(system)
    states, _, _ = reachable(system)
    found = quiescent_states(execution_graph(system))
    assert found.undecided == ()
    assert set(found.possible) == {state[0] for state in states if spec.quiet(state)}


def test_silence_over_all_integers():
    assert quiescent_states(execution_graph(adder(), SymbolicLimits(depth=6))) == Silence(("l0", "l2"), ())
    x, p = variables("x p")
    system = symbolic_system(
        "odd", "l", {x: 0}, [switch("o", "l", output_gate("o", p), "l", when=2 * p == x, do={x: p + 1})]
    )
    assert quiescent_states(execution_graph(system, SymbolicLimits(depth=3))).possible == ("l",)
