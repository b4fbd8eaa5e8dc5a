"""Solving: what is read off, guessed or asked of Z3 is right by brute force, and Z3 computes as our own terms do."""

from __future__ import annotations

import subprocess
import sys
from itertools import product
from random import Random

from helpers.seeds import seeds
from helpers.terms import SCOPE, SORTS, random_term, random_values
from outplay.model.expressions.evaluation import evaluate, free_variables, substitute
from outplay.model.expressions.sorts import BOOLEAN, INTEGER, integer_sort
from outplay.model.expressions.term import between, literal, variable
from outplay.model.symbolic.simple_conditions import disjuncts, simple_region
from outplay.model.symbolic.solving import Satisfied, Undecided, Unsatisfiable, new_solver, solve_condition

SMALL = {
    "x": integer_sort(-2, 2),
    "y": integer_sort(-2, 2),
    "n": integer_sort(-2, 2),
    "b": BOOLEAN,
    "c": BOOLEAN,
    "k": SORTS["k"],
}


def small(term):
    """The term over variables with few values, the text fixed."""
    return substitute(term, {"s": literal("ab"), **{name: variable(name, sort) for name, sort in SMALL.items()}})


def brute(term):
    names = [name for name in free_variables(term) if name in SMALL]
    rows = (dict(zip(names, row, strict=True)) for row in product(*(SMALL[name].values() for name in names)))
    return [row for row in rows if evaluate(term, row)]


@seeds(range(40), quick=10)
def test_values_are_found_where_there_are_some(seed):
    rng = Random(seed)
    for _ in range(3):
        term = small(random_term(rng, BOOLEAN, 4))
        sorts = {name: SMALL[name] for name in free_variables(term)}
        solutions, found = brute(term), solve_condition(term, sorts, rng)
        assert isinstance(found, Satisfied if solutions else Unsatisfiable)
        if isinstance(found, Satisfied):
            assert evaluate(term, found.values)


@seeds(range(40), quick=8)
def test_a_region_is_what_the_condition_says(seed):
    rng = Random(seed)
    for _ in range(20):
        term = small(random_term(rng, BOOLEAN, 3))
        sorts = {name: SMALL[name] for name in free_variables(term)}
        found = simple_region(term, sorts)
        if found is not None:
            assert found.is_empty == (not brute(term))
            assert found.is_empty or all(evaluate(term, found.draw(rng)) for _ in range(5))
        joined = {tuple(sorted(row.items())) for piece in disjuncts(term) for row in brute(piece & (term | True))}
        assert all(evaluate(term, {**{name: sorts[name].draw(rng) for name in sorts}, **dict(row)}) for row in joined)


@seeds(range(30), quick=6)
def test_z3_computes_as_terms_do(seed):
    rng, solver = Random(seed), new_solver()
    for _ in range(4):
        term, values = random_term(rng, rng.choice([BOOLEAN, INTEGER]), 4), random_values(rng)
        given = [SCOPE[name] == literal(value, SORTS[name]) for name, value in values.items()]
        expected = literal(evaluate(term, values))
        assert isinstance(solver.check(*given, term == expected), Satisfied)
        assert isinstance(solver.check(*given, term != expected), Unsatisfiable)


@seeds(range(15), quick=4)
def test_what_is_assumed_holds_until_it_is_taken_back(seed):
    rng, solver = Random(seed), new_solver()
    conditions = [small(random_term(rng, BOOLEAN, 3)) for _ in range(4)]
    for count, condition in enumerate(conditions):
        solver.assume(condition)
        together = conditions[0]
        for one in conditions[1 : count + 1]:
            together = together & one
        assert isinstance(solver.check(), Satisfied) == bool(brute(together))
    for count in range(len(conditions) - 1, 0, -1):
        solver.take_back()
        together = conditions[0]
        for one in conditions[1:count]:
            together = together & one
        assert isinstance(solver.check(), Satisfied) == bool(brute(together))


@seeds(range(15), quick=5)
def test_what_escapes_a_conclusion_is_found_with_quantifiers(seed):
    rng, solver = Random(seed), new_solver()
    premise, conclusion = small(random_term(rng, BOOLEAN, 3)), small(random_term(rng, BOOLEAN, 3))
    chosen = variable("y", SMALL["y"])
    premise = substitute(premise, {"y": literal(0)})
    names = [name for name in free_variables(premise, conclusion) if name != "y"]
    rows = [dict(zip(names, row, strict=True)) for row in product(*(SMALL[name].values() for name in names))]
    escaping = [row for row in rows if evaluate(premise, row)
                and not any(evaluate(conclusion, {**row, "y": y}) for y in SMALL["y"].values())]  # fmt: skip
    found = solver.escapes(premise, conclusion, [chosen])
    assert isinstance(found, Satisfied if escaping else Unsatisfiable)


def test_other_values_are_drawn_each_time_and_ends_are_among_them():
    p, q = variable("p"), variable("q")
    drawn = {solve_condition(between(1, p, 1000), {"p": INTEGER}, Random(seed)).values["p"] for seed in range(200)}
    assert {1, 1000} <= drawn
    assert len(drawn) > 40
    hard = (p * q == 360) & (p > 1) & (q > 1)
    pairs = {
        tuple(solve_condition(hard, {"p": INTEGER, "q": INTEGER}, Random(seed)).values.items()) for seed in range(12)
    }
    assert len(pairs) > 2


def test_a_query_that_takes_too_long_is_undecided():
    p, q, r = variable("p"), variable("q"), variable("r")
    solver = new_solver(milliseconds=1)
    hard = (p * p * p + q * q * q + r * r * r == 114) & (p > 1) & (q > p)
    assert isinstance(solver.check(hard), Undecided)


def test_the_solver_is_imported_only_when_it_is_asked():
    code = (
        "import sys; from outplay.cli.main import run_command; run_command(['--help']);"
        "from outplay.model.symbolic import execution_graph;"
        "from outplay.model.symbolic import solving; from outplay.tester import switch_tester;"
        "print('z3' in sys.modules, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr == "False\n"
