"""What plays have cleared: against the definition, followed one suspicion at a time, and as it is told."""

from __future__ import annotations

from random import Random

import pytest

from helpers.question_answer import deterministic
from helpers.seeds import seeds
from outplay.conformance.transition_table import table_of
from outplay.model.automaton import automaton
from outplay.strategy.suspicion.behaviour_table import answering_rows
from outplay.strategy.suspicion.detection_chance import OUTSIDE, Clearing
from outplay.strategy.suspicion.pair_game import solved_pairs


def played(table, rng, labels):
    """A play of the right system: inputs where there are some, now and then silence."""
    state, seen = table.initial, []
    for _ in range(labels):
        label = rng.choice(list(table.moves(state)))
        seen.append((state, label))
        state = table.moves(state)[label]
    return seen


def owes(table, state):
    """Whether nothing but an output can come in a state, and no silence."""
    labels = [table.labels[label] for label in table.moves(state)]
    return bool(labels) and all(label.is_output and str(label) != "delta" for label in labels)


def would_show(table, seen, after, suspect):
    """Whether a system in another state after some labels would have shown something forbidden, by the definition."""
    system = suspect
    for model, label in seen[after:]:
        if system == model:
            return False
        moves, here = table.moves(system), table.moves(model)
        if label < table.inputs:
            system = moves.get(label, system)
            continue
        (answer,) = [one for one in moves if one >= table.inputs]
        if answer not in here:
            return True
        assert answer == label, "the model has one answer as well"
        system = moves[label]
    return False


@seeds(range(120), quick=40)
def test_a_target_is_cleared_when_a_play_would_have_shown_it(seed):
    rng = Random(seed)
    table = deterministic(rng, rng.randint(2, 5))
    clearing = Clearing(table, solved_pairs(answering_rows(table)))
    plays = [played(table, rng, rng.randint(1, 25)) for _ in range(rng.randint(1, 3))]
    taken = {}
    for seen in plays:
        clearing.begin()
        before = None
        for place, (state, label) in enumerate(seen):
            clearing.saw(label)
            edge = int(table.first[state]) + list(table.moves(state)).index(label)
            step = clearing.steps.number(before, edge, state)
            taken.setdefault(step, []).append((seen, place + 1))
            before = edge
    cleared = 0
    for unit, step in enumerate(clearing.outstanding.step):
        for slot, suspect in enumerate(clearing.outstanding.suspect[unit]):
            target = clearing.steps.target[step]
            if owes(table, int(suspect)) and not owes(table, int(target)):
                assert clearing.outstanding.left[unit, slot] == 0  # it is none
            elif clearing.pairs.apart[target, suspect] > 0:
                shown = any(would_show(table, *one, int(suspect)) for one in taken.get(int(step), []))
                assert clearing.outstanding.left[unit, slot] == pytest.approx(float(not shown))
                cleared += shown
    told = clearing.cleared
    assert told.targets - told.astray == cleared
    assert 0 <= told.share <= 1
    assert told.given == sum(bool(clearing.outstanding.answers[step]) for step in taken)


@seeds(range(30))
def test_the_test_that_is_told_shows_the_suspicion(seed):
    rng = Random(seed)
    table = deterministic(rng, rng.randint(2, 5))
    clearing = Clearing(table, solved_pairs(answering_rows(table)))
    names, labels = list(table.names), {str(label): number for number, label in enumerate(table.labels)}
    for one in clearing.cleared.open_suspicions(100):
        model, system = names.index(one.target), names.index(one.instead)
        *agreed, last = [labels[text] for text in one.then]
        for label in agreed:
            model, system = table.moves(model)[label], table.moves(system)[label]
        assert last in table.moves(system)
        assert last not in table.moves(model)


def test_what_is_outside_of_the_model_clears_nothing():
    table = deterministic(Random(1), 4)
    clearing = Clearing(table, solved_pairs(answering_rows(table)))
    clearing.place(OUTSIDE)
    for label in range(len(table.labels)):
        clearing.saw(label)
    assert clearing.state == OUTSIDE
    assert clearing.cleared.share == 0


def test_an_answer_by_chance_leaves_some_of_the_suspicion():
    table = table_of(
        automaton([("a", "?go", "b"), ("b", "!x", "a"), ("c", "?no", "c"), ("b", "!y", "c"), ("c", "!x", "c")])
    )
    clearing = Clearing(table, solved_pairs(answering_rows(table)))
    number = {str(label): place for place, label in enumerate(table.labels)}
    clearing.saw(number["?go"])
    clearing.saw(number["!x"])
    place = [*clearing.outstanding.step].index(clearing.steps.number(None, 0, 0))
    left = clearing.outstanding.left[place]
    assert left[table.names.index("a")] == 0  # it is silent, which is forbidden after the question
    assert left[table.names.index("c")] == 1  # it says x, as it may


@pytest.mark.parametrize("cells", [1, 10_000])
def test_of_many_suspects_a_sample_is_kept(cells):
    table = deterministic(Random(3), 5)
    clearing = Clearing(table, solved_pairs(answering_rows(table)), cells=cells)
    assert clearing.outstanding.left.size <= max(cells, len(clearing.outstanding.step))
    for _, label in played(table, Random(2), 300):
        clearing.saw(label)
    assert clearing.cleared.share > 0.3
