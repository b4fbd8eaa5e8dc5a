"""What a play of a tour came to: what was planned, paid and shown, beside the bound."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from outplay.predicates.predicate_system import AnnotatedStep, Evidence, PredicateSystem, annotated_tour
from outplay.predicates.system_model import MachineStep, SystemModel
from outplay.predicates.tour_playing.belief import ManyReadings, runs_showing
from outplay.predicates.touring.planned_tour import PlannedTour
from outplay.predicates.touring.prediction import Vector
from outplay.predicates.touring.witnessing import run_shows, single

Seen: TypeAlias = tuple[tuple[str, str], ...]
"""Inputs, each with the output that answered it; a reset is answered by itself."""


@dataclass(frozen=True)
class Account:
    """What a play came to: what was planned, what was paid and what was shown."""

    plan: PlannedTour
    paid: Vector
    shown: tuple[Evidence, ...]
    """What is wanted and was shown, whichever run it was."""
    wanted: int


def account_of(
    plan: PlannedTour, model: SystemModel, system: PredicateSystem, seen: Seen, *, deterministic: bool
) -> Account:
    """The account of what was seen; nothing is shown before the machine is back home, or if too much may have been."""
    runs = [run for run in _runs(model, seen, deterministic) if run]
    home = runs and all(run[-1].target == model.root for run in runs)
    evidence = [_evidence(system, run, model.root) for run in runs] if home else [frozenset[Evidence]()]
    shown = [one for one in system.wanted if all(run_shows(each, single(one)) for each in evidence)]
    return Account(plan, paid_for(model, seen), tuple(shown), len(system.wanted))


def paid_for(model: SystemModel, seen: Seen) -> Vector:
    """What was paid, reckoned with the dearest run that shows what was seen."""
    nothing = model.nothing
    dearest: dict[int, Vector] = {model.root: nothing}
    for label in seen:
        longer: dict[int, Vector] = {}
        for step in model.machine_steps:
            if step.source in dearest and step.label == label:
                paid = tuple(a + b for a, b in zip(dearest[step.source], step.cost, strict=True))
                longer[step.target] = max(longer.get(step.target, nothing), paid)
        dearest = longer
    return max(dearest.values(), default=nothing)


def _runs(model: SystemModel, seen: Seen, deterministic: bool) -> list[tuple[MachineStep, ...]]:
    try:
        found = runs_showing(model, seen, deterministic=deterministic)
        return found or runs_showing(model, seen)  # it may have changed its mind after all
    except ManyReadings:
        return []


def _evidence(system: PredicateSystem, run: tuple[MachineStep, ...], root: int) -> frozenset[Evidence]:
    states = annotated_tour(system, run, root)
    steps = (AnnotatedStep(before, step, after) for before, step, after in zip(states, run, states[1:], strict=False))
    return frozenset().union(*map(system.evidence, steps))
