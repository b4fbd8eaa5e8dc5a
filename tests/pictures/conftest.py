"""Small models to draw."""

from __future__ import annotations

import pytest

from outplay.game.builder import GameBuilder
from outplay.game.graph import Game
from outplay.model.automaton import Automaton, automaton


@pytest.fixture
def lamp() -> Automaton:
    return automaton(
        [("off", "?press", "on"), ("on", "!light", "shining"), ("shining", "?press", "off"), ("off", "delta", "off")]
    )


@pytest.fixture
def bargain() -> Game:
    """A game with everything: costs, chances, decisions, parallel edges, loops, goals, a dead end."""
    builder = GameBuilder()
    builder.vertex("start", "tester").vertex("asked", "system").vertex("retry", "tester")
    builder.vertex("won", "tester", goals=["done"]).vertex("stuck", "tester")
    builder.edge("start", "asked", "?ask", cost=3).edge("start", "retry", "wait", cost=0, moves=0)
    builder.edge("asked", "won", "!yes", probability="1/2").edge("asked", "retry", "!no", probability="1/3")
    builder.edge("asked", "stuck", "!bang", probability="1/6")
    builder.edge("retry", "start", "?again").edge("retry", "asked", "?ask", cost="1/2").edge("retry", "asked", "?beg")
    builder.edge("won", "won", "?stay")
    return builder.build()
