"""The system model: what is forbidden goes, with all that the system could choose in its place."""

from __future__ import annotations

from random import Random

import pytest

from helpers.seeds import seeds
from helpers.tour_machines import named, random_system_model, running_example
from outplay import Machine
from outplay.errors import ModelError
from outplay.predicate_tours.system_model import MachineStep, SystemModel, system_model

THREE = ("s0", "s1", "s2")


def test_a_forbidden_step_takes_its_choices_with_it():
    steps = ((0, "a", "x", 1), (0, "a", "y", 0), (0, "b", "x", 0), (1, "a", "x", 0))
    model = system_model(Machine(THREE[:2], steps), forbidden=[(0, "a", "x", 1)])
    assert [step[:4] for step in model.steps] == [(0, "b", "x", 0)]
    assert len(model.left_out) == 3


def test_what_has_no_way_back_is_left_out():
    steps = ((0, "a", "x", 1), (1, "a", "x", 1), (0, "b", "x", 2), (2, "a", "x", 0), (2, "b", "x", 1))
    model = system_model(Machine(THREE, steps))
    assert [step[:4] for step in model.steps] == [(0, "b", "x", 2), (2, "a", "x", 0)]


def left_by_definition(model: SystemModel) -> set[MachineStep]:
    """The largest set of steps with ways there and back that is closed under the choices of the system."""
    kept = set(model.machine_steps)
    while True:
        bad = {(one.source, one.given) for one in model.machine_steps if one not in kept}
        bad |= {(one.source, one.given) for one in kept if not (way(kept, 0, one.source) and way(kept, one.target, 0))}
        left = {one for one in kept if (one.source, one.given) not in bad}
        if left == kept:
            return kept
        kept = left


def way(steps: set[MachineStep], start: int, end: int) -> bool:
    reached = {start}
    for _ in range(len(steps)):
        reached |= {one.target for one in steps if one.source in reached}
    return end in reached


@seeds(range(100))
def test_the_model_is_the_largest_part_that_is_safe(seed: int):
    model = random_system_model(Random(seed), states=1 + seed % 5)
    assert set(model.steps) == left_by_definition(model)


def test_ruling_out_a_step_keeps_the_others():
    model = running_example()
    (gone,) = named(model, "t5")
    assert set(model.without([gone]).steps) == set(model.steps) - {gone}


def test_costs_are_checked():
    machine = Machine(("s0",), ((0, "a", "x", 0), (0, "b", "x", 0)))
    with pytest.raises(ModelError, match="costs are counted from 0"):
        system_model(machine, cost=lambda *step: -1)
    with pytest.raises(ModelError, match="the same number"):
        system_model(machine, cost=lambda *step: (1,) if step[1] == "a" else (1, 2))
