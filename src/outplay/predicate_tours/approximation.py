"""Unfoldings made smaller: how much is kept, predicates underestimated, and what could hold at the very most.

How large an unfolding may become, and until when it may take.

Unfoldings kept small: annotations that differ little are taken for one that says less. Kapus-Kolar 2007, 5 and 6.3:
where Restrictions 7, 12 and 13 hold, satisfaction of predicates may be underestimated while the machine is unfolded. A
test then shows all that is said of it, and maybe more; only a cheaper one may be missed. Of each place of the graph
before, `width` annotations are kept, and besides every one that brings a predicate which no other one there has. The
others are rounded down to the largest one that is kept and says nothing else.

In a machine without choices no predicate of the future or the past of a state is lost in this way, because what holds
before a step of it follows from single predicates behind it; where the system chooses, some may be.

What could hold of the past and of the future of each state at the very most, whatever the tour. Where the rules are
monotone (Restrictions 7, 12 and 13 of Kapus-Kolar 2007), rules that are given more predicates find more. So all that
any tour says of a state is among what the rules find from all that is said of its neighbours, which is a least fixed
point over the states: small, while the unfolding is not. It serves for bounds: what no step shows even then, no tour
shows. `RoundingUp` keeps more apart: of all that may be said of a state a few sets are kept, and each is taken for the
smallest one that says all of it.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sized
from dataclasses import dataclass

from outplay.cancellation import NEVER, Deadline
from outplay.errors import UsageError
from outplay.plurals import counted
from outplay.predicate_tours.predicate_system import (
    NOTHING,
    Annotated,
    AnnotatedStep,
    Evidence,
    Predicates,
    PredicateSystem,
    Stage,
)
from outplay.predicate_tours.system_model import MachineStep, SystemModel

_LOOKING = 256


class LargeUnfolding(UsageError):
    """An unfolding has more vertices than were allowed, or took longer."""


def check_deadline(until: Deadline, done: int = 0) -> None:
    """Raise an error once the time for an unfolding is up; in a loop, look at the clock now and then."""
    if done % _LOOKING == 0 and until.passed:
        raise LargeUnfolding("what the tests show was not found out in the time there was; give it more")


@dataclass(frozen=True)
class UnfoldingLimits:
    """This many vertices, and so much time."""

    most: int
    until: Deadline = NEVER

    def check(self, vertices: Sized) -> None:
        """Refuse what is too large, or too late."""
        if len(vertices) > self.most:
            raise LargeUnfolding(
                f"the unfolding has more than {counted(self.most, 'vertex')}; ask for less, or raise `most`"
            )
        if self.until.passed:
            raise LargeUnfolding(f"{len(vertices):,} vertices were unfolded in the time there was; give it more")


WIDTH = 4


class Rounding:
    """The annotations that are kept in one walk over a graph, by their places in it."""

    def __init__(self, width: int, *, forward: bool) -> None:
        self._width, self._forward = width, forward
        self._kept: dict[int, list[Predicates]] = {}
        self._carried: dict[int, set[object]] = {}

    def settled(self, found: Annotated, there: Annotated, place: int) -> Annotated:
        """Return the entry to keep for a state: `found`, or the old one with the added value rounded."""
        said, before = (found.past, there.past) if self._forward else (found.future, there.future)
        kept, added = self._kept.setdefault(place, []), said - before
        if added in kept:
            return found
        added = self._rounded(added, kept, place)
        if added not in kept:
            kept.append(added)
        rounded = before | added
        return found._replace(past=rounded) if self._forward else found._replace(future=rounded)

    def _rounded(self, added: Predicates, kept: list[Predicates], place: int) -> Predicates:
        """Rounded down."""
        carried = self._carried.setdefault(place, set())
        if len(kept) >= self._width and added <= carried:
            return max((one for one in kept if one <= added), key=len, default=NOTHING)
        carried |= added
        return added


def overestimated_predicates(model: SystemModel, system: PredicateSystem) -> list[Annotated]:
    """Return for each state all predicates that may hold there on some tour, and maybe more."""
    states = [Annotated(state) for state in model.states]
    for stage in system.stages:
        for forward in (True, False):
            states[model.root] = stage.begun(states[model.root], forward=forward)
            _spread(model, stage, states, forward=forward)
    return states


def _spread(model: SystemModel, stage: Stage, states: list[Annotated], *, forward: bool) -> None:
    changed = True
    while changed:
        changed = False
        for step in model.steps:
            place = step.target if forward else step.source
            said = stage.followed(states[step.source], step, states[step.target], forward=forward)
            if said != states[place]:
                states[place], changed = said, True


class RoundingUp(Rounding):
    """The annotations that are kept in one walk over a graph that says too much."""

    def _rounded(self, added: Predicates, kept: list[Predicates], place: int) -> Predicates:
        if len(kept) < self._width:
            return added
        larger = [one for one in kept if added < one]
        return min(larger, key=len) if larger else added | min(kept, key=lambda one: len(one ^ added))


def possible_witnesses(
    model: SystemModel, system: PredicateSystem, wanted: Iterable[Iterable[Evidence]], until: Deadline = NEVER
) -> list[frozenset[MachineStep]]:
    """Return for each list of evidence the steps that may show some of it on some tour, and maybe more."""
    states = overestimated_predicates(model, system)
    shown: dict[Hashable, list[tuple[Evidence, MachineStep]]] = {}
    for done, step in enumerate(model.steps):
        check_deadline(until, done)
        for one in system.evidence(AnnotatedStep(states[step.source], step, states[step.target])):
            shown.setdefault(one.subject, []).append((one, step))
    return [steps_showing(choice, shown) for choice in wanted]


def steps_showing(
    wanted: Iterable[Evidence], shown: Mapping[Hashable, Iterable[tuple[Evidence, MachineStep]]]
) -> frozenset[MachineStep]:
    """Return the steps that show one of several pieces of evidence, from what steps show by subject."""
    return frozenset(step for one in wanted for found, step in shown.get(one.subject, ()) if found.implies(one))
