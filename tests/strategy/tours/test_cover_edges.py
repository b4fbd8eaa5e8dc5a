"""Edge coverage: tours that are optimal by a search through all sets of edges, and the strategy that plays them."""

from __future__ import annotations

import itertools
from dataclasses import replace
from fractions import Fraction
from random import Random

import numpy as np
import pytest

from helpers.edge_covers import covered_chance, draw_strong, least_tour
from helpers.seeds import seeds
from outplay import GameBuilder, Simulated, run, solve
from outplay.cancellation import Deadline
from outplay.errors import CertificateError, UsageError
from outplay.game.graph import SYSTEM, Game
from outplay.game.reset import reset_edges, with_reset
from outplay.strategy.certificate.check_tour import check_no_return, check_tour
from outplay.strategy.tours.cheapest_flow import Late
from outplay.strategy.tours.cover_edges import EdgeTour, NoEdgeTour, cover_edges
from outplay.strategy.tours.tour_pieces import Pieces, _least, cut_tour_at_choices


@pytest.mark.parametrize("tenth", [0, 1, *(pytest.param(tenth, marks=pytest.mark.long) for tenth in range(2, 10))])
def test_tours_of_all_edges_are_optimal(tenth: int):
    without = 0
    for seed in range(100 * tenth, 100 * tenth + 100):
        plain = draw_strong(seed, connected=0.7)
        answer, least = cover_edges(plain.game()), least_tour(plain)
        assert answer.value == least, seed
        assert answer.check().edges == len(plain.edges)
        if least is None:
            without += 1
            assert isinstance(answer, NoEdgeTour)
            assert answer.chosen(plain.initial) is None
            restarted = cover_edges(plain.game(), restart=True)
            assert restarted.value is not None
            assert restarted.check()
    assert without > 0


@seeds(range(60))
def test_pieces_make_up_the_tour_and_are_cut_only_at_choices(seed: int):
    game = draw_strong(seed, most=7, more=9).game()
    answer = cover_edges(game)
    assert isinstance(answer, EdgeTour)
    pieces = answer.pieces
    assert {edge for piece in pieces.pieces for edge in piece} == set(range(game.edge_count))
    for piece in pieces.pieces:
        assert all(game.target[a] == game.source[b] for a, b in itertools.pairwise(piece))
        inside = [int(game.source[edge]) for edge in piece[1:]]
        assert not any(game.owner[v] == SYSTEM and len(game.edges_of(v)) > 1 for v in inside)
        ends = {int(game.source[piece[0]]), int(game.target[piece[-1]])}
        if pieces.is_cut:
            assert all(game.owner[v] == SYSTEM and len(game.edges_of(v)) > 1 for v in ends)


@pytest.mark.parametrize("seed", range(40))
def test_proposition_2_is_a_bound_on_the_chance_to_cover_all(seed: int):
    game = draw_strong(f"bound {seed}", most=4, more=4).game()
    pieces = cover_edges(game).pieces
    if not pieces.is_cut:
        assert pieces.chance == 1
        return
    moves = pieces._moves()
    assert isinstance(pieces.chance, Fraction)
    assert 0 < pieces.chance <= 1
    assert _least(moves) == pytest.approx(float(pieces.chance))
    count = len(pieces.pieces)
    for rounds in (1, 2, 3):
        for start in {start for start, _, _ in moves}:
            assert covered_chance(game, pieces, start, rounds * count) >= pieces.covered_within(rounds)


def play(game: Game, strategy, seed: int, most: int) -> tuple[set[int], bool]:
    """Play a strategy against chance; the edges taken, and whether it stopped by itself."""
    rng, vertex, memory, taken = Random(seed), game.initial, strategy.start, set()
    for _ in range(most):
        if strategy.hopeless(vertex, memory):
            return taken, True
        edge = strategy.edge(vertex, memory)
        while edge is not None and not game.moves[edge] and game.owner[vertex] != SYSTEM:
            taken.add(edge)
            vertex = int(game.target[edge])
            edge = strategy.edge(vertex, memory) if game.owner[vertex] != SYSTEM else None
        memory = strategy.after(vertex, memory)
        if edge is None:
            edge = rng.choice(list(game.edges_of(vertex)))
        assert edge in game.edges_of(vertex)
        memory = strategy.heard(memory, game.label_of(edge))
        taken.add(edge)
        vertex = int(game.target[edge])
    return taken, False


@pytest.mark.parametrize("seed", range(40))
def test_the_strategy_covers_all_edges_and_then_stops(seed: int):
    plain = draw_strong(f"played {seed}", most=5, more=5)
    game = with_reset(plain.game()) if seed % 3 == 0 else plain.game()
    answer = cover_edges(game)
    taken, stopped = play(game, answer.strategy, seed, 20_000)
    assert stopped
    assert taken >= set(np.flatnonzero(~reset_edges(game)).tolist())
    assert answer.warnings == ()


def two_answers(first: str, second: str) -> Game:
    builder = GameBuilder().vertex("s", "tester").vertex("c", "system")
    return builder.edge("s", "c", "?go").edge("c", "s", first).edge("c", "s", second).build()


def test_answers_that_lead_to_the_same_vertex_are_told_apart_by_what_is_seen():
    game = two_answers("!one", "!two")
    answer = cover_edges(game)
    always = [play_answers(game, answer.strategy, [label] * 40) for label in ("!one", "!two")]
    assert always == [False, False]
    assert play_answers(game, answer.strategy, ["!one", "!two"])


def play_answers(game: Game, strategy, labels: list[str]) -> bool:
    """Let the system answer as it is told; says whether the tester then thinks that all is covered."""
    memory = strategy.start
    for label in labels:
        memory = strategy.heard(strategy.after(0, memory), "?go")
        memory = strategy.heard(strategy.after(1, memory), label)
    memory = strategy.after(0, memory)
    return strategy.hopeless(1, memory)


@pytest.mark.parametrize("seed", range(4))
def test_played_live_the_tester_goes_on_until_both_answers_were_seen(seed: int):
    game = two_answers("!one", "!two")
    system = Simulated(game.origin.specification, Random(seed))
    outcome = run(cover_edges(game), system, plays=1, steps=200)
    seen = [str(event.label) for event in outcome.trace.events if event.label is not None]
    assert {"!one", "!two"} <= set(seen)
    assert len(seen) < 200


def test_answers_that_look_alike_are_named():
    answer = cover_edges(two_answers("!same", "!same"))
    (told,) = answer.warnings
    assert told.startswith("played, answers that look alike cannot be told apart, and one counts for all: ")
    assert play_answers(answer.game, answer.strategy, ["!same"] * 20)


def test_what_one_play_covered_the_next_ones_need_not_cover_again():
    game = draw_strong("again", most=6, more=6).game()
    answer = cover_edges(game)
    strategy = answer.persistent
    assert play(game, strategy, 1, 20_000)[1]
    assert strategy.hopeless(game.initial, strategy.start)
    assert not answer.strategy.hopeless(game.initial, answer.strategy.start)


def test_wrong_tours_are_refused():
    game = draw_strong(3, most=6, more=6).game()
    answer = cover_edges(game)
    heights = [Fraction(int(height), game.cost.denominator) for height in answer.tour.height]
    everything, cost = range(game.edge_count), answer.tour.cost[0]
    assert check_tour(game, everything, answer.tour.walk, heights, cost)
    for walk, raised, bound, what in (
        (answer.tour.walk[:-1], heights, cost, "does not lead|does not take"),
        ((), heights, cost, "does not take"),
        (answer.tour.walk, heights, cost + 1, "is proven"),
        (answer.tour.walk, [height + 100 * vertex for vertex, height in enumerate(heights)], cost, "below 0"),
    ):
        with pytest.raises(CertificateError, match=what):
            check_tour(game, everything, walk, raised, bound)


@pytest.mark.parametrize("late", [0, 1, 3])
def test_whenever_time_is_up_a_tour_is_told_with_a_bound_that_is_checked(late: int, monkeypatch):
    readings = itertools.count()
    monkeypatch.setattr(
        "outplay.strategy.tours.postman.deadline", lambda seconds: Deadline(late, lambda: float(next(readings)))
    )
    monkeypatch.setattr("outplay.strategy.tours.postman.joined_tour", lambda *given, **named: Late())
    unproven = 0
    for seed in range(20):
        plain = draw_strong(f"late {seed}", connected=1.0)
        answer, least = cover_edges(plain.game(), time_limit=1), least_tour(plain)
        assert isinstance(answer, EdgeTour)
        assert answer.check()
        assert answer.bound <= least <= answer.value
        unproven += "as far as there was time" in answer.sentence
    assert unproven > 0


def test_a_claim_that_no_way_leads_back_is_checked():
    game = GameBuilder().vertex("s", "tester").vertex("t", "tester").edge("s", "t", "?a").build()
    assert check_no_return(game, 0, [1])
    for wrong in ([], [0], [0, 1]):
        with pytest.raises(CertificateError):
            check_no_return(game, 0, wrong)


def test_a_goal_is_refused_and_the_objective_is_known_by_name():
    game = draw_strong(1).game()
    assert solve(game, (), "cover-edges").value == cover_edges(game).value
    with pytest.raises(UsageError, match="leave the goal out"):
        solve(game, "v1", "cover-edges")


def test_many_pieces_have_no_bound_and_say_so():
    game = draw_strong("bound 1", most=6, more=6).game()
    answer = cover_edges(game)
    assert answer.pieces.is_cut
    many = Pieces(game, answer.pieces.pieces * 3000, True)
    assert (many.chance, many.covered_within(3), many.rounds_for(0.9)) == (None, None, None)
    assert "played at random" in replace(answer, pieces=many).sentence


def test_a_tour_without_choices_is_one_piece_from_the_initial_vertex():
    builder = GameBuilder().vertex("s", "tester").vertex("t", "tester")
    game = builder.edge("s", "t", "?a").edge("t", "s", "?b").build()
    cut = cut_tour_at_choices(game, [1, 0])
    assert cut.pieces == ((0, 1),)
    assert cover_edges(game).sentence == "a tour of cost 2 covers all 2 edges, and none costs less"
