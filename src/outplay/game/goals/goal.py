"""A goal of the tester: a named set, a state, a label, a transition, a purpose, one of several, or all of them.

A goal is reached when the play comes to a state, or sees a label or a transition. A fulfilled purpose, or all of
several goals in any order, takes a memory, which is a purpose beside the model (model/purpose.py). How goals are read
and written is in goal_grammar.py, what they are on a game in target.py, and while playing in live_goal.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeAlias

from outplay.errors import UsageError
from outplay.model.label import Label
from outplay.model.purpose import IsAt, Purpose

MOST_TOGETHER = 12  # goals of which all are wanted: the game grows by a factor of up to two for each


@dataclass(frozen=True)
class _Named:
    name: str

    def __str__(self) -> str:
        return _quoted_name(self.name)


class NamedSet(_Named):
    """To come to a state at which a goal of the model holds."""


class AtState(_Named):
    """To come to one state, or one vertex of a game."""


@dataclass(frozen=True)
class Seen:
    """To see a label, wherever it leads."""

    label: str

    def __str__(self) -> str:
        return _quoted_name(self.label)


@dataclass(frozen=True)
class Transition:
    """To see a label in a state, and perhaps to come to another one by it: `state --label-->` or `a --label--> b`."""

    state: str
    label: str
    target: str | None = None

    def __str__(self) -> str:
        return _quoted_name(transition_text(self.state, self.label, self.target))


@dataclass(frozen=True)
class Fulfilled:
    """To fulfil a test purpose."""

    purpose: Purpose

    def __str__(self) -> str:
        return _quoted_name(self.purpose.name)


@dataclass(frozen=True)
class AnyOf:
    """To reach one of several goals."""

    parts: tuple[Goal, ...]

    def __str__(self) -> str:
        return " or ".join(map(str, self.parts))


@dataclass(frozen=True)
class AllOf:
    """To reach all of several goals, in any order; one move may reach more than one."""

    parts: tuple[Single, ...]

    def __post_init__(self) -> None:
        if len(self.parts) > MOST_TOGETHER:
            raise UsageError(f"{len(self.parts)} goals are too many to be wanted all; give at most {MOST_TOGETHER}")
        for part in self.parts:
            if not isinstance(part, NamedSet | AtState | Seen | Transition):
                raise UsageError(f"all of several goals takes goal sets, states, labels and transitions, not {part}")

    def __str__(self) -> str:
        return " & ".join(map(str, self.parts))

    @property
    def purpose(self) -> Purpose:
        """Return a purpose that remembers which of them were reached."""
        return AllOfPurpose(self)


Single: TypeAlias = NamedSet | AtState | Seen | Transition
Remembering: TypeAlias = Fulfilled | AllOf
Goal: TypeAlias = Single | Remembering | AnyOf


def goal_union(goals: Iterable[Goal]) -> Goal:
    """Return one goal that is reached when any of some goals is."""
    parts = tuple(dict.fromkeys(part for goal in goals for part in goal_alternatives(goal)))
    return parts[0] if len(parts) == 1 else AnyOf(parts)


def goal_alternatives(goal: Goal) -> tuple[Goal, ...]:
    """Return the goals of which any is enough to reach a goal."""
    return goal.parts if isinstance(goal, AnyOf) else (goal,)


def single_goals(goal: Goal, put_beside: Callable[[Remembering], None]) -> list[Single]:
    """Return the single goals of which any is enough; goals with a memory are put beside the model as goal sets."""
    found: list[Single] = []
    for part in goal_alternatives(goal):
        if isinstance(part, AllOf | Fulfilled):
            put_beside(part)
            found.append(NamedSet(part.purpose.name))
        elif not isinstance(part, AnyOf):  # no union stands in a union
            found.append(part)
    return found


def transition_text(state: str, label: str, target: str | None) -> str:
    """Write a transition goal as text, `s1 --?x--> s2`, as goals are read and written everywhere."""
    arrow = f"--{label}-->" if label else "-->"
    return f"{state} {arrow} {target}" if target else f"{state} {arrow}"


def _quoted_name(name: str) -> str:
    """A name as a part of a goal: in quotes where it holds a mark that joins goals."""
    plain = " & " not in name and " or " not in name and not name.startswith('"')
    escaped = name.replace("\\", "\\\\").replace('"', '\\"')
    return name if plain else f'"{escaped}"'


@dataclass(frozen=True)
class AllOfPurpose:
    """The purpose that all of several goals are reached; a place is the set of those that were, as bits."""

    goal: AllOf

    @property
    def name(self) -> str:
        return str(self.goal)

    @property
    def names(self) -> tuple[str, ...]:
        """The states and goal sets that are asked about."""
        found: list[str] = []
        for part in self.goal.parts:
            if isinstance(part, Transition):
                found += [part.state, *filter(None, [part.target])]
            elif not isinstance(part, Seen):
                found.append(part.name)
        return tuple(dict.fromkeys(found))

    def start(self, at: IsAt) -> int:
        return self._met(lambda part: isinstance(part, NamedSet | AtState) and at(part.name))

    def after(self, place: int, label: Label, before: IsAt, behind: IsAt) -> int:
        return place | self._met(lambda part: step_reaches_goal(part, label.text, before, behind))

    def is_final(self, place: int) -> bool:
        return place == (1 << len(self.goal.parts)) - 1

    def describe(self, place: int) -> str:
        met = [str(part) for number, part in enumerate(self.goal.parts) if place >> number & 1]
        return " & ".join(met) or "none"

    def _met(self, test: Callable[[Single], bool]) -> int:
        return sum(1 << number for number, part in enumerate(self.goal.parts) if test(part))


def step_reaches_goal(goal: Single, label: str, before: IsAt, behind: IsAt) -> bool:
    """Say whether a step reaches a single goal: a label, from a state to a state."""
    if isinstance(goal, Seen):
        return goal.label == label
    if isinstance(goal, Transition):
        return goal.label == label and before(goal.state) and (goal.target is None or behind(goal.target))
    return behind(goal.name)
