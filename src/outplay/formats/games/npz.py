"""Games as NumPy arrays (`.npz`), for other tools; written only.

One entry for each vertex: `owner` (0 tester, 1 system) and `gain`. One for each edge, those of a vertex together:
`source`, `target`, `cost`, `probability`, `moves` and `label`, a number in `labels`. `first` says where the edges of
each vertex begin, and where the last end. Numbers are floats, NaN where one is absent; as they are exactly stand behind
`_numerator` and `_denominator`, unless they are too large. Texts (`names` of vertices, `labels`, `goals`) are UTF-8
bytes one behind the other, with `_ends`. The vertices of goal g are `goal_vertices[goal_first[g]:goal_first[g + 1]]`.

No array holds objects, so `numpy.load(path)` reads it without `allow_pickle`.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from outplay.game.exact_numbers import Exact
from outplay.game.graph import Game

Arrays: TypeAlias = dict[str, NDArray[Any]]
FORMAT = "outplay-arrays/1"
_LARGEST = 2**63 - 1


def write(game: Game) -> Iterable[bytes]:
    """Write a game as NumPy arrays, `.npz`; the same game gives the same bytes."""
    buffer = io.BytesIO()
    np.savez(buffer, allow_pickle=False, **_arrays_of(game))
    yield buffer.getvalue()


def _arrays_of(game: Game) -> Arrays:
    """The arrays by their names.

    >>> from outplay import GameBuilder
    >>> made = GameBuilder()
    >>> for name in ("start", "end"):
    ...     _ = made.vertex(name, "tester")
    >>> _ = made.edge("start", "end", label="?go", cost="1/3")
    >>> arrays = _arrays_of(made.build("start"))
    >>> arrays["target"].tolist(), arrays["cost_denominator"].tolist(), arrays["labels"].tobytes()
    ([1], [3], b'?go')
    """
    goals = sorted(game.goals)
    members = [np.asarray(game.goals[name], dtype=np.int64) for name in goals]
    ends = np.cumsum([0, *map(len, members)], dtype=np.int64)
    empty = np.zeros(0, dtype=np.int64)
    return {
        **_texts("format", [FORMAT]),
        "initial": np.array([game.initial]),
        **{name: np.asarray(getattr(game, name)) for name in ("owner", "first", "source", "target", "moves", "label")},
        **_numbers("cost", game.cost),
        **_numbers("probability", game.probability),
        **_numbers("gain", game.gain),
        **_texts("labels", game.labels),
        **_texts("names", game.names),
        **_texts("goals", goals),
        "goal_first": ends,
        "goal_vertices": np.concatenate([*members, empty]),
    }


def _numbers(name: str, column: Exact) -> Arrays:
    made: Arrays = {name: column.floats}
    table = [value for value in column.table if value is not None]
    if all(abs(value.numerator) <= _LARGEST and value.denominator <= _LARGEST for value in table):
        above = [0 if value is None else value.numerator for value in column.table]
        below = [0 if value is None else value.denominator for value in column.table]
        parts = {"numerator": above, "denominator": below}
        made |= {
            f"{name}_{part}": np.array(values or [0], dtype=np.int64)[column.index] for part, values in parts.items()
        }
    return made


def _texts(name: str, texts: Sequence[str]) -> Arrays:
    written = [text.encode("utf-8", "backslashreplace") for text in texts]
    ends = np.cumsum([*map(len, written)], dtype=np.int64)
    return {name: np.array(bytearray(b"".join(written)), dtype=np.uint8), f"{name}_ends": ends}
