"""ioco as a game against its definitions: on traces, and as the largest relation."""

from __future__ import annotations

import itertools
import random

import pytest

from helpers.automata import random_automaton
from outplay import Automaton, automaton
from outplay.model.compatibility import all_states
from outplay.model.conformance import Conforms, Differs, alternating_simulation
from outplay.model.label import Label
from outplay.model.suspension import SuspensionAutomaton

LABELS = [Label.parse(text) for text in ("?a", "?b", "!x", "!y")]


def implementation(rng: random.Random, spec: Automaton, most: int) -> Automaton:
    """Input-enabled, at most one target for each label: copied from the specification, then changed a little."""
    size = spec.state_count if rng.random() < 0.7 else rng.randint(1, most)
    moves = {}
    for state in range(size):
        known = dict(spec.moves(state)) if state < spec.state_count else {}
        for label in LABELS:
            target = known.get(label, rng.randrange(size) if label.is_input else None)
            if rng.random() < 0.08:
                target = rng.choice([None, rng.randrange(size)])
            if target is None and label.is_input:
                target = rng.randrange(size)
            if target is not None and target < size:
                moves[f"i{state}", label] = f"i{target}"
            elif label.is_input:
                moves[f"i{state}", label] = f"i{rng.randrange(size)}"
    return automaton([(s, label, t) for (s, label), t in moves.items()], states=[f"i{n}" for n in range(size)])


def pair(seed: int, most: int) -> tuple[SuspensionAutomaton, SuspensionAutomaton]:
    rng = random.Random(seed)
    spec = random_automaton(rng, most=most, labels=LABELS, share=0.6)
    return SuspensionAutomaton(spec), SuspensionAutomaton(implementation(rng, spec, most))


def shown(model: SuspensionAutomaton, state: int) -> set[Label]:
    return {label for label in model.moves(state) if not label.is_input}


def wrong_traces(spec: SuspensionAutomaton, impl: SuspensionAutomaton, longest: int):
    """Definition 5.26: an output of the implementation after a trace of the specification that may not be there."""
    level = [((), spec.initial[0], impl.initial[0])]
    for _ in range(longest):
        after = []
        for trace, s, i in level:
            for label in sorted(shown(impl, i) - shown(spec, s), key=str):
                yield (*trace, label)
            for label in spec.moves(s).keys() & impl.moves(i).keys():
                after.append(((*trace, label), spec.moves(s)[label], impl.moves(i)[label]))
        level = after


@pytest.mark.parametrize("seed", range(200))
def test_it_is_ioco_by_the_definition_on_traces_and_the_counterexample_is_shortest(seed):
    spec, impl = pair(seed, most=2)
    found = alternating_simulation(spec, impl)
    wrong = list(itertools.islice(wrong_traces(spec, impl, all_states(spec) * all_states(impl)), 1))
    assert isinstance(found, Differs) == bool(wrong)
    if isinstance(found, Differs):
        assert len(found.counterexample) == len(wrong[0])
        assert found.counterexample in set(wrong_traces(spec, impl, len(wrong[0])))
        assert found.label not in found.allowed


def largest(spec: SuspensionAutomaton, impl: SuspensionAutomaton) -> set[tuple[int, int]]:
    """Definition 2.4: strike out pairs that break a rule until nothing changes."""
    related = set(itertools.product(range(all_states(impl)), range(all_states(spec))))
    while True:
        kept = {
            (i, s)
            for i, s in related
            if all(a in impl.inputs(i) and (impl.moves(i)[a], spec.moves(s)[a]) in related for a in spec.inputs(s))
            and all(x in spec.moves(s) and (impl.moves(i)[x], spec.moves(s)[x]) in related for x in shown(impl, i))
        }
        if kept == related:
            return related
        related = kept


@pytest.mark.parametrize("seed", range(200))
def test_conforming_means_that_the_largest_relation_holds_the_initial_states(seed):
    spec, impl = pair(seed, most=5)
    found, related = alternating_simulation(spec, impl), largest(spec, impl)
    assert isinstance(found, Conforms) == ((impl.initial[0], spec.initial[0]) in related)
    if isinstance(found, Conforms):
        assert found.relation <= related
        assert (impl.initial[0], spec.initial[0]) in found.relation
    else:
        shortest = next(wrong_traces(spec, impl, len(found.counterexample)))
        assert len(shortest) == len(found.counterexample)


def test_both_answers_occur_often():
    answers = [type(alternating_simulation(*pair(seed, most=5))).__name__ for seed in range(300)]
    assert min(answers.count("Conforms"), answers.count("Differs")) >= 60
    deep = [alternating_simulation(*pair(seed, most=5)) for seed in range(300)]
    assert max(len(found.trace) for found in deep if isinstance(found, Differs)) >= 3


@pytest.mark.parametrize("seed", range(60))
def test_ioco_is_reflexive_and_transitive_on_implementations(seed):
    rng = random.Random(seed)
    spec = random_automaton(rng, most=3, labels=LABELS, share=0.6)
    first = SuspensionAutomaton(implementation(rng, spec, 3))
    assert isinstance(alternating_simulation(first, first), Conforms)
    second = SuspensionAutomaton(implementation(rng, first.automaton, 3))
    third = SuspensionAutomaton(implementation(rng, second.automaton, 3))
    if isinstance(alternating_simulation(first, second), Conforms) and isinstance(
        alternating_simulation(second, third), Conforms
    ):
        assert isinstance(alternating_simulation(first, third), Conforms)


def test_an_input_that_is_not_accepted_is_a_counterexample():
    spec = automaton([("s", "!x", "t"), ("t", "?a", "s")])
    deaf = automaton([("i", "!x", "j"), ("j", "?b", "j")])
    found = alternating_simulation(spec, deaf)
    assert found == Differs((Label.parse("!x"),), Label.parse("?a"), (Label.parse("?b"),))


def test_silence_is_an_output_like_any_other():
    spec = automaton([("s", "!x", "s")])
    mute = automaton([("i", "?a", "i")])
    found = alternating_simulation(spec, mute)
    assert isinstance(found, Differs)
    assert [label.text for label in found.counterexample] == ["delta"]
    assert [label.text for label in found.allowed] == ["!x"]


def test_nondeterministic_automata_are_compared_on_sets_of_states():
    spec = automaton([("s", "?a", "t"), ("s", "?a", "u"), ("t", "!x", "s"), ("u", "!y", "s")])
    impl = automaton([("i", "?a", "j"), ("j", "?a", "j"), ("j", "tau", "k"), ("k", "?a", "k"), ("k", "!y", "i")])
    assert isinstance(alternating_simulation(spec, impl), Conforms)
    assert isinstance(alternating_simulation(impl, spec), Differs)
