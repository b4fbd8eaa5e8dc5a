"""The proof that the tester gets as much: it goes through for what is true, and never for what is not."""

from __future__ import annotations

from random import Random

import pytest

from helpers.coverage import draw_field, guarantees
from helpers.seeds import seeds
from outplay.strategy.certificate.check_coverage import BoundProof, prove_coverage_bounds
from outplay.strategy.certificate.covering_program import SetProgram
from outplay.strategy.coverage.guarantee import cover_nodes
from outplay.strategy.coverage.weighted_game import WeightedGame, weighted_game


def proof(weighted: WeightedGame, low: list[int], most: int = 2_000) -> BoundProof:
    return prove_coverage_bounds(
        weighted.is_system, weighted.successors, weighted.weight, low, weighted.components, most
    )


@seeds(range(40))
def test_the_guarantees_of_the_definition_are_proven_and_nothing_more_is(seed: int):
    check_claims(seed)


@pytest.mark.long
@seeds(range(40, 400))
def test_the_guarantees_of_many_more_games_are_proven_and_nothing_more_is(seed: int):
    check_claims(seed)


def check_claims(seed: int) -> None:
    field = draw_field(f"proof {seed}", most=8)
    weighted, exact, rng = weighted_game(field.game()), guarantees(field), Random(seed)
    assert proof(weighted, exact).complete
    for _ in range(5):
        claim = [value - rng.choice((0, 0, 0, 1)) for value in exact]
        vertex = rng.randrange(len(exact))
        claim[vertex] = exact[vertex] + rng.choice((1, 1, 2))
        assert not proof(weighted, claim).complete, f"{claim} is more than {exact}"


def test_what_a_solver_found_is_proven_with_a_restart_and_with_gains_of_nothing():
    for seed in range(16):
        field = draw_field(f"found {seed}", most=8, least_gain=0)
        answer = cover_nodes(field.game(), restart=seed % 2 == 1)
        assert answer.proof.complete
        assert answer.lines()[-1] == "that a tester gets as much is proven in exact numbers"


def test_wrong_duals_prove_nothing_false(monkeypatch):
    """Whatever the solver in floats says, no more is proven than is true."""
    guess = SetProgram.guess

    def wild(self, least, most):
        duals, solution = guess(self, least, most)
        return [dual * (place % 3) for place, dual in enumerate(duals)], solution

    monkeypatch.setattr(SetProgram, "guess", wild)
    refused = 0
    for seed in range(25):
        field = draw_field(f"wild {seed}", most=7)
        weighted, exact = weighted_game(field.game()), guarantees(field)
        claim = [*exact]
        claim[seed % len(exact)] += 1
        refused += not proof(weighted, claim).complete
    assert refused == 25


def test_where_too_many_programs_are_needed_that_is_said():
    found = [draw_field(f"few {seed}", most=9) for seed in range(8)]
    answers = [cover_nodes(field.game()) for field in found]
    unproven = [answer for answer in answers if not proof(answer.weighted, list(answer.found.low), most=0).complete]
    assert unproven
    answer = unproven[0]
    object.__setattr__(answer, "proof", proof(answer.weighted, list(answer.found.low), most=0))
    assert answer.lines()[-1].endswith("rests on floats: a proof would take too long")
    assert answer.json()["proven"] is False


def test_a_proof_for_which_there_is_no_time_is_none():
    weighted = weighted_game(draw_field("few 0", most=9).game())
    low = list(cover_nodes(draw_field("few 0", most=9).game()).found.low)
    claim = weighted.is_system, weighted.successors, weighted.weight, low, weighted.components
    assert prove_coverage_bounds(*claim).complete
    late = prove_coverage_bounds(*claim, seconds=-1)
    assert not late.complete
    assert late.programs == 0
