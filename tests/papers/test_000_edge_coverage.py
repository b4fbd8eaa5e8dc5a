"""Section 5 of Nachmanson et al. 2004: the tour of Figure 1, its pieces, and the bound of Proposition 2 for it."""

from __future__ import annotations

from fractions import Fraction

from helpers.places import EXAMPLES
from outplay.formats.registry import read_model
from outplay.strategy.tours.cover_edges import cover_edges
from outplay.strategy.tours.tour_pieces import cut_tour_at_choices


def test_the_tour_of_figure_1_costs_10_and_is_cut_into_the_pieces_of_the_paper():
    answer = cover_edges(read_model(EXAMPLES / "graphs" / "edge_tour.json"))
    names = answer.game.edge_names
    assert answer.value == 10
    assert [[names[edge] for edge in piece] for piece in answer.pieces.pieces] == [
        ["e8", "e2", "e1", "e5", "e7"],
        ["e9", "e4", "e3", "e6", "e7"],
    ]
    assert answer.check().edges == 9


def test_the_tour_of_the_paper_is_cut_as_the_paper_cuts_it():
    game = read_model(EXAMPLES / "graphs" / "edge_tour.json")
    number = {name: edge for edge, name in enumerate(game.edge_names)}
    tour = [number[name] for name in ["e8", "e2", "e1", "e5", "e7", "e9", "e4", "e3", "e6", "e7"]]
    assert [len(piece) for piece in cut_tour_at_choices(game, tour).pieces] == [5, 5]


def test_two_pieces_at_even_chances_are_both_played_within_two_with_three_quarters():
    pieces = cover_edges(read_model(EXAMPLES / "graphs" / "edge_tour.json")).pieces
    assert pieces.chance == Fraction(3, 4)
    assert pieces.covered_within(1) == Fraction(1, 2)
    assert pieces.covered_within(4) == 1 - 2 * Fraction(1, 4) ** 4
    assert pieces.rounds_for(0.99) == 4


def test_from_the_start_a_piece_is_joined_on_the_way_to_the_choice_point():
    answer = cover_edges(read_model(EXAMPLES / "graphs" / "edge_tour.json"))
    first = answer.chosen(answer.game.initial)
    assert answer.game.edge_names[first] in ("e1", "e3")
