"""The joker checker accepts exactly the right claims: every answer of the solver, and no claim with a planted fault."""

from __future__ import annotations

from itertools import combinations
from random import Random

import pytest

from helpers.jokers import draw
from outplay import Game, GameBuilder
from outplay.errors import CertificateError
from outplay.strategy.certificate.check_joker import check_joker
from outplay.strategy.jokers.joker import joker


def answer(game: Game) -> tuple[list, list]:
    result = joker(game, "done")
    return result.goal_vertices.tolist(), result.solution.claim()


def accepted(game: Game, goals, claim, limit=None) -> bool:
    try:
        check_joker(game, goals, claim, limit)
    except CertificateError:
        return False
    return True


@pytest.mark.promise("A1", trials=30)
@pytest.mark.parametrize("number", range(10))
def test_the_answer_of_the_solver_is_accepted(number):
    for seed in range(30):
        game = draw((number, seed), most=12).game()
        confirmed = check_joker(game, *answer(game))
        assert (confirmed.vertices, confirmed.edges) == (game.vertex_count, game.edge_count)


@pytest.mark.parametrize("number", range(5))
def test_the_answer_about_the_initial_vertex_alone_is_accepted_up_to_its_jokers(number):
    for seed in range(30):
        game = draw((number, seed), most=12).game()
        result = joker(game, "done", everywhere=False)
        assert accepted(game, result.goal_vertices.tolist(), result.solution.claim(), result.solution.limit)


def promises(claim) -> list:
    """What a claim promises, without how."""
    return [[change[:2] for change in row] for row in claim]


def faults(game: Game, claim, rng: Random):
    """Claims that promise something else: one number changed, changes left out, added, or swapped between vertices."""
    for vertex, row in enumerate(claim):
        for place, (left, moves, rank, edge) in enumerate(row):
            for new in ((left + 1, moves), (left - 1, moves), (left, moves + 1), (left, moves - 1), (left, 0)):
                yield replaced(claim, vertex, [*row[:place], (*new, rank, edge), *row[place + 1 :]])
            yield replaced(claim, vertex, [*row[:place], *row[place + 1 :]])
        best = (row[-1][0] + 1, row[-1][1] - 1) if row else (0, 0)
        for edge in (-1, *game.edges_of(vertex)):
            yield replaced(claim, vertex, [*row, (*best, 10**6, edge)])
    for one, other in combinations(range(len(claim)), 2):
        swapped = list(claim)
        swapped[one], swapped[other] = swapped[other], swapped[one]
        yield swapped
    yield [row[:1] for row in claim]
    yield [row[::-1] for row in claim]
    yield [claim[0], *([*row, *row[-1:]] for row in claim[1:])]  # the goal's own row is looked at differently
    yield [[] for _ in claim]
    yield [[(left, moves + 1, rank, edge) for left, moves, rank, edge in row] for row in claim]
    yield [[(left + 1, moves, rank, edge) for left, moves, rank, edge in row] for row in claim]
    yield rng.sample(claim, len(claim))


def replaced(claim, vertex: int, row: list) -> list:
    return [row if place == vertex else other for place, other in enumerate(claim)]


@pytest.mark.parametrize("number", range(10))
def test_every_claim_of_other_numbers_is_refused(number):
    refused = 0
    for seed in range(12):
        game = draw((number, seed), most=7).game()
        goals, claim = answer(game)
        for wrong in faults(game, claim, Random(seed)):
            if promises(wrong) != promises(claim):
                assert not accepted(game, goals, wrong), (game.names, claim, wrong)
                refused += 1
    assert refused > 50


def arrives(game: Game, goals, claim) -> bool:
    """Follow the claimed choices against all answers from every vertex and number of jokers in hand."""
    limit = max(row[0][0] for row in claim if row)
    known: dict = {}

    def worst(vertex, left, before):
        if vertex in goals:
            return 0
        now = [change for change in claim[vertex] if change[0] <= left]
        if (vertex, left) in before or left < 0 or not now:
            return None
        edge, asked = now[-1][3], game.owner[vertex] == 1 and now[-1][3] >= 0
        if (edge >= 0 and edge not in game.edges_of(vertex)) or (edge < 0 and game.owner[vertex] == 0):
            return None
        taken = [edge] if edge >= 0 else list(game.edges_of(vertex))
        found = []
        for each in taken:
            after = (int(game.target[each]), left - int(asked))
            if after not in known:
                known[after] = worst(*after, before | {(vertex, left)})
            if known[after] is None:
                return None
            found.append(int(game.moves[each]) + known[after])
        return max(found, default=None)

    for vertex, row in enumerate(claim):
        for left in range(limit + 1):
            promised = [change[1] for change in row if change[0] <= left]
            known.clear()
            if promised and worst(vertex, left, frozenset()) != promised[-1]:
                return False
    return True


@pytest.mark.parametrize("number", range(10))
def test_of_other_choices_and_ranks_none_is_accepted_that_does_not_arrive_as_promised(number):
    for seed in range(12):
        game = draw((number, seed), most=6).game()
        goals, claim = answer(game)
        for vertex, row in enumerate(claim):
            for place, (left, moves, rank, edge) in enumerate(row):
                others = [(rank, new) for new in (-1, -2, *range(game.edge_count), game.edge_count) if new != edge]
                others += [(new, edge) for new in (-1, 0, rank - 1, rank + 1, 10**6)]
                for new in others:
                    changed = replaced(claim, vertex, [*row[:place], (left, moves, *new), *row[place + 1 :]])
                    assert not accepted(game, goals, changed) or arrives(game, goals, changed), (claim, changed)


def test_a_circle_without_moves_is_refused_however_good_it_looks():
    builder = GameBuilder().vertex("a", "tester").vertex("b", "tester").vertex("g", "tester", goals=["done"])
    game = builder.edge("a", "b", moves=0).edge("b", "a", moves=0).edge("b", "g").build()
    goals, claim = answer(game)
    assert accepted(game, goals, claim)
    circle = [claim[0], [(0, 1, claim[1][0][2], 1)], claim[2]]
    assert not accepted(game, goals, circle)
    with pytest.raises(CertificateError, match="at vertex 'b': a step does not come nearer; this is a defect"):
        check_joker(game, goals, circle)


def test_a_claim_about_another_number_of_vertices_is_refused():
    game = draw(1, most=7).game()
    goals, claim = answer(game)
    with pytest.raises(CertificateError, match="a claim for"):
        check_joker(game, goals, claim[:-1])


def test_a_vertex_called_beyond_help_from_which_help_leads_on_is_refused():
    builder = GameBuilder().vertex("s", "system").vertex("g", "tester", goals=["done"])
    game = builder.edge("s", "g").edge("s", "s").build()
    goals, claim = answer(game)
    assert [change[:2] for change in claim[0]] == [(1, 1)]
    with pytest.raises(CertificateError, match="called beyond help, but an edge leads out"):
        check_joker(game, goals, [[], claim[1]])
    assert accepted(game, goals, [[], claim[1]], limit=0)
    assert not accepted(game, goals, [[], claim[1]], limit=1)
