"""The cheapest set that the system can offer at a vertex, as a mixed-integer program.

Variables: for each vertex of a strongly connected component whether it is in the set, and the price of the dearest
exit. The set holds the vertex; with each vertex of the system it holds an answer; with each vertex of the tester it
holds all that this leads to, or pays for the exit. HiGHS solves it: it branches, and bounds in floats.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from outplay.strategy.coverage.weighted_game import WeightedGame
from outplay.strategy.deadline import NEVER, Deadline
from outplay.strategy.highs import run_highs

_ROUNDING = 1e-4  # weights are whole, so all that is between two of them is rounding


@dataclass(frozen=True)
class Cheapest:
    """The best set that was found below a ceiling, None where there is none, and a bound below which there is none."""

    trap: frozenset[int] | None
    bound: int


def cheapest(
    weighted: WeightedGame,
    members: Sequence[int],
    vertex: int,
    price: Callable[[int], int | None],
    ceiling: int,
    until: Deadline = NEVER,
) -> Cheapest:
    """Find the set of least weight and dearest exit at a vertex, if that is below `ceiling`.

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
