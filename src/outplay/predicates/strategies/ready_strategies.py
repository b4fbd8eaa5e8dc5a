"""Ready strategies by name: one registry, from which the command line and Python draw.

A strategy is a function that makes a predicate system for a model. A new one is a function and a line here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from outplay.errors import named
from outplay.predicates.predicate_system import AnnotatedStep, Evidence, Predicates, PredicateSystem, Stage
from outplay.predicates.strategies.faults import transfer_faults
from outplay.predicates.strategies.recognition import (
    any_recognition,
    backward_recognition,
    double_recognition,
    forward_recognition,
    neighbour_recognition,
)
from outplay.predicates.system_model import MachineStep, SystemModel


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
    """Meet every transition.

    >>> from outplay.model.machine import Machine
    >>> from outplay.predicates.touring.tour_planning import plan_tour
    >>> from outplay.predicates.system_model import system_model
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
    """Visit every state that a test may visit."""

    def evidence(one: AnnotatedStep) -> frozenset[Evidence]:
        return frozenset([Evidence(one.step.source), Evidence(one.step.target)])

    def words(one: Evidence) -> str:
        state: Any = one.subject
        return f"state {model.names[state]}"

    return PredicateSystem("states", (Stage(),), evidence, tuple(map(Evidence, model.states)), in_words=words)


def transition_pairs(model: SystemModel) -> PredicateSystem:
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
    ReadyStrategy("pairs", "meet every transition right after each one that leads to it", transition_pairs),
    ReadyStrategy("forward", "tell the final state of each transition by what comes next", forward_recognition),
    ReadyStrategy("backward", "tell the initial state of each transition by what came before", backward_recognition),
    ReadyStrategy("any", "tell the final state of each transition by what comes before or after", any_recognition),
    ReadyStrategy("double", "tell both states of each transition by past and future at once", double_recognition),
    ReadyStrategy("neighbours", "as double, and the states beside them, too", neighbour_recognition),
    ReadyStrategy("faults", "catch every system with one transition to a wrong state", transfer_faults),
)
STRATEGIES: dict[str, ReadyStrategy] = {one.name: one for one in _BUILT_IN}
"""All strategies by name; put one of your own beside them and the commands know it."""


def strategy_named(name: str) -> ReadyStrategy:
    """Find a strategy."""
    return named(name, STRATEGIES, "strategy")
