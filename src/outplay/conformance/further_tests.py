"""Few further tests for the pairs of states that one test leaves undistinguished, not one for each pair.

A test is aimed at one pair after the other: it follows the moves that tell a pair apart (compatibility.py) with all
states that are still of interest, and where the pair is decided it aims at another one that both are left of. Of the
pairs it could aim at it takes one whose first move loses the fewest others. What a test has lost, because two states
came together or one lacks an input, is left to the next; each test decides at least the pair it first aims at, so there
are never more tests than pairs, and usually far fewer.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from outplay.conformance._kernels import WAIT
from outplay.conformance.adaptive import Distinguishing
from outplay.conformance.experiment import Experiment
from outplay.conformance.state_sets import Bits, StateSets

_At: TypeAlias = dict[int, Bits]  # where the system may be, with the states it may have begun in
_Pair: TypeAlias = tuple[int, int]


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
    """Tests that tell apart what one test for all states does not: each such pair by at least one of them.

    >>> from outplay.conformance.adaptive import distinguishing
    >>> from outplay.model.automaton import automaton
    >>> steps = [("1", "!y", "2"), ("2", "!x", "2"), ("3", "!y", "2"), ("1", "?a", "1"), ("2", "?a", "1")]
    >>> steps += [("3", "?a", "2"), ("1", "?b", "2"), ("2", "?b", "3"), ("3", "?b", "3")]
    >>> [str(one.experiment) for one in further_tests(distinguishing(automaton(steps)))]
    ['a.(x.0 + y.0)']
    """
    left = frozenset([*test.undistinguished, *test.left_out])
    found = []
    while left:
        aimed = _Aimed(test.states, left)
        lost = frozenset((p, q) for p, q in left if aimed.lost.get(p, 0) >> q & 1)
        found.append(FurtherTest(aimed.experiment, left - lost))
        left = lost
    return found


class _Aimed:
    """One test for some pairs, and the pairs it loses."""

    def __init__(self, states: StateSets, pairs: Iterable[_Pair]) -> None:
        self.states, self.lost = states, dict[int, Bits]()
        self.wanted: dict[int, Bits] = {}
        for p, q in pairs:
            self.wanted[p] = self.wanted.get(p, 0) | states.one[q]
            self.wanted[q] = self.wanted.get(q, 0) | states.one[p]
        start = {state: states.one[state] for state in self.wanted}
        self.experiment = self._compose(start)

    def _compose(self, start: _At) -> Experiment:
        """Put the test together from its beginning; parts for the same states and the same aim are shared."""
        known: dict[tuple[frozenset[tuple[int, Bits]], _Pair | None], Experiment] = {}
        first = Experiment()
        stack: list[tuple[Experiment, _At, _Pair | None]] = [(first, start, None)]
        while stack:
            part, at, aim = stack.pop()
            aim = self._aim(at) if aim is None else aim
            if aim is None:
                self._lose(_together(self.states, at))
                continue
            for label, reached in self._after(at, self._move(aim)).items():
                following = self._followed(aim, label, reached)
                key = (frozenset(reached.items()), following)
                if key not in known:
                    known[key] = Experiment()
                    stack.append((known[key], reached, following))
                part.moves[self.states.table.labels[label]] = known[key]
        return first

    def _move(self, aim: _Pair) -> int:
        found = self.states.found
        return int(found.move[found.number(*aim)])

    def _after(self, at: _At, move: int) -> dict[int, _At]:
        """Where an input, or each output, leads; who lacks the input is lost for all that are there."""
        reached: dict[int, _At] = {}
        missing = 0
        for state, began in at.items():
            row = self.states.rows[state]
            if move != WAIT and move not in row:
                missing |= began
            for label, target in row.items():
                if label == move or (move == WAIT and label >= self.states.inputs):
                    onward = reached.setdefault(label, {})
                    onward[target] = onward.get(target, 0) | began
        self._lose({one: sum(at.values()) for one in self.states.members(missing)})
        return dict(sorted(reached.items()))

    def _followed(self, aim: _Pair, label: int, reached: _At) -> _Pair | None:
        """The pair after a label; None where it is decided."""
        one, other = (self.states.rows[state].get(label) for state in aim)
        return (one, other) if one is not None and other is not None else None

    def _aim(self, at: _At) -> _Pair | None:
        """A pair of places to tell apart next; None where no two of interest can be."""
        best: dict[int, tuple[int, _Pair]] = {}
        for pair in self._open(at):
            number = self.states.found.number(*pair)
            move, rank = int(self.states.found.move[number]), int(self.states.found.rank[number])
            best[move] = min(best.get(move, (rank, pair)), (rank, pair))
        if not best:
            return None
        return min((self._loss(at, move), rank, pair) for move, (rank, pair) in best.items())[2]

    def _open(self, at: _At) -> list[_Pair]:
        """The pairs of places that are incompatible, and where states of interest to each other have come to."""
        places, found = list(at), list[_Pair]()
        interest = {place: self._interest(at[place]) for place in places}
        for index, one in enumerate(places):
            for other in places[:index]:
                if interest[one] & at[other] and not self.states.bytes[one][other]:
                    found.append((one, other))
        return found

    def _interest(self, began: Bits) -> Bits:
        """The states that those which began here shall be told apart from."""
        found = 0
        for state in self.states.members(began):
            found |= self.wanted[state]
        return found

    def _loss(self, at: _At, move: int) -> int:
        """How many pairs of interest a move loses."""
        kept, self.lost = self.lost, {}
        for reached in self._after(at, move).values():
            self._lose(_together(self.states, reached))
        lost, self.lost = self.lost, kept
        return sum(bits.bit_count() for bits in lost.values())

    def _lose(self, beside: dict[int, Bits]) -> None:
        """Note which pairs of interest are among those that came together."""
        for one, others in beside.items():
            for other in self.states.members(others & self.wanted[one]):
                self.lost[one] = self.lost.get(one, 0) | self.states.one[other]
                self.lost[other] = self.lost.get(other, 0) | self.states.one[one]


def _together(states: StateSets, at: _At) -> dict[int, Bits]:
    """For each state those that have come to the same place, or to a compatible one."""
    here = sum(states.one[place] for place in at)
    found: dict[int, Bits] = {}
    for place, began in at.items():
        beside = 0
        for other in states.members(here & states.near[place]):
            beside |= at[other]
        found.update(dict.fromkeys(states.members(began), beside))
    return found
