"""ioco as a game: does an implementation answer every move of the tester with outputs the specification allows?

Definition (van den Bos 2020, 2.4): the largest relation between states of the implementation and of the specification
in which each input the specification enables is accepted by the implementation and leads to related states, and each
output or silence of the implementation is allowed by the specification and leads to related states. Implementation
conforms to specification when their initial states are related; on deterministic automata this is ioco (van den Bos
2020, 2.5) and the game refinement of van den Bos 2020, 5.29. Automata are taken as their suspension automata, where an
input counts as enabled when all states of a set enable it, so for nondeterministic ones this is uioco.

The pairs that plays can reach are all that matters: met breadth first, they are such a relation unless one of them
breaks a rule, and the first that does gives a shortest counterexample. O(pairs · labels).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from outplay.model.automaton import Automaton
from outplay.model.label import SILENCE, Label
from outplay.model.suspension import SuspensionAutomaton

Pair: TypeAlias = tuple[int, int]  # a state of the implementation and one of the specification


@dataclass(frozen=True)
class Conforms:
    """The implementation conforms; `relation` proves it: pairs of states (implementation, specification)."""

    relation: frozenset[Pair]


@dataclass(frozen=True)
class Differs:
    """After `trace` the implementation shows `label`, which is not allowed, or does not accept it as an input."""

    trace: tuple[Label, ...]
    label: Label
    allowed: tuple[Label, ...]
    """What the specification allows there; for an input that is not accepted, the inputs that are."""

    @property
    def counterexample(self) -> tuple[Label, ...]:
        """The whole trace, the last label included; none is shorter."""
        return (*self.trace, self.label)


Refinement: TypeAlias = Conforms | Differs


def alternating_simulation(
    specification: Automaton | SuspensionAutomaton, implementation: Automaton | SuspensionAutomaton
) -> Refinement:
    """Relate an implementation to a specification, or find the shortest trace that tells why it cannot be.

    >>> from outplay.model.automaton import automaton
    >>> lamp = automaton([("off", "?press", "on"), ("on", "!light", "off"), ("on", "!hum", "on")])
    >>> fine = automaton([("0", "?press", "1"), ("1", "?press", "1"), ("1", "!light", "0")])
    >>> len(alternating_simulation(lamp, fine).relation)
    2
    >>> dark = automaton([("0", "?press", "0")])
    >>> alternating_simulation(lamp, dark).counterexample
    (?press, delta)
    """
    spec, impl = _suspension(specification), _suspension(implementation)
    start = (impl.initial[0], spec.initial[0])
    came_by: dict[Pair, tuple[Pair, Label] | None] = {start: None}
    queue = [start]
    for pair in queue:  # grows on the way
        shown = [label for label in impl.moves(pair[0]) if not label.is_input]
        for label in [*spec.inputs(pair[1]), *shown]:
            reached = _step(spec, impl, pair, label)
            if reached is None:
                return Differs(_trace(came_by, pair), label, _allowed(spec, impl, pair, label))
            if reached not in came_by:
                came_by[reached] = (pair, label)
                queue.append(reached)
    return Conforms(frozenset(came_by))


def _step(spec: SuspensionAutomaton, impl: SuspensionAutomaton, pair: Pair, label: Label) -> Pair | None:
    accepted = not label.is_input or label in impl.inputs(pair[0])
    allowed = spec.moves(pair[1]).get(label)
    return None if allowed is None or not accepted else (impl.moves(pair[0])[label], allowed)


def _allowed(spec: SuspensionAutomaton, impl: SuspensionAutomaton, pair: Pair, label: Label) -> tuple[Label, ...]:
    if label.is_input:
        return tuple(impl.inputs(pair[0]))
    return (*spec.outputs(pair[1]), *[SILENCE] * spec.quiet(pair[1]))


def _trace(came_by: dict[Pair, tuple[Pair, Label] | None], pair: Pair) -> tuple[Label, ...]:
    labels: list[Label] = []
    step = came_by[pair]
    while step is not None:
        labels.append(step[1])
        step = came_by[step[0]]
    return tuple(labels[::-1])


def _suspension(model: Automaton | SuspensionAutomaton) -> SuspensionAutomaton:
    return SuspensionAutomaton(model) if isinstance(model, Automaton) else model
