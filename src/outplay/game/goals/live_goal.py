"""A goal while playing: whether a step of the specification, from a state by a label to a state, reaches it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from outplay.errors import UsageError
from outplay.game.goals.goal import (
    AtState,
    Goal,
    NamedSet,
    Remembering,
    Seen,
    Single,
    Transition,
    single_goals,
    step_reaches_goal,
)
from outplay.game.goals.goal_grammar import parse_goal, parse_goals, text_joins_goals
from outplay.model.label import DELTA, Label
from outplay.model.purpose import IsAt, PurposeSpecification
from outplay.model.specification import Specification, State
from outplay.model.tracking import GoalTest, no_goal


def followed_goal(spec: Specification, wanted: Goal | Iterable[str]) -> tuple[Specification, GoalTest]:
    """Return the test for a goal in live play, and the specification to follow, with a memory where the goal needs one.

    >>> from outplay import automaton
    >>> from outplay.model.suspension import SuspensionAutomaton
    >>> spec = SuspensionAutomaton(automaton([("a", "?x", "b"), ("b", "?y", "a")]))
    >>> _, test = followed_goal(spec, ["b --?y-->"])
    >>> (after,) = spec.after(spec.initial[0], Label.parse("?x"))
    >>> test(after, Label.parse("?y"), spec.initial[0])
    True
    """
    if not isinstance(wanted, Goal):
        texts = list(wanted)
        if not texts:
            return spec, no_goal
        wanted = parse_goals(texts, SpecificationNames(spec))

    def follow_beside(part: Remembering) -> None:
        nonlocal spec
        spec = PurposeSpecification(spec, part.purpose)

    parts = single_goals(wanted, follow_beside)
    return spec, _Test(spec, tuple(parts))


def followed_without_game(spec: Specification, text: str, *, labels: bool) -> bool:
    """Say whether live play can follow a goal without a game: a named set or, with `labels`, a label."""
    try:
        found = parse_goal(text, SpecificationNames(spec))
    except UsageError:  # such as a state that only exploring gives a number
        return False
    return isinstance(found, NamedSet) or (labels and isinstance(found, Seen))


@dataclass(frozen=True)
class _Test:
    spec: Specification
    parts: tuple[Single, ...]

    def __call__(self, before: State | None, label: Label | None, after: State) -> bool:
        if label is None:
            at = _at(self.spec, after)
            return any(isinstance(part, NamedSet | AtState) and at(part.name) for part in self.parts)
        around = _at(self.spec, before), _at(self.spec, after)
        shown = self.spec.written(before, label).text
        return any(step_reaches_goal(part, shown, *around) for part in self.parts)


def _at(spec: Specification, state: State) -> IsAt:
    return lambda name: spec.holds(name, state)


class SpecificationNames:
    """The names a specification knows; its labels are told by how they are written."""

    def __init__(self, spec: Specification) -> None:
        self._spec = spec
        self.place = spec.name

    def is_goal(self, name: str) -> bool:
        return name in self._spec.goals

    def is_state(self, name: str) -> bool:
        return self._spec.is_state(name)

    def is_label(self, name: str, *, alone: bool) -> bool:
        return (name[:1] in ("?", "!") or name == DELTA) and (alone or not text_joins_goals(name))

    def transition(self, found: Transition) -> Transition:
        return Transition(found.state, Label.parse(found.label).text, found.target)

    def edge(self, name: str) -> Transition | None:
        return None

    def hints(self) -> Sequence[str]:
        return list(self._spec.goals)
