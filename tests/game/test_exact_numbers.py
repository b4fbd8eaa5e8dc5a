"""Columns of exact numbers: what goes in comes out, however it was written, and what is no number is refused."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from random import Random

import numpy as np
import pytest

from outplay.errors import GameError
from outplay.game.exact_numbers import constant_column, exact_column, exact_column_of, read_fraction


@pytest.mark.parametrize(
    ("given", "number"),
    [
        (3, Fraction(3)),
        (0.1, Fraction(1, 10)),
        (1e-7, Fraction(1, 10**7)),
        ("1/3", Fraction(1, 3)),
        ("0.25", Fraction(1, 4)),
        (" 2 ", Fraction(2)),
        ("1e3", Fraction(1000)),
        (Fraction(2, 7), Fraction(2, 7)),
        (Decimal("0.3"), Fraction(3, 10)),
        (10**300, Fraction(10**300)),
        ("1e-300", Fraction(1, 10**300)),
        (np.float64(0.1), Fraction(1, 10)),
        (np.int64(7), Fraction(7)),
        (np.uint8(255), Fraction(255)),
    ],
)
def test_a_number_is_read_exactly_as_it_is_written(given, number):
    read = read_fraction(given)
    assert read == number
    assert type(read.numerator) is int  # numbers of numpy would overflow in sums


@pytest.mark.parametrize(
    "given",
    [
        *("", "x", "1/0", "1/2/3", "1,5", "1e", "1e1e1", "nan", "inf", b"1", None, [1], 1j),
        *(float("nan"), float("inf"), -float("inf"), Decimal("inf"), Decimal("nan")),
    ],
)
def test_what_is_no_number_is_refused_with_what_to_write(given):
    with pytest.raises(GameError, match=r'is no number; write 3, 0\.5 or "1/3"'):
        read_fraction(given)


@pytest.mark.parametrize(
    "given",
    ["1e999999999", "1e-999999999", "1e301", 10**301, 10**5000, Fraction(1, 10**5000), "1e-301", f"1/{10**301}"],
    ids=range(8),
)
def test_numbers_too_long_to_sum_up_as_floats_are_refused_at_once(given):
    with pytest.raises(GameError, match="is too long a number; at most 300 digits above and below the line"):
        read_fraction(given)


def test_a_long_mistake_is_shown_in_part():
    with pytest.raises(GameError) as caught:
        read_fraction("x" * 10_000)
    assert len(str(caught.value)) < 120


@pytest.mark.parametrize("seed", range(50))
def test_a_column_holds_at_each_place_the_number_that_was_given(seed):
    rng = Random(seed)
    pool = [0, 1, 2, "1/2", "0.5", 0.5, Fraction(1, 2), None, "7/3", 10**20, 0.1]
    given = [rng.choice(pool) for _ in range(rng.randint(0, 30))]
    column = exact_column_of(given)
    numbers = [None if value is None else read_fraction(value) for value in given]
    assert [column[place] for place in range(len(column))] == numbers
    assert len(column) == len(given)
    assert set(column.table) == set(numbers)
    assert len(column.table) == len(set(numbers))
    assert [None if np.isnan(x) else x for x in column.floats] == [None if n is None else float(n) for n in numbers]
    assert all(n is None or (n * column.denominator).denominator == 1 for n in numbers)
    assert column.scaled() == [0 if n is None else n * column.denominator for n in column.table]
    order = np.array(rng.sample(range(len(given)), len(given)), dtype=np.int64)
    taken = column.taken(order)
    assert [taken[place] for place in range(len(taken))] == [numbers[place] for place in order]


@pytest.mark.parametrize("seed", range(20))
def test_columns_of_the_same_numbers_are_the_same_however_they_were_made(seed):
    rng = Random(seed)
    numbers = [Fraction(rng.randint(0, 5), rng.randint(1, 4)) for _ in range(rng.randint(1, 20))]
    table = sorted(set(numbers), key=lambda _: rng.random())
    table = [Fraction(99), *table, *table]  # a number that is not used, and each twice
    index = [rng.choice([row for row, value in enumerate(table) if value == number]) for number in numbers]
    assert exact_column(table, index).same(exact_column_of(numbers))
    assert exact_column(table, index).same(exact_column_of(iter([str(number) for number in numbers])))
    assert not exact_column_of(numbers).same(exact_column_of([*numbers[:-1], Fraction(98)]))


@pytest.mark.parametrize("kind", [np.int64, np.uint8, np.float64, object])
def test_a_column_may_be_made_from_an_array(kind):
    column = exact_column_of(np.array([3, 1, 3, 0], dtype=kind))
    assert [column[place] for place in range(4)] == [3, 1, 3, 0]
    assert all(type(number.numerator) is int for number in column.table)


def test_an_array_of_objects_may_hold_absent_numbers():
    column = exact_column_of(np.array(["1/3", None], dtype=object))
    assert [column[0], column[1]] == [Fraction(1, 3), None]


@pytest.mark.parametrize("distinct", [1, 255, 256, 257, 65_536, 65_537])
def test_the_index_takes_as_few_bytes_as_it_can_and_loses_nothing(distinct):
    column = exact_column_of(range(distinct))
    assert column.index.itemsize == (1 if distinct <= 256 else 2 if distinct <= 65_536 else 4)
    assert [column[place] for place in range(distinct)] == list(range(distinct))


def test_a_constant_column_is_the_one_made_number_by_number():
    assert constant_column("1/2", 3).same(exact_column_of([0.5, 0.5, 0.5]))
    assert constant_column(None, 2).same(exact_column_of([None, None]))
    assert constant_column(1, 0).same(exact_column_of([]))
    assert constant_column(1, 0).denominator == 1
    assert len(constant_column(1, 0).floats) == 0


@pytest.mark.parametrize(
    "denominators",
    [(2**64 - 59, 2), (2**63, 3), (2**62, 2**62 - 1, 2**61 - 1), (10**40 + 1, 7), (2**63 - 25, 2**64 - 59)],
)
def test_the_common_denominator_is_exact_beyond_64_bits(denominators):
    column = exact_column_of([Fraction(1, denominator) for denominator in denominators])
    assert all((value * column.denominator).denominator == 1 for value in column.table)
    assert all(column.denominator % denominator == 0 for denominator in denominators)
    assert [Fraction(whole, column.denominator) for whole in column.scaled()] == list(column.table)


@pytest.mark.parametrize("index", [[0, 3], [-1], [7]])
def test_an_index_outside_the_table_is_refused(index):
    with pytest.raises(GameError, match="points outside its table of 3; number its rows from 0"):
        exact_column([1, 2, 3], index)
