"""Best probability: what the graph decides, end components, long chains, and wrong calls."""

from __future__ import annotations

import numpy as np
import pytest

from outplay import GameBuilder
from outplay.errors import UsageError
from outplay.game.builder import game_from_arrays
from outplay.game.exact_numbers import exact_column
from outplay.strategy.certificate.check_chance import check_probability
from outplay.strategy.probability import probability


def confirm(found) -> None:
    bounds = found.bounds
    check_probability(found.game, found.goal_vertices, bounds.low, bounds.high, bounds.choice, bounds.rank)


def test_a_set_the_tester_can_stay_in_is_left_where_it_is_best_left():
    builder = GameBuilder().vertex("a", "tester").vertex("b", "tester").vertex("g", "tester", goals=["done"])
    builder.vertex("lost", "tester").vertex("good", "system").vertex("bad", "system")
    builder.edge("a", "b").edge("b", "a").edge("a", "bad").edge("b", "good")
    builder.edge("good", "g", probability="3/4").edge("good", "lost", probability="1/4")
    builder.edge("bad", "g", probability="1/4").edge("bad", "lost", probability="3/4")
    game = builder.build()
    found = probability(game, "done")
    assert found.kept
    assert [found.value_of(vertex) for vertex in range(6)] == pytest.approx([0.75, 0.75, 1, 0, 0.75, 0.25])
    assert found.bounds.edge(0) == game.edges_of(0)[0]
    assert found.bounds.edge(1) == game.edges_of(1)[1]
    confirm(found)


def test_what_the_graph_decides_is_exactly_0_or_1():
    builder = GameBuilder().vertex("sure", "system").vertex("g", "tester", goals=["done"]).vertex("never", "tester")
    game = builder.edge("sure", "g").edge("sure", "sure").edge("never", "never").build()
    found = probability(game, "done", epsilon=1e-15)
    assert found.bounds.low.tolist() == found.bounds.high.tolist() == [1.0, 1.0, 0.0]
    assert found.kept
    confirm(found)


@pytest.mark.parametrize("length", [10, 300, 20_000])
def test_tiny_probabilities_are_right_relative_to_themselves(length):
    """A step on with 999/1000, else lost: the chance of the whole way is a product."""
    place = np.arange(length)
    lost = length + 1
    game = game_from_arrays(
        owner=np.repeat([1, 0], [length, 2]),
        source=np.concatenate([place, place]),
        target=np.concatenate([place + 1, np.full(length, lost)]),
        probability=exact_column(["999/1000", "1/1000"], np.repeat([0, 1], length)),
        goals={"done": [length]},
    )
    found = probability(game, "done")
    assert found.kept
    assert found.value == pytest.approx(0.999**length, rel=1e-6)
    if length < 1000:
        confirm(found)


def test_exact_values_are_fractions():
    builder = GameBuilder().vertex("s", "system").vertex("g", "tester", goals=["done"]).vertex("lost", "tester")
    game = builder.edge("s", "g").edge("s", "s").edge("s", "lost").build()
    found = probability(game, "done", epsilon=0)
    assert found.value_of(0) * 2 == 1
    assert found.interval(0) == (0.5, 0.5)
    assert repr(found) == "Likelihood(to done with probability 0.5)"


@pytest.mark.parametrize("epsilon", [-1, 2, float("nan")])
def test_an_epsilon_that_is_no_width_is_refused(epsilon):
    game = GameBuilder().vertex("g", "tester", goals=["done"]).build()
    with pytest.raises(UsageError, match="write a number from 0"):
        probability(game, "done", epsilon=epsilon)
