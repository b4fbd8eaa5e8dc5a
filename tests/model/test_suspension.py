"""Suspension automata against a plain subset construction from the definition."""

from __future__ import annotations

from functools import partial

import pytest

from helpers.automata import random_automaton
from helpers.seeds import seeds
from outplay.errors import ModelError, UsageError
from outplay.model.automaton import Automaton, automaton
from outplay.model.label import SILENCE, Label
from outplay.model.suspension import SuspensionAutomaton, build_all_states

INSTANCES = 1_000
drawn = partial(
    random_automaton,
    most=6,
    labels=("?a", "?b", "!x", "!y", "!z"),
    share=(0.1, 0.2, 0.3),
    copies=2,
    silence=0.2,
    internal=0.2,
)


def closed(model: Automaton, states: frozenset[int]) -> frozenset[int]:
    """Internal steps added until nothing changes."""
    while True:
        more = states | {t for q in states for label, t in model.moves(q) if label.kind == "tau"}
        if more == states:
            return states
        states = more


def with_silence(model: Automaton, q: int) -> list[tuple[Label, int]]:
    """The moves of a state, with a loop of silence where it is quiescent and says nothing of it."""
    moves = model.moves(q)
    if any(label.is_output or label.kind in ("tau", "delta") for label, _ in moves):
        return moves
    return [*moves, (SILENCE, q)]


def subset_construction(model: Automaton) -> dict[frozenset[int], dict[Label, frozenset[int]]]:
    start = closed(model, frozenset({model.initial}))
    found: dict[frozenset[int], dict[Label, frozenset[int]]] = {}
    stack = [start]
    while stack:
        here = stack.pop()
        if here in found:
            continue
        labels = {label for q in here for label, _ in with_silence(model, q) if label.kind != "tau"}
        found[here] = {
            one: closed(model, frozenset(t for q in here for label, t in with_silence(model, q) if label == one))
            for one in labels
        }
        stack.extend(found[here].values())
    return found


@seeds(range(INSTANCES))
def test_it_is_the_subset_construction_with_silence_made_visible(seed):
    model = drawn(seed)
    spec = SuspensionAutomaton(model)
    expected = subset_construction(model)
    seen, stack = set(), [spec.initial[0]]
    while stack:
        state = stack.pop()
        if state in seen:
            continue
        seen.add(state)
        members = frozenset(spec.members(state))
        moves = spec.moves(state)
        assert {label: frozenset(spec.members(t)) for label, t in moves.items()} == expected[members]
        assert spec.quiet(state) == (SILENCE in expected[members])
        assert set(spec.outputs(state)) == {label for label in expected[members] if label.is_output}
        in_all = [{label for label, _ in model.moves(q) if label.is_input} for q in members]
        assert set(spec.inputs(state)) == set.intersection(*in_all)
        stack.extend(moves.values())
    assert {frozenset(spec.members(state)) for state in seen} == set(expected)


def test_a_cycle_of_internal_steps_is_refused_and_named():
    round_and_round = automaton([("a", "?go", "b"), ("b", "tau", "c"), ("c", "tau", "d"), ("d", "tau", "b")])
    with pytest.raises(ModelError, match="b → c → d → b"):
        SuspensionAutomaton(round_and_round)
    with pytest.raises(ModelError, match="a → a"):
        SuspensionAutomaton(automaton([("a", "tau", "a")]))


def test_internal_steps_that_only_meet_again_are_no_cycle():
    diamond = automaton([("a", "tau", "b"), ("a", "tau", "c"), ("b", "tau", "d"), ("c", "tau", "d"), ("d", "!x", "a")])
    assert SuspensionAutomaton(diamond).state_name(0) == "{a,b,c,d}"


def test_labels_without_direction_ask_for_inputs():
    undirected = automaton([("a", Label("", "push"), "b")])
    with pytest.raises(UsageError, match=r"'push' is neither input nor output.*--inputs"):
        SuspensionAutomaton(undirected)


def test_too_many_sets_name_what_grows():
    # The k-th last step decides: 2^k sets.
    count = 12
    steps = [("q0", "!x", "q0"), ("q0", "!y", "q0"), ("q0", "!x", "q1")]
    steps += [(f"q{i}", label, f"q{i + 1}") for i in range(1, count) for label in ("!x", "!y")]
    spec = SuspensionAutomaton(automaton(steps), most=100)
    with pytest.raises(ModelError, match=r"more than 100 sets of states .* raise --max-states"):
        build_all_states(spec)


def test_a_state_is_reached_only_where_the_system_must_be_there():
    spec = SuspensionAutomaton(automaton([("a", "!x", "b"), ("a", "!x", "c"), ("b", "!y", "c")]))
    (unsure,) = spec.after(spec.initial[0], Label.parse("!x"))
    (sure,) = spec.after(unsure, Label.parse("!y"))
    assert (spec.state_name(unsure), spec.holds("c", unsure), spec.holds("c", sure)) == ("{b,c}", False, True)


def test_a_set_that_was_met_can_be_a_goal_by_its_name():
    spec = SuspensionAutomaton(automaton([("a", "!x", "b"), ("a", "!x", "c"), ("b", "!y", "c")]))
    assert (spec.is_state("{b,c}"), spec.is_state("b")) == (False, True)
    (unsure,) = spec.after(spec.initial[0], Label.parse("!x"))
    (sure,) = spec.after(unsure, Label.parse("!y"))
    assert (spec.is_state("{b,c}"), spec.is_state("{a,b}")) == (True, False)
    assert [spec.holds("{b,c}", state) for state in (spec.initial[0], unsure, sure)] == [False, True, False]


def test_a_state_that_is_called_like_a_set_keeps_its_name():
    spec = SuspensionAutomaton(automaton([("a", "!x", "b"), ("a", "!x", "c"), ("b", "!y", "{b,c}")]))
    (unsure,) = spec.after(spec.initial[0], Label.parse("!x"))
    (sure,) = spec.after(unsure, Label.parse("!y"))
    assert (spec.holds("{b,c}", unsure), spec.holds("{b,c}", sure)) == (False, True)


@seeds(range(0, INSTANCES, 10))
def test_every_state_met_is_a_goal_by_its_name_and_no_other_state_is_it(seed):
    spec = SuspensionAutomaton(drawn(seed))
    states = range(build_all_states(spec))
    for goal in states:
        name = spec.state_name(goal)
        assert spec.is_state(name)
        assert [state for state in states if spec.holds(name, state)] == [goal]
