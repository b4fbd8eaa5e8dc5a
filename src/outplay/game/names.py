"""Names of vertices and edges that take no room: made when they are asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from operator import index
from typing import Any

from numpy.typing import NDArray


class LazyNames(Sequence[str]):
    """So many names, each made from its place."""

    def __init__(self, count: int, name: Callable[[int], str]) -> None:
        self._count, self._name = count, name

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, slice):
            return [self._name(number) for number in range(*place.indices(self._count))]
        if not -self._count <= place < self._count:
            raise IndexError(place)
        return self._name(index(place) % self._count)

    def __iter__(self) -> Iterator[str]:
        return map(self._name, range(self._count))

    def __len__(self) -> int:
        return self._count


class Numbered(LazyNames):
    """`v0`, `v1`, …"""

    def __init__(self, prefix: str, count: int) -> None:
        super().__init__(count, lambda number: f"{prefix}{number}")


class Picked(LazyNames):
    """Names taken from another list in a new order."""

    def __init__(self, names: Sequence[str], order: NDArray[Any]) -> None:
        super().__init__(len(order), lambda place: names[int(order[place])])


class Extended(LazyNames):
    """Names with some more at their end."""

    def __init__(self, names: Sequence[str], more: Sequence[str]) -> None:
        count = len(names)
        super().__init__(count + len(more), lambda at: names[at] if at < count else more[at - count])
