"""The rules of silence, by traces, and where they always hold."""

from __future__ import annotations

from collections import Counter

from helpers.automata import random_automaton
from helpers.seeds import seeds
from outplay import automaton
from outplay.conformance import Behaviour, silence_faults
from outplay.conformance.automaton_report import GAINS, OUTPUT_AFTER, REPEATED, RULES
from outplay.model.label import SILENCE

LONGEST = 6  # of the traces that are compared; the automata drawn have at most 4 states, few of them far apart


def traces(seen: Behaviour, state: int | None, longest: int) -> set[tuple[str, ...]]:
    """All traces of a state up to a length; a state that does not exist has none, not even the empty one."""
    if state is None:
        return set()
    found = {()}
    if longest:
        for label, target in seen.moves(state).items():
            found |= {(str(label), *rest) for rest in traces(seen, target, longest - 1)}
    return found


def by_definition(seen: Behaviour) -> set[tuple[str, str]]:
    found = set()
    for state in range(len(seen)):
        quiet = seen.moves(state).get(SILENCE)
        if quiet is None:
            continue
        name, after = seen.state_name(state), traces(seen, quiet, LONGEST)
        again = traces(seen, seen.moves(quiet).get(SILENCE), LONGEST)
        if any(trace and trace[0].startswith("!") for trace in after):
            found.add((name, OUTPUT_AFTER))
        if not after <= traces(seen, state, LONGEST):
            found.add((name, GAINS))
        if after != again:
            found.add((name, REPEATED))
    return found


def drawn(seed: int):
    return random_automaton(seed, most=4, labels=("?a", "!x"), share=(0.3, 0.5), silence=0.5)


def test_faults_are_those_of_the_definition_and_all_kinds_occur():
    kinds: Counter[str] = Counter()
    for seed in range(200):
        model = drawn(seed)
        found = silence_faults(model)
        assert {(fault.state, fault.rule) for fault in found} == by_definition(Behaviour(model).whole()), seed
        kinds.update(fault.rule for fault in found)
    assert set(kinds) == set(RULES)
    assert min(kinds.values()) > 20


@seeds(range(100))
def test_silence_that_is_only_made_visible_breaks_no_rule(seed):
    """What Willemse proves of the suspension automata of labelled transition systems."""
    assert silence_faults(random_automaton(seed, most=6, share=(0.2, 0.4), copies=2, internal=0.3)) == []


def test_a_fault_says_where_and_why():
    pause = automaton([("a", "delta", "b"), ("b", "?go", "a"), ("b", "delta", "b")])
    (fault,) = silence_faults(pause)
    assert str(fault) == "silence at a: silence makes possible what was not (delta ?go)"
    assert fault.json() == {"state": "a", "reason": "gains", "trace": ["delta", "?go"]}
