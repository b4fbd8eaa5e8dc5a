"""Strongly connected components: sets of nodes that can all reach each other.

Tarjan, *Depth-first search and linear graph algorithms*, SIAM J. Comput. 1(2), 1972; O(V + E), without recursion.
"""

from __future__ import annotations

from collections.abc import Sequence


def components(first: Sequence[int], target: Sequence[int]) -> list[list[int]]:
    """Find the components of a graph in compressed rows, in the order of their smallest nodes.

    >>> components([0, 1, 2, 3], [1, 0, 0])
    [[0, 1], [2]]
    """
    search = _Search(first, target)
    for root in range(len(first) - 1):
        if search.index[root] < 0:
            search.run(root)
    return sorted(sorted(group) for group in search.found)


class _Search:
    def __init__(self, first: Sequence[int], target: Sequence[int]) -> None:
        self._first, self._target = first, target
        count = len(first) - 1
        self.index, self._low, self._open = [-1] * count, [0] * count, [False] * count
        self._next = list(first[:-1])
        self._clock, self._stack = 0, list[int]()
        self.found: list[list[int]] = []

    def run(self, root: int) -> None:
        path = [root]
        self._enter(root)
        while path:
            node = path[-1]
            edge = self._next[node]
            if edge == self._first[node + 1]:
                path.pop()
                self._leave(node)
                if path:
                    self._low[path[-1]] = min(self._low[path[-1]], self._low[node])
                continue
            self._next[node] += 1
            other = self._target[edge]
            if self.index[other] < 0:
                self._enter(other)
                path.append(other)
            elif self._open[other]:
                self._low[node] = min(self._low[node], self.index[other])

    def _enter(self, node: int) -> None:
        self.index[node] = self._low[node] = self._clock
        self._clock += 1
        self._stack.append(node)
        self._open[node] = True

    def _leave(self, node: int) -> None:
        if self._low[node] != self.index[node]:
            return
        group: list[int] = []
        while not group or group[-1] != node:
            group.append(self._stack.pop())
            self._open[group[-1]] = False
        self.found.append(group)
