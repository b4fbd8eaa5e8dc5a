"""n-complete suites: counted as listed, and sound; identifiers, accesses and merges by their definitions."""

from __future__ import annotations

from itertools import combinations
from random import Random

import pytest

from helpers.automata import random_automaton, specification_of
from helpers.identifying import Identifying
from helpers.implementations import GamePosition, rows_of
from helpers.seeds import seeds
from helpers.soundness import unsound
from outplay import automaton
from outplay.conformance import compatible_states
from outplay.conformance.distinguishing.experiment import END, Experiment
from outplay.conformance.transition_table import table_of
from outplay.errors import ModelError, UsageError
from outplay.game.game_specification import GameSpecification
from outplay.model.label import SILENCE
from outplay.model.machine import Machine
from outplay.model.suspension import SuspensionAutomaton
from outplay.suite.complete.counting import WAITING, adaptive_access, certain_accesses, incompatible_blocks
from outplay.suite.complete.merging_suite import EndlessMerges, Merges
from outplay.suite.complete.n_complete import CompleteSuite, Construction, n_complete
from outplay.suite.complete.normal_form import normal_form
from outplay.suite.complete.state_identification import harmonized_identifiers
from outplay.suite.complete.suite_tree import SuiteTree, TooLarge
from outplay.suite.from_tester import case_from_tester
from outplay.tester.tester import End

KINDS = [Construction.COUNTING, Construction.MERGING, Construction.UNCONDITIONAL]


def drawn(seed: int, most: int = 4):
    return random_automaton(seed, least=2, most=most, share=(0.3, 0.5), silence=0.1)


def suites(seed: int, most: int = 4) -> list[CompleteSuite]:
    """The suites of a random automaton that can be listed."""
    made = [n_complete(drawn(seed, most), 2, construction=kind) for kind in KINDS]
    return [suite for suite in made if suite.size.tests <= 1000]


@seeds(range(60))
def test_the_number_and_the_length_of_tests_are_those_of_the_list(seed):
    for suite in suites(seed):
        traces = list(suite.traces())
        assert (len(traces), sum(len(trace) + 1 for trace in traces)) == (suite.size.tests, suite.size.labels)
        assert len(set(traces)) == len(traces)


@pytest.mark.parametrize("seed", range(40))
def test_no_test_is_the_beginning_of_another(seed):
    """What is watched at the end of one is not watched on the way of another."""
    for suite in suites(seed):
        traces = list(suite.traces())
        watched = {trace[:place] for trace in traces for place, label in enumerate(trace) if not label.is_input}
        assert watched.isdisjoint(traces)


@pytest.mark.parametrize("seed", range(25))
def test_each_test_is_a_sound_case_that_can_pass(seed):
    spec = SuspensionAutomaton(drawn(seed))
    for suite in suites(seed):
        names = []
        for case in suite.cases():
            assert unsound(case, spec) is None
            assert any(True for _ in case.traces(End.PASS))
            names.append(case.name)
        assert len(set(names)) == len(names) == suite.size.tests


@pytest.mark.parametrize("seed", range(20))
def test_a_test_case_is_that_of_the_tester_who_follows_the_trace_and_watches(seed):
    spec = SuspensionAutomaton(drawn(seed))
    for suite in suites(seed)[:1]:
        shown = [label for label in suite.form.table.labels if label.is_output]
        watch = Experiment(dict.fromkeys((*shown, SILENCE), END))
        for trace, case in zip(suite.traces(), suite.cases(), strict=True):
            assert case_from_tester(Identifying(trace, watch), spec, outputs=shown).automaton == case.automaton


@pytest.mark.parametrize("seed", range(40))
def test_the_test_cases_fail_exactly_what_watching_after_their_traces_fails(seed):
    """A test case in a fair execution is its trace, watched."""
    for suite in suites(seed, most=3)[:1]:
        spec = SuspensionAutomaton(drawn(seed, most=3))
        table = table_of(spec)
        steps = [
            (str(s), str(table.labels[x]), str(t))
            for s, x, t in zip(table.source.tolist(), table.label.tolist(), table.target.tolist(), strict=True)
        ]
        traces = [tuple(map(str, trace)) for trace in suite.traces()]
        watch = GamePosition(rows_of(steps), "0", traces)
        cases = list(suite.cases())
        labels = [label for label in suite.form.table.labels if not label.is_input]
        for number in range(6):
            rng = Random(f"{seed} {number}")
            rows = []
            for _ in range(2):
                shown = rng.sample(labels, rng.randint(1, len(labels)))
                rows.append({str(x): rng.randrange(2) for x in (*shown, "?a", "?b")})
            assert watch.passed_by(tuple(rows)) == (not any(fails(case, rows) for case in cases))


def fails(case, rows) -> bool:
    """Whether an implementation can lead a test case to its fail end."""
    stack, seen = [(case.initial, 0)], set()
    while stack:
        at = stack.pop()
        if at in seen:
            continue
        seen.add(at)
        if case.end(at[0]) is End.FAIL:
            return True
        for label, target in case.moves(at[0]).items():
            if str(label) in rows[at[1]]:
                stack.append((target, rows[at[1]][str(label)]))
    return False


@pytest.mark.parametrize("seed", range(40))
def test_the_smallest_suite_is_no_larger_than_the_others(seed):
    smallest, few = n_complete(drawn(seed), 2).size.symbols, [s for s in suites(seed) if s.size.tests < 300]
    assert all(smallest <= suite.size.symbols for suite in few)


def all_ways(rows, inputs, state, target, depth) -> bool:
    """Whether a tester is sure to reach a state within so many labels, by plain recursion."""
    if state == target:
        return True
    if depth == 0:
        return False
    row = rows[state]
    shown = [after for label, after in row.items() if label >= inputs]
    given = [after for label, after in row.items() if label < inputs]
    return any(all_ways(rows, inputs, after, target, depth - 1) for after in given) or all(
        all_ways(rows, inputs, after, target, depth - 1) for after in shown
    )


@seeds(range(120))
def test_states_are_certainly_reachable_exactly_where_a_tester_is_sure_to_get_there(seed):
    table = table_of(drawn(seed))
    rows = [table.moves(state) for state in range(table.state_count)]
    fixed, adaptive = certain_accesses(rows, table.inputs, 0), certain_accesses(rows, table.inputs, 0, adaptive=True)
    sure = {state for state in range(len(rows)) if all_ways(rows, table.inputs, 0, state, len(rows))}
    assert sure == set(adaptive)
    assert set(fixed) <= sure
    for target, moves in fixed.items():  # one trace, whose outputs are the only ones
        state = 0
        while state != target:
            row, move = rows[state], moves[state]
            shown = [label for label in row if label >= table.inputs]
            assert move != WAITING or len(shown) == 1
            state = row[shown[0]] if move == WAITING else row[move]
        if target:
            assert adaptive_access(rows, table.inputs, 0, target) is not None


FORK = [("1", "!x", "2"), ("1", "!y", "3"), ("2", "?a", "4"), ("3", "!z", "4"), ("2", "!x", "2"), ("4", "!w", "4")]


def test_an_adaptive_access_makes_a_suite_smaller():
    fixed, adaptive = (n_complete(automaton(FORK), adaptive=adaptive) for adaptive in (False, True))
    assert adaptive.size.symbols < fixed.size.symbols


def told_apart(rows, inputs, probe, one, other) -> bool:
    """Whether no trace of an experiment leaves two states, by its definition."""
    if one == other:
        return False
    if not probe.watches:
        ((given, (after,)),) = probe.after.items()
        both = given in rows[one] and given in rows[other]
        return both and told_apart(rows, inputs, after, rows[one][given], rows[other][given])
    shown = [label for label in rows[one] if label >= inputs and label in rows[other]]
    return all(
        label in probe.after and told_apart(rows, inputs, probe.after[label][0], rows[one][label], rows[other][label])
        for label in shown
    )


@pytest.mark.parametrize("seed", range(40))
def test_any_two_states_of_a_block_share_an_experiment_that_tells_them_apart(seed):
    form = normal_form(drawn(seed, most=9))
    found, states = compatible_states(form.table), range(len(form.rows))
    blocks = incompatible_blocks(found, states, {0: {}})
    assert sorted(state for block in blocks for state in block) == list(states)
    for identify in harmonized_identifiers(form, found, blocks, resting=False):
        for block in blocks:
            for one, other in combinations(block, 2):
                shared = set(identify(one)) & set(identify(other))
                assert any(told_apart(form.rows, form.table.inputs, probe, one, other) for probe in shared)


ENDLESS = [("1", "!x", "1"), ("1", "!y", "2"), ("1", "!z", "1"), ("2", "!x", "1"), ("2", "!y", "2"), ("2", "!w", "2")]
"""1 and 2 are compatible, and both are reached from their merge."""


def test_merges_that_contain_themselves_are_found_and_the_unconditional_suite_is_made():
    with pytest.raises(EndlessMerges, match="merge 1 ∧ 2 contains itself"):
        Merges(normal_form(automaton(ENDLESS)), 2)
    made = n_complete(automaton(ENDLESS), 2, construction=Construction.MERGING)
    assert made.construction is Construction.UNCONDITIONAL
    assert "contains itself" in made.note
    assert n_complete(automaton(ENDLESS), 2).construction is Construction.COUNTING


class Mute(GameSpecification):
    """A specification that allows no silence."""

    def quiet(self, state) -> bool:
        return False


def test_what_cannot_be_tested_is_told():
    with pytest.raises(ModelError, match="shows nothing, not even silence"):
        n_complete(Mute(specification_of("s0 ?a s1", "s1 !x s0").game))
    with pytest.raises(UsageError, match="at least one state"):
        n_complete(automaton(FORK), 0)
    with pytest.raises(UsageError, match="no machine: 1 may answer"):
        n_complete(automaton([("1", "!x", "1"), ("1", "?a", "1")]), machine=True)
    with pytest.raises(UsageError, match="no machine has"):
        n_complete(automaton([("1", "?a", "2"), ("2", "!x", "1")]), machine=True, construction=Construction.MERGING)


def test_a_suite_with_too_many_different_situations_is_refused():
    form = normal_form(automaton(FORK))
    obligations = Merges(form, 4).obligations()
    with pytest.raises(TooLarge, match="more than 3 different situations"):
        print(SuiteTree(form.rows, form.table.inputs, 0, obligations, 3).size)


def test_as_many_states_as_the_model_has_are_those_before_equal_ones_are_made_one():
    twins = Machine(("p", "q"), ((0, "a", "x", 1), (1, "a", "x", 0)))
    assert n_complete(twins, machine=True).asked.states == 2
    assert n_complete(twins).asked.states == table_of(twins).state_count == 4


def test_numbers_of_tests_are_exact_where_no_list_could_be_made():
    lamp = automaton([("off", "?press", "on"), ("off", "?hold", "off"), ("on", "!light", "off"), ("on", "!hum", "on")])
    size = n_complete(lamp, 60).size
    assert size.tests > 10**12
    assert size.tests < size.labels < 100 * size.tests
