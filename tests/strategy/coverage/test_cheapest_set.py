"""The integer program: the cheapest set is found, and nothing is printed on the way."""

from __future__ import annotations

import ctypes
import itertools
import os

import pytest

from helpers.coverage import draw_field
from outplay.strategy import linear_programs
from outplay.strategy.coverage.guarantee_bounds import cheapest_system_set
from outplay.strategy.coverage.weighted_game import WeightedGame, weighted_game


def least_by_trying(
    weighted: WeightedGame, members: list[int], vertex: int, prices: dict[int, int | None]
) -> int | None:
    """The least weight with the dearest exit, over all sets."""
    found = []
    for size in range(1, len(members) + 1):
        for chosen in itertools.combinations(members, size):
            exits = [prices[target] for target in weighted.exits(chosen)]
            answered = all(
                set(chosen).intersection(weighted.successors[m]) for m in chosen if weighted.is_system[m]
            )  # in a component all have successors
            if vertex in chosen and answered and None not in exits:
                found.append(weighted.weigh(chosen) + max((price for price in exits if price), default=0))
    return min(found, default=None)


def test_the_cheapest_set_is_that_of_trying_them_all():
    tried = 0
    for seed in range(80):
        weighted = weighted_game(draw_field(f"set {seed}", most=9).game())
        members = list(max(weighted.components, key=len))
        if len(members) < 3:
            continue
        for vertex in members[:2]:
            prices = {v: None if (v + seed) % 4 == 0 else (7 * v + seed) % 5 for v in range(weighted.count)}
            least = least_by_trying(weighted, members, vertex, prices)
            found = cheapest_system_set(weighted, members, vertex, prices.__getitem__, 1000)
            if least is None:
                assert (found.trap, found.bound) == (None, 1000)
                continue
            assert found.bound == least
            assert found.trap is not None
            assert cheapest_system_set(weighted, members, vertex, prices.__getitem__, least).trap is None
            tried += 1
    assert tried > 50


@pytest.mark.skipif(os.name != "posix", reason="standard output is a descriptor elsewhere too, but not kept")
def test_what_the_solver_prints_is_not_seen(capfd):
    library = ctypes.CDLL(None)
    linear_programs.run_highs(library.puts, b"chatter")
    print("answer", flush=True)
    library.fflush(None)
    assert capfd.readouterr().out == "answer\n"
