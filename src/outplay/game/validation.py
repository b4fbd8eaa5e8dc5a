"""The checks that make arrays a game: every mistake is refused with its place and its cure.

All checks together take O(vertices + edges) array operations; places are looked for only where something is wrong.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from outplay.errors import GameError
from outplay.game.exact_numbers import Exact
from outplay.game.graph import TESTER, Game
from outplay.plurals import counted

_TOLERANCE = Fraction(1, 10**9)  # decimals such as 0.333333333 may sum to almost 1


class PartError(GameError):
    """A mistake at one vertex or edge, given by name, so that a reader of files can find its line."""

    def __init__(self, what: str, *, vertex: str | None = None, edge: str | None = None) -> None:
        super().__init__(what)
        self.vertex, self.edge = vertex, edge


def checked_naturals(name: str, given: ArrayLike, below: int, kind: type[Any], cure: str) -> NDArray[Any]:
    """Validate whole numbers of a game's arrays, from 0 to `below`; `{}` in the name stands for the place."""
    numbers = np.asarray(given)
    if not numbers.size:
        return np.zeros(0, dtype=kind)
    if numbers.ndim != 1 or numbers.dtype.kind not in "biu":
        raise GameError(f"{name.replace('{}', '…')} must be a flat list of whole numbers; {cure}")
    if int(numbers.min()) < 0 or int(numbers.max()) >= below:
        place = int(np.flatnonzero((numbers < 0) | (numbers >= below))[0])
        raise GameError(f"{name.replace('{}', str(place))} is {numbers[place]}; {cure}")
    return np.ascontiguousarray(numbers, dtype=kind)


def check_lengths(part: str, count: int, **arrays: Any) -> None:
    """Refuse columns of a game that do not have one entry for each vertex or edge."""
    for name, array in arrays.items():
        if len(array) != count:
            raise GameError(f"{name} has {len(array)} entries, not {count}; give one for each {part}")


def check_unique(names: Sequence[str], edge_names: Sequence[str]) -> None:
    """Refuse names of a game that stand twice; names that are made when asked for (such as `Numbered`) never do."""
    for what, given in (("vertex", names), ("edge", edge_names)):
        if isinstance(given, tuple | list) and len(set(given)) < len(given):
            double = Counter(given).most_common(1)[0][0]
            raise PartError(f"{what} id {double!r} is there twice; give each its own id", **{what: double})


def check_numbers(game: Game, source: NDArray[np.uint32]) -> None:
    """Refuse a game with an initial vertex that does not exist, or with invalid costs, gains and probabilities."""
    if not 0 <= game.initial < game.vertex_count:
        raise GameError(
            f"initial is {game.initial}; the game has {counted(game.vertex_count, 'vertex')}, numbered from 0: "
            "name one of them"
        )
    edge = _first(game.cost, lambda value: value is None or value < 0)
    if edge is not None:
        name = game.edge_names[edge]
        raise PartError(f"edge {name!r}: cost is {game.cost[edge]}; write a number that is 0 or more", edge=name)
    vertex = _first(game.gain, lambda value: value is None or value < 0)
    if vertex is not None:
        name = game.names[vertex]
        raise PartError(f"vertex {name!r}: gain is {game.gain[vertex]}; write a number that is 0 or more", vertex=name)
    _check_probabilities(game, source)


def _first(array: Exact, wrong: Callable[[Any], bool]) -> int | None:
    """Find the first place that holds a wrong number."""
    rows = [row for row, value in enumerate(array.table) if wrong(value)]
    if not rows:
        return None
    places = np.flatnonzero(np.isin(array.index, rows))
    return int(places[0]) if places.size else None


def _check_probabilities(game: Game, source: NDArray[np.uint32]) -> None:
    """At each system vertex all probabilities are given, positive and sum to 1, or all are absent."""
    if game.probability.table in ((), (None,)):
        return
    edge = _first(game.probability, lambda value: value is not None and not 0 < value <= 1)
    if edge is not None:
        name = game.edge_names[edge]
        raise PartError(
            f"edge {name!r}: probability is {game.probability[edge]}; it must be above 0 and at most 1, "
            "leave out what cannot happen",
            edge=name,
        )
    values = game.probability.floats
    has = ~np.isnan(values)
    wrong = np.flatnonzero(has & (game.owner[source] == TESTER))
    if wrong.size:
        name = game.edge_names[int(wrong[0])]
        raise PartError(
            f"edge {name!r} of a tester vertex has a probability; leave it out, only system vertices choose by chance",
            edge=name,
        )
    given = np.bincount(source, weights=has, minlength=game.vertex_count)
    mixed = np.flatnonzero((given > 0) & (given < np.diff(game.first)))
    if mixed.size:
        name = game.names[int(mixed[0])]
        raise PartError(f"vertex {name!r}: some probabilities are missing; give all or none", vertex=name)
    sums = np.bincount(source, weights=np.where(has, values, 0.0), minlength=game.vertex_count)
    # Floats only say which vertices to look at: at the very edge of the tolerance they would err.
    for vertex in np.flatnonzero((given > 0) & (np.abs(sums - 1.0) > 0.9 * float(_TOLERANCE))).tolist():
        total = sum((game.probability[edge] or Fraction(0) for edge in game.edges_of(vertex)), Fraction(0))
        if abs(total - 1) > _TOLERANCE:
            name = game.names[vertex]
            raise PartError(
                f"vertex {name!r}: probabilities sum to {float(total):.12g}, not 1; "
                "add the missing outcome or mend them",
                vertex=name,
            )
