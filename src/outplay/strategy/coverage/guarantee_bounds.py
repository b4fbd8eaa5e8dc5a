"""Settling the guarantee of every vertex: bounds from below and above that meet.

With c(v) for the guarantee from v, the witness of Wang et al. 2013 (appendix A.3) says
  c(v) = min( w(v) + min c(u) over the answers u, if v is the system's;                               (case S)
              min over sets P with v: w(P) + max c(t) over the tester's exits t out of P ),           (case T)
where P holds an answer with each vertex of the system that has any. An optimal P is strongly connected in the game, so
components are settled one by one, those first that lead nowhere else; a vertex that is a component by itself needs no
search. Within a component every vertex has a bound from below, which exits are priced at. The vertex with the least
bound is asked for its cheapest set: as every vertex weighs something, its bound rises, or the set has settled exits
only and the vertex is settled too. From t the tester may be able to force v; then c(t) ≥ c(v) > all exits of an optimal
set at v, so no exit leads to t, and a bound for v is one for t. In many games this leaves no exits at all.

The cheapest set is a mixed-integer program for HiGHS. Variables: for each vertex of a component whether it is in the
set, and the price of the dearest exit. With each vertex of the system the set holds an answer; with each vertex of the
tester it holds all that this leads to, or pays for the exit.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence, Sized
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from typing import Any

import numpy as np

from outplay.cancellation import NEVER, Deadline
from outplay.strategy.coverage.weighted_game import WeightedGame, closure
from outplay.strategy.linear_programs import run_highs

_ROUNDING = 1e-4  # weights are whole, so all that is between two of them is rounding


@dataclass(frozen=True)
class Cheapest:
    """The best set that was found below a ceiling, None where there is none, and a bound below which there is none."""

    trap: frozenset[int] | None
    bound: int


def cheapest_system_set(
    weighted: WeightedGame,
    members: Sequence[int],
    vertex: int,
    price: Callable[[int], int | None],
    ceiling: int,
    until: Deadline = NEVER,
) -> Cheapest:
    """Find the set of least weight and dearest exit that the system can offer at a vertex, if below `ceiling`.

    `price` tells what an exit to a vertex costs, None where there may be none.
    """
    from scipy.optimize import Bounds, LinearConstraint, milp  # only here: it takes half a second to load
    from scipy.sparse import coo_array

    rows = _Inequalities(members)
    for member in members:
        rows.add_closure(weighted, member, price)
    rows.add({rows.column[m]: -weighted.weight[m] for m in members} | {rows.dearest: -1.0}, 0.5 - ceiling)
    count = len(members) + 1
    least = np.zeros(count)
    least[rows.column[vertex]] = 1
    most = np.append(np.ones(count - 1), float(ceiling))
    matrix = coo_array((rows.entry, (rows.row, rows.place)), shape=(len(rows.right), count)).tocsr()
    limit = {} if until.left is None else {"time_limit": max(until.left, 0.01)}
    found = run_highs(
        milp,
        np.append([float(weighted.weight[m]) for m in members], 1.0),
        integrality=np.ones(count),
        bounds=Bounds(least, most),
        constraints=LinearConstraint(matrix, lb=np.array(rows.right)),
        options={"mip_rel_gap": 0.0, **limit},
    )
    return _read(found, members, ceiling)


class _Inequalities:
    """The rows of the program: Σ entry × variable ≥ right."""

    def __init__(self, members: Sequence[int]) -> None:
        self.column = {member: place for place, member in enumerate(members)}
        self.dearest = len(members)
        self.row: list[int] = []
        self.place: list[int] = []
        self.entry: list[float] = []
        self.right: list[float] = []

    def add(self, entries: dict[int, float], right: float = 0.0) -> None:
        self.row += [len(self.right)] * len(entries)
        self.place += entries
        self.entry += entries.values()
        self.right.append(right)

    def add_closure(self, weighted: WeightedGame, member: int, price: Callable[[int], int | None]) -> None:
        """Add what the set holds, or pays for, together with a member."""
        own, targets = self.column[member], weighted.successors[member]
        if member in targets and weighted.is_system[member]:
            return  # it can stay for ever
        if weighted.is_system[member]:
            self.add({own: -1.0} | {self.column[t]: 1.0 for t in targets if t in self.column})
            return
        for target in targets:
            cost = price(target)
            if target == member:
                continue
            inside = {self.column[target]: 1.0} if target in self.column else {}
            if cost is None:
                self.add({own: -1.0} | inside)
            elif cost:
                self.add({own: -float(cost), self.dearest: 1.0} | {c: float(cost) for c in inside})


def _read(found: Any, members: Sequence[int], ceiling: int) -> Cheapest:
    if found.status == 2:  # infeasible: nothing is below the ceiling
        return Cheapest(None, ceiling)
    bound = found.mip_dual_bound
    low = 0 if bound is None or not math.isfinite(bound) else math.ceil(bound - _ROUNDING)
    if found.x is None:
        return Cheapest(None, min(low, ceiling))
    return Cheapest(frozenset(m for m, x in zip(members, found.x, strict=False) if x > 0.5), min(low, ceiling))


Progress = Callable[[int, int], None]  # vertices settled, vertices in all
_MOST_FORCED = 2_000  # vertices of a component up to which it is asked from where each can be forced
_SMALL = 100  # vertices of a component that has good first bounds whatever time there is


@dataclass(frozen=True)
class Settled:
    """For each vertex what the tester is sure to get and what the system can hold it to, in weights, and how."""

    low: Sequence[int]
    high: Sequence[int]
    trap: Sequence[frozenset[int]]
    """The offers of the system at each vertex; its exits have smaller bounds."""


def settle_guarantees(
    weighted: WeightedGame, until: Deadline = NEVER, progress: Progress | None = None, only: int | None = None
) -> Settled:
    """Settle the guarantee of all vertices, as many as there is time for, or a certain one; the others get bounds."""
    work = _Settling(weighted, until, progress, only)
    for members in weighted.components:
        if len(members) == 1:
            work.settle_alone(members[0])
        else:
            work.settle_together(members)
    return Settled(work.low, work.high, work.trap)


class _Settling:
    def __init__(self, weighted: WeightedGame, until: Deadline, progress: Progress | None, only: int | None) -> None:
        self.weighted, self.until, self.progress, self.only = weighted, until, progress, only
        self.low, self.high = [0] * weighted.count, [0] * weighted.count
        self.trap = [frozenset([vertex]) for vertex in range(weighted.count)]
        self.done = 0
        self.met = False  # whether the only vertex that is asked for has bounds already

    def is_late(self, inside: Sized) -> bool:
        """Say whether there is no time for the first bounds of a component."""
        return len(inside) > _SMALL and self.until.passed

    def enough(self) -> bool:
        """Say whether all that is asked for is settled; what leads there has no use for bounds that meet."""
        return self.only is not None and self.met and self.low[self.only] == self.high[self.only]

    def settle_alone(self, vertex: int) -> None:
        """A vertex that no play comes back to."""
        own, targets = self.weighted.weight[vertex], self.weighted.successors[vertex]
        pick = min if self.weighted.is_system[vertex] else max
        ahead = () if self.weighted.is_system[vertex] and vertex in targets else [t for t in targets if t != vertex]
        self.low[vertex] = own + pick((self.low[t] for t in ahead), default=0)
        self.high[vertex] = own + pick((self.high[t] for t in ahead), default=0)
        self.met = self.met or vertex == self.only
        self.tell(1)

    def settle_together(self, members: Sequence[int]) -> None:
        """Vertices that lead to one another."""
        inside = set(members)
        before = self.weighted.before_within(inside)
        forcing = {member: self.forcing(member, before) for member in members}
        self.start(members, forcing)
        # Of equal bounds, what can be forced from the most others comes first: there are the fewest exits to it.
        queue = [(self.low[member], -len(forcing[member]), member) for member in members]
        heapify(queue)
        self.met = self.met or self.only in inside
        while queue and not self.enough():
            low, order, vertex = heappop(queue)
            if low < self.low[vertex]:
                heappush(queue, (self.low[vertex], order, vertex))
            elif low < self.high[vertex]:
                chosen = self.held_back(vertex, inside)
                if not self.raise_bound(members, chosen, forcing[chosen]):
                    break
                heappush(queue, (self.low[vertex], order, vertex))
            else:
                self.tell(1)

    def forcing(self, vertex: int, before: Mapping[int, Sequence[int]]) -> set[int]:
        """The vertices of a component from which one can be forced; where there is no time, that one alone."""
        if len(before) > _MOST_FORCED or self.is_late(before):
            return {vertex}
        return self.weighted.forced(vertex, before)

    def start(self, members: Sequence[int], forcing: dict[int, set[int]]) -> None:
        """First bounds: what can be forced to and fro, and a set that is closed but for what leaves the component.

        The component itself is one, for want of time to look for less.
        """
        weighted, inside = self.weighted, set(members)
        for vertex in members:
            around = [other for other in forcing[vertex] if vertex in forcing[other]]
            outside = [self.low[target] for target in weighted.exits(around) if target not in inside]
            self.low[vertex] = weighted.weigh(around) + max(outside, default=0)
            self.high[vertex] = 0
        for vertex in members:
            if not self.high[vertex]:
                trap = frozenset(members) if self.is_late(inside) else closure(weighted, vertex, inside)
                self.offer(trap, first=True)
        self.spread(members)

    def offer(self, trap: frozenset[int], *, first: bool = False) -> None:
        """Take a set as what the system offers, at all its vertices where nothing is cheaper yet."""
        value = self.weighted.weigh(trap) + max((self.high[t] for t in self.weighted.exits(trap)), default=0)
        for vertex in trap:
            if value < self.high[vertex] or (first and not self.high[vertex]):
                self.high[vertex], self.trap[vertex] = value, trap

    def spread(self, vertices: Iterable[int]) -> None:
        """Raise bounds from below: the tester gets what its best move gets, and what the system's worst answer does."""
        weighted, stack = self.weighted, list(vertices)
        while stack:
            reached = stack.pop()
            for before in weighted.predecessors[reached]:
                pick = min if weighted.is_system[before] else max
                low = pick(self.low[t] for t in weighted.successors[before])
                if self.low[before] < low <= self.high[before]:
                    self.low[before] = low
                    stack.append(before)

    def raise_bound(self, members: Sequence[int], vertex: int, forcing: set[int]) -> bool:
        """Find the cheapest set at a vertex with exits at their bounds; False where there is no time."""
        weighted = self.weighted
        if self.until.passed:
            return False
        answers = weighted.successors[vertex] if weighted.is_system[vertex] else ()
        if answers:
            self.answer(vertex, min(answers, key=self.high.__getitem__))
        lone = min((weighted.weight[vertex] + self.low[t] for t in answers), default=self.high[vertex])
        ceiling = min(self.high[vertex], lone)

        def price(target: int) -> int | None:
            dear = self.low[target] + weighted.weight[vertex] >= ceiling
            return None if dear or target in forcing else self.low[target]

        found = cheapest_system_set(weighted, members, vertex, price, ceiling, self.until)
        if found.trap is not None:
            self.offer(found.trap)
        self.low[vertex] = max(self.low[vertex], min(found.bound, self.high[vertex]))
        for other in forcing:
            if self.low[other] < self.low[vertex] <= self.high[other]:
                self.low[other] = self.low[vertex]
        self.spread(forcing)
        return not self.until.passed

    def held_back(self, vertex: int, inside: set[int]) -> int:
        """A vertex of the system, or what its bound waits for: an answer with no greater one, in its own component.

        Vertices that weigh little would otherwise raise one another in tiny steps. Another component is settled
        before, or was left with bounds, and then nothing more is asked of it.
        """
        passed = set[int]()
        while self.weighted.is_system[vertex] and vertex not in passed:
            passed.add(vertex)
            answer = min(self.weighted.successors[vertex], key=self.low.__getitem__)
            if answer not in inside or self.low[answer] == self.high[answer] or self.low[answer] > self.low[vertex]:
                break
            vertex = answer
        return vertex

    def answer(self, vertex: int, target: int) -> None:
        """Let the system leave a vertex of its own for the answer from which the tester gets least."""
        value = self.weighted.weight[vertex] + self.high[target]
        if value < self.high[vertex]:
            self.high[vertex], self.trap[vertex] = value, frozenset([vertex])

    def tell(self, more: int) -> None:
        self.done += more
        if self.progress:
            self.progress(self.done, self.weighted.count)
