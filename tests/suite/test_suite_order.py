"""The order of n-complete suites: walks where they add little, a test for each transition, and then the others."""

from __future__ import annotations

from random import Random

import pytest

from helpers.automata import random_automaton
from helpers.soundness import unsound
from outplay.model.kinds import specification
from outplay.model.machine import Machine
from outplay.suite.complete.n_complete import CompleteSuite, Construction, n_complete
from outplay.suite.complete.suite_tree import golden_order
from outplay.suite.covering.sure_walks import missed_target_counts, sure_walks
from outplay.tester.tester import End


def suites(seed: int) -> list[CompleteSuite]:
    """The suites of a random automaton that can be listed."""
    drawn = random_automaton(seed, least=2, most=4, share=(0.3, 0.5), silence=0.1)
    kinds = [Construction.COUNTING, Construction.MERGING, Construction.UNCONDITIONAL]
    made = [n_complete(drawn, 2, construction=kind) for kind in kinds]
    return [suite for suite in made if suite.size.tests <= 1000]


def machine(seed: int) -> Machine:
    """A random machine."""
    rng, size = Random(f"order {seed}"), 5
    steps = tuple((s, a, rng.choice("xy"), rng.randrange(size)) for s in range(size) for a in "abc")
    return Machine(tuple(f"q{s}" for s in range(size)), steps)


def large(seed: int) -> CompleteSuite:
    """A suite for one state more than a random machine has, which is large enough for walks before it."""
    return n_complete(machine(seed), 6, machine=True)


@pytest.mark.parametrize("seed", range(40))
def test_a_test_for_each_transition_comes_first(seed):
    for suite in suites(seed):
        rows = suite.form.rows
        taken = [set(steps_of(rows, way)) for way in suite.tree.paths()]
        first = set().union(*taken[: sum(map(len, rows))])
        assert first == set().union(*taken)


def steps_of(rows, way):
    """The transitions that a test takes, by state and label."""
    state = 0
    for label in way:
        yield state, label
        state = rows[state][label]


@pytest.mark.parametrize("seed", range(25))
def test_tests_are_found_by_their_numbers(seed):
    for suite in suites(seed):
        found = {suite.tree.path(number) for number in range(suite.size.tests)}
        assert found == set(suite.tree.paths())


@pytest.mark.parametrize("count", [0, 1, 2, 7, 100, 987])
def test_numbers_that_are_spread_come_once_each(count):
    assert sorted(golden_order(count)) == list(range(count))


@pytest.mark.parametrize("seed", range(25))
def test_a_test_begins_with_a_trace_where_some_test_of_the_list_does(seed):
    rng = Random(f"begins {seed}")
    for suite in suites(seed)[:1]:
        listed = list(suite.tree.paths())
        beginnings = {path[:place] for path in listed for place in range(len(path) + 1)}
        for path in (*rng.sample(sorted(beginnings), min(20, len(beginnings))), *listed[:5]):
            other = (*path[:-1], rng.randrange(len(suite.form.table.labels)))
            assert suite.tree.begins(path)
            assert suite.tree.begins(other) == (other in beginnings)


@pytest.mark.parametrize("seed", range(20))
def test_doubts_change_the_order_of_the_tests_and_nothing_else(seed):
    made = large(seed)
    left = missed_target_counts(made.form.table, sure_walks(made.form.table))
    ordered = list(made.tree.paths(left))
    assert sorted(ordered) == sorted(made.tree.paths())
    worth = {step: left.get(step, len(made.form.rows)) / (1 + len(path)) for step, _, path in made.tree._transitions()}
    best = max(worth.values())
    assert any(worth[step] == best for step in steps_of(made.form.rows, ordered[0]) if step in worth)


@pytest.mark.parametrize("seed", range(20))
def test_walks_come_first_and_are_sound_and_each_test_of_the_suite_comes_once(seed):
    made, spec = large(seed), specification(machine(seed))
    walks = made.first_walks()
    cases = list(made.cases(walks))
    assert [case.name for case in cases[: len(walks)]] == [f"walk {number}" for number in range(1, len(walks) + 1)]
    assert {case.name for case in cases[len(walks) :]} == {case.name for case in made.cases()}
    assert len({case.name for case in cases}) == len(cases) == len(walks) + made.size.tests
    for case, walk in zip(cases, walks, strict=False):
        assert unsound(case, spec) is None
        assert (*walk, next(case.traces(End.PASS))[-1]) in set(case.traces(End.PASS))
        assert case.depth == len(walk) + 1
    assert 5 * sum(len(walk) + 2 for walk in walks) <= made.size.symbols


def test_walks_are_played_before_large_suites_and_not_before_small_ones():
    assert sum(bool(large(seed).first_walks()) for seed in range(20)) > 10
    lamp = Machine(("off", "on"), ((0, "press", "light", 1), (1, "press", "dark", 0)))
    assert n_complete(lamp, machine=True).first_walks() == []


@pytest.mark.parametrize("seed", range(20))
def test_walks_take_more_transitions_than_as_many_labels_of_the_tests_that_come_first_without_them(seed):
    made = large(seed)
    rows, walks = made.form.rows, [[made.form.table.numbers[label] for label in walk] for walk in made.first_walks()]
    early, labels = [], sum(map(len, walks))
    for path in made.tree.paths():
        if sum(map(len, early)) + len(path) > labels:
            break
        early.append(path)
    walked, tested = ({step for way in ways for step in steps_of(rows, way)} for ways in (walks, early))
    assert len(walked) > len(tested) or not walks
