"""Splitting graphs and tests for all states, by their definitions (van den Bos 2020, chapter 3)."""

from __future__ import annotations

import itertools
import random
from collections import Counter

import pytest

from helpers.automata import random_automaton
from helpers.experiments import observations
from helpers.figures import EXAMPLE_3_28, FIGURE_3_1, rooted, splitting_family
from helpers.seeds import seeds
from outplay import automaton
from outplay.conformance.compatibility import compatible_states
from outplay.conformance.distinguishing import splitting_graph as splitting
from outplay.conformance.distinguishing import state_sets
from outplay.conformance.distinguishing.adaptive_graph import Distinguishing, distinguishing
from outplay.conformance.distinguishing.experiment import Experiment
from outplay.conformance.distinguishing.further_tests import further_tests
from outplay.conformance.distinguishing.splitting_graph import SplittingGraph, splitting_graph
from outplay.conformance.transition_table import TransitionTable, table_of
from outplay.errors import ModelError


def drawn(seed: object, most: int = 6) -> TransitionTable:
    rng = random.Random(f"table {seed}")
    labels = rng.choice([("?a", "!x", "!y"), ("?a", "?b", "!x", "!y", "!z"), ("!x", "!y", "!z")])
    return table_of(random_automaton(rng, least=2, most=most, labels=labels, share=(0.4, 0.6), silence=0.2, stays=True))


def sparse(seed: object) -> TransitionTable:
    """Many silent states with few inputs each, so that inputs are lacking and not all that is alike is compatible."""
    labels = ("?a", "?b", "?c", "!x", "!y")
    rng = random.Random(f"sparse {seed}")
    return table_of(random_automaton(rng, least=9, most=14, labels=labels, share=(0.3, 0.4), silence=0.7, stays=True))


def trace_from(table: TransitionTable, state: int, trace) -> int | None:
    """Where a trace leads from a state."""
    for label in trace:
        reached = table.moves(state).get(table.labels.index(label))
        if reached is None:
            return None
        state = reached
    return state


def assert_is_a_test(part: Experiment) -> None:
    """Definition 3.12: each part gives one input, or waits, or is over."""
    given = [label for label in part.moves if label.is_input]
    assert not given or len(part.moves) == 1
    for after in part.moves.values():
        assert_is_a_test(after)


@pytest.mark.parametrize("few", [0, 8])
@seeds(range(120))
def test_a_splitting_graph_is_what_the_definition_says(seed, few, monkeypatch):
    """Also where states that lack an input are not added to every part and kernels count pairs, as is done for many."""
    monkeypatch.setattr(splitting, "_FEW", few)
    if not few:
        monkeypatch.setattr(state_sets, "_MANY", 0)
        monkeypatch.setattr(state_sets, "_NEAR", 0)
    table = drawn(seed) if seed % 2 else sparse(seed)
    found = compatible_states(table)
    graph = splitting_graph(found)
    states = graph.states
    assert graph.sets[0] == states.all
    assert len(set(graph.sets)) == len(graph)
    for number, members in enumerate(graph.sets):
        children = [graph.sets[child] for child in graph.children[number]]
        if not children:
            assert states.compatible(members)
            continue
        assert all(child < members for child in children)
        assert frozenset().union(*children) == members
        witness = graph.witness_of(number)
        assert_is_a_test(witness)
        for trace in observations(witness):
            enabled = {state for state in members if trace_from(table, state, trace) is not None}
            assert any(enabled <= child for child in children)
        for pair in itertools.combinations(members, 2):
            together = any(child.issuperset(pair) for child in children)
            assert together or found.compatible(*pair) or tells_apart(witness, table, *pair)


def pairs_by_traces(found: Distinguishing, table: TransitionTable) -> tuple[set, set]:
    """Incompatible pairs that share a trace to an end; and those where an input is given that one of them lacks."""
    compatible, ends, dropped = compatible_states(table), set(), set()
    pairs = [pair for pair in itertools.combinations(range(table.state_count), 2) if not compatible.compatible(*pair)]
    stack = [(found.experiment, {q: q for q in range(table.state_count)})]
    while stack:
        part, at = stack.pop()
        alive = [pair for pair in pairs if pair[0] in at and pair[1] in at]
        if not part.moves:
            ends.update(alive)
        for label, after in part.moves.items():
            reached = {q: t for q, s in at.items() if (t := trace_from(table, s, [label])) is not None}
            if label.is_input:
                dropped.update(pair for pair in alive if not (pair[0] in reached and pair[1] in reached))
            stack.append((after, reached))
    return ends, dropped - ends


@pytest.mark.parametrize("most", [1, 1_000])
@seeds(range(100))
def test_the_test_for_all_states_ends_with_compatible_ones_and_its_figures_are_right(seed, most):
    """Also where the splitting graph is left incomplete, as is done with very large ones."""
    table = drawn(seed)
    graph = SplittingGraph(compatible_states(table), most)
    assert graph.complete == (len(graph) <= most)
    found = distinguishing(graph)
    assert_is_a_test(found.experiment)
    sizes, weighted = [], 0.0
    for trace in observations(found.experiment):
        starts = [q for q in range(table.state_count) if trace_from(table, q, trace) is not None]
        ends = {trace_from(table, q, trace) for q in starts}
        assert found.states.compatible(frozenset(ends))
        sizes.append(len(starts))
        weighted += len(starts) * weight(found.experiment, trace)
    assert found.average_leaf == pytest.approx(sum(sizes) / len(sizes))
    assert found.weighted_leaf == pytest.approx(weighted)
    assert found.experiment.depth == max(map(len, observations(found.experiment)))
    assert (set(found.undistinguished), set(found.left_out)) == pairs_by_traces(found, table)


def weight(part: Experiment, trace) -> float:
    chance = 1.0
    for label in trace:
        chance /= 1 if label.is_input else len(part.moves)
        part = part.moves[label]
    return chance


def tells_apart(experiment: Experiment, table: TransitionTable, p: int, q: int) -> bool:
    """Definition 3.18: a test for both states, of which no trace is shown by both to its end."""
    stack = [(experiment, p, q)]
    while stack:
        part, one, other = stack.pop()
        if not part.moves:
            return False
        rows = table.moves(one), table.moves(other)
        for label, after in part.moves.items():
            both = [row.get(table.labels.index(label)) for row in rows]
            if None not in both:
                stack.append((after, *both))
            elif label.is_input:
                return False
    return True


def test_further_tests_tell_apart_what_one_test_leaves_and_are_few():
    pairs = tests = 0
    for seed in range(100):
        how = {"least": 6, "most": 14, "labels": ("?a", "?b", "?c", "!x", "!y"), "share": 0.45, "silence": 0.1}
        table = table_of(random_automaton(("further", seed), stays=True, **how))
        found = distinguishing(table)
        left, more = {*found.undistinguished, *found.left_out}, further_tests(found)
        assert set().union(*(one.pairs for one in more)) == left
        for one in more:
            assert_is_a_test(one.experiment)
            assert one.pairs
            assert all(tells_apart(one.experiment, table, *pair) for pair in one.pairs)
        pairs, tests = pairs + len(left), tests + len(more)
    assert pairs > 100
    assert tests < 0.7 * pairs


def one_test_can(table: TransitionTable) -> bool:
    """Whether some test tells all states apart, where none are compatible: the least family of sets that has one."""
    rows = [table.moves(state) for state in range(table.state_count)]
    subsets = [frozenset(chosen) for size in range(table.state_count + 1)
               for chosen in itertools.combinations(range(table.state_count), size)]  # fmt: skip
    won = {chosen for chosen in subsets if len(chosen) <= 1}

    def leads(chosen: frozenset[int], label: int) -> bool:
        targets = [rows[state][label] for state in chosen if label in rows[state]]
        return len(set(targets)) == len(targets) and frozenset(targets) in won

    while True:
        more = set()
        for chosen in (one for one in subsets if one not in won):
            shown = {label for state in chosen for label in rows[state] if label >= table.inputs}
            given = [a for a in range(table.inputs) if all(a in rows[state] for state in chosen)]
            if all(leads(chosen, x) for x in shown) or any(leads(chosen, a) for a in given):
                more.add(chosen)
        if not more:
            return frozenset(range(table.state_count)) in won
        won |= more


def test_theorem_3_36_a_test_for_all_states_is_found_where_there_is_one():
    seen: Counter[bool] = Counter()
    for seed in itertools.count():
        table = drawn(("theorem", seed), most=5)
        compatible = compatible_states(table)
        if table.state_count < 3 or compatible.count:
            continue
        found = distinguishing(compatible)
        possible = one_test_can(table)
        assert all(found.graph.clean) == possible, seed
        assert (not found.undistinguished and not found.left_out) == possible, seed
        seen[possible] += 1
        if sum(seen.values()) == 150:
            break
    assert min(seen.values()) > 10


def test_a_leaf_waits_for_a_split_that_loses_nothing():
    """1 to 4 could be split by ?a at once, which mixes them up; ?b tells them all apart, once 5 to 8 are split."""
    steps = [(str(n), "!z", str(n)) for n in range(1, 5)] + [(str(n), "?a", "pq"[n % 2]) for n in range(1, 5)]
    steps += [(str(n), "?b", str(n + 4)) for n in range(1, 5)] + [(str(n), "!w", str(n + 4)) for n in range(5, 9)]
    steps += [(str(n), f"!x{n}", str((n - 8) % 4 + 1)) for n in range(9, 13)] + [("p", "!v", "p"), ("q", "!u", "q")]
    found = distinguishing(automaton(steps))
    assert all(found.graph.clean)
    assert found.undistinguished + found.left_out == []


def named_sets(graph: SplittingGraph) -> set[str]:
    names = graph.states.table.names
    return {"".join(sorted(names[state] for state in members)) for members in graph.sets}


def test_figure_3_6_the_splitting_graph_and_the_test_of_the_running_example():
    found = distinguishing(automaton(FIGURE_3_1))
    assert named_sets(found.graph) == {"1234", "123", "14", "13", "23", "1", "3", "4"}
    assert str(found.experiment) == "x.(x.0 + y.a.(x.0 + y.0)) + y.a.(x.0 + y.0)"
    assert (found.experiment.depth, found.undistinguished, found.left_out) == (4, [], [])


@pytest.mark.parametrize("size", [*range(3, 11), *(pytest.param(n, marks=pytest.mark.long) for n in (11, 12))])
def test_lemma_3_31_the_family_has_exponentially_many_sets(size):
    found = distinguishing(automaton(splitting_family(size)))
    assert len(found.graph) == 2 ** (size - 1)
    assert found.undistinguished == []


def test_example_3_28_is_split_to_its_end():
    # 2 cannot be reached from 1: start both from a root that knows them all.
    graph = splitting_graph(automaton(rooted(EXAMPLE_3_28), initial="root"))
    assert {"1", "2"} <= named_sets(graph)
    assert all(graph.states.compatible(leaf) for leaf, kids in zip(graph.sets, graph.children, strict=True) if not kids)


def test_figure_3_5_has_no_test_for_all_states():
    """After y, a and b two states are one: 1 and 3, 1 and 2, 2 and 3; yet each two of them can be told apart."""
    steps = [("1", "!y", "2"), ("2", "!x", "2"), ("3", "!y", "2"), ("1", "?a", "1"), ("2", "?a", "1"), ("3", "?a", "2")]
    table = table_of(automaton([*steps, ("1", "?b", "2"), ("2", "?b", "3"), ("3", "?b", "3")]))
    assert compatible_states(table).count == 0
    assert not one_test_can(table)
    assert len(distinguishing(table).undistinguished) == 1


def test_a_limit_is_told():
    with pytest.raises(ModelError, match="more than 20 sets"):
        splitting_graph(automaton(splitting_family(8)), most=20)
