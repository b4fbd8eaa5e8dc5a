"""Costs and weights that depend on the state, and on the arguments of the action."""
# an action that does not return False is enabled

from __future__ import annotations

from fractions import Fraction

import pytest

from outplay import Game, Model, controllable, explore, given, observable, specification
from outplay.errors import ModelError
from outplay.model.label import Label
from outplay.model.programs.program import Program


class Urn(Model):
    """Balls are drawn until none is left."""

    colours = ("red", "blue")
    left: tuple[int, int] = (3, 1)

    @observable(weight="count")
    @given(colour="colours")
    def ball(self, colour):
        place = self.colours.index(colour)
        if not self.left[place]:
            return False
        self.left = (self.left[0] - 1, self.left[1]) if place == 0 else (self.left[0], self.left[1] - 1)

    def count(self, colour):
        return self.left[self.colours.index(colour)]


def chances(game: Game, vertex: int = 0) -> dict[str, Fraction | None]:
    return {game.label_of(edge): game.probability[edge] for edge in game.edges_of(vertex)}


def test_a_weight_may_depend_on_the_arguments_of_the_action():
    game = explore(Urn)
    assert chances(game) == {"!ball red": Fraction(3, 4), "!ball blue": Fraction(1, 4)}
    after_red = next(int(game.target[edge]) for edge in game.edges_of(0) if game.label_of(edge) == "!ball red")
    assert chances(game, after_red) == {"!ball red": Fraction(2, 3), "!ball blue": Fraction(1, 3)}


def test_the_simulation_draws_by_the_same_weights():
    spec = specification(Urn)
    (state,) = spec.initial
    assert spec.weight(state, Label.parse("!ball red")) == 3
    assert spec.weight(state, Label.parse("!ball blue")) == 1


def one(mark: object) -> Program:
    class One(Model):
        share = 3

        @mark
        @given(a=(2, 5), b=(1, 7))
        def act(self, a, b): ...

        def twice(self):
            return 2 * self.share

        def both(self, a, b):
            return a + b

        @staticmethod
        def fixed():
            return 4

    return Program(One)


@pytest.mark.parametrize(
    ("cost", "expected"),
    [
        (6, [6, 6, 6, 6]),
        ("share", [3, 3, 3, 3]),
        ("twice", [6, 6, 6, 6]),
        ("both", [3, 9, 6, 12]),
        ("fixed", [4, 4, 4, 4]),
        (lambda model: model.share, [3, 3, 3, 3]),
        (lambda model, a, b: model.share * a + b, [7, 13, 16, 22]),
        (lambda model, kept=8: kept, [8, 8, 8, 8]),
    ],
)
def test_a_cost_is_a_number_a_name_or_a_function_that_gets_what_it_asks_for(cost: object, expected: list[int]):
    game = explore(one(controllable(cost=cost)))
    assert [game.cost[edge] for edge in range(game.edge_count)] == expected


def test_a_function_that_asks_for_too_much_is_blamed_on_the_model():
    with pytest.raises(ModelError, match="asking the weight of act"):
        explore(one(observable(weight=lambda model, a, b, c: 1)))
