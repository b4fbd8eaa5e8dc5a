"""The changes between two versions of a model: each new and each lost behaviour once, the shortest way to it first.

Definition: after a trace of both versions a label is *new* where only the new version has it, and *lost* where only
the old one has it. A change is told by the label and the state in which it happens, of the version that has it, and
shown by a shortest trace. It can be asked for as a goal `state --label-->` of a run by that version, unless in that
state both may also agree on the label: then reaching the transition would not show the change.
Pairs of states are met breadth first: O(pairs · labels).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

from outplay.conformance.behaviour import MOST_STATES, Alphabet, Behaviour
from outplay.conformance.refinement import Pair, PairSearch
from outplay.game.goals.goal import Transition
from outplay.model.label import Label
from outplay.plurals import counted

_Key: TypeAlias = tuple[int, int, int]  # the version that has it, its state, the label


@dataclass(frozen=True)
class ModelChange:
    """A label that one version has after `trace` and the other has not."""

    is_new: bool
    trace: tuple[Label, ...]
    label: Label
    state: str
    """The state, of the version that has it, in which it happens."""
    goal: str | None
    """The goal for a run of that version; None where the transition is an old one too."""

    @property
    def witness(self) -> tuple[Label, ...]:
        """The trace with the label; none of its kind is shorter."""
        return (*self.trace, self.label)

    def json(self) -> dict[str, Any]:
        kind = "new" if self.is_new else "lost"
        return {"kind": kind, "trace": [label.text for label in self.witness], "state": self.state, "goal": self.goal}


def changes(old: Any, new: Any, *, most: int = MOST_STATES) -> list[ModelChange]:
    """Return the behaviour that the new version of a model adds and the behaviour it loses; shortest ways first.

    >>> from outplay.model.automaton import automaton
    >>> lamp = automaton([("off", "?press", "on"), ("on", "!light", "off")])
    >>> better = automaton([("off", "?press", "on"), ("on", "!glow", "on"), ("off", "?dim", "on")])
    >>> [(one.is_new, one.witness, one.goal) for one in changes(lamp, better)]  # doctest: +NORMALIZE_WHITESPACE
    [(True, (?dim,), 'off --?dim-->'), (True, (?press, !glow), 'on --!glow-->'),
     (False, (?press, !light), 'on --!light-->')]
    """
    alphabet = Alphabet()
    sides = Behaviour(old, alphabet=alphabet, most=most), Behaviour(new, alphabet=alphabet, most=most)
    walk = _PairWalk(sides, most)
    walk.walk()
    return [walk.change(key, pair) for key, pair in walk.differing.items()]


class _PairWalk(PairSearch):
    def __init__(self, sides: tuple[Behaviour, Behaviour], most: int) -> None:
        names = " and ".join(side.name for side in sides)
        super().__init__(*sides, most, f"{names}: more than {counted(most, 'pair')} of states")
        self.sides = sides
        self.differing: dict[_Key, Pair] = {}
        self.agreeing: set[_Key] = set()

    def walk(self) -> None:
        for pair in self.queue:  # grows on the way
            before, after = self.row(0, pair), self.row(1, pair)
            for label in sorted(before.keys() ^ after.keys(), key=lambda number: self.labels[number].text):
                side = int(label in after)
                self.differing.setdefault((side, pair[side], label), pair)
            for label in before.keys() & after.keys():  # of numbers, so their order is always the same
                self.agreeing |= {(0, pair[0], label), (1, pair[1], label)}
                self.add((before[label], after[label]), pair, label)

    def row(self, side: int, pair: Pair) -> dict[int, int]:
        return {**self.sides[side].inputs(pair[side]), **self.sides[side].outputs(pair[side])}

    def change(self, key: _Key, pair: Pair) -> ModelChange:
        side, state, number = key
        label, name = self.labels[number], self.sides[side].state_name(state)
        goal = None if key in self.agreeing else str(Transition(name, label.text))
        return ModelChange(side == 1, self.trace_to(pair), label, name, goal)
