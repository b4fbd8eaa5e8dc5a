"""Sets of states, with what telling them apart asks of them, and which set is split into which.

Most sets of a splitting graph are small, so that frozen sets, whose cost follows their members, are faster than bits
or arrays over all states.

The sets of a splitting graph: which is split into which, by which labels, and where a set of states is split.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from outplay.conformance.compatibility import Compatibility
from outplay.conformance.distinguishing.experiment import END, Experiment
from outplay.game.algebra import row_starts
from outplay.model.label import Label

States: TypeAlias = frozenset[int]
Moved: TypeAlias = dict[int, int]
"""The target of one label from each state of a set that has it."""
_ALL = 1 << 60
_MANY, _NEAR = 60, 4  # of more states with more compatible ones each, all pairs are looked at by a kernel


class StateSets:
    """The states of a table, the labels between them, and which of them are compatible."""

    def __init__(self, found: Compatibility) -> None:
        self.found, self.table = found, found.table
        self.count, self.inputs = found.table.state_count, found.table.inputs
        self.all: States = frozenset(range(self.count))
        self.rows, self.numbers = found.table.rows, found.table.numbers
        self.by_label: list[Moved] = [{} for _ in found.table.labels]
        """For each label where it leads the states that have it."""
        for state, row in enumerate(self.rows):
            for label, target in row.items():
                self.by_label[label][state] = target
        self._shown = [{label: to for label, to in row.items() if label >= self.inputs} for row in self.rows]
        self._first, self._beside = _in_rows(found)
        self._social = frozenset(np.flatnonzero(np.diff(self._first)).tolist())  # states with others beside them
        self._near: list[States | None] = [None] * self.count

    def near(self, state: int) -> States:
        """The states that are compatible with a state, itself included."""
        found = self._near[state]
        if found is None:
            beside = self._beside[self._first[state] : self._first[state + 1]].tolist()
            found = self._near[state] = frozenset([state, *beside])
        return found

    def compatible(self, states: States) -> bool:
        """Say whether all states of a set are compatible with each other, so that nothing is left to find out."""
        return all(states <= self.near(state) for state in states)

    def steps(self, states: Iterable[int]) -> dict[int, Moved]:
        """Return the targets of each label of a set, inputs first."""
        return _moved_by_label(self.rows, states)

    def moved(self, states: States, label: int) -> Moved:
        """Return the targets of a label from the states of a set."""
        column = self.by_label[label]
        return {state: column[state] for state in states if state in column}

    def seen(self, states: States, part: Experiment) -> Iterator[tuple[Label, Moved]]:
        """Return the targets of the labels that an experiment gives or waits for and some state has."""
        if part.given:
            moved = self.moved(states, self.numbers[part.given])
            if moved:
                yield part.given, moved
            return
        for number, moved in _moved_by_label(self._shown, states).items():
            label = self.table.labels[number]
            if label in part.moves:
                yield label, moved

    def loss(self, states: States, label: int, moved: Moved, apart: int | None = None) -> int:
        """Count the pairs of incompatible states that a label makes compatible, or leaves out by an input that one
        lacks.

        A label that loses none is injective for the set (van den Bos 2020, 3.34). Where it is known how many pairs of
        the set are incompatible, they are not counted again.
        """
        lost = self._alike(moved)
        if label < self.inputs and len(moved) < len(states):
            lost += (self.apart(states) if apart is None else apart) - self.apart(moved.keys())
        return lost

    def loses(self, states: States, label: int, moved: Moved) -> bool:
        """Say whether a label loses a pair."""
        lacking = states.difference(moved) if label < self.inputs else ()
        return any(not states <= self.near(state) for state in lacking) or self._alike(moved, enough=1) > 0

    def apart(self, states: Collection[int]) -> int:
        """Count the incompatible pairs of these states."""
        if len(states) < 2:
            return 0
        together = sum(len(self.near(state).intersection(states)) - 1 for state in self._social.intersection(states))
        return (len(states) * (len(states) - 1) - together) // 2

    def _alike(self, moved: Moved, enough: int = _ALL) -> int:
        """Count the pairs of incompatible states with compatible targets, up to `enough`."""
        targets = set(moved.values())
        if len(targets) == len(moved) and self._social.isdisjoint(targets):
            return 0
        if len(moved) > _MANY and sum(len(self.near(target)) for target in moved.values()) > _NEAR * len(moved):
            return self.found.alike_after(moved, enough)
        count = 0
        for found in self._alike_by_targets(moved):
            count += found
            if count >= enough:
                break
        return count

    def _alike_by_targets(self, moved: Moved) -> Iterator[int]:
        """Counts that add up to the pairs of incompatible states whose targets are compatible."""
        changed = {target for state, target in moved.items() if state != target}  # who stays is as it was
        if not changed:
            return
        sources = _sources_of(moved)
        for target in changed:
            group = sources[target]
            if len(group) > 1:
                yield self.apart(group)
            near = self.near(target)
            if len(near) > 1:
                for other in near & sources.keys():
                    if other < target or other not in changed:
                        yield self._between(group, sources[other])

    def _between(self, ones: Collection[int], others: Collection[int]) -> int:
        """Count the incompatible pairs of one of these and one of those."""
        count = 0
        for one in ones:
            near = self.near(one)
            for other in others:
                count += other not in near
        return count


def _moved_by_label(rows: list[dict[int, int]], states: Iterable[int]) -> dict[int, Moved]:
    """Return the targets of each label from the states that have it, in the order of the labels."""
    found: dict[int, Moved] = {}
    for state in states:
        for label, target in rows[state].items():
            moved = found.get(label)
            if moved is None:
                found[label] = {state: target}
            else:
                moved[state] = target
    return {label: found[label] for label in sorted(found)}


def _sources_of(moved: Moved) -> dict[int, list[int]]:
    """For each target the states that a label leads to it."""
    found: dict[int, list[int]] = {}
    for state, target in moved.items():
        group = found.get(target)
        if group is None:
            found[target] = [state]
        else:
            group.append(state)
    return found


def _in_rows(found: Compatibility) -> tuple[list[int], NDArray[np.int64]]:
    """For each state the others that are compatible with it, those of state q at `first[q]` to `first[q + 1]`."""
    high, low = found.compatible_pairs
    one, other = np.concatenate([high, low]), np.concatenate([low, high])
    order = np.argsort(one, kind="stable")
    return row_starts(one, found.table.state_count).tolist(), other[order]


_CANDIDATES = 6  # least common ancestors that are compared before one is chosen
OVER = -1
"""In place of an ancestor: the label itself splits the set."""


class SplitSets:
    """Sets of states, numbered, each with the children it was split into; the root is 0, a leaf has none."""

    def __init__(self, found: Compatibility) -> None:
        self.states = StateSets(found)
        self.sets: list[States] = [self.states.all]
        self.children: list[tuple[int, ...]] = [()]
        self.clean: list[bool] = [True]
        """Whether a set was split without losing a pair, as were those it was split like."""
        self.depth: list[int] = [0]
        """The length of the witness of each set that is no leaf."""
        self.after: list[dict[int, int]] = [{}]
        """By which labels a set is split, and like which ancestor after each."""
        self.holding: list[dict[int, list[int]]] = [{}]
        """For each state of a set the children that hold it."""
        self.numbers = {self.states.all: 0}
        self.held = self.states.count
        """The number of states that all sets have together."""
        self.reduced = False
        """Whether compatible states may be in no child together."""
        self._witness: dict[int, Experiment] = {OVER: END}

    def __len__(self) -> int:
        return len(self.sets)

    def ancestors(self, states: States) -> list[int]:
        """Split sets that hold all these states while none of their children does (3.24), some of them, best first."""
        found, _ = self.search(states)
        return found

    def witness_of(self, number: int) -> Experiment:
        """The experiment that splits a set which is no leaf."""
        labels, stack = self.states.table.labels, [number]
        while stack:
            after = self.after[stack[-1]]
            missing = [one for one in after.values() if one not in self._witness]
            if not missing:
                moves = {labels[label]: self._witness[one] for label, one in after.items()}
                self._witness.setdefault(stack.pop(), Experiment(moves))
            stack += missing
        return self._witness[number]

    def add(self, states: States) -> int:
        """A new leaf, by its number."""
        self.held += len(states)
        self.numbers[states] = len(self.sets)
        self.sets.append(states)
        self.children.append(())
        self.clean.append(True)
        self.depth.append(0)
        self.after.append({})
        self.holding.append({})
        return len(self.sets) - 1

    def induced(self, moved: Moved, ancestor: int) -> list[States]:
        """Split a set as the set was split that a label leads into (3.23)."""
        parts: dict[int, list[int]] = {}
        holding = self.holding[ancestor]
        for state, target in moved.items():
            for child in holding[target]:
                parts.setdefault(child, []).append(state)
        found = [frozenset(part) for part in parts.values()]
        return found + self._parted(moved, holding) if self.reduced else found

    def _parted(self, moved: Moved, holding: dict[int, list[int]]) -> list[States]:
        """Pairs of incompatible states whose targets are compatible, and yet together in no child: those stay."""
        near, found = self.states.near, list[States]()
        sources = _sources_of(moved)
        for target, group in sources.items():
            for other in near(target) & sources.keys() if len(near(target)) > 1 else ():
                if other < target and not set(holding[target]) & set(holding[other]):
                    found += [frozenset((p, q)) for p in group for q in sources[other] if q not in near(p)]
        return found

    def search(self, states: States) -> tuple[list[int], list[int]]:
        """Least common ancestors, the best first, and the leaves that hold the set."""
        found, leaves = list[int](), list[int]()
        one = next(iter(states))
        start = self._only_holder(states, one)
        seen, stack = {start}, [start]
        while stack and len(found) < _CANDIDATES:
            number = stack.pop()
            if not self.children[number]:
                leaves.append(number)
                continue
            holding = [child for child in self.holding[number][one] if states <= self.sets[child]]
            if not holding:
                found.append(number)
            for child in holding:
                if child not in seen:
                    seen.add(child)
                    stack.append(child)
        found.sort(key=lambda number: (not self.clean[number], self.depth[number], number))
        return found, leaves

    def _only_holder(self, states: States, one: int) -> int:
        """The set that is come to from the root while one child alone can hold all these states, and does."""
        holding, sets, number = self.holding, self.sets, 0
        while True:
            children = holding[number].get(one)
            if children is None or len(children) > 1 or not states <= sets[children[0]]:
                return number
            number = children[0]
