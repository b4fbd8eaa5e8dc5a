"""Small systems and their mutants, for tests of the benchmark of testers."""

from __future__ import annotations

from itertools import islice
from random import Random

from benchmarks.faults.mutants import Mutant
from benchmarks.faults.systems import System
from benchmarks.faults.table_changes import TableChanges

from helpers.automata import random_automaton
from helpers.machines import random_machine
from outplay import automaton
from outplay.conformance.transition_table import table_of
from outplay.model.label import SILENCE

MACHINE = [
    ("s0", "?a", "s0x"), ("s0x", "!x", "s1"), ("s1", "?a", "s1y"), ("s1y", "!y", "s0"),
    ("s0", "?b", "s0y"), ("s0y", "!y", "s0"), ("s1", "?b", "s1x"), ("s1x", "!x", "s1"),
]  # fmt: skip


def drawn_system(seed: object, races: bool = False) -> System:
    """A random automaton of a few states."""
    table = table_of(random_automaton(seed, least=2, most=5), labels=[SILENCE])
    return System(f"drawn {seed}", table, lambda: TableChanges(table, Random(f"{seed}")).of_automaton(), races)


def drawn_machine(seed: object, states: int) -> System:
    """A random machine of two inputs that have an answer each, or one of two by chance."""
    table = table_of(random_machine(Random(seed), states, answers=(1, 1, 2), distinct=True).automaton)
    return System(f"drawn {seed}", table, dict)


def ring_machine(seed: int) -> System:
    """A machine of up to six states in a ring, each with two questions and one answer to each."""
    rng = Random(seed)
    states = range(rng.randint(2, 6))
    leads = {(state, given): rng.choice(states) for state in states for given in "ab"}
    leads |= {(state, "a"): (state + 1) % len(states) for state in states}
    steps = [
        step
        for (state, given), after in leads.items()
        for step in (
            (f"s{state}", f"?{given}", f"s{state}{given}"),
            (f"s{state}{given}", f"!{rng.choice('xyz')}", f"s{after}"),
        )
    ]
    table = table_of(automaton(steps))
    return System(f"machine {seed}", table, lambda: TableChanges(table, Random(seed)).of_machine())


def falling_machine(length: int) -> System:
    """A row of states: one question leads on, the other to a state that no play leaves."""
    steps = [
        step
        for state in range(length)
        for given, after in (("on", f"s{(state + 1) % length}"), ("off", "end"))
        for step in (
            (f"s{state}", f"?{given}", f"s{state}{given}"),
            (f"s{state}{given}", f"!{given}{state % 2}", after),
        )
    ]
    table = table_of(automaton([*steps, ("end", "?on", "over"), ("over", "!none", "end")]))
    return System(f"falling {length}", table, lambda: TableChanges(table, Random(length)).of_machine())


def machine_system() -> System:
    """A machine of two states and two inputs."""
    table = table_of(automaton(MACHINE))
    return System("machine", table, lambda: TableChanges(table, Random(3)).of_machine())


def some_mutants(system: System, each: int) -> list[tuple[str, Mutant]]:
    """A few mutants of each kind, whether they conform or not."""
    return [(kind, mutant) for kind, group in system.candidates().items() for mutant in islice(group, each)]
