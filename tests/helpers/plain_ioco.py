"""ioco and uioco from their definitions: sets of an automaton's own states, followed label by label."""

from __future__ import annotations

from outplay.model.automaton import Automaton
from outplay.model.label import SILENCE, Label

States = frozenset[int]


def closed(model: Automaton, states: set[int]) -> States:
    """The states with all that internal steps lead to."""
    found, stack = set(states), list(states)
    while stack:
        for label, target in model.moves(stack.pop()):
            if label.kind == "tau" and target not in found:
                found.add(target)
                stack.append(target)
    return frozenset(found)


def own(model: Automaton, state: int) -> list[tuple[Label, int]]:
    """The moves of a state; silence is one where the state says so, or has no output and no internal step."""
    moves = model.moves(state)
    still = not any(label.is_output or label.kind in ("tau", "delta") for label, _ in moves)
    return [*moves, *[(SILENCE, state)] * still]


def after(model: Automaton, states: States, label: Label) -> States:
    """All states that a label leads to."""
    return closed(model, {target for state in states for step, target in own(model, state) if step == label})


def shown(model: Automaton, states: States) -> set[Label]:
    """The outputs of a set of states, silence among them."""
    return {label for state in states for label, _ in own(model, state) if label.is_output or label == SILENCE}


def inputs(model: Automaton, states: States, *, of_all: bool) -> set[Label]:
    """The inputs that some, or all, states of a set specify."""
    each = [{label for label, _ in model.moves(state) if label.is_input} for state in states]
    return set.intersection(*each) if of_all else set.union(*each)


def shortest_difference(spec: Automaton, impl: Automaton, *, unspecified: bool) -> tuple[Label, ...] | None:
    """A shortest trace whose last label the specification does not allow (2.3; with `unspecified`, uioco)."""
    start = (closed(impl, {impl.initial}), closed(spec, {spec.initial}))
    seen, level = {start}, [((), *start)]
    while level:
        following = []
        for trace, i, s in level:
            wrong = shown(impl, i) - shown(spec, s)
            if wrong:
                return (*trace, min(wrong, key=str))
            for label in shown(impl, i) | inputs(spec, s, of_all=unspecified):
                reached = (after(impl, i, label), after(spec, s, label))
                if reached[0] and reached not in seen:  # an implementation that takes no such input shows nothing
                    seen.add(reached)
                    following.append(((*trace, label), *reached))
        level = following
    return None
