"""Strategies that meet every transition where the states around it are recognised.

A state is recognised forwards by what is shown after it, backwards by what was shown before it. Definition (Kapus-Kolar
2007, 3.3 and 6.1): a sequence excludes a state forwards when no walk from the state shows it (FE), and backwards when
no walk to the state does (BE). One step longer, a state is excluded when every way of it to show the step leads to, or
comes from, a state that was excluded already. In these systems a number in the past or in the future is a state that is
excluded there.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache
from typing import Any, NamedTuple, TypeAlias

from outplay.grouping import grouped
from outplay.predicate_tours.predicate_system import (
    Annotated,
    AnnotatedStep,
    Evidence,
    Predicates,
    PredicateSystem,
    Rule,
    Stage,
)
from outplay.predicate_tours.system_model import MachineStep, SystemModel

Excluded: TypeAlias = frozenset[int]
Longer: TypeAlias = Callable[[tuple[str, str], Excluded], Excluded]


def longer_future(model: SystemModel) -> Longer:
    """Return the rule for the states that the future excludes: FE of a sequence with one more label before it."""
    return _longer(model, lambda step: (step.target, step.source))


def longer_past(model: SystemModel) -> Longer:
    """Return the rule for the states that the past excludes: BE of a sequence with one more label behind it."""
    return _longer(model, lambda step: (step.source, step.target))


def _longer(model: SystemModel, ends: Callable[[MachineStep], tuple[int, int]]) -> Longer:
    pairs = grouped((step.label, ends(step)) for step in model.machine_steps)
    everything = frozenset(model.states)

    @lru_cache(maxsize=100_000)
    def longer(label: tuple[str, str], excluded: Excluded) -> Excluded:
        return everything - {new for old, new in pairs[label] if old not in excluded}

    return longer


class Distinguished(NamedTuple):
    """A transition with a state that is to be told from its final one; backwards, from its initial one."""

    step: MachineStep
    other: int
    initial: bool = False


class Neighbour(NamedTuple):
    """A state that is excluded for the neighbour of a state: where the tour was before, or will be next.

    `past` says whether it is the past that excludes it, as predicates p do, or the future, as predicates p′ do.
    """

    place: int
    past: bool
    state: int


def excluded_by_future(model: SystemModel) -> Rule:
    """Return the stage φ: the states that the future of a tour excludes (the predicates p′)."""
    longer = longer_future(model)
    return lambda one: longer(one.step.label, excluded_states(one.after.future))


def _by_past(model: SystemModel) -> Rule:
    """β: the states that what came before excludes (the predicates p)."""
    longer = longer_past(model)
    return lambda one: longer(one.step.label, excluded_states(one.before.past))


@lru_cache(maxsize=100_000)
def excluded_states(predicates: Predicates) -> Excluded:
    """Return the states that the predicates at an annotated state exclude."""
    return frozenset(one for one in predicates if isinstance(one, int))


def forward_recognition(model: SystemModel) -> PredicateSystem:
    """Meet every transition and tell its final state from each other state by what comes next.

    The strategy of the running example in Kapus-Kolar 2007 (7.4): each pair of a transition and a state is a goal of
    its own, so that different sequences after the same transition may serve.
    """
    return _recognition(
        model, "forward", Stage(backward=excluded_by_future(model)), lambda one: excluded_states(one.after.future)
    )


def any_recognition(model: SystemModel) -> PredicateSystem:
    """Meet every transition and tell its final state from each other by its future, or by its past up to it."""
    stage = Stage(_by_past(model), excluded_by_future(model))
    return _recognition(
        model, "any", stage, lambda one: excluded_states(one.after.past) | excluded_states(one.after.future)
    )


def backward_recognition(model: SystemModel) -> PredicateSystem:
    """Meet every transition and tell its initial state from each other state by what came before."""
    stage = Stage(forward=_by_past(model))
    return _recognition(model, "backward", stage, lambda one: excluded_states(one.before.past), initial=True)


def _recognition(
    model: SystemModel,
    name: str,
    stage: Stage,
    distinguished_from: Callable[[AnnotatedStep], frozenset[int]],
    initial: bool = False,
) -> PredicateSystem:
    @cache
    def distinguishing(step: MachineStep) -> list[Evidence]:
        return [Evidence(Distinguished(step, other, initial)) for other in model.states]

    def evidence(one: AnnotatedStep) -> frozenset[Evidence]:
        known = distinguishing(one.step)
        return frozenset([known[other] for other in distinguished_from(one)])

    def words(one: Evidence) -> str:
        subject: Any = one.subject
        checked = subject.step.source if initial else subject.step.target
        return f"{model.name(subject.step)}, {model.names[checked]} told from {model.names[subject.other]}"

    wanted = [
        distinguishing(step)[other]
        for step in model.own_steps
        for other in model.states
        if other != (step.source if initial else step.target)
    ]
    return PredicateSystem(name, (stage,), evidence, tuple(wanted), in_words=words)


def double_recognition(model: SystemModel) -> PredicateSystem:
    """Meet every transition where both its states are recognised, each by its past and by its future, all at once.

    The first strategy of Kapus-Kolar 2007, 6.1. Where all of it cannot be had together, as much as can be is pursued.
    """
    return _together(model, "double", (Stage(_by_past(model), excluded_by_future(model)),), _both, _both_wanted)


def neighbour_recognition(model: SystemModel) -> PredicateSystem:
    """Meet every transition where its states, and those before and after them, are recognised by past and future.

    The strategy of Kapus-Kolar 2007, 6.1, in two stages; its predicates are unfolded in Table 1 there.
    """
    # Which states are excluded for where the tour was just before (β), and for where it will be next (φ).
    second = Stage(lambda one: _neighbour(-1, one.before), lambda one: _neighbour(1, one.after))

    def parts(one: AnnotatedStep) -> Predicates:
        return _both(one) | _tagged("before", one.before.past) | _tagged("after", one.after.future)

    def everything(model: SystemModel, step: MachineStep) -> Predicates:
        before = {("before", Neighbour(-1, past, state)) for past in (True, False) for state in model.states}
        after = {("after", Neighbour(1, past, state)) for past in (True, False) for state in model.states}
        return _both_wanted(model, step) | before | after

    return _together(
        model, "neighbours", (Stage(_by_past(model), excluded_by_future(model)), second), parts, everything
    )


def _together(
    model: SystemModel,
    name: str,
    stages: tuple[Stage, ...],
    parts: Callable[[AnnotatedStep], Predicates],
    everything: Callable[[SystemModel, MachineStep], Predicates],
) -> PredicateSystem:
    def evidence(one: AnnotatedStep) -> frozenset[Evidence]:
        return frozenset([Evidence(one.step, parts(one))])

    wanted = tuple(Evidence(step, everything(model, step)) for step in model.own_steps)
    sizes = {one.subject: len(one.parts) for one in wanted}

    def words(one: Evidence) -> str:
        step: Any = one.subject
        return f"{model.name(step)}, recognised by {len(one.parts)} of {sizes[step]} exclusions"

    return PredicateSystem(name, stages, evidence, wanted, in_words=words)


def _both(one: AnnotatedStep) -> Predicates:
    """Return the states that are excluded at the initial and at the final state, by the past and by the future."""
    sides = (("initial past", one.before.past), ("initial future", one.before.future),
             ("final past", one.after.past), ("final future", one.after.future))  # fmt: skip
    return frozenset((side, state) for side, found in sides for state in excluded_states(found))


def _both_wanted(model: SystemModel, step: MachineStep) -> Predicates:
    ends = (("initial past", step.source), ("initial future", step.source),
            ("final past", step.target), ("final future", step.target))  # fmt: skip
    return frozenset((side, state) for side, own in ends for state in model.states if state != own)


def _tagged(side: str, predicates: Predicates) -> Predicates:
    return frozenset((side, one) for one in predicates if isinstance(one, Neighbour))


def _neighbour(place: int, there: Annotated) -> Predicates:
    """p and p′ with index -1 or 1; the neighbour is known to the model, so it counts as excluded for itself."""
    sides = ((True, there.past), (False, there.future))
    return frozenset(
        Neighbour(place, past, state) for past, of in sides for state in excluded_states(of) | {there.state}
    )
