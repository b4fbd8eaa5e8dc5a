"""The sets of a splitting graph: which is split into which, by which labels, and where a set of states is split."""

from __future__ import annotations

from outplay.conformance.compatibility import Compatibility
from outplay.conformance.telling_apart.experiment import END, Experiment
from outplay.conformance.telling_apart.state_sets import Moved, States, StateSets, sources_of

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
        """How many states all sets have together."""
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
        sources = sources_of(moved)
        for target, group in sources.items():
            for other in near(target) & sources.keys() if len(near(target)) > 1 else ():
                if other < target and not set(holding[target]) & set(holding[other]):
                    found += [frozenset((p, q)) for p in group for q in sources[other] if q not in near(p)]
        return found

    def search(self, states: States) -> tuple[list[int], list[int]]:
        """Least common ancestors, the best first, and the leaves that hold the set."""
        found, leaves = list[int](), list[int]()
        seen, stack = {0}, [0]
        one = next(iter(states))
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
