"""Bounds put together say the same as before."""

from __future__ import annotations

from random import Random

from helpers.seeds import seeds
from outplay.model.expressions.evaluation import evaluate
from outplay.model.expressions.simplifying import simplify, tightened_bounds
from outplay.model.expressions.term import FALSE, apply, conjunction, literal, variables

X, Y = variables("x y")
COMPARISONS = ("=", "!=", "<", "<=", ">", ">=")


@seeds(range(300), quick=200)
def test_bounds_together_hold_where_they_held_apart(seed):
    rng = Random(seed)
    sums = [X, Y, X + Y, X - Y, Y - X, X + 2, 2 - Y, X + Y - X, 2 * X]
    parts = [
        apply(rng.choice(COMPARISONS), rng.choice(sums), rng.choice([*sums, literal(rng.randint(-3, 3))]))
        for _ in range(rng.randint(1, 6))
    ]
    condition = conjunction(parts)
    for made in (simplify(condition), tightened_bounds(condition)):
        for x in range(-5, 6):
            for y in range(-5, 6):
                values = {"x": x, "y": y}
                assert evaluate(made, values) == evaluate(condition, values), (condition, made)


def test_a_range_with_its_ends_left_out_is_a_shorter_one():
    assert str(tightened_bounds((X >= 0) & (X <= 3) & (X != 0) & (X != 3) & (X != 1))) == "x = 2"
    assert tightened_bounds((X >= 0) & (X <= 1) & (X != 0) & (X != 1)) is FALSE
