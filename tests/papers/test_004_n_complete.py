"""n-complete suites of van den Bos 2020, chapter 2: examples 2.32, 2.36, 2.38 and 2.45."""

from __future__ import annotations

import pytest

from helpers.implementations import GamePosition, conforms, rows_of
from outplay import automaton
from outplay.conformance import check, compatible_states
from outplay.suite.complete.merging_suite import Conjunctions, Merges
from outplay.suite.complete.n_complete import Construction, n_complete
from outplay.suite.complete.normal_form import normal_form

FIGURE_2_1 = [
    *(("1", label, "2") for label in ("?a", "!x")),
    ("1", "?b", "3"),
    *((state, "!w", "6") for state in "23"),
    *(("2", "?a", "4"), ("3", "?a", "5")),
    *(("4", "!x", "6"), ("4", "!y", "6"), ("5", "!y", "6")),
    ("6", "!z", "6"),
]
"""Rebuilt from the text: which pairs are compatible, what the merge of 2 and 3 does, and the traces that are named."""

FIGURE_2_9 = [*((s, x, t) for s, t in ("12", "23", "34") for x in ("!x", "!y")), ("4", "!y", "1")]
WRONG_2_9 = ({"!y": 1}, {"!y": 2}, {"!x": 0})
COUNTEREXAMPLE = ("!y !y !x " * 4).split()


def watched(steps, suite) -> GamePosition:
    return GamePosition(rows_of(steps), "1", (tuple(map(str, trace)) for trace in suite.traces()))


def test_example_2_32_two_pairs_are_compatible():
    found = compatible_states(automaton(FIGURE_2_1))
    names = found.table.names
    assert {frozenset((names[p], names[q])) for p, q in found.pairs()} == {frozenset("23"), frozenset("45")}
    assert found.rank_of(names.index("1"), names.index("4")) == 1


def test_example_2_38_the_merges_have_three_and_two_states_and_the_recursion_ends():
    form = normal_form(automaton(FIGURE_2_1))
    names = form.table.names
    merges = Merges(form, 6)
    both = {pair: merges.suite(tuple(sorted(map(names.index, pair)))) for pair in ("23", "45")}
    assert (len(both["23"].sets), len(both["45"].sets)) == (3, 2)
    assert [list(suite.needed()) for suite in both.values()] == [[], []]
    assert {frozenset(names[q] for q in one) for one in merges.suite((0,)).needed()} == {
        frozenset("23"),
        frozenset("45"),
    }


def test_example_2_38_the_traces_of_the_merge_are_the_beginnings_of_wz_and_ayz():
    form = normal_form(automaton(FIGURE_2_1))
    suite = Merges(form, 6).suite(tuple(sorted(form.table.names.index(state) for state in "23")))
    labels, found = form.table.labels, {()}
    level = [((), 0)]
    for _ in range(6):
        level = [((*trace, str(labels[x])), t) for trace, q in level for x, t in suite.rows[q].items() if t >= 0]
        found |= {trace for trace, _ in level}
    longest = (("!w", *["!z"] * 5), ("?a", "!y", *["!z"] * 4))
    assert found == {trace[:length] for trace in longest for length in range(7)}


def test_example_2_39_what_the_merge_forbids_the_specification_may_allow():
    form = normal_form(automaton(FIGURE_2_1))
    number, sets = form.table.numbers, Conjunctions(form)
    give, shown = (number[label] for label in form.table.labels if str(label) in ("?a", "!x"))
    both = tuple(sorted(form.table.names.index(state) for state in "23"))
    assert shown not in sets.row(sets.row(both)[give])  # a x is no trace of the merge
    assert not check(automaton(FIGURE_2_1), automaton([("1", "!x", "2"), ("2", "!z", "2")])).conforms
    assert conforms(rows_of(FIGURE_2_1), "1", ({"?a": 1, "?b": 1, "!x": 1}, {"?a": 2, "!w": 3}, {"!y": 3}, {"!z": 3}))


FIGURE_2_8 = [("1", "!x", "2"), ("1", "!y", "3"), ("2", "!w", "2"), ("3", "!z", "3")]
WRONG_2_8 = ({"!y": 1}, {"!z": 2}, {"!z": 0})


@pytest.mark.parametrize("construction", Construction)
def test_example_2_36_a_state_that_may_be_left_out_gives_room_for_a_fault(construction):
    rows = rows_of(FIGURE_2_8)
    assert not conforms(rows, "1", WRONG_2_8)
    fsm_like = GamePosition(rows, "1", [("!y",), ("!y", "!z"), ("!x",), ("!x", "!w")])
    assert fsm_like.passed_by(WRONG_2_8)  # access, one label, and a look
    suite = n_complete(automaton(FIGURE_2_8), 3, construction=construction)
    assert not watched(FIGURE_2_8, suite).passed_by(WRONG_2_8)
    assert watched(FIGURE_2_8, suite).passed_by(({"!y": 1}, {"!z": 1}))


def test_example_2_45_the_shortest_counterexample_is_as_long_as_the_bound():
    impl = automaton([("1", "!y", "2"), ("2", "!y", "3"), ("3", "!x", "1")])
    found = check(automaton(FIGURE_2_9), impl)
    assert list(map(str, found.counterexample)) == COUNTEREXAMPLE


@pytest.mark.parametrize("construction", Construction)
def test_example_2_45_is_found_with_three_states_in_all_suites(construction):
    suite = n_complete(automaton(FIGURE_2_9), 3, construction=construction)
    assert not watched(FIGURE_2_9, suite).passed_by(WRONG_2_9)


def test_corollary_2_44_the_unconditional_suite_has_exactly_the_bounded_traces_that_are_longest():
    rows, bound = rows_of(FIGURE_2_9), 3

    def bounded(trace: tuple[str, ...], visits: dict[str, int], state: str):
        """All traces that visit no state more often than that."""
        yield trace
        for label, target in rows[state].items():
            if visits.get(target, 0) < bound:
                yield from bounded((*trace, label), {**visits, target: visits.get(target, 0) + 1}, target)

    expected = set(bounded((), {"1": 1}, "1"))
    suite = n_complete(automaton(FIGURE_2_9), bound, construction=Construction.UNCONDITIONAL)
    traces = {tuple(map(str, trace)) for trace in suite.traces()}
    assert traces == {trace for trace in expected if not any((*trace, label) in expected for label in ("!x", "!y"))}
    assert {len(trace) + 1 for trace in traces} == {12}  # |S| · n, with the output that is watched for
