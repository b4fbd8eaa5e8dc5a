"""The game on pairs by its definition: an exhaustive search on the product, to a depth that leaves nothing over."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from helpers.automata import random_automaton
from helpers.seeds import seeds
from outplay.compiling import compiled, interpreted
from outplay.conformance.compatibility import compatible_states
from outplay.conformance.transition_table import TransitionTable, table_of
from outplay.strategy.suspicion._kernels import pair_values
from outplay.strategy.suspicion.behaviour_table import answering_rows
from outplay.strategy.suspicion.pair_game import NearbyPairs, solved_pairs

DISCOUNT, DEPTH = 0.6, 14  # 0.6 ** 14 is below what is compared


def drawn(seed: int) -> TransitionTable:
    return table_of(random_automaton(f"pairs {seed}", least=2, most=5, share=(0.3, 0.5, 0.8), silence=0.4))


def searched(table: TransitionTable, depth: int):
    """The best chance to see what the model forbids, by trying every move so many labels deep."""

    @cache
    def best(model: int, system: int, left: int) -> float:
        if model == system or not left:
            return 0.0
        ours, theirs = table.moves(model), table.moves(system)
        answers = [label for label in theirs if label >= table.inputs]
        chances = [best(ours[x], theirs[x], left - 1) if x in ours else 1.0 for x in answers]
        moves = [sum(chances) / len(chances)] if chances else []
        moves += [best(ours[a], theirs[a], left - 1) for a in ours.keys() & theirs.keys() if a < table.inputs]
        return DISCOUNT * max(moves, default=0.0)

    return best


@seeds(range(500), quick=160)
def test_values_of_pairs_are_those_of_a_search_of_all_plays(seed):
    table = drawn(seed)
    apart, best = solved_pairs(answering_rows(table), DISCOUNT).apart, searched(table, DEPTH)
    for model in range(table.state_count):
        for system in range(table.state_count):
            assert apart[model, system] == pytest.approx(best(model, system, DEPTH), abs=2e-3)


@seeds(range(100))
def test_states_that_can_be_told_apart_for_sure_have_a_value(seed):
    table = drawn(seed)
    apart, told = solved_pairs(answering_rows(table)).apart, compatible_states(table)
    for p in range(table.state_count):
        for q in range(p):
            if not told.compatible(p, q):
                assert apart[p, q] > 0
                assert apart[q, p] > 0


@seeds(range(40))
def test_compiled_and_plain_kernels_agree(seed):
    rows = answering_rows(drawn(seed))
    states = len(rows.first) - 1
    found = []
    for run in (interpreted(pair_values), compiled(pair_values)):
        value = np.zeros(states * states)
        sweeps = run(rows, value, 0.9, 50, 1e-6)
        found.append((sweeps, value.tolist()))
    assert found[0][0] == found[1][0]
    assert found[0][1] == pytest.approx(found[1][1])


@seeds(range(100))
def test_where_all_states_are_near_the_nearby_game_is_the_whole_one(seed):
    table = drawn(seed)
    rows = answering_rows(table)
    whole, near = solved_pairs(rows), NearbyPairs(rows)
    rng = np.random.default_rng(seed)
    suspected, weight = rng.integers(table.state_count, size=6), rng.random(6)
    near.look_from(0)
    assert near.promises(0, suspected, weight) == pytest.approx(whole.promises(0, suspected, weight), abs=0.05)
