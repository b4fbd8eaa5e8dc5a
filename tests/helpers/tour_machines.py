"""Machines for tests of predicates on walks: those of Kapus-Kolar 2007, and random ones."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from helpers.machines import SOME_ANSWERS, random_machine
from outplay import Machine
from outplay.predicate_tours.predicate_system import PredicateSystem, Stage
from outplay.predicate_tours.system_model import MachineStep, SystemModel, system_model

RUNNING_STEPS = (
    (0, "b", "f", 0),
    (1, "b", "f", 0),
    (0, "a", "d", 1),
    (0, "a", "d", 2),
    (0, "a", "e", 2),
    (1, "a", "f", 2),
    (2, "a", "f", 2),
    (2, "b", "e", 1),
)
"""t1 to t8 of Figure 1."""


def running_example() -> SystemModel:
    return system_model(Machine(("s0", "s1", "s2"), RUNNING_STEPS))


def named(model: SystemModel, *names: str) -> list[MachineStep]:
    """Steps of the running example by name: t1 to t8."""
    by_name = {f"t{number}": step for number, step in enumerate(RUNNING_STEPS, 1)}
    found = {step[:4]: step for step in model.machine_steps}
    return [found[by_name[name]] for name in names]


def remembering_beginnings(system: PredicateSystem) -> PredicateSystem:
    """The same strategy with the predicate that the past is not empty: p+ of 7.6."""
    return replace(system, stages=(Stage(forward=lambda one: frozenset(["begun"])), *system.stages))


def random_system_model(
    rng: Random, states: int, inputs: str = "ab", outputs: str = "xyz", *, deterministic: bool = False
) -> SystemModel:
    """A random machine with costs; some have a way home."""
    home, answers = rng.random() < 0.5, (1,) if deterministic else SOME_ANSWERS
    machine = random_machine(rng, states, inputs, outputs, answers=answers, home=home)
    costs = {step: (rng.randint(0, 3), rng.randint(0, 2)) for step in machine.steps}
    return system_model(machine, cost=lambda *step: costs[step])
