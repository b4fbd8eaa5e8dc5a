"""Why a goal of a model program holds nowhere: the conditions that it joins by `and`, held against all states.

A goal `return a and b` asks for `a` and for `b`. Either one of them never holds, or each holds somewhere but some of
them never together. Both are read off the values of all states and off the transitions between them, so nothing is
guessed. A goal that is written in another way is one condition.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from outplay.game.assumption import Assumption
from outplay.game.graph import Game
from outplay.model.label import Label, write_argument
from outplay.model.programs.goal_conditions import WrittenCondition, written_conditions
from outplay.model.programs.program_specification import ProgramSpecification
from outplay.model.programs.stepping import Stepper
from outplay.plurals import counted

MOST_STATES = 200_000
MOST_VALUES = 6
MOST_TOGETHER = 3  # conditions that are looked for as never holding together
MOST_MOVES = 3
MOST_NEAREST = 5
Found = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Condition:
    """One part of a goal: its text, the states where it holds, and of a comparison the values of its left side."""

    text: str
    holds: Found
    subject: str = ""
    values: tuple[Any, ...] = ()
    """For each state, where the right side is the same in all of them."""
    reads: tuple[str, ...] = ()
    """Of any other one the variables that it reads, each with its values."""

    @property
    def told(self) -> str:
        return f"`{self.text}`"


@dataclass(frozen=True, eq=False)
class UnmetGoal:
    """A goal that no state has, and its conditions in each state of the game."""

    game: Game
    name: str
    states: NDArray[np.int64]
    """The vertices of the states."""
    conditions: tuple[Condition, ...]

    @cached_property
    def never(self) -> tuple[Condition, ...]:
        """The conditions that hold in no state."""
        return tuple(one for one in self.conditions if not one.holds.any())

    @cached_property
    def apart(self) -> tuple[Condition, ...]:
        """The fewest conditions, each of which holds somewhere, that never hold together."""
        some = [one for one in self.conditions if one.holds.any()]
        for count in range(2, min(len(some), MOST_TOGETHER) + 1):
            for chosen in combinations(some, count):
                if not np.logical_and.reduce([one.holds for one in chosen]).any():
                    return chosen
        return () if self.never else tuple(some)

    @property
    def reason(self) -> str:
        """The reason in one sentence."""
        if self.never:
            return "; ".join(f"{one.told} never holds{_taken(one)}" for one in self.never)
        return f"{_joined([one.told for one in self.apart])} never hold together"

    def details(self) -> list[str]:
        """Say what would be needed, and which moves bring it about or prevent it."""
        assumed = self.game.origin.assumption
        rule = [] if assumed is Assumption.NONDETERMINISTIC else [f"This is so under {assumed.value}."]
        return [*(self._never_lines() if self.never else self._apart_lines()), *rule]

    def _never_lines(self) -> list[str]:
        return [line for one in self.never for line in self._towards(one)]

    def _apart_lines(self) -> list[str]:
        counts = [f"{one.told} in {counted(int(one.holds.sum()), 'state')}" for one in self.apart]
        together = "both" if len(self.apart) == 2 else "all of them"
        lines = [f"Each holds somewhere: {_joined(counts)}; in no state {together}."]
        return lines + (
            [self._excluded(*self.apart), self._excluded(*self.apart[::-1])] if len(self.apart) == 2 else []
        )

    def nearest(self) -> list[tuple[int, str]]:
        """The states in which most conditions hold, those nearest to the start first, each with what is missing."""
        held = np.sum([one.holds for one in self.conditions], axis=0)
        if len(self.conditions) < 2 or not held.max(initial=0):
            return self._extremes()
        told, seen = list[tuple[int, int, str]](), dict[str, int]()
        for at in np.flatnonzero(held == held.max()).tolist():
            missing = self._missing(at)
            seen[missing] = seen.get(missing, 0) + 1
            told.append((seen[missing], int(self.states[at]), missing))
        return [(state, missing) for _, state, missing in sorted(told)[:MOST_NEAREST]]  # a few of each kind

    def _missing(self, at: int) -> str:
        return f"without {_joined([one.told for one in self.conditions if not one.holds[at]])}"

    def _extremes(self) -> list[tuple[int, str]]:
        """The states where a number is nearest to what is asked for."""
        one = next((one for one in self.never if _direction(one)), None)
        if one is None:
            return []
        last = _last(one)
        places = [at for at, value in enumerate(one.values) if value == last][:MOST_NEAREST]
        return [(int(self.states[at]), f"`{one.subject}` is {write_argument(last)}") for at in places]

    def _towards(self, one: Condition) -> list[str]:
        """The moves that change what a condition is about, and where they end."""
        if not one.values:
            return [*one.reads]
        steps, direction = self._steps, _direction(one)
        before = np.array([one.values[source] != one.values[target] for source, target in steps.ends], dtype=bool)
        if not direction:
            moves = steps.moves(before)
            return [f"Nothing changes `{one.subject}`." if not moves else f"It is changed by {_some(moves)} alone."]
        way = "raises" if direction > 0 else "lowers"
        nearer = [(one.values[target] - one.values[source]) * direction > 0 for source, target in steps.ends]
        moves, last = steps.moves(np.array(nearer, dtype=bool)), _last(one)
        if not moves:
            return [f"No move {way} `{one.subject}`."]
        there = np.array([value == last for value in one.values])
        enabled = [move for move in moves if move in steps.moves(there[steps.source])]
        where = f"where it is {write_argument(last)} ({counted(int(there.sum()), 'state')})"
        if not enabled:
            return [f"Only {_some(moves)} {way} `{one.subject}`, and is not possible {where}."]
        return [f"Only {_some(moves)} {way} `{one.subject}`; {where}, {_some(enabled)} does so no more."]

    def _excluded(self, one: Condition, other: Condition) -> str:
        """The moves that make one condition true, and what they do where the other one holds."""
        steps = self._steps
        moves = steps.moves(~one.holds[steps.source] & one.holds[steps.target])
        if not moves:
            return f"No move makes {one.told} true: it holds from the start or not at all."
        inside = steps.moves(other.holds[steps.source])
        enabled = [move for move in moves if move in inside]
        if not enabled:
            return f"Only {_some(moves)} makes {one.told} true, and is never possible where {other.told} holds."
        crossing = other.holds[steps.source] & one.holds[steps.target]
        ending = [move for move in enabled if move in steps.moves(crossing)]
        if ending:
            return f"Where {other.told} holds, {_some(ending)} makes {one.told} true and {other.told} false."
        return f"Only {_some(moves)} makes {one.told} true, but not where {other.told} holds."

    @cached_property
    def _steps(self) -> _Steps:
        game = self.game
        moved = np.flatnonzero(game.moves > 0)
        place = np.full(game.vertex_count, -1, dtype=np.int64)
        place[self.states] = np.arange(len(self.states))
        state = game.roles.state.astype(np.int64)
        source, target = place[state[game.source[moved]]], place[state[game.target[moved]]]
        known = (source >= 0) & (target >= 0)
        return _Steps(game, moved[known], source[known], target[known])


@dataclass(frozen=True, eq=False)
class _Steps:
    """The transitions between states, by their places in the list of states."""

    game: Game
    edges: NDArray[np.int64]
    source: NDArray[np.int64]
    target: NDArray[np.int64]

    @property
    def ends(self) -> list[tuple[int, int]]:
        return [*zip(self.source.tolist(), self.target.tolist(), strict=True)]

    def moves(self, chosen: Found) -> list[str]:
        """The names of the moves among some transitions, such as `?post`."""
        texts = {self.game.labels[number] for number in np.unique(self.game.label[self.edges[chosen]]).tolist()}
        return sorted({f"{text[0]}{Label.parse(text).gate}" for text in texts if text[:1] in "?!" and text})


def unmet_goal(game: Game, name: str) -> UnmetGoal | None:
    """The conditions of a goal that no state has; None where it has members, or is none of a model program's."""
    spec, origin = game.origin.specification, game.origin
    if not isinstance(spec, ProgramSpecification) or origin.approximate or not origin.complete:
        return None
    members = game.goals.get(name)
    if members is None or len(members) or name not in spec.program.goals or game.vertex_count > MOST_STATES:
        return None
    states = np.unique(game.roles.state[game.is_state]).astype(np.int64)
    states = states[[not spec.stepper.is_pending(int(state)) for state in states]]
    parts = written_conditions(spec.program.goals[name], name)
    return UnmetGoal(game, name, states, tuple(_condition(spec.stepper, part, states) for part in parts))


def _condition(stepper: Stepper, part: WrittenCondition, states: NDArray[np.int64]) -> Condition:
    """Ask a condition in every state; where it raises, as behind another one that guards it, it does not hold."""
    holds, left, right = np.zeros(len(states), dtype=bool), list[Any](), list[Any]()
    for at, state in enumerate(states.tolist()):
        model = stepper.load(state)
        try:
            holds[at] = bool(part.asks(model))
            if part.sides and len(left) == at:
                left.append(part.sides[0](model))
                right.append(part.sides[1](model))
        except Exception:
            left.clear()
    fixed = len(left) == len(states) and all(value == right[0] for value in right)
    if fixed:
        return Condition(part.text, holds, part.subject, tuple(left))
    return Condition(part.text, holds, reads=(*_read(stepper, part, states),))


def _read(stepper: Stepper, part: WrittenCondition, states: NDArray[np.int64]) -> Iterator[str]:
    """The variables that a condition reads, each with the values that it takes."""
    for place, name in enumerate(stepper.program.variables):
        if name in part.names:
            values = dict.fromkeys(write_argument(stepper.values(state)[place]) for state in states.tolist())
            yield f"`{name}` is {_values([*values])}."


def _direction(one: Condition) -> int:
    """The way in which a number would have to go on: 1 up, -1 down, 0 where it is no number or would not help."""
    if not one.values or not all(type(value) is int for value in one.values):
        return 0
    try:
        operator, bound = one.text.removeprefix(one.subject).split(maxsplit=1)
        wanted = int(bound)
    except ValueError:
        return 0
    if operator not in ("==", ">=", ">", "<=", "<"):
        return 0
    return 1 if wanted >= max(one.values) and operator in ("==", ">=", ">") else -1 if wanted <= min(one.values) else 0


def _last(one: Condition) -> Any:
    return max(one.values) if _direction(one) > 0 else min(one.values)


def _taken(one: Condition) -> str:
    """The values of the left side of a comparison."""
    if not one.values:
        return ""
    try:
        known = sorted(set(one.values))
    except TypeError:
        known = [*dict.fromkeys(map(write_argument, one.values))]
        return f" (`{one.subject}` is {_values(known)})"
    if len(known) > 2 and type(known[0]) is int and known == [*range(known[0], known[-1] + 1)]:
        return f" (`{one.subject}` is {known[0]} to {known[-1]})"
    return f" (`{one.subject}` is {_values([write_argument(value) for value in known])})"


def _values(texts: Sequence[str]) -> str:
    more = len(texts) - MOST_VALUES
    return _joined(texts, "or") if more <= 0 else f"{', '.join(texts[:MOST_VALUES])} or {more:,} other values"


def _some(moves: Sequence[str]) -> str:
    more = len(moves) - MOST_MOVES
    shown = [f"`{move}`" for move in moves[:MOST_MOVES]]
    return _joined([*shown, counted(more, "other move")] if more > 0 else shown, "or")


def _joined(texts: Sequence[str], word: str = "and") -> str:
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} {word} {texts[-1]}"
