"""Predicates on walks, declared by the rules that compute them: how a testing strategy is written down.

Definition (Kapus-Kolar 2007, 3.6 and 3.7). A tour is cut at each of its states into what came before and what comes
after. Some predicates speak of the past (PI), some of the future (PF), and those of interest (PT) of the whole tour. In
a generalized canonical predicate system they are found in stages, by walking the tour forwards and backwards in turn:

- Restriction 5: what stage i adds to the past after a step follows from the step, from what the stages so far say of
  the states before and after it, and from what stage i says of the past before it (the rule β_i, `forward`);
- Restriction 6: the same for the future, the other way round (the rule φ_i, `backward`);
- Restriction 4: a predicate on the tour holds when some step of it is a witness, which follows from the step and from
  all that is said of the states before and after it (θ, `evidence`).

With one stage the system is canonical (Restrictions 1 to 3). Optional restrictions decide which shortcuts are safe. The
rules are monotone when more predicates on their right never give fewer on their left (7, 12 and 13, of which 8 and 9
are the special cases of one stage): then satisfaction may be underestimated. When moreover nothing holds of the empty
past and of the empty future (10 and 11), tests may be put one after the other.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from outplay.errors import UsageError
from outplay.predicate_tours.system_model import MachineStep

Predicates: TypeAlias = frozenset[Hashable]
NOTHING: Predicates = frozenset()


class Annotated(NamedTuple):
    """A state on a tour, with what is known of the past and of the future there."""

    state: int
    past: Predicates = NOTHING
    future: Predicates = NOTHING


class AnnotatedStep(NamedTuple):
    """A step of a tour between annotated states."""

    before: Annotated
    step: MachineStep
    after: Annotated


class _Evidence(NamedTuple):
    subject: Hashable
    parts: Predicates = NOTHING


class Evidence(_Evidence):
    """The evidence for a subject, such as a transition: all parts of it at one step of the tour.

    Evidence with more parts is stronger; where all of them cannot be had together, fewer are pursued.
    """

    _hash: int

    def __hash__(self) -> int:
        try:
            return self._hash
        except AttributeError:  # found out once: large machines look each one up many times
            self._hash = super().__hash__()
            return self._hash

    def implies(self, other: Evidence) -> bool:
        return self.subject == other.subject and other.parts <= self.parts


Rule: TypeAlias = Callable[[AnnotatedStep], Predicates]


@dataclass(frozen=True)
class Stage:
    """One walk forwards, then one backwards; a rule that is None adds nothing."""

    forward: Rule | None = None
    backward: Rule | None = None
    past_at_start: Predicates = NOTHING
    """The predicates that the stage adds to the empty past."""
    future_at_end: Predicates = NOTHING
    """The predicates that the stage adds to the empty future."""

    def begun(self, state: Annotated, *, forward: bool) -> Annotated:
        """A state where a walk begins, with what the stage says of the empty past, or of the empty future."""
        if forward:
            return state._replace(past=state.past | self.past_at_start)
        return state._replace(future=state.future | self.future_at_end)

    def followed(self, before: Annotated, step: MachineStep, after: Annotated, *, forward: bool) -> Annotated:
        """The state after a step, with what the stage adds to its past; or the one before, with more of its future."""
        rule, there = (self.forward, after) if forward else (self.backward, before)
        if rule is None:
            return there
        added = rule(AnnotatedStep(before, step, after))
        return there._replace(past=there.past | added) if forward else there._replace(future=there.future | added)


@dataclass(frozen=True)
class PredicateSystem:
    """A testing strategy: stages of predicates, what is wanted, and which evidence a step gives for it."""

    name: str
    stages: tuple[Stage, ...]
    evidence: Callable[[AnnotatedStep], frozenset[Evidence]]
    wanted: tuple[Evidence, ...]
    alternatives: tuple[frozenset[Evidence], ...] = ()
    """Sets of what is wanted, each of which is enough; empty where all is wanted."""
    monotone: bool = True
    """Whether Restrictions 7, 12 and 13 hold."""
    in_words: Callable[[Evidence], str] = field(default=str, compare=False)

    @property
    def empty_past(self) -> Predicates:
        """PI(ε)."""
        return frozenset().union(*(stage.past_at_start for stage in self.stages))

    @property
    def empty_future(self) -> Predicates:
        """PF(ε)."""
        return frozenset().union(*(stage.future_at_end for stage in self.stages))

    @property
    def concatenates(self) -> bool:
        """Whether tests may be put one after the other (Restrictions 7 and 10 to 13)."""
        return self.monotone and not self.empty_past and not self.empty_future


def annotated_tour(system: PredicateSystem, tour: Sequence[MachineStep], root: int) -> list[Annotated]:
    """Annotate the states of one tour with predicates, stage by stage (unf of the tour, 3.8)."""
    ends = [step.target for step in tour]
    if [step.source for step in tour] != [root, *ends[:-1]] or ends[-1:] not in ([], [root]):
        raise UsageError("the steps are no tour: each must begin where the one before ends, at the root in the end")
    found = [Annotated(state) for state in (root, *ends)]
    for stage in system.stages:
        found[0] = stage.begun(found[0], forward=True)
        for place, step in enumerate(tour):
            found[place + 1] = stage.followed(found[place], step, found[place + 1], forward=True)
        found[-1] = stage.begun(found[-1], forward=False)
        for place, step in reversed(list(enumerate(tour))):
            found[place] = stage.followed(found[place], step, found[place + 1], forward=False)
    return found
