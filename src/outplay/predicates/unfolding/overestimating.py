"""What could hold of the past and of the future of each state at the very most, whatever the tour.

Where the rules are monotone (Restrictions 7, 12 and 13 of Kapus-Kolar 2007), rules that are given more predicates find
more. So all that any tour says of a state is among what the rules find from all that is said of its neighbours, which
is a least fixed point over the states: small, while the unfolding is not. It serves for bounds: what no step shows even
then, no tour shows. `RoundingUp` keeps more apart: of all that may be said of a state a few sets are kept, and each is
taken for the smallest one that says all of it.
"""

from __future__ import annotations

from collections.abc import Iterable

from outplay.predicates.predicate_system import (
    Annotated,
    AnnotatedStep,
    Evidence,
    Predicates,
    PredicateSystem,
    Stage,
)
from outplay.predicates.system_model import MachineStep, SystemModel
from outplay.predicates.unfolding.underestimating import Rounding
from outplay.predicates.unfolding.unfolding_limits import look_at
from outplay.strategy.deadline import NEVER, Deadline


def most_said(model: SystemModel, system: PredicateSystem) -> list[Annotated]:
    """For each state all predicates that may hold there on some tour, and maybe more."""
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
    """For each list of evidence the steps that may show some of it on some tour, and maybe more."""
    states = most_said(model, system)
    shown: dict[object, list[tuple[Evidence, MachineStep]]] = {}
    for done, step in enumerate(model.steps):
        look_at(until, done)
        for one in system.evidence(AnnotatedStep(states[step.source], step, states[step.target])):
            shown.setdefault(one.subject, []).append((one, step))
    return [
        frozenset(step for one in choice for found, step in shown.get(one.subject, ()) if found.implies(one))
        for choice in wanted
    ]
