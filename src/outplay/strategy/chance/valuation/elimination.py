"""Linear equations of a strategy solved in fractions, by eliminating one vertex after the other.

Always one with the fewest paths through it goes next: each edge into it is replaced by what follows. Bound: O(V + E)
fractions where there are no cycles; O(n³) fractions at worst in a strongly connected part of n vertices, though graphs
of models stay far below.
"""

from __future__ import annotations

import heapq
from fractions import Fraction
from typing import TypeAlias

from outplay.errors import UsageError

ENOUGH = 400_000_000
"""Bits to be multiplied before an answer is refused; this many take some ten seconds."""
Row: TypeAlias = dict[int, Fraction]


class Effort:
    """How much more may be computed: each product of fractions counts as many bits as its denominator has."""

    def __init__(self, left: int = ENOUGH) -> None:
        self.left = left

    def spend(self, products: int, number: Fraction) -> None:
        """Take from what is left, or refuse."""
        bits = number.denominator.bit_length()
        self.left -= products * bits * max(1, bits // 1000)  # reducing long fractions takes time by their square
        if self.left < 0:
            raise UsageError(
                "exact values take too long here, their fractions are too long; ask for an epsilon above 0"
            )


def eliminate(rows: dict[int, Row], right: dict[int, Fraction], effort: Effort) -> dict[int, Fraction]:
    """Solve x = row · x + right for a strategy that is sure to leave; both arguments are used up.

    >>> half = Fraction(1, 2)
    >>> eliminate({0: {1: Fraction(1)}, 1: {0: half}}, {0: Fraction(1), 1: Fraction(1)}, Effort())[0]
    Fraction(4, 1)
    """
    into: dict[int, set[int]] = {vertex: set() for vertex in rows}
    for vertex, row in rows.items():
        for target in row:
            into[target].add(vertex)
    queue = [(len(into[vertex]) * len(row), vertex) for vertex, row in rows.items()]
    heapq.heapify(queue)
    order: list[int] = []
    while queue:
        paths, vertex = heapq.heappop(queue)
        if vertex not in into:
            continue
        now = len(into[vertex]) * len(rows[vertex])
        if now > paths:
            heapq.heappush(queue, (now, vertex))
            continue
        order.append(vertex)
        effort.spend((len(into[vertex]) + 1) * (len(rows[vertex]) + 1), right[vertex])
        for changed in _bypass(vertex, rows, right, into):
            heapq.heappush(queue, (len(into[changed]) * len(rows[changed]), changed))
    found: dict[int, Fraction] = {}
    for vertex in reversed(order):
        found[vertex] = right[vertex] + sum(weight * found[target] for target, weight in rows[vertex].items())
    return found


def _bypass(vertex: int, rows: dict[int, Row], right: dict[int, Fraction], into: dict[int, set[int]]) -> set[int]:
    """Write the vertex as what follows it in all rows where it stands; say whose rows changed."""
    row = rows[vertex]
    stays = row.pop(vertex, None)
    before = into.pop(vertex)
    if stays is not None:
        before.discard(vertex)
        leaves = 1 / (1 - stays)
        right[vertex] *= leaves
        for target in row:
            row[target] *= leaves
    for source in before:
        changed = rows[source]
        weight = changed.pop(vertex)
        right[source] += weight * right[vertex]
        for target, onward in row.items():
            known = changed.get(target)
            changed[target] = weight * onward if known is None else known + weight * onward
            into[target].add(source)
    for target in row:
        into[target].discard(vertex)
    return before
