"""Games as arrays for other tools: all that the game has, exactly, and nothing that needs pickle."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from helpers.games import draw
from outplay import write_model
from outplay.game.graph import Game


def texts(arrays: Any, name: str) -> list[str]:
    ends = [0, *arrays[f"{name}_ends"].tolist()]
    written = arrays[name].tobytes()
    return [written[begin:end].decode() for begin, end in pairwise(ends)]


def exactly(arrays: Any, name: str) -> list[Fraction | None]:
    pairs = zip(arrays[f"{name}_numerator"].tolist(), arrays[f"{name}_denominator"].tolist(), strict=True)
    return [Fraction(above, below) if below else None for above, below in pairs]


def check(game: Game, arrays: Any) -> None:
    assert texts(arrays, "format") == ["outplay-arrays/1"]
    assert arrays["owner"].tolist() == game.owner.tolist()
    assert arrays["initial"].tolist() == [game.initial]
    assert texts(arrays, "names") == list(game.names)
    labels = texts(arrays, "labels")
    for edge in range(game.edge_count):
        assert arrays["source"][edge] == game.source[edge]
        assert arrays["target"][edge] == game.target[edge]
        assert labels[arrays["label"][edge]] == game.label_of(edge)
        assert arrays["moves"][edge] == game.moves[edge]
    for name in ("cost", "probability", "gain"):
        column = [getattr(game, name)[place] for place in range(len(getattr(game, name)))]
        assert exactly(arrays, name) == column
        floats = [np.nan if value is None else float(value) for value in column]
        assert np.array_equal(arrays[name], floats, equal_nan=True)
    for vertex in range(game.vertex_count):
        assert [*range(arrays["first"][vertex], arrays["first"][vertex + 1])] == [*game.edges_of(vertex)]
    first = arrays["goal_first"]
    found = {
        name: arrays["goal_vertices"][first[place] : first[place + 1]].tolist()
        for place, name in enumerate(texts(arrays, "goals"))
    }
    assert found == {name: members.tolist() for name, members in game.goals.items()}


@pytest.mark.parametrize("seed", range(60))
def test_the_arrays_are_those_of_the_game_and_the_bytes_repeat(seed: int):
    game = draw(seed, chances=0.5, labels=("?a", "!ü x", "")).game()
    write_model("game.npz", game)
    with np.load("game.npz", allow_pickle=False) as arrays:
        check(game, arrays)
    before = Path("game.npz").read_bytes()
    write_model("game.npz", game)
    assert Path("game.npz").read_bytes() == before
