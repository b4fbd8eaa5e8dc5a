"""A strategy driven by faults: catch every one of some wrong systems.

Kapus-Kolar 2007, 5: a fault model is a set of wrong machines, and a test catches one of them when it cannot have shown
what the test has seen. A predicate says of a state of a wrong machine that it cannot be there after the past; when none
of its states is left, the machine is caught. As nothing brings a wrong machine back to where it began, tests of this
strategy start afresh and are not put one behind the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from outplay.errors import UsageError
from outplay.game.reset import RESET
from outplay.groups import grouped
from outplay.model.machine import Machine
from outplay.predicates.predicate_system import AnnotatedStep, Evidence, Predicates, PredicateSystem, Stage
from outplay.predicates.system_model import SystemModel

MOST_FAULTS = 5_000


class Elsewhere(NamedTuple):
    """A wrong machine, by number, cannot be in one of its states."""

    machine: int
    state: int


def fault_driven(model: SystemModel, wrong: Sequence[Machine], names: Sequence[str] = ()) -> PredicateSystem:
    """Catch each of some machines that have the same inputs and outputs."""
    wrong_machines = [_Wrong(number, machine) for number, machine in enumerate(wrong)]

    def past(one: AnnotatedStep) -> Predicates:
        return frozenset().union(*(machine.after(one.step.label, one.before.past) for machine in wrong_machines))

    def evidence(one: AnnotatedStep) -> frozenset[Evidence]:
        caught = [machine.number for machine in wrong_machines if machine.everywhere <= one.after.past]
        return frozenset(Evidence(("fault", number)) for number in caught)

    def words(one: Evidence) -> str:
        number: Any = one.subject[1]  # type: ignore[index]
        return f"caught: {names[number] if names else wrong[number].name}"

    begin = frozenset().union(*(machine.begins for machine in wrong_machines))
    wanted = tuple(Evidence(("fault", number)) for number in range(len(wrong)))
    return PredicateSystem("faults", (Stage(past, past_at_start=begin),), evidence, wanted, in_words=words)


class _Wrong:
    """A wrong machine, followed."""

    def __init__(self, number: int, machine: Machine) -> None:
        self.number, self._initial = number, machine.initial
        self.everywhere = frozenset(Elsewhere(number, state) for state in range(len(machine.names)))
        self.begins = self.everywhere - {Elsewhere(number, machine.initial)}
        self._steps = grouped(((given, shown), (source, target)) for source, given, shown, target in machine.steps)
        self._after = lru_cache(maxsize=100_000)(self._computed)

    def after(self, label: tuple[str, str], past: Predicates) -> Predicates:
        """Where it cannot be after a step."""
        return self._after(label, past & self.everywhere)

    def _computed(self, label: tuple[str, str], past: Predicates) -> Predicates:
        if past == self.everywhere:
            return past
        if label[0] == RESET:
            return self.begins
        steps = self._steps.get(label, [])
        return self.everywhere - {
            Elsewhere(self.number, target) for source, target in steps if Elsewhere(self.number, source) not in past
        }


def transfer_faults(model: SystemModel) -> PredicateSystem:
    """Catch each machine in which one transition leads to another state than it should.

    All wrong machines are followed at once, so this is for machines of a few states.
    """
    own = [step[:4] for step in model.own_steps]
    count = len(own) * (len(model.names) - 1)
    if count > MOST_FAULTS:
        raise UsageError(
            f"{count:,} systems have one transition to a wrong state, and at most {MOST_FAULTS:,} can be followed at "
            "once: use the strategy forward, or the method distinguish"
        )
    wrong, names = [], []
    for number, (source, given, shown, target) in enumerate(own):
        for other in model.states:
            if other != target:
                steps = [*own[:number], (source, given, shown, other), *own[number + 1 :]]
                wrong.append(Machine(model.names, tuple(steps), model.root))
                names.append(f"{model.name(model.own_steps[number])} leads to {model.names[other]}")
    return fault_driven(model, wrong, names)
