"""The symbolic execution graph and paths that cover it: against the interpretation, walked state by state."""

from __future__ import annotations

from itertools import pairwise, product
from random import Random

import pytest

from helpers.places import EXAMPLES, shared_data
from helpers.seeds import seeds
from helpers.symbolic import adder, labels_of, random_system, reachable
from outplay import read_model, specification
from outplay.errors import UsageError
from outplay.model.expressions.evaluation import evaluate, free_variables
from outplay.model.expressions.term import variables
from outplay.model.symbolic.building import input_gate, output_gate, switch, symbolic_system
from outplay.model.symbolic.execution_graph import SymbolicLimits, execution_graph
from outplay.model.symbolic.solving import Satisfied, solve_condition
from outplay.model.symbolic.switch_coverage import covering_paths
from outplay.model.symbolic.symbolic_state import initial_symbolic_state, path_condition, symbolic_successor

BRP = EXAMPLES / "brp" / "brp.sts"


@seeds(range(40), quick=12)
def test_lemma_4_20_concrete_and_symbolic_states_agree(seed):
    """Walk both at once: the values of the variables are those of the terms with the values of the labels."""
    rng = Random(seed)
    system = random_system(rng)
    spec = specification(system)
    (state,), symbolic, given, path = spec.initial, initial_symbolic_state(system), {}, []
    for step in range(1, 7):
        choices = [(label, one, target) for gate in system.gates for label in labels_of(gate)
                   for one, target in spec.taken(state, label)]  # fmt: skip
        if not choices:
            assert step > 1 or not spec.inputs(state)
            break
        label, one, state = rng.choice(choices)
        symbolic, path = symbolic_successor(system, symbolic, one), [*path, one]
        given.update((f"{p.value}@{step}", value) for p, value in zip(one.parameters, label.arguments, strict=True))
        assert symbolic.location == state[0]
        assert [evaluate(term, given) for term in symbolic.terms.values()] == list(state[1])
        assert evaluate(symbolic.condition, given)
        assert all(evaluate(guard, given) for guard in path_condition(system, path))


@seeds(range(25), quick=5)
def test_the_graph_has_just_the_states_and_switches_that_can_be_reached(seed):
    system = random_system(Random(seed))
    states, taken, _ = reachable(system)
    graph = execution_graph(system)
    assert graph.is_complete
    assert {edge.switch.name for edge in graph.all_edges()} == taken
    values = {(symbolic.location, tuple(row)) for symbolic in graph.states for row in valuations(symbolic)}
    assert values == states
    without = execution_graph(system, SymbolicLimits(subsumption=False, states=60))
    assert len(graph.states) <= len(without.states)


def valuations(symbolic):
    names = free_variables(symbolic.condition, *symbolic.terms.values())
    for row in product(*(one.sort.values() for one in names.values())):
        given = dict(zip(names, row, strict=True))
        if evaluate(symbolic.condition, given):
            yield [evaluate(term, given) for term in symbolic.terms.values()]


@seeds(range(25), quick=4)
@pytest.mark.parametrize("cover", ["switch", "pair"])
def test_the_paths_cover_all_that_can_be_taken_and_can_be_taken(seed, cover):
    system = random_system(Random(seed))
    _, taken, pairs = reachable(system)
    found = covering_paths(system, cover, SymbolicLimits(subsumption=cover == "switch", states=150))
    if found.graph.is_complete or cover == "switch":
        assert found.covered == (taken if cover == "switch" else pairs)
        if cover == "switch":
            assert set(found.missing) == {one.name for one in system.switches} - taken
            assert found.share == len(taken) / len(system.switches)
    for purpose in found.purposes:
        condition = purpose.condition
        names = free_variables(*condition)
        whole = condition[0]
        for one in condition[1:]:
            whole = whole & one
        assert isinstance(solve_condition(whole, {name: one.sort for name, one in names.items()}), Satisfied)
        ends = [(one.source, one.target) for one in purpose.path]
        assert ends[0][0] == system.initial
        assert all(before[1] == after[0] for before, after in pairwise(ends))
    lengths = [len(purpose) for purpose in found.purposes]
    assert lengths == sorted(lengths, reverse=True)


def test_what_cannot_be_reached_is_told_with_the_reason():
    x, p = variables("x p")
    system = symbolic_system("some", "l", {x: 0}, [
        switch("go", "l", input_gate("a", p), "l", when=(p > 0) & (p < 9), do={x: p}),
        switch("never", "l", output_gate("o"), "l", when=x > 20),
        switch("lost", "m", output_gate("o"), "l"),
    ])  # fmt: skip
    found = covering_paths(system)
    assert found.missing == {
        "never": "its guard x > 20 holds in no state that can be reached at l",
        "lost": "no path leads to its location m",
    }
    assert covering_paths(system, "location").missing == {"m": "no path leads there"}
    shallow = covering_paths(adder(), limits=SymbolicLimits(depth=3))
    assert shallow.missing == {"r2": "not found: stopped at depth 3"}
    assert covering_paths(adder(), limits=SymbolicLimits(states=3)).missing == {
        "r2": "not found: stopped at 3 symbolic states"
    }
    assert covering_paths(adder(), limits=SymbolicLimits(seconds=0)).share == 0
    with pytest.raises(UsageError, match="nothing called 'lines' can be covered"):
        covering_paths(adder(), "lines")


def test_a_narrower_state_is_subsumed():
    x, p = variables("x p")
    put = input_gate("put", p)
    system = symbolic_system("cell", "l", {x: 0}, [
        switch("any", "l", put, "l", do={x: p}),
        switch("even", "l", put, "m", when=p > 3, do={x: p}),
        switch("back", "m", output_gate("o", p), "l", when=p == x),
    ])  # fmt: skip
    graph = execution_graph(system)
    assert (len(graph.states), graph.subsumed, graph.is_complete) == (3, 1, True)
    # Without it, the narrower state and the first one stay beside the wide one.
    assert len(execution_graph(system, SymbolicLimits(subsumption=False)).states) == 4


def test_a_bound_that_only_grows_is_followed_once():
    system = read_model(EXAMPLES / "symbolic" / "auction.sts")
    graph = execution_graph(system)
    assert (len(graph.states), graph.is_complete) == (8, True)
    growth = [len(execution_graph(system, SymbolicLimits(depth=n, subsumption=False)).states) for n in (2, 4, 6)]
    assert growth == [8, 24, 72]


def test_terms_that_grow_too_large_end_the_search_with_a_word():
    (x,) = variables("x")
    system = symbolic_system("square", "l", {x: 2}, [switch("r", "l", input_gate("a"), "l", do={x: x * x})])
    assert "more than 3,000 digits" in (execution_graph(system).stopped or "")


def test_brp_over_all_integers_has_few_and_short_purposes():
    system = read_model(BRP)
    graph = execution_graph(system)
    assert (graph.is_complete, graph.queries, len(graph.states)) == (True, 0, 380)
    found = covering_paths(system)
    assert found.missing == {}
    assert len(found.purposes) <= 6
    assert found.labels <= 47
    assert covering_paths(system, "pair").missing == {}


@pytest.mark.skipif(not shared_data("brp").exists(), reason="no folder shared/data beside the repository")
def test_the_reference_of_brp_is_covered_completely():
    found = covering_paths(read_model(shared_data("brp", "BRP_reference.register.xml")))
    assert (len(found.covered), found.missing) == (228, {})
