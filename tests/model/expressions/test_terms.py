"""Terms: built, written, read, computed, substituted and simplified; random ones by their definition."""

from __future__ import annotations

import copy
import pickle
from contextlib import suppress
from random import Random

import pytest

from helpers.seeds import seeds
from helpers.terms import COLOUR, SCOPE, SORTS, python_value, random_term, random_values
from outplay.errors import ModelError
from outplay.model.expressions.evaluation import (
    evaluate,
    fits_sort,
    free_variables,
    read_assignments,
    simultaneous_assignments,
    substitute,
    write_assignment,
)
from outplay.model.expressions.reading import ExpressionError, Words, read_term
from outplay.model.expressions.simplifying import conjuncts, negated, simplify
from outplay.model.expressions.sorts import BOOLEAN, INTEGER, TEXT, enumeration, integer_sort
from outplay.model.expressions.term import (
    FALSE,
    TRUE,
    apply,
    between,
    conjunction,
    disjunction,
    if_then_else,
    implies,
    literal,
    variable,
    variables,
)

X, P = variables("x p")


def some_terms(seed, count=40, depth=5):
    rng = Random(seed)
    return [(rng, random_term(rng, rng.choice([BOOLEAN, INTEGER, TEXT]), depth)) for _ in range(count)]


@seeds(range(15), quick=5)
def test_the_value_is_that_of_python(seed):
    for rng, term in some_terms(seed):
        values = random_values(rng)
        value = evaluate(term, values)
        assert value == python_value(term, values)
        assert term.sort.contains(value)


@seeds(range(15), quick=5)
def test_what_is_written_is_read_as_the_same(seed):
    for _, term in some_terms(seed):
        assert read_term(str(term), SCOPE) is term


@pytest.mark.parametrize(
    ("text", "term"),
    [
        ("- 3", literal(-3)), ("-(3)", literal(-3)), ("- most", literal(-3)), ("- least", literal(3)),
        ("- -3", literal(3)), ("-(-(-3))", literal(-3)), ("-0", literal(0)), ("2 - -3", 2 - literal(-3)),
        ("-3 * x", literal(-3) * X), ("- - x", apply("negative", -X)),
    ],
)  # fmt: skip
def test_the_negation_of_a_number_is_a_number(text, term):
    read = read_term(text, SCOPE | {"most": literal(3), "least": literal(-3)})
    assert read is term
    assert read_term(str(read), SCOPE) is term


@seeds(range(15), quick=5)
def test_simplifying_changes_no_value_and_twice_is_once(seed):
    for rng, term in some_terms(seed):
        simple = simplify(term)
        assert simple.sort.base == term.sort.base
        assert set(free_variables(simple)) <= set(free_variables(term))
        for _ in range(5):
            values = random_values(rng)
            assert evaluate(simple, values) == evaluate(term, values)
            if term.sort.base == BOOLEAN:
                assert evaluate(negated(term), values) != evaluate(term, values)


@seeds(range(15), quick=5)
def test_substituting_is_computing_with_other_values(seed):
    for rng, term in some_terms(seed):
        others = {name: random_term(rng, SORTS[name], 2) for name in ("x", "b", "s", "k")}
        values = random_values(rng)
        inside = values | {name: evaluate(other, values) for name, other in others.items()}
        assert evaluate(substitute(term, others), values) == evaluate(term, inside)


@seeds(range(20), quick=10)
def test_assignments_in_turn_are_the_same_at_once(seed):
    rng = Random(seed)
    steps = [(name, random_term(rng, SORTS[name], 3)) for name in rng.choices(["x", "y", "b"], k=4)]
    values = random_values(rng)
    running = dict(values)
    for name, term in steps:
        running[name] = evaluate(term, running)
    at_once = simultaneous_assignments(steps)
    assert running == values | {name: evaluate(term, values) for name, term in at_once.items()}
    written = write_assignment(at_once)
    again = read_assignments(Words(written), SCOPE, SORTS)
    assert {name: evaluate(term, values) for name, term in again.items()} == {name: running[name] for name in at_once}


def test_python_reads_like_the_mathematics():
    assert str(between(1, P, 10) & (X + P > 15)) == "1 <= p and p <= 10 and x + p > 15"
    assert str(2 * X - 1 == P) == "2 * x - 1 = p"
    assert str(~(X < 0) | (P != X // 2 % 3)) == "not x < 0 or p != x div 2 mod 3"
    assert str(implies(X > 0, P >= 0)) == "x > 0 implies p >= 0"
    assert str(-X + (3 - P)) == "-x + (3 - p)"
    assert str(if_then_else(X > P, 1, 2)) == "if x > p then 1 else 2"
    colour = variable("k", COLOUR)
    assert (colour == "red") is read_term("k = red", SCOPE)
    assert (conjunction([]), disjunction([])) == (TRUE, FALSE)


def test_equal_terms_are_one():
    assert (X + 1) is (X + 1)
    assert X + 1 in {X + 1: "known"}
    assert {X + 1: 1}[X + 1] == 1
    assert X == X
    assert X != P
    assert pickle.loads(pickle.dumps(X + P * 2)) is X + P * 2
    assert copy.deepcopy({"a": X + P})["a"] is X + P
    assert literal(True) is not literal(1)


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: X + "a", "+ takes integers, or texts, not (x: integer) + (\"a\": text)"),
        (lambda: X & TRUE, "and takes Booleans, not (x: integer) and (true: boolean)"),
        (lambda: X == TRUE, "= takes two of one sort, not (x: integer) = (true: boolean)"),
        (lambda: variable("k", COLOUR) == "pink", "'pink' is no value of colour"),
        (lambda: X + 1.5, "1.5 is no value that expressions know"),
        (lambda: bool(X < 1), "x < 1 is a term and neither true nor false"),
        (lambda: 1 <= P <= 10, "between()"),
        (lambda: list(X), "x is a term and has no members"),
        (lambda: integer_sort(3, 1), "there is no integer in 3..1"),
        (lambda: enumeration("k", "red red"), "name one member or more, each once"),
        (lambda: literal(9, integer_sort(0, 5)), "9 is no value of 0..5"),
        (lambda: evaluate(X, {}), "x has no value"),
        (lambda: fits_sort(X, BOOLEAN), "x is of sort integer, not boolean"),
    ],
)  # fmt: skip
def test_a_wrong_sort_is_refused_with_the_term(build, message):
    with pytest.raises(ModelError) as error:
        build()
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x + ", "the end where a term is needed (at character 5)"),
        ("x + b", "+ takes integers, or texts, not (x: integer) + (b: boolean) (at character 3)"),
        ("(x + 1", "the end where ')' is needed (at character 7)"),
        ("x + 1)", "')' after the end of the expression (at character 6)"),
        ("xx + 1", "no name 'xx'; did you mean 'x'? (at character 1)"),
        ("if b then 1", "the end where 'else' is needed (at character 12)"),
        ('s = "open', "cannot be read; close the quote (at character 5)"),
        ("and", "'and' where a term is needed (at character 1)"),
        ("x $ y", "'$' after the end of the expression (at character 3)"),
        ("k = pink", "no name 'pink'"),
        ("(" * 100 + "x" + ")" * 100, "nested deeper than 80 levels"),
        ("x" + " - x" * 300, "more than 200 levels"),
        ("1" * 2000, "more than 1,000 digits"),
        ("x + " * 30_000 + "x", "longer than 100,000 characters"),
        ('s = "\\x"', "Invalid \\escape"),
    ],
)  # fmt: skip
def test_a_text_that_is_no_expression_is_refused_with_the_place(text, message):
    with pytest.raises(ExpressionError) as error:
        read_term(text, SCOPE)
    assert message in str(error.value)


@seeds(range(10), quick=3)
def test_a_mutated_text_gives_no_other_exception_and_what_can_be_read_is_written_as_the_same(seed):
    for rng, term in some_terms(seed, count=60, depth=4):
        letters = list(str(term))
        for _ in range(rng.randint(1, 4)):
            place = rng.randrange(len(letters) + 1)
            letters[place : place + rng.randint(0, 2)] = rng.choice(
                [[], ["("], [")"], ["="], ["x"], ['"'], ["\\"], ["not "], ["é"], ["-"], ["- "], ["3"], ["!"]]
            )
        with suppress(ExpressionError):
            read = read_term("".join(letters), SCOPE)
            assert read_term(str(read), SCOPE) is read


def test_large_values_are_refused_instead_of_computed_for_ever():
    number = X
    for _ in range(12):
        number = number * number
    with pytest.raises(ModelError, match="more than 3,000 digits"):
        evaluate(number, {"x": 10})
    text = variable("s", TEXT)
    for _ in range(15):
        text = text + text
    with pytest.raises(ModelError, match="more than 100,000 characters"):
        evaluate(text, {"s": "long"})


def test_bounds_are_a_condition_on_what_is_assigned():
    assert fits_sort(X + 1, integer_sort(0, 5)) is ((X + 1 >= 0) & (X + 1 <= 5))
    assert (
        fits_sort(literal(3), integer_sort(0, 5)),
        fits_sort(literal(9), integer_sort(0, 5)),
        fits_sort(X, INTEGER),
    ) == (TRUE, FALSE, TRUE)
    assert conjuncts(TRUE) == ()
    assert [str(one) for one in conjuncts(between(1, X, 2))] == ["1 <= x", "x <= 2"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x = 1", "'=' where ':=' is needed (at character 3)"),
        ("z := 1", "'z' is no variable"),
        ("x := 1, x := 2", "x is assigned twice; keep one (at character 9)"),
        ("x := b", "x is of sort integer, but b is of sort boolean (at character 1)"),
        ("3 := x", "'3' is no name of a variable (at character 1)"),
    ],
)
def test_a_wrong_assignment_is_refused_with_the_place(text, message):
    with pytest.raises(ExpressionError) as error:
        read_assignments(Words(text), SCOPE, SORTS)
    assert message in str(error.value)


def test_a_number_of_steps_collects_into_one_sum():
    total = literal(0)
    for step in range(100):
        total = simplify(total + variable(f"p@{step}") + variable("x") - 1)
    assert total.depth <= 4
    assert str(total).endswith("100 * x - 100")
    assert simplify(apply("-", total, total)) is literal(0)
