"""Compatible states (van den Bos 2020, 3.8) by plain fixpoint from the definition, and the thesis' own examples."""

from __future__ import annotations

import itertools
import random

import pytest

from helpers.automata import random_automaton
from helpers.figures import EXAMPLE_3_28, FIGURE_3_1, rooted
from helpers.seeds import seeds
from outplay.compiling import compiled, interpreted
from outplay.conformance.compatibility import Compatibility, compatible_states, valid_states
from outplay.conformance.refined_states import refined_states
from outplay.conformance.transition_table import TransitionTable, table_of, table_of_rows
from outplay.model.automaton import automaton
from outplay.model.label import Label

KERNELS = "outplay.conformance.compatibility.best_for"


@pytest.fixture(params=[interpreted, compiled], ids=["plain", "compiled"])
def _kernels(request, monkeypatch):
    monkeypatch.setattr(KERNELS, lambda kernel, edges: request.param(kernel))


def by_layers(table: TransitionTable) -> dict[tuple[int, int], int]:
    """Definition 2.18 from the other end: the pairs struck out in each round, with the number of the round."""
    rows = [table.moves(state) for state in range(table.state_count)]
    ranks: dict[tuple[int, int], int] = {}
    for layer in itertools.count():
        found = []
        for p, q in itertools.product(range(table.state_count), repeat=2):
            if (p, q) in ranks or p == q:
                continue
            common = [(label, (rows[p][label], rows[q][label])) for label in rows[p].keys() & rows[q].keys()]
            given = any(pair in ranks for label, pair in common if label < table.inputs)
            if given or all(pair in ranks for label, pair in common if label >= table.inputs):
                found.append((p, q))
        if not found:
            return ranks
        ranks.update(dict.fromkeys(found, layer))


def drawn(seed: int) -> TransitionTable:
    most = random.Random(f"size {seed}").choice([5, 8, 12])
    return table_of(random_automaton(seed, most=most, share=(0.25, 0.4), silence=0.2, internal=0.1))


def assert_counts_what_becomes_alike(rng: random.Random, found: Compatibility) -> None:
    states = list(range(found.table.state_count))
    moved = {state: rng.choice(states) for state in rng.sample(states, rng.randint(1, len(states)))}
    alike = [
        (p, q)
        for p, q in itertools.combinations(moved, 2)
        if found.compatible(moved[p], moved[q]) and not found.compatible(p, q)
    ]
    assert found.alike_after(moved, len(states) ** 2) == len(alike)
    assert found.alike_after(moved, 1) == min(len(alike), 1)


@pytest.mark.usefixtures("_kernels")
@pytest.mark.parametrize("few", [0, 40])
def test_pairs_ranks_and_moves_are_those_of_the_definition(few, monkeypatch):
    monkeypatch.setattr("outplay.conformance.compatibility._FEW", few)
    deep = 0
    for seed in range(few, 125 + few):
        table = drawn(seed)
        found, expected = compatible_states(table), by_layers(table)
        for p, q in itertools.combinations(range(table.state_count), 2):
            assert found.rank_of(p, q) == expected.get((p, q))
            if (p, q) in expected:
                assert_move_wins(table, expected, found, p, q)
        kept = {pair for pair in itertools.combinations(range(table.state_count), 2) if pair not in expected}
        assert set(found.pairs()) == kept
        if expected:
            assert found.least_rank(range(table.state_count)) == min(expected.values())
        assert_counts_what_becomes_alike(random.Random(seed), found)
        assert found.count == len(kept)
        deep = max([deep, *expected.values()])
    assert deep >= 4


def assert_move_wins(table, ranks, found, p: int, q: int) -> None:
    """Lemma 3.7, and a wait is preferred where both are best."""
    rank, move = ranks[p, q], found.move_of(p, q)
    common = {
        label: (table.moves(p)[label], table.moves(q)[label]) for label in table.moves(p) if label in table.moves(q)
    }
    waits = [ranks.get(pair, 10**6) for label, pair in common.items() if label >= table.inputs]
    if move is None:
        assert max(waits, default=-1) < rank or rank == 0
    else:
        assert ranks[common[table.labels.index(move)]] == rank - 1
        assert max(waits) > rank - 1


def product(table: TransitionTable) -> TransitionTable:
    """Definition 3.9: the synchronous composition of an automaton with itself."""
    pairs = list(itertools.product(range(table.state_count), repeat=2))
    number = {pair: place for place, pair in enumerate(pairs)}
    rows = []
    for p, q in pairs:
        one, other = table.moves(p), table.moves(q)
        rows.append({label: number[one[label], other[label]] for label in one.keys() & other.keys()})
    return table_of_rows(rows, table.labels, [str(pair) for pair in pairs])


@pytest.mark.usefixtures("_kernels")
@seeds(range(60))
def test_lemma_3_10_states_are_compatible_where_their_pair_is_valid(seed):
    table = drawn(seed)
    found, valid = compatible_states(table), valid_states(product(table))
    for p, q in itertools.product(range(table.state_count), repeat=2):
        assert int(valid.rank[p * table.state_count + q]) == (-1 if (rank := found.rank_of(p, q)) is None else rank)


def named_pairs(steps, initial=None) -> set[tuple[str, str]]:
    found = compatible_states(automaton(steps, initial=initial))
    names = found.table.names
    return {(names[p], names[q]) for p, q in found.pairs()}


def test_figure_3_1_has_one_pair():
    assert {frozenset(pair) for pair in named_pairs(FIGURE_3_1)} == {frozenset("23")}


def test_example_3_28_has_two_pairs():
    # 2 cannot be reached from 1: start both from a root that knows them all.
    found = {frozenset(pair) for pair in named_pairs(rooted(EXAMPLE_3_28), initial="root")}
    assert {pair for pair in found if "root" not in pair} == {frozenset("35"), frozenset("46")}


def test_figure_2_2_compatibility_is_not_transitive():
    """Example 2.17: 1 fits both 2 and 3, which have no output in common; after y and after x all are in 2."""
    steps = [("1", "!y", "2"), ("1", "!x", "2"), ("2", "!y", "2"), ("2", "!z", "1"), ("3", "!x", "2"), ("1", "!w", "3")]
    assert {frozenset(pair) for pair in named_pairs(steps)} == {frozenset("12"), frozenset("13")}


def test_more_outputs_than_a_word_has_bits():
    rows = [(f"s{n}", f"!x{n}", "s0") for n in range(130)] + [("s0", f"!go{n}", f"s{n}") for n in range(130)]
    rows += [("s1", "!x129", "s0")]
    found = compatible_states(automaton(rows, initial="s0"))
    assert named_pairs(rows) == {("s1", "s129")}
    assert found.move_of(2, 3) is None
    assert found.table.labels.index(Label.parse("!x129")) >= 0


@seeds(range(200))
def test_refinement_finds_the_same_ranks_and_moves_that_reach_them(seed):
    rng = random.Random(f"refined {seed}")
    count, outputs = rng.randint(1, 6), rng.choice(["xy", "xyz"])
    steps = []
    for state, given in itertools.product(range(count), "abc"[: rng.randint(1, 3)]):
        shown, target = rng.choice(outputs), rng.randrange(count)
        steps += [(f"{state}", f"?{given}", f"{shown}{target}"), (f"{shown}{target}", f"!{shown}", f"{target}")]
    table = table_of(automaton(steps, initial="0"))
    by_pairs, refined = compatible_states(table), refined_states(table, most=10_000)
    assert refined is not None
    states = range(table.state_count)
    for p, q in itertools.combinations(states, 2):
        rank = by_pairs.rank_of(p, q)
        assert refined.rank_of(p, q) == rank
        if rank:
            move = refined.move_between(p, q)
            labels = [move] if move >= 0 else [x for x in table.moves(p) if x >= table.inputs]
            after = [(table.moves(p)[label], table.moves(q)[label]) for label in labels]
            assert max(by_pairs.rank_of(*pair) for pair in after) == rank - 1
    assert (refined.count, list(refined.pairs())) == (by_pairs.count, list(by_pairs.pairs()))
    some = sorted(rng.sample(states, rng.randint(1, len(states))))
    if any(not by_pairs.compatible(p, q) for p, q in itertools.combinations(some, 2)):
        assert refined.least_rank(some) == by_pairs.least_rank(some)
    moved = {state: rng.choice(states) for state in some}
    for enough in (1, 100):
        assert refined.alike_after(moved, enough) == by_pairs.alike_after(moved, enough)


def test_refinement_is_refused_where_a_state_shows_several_things_or_inputs_differ():
    assert refined_states(table_of(automaton([("1", "!x", "1"), ("1", "!y", "2"), ("2", "!x", "1")])), most=100) is None
    partial = [("1", "?a", "x"), ("1", "?b", "x"), ("x", "!x", "2"), ("2", "?a", "y"), ("y", "!y", "1")]
    assert refined_states(table_of(automaton(partial)), most=100) is None
