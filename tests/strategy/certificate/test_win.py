"""The checker accepts every right claim and refuses every wrong one: whether a claim is right is for the worst_case."""

from __future__ import annotations

import ast
import itertools
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from random import Random

import pytest

from helpers import worst_case
from helpers.games import Plain
from helpers.seeds import with_long
from outplay import win
from outplay.errors import CertificateError
from outplay.strategy import certificate
from outplay.strategy.certificate.check_win import check_win

BATCH = 20


def solved(plain):
    """The solver's claim as three lists."""
    solution = win(plain.game(), "done").solution
    return solution.values(), solution.rank.tolist(), solution.choice.tolist()


def accepted(game, plain, claim):
    try:
        check_win(game, plain.goals, *claim)
    except CertificateError:
        return False
    return True


def is_right(game, plain, truth, claim):
    """Values are those of the definition, the choices attain them, and ranks fall on every edge left open."""
    values, ranks, choices = claim
    if values != truth:
        return False
    own = [v for v in plain.vertices if values[v] is not None and v not in plain.goals and not plain.system[v]]
    number_of = {int(name[1:]): number for number, name in enumerate(game.edge_names)}
    place_of = {number: place for place, number in number_of.items()}
    strategy = {vertex: place_of.get(choices[vertex], -1) for vertex in own}
    if any(place not in plain.leaving(vertex) for vertex, place in strategy.items()):
        return False
    if worst_case.costs_of(plain, strategy) != values:
        return False
    left_open = [
        (source, target)
        for place, (source, target, *_) in enumerate(plain.edges)
        if values[source] is not None and source not in plain.goals and strategy.get(source, place) == place
    ]
    return all(ranks[target] < ranks[source] for source, target in left_open)


def with_(claim, part, vertex, new):
    changed = [list(column) for column in claim]
    changed[part][vertex] = new
    return tuple(changed)


def mutations(plain, claim, rng):
    """Everything that can be wrong at one vertex, and some things that are wrong in many places at once."""
    values, ranks, choices = claim
    for vertex, value in enumerate(values):
        wrong = [Fraction(0), Fraction(1), Fraction(7, 3), None]
        if value is not None:
            wrong += [value + 1, value - 1, value * 2, value / 2, -value, value + Fraction(1, 10**30)]
        yield from (with_(claim, 0, vertex, new) for new in wrong if new != value)
        new_ranks = {ranks[vertex] + 1, ranks[vertex] - 1, -1, 0, 10**9, *ranks} - {ranks[vertex]}
        yield from (with_(claim, 1, vertex, new) for new in sorted(new_ranks))
        new_choices = {-1, len(plain.edges), -len(plain.edges), *range(len(plain.edges))} - {choices[vertex]}
        yield from (with_(claim, 2, vertex, new) for new in sorted(new_choices))
    for first, second in itertools.combinations(plain.vertices, 2):
        for part in range(3):
            column = list(claim[part])
            column[first], column[second] = column[second], column[first]
            yield (*claim[:part], column, *claim[part + 1 :])
    away = [v for v in plain.vertices if v not in plain.goals]
    for changed in (
        lambda value: None if value is None else value + 1,
        lambda value: None if value is None else value * 2,
        lambda value: Fraction(0),
        lambda value: None,
        lambda value: Fraction(3) if value is None else value,
    ):
        yield [changed(value) if v in away else value for v, value in enumerate(values)], ranks, choices
    yield values, [0] * len(ranks), choices
    yield values, [-rank for rank in ranks], choices
    yield values, rng.sample(ranks, len(ranks)), choices
    yield values, ranks, [-1] * len(choices)
    yield values, ranks, rng.sample(choices, len(choices))


@pytest.mark.promise("A1", trials=25)
@pytest.mark.parametrize("number", range(40))
def test_the_answer_of_the_solver_is_accepted(number):
    for game_number in range(25):
        plain = worst_case.draw(("accepted", number, game_number))
        game = plain.game()
        confirmed = check_win(game, plain.goals, *solved(plain))
        assert (confirmed.vertices, confirmed.edges) == (len(plain.system), len(plain.edges))


@pytest.mark.parametrize("number", with_long(range(20), quick=12))
def test_of_all_changed_claims_exactly_the_right_ones_are_accepted(number):
    rng = Random(number)
    for game_number in range(BATCH):
        plain = worst_case.draw(("changed", number, game_number), most=6)
        game, truth = plain.game(), worst_case.values_by_enumeration(plain)
        for claim in mutations(plain, solved(plain), rng):
            assert accepted(game, plain, claim) == is_right(game, plain, truth, claim), (plain, claim)


def test_the_changes_make_tens_of_thousands_of_wrong_claims_and_some_right_ones():
    verdicts = {True: 0, False: 0}
    for number, game_number in itertools.product(range(20), range(BATCH)):
        plain = worst_case.draw(("changed", number, game_number), most=6)
        game = plain.game()
        for claim in mutations(plain, solved(plain), Random(0)):
            verdicts[accepted(game, plain, claim)] += 1
    assert verdicts[False] > 10_000
    assert verdicts[True] > 1_000


def claim_about_another_game(plain, other, edges):
    """A claim that is right for another game on the same vertices, its choices told in the edges of this one."""
    game = plain.game()
    number_of = {int(name[1:]): number for number, name in enumerate(game.edge_names)}
    other_game = other.game()
    values, ranks, choices = solved(other)
    kept = [choice if choice < 0 else number_of[edges[int(other_game.edge_names[choice][1:])]] for choice in choices]
    return game, (values, ranks, kept)


@pytest.mark.parametrize("number", range(10))
def test_a_claim_that_overlooks_one_edge_is_accepted_only_if_that_edge_changes_nothing(number):
    refused = 0
    for game_number in range(BATCH):
        plain = worst_case.draw(("overlooked", number, game_number))
        truth = worst_case.values_by_enumeration(plain)
        for left_out in range(len(plain.edges)):
            edges = [place for place in range(len(plain.edges)) if place != left_out]
            other = replace(plain, edges=tuple(plain.edges[place] for place in edges))
            game, claim = claim_about_another_game(plain, other, edges)
            right = is_right(game, plain, truth, claim)
            assert accepted(game, plain, claim) == right, (plain, left_out)
            refused += not right
    assert refused >= 5


@pytest.mark.parametrize("number", range(10))
def test_a_claim_with_one_vertex_in_the_wrong_hands_is_accepted_only_if_that_changes_nothing(number):
    refused = 0
    for game_number in range(BATCH):
        plain = worst_case.draw(("wrong hands", number, game_number))
        truth = worst_case.values_by_enumeration(plain)
        for vertex in plain.vertices:
            owners = tuple(not owner if v == vertex else owner for v, owner in enumerate(plain.system))
            game, claim = claim_about_another_game(
                plain, replace(plain, system=owners), {place: place for place in range(len(plain.edges))}
            )
            right = is_right(game, plain, truth, claim)
            assert accepted(game, plain, claim) == right, (plain, vertex)
            refused += not right
    assert refused >= 5


@pytest.mark.parametrize("number", range(10))
def test_a_claim_for_other_goals_is_refused_unless_it_is_right_for_these_too(number):
    for game_number in range(BATCH):
        plain = worst_case.draw(("other goals", number, game_number))
        truth = worst_case.values_by_enumeration(plain)
        for vertex in plain.vertices:
            other = replace(plain, goals=plain.goals ^ {vertex})
            if other.goals:
                game, claim = claim_about_another_game(
                    plain, other, {place: place for place in range(len(plain.edges))}
                )
                assert accepted(game, plain, claim) == is_right(game, plain, truth, claim), (plain, vertex)


@pytest.mark.parametrize("value", [0, 3])
def test_going_round_for_nothing_is_never_winning_whatever_the_ranks(value):
    """Both values satisfy every equation of cost; only falling ranks tell that the play never arrives."""
    edges = ((0, 1, Fraction(0)), (1, 0, Fraction(0)), (1, 2, Fraction(5)))
    plain = Plain((False, False, False), edges, frozenset({2}))
    game = plain.game()
    values = [Fraction(value), Fraction(value), Fraction(0)]
    assert all(
        not accepted(game, plain, (values, list(ranks), [0, choice, -1]))
        for ranks in itertools.product(range(-1, 4), repeat=3)
        for choice in (1, 2)
    )
    assert accepted(game, plain, ([Fraction(5), Fraction(5), Fraction(0)], [2, 1, 0], [0, 2, -1]))


def test_a_system_that_goes_round_for_nothing_is_never_beaten():
    edges = ((0, 1, Fraction(0)), (1, 0, Fraction(0)), (1, 2, Fraction(0)))
    plain = Plain((False, True, False), edges, frozenset({2}))
    game = plain.game()
    values = [Fraction(0)] * 3
    assert not any(
        accepted(game, plain, (values, list(ranks), [0, -1, -1])) for ranks in itertools.product(range(4), repeat=3)
    )
    assert accepted(game, plain, ([None, None, Fraction(0)], [0, 0, 0], [-1, -1, -1]))


def test_a_claim_of_another_length_is_refused():
    plain = Plain((False, False), ((0, 1, Fraction(1)),), frozenset({1}))
    values, ranks, choices = solved(plain)
    for claim in ((values[:1], ranks, choices), (values, [*ranks, 0], choices), (values, ranks, [])):
        with pytest.raises(CertificateError, match="a game of 2"):
            check_win(plain.game(), plain.goals, *claim)


def test_a_refusal_names_the_vertex_and_what_is_wrong_and_is_nobodys_fault_but_ours():
    plain = Plain((False, False), ((0, 1, Fraction(1)),), frozenset({1}))
    with pytest.raises(CertificateError, match=r"at vertex 'v0': the chosen edge does not cost what is claimed; this"):
        check_win(plain.game(), plain.goals, [Fraction(2), Fraction(0)], [1, 0], [0, -1])
    assert CertificateError.exit_code == 3


def test_the_checker_imports_no_solver():
    for file in Path(certificate.__file__).parent.glob("*.py"):
        tree = ast.parse(file.read_text(encoding="utf-8"))
        imported = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
        imported |= {name.name for node in ast.walk(tree) if isinstance(node, ast.Import) for name in node.names}
        own = {name for name in imported if name and name.startswith("outplay")}
        apart = {name for name in own if not name.startswith("outplay.strategy.certificate.")}
        # An order says which odds are better; that is part of the claim.
        assert apart <= {"outplay.errors", "outplay.game.graph", "outplay.strategy.value_orders"}, file


def test_loading_the_checker_loads_no_solver():
    script = (
        "import sys, outplay.strategy.certificate.check_win\n"
        "print([n for n in sys.modules if n.startswith('outplay.strategy.') or n.split('.')[0] == 'numba'])"
    )
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    loaded = [
        "outplay.strategy.certificate",
        "outplay.strategy.certificate.checker",
        "outplay.strategy.certificate.check_win",
    ]
    assert sorted(ast.literal_eval(ran.stdout)) == sorted(loaded)
