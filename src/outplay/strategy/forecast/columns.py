"""A game as columns for the kernels: made once, used for every target."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from outplay.compiling import compiled
from outplay.game.graph import Game
from outplay.strategy.forecast.reach import zero_order


class Columns:
    """A game as what the kernels take: arrays where they are compiled, lists where they are not."""

    def __init__(self, game: Game, *, fast: bool) -> None:
        self.game, self.fast = game, fast
        self.unit = costs_are_moves(game)
        self._table = game.cost.scaled() or [0]
        self._small = max(self._table) * (game.vertex_count + 1) < 1 << 62

    @cached_property
    def shape(self) -> tuple[Any, Any, Any]:
        """Owners, rows and targets."""
        return self._given(self.game.owner), self._given(self.game.first), self._given(self.game.target)

    @cached_property
    def entering(self) -> tuple[Any, Any, Any]:
        """The edges by target."""
        incoming = self.game.incoming
        return self._given(incoming.first), self._given(incoming.edge), self._given(incoming.source)

    @cached_property
    def moves(self) -> Any:
        return self._given(self.game.moves)

    @cached_property
    def price(self) -> Any:
        """Costs as floats."""
        return self._given(self.game.cost.floats)

    @cached_property
    def chance(self) -> Any:
        """Probabilities as floats; where none are given all edges of a vertex are equally likely."""
        degree = np.diff(self.game.first)
        given = self.game.probability.floats
        return self._given(np.where(np.isnan(given), 1.0 / np.repeat(degree, degree), given))

    def _given(self, array: NDArray[Any]) -> Any:
        return array if self.fast else array.tolist()

    def work(self, kind: Any, extra: int = 0) -> Any:
        """Room for one number a vertex, and some more."""
        return self._given(np.zeros(self.game.vertex_count + extra, dtype=kind))

    def run(self, kernel: Callable[..., Any]) -> Callable[..., Any]:
        """The kernel as it is or compiled."""
        return compiled(kernel) if self.fast else kernel

    @cached_property
    def whole(self) -> Any:
        """Costs as whole numbers; beyond 64 bits they are Python's own, and kernels on them are not compiled."""
        kind = np.int64 if self._small else object
        column = np.array(self._table, dtype=kind)[self.game.cost.index]
        return column if self.fast and self._small else column.tolist()

    def work_whole(self) -> Any:
        """Room for one cost a vertex."""
        return self.work(np.int64) if self._small else [0] * self.game.vertex_count

    def run_whole(self, kernel: Callable[..., Any]) -> Callable[..., Any]:
        """The same for a kernel that adds up whole costs."""
        return self.run(kernel) if self._small else kernel

    @cached_property
    def order(self) -> Any:
        """An order for sweeps by moves, or None where moves that count nothing go round."""
        order = zero_order(self.game, self.game.moves > 0)
        return None if order is None else self._given(order)

    @cached_property
    def every_round_costs(self) -> bool:
        """No cycle is free, so a strategy that never arrives is never the cheapest."""
        return zero_order(self.game, self.game.cost.floats > 0) is not None


def costs_are_moves(game: Game) -> bool:
    """Say whether every move costs 1 and nothing else costs anything."""
    return set(game.cost.table) <= {0, 1} and bool(np.array_equal(game.cost.floats, game.moves))
