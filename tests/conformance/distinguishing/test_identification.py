"""Distinguishing graphs of pairs and merges (van den Bos 2020, 2.20 to 2.31), by their definitions."""

from __future__ import annotations

import itertools

import pytest

from helpers.automata import random_automaton
from helpers.experiments import observations
from helpers.figures import FIGURE_3_1
from helpers.seeds import seeds
from outplay import automaton
from outplay.conformance import check, compatible_states
from outplay.conformance.completion import merged
from outplay.conformance.distinguishing.experiment import Identification
from outplay.conformance.transition_table import table_of
from outplay.errors import UsageError
from outplay.model.label import Label

LABELS = [Label.parse(text) for text in ("?a", "?b", "!x", "!y")]


def drawn(seed: object):
    return random_automaton(seed, least=2, most=6, labels=LABELS, share=(0.4, 0.6), silence=0.1, stays=True)


@seeds(range(150))
def test_after_every_trace_at_most_one_of_the_two_is_left_and_the_rank_is_its_length(seed):
    found = compatible_states(drawn(seed))
    graphs, rows = Identification(found), [found.table.moves(q) for q in range(found.table.state_count)]
    for p, q in itertools.combinations(range(found.table.state_count), 2):
        if found.compatible(p, q):
            with pytest.raises(UsageError, match="are compatible"):
                graphs.pair(p, q)
            continue
        graph = graphs.pair(p, q)
        assert graph is graphs.pair(q, p)  # harmonized
        assert graph.depth == found.rank_of(p, q) + 1
        for trace in observations(graph):
            left = {p, q}
            for label in trace:
                number = found.table.labels.index(label)
                left = {rows[state][number] for state in left if number in rows[state]}
            assert len(left) <= 1


def test_an_identifier_has_a_graph_for_each_incompatible_state():
    found = compatible_states(automaton(FIGURE_3_1))
    names = found.table.names
    graphs = Identification(found).identifier(names.index("2"))
    assert {names[other] for other in graphs} == {"1", "4"}
    assert str(graphs[names.index("1")]) == "a.(x.0 + y.0)"


@seeds(range(60))
def test_lemma_2_24_what_conforms_to_the_merge_is_what_conforms_to_both(seed):
    table = table_of(drawn(seed), labels=LABELS)
    found = compatible_states(table)
    for p, q in itertools.islice(found.pairs(), 3):
        both = merged(table, table.names[p], table.names[q])
        ones = [starting(table, state) for state in (p, q)]
        assert all(check(one, both).conforms for one in ones)
        for number in range(12):
            impl = random_automaton(("impl", seed, number), most=3, labels=LABELS, share=0.3, enabled=True)
            assert check(both, impl).conforms == all(check(one, impl).conforms for one in ones)


@seeds(range(60))
def test_lemma_2_24_holds_of_implementations_that_show_what_the_model_does_not_name(seed):
    more = [*LABELS, "!z", "?c"]
    table = table_of(drawn(seed))
    for p, q in itertools.islice(compatible_states(table).pairs(), 3):
        both = merged(table, table.names[p], table.names[q])
        ones = [starting(table, state) for state in (p, q)]
        for number in range(12):
            impl = random_automaton(("more", seed, number), most=3, labels=more, share=0.3, enabled=True)
            assert check(both, impl).conforms == all(check(one, impl).conforms for one in ones)


def starting(table, state: int):
    """The automaton from another state on."""
    steps = [
        (table.names[s], table.labels[x], table.names[t])
        for s, x, t in zip(table.source.tolist(), table.label.tolist(), table.target.tolist(), strict=True)
    ]
    return automaton(steps, initial=table.names[state])


def test_incompatible_and_unknown_states_have_no_merge():
    with pytest.raises(UsageError, match="nothing conforms to both"):
        merged(automaton(FIGURE_3_1), "1", "4")
    with pytest.raises(UsageError, match="no state '9'"):
        merged(automaton(FIGURE_3_1), "1", "9")
