"""Splitting graphs: how sets of states are split by what a test would show, the whole set first.

The leaves of a splitting graph while it is built: what their labels lose, and the ways to split them.

Definition (van den Bos 2020, 3.22): a graph on sets of states with the set of all states as its root. Each set that is
no leaf is the union of its children, which are smaller, and has a witness: an experiment after whose every trace the
states that could have shown it are in one child. It is complete when the states of each leaf are compatible.

Algorithms 3 and 4: a leaf is split by its outputs where each of them is missing somewhere in it, or leads to a set that
was split before (then the leaf is split alike); or by an input that leads to such a set. Here a leaf is tried again
when a set is split that it was waiting for, and splits that lose nothing (3.34, injective) are made as long as there
are any, so that a test for all states is found where Theorem 3.36 promises one. Where none is left, the leaf with the
pair of least rank is split (Lemma 3.26 says that it can be) by what loses the fewest pairs. Children that are part of
others are left out, which keeps the graph small. Up to 2^n sets (3.31).

Throughout, two incompatible states of a set that its witness does not tell apart are together in one of its children.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Iterable
from functools import cached_property
from typing import Any, NamedTuple

from outplay.conformance.compatibility import Compatibility, compatible_states
from outplay.conformance.distinguishing.state_sets import OVER, Moved, SplitSets, States, StateSets
from outplay.errors import ModelError
from outplay.plurals import counted


class Split(NamedTuple):
    """A way to split a leaf: what it loses, how long its witness is, and how it goes on after each label."""

    loss: int
    depth: int
    given: bool
    after: dict[int, int]
    """For each label the set that was split before like which this one is split; -1 where the label is enough."""

    @property
    def cost(self) -> tuple[int, int, bool]:
        return self.loss, self.depth, self.given


class Leaf:
    """A leaf that could not be split yet, with what is known of it, so that it is found out once."""

    def __init__(self, states: StateSets, members: States) -> None:
        self.members, self.steps, self._states = members, states.steps(members), states
        self.outputs = [label for label in self.steps if label >= states.inputs]
        self.inputs = [label for label in self.steps if label < states.inputs]

    @cached_property
    def clean_inputs(self) -> list[int]:
        return [label for label in self.inputs if not self._loses(label)]

    @cached_property
    def clean_outputs(self) -> bool:
        return not any(map(self._loses, self.outputs))

    def _loses(self, label: int) -> bool:
        return self._states.loses(self.members, label, self.steps[label])

    @cached_property
    def _apart(self) -> int:
        return self._states.apart(self.members)

    def loss(self, label: int) -> int:
        return self._states.loss(self.members, label, self.steps[label], self._apart)


def _largest(sets: Iterable[States]) -> list[States]:
    """The sets that are part of no other one: those others hold all that could have shown a trace."""
    kept: list[States] = []
    holding: dict[int, list[States]] = {}
    for states in sorted(set(sets), key=lambda states: (-len(states), sorted(states, reverse=True))):
        if not any(states <= other for other in holding.get(next(iter(states)), ())):
            kept.append(states)
            for state in states:
                holding.setdefault(state, []).append(states)
    return kept


MOST_SETS = 200_000
_FEW = 8  # up to this many states that lack an input are added to every part
_SHORTEST_WITH_INPUT = 2  # an input, and an output


class SplittingGraph(SplitSets):
    """A splitting graph; sets are numbered, the root is 0. It is complete unless it would have more than `most` sets,
    or its sets more than `members` states in all.
    """

    def __init__(self, found: Compatibility, most: int = MOST_SETS, members: int | None = None) -> None:
        super().__init__(found)
        self._most, self._members = most, members
        self._waiting: dict[int, dict[int, None]] = {}
        self._looked: dict[int, Leaf] = {}
        self.complete = self._build()

    def _build(self) -> bool:
        """Split leaves until all are done, or there are too many sets."""
        ready, open_ = deque([0]), list[tuple[int, int]]()
        pending = set[int]() if self._is_done(0) else {0}
        while pending:
            while ready:
                leaf = ready.popleft()
                if leaf in pending:
                    split = self._clean_split(leaf)
                    if split is None:
                        heapq.heappush(open_, (self.states.found.least_rank(sorted(self.sets[leaf])), leaf))
                    else:
                        self._make(leaf, split, pending, ready)
                if self._is_full():
                    return False
            while open_ and open_[0][1] not in pending:
                heapq.heappop(open_)
            if open_:
                _, leaf = heapq.heappop(open_)
                self._make(leaf, self._any_split(leaf), pending, ready)
        return True

    def _is_full(self) -> bool:
        return len(self.sets) > self._most or (self._members is not None and self.held > self._members)

    def _make(self, leaf: int, split: Split, pending: set[int], ready: deque[int]) -> None:
        pending.discard(leaf)
        children = self._parts(self._looked.pop(leaf), split)
        numbers = []
        for child in _largest(children):
            number = self.numbers.get(child)
            if number is None:
                number = self.add(child)
                if not self._is_done(number):
                    pending.add(number)
                    ready.append(number)
            numbers.append(number)
            for state in child:
                self.holding[leaf].setdefault(state, []).append(number)
        self.children[leaf], self.after[leaf], self.depth[leaf] = tuple(numbers), split.after, split.depth
        self.clean[leaf] = split.loss == 0
        ready.extend(self._waiting.pop(leaf, ()))

    def _is_done(self, number: int) -> bool:
        return self.states.compatible(self.sets[number])

    def _clean_split(self, number: int) -> Split | None:
        """The best split of a leaf that loses nothing, if there is one; what it waits for is noted."""
        leaf = self._looked.get(number)
        if leaf is None:
            leaf = self._looked[number] = Leaf(self.states, self.sets[number])
        best = self._by_outputs(number, leaf, 0) if leaf.clean_outputs else None
        if best is not None and best.depth <= _SHORTEST_WITH_INPUT:
            return best
        splits = [best, *(self._by_input(number, leaf, label, 0) for label in leaf.clean_inputs)]
        return min((split for split in splits if split is not None), key=lambda split: split.cost, default=None)

    def _any_split(self, number: int) -> Split:
        """The split of a leaf that loses the fewest pairs."""
        leaf = self._looked[number]
        splits = [self._by_outputs(number, leaf, sum(map(leaf.loss, leaf.outputs)))]
        splits += [self._by_input(number, leaf, label, leaf.loss(label)) for label in leaf.inputs]
        best = min((split for split in splits if split is not None), key=lambda split: split.cost, default=None)
        assert best is not None, "Lemma 3.26: the leaf with the least rank can be split"
        return best

    def _by_outputs(self, number: int, leaf: Leaf, loss: int) -> Split | None:
        after = {}
        for label in leaf.outputs:
            moved, ancestor = leaf.steps[label], OVER
            if len(moved) == len(leaf.members):
                found = self._ancestor(number, moved)
                if found is None:
                    return None
                ancestor = found
            after[label] = ancestor
        return Split(loss, 1 + max(map(self._length, after.values())), False, after)

    def _by_input(self, number: int, leaf: Leaf, label: int, loss: int) -> Split | None:
        ancestor = self._ancestor(number, leaf.steps[label])
        return None if ancestor is None else Split(loss, 1 + self._length(ancestor), True, {label: ancestor})

    def _length(self, ancestor: int) -> int:
        return 0 if ancestor == OVER else self.depth[ancestor]

    def _parts(self, leaf: Leaf, split: Split) -> list[States]:
        """The children that a split makes: states that show the same, and with an input those that lack it too."""
        parts = []
        for label, ancestor in split.after.items():
            moved = leaf.steps[label]
            induced = [frozenset(moved)] if ancestor == OVER else self.induced(moved, ancestor)
            parts += self._with_lacking(induced, leaf.members.difference(moved)) if split.given else induced
        return parts

    def _with_lacking(self, parts: list[States], lacking: States) -> list[States]:
        """Add to each part the states that lack the input; to the parts of large sets only those it must be told from.

        With all of them, as in van den Bos 2020, each part would be nearly as large as the whole, and the sets explode.
        """
        if not lacking:
            return parts
        if len(lacking) < _FEW:
            return [part | lacking for part in parts]
        self.reduced, near = True, self.states.near
        return [part.union(state for state in lacking if not part <= near(state)) for part in parts] + [lacking]

    def _ancestor(self, leaf: int, moved: Moved) -> int | None:
        """The best least common ancestor of a set; where there is none, the leaf waits for those that hold the set."""
        found, leaves = self.search(frozenset(moved.values()))
        if found:
            return found[0]
        for number in leaves:
            self._waiting.setdefault(number, {})[leaf] = None
        return None


def splitting_graph(model: Any, *, most: int = MOST_SETS) -> SplittingGraph:
    """Build the complete splitting graph of a model's behaviour.

    >>> from outplay.model.automaton import automaton
    >>> lamps = automaton([("a", "!x", "b"), ("b", "!x", "c"), ("c", "!y", "a")])
    >>> graph = splitting_graph(lamps)
    >>> len(graph), str(graph.witness_of(1))
    (5, 'x.(x.0 + y.0)')
    """
    found = model if isinstance(model, Compatibility) else compatible_states(model)
    graph = SplittingGraph(found, most)
    if not graph.complete:
        raise ModelError(f"more than {counted(most, 'set')} in the splitting graph; compare fewer states")
    return graph
