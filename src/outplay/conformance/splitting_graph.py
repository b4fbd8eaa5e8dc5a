"""Splitting graphs: how sets of states are split by what a test would show, the whole set first.

Definition (van den Bos 2020, 3.22): a graph on sets of states with the set of all states as its root. Each set that is
no leaf is the union of its children, which are smaller, and has a witness: an experiment after whose every trace the
states that could have shown it are in one child. It is complete when the states of each leaf are compatible.

Algorithms 3 and 4: a leaf is split by its outputs where each of them is missing somewhere in it, or leads to a set that
was split before (then the leaf is split alike); or by an input that leads to such a set. Here a leaf is tried again
when a set is split that it was waiting for, and splits that lose nothing (3.34, injective) are made as long as there
are any, so that a test for all states is found where Theorem 3.36 promises one. Where none is left, the leaf with the
pair of least rank is split (Lemma 3.26 says that it can be) by what loses the fewest pairs. Children that are part of
others are left out, which keeps the graph small. Up to 2^n sets (3.31).
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from outplay.conformance.compatibility import Compatibility, compatible_states
from outplay.conformance.experiment import END, Experiment
from outplay.conformance.state_sets import Bits, StateSets
from outplay.errors import ModelError

MOST_SETS = 200_000
_CANDIDATES = 6  # least common ancestors that are compared before one is chosen


@dataclass(frozen=True)
class _Split:
    """A way to split a leaf: what it loses, its witness and its children."""

    loss: int
    witness: Experiment
    children: tuple[Bits, ...]

    @property
    def cost(self) -> tuple[int, int, bool]:
        return self.loss, self.witness.depth, self.witness.given is not None


class _Leaf:
    """What is known of a leaf that could not be split yet, so that it is found out once."""

    def __init__(self, states: StateSets, bits: Bits) -> None:
        self.bits, self.steps, self._members = bits, states.steps(bits), states.members(bits)
        self._states, self._losses = states, dict[int, int]()

    def loss(self, label: int) -> int:
        if label not in self._losses:
            self._losses[label] = self._states.loss(self.bits, label, self._members)
        return self._losses[label]

    def loses(self, label: int) -> bool:
        """Say whether a label loses a pair; for most inputs one state that lacks it is enough to know."""
        missing = self.bits & ~self.steps[label][0]
        if missing and label < self._states.inputs and label not in self._losses:
            state = (missing & -missing).bit_length() - 1
            if self.bits & ~self._states.near[state]:
                return True
        return self.loss(label) > 0


class SplittingGraph:
    """A complete splitting graph; sets are numbered, the root is 0."""

    def __init__(self, found: Compatibility, most: int = MOST_SETS) -> None:
        self.states = StateSets(found)
        self.sets: list[Bits] = [self.states.all]
        self.children: list[tuple[int, ...]] = [()]
        self.witness: list[Experiment | None] = [None]
        self.clean: list[bool] = [True]
        """Whether a set was split without losing a pair, as were those it was split like."""
        self._numbers, self._most = {self.states.all: 0}, most
        self._waiting: dict[int, dict[int, None]] = {}
        self._looked: dict[int, _Leaf] = {}
        self._build()

    def __len__(self) -> int:
        return len(self.sets)

    def ancestors(self, bits: Bits) -> list[int]:
        """Split sets that hold all these states while none of their children does (3.24), some of them, best first."""
        found, _ = self._search(bits)
        return found

    def _build(self) -> None:
        ready, open_ = deque([0]), list[tuple[int, int]]()
        pending = set[int]() if self._is_done(0) else {0}
        while pending:
            while ready:
                leaf = ready.popleft()
                if leaf in pending:
                    split = self._best(leaf, clean=True)
                    if split is None:
                        heapq.heappush(open_, (self._least_rank(leaf), leaf))
                    else:
                        self._make(leaf, split, pending, ready)
            while open_ and open_[0][1] not in pending:
                heapq.heappop(open_)
            if open_:
                _, leaf = heapq.heappop(open_)
                forced = self._best(leaf, clean=False)
                assert forced is not None, "Lemma 3.26: the leaf with the least rank can be split"
                self._make(leaf, forced, pending, ready)

    def _make(self, leaf: int, split: _Split, pending: set[int], ready: deque[int]) -> None:
        pending.discard(leaf)
        self._looked.pop(leaf, None)
        numbers = []
        for child in _largest(split.children):
            number = self._numbers.get(child)
            if number is None:
                number = self._add(child)
                if not self._is_done(number):
                    pending.add(number)
                    ready.append(number)
            numbers.append(number)
        self.children[leaf], self.witness[leaf] = tuple(numbers), split.witness
        self.clean[leaf] = split.loss == 0
        ready.extend(self._waiting.pop(leaf, ()))

    def _add(self, bits: Bits) -> int:
        if len(self.sets) >= self._most:
            raise ModelError(f"more than {self._most:,} sets in the splitting graph; compare fewer states")
        self._numbers[bits] = len(self.sets)
        self.sets.append(bits)
        self.children.append(())
        self.witness.append(None)
        self.clean.append(True)
        return len(self.sets) - 1

    def _is_done(self, number: int) -> bool:
        return self.states.compatible(self.sets[number])

    def _least_rank(self, leaf: int) -> int:
        """The least rank of a pair of incompatible states in a leaf."""
        members = np.array(self.states.members(self.sets[leaf]), dtype=np.int64)
        low, high = np.tril_indices(len(members), -1)
        ranks = self.states.found.rank[members[low] * (members[low] - 1) // 2 + members[high]]
        return int(ranks[ranks >= 0].min())

    def _best(self, number: int, *, clean: bool) -> _Split | None:
        """The best split of a leaf; with `clean` only one that loses nothing. What it waits for is noted."""
        leaf = self._looked.get(number)
        if leaf is None:
            leaf = self._looked[number] = _Leaf(self.states, self.sets[number])
        splits = [self._by_outputs(number, leaf, clean)]
        splits += [self._by_input(number, leaf, label, clean) for label in leaf.steps if label < self.states.inputs]
        return min((split for split in splits if split is not None), key=lambda split: split.cost, default=None)

    def _by_outputs(self, number: int, leaf: _Leaf, clean: bool) -> _Split | None:
        outputs = [label for label in leaf.steps if label >= self.states.inputs]
        if clean and any(map(leaf.loses, outputs)):
            return None
        children: list[Bits] = []
        moves = {}
        for label in outputs:
            enabled, after = leaf.steps[label]
            if enabled != leaf.bits:
                children.append(enabled)
                moves[self.states.table.labels[label]] = END
                continue
            ancestor = self._ancestor(number, after)
            if ancestor is None:
                return None
            children += self._induced(leaf.bits, label, ancestor)
            moves[self.states.table.labels[label]] = self.witness_of(ancestor)
        return _Split(sum(map(leaf.loss, outputs)), Experiment(moves), tuple(children))

    def _by_input(self, number: int, leaf: _Leaf, label: int, clean: bool) -> _Split | None:
        if clean and leaf.loses(label):
            return None
        enabled, after = leaf.steps[label]
        ancestor = self._ancestor(number, after)
        if ancestor is None:
            return None
        children = tuple(part | (leaf.bits & ~enabled) for part in self._induced(leaf.bits, label, ancestor))
        witness = Experiment({self.states.table.labels[label]: self.witness_of(ancestor)})
        return _Split(leaf.loss(label), witness, children)

    def _induced(self, bits: Bits, label: int, ancestor: int) -> list[Bits]:
        """Split a set as the set was split that a label leads into (3.23)."""
        states = self.states
        targets = [(states.one[state], states.rows[state].get(label)) for state in states.members(bits)]
        parts = []
        for child in self.children[ancestor]:
            inside = self.sets[child]
            part = sum(one for one, target in targets if target is not None and inside >> target & 1)
            parts += [part] * bool(part)
        return parts

    def witness_of(self, number: int) -> Experiment:
        """The experiment that splits a set which is no leaf."""
        found = self.witness[number]
        assert found is not None
        return found

    def _ancestor(self, leaf: int, bits: Bits) -> int | None:
        """The best least common ancestor of a set; where there is none, the leaf waits for those that hold the set."""
        found, leaves = self._search(bits)
        if found:
            return found[0]
        for number in leaves:
            self._waiting.setdefault(number, {})[leaf] = None
        return None

    def _search(self, bits: Bits) -> tuple[list[int], list[int]]:
        """Least common ancestors, the best first, and the leaves that hold the set."""
        found, leaves = list[int](), list[int]()
        seen, stack = {0}, [0]
        while stack and len(found) < _CANDIDATES:
            number = stack.pop()
            children = self.children[number]
            if not children:
                leaves.append(number)
                continue
            holding = [child for child in children if not bits & ~self.sets[child]]
            if not holding:
                found.append(number)
            for child in holding:
                if child not in seen:
                    seen.add(child)
                    stack.append(child)
        found.sort(key=lambda number: (not self.clean[number], self.witness_of(number).depth, number))
        return found, leaves


def _largest(sets: Iterable[Bits]) -> list[Bits]:
    """The sets that are part of no other one: those others hold all that could have shown a trace."""
    kept: list[Bits] = []
    for bits in sorted(set(sets), key=lambda bits: (-bits.bit_count(), bits)):
        if not any(bits & ~other == 0 for other in kept):
            kept.append(bits)
    return kept


def splitting_graph(model: Any, *, most: int = MOST_SETS) -> SplittingGraph:
    """The complete splitting graph of a model's behaviour.

    >>> from outplay.model.automaton import automaton
    >>> lamps = automaton([("a", "!x", "b"), ("b", "!x", "c"), ("c", "!y", "a")])
    >>> graph = splitting_graph(lamps)
    >>> len(graph), str(graph.witness[1])
    (5, 'x.(x.0 + y.0)')
    """
    found = model if isinstance(model, Compatibility) else compatible_states(model)
    return SplittingGraph(found, most)
