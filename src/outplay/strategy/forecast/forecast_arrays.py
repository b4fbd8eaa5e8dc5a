"""The arrays that the kernels of a forecast read and write: made once for a game, used for every goal."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from outplay.compiling import as_lists, compiled
from outplay.game.algebra import Array, Graph, float_edge_chances, graph_arrays
from outplay.game.graph import Game
from outplay.strategy.bounded_reachability._kernels import zero_levels
from outplay.strategy.chance.reduction._reachability import CutArrays
from outplay.strategy.chance.reduction.reachability import cut_arrays
from outplay.strategy.jokers._kernels import SetArrays
from outplay.strategy.jokers.joker import joker_set_arrays

Arrays = TypeVar("Arrays")


class Workspace:
    """A game as what the kernels take: arrays where they are compiled, lists where they are not."""

    def __init__(self, game: Game, *, fast: bool) -> None:
        self.game, self.fast = game, fast
        self.unit = every_move_costs_one(game)
        self._table = game.cost.scaled() or [0]
        self._small = max(self._table) * (game.vertex_count + 1) < 1 << 62

    def given(self, arrays: Arrays) -> Arrays:
        """Arrays as the kernels take them."""
        made: Arrays = arrays if self.fast else as_lists(arrays)
        return made

    def run(self, kernel: Callable[..., Any]) -> Callable[..., Any]:
        """The kernel as it is or compiled."""
        return compiled(kernel) if self.fast else kernel

    @cached_property
    def graph(self) -> Graph:
        return self.given(graph_arrays(self.game))

    @cached_property
    def sets(self) -> SetArrays:
        return self.given(joker_set_arrays(self.game.vertex_count))

    @cached_property
    def cut(self) -> CutArrays:
        return self.given(cut_arrays(self.game.vertex_count))

    @cached_property
    def odds(self) -> tuple[Array, Array]:
        """Room for two probabilities a vertex."""
        old, new = np.zeros((2, self.game.vertex_count))
        return self.given(old), self.given(new)

    @cached_property
    def is_goal(self) -> Array:
        return self.given(np.zeros(self.game.vertex_count, dtype=np.uint8))

    @cached_property
    def chance(self) -> Array:
        """Probabilities as floats; where none are given all edges of a vertex are equally likely."""
        return self.given(float_edge_chances(self.game))

    @cached_property
    def whole(self) -> Array:
        """Costs as whole numbers; beyond 64 bits they are Python's own, and kernels on them are not compiled."""
        kind = np.int64 if self._small else object
        column = np.array(self._table, dtype=kind)[self.game.cost.index]
        return column if self.fast and self._small else column.tolist()

    @cached_property
    def worst(self) -> tuple[Array, Array]:
        """Room for two costs a vertex."""
        if self._small:
            old, new = np.zeros((2, self.game.vertex_count), dtype=np.int64)
            return self.given(old), self.given(new)
        return [0] * self.game.vertex_count, [0] * self.game.vertex_count

    def run_whole(self, kernel: Callable[..., Any]) -> Callable[..., Any]:
        """The same for a kernel that adds up whole costs."""
        return self.run(kernel) if self._small else kernel

    @cached_property
    def order(self) -> Array | None:
        """An order for sweeps by moves, or None where moves that count nothing go round."""
        size, moves = self.game.vertex_count, self.game.moves
        waits = np.bincount(self.game.source[moves == 0], minlength=size)
        level, stack, is_goal = (self.given(np.zeros(size, dtype=np.uint32)) for _ in range(3))
        arrays = (self.given(moves), is_goal, self.given(waits), level, stack)
        if self.run(zero_levels)(self.graph, *arrays) != size:
            return None
        return self.given(np.argsort(level, kind="stable").astype(np.uint32))

    @cached_property
    def rows(self) -> tuple[list[int], list[int]]:
        """The rows and the targets of edges for a walk by Python itself, which is slow on arrays."""
        return self.game.first.tolist(), self.game.target.tolist()

    def places(self, order: Array) -> Array:
        """For each vertex its place in an order of some of them."""
        place = np.zeros(self.game.vertex_count, dtype=np.int64)
        place[order] = np.arange(len(order))
        return place


def every_move_costs_one(game: Game) -> bool:
    """Say whether in a game every move costs 1 and nothing else costs anything."""
    return set(game.cost.table) <= {0, 1} and bool(np.array_equal(game.cost.floats, game.moves))
