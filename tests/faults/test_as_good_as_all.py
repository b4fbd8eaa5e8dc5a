"""What it takes to be as good as all peers at once: no tester alone needs more labels than it has."""

from __future__ import annotations

import pytest

from helpers.faults import falling_machine

from benchmarks.faults.as_good_as_all import labels_to_match  # isort: skip  (helpers.faults puts it on the path)
from benchmarks.faults.least_by_order import questions  # isort: skip
from benchmarks.faults.testers import TESTERS  # isort: skip

PEERS = ["uniform 0.1", "greedy", "greedy waiting"]
LIMIT = 120
SEEDS = 20


@pytest.mark.parametrize("tester", [*PEERS, "suspicion", "walk"])
def test_a_tester_has_the_labels_that_it_needs_to_match_itself(tester: str):
    assert TESTERS[tester].is_here()
    assert 0 < labels_to_match(falling_machine(4), [tester], SEEDS, LIMIT) <= LIMIT + 1  # the first play needs no reset


def test_each_answer_that_ends_a_play_takes_a_play_of_its_own():
    once, others = questions(falling_machine(3))
    assert sorted(once.values()) == [2, 4, 6]
    assert sorted(others.values()) == [2, 4, 4, 6]  # on and on, and in the state that is not left


def test_who_is_as_good_as_two_needs_at_least_what_each_of_them_needs_on_average():
    machine = falling_machine(6)
    alone = [labels_to_match(machine, [tester], 200, LIMIT) for tester in PEERS]
    together = labels_to_match(machine, PEERS, 200, LIMIT)
    assert together >= 0.95 * max(alone)


def test_all_questions_in_every_run_take_a_play_each():
    machine = falling_machine(3)
    needed = labels_to_match(machine, ["greedy waiting"], 4, 10_000)
    assert needed == sum(labels + 1 for labels in questions(machine)[0].values())
