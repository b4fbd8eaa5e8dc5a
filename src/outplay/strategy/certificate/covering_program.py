"""The least weight of a set that the system can offer at a vertex: a linear program, its bound in whole numbers.

For min w·x with rows A·x ≥ 0 and l ≤ x ≤ u, any y ≥ 0 gives the bound Σ min(l·r, u·r) with r = w - yᵀA. Floats only
guess the y. The proofs of certificate/check_coverage.py are made of such bounds.
"""

from __future__ import annotations

import time
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:  # a proof asks for such programs
    from outplay.strategy.certificate.check_coverage import Proving

_SCALE = 1 << 24  # duals are rounded down to fractions of this
_LONGEST = 1e6  # seconds; the solver takes no number that is not finite


class TooManyPrograms(Exception):
    """More linear programs would be needed than were allowed."""


class SetProgram:
    """The least weight of a set, with some exits allowed, as rows Σ factor × variable ≥ 0.

    Plain rows say that one of some vertices comes with another. They are weak where the system goes many ways that
    meet again. So where the tester hands over to the system, at a vertex u, a unit of flow goes through the system's
    vertices if u is in the set: the way that the system takes from there, to where the tester has a choice again or to
    where play can go round. It goes only through the set.
    """

    def __init__(self, proving: Proving, members: list[int], allowed: set[int], vertex: int) -> None:
        self.proving, self.weight = proving, [proving.weight[member] for member in members]
        self.place = {member: number for number, member in enumerate(members)}
        self.rows: list[tuple[int, list[int]]] = []
        for member in members:
            self.rows += self._rows(member, allowed)
        self.of: dict[int, list[int]] = {}
        for number, (own, others) in enumerate(self.rows):
            for column in (own, *others):
                self.of.setdefault(column, []).append(number)
        self.linear = [{own: -1, **dict.fromkeys(others, 1)} for own, others in self.rows]
        self.variables = len(members)
        self.least, self.most = [0] * len(members), [1] * len(members)
        self.least[self.place[vertex]] = 1
        self.possible = self.propagate(self.least, self.most)
        onward = self._onward(members, allowed)
        for entry in sorted({t for member in members if member not in onward for t in proving.successors[member]}):
            if entry in onward:
                self._flow(entry, onward)

    def _onward(self, members: list[int], allowed: set[int]) -> dict[int, list[int]]:
        """Return where flow goes on from a vertex: to an answer, or where one move of the tester is not in the set
        anyway.

        It ends where it could go round.
        """
        onward: dict[int, list[int]] = {}
        for member in members:
            ahead = [target for target in self.proving.successors[member] if target in self.place]
            if self.proving.is_system[member]:
                onward[member] = ahead
            else:
                new = [t for t in ahead if t not in allowed and not self.least[self.place[t]] and t != member]
                if len(new) == 1:
                    onward[member] = new
        circling = set(onward)
        while ends := {member for member in circling if not circling.intersection(onward[member])}:
            circling -= ends
        return {member: ahead for member, ahead in onward.items() if member not in circling and ahead}

    def _flow(self, entry: int, onward: dict[int, list[int]]) -> None:
        """The rows of one unit of flow, with a column for each edge that it may take."""
        leaving, entering = dict[int, list[int]](), dict[int, list[int]]()
        stack, met = [entry], {entry}
        while stack:
            vertex = stack.pop()
            for target in onward.get(vertex, ()):
                leaving.setdefault(vertex, []).append(self.variables)
                entering.setdefault(target, []).append(self.variables)
                self.variables += 1
                if target not in met:
                    met.add(target)
                    stack.append(target)
        for vertex, out in leaving.items():
            before = [self.place[vertex]] if vertex == entry else entering[vertex]
            self.linear.append({**dict.fromkeys(out, 1), **dict.fromkeys(before, -1)})
        for vertex, into in entering.items():
            self.linear.append({self.place[vertex]: 1, **dict.fromkeys(into, -1)})

    def _rows(self, member: int, allowed: set[int]) -> list[tuple[int, list[int]]]:
        own, targets = self.place[member], self.proving.successors[member]
        if not self.proving.is_system[member]:
            return [
                (own, [self.place[target]] if target in self.place else [])
                for target in targets
                if target != member and target not in allowed
            ]
        if not targets or member in targets:
            return []
        return [(own, [self.place[target] for target in targets if target in self.place])]

    def proves(self, need: int, *, branches: bool) -> bool:
        """Say whether every set with a vertex weighs so much."""
        stack = [(self.least.copy(), self.most.copy())] if self.possible else []
        while stack:
            least, most = stack.pop()
            if not self.propagate(least, most):
                continue  # there is no such set
            if sum(w for w, taken in zip(self.weight, least, strict=True) if taken) >= need:
                continue
            bound, column = self.bound(least, most)
            if bound > (need - 1) * _SCALE:
                continue
            if not branches or column is None:
                return False
            for value in (0, 1):
                stack.append((least.copy(), most.copy()))
                stack[-1][value ^ 1][column] = value  # at least 1, or at most 0
        return True

    def propagate(self, least: list[int], most: list[int]) -> bool:
        """Draw the conclusions from what is in the set and what is not; False where they contradict each other."""
        waiting = list(range(len(self.rows)))
        while waiting:
            own, others = self.rows[waiting.pop()]
            open_ones = [other for other in others if most[other]]
            changed = []
            if not open_ones and most[own]:
                most[own] = 0
                changed.append(own)
            elif least[own] and len(open_ones) == 1 and not least[open_ones[0]]:
                least[open_ones[0]] = 1
                changed.append(open_ones[0])
            for column in changed:
                if least[column] > most[column]:
                    return False
                waiting += self.of[column]
        return all(low <= high for low, high in zip(least, most, strict=True))

    def bound(self, least: list[int], most: list[int]) -> tuple[int, int | None]:
        """A bound on the weight, exactly, in parts of `_SCALE`; and a vertex that the solver took in half, if any."""
        flows = self.variables - len(self.weight)
        duals, solution = self.guess([*least, *[0] * flows], [*most, *[1] * flows])
        reduced = [weight * _SCALE for weight in self.weight] + [0] * flows
        for dual, row in zip(duals, self.linear, strict=True):
            for place, factor in row.items():
                reduced[place] -= factor * dual
        lows, highs = [*least, *[0] * flows], [*most, *[1] * flows]
        bound = sum(cost * (low if cost > 0 else high) for cost, low, high in zip(reduced, lows, highs, strict=True))
        half = np.abs(solution[: len(self.weight)] - 0.5)
        column = int(half.argmin()) if len(half) and half.min() < 0.499 else None
        return bound, column

    def guess(self, least: list[int], most: list[int]) -> tuple[list[int], Any]:
        """Duals that floats find, made whole and none below 0; and the solution."""
        from scipy.optimize import linprog  # only here: it takes half a second to load

        self.proving.programs += 1
        if self.proving.programs > self.proving.most or time.monotonic() > self.proving.deadline:
            raise TooManyPrograms
        if not self.linear:
            return [], np.array(least, dtype=float)
        scale = float(max(self.weight))
        costs = np.zeros(self.variables)
        costs[: len(self.weight)] = np.array(self.weight) / scale
        limits = np.array([least, most], dtype=float).T
        seconds = {"time_limit": min(max(self.proving.deadline - time.monotonic(), 0.01), _LONGEST)}
        found = linprog(costs, self.matrix, np.zeros(len(self.linear)), bounds=limits, options=seconds)
        if found.x is None:
            return [0] * len(self.linear), np.array(least, dtype=float)
        return [max(0, int(-dual * scale * _SCALE)) for dual in found.ineqlin.marginals], found.x

    @cached_property
    def matrix(self) -> Any:
        """The rows for the solver, which wants them the other way round."""
        from scipy.sparse import csr_array

        entries = [(number, *entry) for number, row in enumerate(self.linear) for entry in row.items()]
        row, column, factor = np.array(entries).T
        return csr_array((-factor.astype(float), (row, column)), shape=(len(self.linear), self.variables))
