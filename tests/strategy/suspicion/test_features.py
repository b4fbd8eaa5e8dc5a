"""What transitions share: places by definition, and doubt that falls with what was seen."""

from __future__ import annotations

from random import Random

import numpy as np

from helpers.seeds import seeds
from outplay import automaton
from outplay.conformance.behaviour import Inputs
from outplay.conformance.transition_table import TransitionTable, table_of
from outplay.model.label import SILENCE
from outplay.strategy.suspicion.features import Doubts, places
from outplay.strategy.suspicion.player import RESET, WAIT, Suspicion


def same_place(table: TransitionTable, one: int, other: int, related: set[tuple[int, int]]) -> bool:
    """Whether each action of either state is an action of the other that leads to states related."""
    rows = [
        {((table.labels[label].kind, table.labels[label].gate), target) for label, target in table.moves(state).items()}
        for state in (one, other)
    ]
    return all(
        any(action == also and (there, here) in related for also, here in theirs)
        for ours, theirs in (rows, rows[::-1])
        for action, there in ours
    )


def largest_bisimulation(table: TransitionTable) -> set[tuple[int, int]]:
    """All pairs, without those that break the definition, until none does."""
    related = {(p, q) for p in range(table.state_count) for q in range(table.state_count)}
    while wrong := {pair for pair in related if not same_place(table, *pair, related)}:
        related -= wrong
    return related


@seeds(range(200), quick=60)
def test_places_are_bisimilar_states_where_arguments_are_dropped(seed):
    rng = Random(f"places {seed}")
    texts = ["?a 1", "?a 2", "?b", "!x 1", "!x 2", "!y"]
    states = [f"q{number}" for number in range(rng.randint(2, 6))]
    drawn = {(rng.choice(states), rng.choice(texts)): rng.choice(states) for _ in range(12)}
    steps = [(source, text, target) for (source, text), target in drawn.items() if source != "q0"]
    table = table_of(automaton([("q0", "?b", rng.choice(states)), *steps]), inputs=Inputs.ALL)
    related, place = largest_bisimulation(table), places(table)
    for one in range(table.state_count):
        for other in range(table.state_count):
            assert (place[one] == place[other]) == ((one, other) in related)


def test_what_was_seen_of_one_transition_counts_for_those_that_share_its_features():
    table = table_of(
        automaton([("s", "?put 1", "s"), ("s", "?put 2", "s"), ("s", "?get", "t"), ("t", "!item 1", "s")]),
        inputs=Inputs.ALL,
    )
    edges = {str(table.labels[label]): edge for edge, label in enumerate(table.label.tolist())}
    put_1, put_2, get = edges["?put 1"], edges["?put 2"], edges["?get"]
    doubts = Doubts(table)
    before = doubts.of(slice(None)).copy()
    doubts.saw(put_1)
    after = doubts.of(slice(None))
    assert (before <= 1).all()
    assert (after > 0).all()
    assert after[put_1] < after[put_2] < before[put_2]  # the action and the place were seen, its argument was not
    assert after[get] == before[get]


def test_silence_that_lasts_is_waited_for_once():
    """Where nothing but silence can come, and it came, waiting is no move until something is given."""
    table = table_of(automaton([("off", "?press", "on"), ("on", "!light", "off")]), inputs=Inputs.ALL)
    player, silences = Suspicion(table, Random(1)), 0
    player.begin()
    for _ in range(60):
        move = player.move()
        if move == RESET:
            player.begin()
            continue
        label = next(one for one in table.moves(player.state) if one >= table.inputs) if move == WAIT else move
        player.saw(label)
        if table.labels[label] == SILENCE:
            silences += 1
            assert player.move() != WAIT
    assert silences > 3


def test_where_labels_carry_no_data_transitions_share_less():
    def shared(first: str, second: str) -> float:
        """What is left of the doubt in a transition after another one with the same action was seen."""
        table = table_of(automaton([("s", first, "t"), ("t", second, "s")]), inputs=Inputs.ALL)
        doubts, (one, other) = Doubts(table), (edge for edge, label in enumerate(table.label) if label < table.inputs)
        before = float(doubts.of(np.array([other]))[0])
        doubts.saw(one)
        return float(doubts.of(np.array([other]))[0]) / before

    assert shared("?put 1", "?put 1") < shared("?put", "?put") < 1
