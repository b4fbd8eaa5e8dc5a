"""The machine that a test walks on: with costs, without what is forbidden, pruned to tours from the root.

Kapus-Kolar 2007, sections 5 and 7.4: tests are sequences of inputs that lead the machine from its root back to it. A
transition that is forbidden, or from which there is no way back, takes all others of the same state and input with it,
because the system may choose it whenever the input is given. What is left is the system model M*; predicates may still
look at the whole machine M.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple, TypeAlias, TypeVar

from outplay.breadth_first_search import nearest_first
from outplay.errors import ModelError
from outplay.game.reset import RESET
from outplay.grouping import grouped
from outplay.model.machine import Machine

Cost: TypeAlias = tuple[int | Fraction, ...]
"""The cost of a step by each criterion, the more important first; compared as tuples are."""
Place = TypeVar("Place", bound=Hashable)


class MachineStep(NamedTuple):
    """A transition of a machine with its cost."""

    source: int
    given: str
    shown: str
    target: int
    cost: Cost = (1,)

    @property
    def label(self) -> tuple[str, str]:
        return self.given, self.shown


@dataclass(frozen=True)
class SystemModel:
    """A machine as tests walk on it. Make one with `system_model`."""

    names: tuple[str, ...]
    root: int
    steps: tuple[MachineStep, ...]
    """M*: what a test may meet."""
    machine_steps: tuple[MachineStep, ...]
    """M: all the machine can do, by which states are told apart."""

    @property
    def own_steps(self) -> list[MachineStep]:
        """Return the steps of the machine without resets."""
        return [step for step in self.machine_steps if step.given != RESET]

    @property
    def resets(self) -> bool:
        """Whether the tester may start the system again at any time."""
        return len(self.own_steps) < len(self.machine_steps)

    @property
    def nothing(self) -> tuple[Fraction, ...]:
        """Return the cost of doing nothing, by each criterion."""
        return (Fraction(0),) * len(self.machine_steps[0].cost if self.machine_steps else (1,))

    @property
    def states(self) -> range:
        return range(len(self.names))

    @cached_property
    def steps_from(self) -> dict[int, list[MachineStep]]:
        """The steps of each state."""
        return grouped(((step.source, step) for step in self.steps), self.states)

    @cached_property
    def answers(self) -> dict[tuple[int, str], list[MachineStep]]:
        """The steps of each state and input: what the system may answer."""
        return grouped(((step.source, step.given), step) for step in self.steps)

    @property
    def deterministic(self) -> bool:
        """Whether the system has no choice in what a test may meet."""
        return all(len(steps) == 1 for steps in self.answers.values())

    @cached_property
    def left_out(self) -> tuple[MachineStep, ...]:
        """Return what no test may meet: forbidden, without a way there or back, or a choice of the system beside
        such.
        """
        kept = set(self.steps)
        return tuple(step for step in self.machine_steps if step not in kept)

    def name(self, step: MachineStep) -> str:
        """A step in words."""
        if step.given == RESET:
            return f"{self.names[step.source]} –reset→ {self.names[step.target]}"
        return f"{self.names[step.source]} –{step.given}/{step.shown}→ {self.names[step.target]}"

    def possible_after(self, observed: Iterable[tuple[str, str]]) -> list[set[int]]:
        """The states that are possible after nothing, after the first label that was observed, and so on."""
        found = [{self.root}]
        for label in observed:
            here = found[-1]
            found.append({step.target for step in self.machine_steps if step.source in here and step.label == label})
        return found

    def without(self, ruled_out: Collection[MachineStep]) -> SystemModel:
        """The model of systems known not to have some steps; tests may still meet all others."""
        kept = [step for step in self.machine_steps if step not in ruled_out]
        forbidden = set(self.left_out)
        return _pruned(self.names, self.root, kept, lambda step: step in forbidden)


def system_model(
    machine: Machine,
    *,
    cost: Callable[[int, str, str, int], int | Fraction | Cost] | None = None,
    forbidden: Iterable[tuple[int, str, str, int]] = (),
    reset: int | Fraction | Cost | None = None,
) -> SystemModel:
    """Make the system model of a machine; each step costs 1 unless a function says otherwise.

    With `reset`, a cost, the tester may in every state start again, so that every step has a way back.

    >>> model = system_model(Machine(("idle", "on"), ((0, "press", "light", 1), (1, "press", "dark", 0))))
    >>> [model.name(step) for step in model.steps]
    ['idle –press/light→ on', 'on –press/dark→ idle']
    """
    steps = []
    for source, given, shown, target in dict.fromkeys(machine.steps):
        found = 1 if cost is None else cost(source, given, shown, target)
        vector = found if isinstance(found, tuple) else (found,)
        if any(part < 0 for part in vector):
            raise ModelError(f"a step of cost {found}: costs are counted from 0 upwards")
        steps.append(MachineStep(source, given, shown, target, vector))
    if reset is not None:
        price = reset if isinstance(reset, tuple) else (reset,)
        states = range(len(machine.names))
        steps += [MachineStep(state, RESET, RESET, machine.initial, price) for state in states]
    if len({len(step.cost) for step in steps}) > 1:
        raise ModelError("steps have costs by different numbers of criteria; give each the same number")
    banned = set(forbidden)
    return _pruned(machine.names, machine.initial, steps, lambda step: step[:4] in banned)


def _pruned(
    names: tuple[str, ...], root: int, steps: list[MachineStep], forbidden: Callable[[MachineStep], bool]
) -> SystemModel:
    """Leave out until every step that is left has a way there and back, and all choices beside it do too."""
    kept = list(steps)
    while True:
        there = reachable_places([root], ((step.source, step.target) for step in kept))
        back = reachable_places([root], ((step.target, step.source) for step in kept))
        unsafe = {
            (step.source, step.given)
            for step in steps
            if forbidden(step) or step.target not in back or step.source not in there
        }
        left = [step for step in kept if (step.source, step.given) not in unsafe]
        if left == kept:
            return SystemModel(names, root, tuple(kept), tuple(steps))
        kept = left


def reachable_places(starts: Iterable[Place], pairs: Iterable[tuple[Place, Place]]) -> set[Place]:
    """Return all places that can be reached along pairs of places."""
    onward = grouped(pairs)
    return set(nearest_first(starts, lambda place: onward.get(place, ())))
