"""ioco, uioco and the alternating game against their definitions: on traces, and as the largest relation."""

from __future__ import annotations

import itertools
import random
from collections import Counter

import pytest

from helpers.automata import random_automaton
from helpers.places import EXAMPLES, shared_data
from helpers.plain_ioco import after, closed, inputs, shortest_difference, shown
from helpers.seeds import seeds
from outplay import Automaton, automaton, read_model
from outplay.conformance import Conforms, Differs, check
from outplay.errors import ModelError, UsageError
from outplay.model.label import Label
from outplay.model.programs.load import load_program

LABELS = [Label.parse(text) for text in ("?a", "?b", "!x", "!y")]
KINDS = {"ioco": False, "uioco": True}


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


def drawn_pair(seed: object, most: int = 5) -> tuple[Automaton, Automaton]:
    """A specification, every second one nondeterministic with internal steps, and something like it."""
    rng = random.Random(f"pair {seed}")
    free = rng.random() < 0.5
    more = {"copies": 2, "silence": 0.15, "internal": 0.15} if free else {}
    spec = random_automaton(rng, most=most, labels=LABELS, share=0.45 if free else 0.6, **more)
    if free and rng.random() < 0.4:
        return spec, random_automaton(rng, most=most, labels=LABELS, share=0.3, internal=0.2, copies=2, enabled=True)
    return spec, implementation(rng, spec, most)


def agrees(seed: object, relation: str) -> Conforms | Differs:
    """Check a pair, and the answer by the definition."""
    spec, impl = drawn_pair(seed)
    found = check(spec, impl, relation)
    wrong = shortest_difference(spec, impl, unspecified=KINDS[relation])
    assert found.conforms == (wrong is None)
    if isinstance(found, Differs):
        assert len(found.counterexample) == len(wrong)
        assert_is_difference(spec, impl, found, of_all=KINDS[relation])
    return found


def assert_is_difference(spec: Automaton, impl: Automaton, found: Differs, *, of_all: bool) -> None:
    """The implementation has the trace, the specification has all of it but the last label."""
    s, i = closed(spec, {spec.initial}), closed(impl, {impl.initial})
    for label in found.trace:
        assert label in (inputs(spec, s, of_all=of_all) if label.is_input else shown(spec, s))
        s, i = after(spec, s, label), after(impl, i, label)
    assert found.label in shown(impl, i)
    assert set(found.allowed) == shown(spec, s)
    assert found.label not in found.allowed


@pytest.mark.parametrize("relation", KINDS)
@pytest.mark.parametrize("part", range(20))
def test_it_agrees_with_the_definition_and_counterexamples_are_shortest(part, relation):
    answers = Counter(agrees((part, number), relation).conforms for number in range(20))
    assert len(answers) == 2


@pytest.mark.long
@pytest.mark.parametrize("relation", KINDS)
@pytest.mark.parametrize("part", range(50))
def test_it_agrees_with_the_definition_on_five_thousand_pairs(part, relation):
    for number in range(100):
        agrees(("long", part, number), relation)


def test_both_answers_occur_often_and_some_counterexamples_are_deep():
    found = [check(*drawn_pair((part, number)), "ioco") for part in range(20) for number in range(20)]
    assert min(Counter(one.conforms for one in found).values()) >= 60
    assert max(len(one.trace) for one in found if isinstance(one, Differs)) >= 4


def test_ioco_implies_uioco_and_not_the_other_way_round():
    found = Counter()
    for seed in range(400):
        spec, impl = drawn_pair(("both", seed))
        found[check(spec, impl, "ioco").conforms, check(spec, impl, "uioco").conforms] += 1
    assert found[True, False] == 0
    assert found[False, True] > 0


def test_the_difference_of_ioco_and_uioco_by_hand():
    # After ?a the specification may be where ?b says nothing: only ioco then asks what follows it.
    spec = automaton([("s", "?a", "t"), ("s", "?a", "u"), ("t", "?b", "v"), ("v", "!x", "v")])
    steps = [("i", "?a", "i"), ("i", "?b", "j"), ("j", "!y", "j"), ("j", "?a", "j"), ("j", "?b", "j")]
    assert check(spec, automaton(steps), "uioco").conforms
    assert [str(label) for label in check(spec, automaton(steps)).counterexample] == ["?a", "?b", "!y"]


def largest(spec: Automaton, impl: Automaton) -> set[tuple[int, int]]:
    """Definition 2.4 with refusals counted (5.29): strike out pairs that break a rule until nothing changes."""
    related = set(itertools.product(range(impl.state_count), range(spec.state_count)))
    moves = [
        {i: {label: min(after(model, frozenset({i}), label)) for label in known(model, i)} for i in range(size)}
        for model, size in ((impl, impl.state_count), (spec, spec.state_count))
    ]
    while True:
        kept = {
            (i, s)
            for i, s in related
            if all(a in moves[0][i] and (moves[0][i][a], t) in related for a, t in moves[1][s].items() if a.is_input)
            and all(
                x in moves[1][s] and (t, moves[1][s][x]) in related for x, t in moves[0][i].items() if not x.is_input
            )
        }
        if kept == related:
            return related
        related = kept


def known(model: Automaton, state: int) -> set[Label]:
    one = frozenset({state})
    return shown(model, one) | inputs(model, one, of_all=True)


@seeds(range(150))
def test_the_alternating_game_is_won_where_the_largest_relation_holds_the_initial_states(seed):
    rng = random.Random(seed)
    spec = random_automaton(rng, most=5, labels=LABELS, share=0.6)
    impl = implementation(rng, spec, 5)
    if seed % 3 == 0:  # leave an input out
        steps = [(impl.names[s], label, impl.names[t]) for s, label, t in impl.transitions()]
        steps.remove(rng.choice([step for step in steps if step[1].is_input]))
        impl = automaton(steps, states=impl.names)
    related = largest(spec, impl)
    assert check(spec, impl, "alternating").conforms == ((impl.initial, spec.initial) in related)


def test_an_input_that_is_refused_is_told_and_proves_nothing_but_in_the_game():
    spec = automaton([("s", "!x", "t"), ("t", "?a", "s")])
    deaf = automaton([("i", "!x", "j"), ("j", "?b", "j")])
    found = check(spec, deaf)
    assert found.conforms
    assert [str(label) for label in found.refused] == ["!x", "?a"]
    played = check(spec, deaf, "alternating")
    assert (played.trace, played.label, played.allowed) == (
        (Label.parse("!x"),), Label.parse("?a"), (Label.parse("?b"),),
    )  # fmt: skip


def test_silence_is_an_output_like_any_other():
    found = check(automaton([("s", "!x", "s")]), automaton([("i", "?a", "i")]))
    assert isinstance(found, Differs)
    assert [label.text for label in found.counterexample] == ["delta"]
    assert [label.text for label in found.allowed] == ["!x"]
    assert found.where == "at s"


@seeds(range(60))
def test_ioco_is_reflexive_and_transitive_on_implementations(seed):
    rng = random.Random(seed)
    first = implementation(rng, random_automaton(rng, most=3, labels=LABELS, share=0.6), 3)
    second = implementation(rng, first, 3)
    third = implementation(rng, second, 3)
    assert check(first, first).conforms
    if check(first, second).conforms and check(second, third).conforms:
        assert check(first, third).conforms


def test_models_of_any_kind_are_held_against_each_other():
    chat = load_program(f"{EXAMPLES / 'chat' / 'model.py'}:Chat")
    assert check(chat, chat, "uioco").conforms
    with pytest.raises(ModelError, match="raise --max-states"):
        check(chat, chat, most=10)


def test_a_relation_nobody_knows_is_refused_with_a_hint():
    with pytest.raises(UsageError, match="did you mean 'uioco'"):
        check(automaton([("s", "!x", "s")]), automaton([("s", "!x", "s")]), "uiocco")


PAIRS = shared_data("ioco-pairs")
CONFORM = {"01": True, "03": False, "05": True, "07": True, "09": True, "11": True, "13": True}


@pytest.mark.skipif(not PAIRS.exists(), reason="the shared data is not here")
@pytest.mark.parametrize(("number", "conforms"), CONFORM.items())
def test_the_pairs_of_the_shared_data_are_decided(number, conforms):
    spec, impl = (read_model(PAIRS / f"{number}_ioco_{side}.dot") for side in "SP")
    for relation, of_all in KINDS.items():
        found = check(spec, impl, relation)
        assert found.conforms == conforms == (shortest_difference(spec, impl, unspecified=of_all) is None)
    assert sorted(path.name[:2] for path in PAIRS.glob("*_S.dot")) == sorted(CONFORM)
