"""Tours as an integer program, solved by HiGHS, with cuts added where what it finds is not connected.

Variables: how often each edge is taken, for each goal which of its edges counts for it, and which choice of goals is
met. Each vertex is left as often as it is entered, an edge that counts is taken, each goal of the choice has one edge
that counts. Where a solution falls apart, take a set S of vertices, a goal g with its edge at S and a goal h with its
edge outside: what leaves S is taken at least [g counts at S] + [h counts outside] - 1 times. Every tour obeys that, and
the solution did not. Columns of costs are minimized one after the other, each kept at its least for the next ones.
Relaxed, so that edges may be taken by halves, the bound is proven in whole numbers (linear_programs.py). That of the
whole program is HiGHS's, which computes in floats; costs are whole numbers, so it is rounded up.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from outplay.strategy.linear_programs import LinearProgram, Sides, run_highs, solve_relaxed_program
from outplay.strategy.tours.closed_walks import Rooted
from outplay.strategy.tours.tour_network import connected_parts

_CLOSE = 1e-6
_GOALS_PER_PART = 20


@dataclass(frozen=True, eq=False)
class Found:
    """One answer of HiGHS: how often edges are taken, those that count, and a bound on the column minimized."""

    times: NDArray[np.int64]
    counting: dict[int, int]
    """For each goal that is met the edge that counts for it."""
    connected: bool
    proven: bool
    """Whether nothing better obeys the rows so far."""
    least: int
    checked: bool
    """Whether that is proven in whole numbers."""
    stalled: bool = False
    """Whether it breaks only rows that are there already, which rounding allowed."""


class TourProgram:
    """The program of a problem; it grows with each cut and with each column that is settled."""

    def __init__(self, rooted: Rooted) -> None:
        self.rooted, network = rooted, rooted.network
        self.edges = network.edge_count
        self._rows: list[tuple[dict[int, float], float, float]] = []
        self._cut: set[tuple[frozenset[tuple[int, float]], float]] = set()
        self._goals: dict[int, dict[int, int | None]] = {}
        """For each goal its edges, each with the variable that says it counts; None where it counts for sure."""
        self.limits = Sides(np.zeros(self.edges), np.full(self.edges, np.inf))
        if rooted.root is not None:
            self.limits.low[rooted.root] = self.limits.high[rooted.root] = 1
            self._goals[-1] = {rooted.root: None}
        self.count = self.edges
        self._add_balance()
        self._add_goals()

    def _add_balance(self) -> None:
        network = self.rooted.network
        rows: list[dict[int, float]] = [{} for _ in range(network.vertex_count)]
        for edge, (source, target) in enumerate(zip(network.source.tolist(), network.target.tolist(), strict=True)):
            if source != target:
                rows[source][edge] = 1.0
                rows[target][edge] = -1.0
        self._rows += [(row, 0.0, 0.0) for row in rows if row]

    def _add_goals(self) -> None:
        problem = self.rooted.problem
        taken = self._variables(len(problem.choices)) if len(problem.choices) > 1 else []
        if taken:
            self._rows.append((dict.fromkeys(taken, 1.0), 1.0, 1.0))
        if not problem.whole:
            self._add_shares(taken)
            return
        for number in sorted(frozenset().union(*problem.choices)):
            edges = sorted(problem.goals[number])
            asking = [variable for variable, choice in zip(taken, problem.choices, strict=False) if number in choice]
            if not taken and len(edges) == 1:
                self.limits.low[edges[0]] = 1
                self._goals[number] = {edges[0]: None}
                continue
            counts = self._variables(len(edges))
            self._rows += [({edge: 1.0, own: -1.0}, 0.0, np.inf) for edge, own in zip(edges, counts, strict=True)]
            right = 0.0 if taken else 1.0
            self._rows.append((dict.fromkeys(counts, 1.0) | dict.fromkeys(asking, -1.0), right, right))
            self._goals[number] = dict(zip(edges, counts, strict=True))

    def _add_shares(self, taken: list[int]) -> None:
        """Goals that are met or not, and enough of those of the choice."""
        problem = self.rooted.problem
        numbers = sorted(frozenset().union(*problem.choices))
        met = dict(zip(numbers, self._variables(len(numbers)), strict=True))
        for number in numbers:
            edges = sorted(problem.goals[number])
            counts = self._variables(len(edges))
            self._rows += [({edge: 1.0, own: -1.0}, 0.0, np.inf) for edge, own in zip(edges, counts, strict=True)]
            self._rows.append((dict.fromkeys(counts, 1.0) | {met[number]: -1.0}, 0.0, 0.0))
            self._goals[number] = dict(zip(edges, counts, strict=True))
        for place, (choice, needed) in enumerate(zip(problem.choices, problem.needed, strict=True)):
            row = dict.fromkeys((met[number] for number in choice), 1.0)
            if taken:
                self._rows.append((row | {taken[place]: -float(needed)}, 0.0, np.inf))
            else:
                self._rows.append((row, float(needed), np.inf))

    def _variables(self, count: int) -> list[int]:
        """New variables that are 0 or 1."""
        low, high = self.limits
        self.limits = Sides(np.append(low, np.zeros(count)), np.append(high, np.ones(count)))
        self.count += count
        return list(range(self.count - count, self.count))

    def keep(self, column: NDArray[Any], most: int) -> None:
        """Allow only what costs at most this much in a column."""
        row = {edge: float(cost) for edge, cost in enumerate(column.tolist()) if cost}
        self._rows.append((row, -np.inf, float(most)))

    def solve(self, column: NDArray[Any], *, whole: bool, seconds: float | None) -> Found | None:
        """Minimize a column under the rows so far; None where nothing obeys them."""
        program = self.program(column)
        if whole:
            status, values, least = _searched(program, seconds)
        else:
            relaxed = solve_relaxed_program(program, self.most, seconds)
            status, values, least = relaxed.status, relaxed.values, relaxed.least
        if status == 2:
            return None
        if values is None:
            return Found(np.zeros(0, dtype=np.int64), {}, False, False, least, not whole)
        added = self.cut(values)
        times, apart = np.rint(values[: self.edges]).astype(np.int64), added is not None
        return Found(times, self._counting(values), not apart, status == 0, least, not whole, apart and not added)

    def cut(self, values: NDArray[Any]) -> int | None:
        """Add rows that a solution breaks because it falls apart; how many are new, None where it does not."""
        cuts = self._cuts(values)
        made = {(frozenset(row.items()), low): (row, low, high) for row, low, high in cuts}
        new = made.keys() - self._cut
        self._cut |= new
        self._rows += [row for key, row in made.items() if key in new]
        return len(new) if cuts else None

    @property
    def most(self) -> int:
        """Some best tour takes no edge more often: between edges that count it takes simple ways."""
        return 2 * (len(self._goals) + 1)

    def program(self, column: NDArray[Any]) -> LinearProgram:
        """The rows so far with the costs of a column."""
        from scipy.sparse import csr_array

        place = np.cumsum([0, *(len(row) for row, _, _ in self._rows)])
        variables = np.array([variable for row, _, _ in self._rows for variable in row], dtype=np.int64)
        entries = np.array([entry for row, _, _ in self._rows for entry in row.values()])
        matrix = csr_array((entries, variables, place), shape=(len(self._rows), self.count))
        sides = Sides(*(np.array([row[side] for row in self._rows]) for side in (1, 2)))
        costs = np.append(column, np.zeros(self.count - self.edges, dtype=column.dtype))
        return LinearProgram(costs, matrix, sides, self.limits)

    def _counting(self, values: NDArray[Any]) -> dict[int, int]:
        """For each goal the edge that counts most."""
        found = {}
        for goal, edges in self._goals.items():
            if goal < 0:
                continue
            worth = {edge: 1.0 if own is None else float(values[own]) for edge, own in edges.items()}
            best = max(worth, key=worth.__getitem__)
            if worth[best] > 0.5 or (worth[best] > _CLOSE and sum(worth.values()) > 0.5):
                found[goal] = best
        return found

    def _cuts(self, values: NDArray[Any]) -> list[tuple[dict[int, float], float, float]]:
        """Rows that a solution breaks because it is not connected; none where it is."""
        network = self.rooted.network
        part = connected_parts(network, values[: self.edges] > _CLOSE)
        met = [goal for goal, edges in self._goals.items() if self._worth(edges, edges, values) > _CLOSE]
        touched: dict[int, list[int]] = {}
        for goal in met:
            for edge in self._goals[goal]:
                if self._worth(self._goals[goal], [edge], values) > _CLOSE:
                    touched.setdefault(int(part[network.source[edge]]), []).append(goal)
        if len(touched) < 2:
            return []
        return [row for number in sorted(touched) for row in self._around(part == number, touched[number], met, values)]

    def _around(
        self, inside: NDArray[np.bool_], within: list[int], met: list[int], values: NDArray[Any]
    ) -> Iterator[tuple[dict[int, float], float, float]]:
        """The rows that a part breaks, with some of the goals whose edges are in it and one whose edge is not."""
        network = self.rooted.network
        at_source, at_target = inside[network.source], inside[network.target]
        touches, outside = at_source | at_target, ~(at_source & at_target)
        leaving = dict.fromkeys(np.flatnonzero(at_source & ~at_target).tolist(), 1.0)
        worth = {goal: self._worth(e, [x for x in e if outside[x]], values) for goal in met if (e := self._goals[goal])}
        other = max(worth, key=lambda goal: (worth[goal], -len(self._goals[goal]), -goal))
        for goal in dict.fromkeys(within[:_GOALS_PER_PART]):
            own = [edge for edge in self._goals[goal] if touches[edge]]
            if goal == other or self._worth(self._goals[goal], own, values) + worth[other] <= 1 + _CLOSE:
                continue
            row, sure = dict(leaving), -1.0
            away = [edge for edge in self._goals[other] if outside[edge]]
            for variable in [self._goals[goal][edge] for edge in own] + [self._goals[other][edge] for edge in away]:
                if variable is None:
                    sure += 1
                else:
                    row[variable] = row.get(variable, 0.0) - 1.0
            yield row, sure, np.inf

    def _worth(self, edges: dict[int, int | None], chosen: Any, values: NDArray[Any]) -> float:
        """Return how much of a goal is counted on some of its edges."""
        return sum(1.0 if (own := edges[edge]) is None else float(values[own]) for edge in chosen)


def _searched(program: LinearProgram, seconds: float | None) -> tuple[int, NDArray[np.float64] | None, int]:
    """The program in whole numbers: how it ended, values, and the bound that HiGHS has found."""
    from scipy.optimize import Bounds, LinearConstraint, milp  # only here: it takes half a second to load

    options: dict[str, Any] = {"mip_rel_gap": 0.0}
    if seconds is not None:
        options["time_limit"] = max(seconds, 0.05)
    answer = run_highs(
        milp,
        program.costs.astype(float),
        integrality=np.ones(len(program.costs)),
        bounds=Bounds(*program.variables),
        constraints=LinearConstraint(program.matrix, *program.rows),
        options=options,
    )
    bound = answer.mip_dual_bound
    if bound is None or not math.isfinite(bound):
        bound = 0.0
    return answer.status, answer.x, max(0, math.ceil(bound - _CLOSE * max(1.0, abs(bound))))
