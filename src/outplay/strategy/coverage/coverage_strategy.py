"""The strategy for coverage: it remembers what it visited, and plans again whenever something new was visited.

As long as more is sure, it takes the first step towards the most (`Worth`), and never comes round without
something new. Where nothing more is sure, it goes the shortest way that a helpful system would allow; an answer that
the system did not give counts as longer each time, so that other ways are tried too.

The gain that is left in a play: how much each new vertex is worth, and the first step towards the most that is sure.
Once a play has visited some vertices, only the others gain anything: they are new. What the tester is still sure of is
the guarantee of the same game in which all other vertices gain nothing. So between two new vertices the play is a
reachability game: the tester forces the new vertex that is worth the most, counted with all that comes after it.

Two ways say what a new vertex is worth. `ExactWorth` settles the guarantee of that game, by an integer program for each
new vertex or more. `ForcedChains` asks only what can be forced from where, in polynomial time: new vertices that can be
forced from one another are a class, a tester that comes to one of them visits them all, and then goes on to a class
that it can force from there. What the best such chain gains is no more than the guarantee. Both keep what they promise:
the best first step leads, whatever the system answers, to new vertices that are worth as much as was promised before.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from heapq import heappop, heappush
from typing import Protocol

from outplay.breadth_first_search import nearest_first
from outplay.game.graph import Game
from outplay.game.roles import Role
from outplay.grouping import grouped
from outplay.strategy.coverage.guarantee_bounds import settle_guarantees
from outplay.strategy.coverage.weighted_game import WeightedGame

_EXACT = 40  # vertices of a component up to which the guarantee is settled anew for each new vertex: under a second
_EXACT_IN_ALL = 2_000
_CHAINED = 5_000_000  # vertices that gain something times edges, up to which it is asked what can be forced from where


@dataclass(frozen=True)
class Sure:
    """The sure part of what is new from a vertex, and where the tester goes for it at a vertex of its own."""

    gain: int
    target: int | None


class Worth(Protocol):
    """The worth of each of some new vertices to a play that comes to it, at least, in whole numbers."""

    def of(self, new: frozenset[int]) -> Mapping[int, int]: ...


def _worth_in(weighted: WeightedGame) -> Worth:
    """The most precise way for which a game is small enough."""
    if weighted.count <= _EXACT_IN_ALL and max(map(len, weighted.components), default=0) <= _EXACT:
        return ExactWorth(weighted)
    edges = sum(map(len, weighted.successors))
    return ForcedChains(weighted) if edges * len(weighted.gaining) <= _CHAINED else OwnGain(weighted)


@dataclass(frozen=True)
class ExactWorth:
    """The guarantee of the game in which only new vertices gain something."""

    weighted: WeightedGame

    def of(self, new: frozenset[int]) -> Mapping[int, int]:
        unit = self.weighted.count + 1
        gains = (self.weighted.gains[vertex] if vertex in new else 0 for vertex in range(self.weighted.count))
        left = replace(self.weighted, weight=[gain * unit + 1 for gain in gains], unit=unit)
        found = settle_guarantees(left)
        return {vertex: found.low[vertex] // unit for vertex in new}


class ForcedChains:
    """The best chain of classes, each forced from the one before; a class is forced from each of its vertices."""

    def __init__(self, weighted: WeightedGame) -> None:
        self._weighted = weighted

    @cached_property
    def _forced(self) -> dict[int, frozenset[int]]:
        """The vertices with a gain that can be forced from each such vertex."""
        from_where = {goal: self._weighted.forced(goal) for goal in self._weighted.gaining}
        return {
            vertex: frozenset(goal for goal, sources in from_where.items() if vertex in sources)
            for vertex in self._weighted.gaining
        }

    def of(self, new: frozenset[int]) -> Mapping[int, int]:
        worth: dict[int, int] = {}
        # Whoever forces a vertex also forces all that is forced from it: classes with fewer come later in a chain.
        for vertex in sorted(new, key=lambda vertex: (len(self._forced[vertex]), vertex)):
            ahead = self._forced[vertex]
            together = [other for other in ahead & new if vertex in self._forced[other]]
            beyond = max((worth[other] for other in ahead & new if vertex not in self._forced[other]), default=0)
            worth[vertex] = sum(self._weighted.gains[other] for other in together) + beyond
        return worth


@dataclass(frozen=True)
class OwnGain:
    """The gain of each vertex alone, for games that are too large to ask for more."""

    weighted: WeightedGame

    def of(self, new: frozenset[int]) -> Mapping[int, int]:
        return {vertex: self.weighted.gains[vertex] for vertex in new}


def _leaving(weighted: WeightedGame, worth: Mapping[int, int]) -> dict[int, Sure]:
    """For each vertex from which a new one can be forced, the one worth most: O(edges) for each different worth.

    `worth` has all new vertices. Every step leads to a new vertex or nearer to one, so no play comes round in vain.
    """
    ends = grouped((worth[new], (vertex, new)) for new in worth for vertex in weighted.predecessors[new])
    found: dict[int, Sure] = {}
    left: dict[int, int] = {}
    for gain in sorted(ends, reverse=True):
        stack = [edge for edge in ends[gain] if edge[0] not in worth]
        while stack:
            vertex, target = stack.pop()
            if vertex in found:
                continue
            if weighted.is_system[vertex]:
                left[vertex] = left.get(vertex, len(weighted.successors[vertex])) - 1
                if left[vertex]:
                    continue
            found[vertex] = Sure(gain, None if weighted.is_system[vertex] else target)
            stack += [(before, vertex) for before in weighted.predecessors[vertex] if before not in worth]
    return found


def _sure_gain(weighted: WeightedGame, vertex: int, new: Iterable[int]) -> int:
    """Return how much of what is new a play surely gains that comes to a vertex and takes the best first steps."""
    worth = _worth_in(weighted).of(frozenset(new))
    if vertex in worth:
        return worth[vertex]
    sure = _leaving(weighted, worth).get(vertex)
    return sure.gain if sure else 0


_KEPT = 1_000  # plans that are remembered
_TRIES = 99  # how often an answer is counted at most


@dataclass(frozen=True)
class Travelled:
    """The memory of a play: the vertices visited that gain something, and answers seen, counted."""

    visited: frozenset[int] = frozenset()
    answers: frozenset[tuple[int, int, int]] = frozenset()
    """Vertex of the system, where it went from there, and how often."""
    last: int | None = None


class Touring:
    """The strategy of a tester that wants to visit as much as it can."""

    start = Travelled()

    def __init__(self, game: Game, weighted: WeightedGame) -> None:
        self._game, self._weighted = game, weighted
        self._plans: dict[tuple[frozenset[int], type[Worth]], dict[int, Sure]] = {}

    @cached_property
    def proven(self) -> Fraction:
        """Return the proven gain of a play from the initial vertex, whatever the system does."""
        found = _sure_gain(self._weighted, self._game.initial, self._weighted.gaining)
        return Fraction(found, self._weighted.denominator)

    def edge(self, vertex: int, memory: Travelled) -> int | None:
        now = self._arrived(vertex, memory)
        target = None if self._weighted.is_system[vertex] else self._target(vertex, now)
        if target is None:
            return None
        return next(edge for edge in self._game.edges_of(vertex) if self._game.target[edge] == target)

    def after(self, vertex: int, memory: Travelled) -> Travelled:
        return replace(self._arrived(vertex, memory), last=vertex)

    def hopeless(self, vertex: int, memory: Travelled) -> bool:
        new = self._new(self._arrived(vertex, memory))
        return not any(reached in new for reached in nearest_first([vertex], self._weighted.successors.__getitem__))

    def _new(self, memory: Travelled) -> frozenset[int]:
        return self._weighted.gaining - memory.visited

    def _arrived(self, vertex: int, memory: Travelled) -> Travelled:
        """The memory with a vertex that the play has come to, and the state in which the tester decided for it."""
        if self._game.roles.role[vertex] in (Role.CHOICE, Role.WAITING):
            memory = self._met(int(self._game.roles.state[vertex]), memory)
        return self._met(vertex, memory)

    def _met(self, vertex: int, memory: Travelled) -> Travelled:
        answers = memory.answers
        if memory.last is not None and self._weighted.is_system[memory.last]:
            counts = {(source, target): count for source, target, count in answers}
            count = counts.get((memory.last, vertex), 0)
            answers -= {(memory.last, vertex, count)}
            answers |= {(memory.last, vertex, min(count + 1, _TRIES))}
        return Travelled(memory.visited | ({vertex} & self._weighted.gaining), answers)

    def _target(self, vertex: int, memory: Travelled) -> int | None:
        new = self._new(memory)
        if vertex not in self._plan(new, OwnGain(self._weighted)):
            return self._hopeful(vertex, memory)
        return self._plan(new, self._worth)[vertex].target

    def _plan(self, new: frozenset[int], worth: Worth) -> dict[int, Sure]:
        """Plan the way to what is sure, from wherever something is."""
        key = new, type(worth)
        if key not in self._plans:
            if len(self._plans) >= _KEPT:
                self._plans.clear()
            self._plans[key] = _leaving(self._weighted, worth.of(new))
        return self._plans[key]

    @cached_property
    def _worth(self) -> Worth:
        return _worth_in(self._weighted)

    def _hopeful(self, vertex: int, memory: Travelled) -> int | None:
        """The next step on a shortest way to anything new, if the system helps as it did before."""
        new, is_system = self._new(memory), self._weighted.is_system
        given = {(source, target): count for source, target, count in memory.answers}
        asked = Counter[int]()
        for (source, _), count in given.items():
            asked[source] += count
        queue, done = [(0, vertex, vertex)], set[int]()  # the length of a way, its end and its first step
        while queue:
            length, reached, first = heappop(queue)
            if reached in new:
                return first
            if reached in done:
                continue
            done.add(reached)
            for target in self._weighted.successors[reached]:
                refused = asked[reached] - given.get((reached, target), 0) if is_system[reached] else 0
                heappush(queue, (length + 1 + refused, target, target if reached == vertex else first))
        return None


class Learning(Touring):
    """The strategy through many plays: each starts with what the plays before it have visited."""

    _seen = Travelled()

    @property
    def start(self) -> Travelled:  # type: ignore[override]  # of a play, no longer of all
        return self._seen

    def after(self, vertex: int, memory: Travelled) -> Travelled:
        now = super().after(vertex, memory)
        self._seen = Travelled(self._seen.visited | now.visited, now.answers)
        return now
