"""Tracking: which states may the system be in after what was seen?

The tester sees labels and times, not states, and on a pipe or socket it does not even see the order in which an input
and an output passed each other: an output seen within `latency` after an input may have been sent before the input
arrived. So an input is kept as possibly *still on its way* until it can be so no longer, and every order that fits is
followed. An input that a state does not specify leads to `UNSPECIFIED`, where anything may happen (ioco says nothing
about it).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

from outplay.model.label import SILENCE, Label
from outplay.model.specification import Specification, State, goal_test


class Beyond(Enum):
    """The place outside the specification."""

    UNSPECIFIED = "unspecified"


UNSPECIFIED = Beyond.UNSPECIFIED


@dataclass(frozen=True)
class OnTheWay:
    """An input given at a time that may not have arrived yet."""

    label: Label
    given: float


@dataclass(frozen=True)
class Possibility:
    """One thing that may have happened: the state now, inputs that have not arrived, and whether the goal was met."""

    state: State
    on_the_way: tuple[OnTheWay, ...] = ()
    reached: bool = False


Goal = Callable[[State, Label | None], bool]


def no_goal(state: State, label: Label | None) -> bool:
    """Never reached: for plays without a goal."""
    return False


def goal_of(spec: Specification, names: Sequence[str]) -> Goal:
    """Make a goal out of names: goals of the model, states, or labels after which it counts as reached."""
    if not names:
        return no_goal
    labels = {name for name in names if name[:1] in ("?", "!") or name == "delta"}
    tests = [goal_test(spec, name) for name in names if name not in labels]

    def met(state: State, label: Label | None) -> bool:
        return (label is not None and label.text in labels) or any(test(state) for test in tests)

    return met


class Tracker:
    """Follows every possibility that fits what was seen; `possible` is empty once the system did what it may not."""

    def __init__(self, spec: Specification, *, latency: float = 0.0, goal: Goal = no_goal) -> None:
        self.spec = spec
        self.latency = latency
        self._goal = goal
        start = (Possibility(state, reached=goal(state, None)) for state in spec.initial)
        self.possible: tuple[Possibility, ...] = tuple(start)
        self._doubtful = False

    def give(self, label: Label, now: float) -> None:
        """The tester gave an input: it has arrived, or is on its way."""
        self._doubtful = False
        added = (replace(p, on_the_way=(*p.on_the_way, OnTheWay(label, now))) for p in self.possible)
        self.possible = self._with_arrivals(added)

    def see(self, label: Label, now: float) -> bool:
        """The system showed an output or silence; False when no possibility allows it (and then none is left).

        Silence called while the tester itself was late proves nothing: what did not allow it stays possible too.
        """
        self.settle(now)
        unproven = self.possible if self._doubtful and label == SILENCE else ()
        self._doubtful = False
        stepped = (after for possibility in self.possible for after in self._step(possibility, label))
        self.possible = self._with_arrivals(stepped)
        if not self.possible:
            return False
        self.possible = tuple(dict.fromkeys((*self.possible, *unproven)))
        return True

    def settle(self, now: float) -> None:
        """Forget that inputs may be on their way where the latency has passed: their arrival is followed already."""
        self.possible = tuple(
            p for p in self.possible if not p.on_the_way or now <= p.on_the_way[0].given + self.latency
        )

    def excuse(self, lag: float) -> None:
        """The tester itself was late by so much: what is on its way may be for that much longer."""
        self._doubtful = True
        self.possible = tuple(
            replace(p, on_the_way=tuple(replace(w, given=w.given + lag) for w in p.on_the_way)) for p in self.possible
        )

    @property
    def states(self) -> tuple[State, ...]:
        """The states the system may be in once everything given has arrived."""
        return tuple(dict.fromkeys(p.state for p in self.possible if not p.on_the_way and p.state is not UNSPECIFIED))

    @property
    def in_flight(self) -> bool:
        """Say whether some input may still be on its way."""
        return any(p.on_the_way for p in self.possible)

    @property
    def specified(self) -> bool:
        """Say whether the specification still says anything."""
        return any(p.state is not UNSPECIFIED for p in self.possible)

    @property
    def maybe_left(self) -> bool:
        """Under some order of events the specification was left, and then anything may happen."""
        return any(p.state is UNSPECIFIED for p in self.possible)

    @property
    def reached(self) -> bool:
        """The goal was met whatever the order of events was."""
        return bool(self.possible) and all(p.reached for p in self.possible)

    @property
    def maybe_reached(self) -> bool:
        """The goal was met under some order of events."""
        return any(p.reached for p in self.possible)

    def inputs(self) -> list[Label]:
        """Inputs enabled in all states the system may be in."""
        if self.maybe_left or not self.states:
            return []
        first, *others = self.states
        enabled = self.spec.inputs(first)
        return [label for label in enabled if all(label in self.spec.inputs(state) for state in others)]

    def outputs(self) -> list[Label]:
        """Outputs possible in some state the system may be in, silence apart."""
        return list(
            dict.fromkeys(
                label for p in self.possible if p.state is not UNSPECIFIED for label in self.spec.outputs(p.state)
            )
        )

    def allowed(self) -> list[Label]:
        """All observations allowed now, silence included."""
        quiet = any(p.state is UNSPECIFIED or self.spec.quiet(p.state) for p in self.possible)
        return self.outputs() + [SILENCE] * quiet

    def _step(self, possibility: Possibility, label: Label) -> Iterable[Possibility]:
        if possibility.state is UNSPECIFIED:
            return (possibility,)
        targets = self.spec.after(possibility.state, label)
        return [self._moved(possibility, target, label) for target in targets]

    def _moved(
        self, before: Possibility, state: Any, label: Label, rest: tuple[OnTheWay, ...] | None = None
    ) -> Possibility:
        waiting = before.on_the_way if rest is None else rest
        met = before.reached or (state is not UNSPECIFIED and self._goal(state, label))
        return Possibility(state, waiting, met)

    def _with_arrivals(self, possible: Iterable[Possibility]) -> tuple[Possibility, ...]:
        """Add all that follows when inputs on their way arrive, one after the other."""
        found: dict[Possibility, None] = {}
        stack = list(possible)[::-1]
        while stack:
            possibility = stack.pop()
            if possibility in found:
                continue
            if not possibility.on_the_way or self.latency > 0:
                found[possibility] = None
            if possibility.on_the_way:
                stack.extend(self._arrived(possibility))
        return tuple(found)

    def _arrived(self, possibility: Possibility) -> list[Possibility]:
        arriving, rest = possibility.on_the_way[0].label, possibility.on_the_way[1:]
        targets: Collection[Any] = ()
        if possibility.state is not UNSPECIFIED:
            targets = self.spec.after(possibility.state, arriving)
        return [self._moved(possibility, target, arriving, rest) for target in targets or (UNSPECIFIED,)]
