"""Quantifiers taken away, held against trying all values."""

from __future__ import annotations

from random import Random

from helpers.seeds import seeds
from outplay.model.expressions.evaluation import evaluate, free_variables
from outplay.model.expressions.quantifier_elimination import eliminate_exists
from outplay.model.expressions.sorts import BOOLEAN, TEXT, integer_sort
from outplay.model.expressions.term import Term, apply, if_then_else, literal, variable, variables

X, Y, P = variables("x y p")
B = variable("b", BOOLEAN)
COMPARISONS = ("=", "!=", "<", "<=", ">", ">=")


def drawn(rng: Random, own: list[Term], others: list[Term], depth: int = 2) -> Term:
    """A condition that compares some terms with others, so that no variable gets a factor."""
    kind = rng.random()
    if depth == 0 or kind < 0.35:
        return apply(rng.choice(COMPARISONS), *rng.sample([rng.choice([*own, others[0]]), rng.choice(others)], 2))
    if kind < 0.45:
        return ~drawn(rng, own, others, depth - 1)
    if kind < 0.55:
        return apply("=", drawn(rng, own, others, depth - 1), B)
    if kind < 0.65:
        choice = if_then_else(drawn(rng, own, others, 0), rng.choice(own), rng.choice([*own, *others]))
        return apply(rng.choice(COMPARISONS), choice, rng.choice(others))
    parts = [drawn(rng, own, others, depth - 1) for _ in range(2)]
    return apply(rng.choice(["and", "or", "implies"]), *parts)


@seeds(range(400), quick=160)
def test_a_number_exists_where_trying_finds_one(seed):
    rng = Random(seed)
    p = P if rng.random() < 0.7 else variable("p", integer_sort(-30, rng.randint(-3, 30)))
    condition = drawn(rng, [p, p + 1, X - p], [X, Y, X + Y, literal(rng.randint(-3, 3))])
    found = eliminate_exists([p], condition)
    assert found is not None
    assert "p" not in free_variables(found)
    for _ in range(12):
        values = {"x": rng.randint(-4, 4), "y": rng.randint(-4, 4), "b": rng.random() < 0.5}
        tried = [at for at in range(-30, 31) if p.sort.contains(at)]  # all terms stay well within
        assert evaluate(found, values) == any(evaluate(condition, {**values, "p": at}) for at in tried), condition


@seeds(range(100), quick=40)
def test_a_text_exists_where_trying_finds_one(seed):
    rng = Random(seed)
    s, t, w = (variable(name, TEXT) for name in "stw")
    parts = [apply(rng.choice(["=", "!="]), w, rng.choice([s, t, literal("a")])) for _ in range(3)]
    condition = apply(rng.choice(["and", "or"]), parts[0], apply(rng.choice(["and", "or"]), *parts[1:]))
    found = eliminate_exists([w], condition)
    assert found is not None
    for first in "abc":
        for second in "abc":
            values = {"s": first, "t": second}
            assert evaluate(found, values) == any(evaluate(condition, {**values, "w": at}) for at in "abcd"), condition


def test_what_is_multiplied_is_left_alone():
    assert eliminate_exists([P], P * P == X) is None
    assert eliminate_exists([P], 2 * P == X) is None
    assert (
        eliminate_exists([variable("w", TEXT)], apply("=", variable("w", TEXT) + literal("a"), literal("ba"))) is None
    )
    assert eliminate_exists([P], X > 2) is not None
