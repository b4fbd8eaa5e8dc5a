"""The attractor of a goal: for every vertex what is sure to suffice, and the edge that gets there.

`win.py` says what the values mean. Here they are computed, for the owners of a game or for others: where all choices
are the tester's own, they are those of a cheapest path.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from outplay.compiling import best_for, interpreted
from outplay.game.algebra import graph_arrays
from outplay.game.graph import SYSTEM, TESTER, Game, Vertices
from outplay.strategy import _kernels

Neighbours: TypeAlias = Sequence[Sequence[int]] | Mapping[int, Sequence[int]]
_ROOM: list[tuple[int, Any]] = [(1 << 30, np.int32), (1 << 62, np.int64)]  # half the memory is nearly twice as fast


@dataclass(frozen=True, eq=False)
class Solution:
    """Per vertex: the guaranteed cost, the tester's edge, and the number of steps that suffice."""

    worth: NDArray[Any]
    """Cost times `denominator`; -1 where nothing is guaranteed."""
    denominator: int
    choice: NDArray[np.int64]
    """The edge to take; -1 at system vertices, goals and where nothing is guaranteed."""
    rank: NDArray[np.int64]

    def value(self, vertex: int) -> Fraction | None:
        """The least cost that suffices whatever the system does, or None."""
        worth = int(self.worth[vertex])
        return None if worth < 0 else Fraction(worth, self.denominator)

    def values(self) -> list[Fraction | None]:
        return [None if worth < 0 else Fraction(worth, self.denominator) for worth in self.worth.tolist()]

    def edge(self, vertex: int) -> int | None:
        """The edge the tester takes at a vertex of its own; None where it has nothing to choose."""
        edge = int(self.choice[vertex])
        return None if edge < 0 else edge


def solve_attractor(game: Game, goals: NDArray[Any], owner: NDArray[np.uint8] | None = None) -> Solution:
    """Compute the attractor of a goal: values and choices of all vertices; another `owner` may choose elsewhere."""
    table = game.cost.scaled() or [0]
    largest = max(table) * (game.vertex_count + 1)
    whole = next((kind for room, kind in _ROOM if largest < room), object)
    about = np.full((game.vertex_count, 4), -1, dtype=whole)
    about[:, 1] = 0
    about[:, 2] = np.diff(game.first)
    costs = _kernels.Costs(game.cost.index, np.array(table, dtype=whole))
    queue = _empty_queue(game.edge_count + len(goals) + 1, largest.bit_length() // 8 + 1, whole)
    # Numbers beyond 64 bits are rare and left to Python's own, in the very same kernel.
    run = best_for(_kernels.sure_win, game.edge_count) if whole is not object else interpreted(_kernels.sure_win)
    run(graph_arrays(game, owner), costs, goals.astype(np.uint32), about.reshape(-1), queue)
    # What was touched but never settled is not won: some answer of the system is lost.
    worth, rank, left, choice = (np.ascontiguousarray(column) for column in about.T)
    worth[left >= 0] = -1
    return Solution(worth, game.cost.denominator, choice.astype(np.int64), rank.astype(np.int64))


def _empty_queue(room: int, levels: int, whole: Any) -> _kernels.BucketQueue:
    return _kernels.BucketQueue(
        value=np.zeros(room, dtype=whole),
        vertex=np.zeros(room, dtype=np.uint32),
        following=np.zeros(room, dtype=np.uint32),
        head=np.zeros(256 * levels, dtype=np.uint32),
        filled=np.zeros(levels, dtype=np.int64),
    )


def optimistic_completion(game: Game, goals: NDArray[Any], sure: Solution) -> Solution:
    """Complete a sure win to every vertex from which the goal can be reached at all.

    Where the goal cannot be forced the tester plays as if the system helped: along a cheapest path on which all choices
    are its own. It guarantees nothing, but it is the shortest way to be lucky.
    """
    friendly = solve_attractor(game, goals, owner=np.full_like(game.owner, TESTER))
    choice = np.where(sure.worth >= 0, sure.choice, np.where(game.owner == TESTER, friendly.choice, -1))
    return Solution(friendly.worth, friendly.denominator, choice, friendly.rank)


def blocking_set(game: Game, lost: NDArray[np.bool_]) -> Vertices:
    """Return lost vertices the system can keep the play in: all the tester's moves, one answer of the system each."""
    found = np.zeros(game.vertex_count, dtype=bool)
    stack = [game.initial]
    found[game.initial] = True
    while stack:
        vertex = stack.pop()
        inside = [int(game.target[edge]) for edge in game.edges_of(vertex) if lost[game.target[edge]]]
        if game.owner[vertex] == SYSTEM:
            # One answer is enough; one that leads where we have been keeps the set small.
            inside = sorted(inside, key=lambda target: not found[target])[:1]
        for target in inside:
            if not found[target]:
                found[target] = True
                stack.append(target)
    return np.flatnonzero(found).astype(np.uint32)


def attractor_steps(
    goals: Iterable[int], before: Neighbours, ahead: Neighbours, is_system: Sequence[bool]
) -> dict[int, int]:
    """Return the vertices from which some goals can be forced, each with a next step, in O(edges).

    What leads to a vertex is `before` it. The kernels of `win` are for a whole game at once; this one meets only what
    leads to the goals, and is asked often.
    """
    found, left = {goal: goal for goal in goals}, dict[int, int]()
    queue = deque(found)
    while queue:
        reached = queue.popleft()
        for member in before[reached]:
            if member not in found:
                left[member] = left.get(member, len(ahead[member]) if is_system[member] else 1) - 1
                if left[member] == 0:
                    found[member] = reached
                    queue.append(member)
    return found
