"""Few further tests for the pairs of states that one test leaves undistinguished, not one for each pair.

A test is aimed at one pair after the other: it follows the moves that tell a pair apart (compatibility.py) with all
states that are still of interest, and where the pair is decided it aims at another one that both are left of. Of the
pairs it could aim at it takes one whose first move loses the fewest others. What a test has lost, because two states
came together or one lacks an input, is left to the next; each test decides at least the pair it first aims at, so there
are never more tests than pairs, and usually far fewer.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np

from outplay.conformance._kernels import WAIT
from outplay.conformance.distinguishing.adaptive_graph import Distinguishing
from outplay.conformance.distinguishing.experiment import END, Experiment
from outplay.conformance.distinguishing.state_sets import States, StateSets

_At: TypeAlias = dict[int, States]  # where the system may be, with the states it may have begun in
_Pair: TypeAlias = tuple[int, int]
_NONE: States = frozenset()
_MOST_PARTS = 2_000  # after this many a test aims at no further pair


@dataclass(frozen=True, eq=False)
class FurtherTest:
    """A test for some pairs of states that other tests left."""

    experiment: Experiment
    pairs: frozenset[_Pair]
    """The pairs that it tells apart, the smaller state first."""

    @cached_property
    def states(self) -> frozenset[int]:
        """The states of these pairs."""
        return frozenset(state for pair in self.pairs for state in pair)


def further_tests(test: Distinguishing) -> list[FurtherTest]:
    """Find tests that distinguish the pairs of states that one test for all states leaves, each by at least one.

    >>> from outplay.conformance.distinguishing.adaptive_graph import distinguishing
    >>> from outplay.model.automaton import automaton
    >>> steps = [("1", "!y", "2"), ("2", "!x", "2"), ("3", "!y", "2"), ("1", "?a", "1"), ("2", "?a", "1")]
    >>> steps += [("3", "?a", "2"), ("1", "?b", "2"), ("2", "?b", "3"), ("3", "?b", "3")]
    >>> [str(one.experiment) for one in further_tests(distinguishing(automaton(steps)))]
    ['a.(x.0 + y.0)']
    """
    left = frozenset([*test.undistinguished, *test.left_out])
    found, weight = [], _weights(test.states, left)
    while left:
        aimed = _Aimed(test.states, left, weight)
        found.append(FurtherTest(aimed.experiment, left - aimed.lost))
        left &= aimed.lost
    return found


def _weights(states: StateSets, pairs: Iterable[_Pair]) -> dict[_Pair, float]:
    """Return the weight of telling a pair apart by this test and not by one more.

    A test is played after each transition to its states, so those with many count most; and so do pairs for which few
    moves will do, since others can be left to the tests that those need.
    """
    arrivals = np.bincount(states.table.target, minlength=states.count).tolist()
    weights = {}
    for p, q in pairs:
        one, other = states.rows[p], states.rows[q]
        both = [label for label in one.keys() & other.keys() if label < states.inputs]
        moves = 1 + sum(other[label] not in states.near(one[label]) for label in both)
        weights[p, q] = (arrivals[p] + arrivals[q]) / moves**2
    return weights


class _Aimed:
    """One test for some pairs, and the pairs it loses, the smaller state first."""

    def __init__(self, states: StateSets, pairs: Iterable[_Pair], weight: Mapping[_Pair, float]) -> None:
        self.states, self.lost = states, set[_Pair]()
        self.weight = weight
        self.wanted: dict[int, set[int]] = {}
        for p, q in pairs:
            self.wanted.setdefault(p, set()).add(q)
            self.wanted.setdefault(q, set()).add(p)
        self.experiment = self._compose({state: frozenset([state]) for state in sorted(self.wanted)})

    def _compose(self, start: _At) -> Experiment:
        """Put the test together from its beginning; parts for the same states and the same aim are shared."""
        known: dict[tuple[frozenset[tuple[int, States]], _Pair | None], Experiment] = {}
        first = Experiment()
        stack: list[tuple[Experiment, _At, _Pair | None]] = [(first, start, None)]
        while stack:
            part, at, pair = stack.pop()
            if pair is None and len(known) < _MOST_PARTS:
                pair = self._pair(at)
            if pair is None:
                here = frozenset[int]().union(*at.values())
                self.lost |= self._of_interest(here, here)
                continue
            move = self._move(pair)
            self.lost |= self._left_out(at, move)
            for label, everyone in self._after(at, move).items():
                reached = self._of_use(everyone)
                if not reached:
                    part.moves[self.states.table.labels[label]] = END
                    continue
                following = self._followed(pair, label)
                key = (frozenset(reached.items()), following)
                if key not in known:
                    known[key] = Experiment()
                    stack.append((known[key], reached, following))
                part.moves[self.states.table.labels[label]] = known[key]
        return first

    def _move(self, pair: _Pair) -> int:
        found = self.states.found
        return found.move_between(*pair)

    def _after(self, at: _At, move: int) -> dict[int, _At]:
        """Return the target of an input, or of each output."""
        reached: dict[int, _At] = {}
        for state, began in at.items():
            for label, target in self.states.rows[state].items():
                if label == move or (move == WAIT and label >= self.states.inputs):
                    onward = reached.setdefault(label, {})
                    onward[target] = onward.get(target, _NONE) | began
        return dict(sorted(reached.items()))

    def _of_use(self, at: _At) -> _At:
        """Leave out the states that are told apart from all they should be."""
        here = frozenset[int]().union(*at.values())
        kept = {place: frozenset(one for one in began if self.wanted[one] & here) for place, began in at.items()}
        return {place: began for place, began in kept.items() if began}

    def _followed(self, pair: _Pair, label: int) -> _Pair | None:
        """The pair after a label; None where it is decided."""
        one, other = (self.states.rows[state].get(label) for state in pair)
        return (one, other) if one is not None and other is not None else None

    def _pair(self, at: _At) -> _Pair | None:
        """A pair of places to tell apart next; None where no two of interest can be."""
        best: dict[int, tuple[int, _Pair]] = {}
        for pair in self._open(at):
            move, rank = self.states.found.move_between(*pair), self.states.found.rank_between(*pair)
            best[move] = min(best.get(move, (rank, pair)), (rank, pair))
        if not best:
            return None
        return min((self._loss(at, move), rank, pair) for move, (rank, pair) in best.items())[2]

    def _open(self, at: _At) -> set[_Pair]:
        """The pairs of places that are incompatible, and where states of interest to each other have come to."""
        place = {state: one for one, began in at.items() for state in began}
        pairs = {
            (one, place[other])
            for state, one in place.items()
            for other in self.wanted[state] & place.keys()
            if state < other
        }
        return {(max(pair), min(pair)) for pair in pairs if pair[1] not in self.states.near(pair[0])}

    def _loss(self, at: _At, move: int) -> float:
        """Return the weight of the pairs of interest that a move loses."""
        lost = self._left_out(at, move)
        for reached in self._after(at, move).values():
            lost |= self._together(reached)
        return sum(self.weight[pair] for pair in lost)

    def _left_out(self, at: _At, move: int) -> set[_Pair]:
        """The pairs of interest of which one lacks the input that is given."""
        if move == WAIT:
            return set()
        column = self.states.by_label[move]
        everyone = frozenset[int]().union(*at.values())
        missing = [state for one, began in at.items() if one not in column for state in began]
        return self._of_interest(missing, everyone)

    def _together(self, at: _At) -> set[_Pair]:
        """The pairs of interest that have come to the same place, or to compatible ones."""
        found: set[_Pair] = set()
        for place, began in at.items():
            near = self.states.near(place) & at.keys()
            found |= self._of_interest(began, frozenset[int]().union(*(at[other] for other in near)))
        return found

    def _of_interest(self, ones: Iterable[int], others: States) -> set[_Pair]:
        return {(min(one, other), max(one, other)) for one in ones for other in self.wanted[one] & others}
