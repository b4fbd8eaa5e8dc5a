"""The player: the same from the same seed, right with a right system, and it finds what leads astray."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from helpers.automata import random_automaton
from helpers.seeds import seeds
from outplay import automaton
from outplay.conformance.behaviour import Inputs
from outplay.conformance.transition_table import TransitionTable, table_of
from outplay.strategy.suspicion import RESET, WAIT, Suspicion
from outplay.strategy.suspicion.hypotheses import URGENT
from outplay.strategy.suspicion.player import OUTSIDE

LOCK = [
    ("s0", "?1", "a1"), ("a1", "!ok", "s1"), ("s0", "?2", "a0"), ("a0", "!ok", "s0"),
    ("s1", "?2", "a2"), ("a2", "!ok", "s2"), ("s1", "?1", "a0"),
    ("s2", "?1", "open"), ("open", "!open", "s0"), ("s2", "?2", "a0"),
]  # fmt: skip


def table_by(steps) -> TransitionTable:
    return table_of(automaton(steps), inputs=Inputs.ALL)


def played(player: Suspicion, system: TransitionTable, chance: Random, labels: int) -> list[int]:
    """Play against another table with the same labels until the model forbids what is seen; the labels seen."""
    shown: list[int] = []
    while len(shown) < labels:
        player.begin()
        state = system.initial
        while len(shown) < labels:
            move = player.move()
            if move == RESET:
                shown.append(RESET)
                break
            row = system.moves(state)
            label = chance.choice([x for x in row if x >= system.inputs]) if move == WAIT else move
            state = row[label]
            shown.append(label)
            player.saw(label)
            if player.state == OUTSIDE:
                return shown
    return shown


@seeds(range(60), quick=20)
def test_a_right_system_is_never_outside_and_the_same_seed_plays_the_same(seed):
    table = table_of(random_automaton(f"player {seed}", least=2, most=6, share=0.6), inputs=Inputs.ALL)
    plays = []
    for _ in range(2):
        player = Suspicion(table, Random(seed))
        plays.append(played(player, table, Random(seed), 80))
        assert player.state != OUTSIDE
    assert plays[0] == plays[1]


def test_every_transition_of_a_lock_that_leads_astray_is_found():
    table = table_by(LOCK)
    places = ["s0", "s1", "s2"]
    for number, (source, label, target) in enumerate(LOCK):
        for wrong in set(places) - {target} if label.startswith("!") else ():
            steps = [*LOCK[:number], (source, label, wrong), *LOCK[number + 1 :]]
            system = table_of(automaton(steps), inputs=Inputs.ALL, labels=table.labels)
            assert system.labels == table.labels
            player = Suspicion(table, Random(number))
            played(player, system, Random(7), 400)
            assert player.state == OUTSIDE, (source, label, wrong)


def test_a_suspicion_that_no_play_has_pursued_stays_as_it_was():
    table = table_by(LOCK)
    player = Suspicion(table, Random(1))
    before = player.suspects.left.copy()
    for _ in range(50):  # plays that end before anything was shown
        player.begin()
        player.saw(int(table.label[0]))
    player.begin()
    assert np.array_equal(player.suspects.left, before)


def weights_after(steps, shown: str) -> list[float]:
    """What each hypothesis of the last label weighs, for each that a state of the model has in its place."""
    table = table_by(steps)
    player = Suspicion(table, Random(1))
    names = [str(label) for label in table.labels]
    player.begin()
    for label in shown.split():
        player.saw(names.index(label))
    alive, doubt = player._alive, float(player.doubts.of(np.array([0]))[0])
    last = alive.step == alive.step[-1]
    return sorted((alive.weight[last] / (alive._began * player.suspects.prior[alive.step, alive.slot])[last]) / doubt)


def test_a_hypothesis_that_was_lost_from_sight_counts_more_when_it_is_pursued_again():
    once, lost = "?1 !ok", "?1 !ok ?2 !ok ?2 !ok"  # to s1 or to s0: then two wrong numbers, and both are in s0
    first, again = weights_after(LOCK, once), weights_after(LOCK, f"{once} {lost} {once}")
    assert max(first) == min(first) > 0
    assert max(again) / min(again) == pytest.approx(URGENT)
    choosing = [*LOCK, ("open", "!jammed", "s0")]  # where the system chooses, to be lost may be chance
    of_chance = weights_after(choosing, f"{once} {lost} {once}")
    assert max(of_chance) == pytest.approx(min(of_chance))


def test_all_that_is_suspected_of_a_lock_is_cleared_by_a_right_one():
    table = table_by(LOCK)
    player = Suspicion(table, Random(1))
    before = float(player.suspects.left.sum())
    played(player, table, Random(1), 400)
    assert player.suspects.left.sum() < 0.1 * before
    assert np.all(player.learnt.seen[table.label < table.inputs] > 0)


@seeds(range(60), quick=20)
def test_where_the_play_may_be_in_several_states_the_best_move_on_average_is_made(seed):
    rng = Random(seed)
    table = table_of(random_automaton(f"several {seed}", least=2, most=6, share=0.6), inputs=Inputs.ALL)
    player = Suspicion(table, rng)
    states = rng.sample(range(table.state_count), min(table.state_count, rng.randint(1, 3)))
    refused = {label for label in range(table.inputs) if rng.random() < 0.2}
    worth, price = {}, player._plan.price
    for state in states:
        player.place(state)
        inputs = [label for label in table.moves(state) if label < table.inputs]
        for label, value in zip([*inputs, WAIT], player._worth(fresh=True).tolist(), strict=False):
            worth.setdefault(label, []).append(value)
    player._plan.price = price  # of a label, which is sought from one decision to the next
    possible = {label: sum(values) for label, values in worth.items() if len(values) == len(states)}
    chosen = player.move_among(states, lambda label: label not in refused)
    assert chosen == WAIT or (chosen in possible and chosen not in refused)
    allowed = [value for label, value in possible.items() if label not in refused]
    assert possible[chosen] >= max(allowed) - 1e-6
    assert player.state == OUTSIDE
