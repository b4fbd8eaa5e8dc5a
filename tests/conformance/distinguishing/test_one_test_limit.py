"""The bound for one test, by all tests there are on small automata."""

from __future__ import annotations

import itertools
import random

import pytest

from helpers.automata import random_automaton
from helpers.places import shared_data
from outplay import read_model
from outplay.conformance import compatible_states, distinguishing
from outplay.conformance.distinguishing.one_test_limit import fewest_missed
from outplay.conformance.transition_table import table_of

Pairs = frozenset[tuple[int, int]]


def least(sets: set[Pairs]) -> set[Pairs]:
    """Those that hold no other one."""
    return {one for one in sets if not any(other < one for other in sets)}


def lost_by_tests(found, at: tuple[int | None, ...], moves: int) -> set[Pairs]:
    """What tests of so many moves lose, given where each state has come to; None where it is ruled out or left out."""
    table = found.table
    pairs = [pair for pair in itertools.combinations(range(len(at)), 2) if not found.compatible(*pair)]
    alive = [(p, q) for p, q in pairs if at[p] is not None and at[q] is not None]
    gone = frozenset((p, q) for p, q in alive if found.compatible(at[p], at[q]))
    results = {frozenset(alive)}  # the test is over
    if not moves or gone == results:
        return results

    def after(label: int) -> tuple[int | None, ...]:
        return tuple(None if place is None else table.moves(place).get(label) for place in at)

    for label in range(table.inputs):
        reached = after(label)
        dropped = frozenset((p, q) for p, q in alive if reached[p] is None or reached[q] is None)
        results |= {dropped | more for more in lost_by_tests(found, reached, moves - 1)}
    outputs = [after(label) for label in range(table.inputs, len(table.labels))]
    branches = [lost_by_tests(found, reached, moves - 1) for reached in outputs]
    results |= {frozenset().union(*chosen) for chosen in itertools.product(*branches)}
    return least({one | gone for one in results})


def test_no_test_leaves_fewer_pairs_and_often_one_leaves_just_as_many():
    tight = some = 0
    for seed in range(70):
        labels = random.Random(f"limit {seed}").choice([("?a", "?b", "!x"), ("?a", "?b", "!x", "!y")])
        how = {"least": 4, "most": 5, "labels": labels, "share": 0.4, "silence": 0.5, "stays": True, "enabled": True}
        found = compatible_states(table_of(random_automaton(("limit", seed), **how)))
        start = tuple(range(found.table.state_count))
        best = min(map(len, lost_by_tests(found, start, 4)))
        bound = fewest_missed(found, work=100_000)
        ours = distinguishing(found)
        assert bound <= best
        assert bound <= len(ours.undistinguished) + len(ours.left_out)
        some += best > 0
        tight += best > 0 and bound == best
    assert some > 15
    assert tight > some / 4


@pytest.mark.parametrize(("seed", "labels"), [(253, ("?a", "?b", "!x", "!y")), (356, ("?a", "!x", "!y", "!z"))])
def test_a_pair_that_is_lost_after_several_outputs_is_counted_once(seed: int, labels: tuple[str, ...]):
    how = {"least": 3, "most": 5, "labels": labels, "share": 0.75, "silence": 0.0, "stays": True, "enabled": True}
    found = compatible_states(table_of(random_automaton(("shared", seed), **how)))
    best = min(map(len, lost_by_tests(found, tuple(range(found.table.state_count)), 4)))
    assert 0 < fewest_missed(found, work=100_000) <= best


@pytest.mark.long
@pytest.mark.parametrize(("name", "fewest"), [("m54", 48), ("m172", 861)])
def test_on_learned_machines_the_test_that_is_made_is_the_best_there_is(name, fewest):
    path = shared_data("mealy", f"{name}.dot")
    if not path.exists():
        pytest.skip("no folder shared/data beside the repository")
    found = compatible_states(table_of(read_model(path)))
    assert fewest_missed(found) == len(distinguishing(found).undistinguished) == fewest
