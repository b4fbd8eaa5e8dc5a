"""Demonic completion and equivalence (van den Bos 2020, 2.9 to 2.14), by implementations and by the definition."""

from __future__ import annotations

import itertools
import random

from helpers.automata import random_automaton
from helpers.seeds import seeds
from outplay import Automaton, automaton
from outplay.conformance import check, demonic, minimised
from outplay.conformance.completion import demonic_table, equivalence_classes
from outplay.conformance.transition_table import table_of
from outplay.model.label import Label

LABELS = [Label.parse(text) for text in ("?a", "?b", "!x", "!y")]


def drawn(seed: object) -> Automaton:
    return random_automaton(seed, least=2, most=6, labels=LABELS, share=(0.3, 0.5), silence=0.1, stays=True)


def implementations(seed: int, count: int):
    """Input-enabled automata over the same labels."""
    for number in range(count):
        yield random_automaton(("impl", seed, number), most=3, labels=LABELS, share=0.3, enabled=True)


@seeds(range(60))
def test_the_completion_is_input_enabled_conforms_and_has_the_same_implementations(seed):
    spec = drawn(seed)
    full, small = demonic(spec, LABELS), minimised(spec, LABELS).automaton
    assert check(spec, full).conforms
    given = {label for label in full.used_labels if label.is_input}
    assert all(given <= {label for label, _ in full.moves(state)} for state in range(full.state_count))
    for impl in implementations(seed, 15):
        assert check(spec, impl).conforms == check(full, impl).conforms == check(small, impl).conforms


def by_definition(full: Automaton) -> set[tuple[int, int]]:
    """Definition 2.13: the largest relation of states with the same outputs and related successors."""
    moves = [dict(full.moves(state)) for state in range(full.state_count)]
    shown = [{label for label in row if not label.is_input} for row in moves]
    related = {
        (p, q) for p, q in itertools.product(range(full.state_count), repeat=2) if shown[p] == shown[q]
    }  # fmt: skip
    while True:
        kept = {
            (p, q) for p, q in related if all((moves[p][x], moves[q][x]) in related for x in moves[p].keys() & moves[q])
        }
        if kept == related:
            return related
        related = kept


@seeds(range(200))
def test_classes_are_those_of_the_largest_equivalence_relation(seed):
    spec = drawn(seed)
    full = demonic(spec, ())
    numbers = equivalence_classes(demonic_table(table_of(spec, labels=spec.used_labels))).tolist()
    expected = by_definition(full)
    assert {(p, q) for p in range(len(numbers)) for q in range(len(numbers)) if numbers[p] == numbers[q]} == expected


@seeds(range(100))
def test_the_smallest_specification_is_equivalent_and_has_no_equivalent_states(seed):
    spec = drawn(seed)
    small = minimised(spec, LABELS)
    both = demonic(spec, LABELS), demonic(small.automaton, LABELS)
    assert check(*both).conforms
    assert check(*both[::-1]).conforms
    again = minimised(small.automaton, LABELS)
    assert again.automaton.state_count == small.automaton.state_count
    assert all(len(group) == 1 for group in again.classes)


def test_copies_of_states_are_found_and_chaos_is_named():
    rng = random.Random(1)
    spec = automaton([("a", "?a", "b"), ("b", "!x", "a"), ("a", "?b", "free"), ("free", "!x", "free")])
    steps = [(f"{s}{n}", x, f"{t}{rng.randrange(3)}") for s, x, t in named(spec) for n in range(3)]
    found = minimised(automaton(steps, initial="a0"), ())
    assert found.automaton.state_count == minimised(spec, ()).automaton.state_count
    anything = [("free", label, "free") for label in ("!x", "delta", "?a", "?b")]
    loose = minimised(automaton([*named(spec)[:3], *anything]), ())
    assert loose.chaos == ("free",)
    assert not any(str(label) == "?b" for label in loose.automaton.used_labels)


MORE = [*LABELS, Label.parse("!z"), Label.parse("?c")]


@seeds(range(100))
def test_what_the_model_does_not_name_is_judged_as_the_definition_says(seed):
    spec = drawn(seed)
    closed, open_ = minimised(spec, MORE).automaton, minimised(spec).automaton
    full, known = demonic(spec, MORE), demonic(spec)
    other = next(label for label in known.used_labels if label not in LABELS and label.is_output)
    for number in range(15):
        impl = random_automaton(("more", seed, number), most=3, labels=MORE, share=0.3, enabled=True)
        expected = check(spec, impl).conforms
        assert check(full, impl).conforms == check(closed, impl).conforms == check(open_, impl).conforms == expected
        unknown = {x for x in impl.used_labels if x.is_output and x not in spec.used_labels}
        renamed = [(s, other if x in unknown else x, t) for s, x, t in named_steps(impl) if str(x) != "?c"]
        fewer = automaton(renamed, initial=impl.names[0], states=impl.names)
        assert check(known, fewer).conforms == check(spec, fewer).conforms


def named_steps(model: Automaton):
    return [(model.names[s], label, model.names[t]) for s, label, t in model.transitions()]


def test_a_state_that_allows_all_that_is_named_is_chaos_only_where_there_is_nothing_else():
    steps = [("a", "?a", "free"), ("a", "!x", "a")]
    steps += [("free", label, "free") for label in ("!x", "delta", "?a")]
    spec, other = automaton(steps), automaton([("p", "!x", "p"), ("p", "?a", "q"), ("q", "!z", "q"), ("q", "?a", "q")])
    assert not check(spec, other).conforms
    assert minimised(spec).chaos == ()
    assert not check(minimised(spec).automaton, other).conforms
    assert minimised(spec, ()).chaos == ("free",)
    assert check(minimised(spec, ()).automaton, other).conforms  # which has an output that there is not
    assert minimised(spec, [Label.parse("!z")]).chaos == ()


def test_the_output_that_stands_for_all_others_is_none_of_the_model():
    spec = automaton([("a", "!other", "a"), ("a", "?a", "b"), ("b", "!x", "a")])
    shown = {str(label) for label in demonic(spec).used_labels if not label.is_input}
    assert shown == {"!x", "!other", "!other'", "delta"}


def named(model: Automaton):
    return [(model.names[s], str(label), model.names[t]) for s, label, t in model.transitions()]
