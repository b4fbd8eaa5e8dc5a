"""Strategies that are ready for use: by name in one registry, and the one that is driven by faults.

A strategy driven by faults: catch every one of some wrong systems. Kapus-Kolar 2007, 5: a fault model is a set of wrong
machines, and a test catches one of them when it cannot have shown what the test has seen. A predicate says of a state
of a wrong machine that it cannot be there after the past; when none of its states is left, the machine is caught. As
nothing brings a wrong machine back to where it began, tests of this strategy start afresh and are not put one behind
the other.

Ready strategies by name: one registry, from which the command line and Python draw.

A strategy is a function that makes a predicate system for a model. A new one is a function and a line here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

from outplay.errors import UsageError, named
from outplay.game.reset import RESET
from outplay.grouping import grouped
from outplay.model.machine import Machine
from outplay.predicate_tours.predicate_system import AnnotatedStep, Evidence, Predicates, PredicateSystem, Stage
from outplay.predicate_tours.recognition import (
    any_recognition,
    backward_recognition,
    double_recognition,
    forward_recognition,
    neighbour_recognition,
)
from outplay.predicate_tours.system_model import MachineStep, SystemModel

MOST_FAULTS = 5_000


class Elsewhere(NamedTuple):
    """A wrong machine, by number, cannot be in one of its states."""

    machine: int
    state: int


def fault_driven_strategy(model: SystemModel, wrong: Sequence[Machine], names: Sequence[str] = ()) -> PredicateSystem:
    """Make the testing strategy that catches each of some faulty machines with the same inputs and outputs."""
    wrong_machines = [_WrongMachine(number, machine) for number, machine in enumerate(wrong)]

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


class _WrongMachine:
    """A wrong machine, followed."""

    def __init__(self, number: int, machine: Machine) -> None:
        self.number, self._initial = number, machine.initial
        self.everywhere = frozenset(Elsewhere(number, state) for state in range(len(machine.names)))
        self.begins = self.everywhere - {Elsewhere(number, machine.initial)}
        self._steps = grouped(((given, shown), (source, target)) for source, given, shown, target in machine.steps)
        self._after = lru_cache(maxsize=100_000)(self._computed)

    def after(self, label: tuple[str, str], past: Predicates) -> Predicates:
        """Return the states where it cannot be after a step."""
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


def _transfer_faults(model: SystemModel) -> PredicateSystem:
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
    return fault_driven_strategy(model, wrong, names)


@dataclass(frozen=True)
class ReadyStrategy:
    """A strategy by name: a sentence, and the function that makes it for a model."""

    name: str
    summary: str
    make: Callable[[SystemModel], PredicateSystem]


class StepPair(NamedTuple):
    """Two transitions, one right after the other."""

    before: MachineStep
    step: MachineStep


def all_transitions(model: SystemModel) -> PredicateSystem:
    """Make the testing strategy that meets every transition.

    >>> from outplay.model.machine import Machine
    >>> from outplay.predicate_tours.tour_planning import plan_tour
    >>> from outplay.predicate_tours.system_model import system_model
    >>> lamp = system_model(Machine(("off", "on"), ((0, "press", "on", 1), (1, "press", "off", 0))))
    >>> plan_tour(lamp, all_transitions(lamp)).inputs
    ('press', 'press')
    """

    def words(one: Evidence) -> str:
        step: Any = one.subject
        return model.name(step)

    wanted = tuple(map(Evidence, model.own_steps))
    return PredicateSystem(
        "transitions", (Stage(),), lambda one: frozenset([Evidence(one.step)]), wanted, in_words=words
    )


def all_states(model: SystemModel) -> PredicateSystem:
    """Make the testing strategy that visits every state that a test may visit."""

    def evidence(one: AnnotatedStep) -> frozenset[Evidence]:
        return frozenset([Evidence(one.step.source), Evidence(one.step.target)])

    def words(one: Evidence) -> str:
        state: Any = one.subject
        return f"state {model.names[state]}"

    return PredicateSystem("states", (Stage(),), evidence, tuple(map(Evidence, model.states)), in_words=words)


def _transition_pairs(model: SystemModel) -> PredicateSystem:
    """Meet every transition right after every one that leads to it."""

    def last_step(one: AnnotatedStep) -> Predicates:
        return frozenset([one.step])

    def evidence(one: AnnotatedStep) -> frozenset[Evidence]:
        return frozenset(
            Evidence(StepPair(before, one.step)) for before in one.before.past if isinstance(before, MachineStep)
        )

    def words(one: Evidence) -> str:
        pair: Any = one.subject
        return f"{model.name(pair.step)} right after {model.name(pair.before)}"

    wanted = tuple(
        Evidence(StepPair(before, step))
        for before in model.own_steps
        for step in model.own_steps
        if before.target == step.source
    )
    return PredicateSystem("pairs", (Stage(forward=last_step),), evidence, wanted, in_words=words)


_BUILT_IN = (
    ReadyStrategy("transitions", "meet every transition", all_transitions),
    ReadyStrategy("states", "visit every state", all_states),
    ReadyStrategy("pairs", "meet every transition right after each one that leads to it", _transition_pairs),
    ReadyStrategy("forward", "tell the final state of each transition by what comes next", forward_recognition),
    ReadyStrategy("backward", "tell the initial state of each transition by what came before", backward_recognition),
    ReadyStrategy("any", "tell the final state of each transition by what comes before or after", any_recognition),
    ReadyStrategy("double", "tell both states of each transition by past and future at once", double_recognition),
    ReadyStrategy("neighbours", "as double, and the states beside them, too", neighbour_recognition),
    ReadyStrategy("faults", "catch every system with one transition to a wrong state", _transfer_faults),
)
STRATEGIES: dict[str, ReadyStrategy] = {one.name: one for one in _BUILT_IN}
"""All strategies by name; put one of your own beside them and the commands know it."""


def strategy_named(name: str) -> ReadyStrategy:
    """Find the testing strategy of a name."""
    return named(name, STRATEGIES, "strategy")
