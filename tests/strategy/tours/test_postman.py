"""The four postman problems, held against a search through vertices and the goals met so far."""

from __future__ import annotations

import pytest

from helpers.tours import check_walk, draw_round, least_cost
from outplay.errors import GameError, UsageError
from outplay.strategy.tours.postman import postman
from outplay.strategy.tours.postman_problem import NoTour, Tour
from outplay.strategy.tours.tour_network import network_of

KINDS = ["chinese", "rural", "generalized", "alternatives", "shares"]


def check_against_definition(kind: str, seed: int) -> bool:
    """Solve a problem and search for the least cost; says whether there is a tour."""
    problem = draw_round(seed, kind)
    found, least = problem.solved(), least_cost(problem)
    if least is None:
        assert isinstance(found, NoTour), seed
        assert found.why
        return False
    assert isinstance(found, Tour), (seed, found)
    check_walk(problem, found)
    assert (found.cost, found.bound) == (least, least), seed
    assert (found.optimal, found.gap, found.checked) == (True, 0, found.bound)
    return True


@pytest.mark.parametrize("kind", KINDS)
def test_tours_are_optimal(kind: str):
    found = [check_against_definition(kind, seed) for seed in range(60)]
    assert found.count(True) > 20
    assert found.count(False) > 0


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS)
def test_tours_of_more_problems_are_optimal(kind: str):
    for seed in range(1000, 1300):
        check_against_definition(kind, seed)


@pytest.mark.parametrize("kind", KINDS)
def test_without_time_there_is_a_tour_or_a_word_and_a_bound_that_holds(kind: str):
    for seed in range(20):
        problem = draw_round(f"hasty {seed}", kind, connected=1.0)
        found, least = problem.solved(time_limit=0), least_cost(problem)
        assert isinstance(found, Tour)
        check_walk(problem, found)
        assert found.bound <= least <= found.cost


def test_the_parts_of_vectors_are_compared_in_order_even_where_numbers_are_huge():
    huge = 10**30
    network = network_of(3, [(0, 1, (1, huge)), (0, 2, (1, 1)), (2, 1, (0, huge - 2)), (1, 0, (0, 5))])
    tour = postman(network, [[3]])
    assert tour == Tour((1, 2, 3), (1, huge + 4), (1, huge + 4), tour.checked)


def test_an_edge_that_leads_out_of_all_circles_is_missing_in_closed_tours():
    network = network_of(3, [(0, 1, 1), (1, 0, 1), (1, 2, 1)])
    found = postman(network)
    assert isinstance(found, NoTour)
    assert found.missing == (2,)
    assert "strongly connected" in found.why
    assert postman(network, start=0, closed=False).walk == (0, 1, 0, 2)
    reset = network.with_resets(0, cost=[3])
    assert postman(reset, [[0], [1], [2]]).cost == (1 + 1 + 1 + 1 + 3,)


def test_two_ends_cannot_both_be_on_one_walk():
    network = network_of(3, [(0, 1, 1), (0, 2, 1)])
    found = postman(network, start=0, closed=False)
    assert isinstance(found, NoTour)
    assert found.missing == (0, 1)
    assert "no walk leads from one of them to the other" in found.why
    behind = postman(network, start=1, closed=False)
    assert isinstance(behind, NoTour)
    assert "cannot be reached" in behind.why or "reached from the start" in behind.why


def test_where_there_is_nothing_to_do_nothing_is_done():
    network = network_of(2, [(0, 1, 1), (1, 0, 1)])
    assert postman(network, []) == Tour((), (0,), (0,), (0,))
    assert postman(network, [], start=1, closed=False) == Tour((), (0,), (0,), (0,))


@pytest.mark.parametrize(
    ("wrong", "word"),
    [
        ({"goals": [[7]]}, "goal 0 names a edge"),
        ({"choices": [[9]]}, "choice 0"),
        ({"choices": []}, "at least one set"),
        ({"start": 5}, "vertex 5"),
        ({"closed": False}, "give `start`"),
    ],
)
def test_what_makes_no_sense_is_told(wrong: dict[str, object], word: str):
    with pytest.raises(UsageError, match=word):
        postman(network_of(2, [(0, 1, 1), (1, 0, 1)]), **wrong)  # type: ignore[arg-type]


def test_networks_of_nonsense_are_refused():
    with pytest.raises(GameError, match="below 0"):
        network_of(1, [(0, 0, -1)])
    with pytest.raises(GameError, match="none of the 1"):
        network_of(1, [(0, 1, 1)])
    with pytest.raises(GameError, match="different numbers of parts"):
        network_of(1, [(0, 0, (1, 2)), (0, 0, 1)])
