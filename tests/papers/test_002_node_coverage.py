"""Wang, Wu, Schewe and Huang 2013 (node coverage games): the figures and the reduction from formulas."""

from __future__ import annotations

from itertools import combinations
from random import Random

import pytest

from helpers.coverage import figure_3, formula_game, satisfiable
from outplay.strategy.coverage.guarantee import cover_nodes


def test_figure_3_needs_a_system_that_remembers():
    answer = cover_nodes(figure_3())
    assert [answer.value_of(vertex) for vertex in range(4)] == [3, 2, 2, 2]
    assert answer.witness.traps[:3] == [{0}, {1, 3}, {2, 3}]
    assert answer.check().vertices == 4


def test_figure_2_and_two_formulas_that_cannot_be_satisfied():
    for variables, clauses, vertices, value in (
        (3, [(1, 2, 3), (-1, -2)], 12, 9),
        (1, [(1,), (-1,)], 6, 6),
        (2, [(1, 2), (1, -2), (-1, 2), (-1, -2)], 11, 10),
    ):
        game = formula_game(variables, clauses)
        answer = cover_nodes(game)
        assert (game.vertex_count, answer.value) == (vertices, value)
        assert answer.check()


def drawn_formula(seed: int) -> tuple[int, list[tuple[int, ...]]]:
    rng = Random(seed)
    variables = rng.randint(1, 4)
    clauses = []
    for _ in range(rng.randint(1, 3 * variables)):
        chosen = rng.sample(range(1, variables + 1), rng.randint(1, min(3, variables)))
        clauses.append(tuple(sorted(number * rng.choice((1, -1)) for number in chosen)))
    return variables, sorted(set(clauses))


def fewest_literals(variables: int, clauses: list[tuple[int, ...]]) -> int:
    """How many literals there must be such that each variable has one, and each clause."""
    literals = [sign * number for number in range(1, variables + 1) for sign in (1, -1)]
    wanted = [*clauses, *((number, -number) for number in range(1, variables + 1))]
    return min(
        len(chosen)
        for size in range(variables, 2 * variables + 1)
        for chosen in combinations(literals, size)
        if all(set(chosen).intersection(clause) for clause in wanted)
    )


@pytest.mark.parametrize("seeds", [range(place, 200, 8) for place in range(8)])
def test_the_guarantee_tells_whether_a_formula_can_be_satisfied(seeds: range):
    outcomes = []
    for seed in seeds:
        variables, clauses = drawn_formula(seed)
        outcomes.append(satisfiable(variables, clauses))
        found = cover_nodes(formula_game(variables, clauses)).value
        assert (found == len(clauses) + 2 * variables + 1) == outcomes[-1]
        # Where it cannot, some variables get both values: one of them in all examples of the paper, more in others.
        assert found == len(clauses) + variables + 1 + fewest_literals(variables, clauses)
    assert {True, False} == set(outcomes)


def test_a_restart_does_not_help_with_formulas():
    for seed in range(30):
        game = formula_game(*drawn_formula(seed))
        assert cover_nodes(game, restart=True).value == cover_nodes(game).value
