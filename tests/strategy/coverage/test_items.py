"""What there is to be covered, counted by hand and by plain loops."""

from __future__ import annotations

import pytest

from helpers.coverage import draw_field
from helpers.seeds import seeds
from outplay import GameBuilder, automaton, explore
from outplay.errors import UsageError
from outplay.game.reset import with_reset
from outplay.strategy.coverage.items import COVERABLE, Sightings, items_to_cover

LAMP = [("off", "?press", "on"), ("on", "!light", "off"), ("on", "?press", "off")]


def met(field) -> set[int]:
    """The vertices that some play comes to, by asking again and again."""
    found = {field.plain.initial}
    while more := {edge.target for edge in field.plain.edges if edge.source in found} - found:
        found |= more
    return found


@seeds(range(60))
def test_counted_is_what_some_play_comes_to(seed: int):
    field = draw_field(f"items {seed}", most=9)
    game, reached = field.game(), met(field)
    states, transitions = items_to_cover(game, "states"), items_to_cover(game, "transitions")
    assert set(states.names) == {f"v{vertex}" for vertex in reached}
    assert states.names[states.at_start] == f"v{game.initial}"
    for edge in range(game.edge_count):
        source, target = int(game.source[edge]), int(game.target[edge])
        shown = states.of_edge[edge]
        assert (shown >= 0) == (source in reached)
        assert shown < 0 or states.names[shown] == f"v{target}"
    assert transitions.count == 0  # these edges have no labels


@pytest.mark.parametrize("assumption", ["nondeterministic", "input-eager", "output-eager", "timeout"])
def test_a_decision_is_none_and_an_active_copy_is_its_state(assumption: str):
    game = explore(automaton(LAMP), assumption=assumption)
    assert set(items_to_cover(game, "states").names) == {"off", "on"}
    labels = set(items_to_cover(game, "labels").names) - {"delta"}
    assert labels <= {"?press", "!light"}
    assert "!light" in labels or assumption == "input-eager"


def test_one_transition_is_counted_once_however_many_edges_it_has():
    game = explore(automaton(LAMP))
    names = items_to_cover(game, "transitions").names
    assert len(set(names)) == len(names)
    assert "on --!light--> off" in names
    assert sum(game.label_of(edge) == "!light" for edge in range(game.edge_count)) == 2  # waiting, and despite an input


def test_a_reset_is_nothing_to_be_covered():
    game = explore(automaton(LAMP))
    for kind in COVERABLE:
        assert items_to_cover(with_reset(game), kind).names == items_to_cover(game, kind).names


def test_sightings_tell_what_is_new():
    game = GameBuilder().vertex("a", "tester").vertex("b", "tester").edge("a", "b", "?x").edge("a", "b", "?y").build()
    states, transitions = Sightings(items_to_cover(game, "states")), Sightings(items_to_cover(game, "transitions"))
    assert (states.begin(), states.begin()) == (True, False)
    assert (states.moved(0, "?x", 1), states.moved(0, "?y", 1), states.count) == (True, False, 2)
    assert (transitions.begin(), transitions.moved(0, "?x", 1), transitions.moved(0, "?x", 1)) == (False, True, False)
    assert (transitions.moved(0, "?z", 1), transitions.count) == (False, 1)


def test_an_unknown_kind_is_told():
    with pytest.raises(UsageError, match="did you mean"):
        items_to_cover(explore(automaton(LAMP)), "stats")
