"""What transitions share: places by definition, and doubt that falls with what was seen."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from helpers.seeds import seeds
from outplay import automaton
from outplay.conformance.behaviour import Inputs
from outplay.conformance.transition_table import TransitionTable, table_of
from outplay.model.label import SILENCE, Label
from outplay.strategy.suspicion.features import Doubts, numbered_places, telling_outcomes, transition_outcomes
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
    related, place = largest_bisimulation(table), numbered_places(table)
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


def questions_of(steps: list[tuple[str, str | Label, str]]) -> tuple[TransitionTable, dict[tuple[str, str], int]]:
    """A table, and its transitions that are questions by where and what they ask; the first step begins it."""
    table = table_of(automaton(steps), inputs=Inputs.ALL)
    number = {str(label): place for place, label in enumerate(table.labels)}
    states = {steps[0][0]: table.initial}
    for _ in steps:
        known = [step for step in steps if step[0] in states]
        states |= {target: table.moves(states[source])[number[str(label)]] for source, label, target in known}
    rows = list(zip(table.source.tolist(), table.label.tolist(), strict=True))
    asked = [(source, str(label)) for source, label, _ in steps if str(label).startswith("?")]
    return table, {(source, text): rows.index((states[source], number[text])) for source, text in asked}


LOCK = [
    ("free", "?lock ann", "a"), ("a", "!yes ann", "ann"), ("free", "?lock bob", "b"), ("b", "!yes bob", "bob"),
    ("ann", "?lock ann", "a!"), ("a!", "!no ann", "ann"), ("ann", "?lock bob", "aw"), ("aw", "!wait bob", "ann"),
    ("bob", "?lock bob", "b!"), ("b!", "!no bob", "bob"), ("bob", "?lock ann", "bw"), ("bw", "!wait ann", "bob"),
]  # fmt: skip


def test_the_outcome_of_a_question_is_what_may_be_said_to_it_with_its_arguments_left_open():
    table, edges = questions_of(LOCK)
    outcome = transition_outcomes(table)
    assert outcome[edges["ann", "?lock ann"]] == outcome[edges["bob", "?lock bob"]] == {("no", "?0")}
    assert outcome[edges["ann", "?lock bob"]] == outcome[edges["bob", "?lock ann"]] == {("wait", "?0")}
    assert outcome[edges["free", "?lock ann"]] == {("yes", "?0")}
    assert all(outcome[edge] is None for edge, label in enumerate(table.label) if label >= table.inputs)


def test_what_could_be_said_before_is_no_outcome_and_arguments_within_others_are_left_open():
    steps = [
        ("free", "?go ann 1", "s"), ("s", Label("!", "told", (("ann", "bob", True),)), "t"), ("s", "!tick", "s"),
        ("t", "!tick", "t"), ("t", "?go ann 1", "s"),
    ]  # fmt: skip
    table, edges = questions_of(steps)
    told = ("told", "(", "?0", "bob", "true", ")")  # true is not 1
    assert transition_outcomes(table)[edges["free", "?go ann 1"]] == {told, ("tick",)}
    assert transition_outcomes(table)[edges["t", "?go ann 1"]] == {told}


def test_where_labels_carry_no_data_there_are_no_outcomes():
    table = table_of(automaton([("off", "?press", "on"), ("on", "!light", "off")]))
    assert set(transition_outcomes(table)) == {None}


def test_a_question_that_came_to_one_case_leaves_more_doubt_in_another_case():
    """Who asks twice is refused, and that was seen: it counts for others who ask twice, less for who has to wait."""
    table, edges = questions_of(LOCK)
    doubts = Doubts(table)
    alike = edges["bob", "?lock bob"], edges["bob", "?lock ann"]
    before = doubts.of(np.array(alike)).copy()
    assert before[0] == before[1]
    doubts.saw(edges["ann", "?lock ann"])
    # The argument speaks for the other case, which shares it; the outcome has to outweigh that.
    twice, waits = doubts.of(np.array(alike)) / before
    assert twice < 1
    assert waits < 1
    for _ in range(3):
        doubts.saw(edges["ann", "?lock ann"])
        doubts.saw(edges["bob", "?lock bob"])
    twice, waits = doubts.of(np.array(alike)) / before
    assert twice < waits / 2


def test_a_feature_that_several_possible_transitions_have_was_seen_once():
    table, edges = questions_of(LOCK)
    one, other, third = (edges[where] for where in (("ann", "?lock ann"), ("bob", "?lock bob"), ("free", "?lock ann")))
    alone, together = Doubts(table), Doubts(table)
    alone.saw(one)
    together.saw(np.array([one, other]))
    shared = np.array([third])  # an argument with the first; with the second it has the action alone
    assert together.of(shared) == alone.of(shared)
    assert together.of(np.array([other])) < alone.of(np.array([other]))


def test_outcomes_that_label_and_place_tell_already_are_left_out():
    """Who holds the lock is nothing that the place tells; whether the lamp is on is."""
    table, edges = questions_of(LOCK)
    telling = telling_outcomes(table, numbered_places(table))
    assert [telling[edge] for edge in edges.values()] == [transition_outcomes(table)[edge] for edge in edges.values()]
    lamp = [
        ("off", "?press 1", "on?"), ("on?", "!light 1", "on"), ("on", "?press 1", "off?"), ("off?", "!dark 1", "off")
    ]  # fmt: skip
    table, edges = questions_of(lamp)
    assert {transition_outcomes(table)[edge] for edge in edges.values()} == {
        frozenset({("light", "?0")}),
        frozenset({("dark", "?0")}),
    }
    assert set(telling_outcomes(table, numbered_places(table))) == {None}


@pytest.mark.parametrize("actions", [30, 90])
def test_of_many_actions_without_data_there_are_not_as_many_features_as_pairs_of_them(actions):
    table = table_of(automaton([(f"s{n % 5}", f"?a{n}", f"s{(n + m) % 5}") for n in range(actions) for m in (0, 1)]))
    assert Doubts(table)._features.shape[1] < 10
