"""Conformance: does an implementation show only what its specification allows?

Definition (Tretmans 2008; van den Bos 2020, 2.3): an implementation conforms by **ioco** when after every trace of the
specification it shows only outputs, silence among them, that the specification shows there; by **uioco** (van der Bijl,
Rensink and Tretmans 2003) when it does so after the traces whose inputs are specified however the specification's
nondeterminism turned out. They differ only for nondeterministic specifications, and ioco implies uioco. Both take the
implementation to accept every input; one that it refuses is reported and proves nothing. As a game (van den Bos 2020,
5.29), **alternating** counts such a refusal as a difference too.

The pairs of states that traces of both can reach are all that matters (Definition 2.4: they are a coinductive relation
unless one of them breaks a rule). They are met breadth first, so the first that breaks a rule gives a shortest
counterexample. O(pairs · labels); of each side only what is reached is built.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any, TypeAlias

from outplay.conformance.behaviour import MOST_STATES, Alphabet, Behaviour, Inputs
from outplay.errors import ModelError, named
from outplay.model.label import Label
from outplay.plurals import counted

Pair: TypeAlias = tuple[int, int]  # a state of each; in a check the implementation's first


class Relation(Enum):
    """A conformance relation."""

    IOCO = "ioco"
    UIOCO = "uioco"
    ALTERNATING = "alternating"


_RELATIONS = {relation.value: relation for relation in Relation}


@dataclass(frozen=True)
class Differs:
    """After `trace` the implementation shows `label`, which is not allowed, or does not take it as an input."""

    trace: tuple[Label, ...]
    label: Label
    allowed: tuple[Label, ...]
    """The labels that the specification allows there; for an input that is not taken, the inputs that are."""
    where: str = ""
    """The states of the specification after the trace."""
    refused: tuple[Label, ...] | None = None
    """A shortest trace to an input, its last label, that the implementation does not take, if one was met."""
    conforms = False

    @property
    def counterexample(self) -> tuple[Label, ...]:
        """The whole trace, the last label included; none is shorter."""
        return (*self.trace, self.label)


@dataclass(frozen=True)
class Conforms:
    """The implementation conforms; `related` proves it: pairs of states (implementation, specification)."""

    related: frozenset[Pair]
    refused: tuple[Label, ...] | None = None
    """A shortest trace to an input, its last label, that the implementation does not take; None: it takes them all."""
    counterexample = None
    conforms = True


def check(
    specification: Any,
    implementation: Any,
    relation: Relation | str = Relation.IOCO,
    *,
    most: int = MOST_STATES,
) -> Conforms | Differs:
    """Check that an implementation conforms to a specification, both models of any kind; at most this many pairs.

    >>> from outplay.model.automaton import automaton
    >>> lamp = automaton([("off", "?press", "on"), ("on", "!light", "off"), ("on", "!hum", "on")])
    >>> fine = automaton([("0", "?press", "1"), ("1", "?press", "1"), ("1", "!light", "0")])
    >>> check(lamp, fine).conforms
    True
    >>> dark = automaton([("0", "?press", "0")])
    >>> check(lamp, dark).counterexample, check(lamp, dark).allowed
    ((?press, delta), (!light, !hum))
    """
    asked = relation if isinstance(relation, Relation) else named(relation, _RELATIONS, "relation")
    alphabet = Alphabet()
    of_spec = Inputs.SOME if asked is Relation.IOCO else Inputs.ALL
    of_impl = Inputs.ALL if asked is Relation.ALTERNATING else Inputs.SOME
    spec = Behaviour(specification, inputs=of_spec, alphabet=alphabet, most=most)
    impl = Behaviour(implementation, inputs=of_impl, alphabet=alphabet, most=most)
    return _Search(spec, impl, asked, most).found()


class PairSearch:
    """Pairs of states of two behaviours, met breadth first; `most` of them at most, or else there are `too_many`."""

    def __init__(self, one: Behaviour, other: Behaviour, most: int, too_many: str) -> None:
        self.labels, self._most, self._too_many = one.alphabet.labels, most, too_many
        start = (one.initial, other.initial)
        self.parents: dict[Pair, tuple[Pair, int] | None] = {start: None}
        self.queue = [start]

    def add(self, reached: Pair, pair: Pair, label: int) -> None:
        """A label leads from a pair to another one."""
        if reached in self.parents:
            return
        if len(self.queue) >= self._most:
            raise ModelError(f"{self._too_many}; raise --max-states")
        self.parents[reached] = (pair, label)
        self.queue.append(reached)

    def trace_to(self, pair: Pair) -> tuple[Label, ...]:
        """The labels on the way to a pair."""
        trace, step = list[Label](), self.parents[pair]
        while step is not None:
            trace.append(self.labels[step[1]])
            step = self.parents[step[0]]
        return tuple(trace[::-1])


class _Search(PairSearch):
    def __init__(self, spec: Behaviour, impl: Behaviour, relation: Relation, most: int) -> None:
        names = f"{spec.name} and {impl.name}"
        super().__init__(impl, spec, most, f"{names}: more than {counted(most, 'pair')} of states alike so far")
        self.spec, self.impl, self.relation = spec, impl, relation
        self.refused: tuple[Label, ...] | None = None

    def found(self) -> Conforms | Differs:
        for pair in self.queue:  # grows on the way
            wrong = self.expand(pair)
            if wrong is not None:
                return self.difference(pair, wrong)
        return Conforms(frozenset(self.parents), self.refused)

    def expand(self, pair: Pair) -> int | None:
        """Add what follows a pair; the number of a label that breaks a rule, or None."""
        at_impl, at_spec = pair
        allowed, taken = self.spec.outputs(at_spec), self.impl.inputs(at_impl)
        for label, target in self.impl.outputs(at_impl).items():
            permitted = allowed.get(label)
            if permitted is None:
                return label
            self.add((target, permitted), pair, label)
        for label, target in self.spec.inputs(at_spec).items():
            accepted = taken.get(label)
            if accepted is not None:
                self.add((accepted, target), pair, label)
            elif self.relation is Relation.ALTERNATING:
                return label
            elif self.refused is None:
                self.refused = (*self.trace_to(pair), self.labels[label])
        return None

    def difference(self, pair: Pair, wrong: int) -> Differs:
        label = self.labels[wrong]
        there = self.impl.inputs(pair[0]) if label.is_input else self.spec.outputs(pair[1])
        allowed = tuple(self.labels[number] for number in there)
        trace = self.trace_to(pair)
        refused = (*trace, label) if label.is_input else self.refused
        return Differs(trace, label, allowed, self.spec.describe(pair[1]), refused)
