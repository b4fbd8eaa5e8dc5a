"""The optional restrictions of predicate systems, tried out: which shortcuts are safe.

Definition (Kapus-Kolar 2007, 5 and 6.2): Restriction 7 asks that more predicates around a step never take evidence
away, 12 that they never take predicates on the past away, 13 the same for the future (8 and 9 are those of a single
stage). A system declares that it is `monotone`; here it is held against random sets of predicates, which can only
prove the contrary. Restrictions 10 and 11, that nothing holds of the empty walk, are seen from the system itself.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from outplay.predicate_tours.predicate_system import (
    Annotated,
    AnnotatedStep,
    Evidence,
    Predicates,
    PredicateSystem,
)
from outplay.predicate_tours.sheaf_graph import SheafGraph


@dataclass(frozen=True)
class Broken:
    """A restriction does not hold: with fewer predicates around a step more follows."""

    restriction: int
    fewer: AnnotatedStep
    more: AnnotatedStep


def broken_restriction(graph: SheafGraph, rng: Random, tries: int = 200) -> Broken | None:
    """Look for a step at which Restriction 7, 12 or 13 is broken, among the predicates that a graph knows."""
    system = graph.system
    steps = [part for edge in graph.edges for run in edge.runs for part in run]
    past = sorted({one for part in steps for one in part.before.past | part.after.past}, key=repr)
    future = sorted({one for part in steps for one in part.before.future | part.after.future}, key=repr)

    def some(predicates: list[object]) -> Predicates:
        return frozenset(one for one in predicates if rng.random() < 0.5)

    def state(number: int) -> tuple[Annotated, Annotated]:
        more = Annotated(number, some(list(past)), some(list(future)))
        return more._replace(past=more.past & some(list(past)), future=more.future & some(list(future))), more

    for _ in range(tries if steps else 0):
        step = rng.choice(steps).step
        (before, full_before), (after, full_after) = state(step.source), state(step.target)
        fewer, more = AnnotatedStep(before, step, after), AnnotatedStep(full_before, step, full_after)
        broken = _broken(system, fewer, more)
        if broken is not None:
            return Broken(broken, fewer, more)
    return None


def _broken(system: PredicateSystem, fewer: AnnotatedStep, more: AnnotatedStep) -> int | None:
    if not _no_stronger(system.evidence(fewer), system.evidence(more)):
        return 7
    for stage in system.stages:
        if not _grows(stage.forward, fewer, more):
            return 12
        if not _grows(stage.backward, fewer, more):
            return 13
    return None


def _grows(rule: Callable[[AnnotatedStep], Predicates] | None, fewer: AnnotatedStep, more: AnnotatedStep) -> bool:
    return rule is None or rule(fewer) <= rule(more)


def _no_stronger(fewer: frozenset[Evidence], more: frozenset[Evidence]) -> bool:
    return all(any(strong.implies(weak) for strong in more) for weak in fewer)
