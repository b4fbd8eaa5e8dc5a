"""Machines as automata: what they accept, and how few states they take."""

from __future__ import annotations

import random

from helpers.machines import random_machine
from helpers.seeds import seeds
from outplay import Machine
from outplay.model.label import Label
from outplay.model.suspension import SuspensionAutomaton


def drawn(seed: int) -> Machine:
    """A machine of up to five states, which may start in any of them."""
    rng = random.Random(seed)
    count = rng.randint(1, 5)
    return random_machine(rng, count, initial=rng.randrange(count))


def answers(machine: Machine, inputs: str) -> set[str]:
    """All output words a machine may give to an input word, by its definition."""
    runs = {(machine.initial, "")}
    for one in inputs:
        runs = {(t, said + shown) for q, said in runs for s, given, shown, t in machine.steps if (s, given) == (q, one)}
    return {said for _, said in runs}


def automaton_answers(machine: Machine, inputs: str) -> set[str]:
    spec = SuspensionAutomaton(machine.automaton)
    runs = {(spec.initial[0], "")}
    for one in inputs:
        asked = {(t, said) for q, said in runs for t in spec.after(q, Label("?", one))}
        runs = {(t, said + x.gate) for q, said in asked for x in spec.outputs(q) for t in spec.after(q, x)}
    return {said for _, said in runs}


@seeds(range(300))
def test_the_automaton_answers_as_the_machine_does(seed):
    machine, rng = drawn(seed), random.Random(seed)
    for _ in range(5):
        inputs = "".join(rng.choice("ab") for _ in range(rng.randint(0, 5)))
        assert automaton_answers(machine, inputs) == answers(machine, inputs)


@seeds(range(300))
def test_there_is_one_intermediate_state_for_each_distinct_set_of_output_and_target(seed):
    machine = drawn(seed)
    sets = {
        frozenset((x, t) for s, a, x, t in machine.steps if (s, a) == place)
        for place in {(s, a) for s, a, _, _ in machine.steps}
    }
    assert machine.automaton.state_count == len(machine.names) + len(sets)
    assert machine.automaton.names[: len(machine.names)] == machine.names


def test_deterministic_means_one_answer_to_each_input():
    assert Machine(("s",), ((0, "a", "x", 0),)).deterministic
    assert not Machine(("s",), ((0, "a", "x", 0), (0, "a", "y", 0))).deterministic
