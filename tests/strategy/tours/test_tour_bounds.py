"""Bounds proven in whole numbers: whatever prices floats come to, they prove nothing that is not so."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from helpers.seeds import seeds
from helpers.tours import draw_round, least_cost
from outplay.cancellation import NEVER, deadline
from outplay.strategy.linear_programs import LinearProgram, proven_least_cost, solve_relaxed_program
from outplay.strategy.tours.closed_walks import with_closing_edges
from outplay.strategy.tours.postman_problem import postman_problem
from outplay.strategy.tours.tour_bounds import _empty, proven_to_cost
from outplay.strategy.tours.tour_program import TourProgram

KINDS = ["rural", "generalized", "alternatives", "shares"]


def drawn(seed: int, kind: str) -> tuple[TourProgram, int]:
    """A program of tours and the least that they cost in its first column, as a whole number."""
    problem = draw_round(f"checked {seed}", kind, connected=1.0)
    least = least_cost(problem)
    assert least is not None
    asked = postman_problem(
        problem.network,
        problem.goals,
        problem.choices,
        needed=problem.needed,
        start=problem.start,
        closed=problem.closed,
    )
    tours = TourProgram(with_closing_edges(asked))
    return tours, int(least[0] * problem.network.denominators[0])


def priced(program: LinearProgram, rng: np.random.Generator) -> Iterator[np.ndarray]:
    """Prices of all sizes, of the sign that each row allows."""
    for size in (1e-9, 1e-3, 1.0, 100.0):
        prices = rng.normal(scale=size, size=len(program.rows.low)) * (rng.random(len(program.rows.low)) < 0.5)
        prices = np.where(np.isfinite(program.rows.high), prices, np.abs(prices))
        yield np.where(np.isfinite(program.rows.low), prices, -np.abs(prices))


@pytest.mark.parametrize("kind", KINDS)
@seeds(range(100), quick=5)
def test_no_prices_prove_more_than_the_least(seed: int, kind: str):
    tours, least = drawn(seed, kind)
    program = tours.program(tours.rooted.network.criteria[0])
    for prices in priced(program, np.random.default_rng(seed)):
        assert proven_least_cost(program, prices, tours.most) <= least
    found = solve_relaxed_program(program, tours.most, None)
    assert found.values is not None
    assert found.least <= least
    assert found.least >= np.ceil(program.costs @ found.values - 1e-6)  # nothing is lost by rounding here


@pytest.mark.parametrize("kind", KINDS)
@seeds(range(100), quick=5)
def test_the_least_is_proven_and_one_more_is_not(seed: int, kind: str):
    tours, least = drawn(seed, kind)
    column = tours.rooted.network.criteria[0]
    assert proven_to_cost(tours, column, least, NEVER)
    assert not proven_to_cost(tours, column, least + 1, NEVER)
    assert not _empty(tours.program(column), tours.most, NEVER)


@seeds(range(40), quick=3)
def test_rows_that_nothing_obeys_are_found_out(seed: int):
    tours, least = drawn(seed, "generalized")
    column = tours.rooted.network.criteria[0]
    if least == 0:
        pytest.skip("nothing is cheaper than nothing")
    tours.keep(column, least - 1)  # what is left may still be there in parts, but in no whole numbers
    assert proven_to_cost(tours, column, 10**6, NEVER)


def test_a_proof_is_given_up_when_time_is_up_or_parts_are_too_many():
    tours, least = drawn(2, "generalized")
    column = tours.rooted.network.criteria[0]
    assert not proven_to_cost(tours, column, least, deadline(0))
    assert not proven_to_cost(tours, column, least, NEVER, parts=0)


def test_numbers_that_are_too_long_prove_nothing():
    tours, _ = drawn(0, "rural")
    program = tours.program(tours.rooted.network.criteria[0])
    long = LinearProgram(
        np.array([10**40] * len(program.costs), dtype=object), program.matrix, program.rows, program.variables
    )  # fmt: skip
    assert proven_least_cost(long, np.zeros(len(program.rows.low)), tours.most) == 0
