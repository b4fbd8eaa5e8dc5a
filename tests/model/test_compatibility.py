"""Compatible states (004, Definition 3.8) by plain fixpoint from the definition, and the thesis' own examples."""

from __future__ import annotations

import itertools

import pytest

from helpers.automata import random_automaton
from outplay.compiling import compiled, plain
from outplay.model import compatibility
from outplay.model.automaton import automaton
from outplay.model.compatibility import all_states, compatible
from outplay.model.suspension import SuspensionAutomaton


def by_definition(spec: SuspensionAutomaton) -> set[tuple[int, int]]:
    """The largest relation with both properties: start with all pairs and leave out what has no right to stay."""
    count = all_states(spec)
    related = set(itertools.product(range(count), repeat=2))
    while True:
        kept = set()
        for p, q in related:
            one, other = spec.moves(p), spec.moves(q)
            common = [label for label in one if label in other]
            inputs = all((one[a], other[a]) in related for a in common if a.is_input)
            outputs = any((one[x], other[x]) in related for x in common if not x.is_input)
            if inputs and outputs:
                kept.add((p, q))
        if kept == related:
            return related
        related = kept


@pytest.mark.parametrize("how", [plain, compiled], ids=["plain", "compiled"])
@pytest.mark.parametrize("seed", range(200))
def test_it_is_the_largest_compatibility_relation(monkeypatch, seed, how):
    monkeypatch.setattr(compatibility, "best_for", lambda kernel, edges: how(kernel))
    spec = SuspensionAutomaton(random_automaton(seed, most=6, share=(0.2, 0.4), silence=0.2, internal=0.1))
    expected = by_definition(spec)
    # The relation is reflexive where a state can go on for ever; the kernel compares different states only.
    found = {(int(p), int(q)) for p, q in zip(*compatible(spec).nonzero(), strict=True)}
    assert {pair for pair in found if pair[0] != pair[1]} == {pair for pair in expected if pair[0] != pair[1]}


def named_pairs(steps: list[tuple[str, str, str]]) -> set[tuple[str, str]]:
    spec = SuspensionAutomaton(automaton(steps))
    all_states(spec)
    related = compatible(spec)
    return {
        (spec.state_name(int(p)), spec.state_name(int(q)))
        for p, q in zip(*related.nonzero(), strict=True)
        if p != q
    }  # fmt: skip


def test_figure_3_1_has_one_pair():
    steps = [
        ("1", "!x", "1"), ("1", "!y", "2"), ("1", "?a", "3"), ("2", "?a", "4"),
        ("2", "!x", "4"), ("3", "!x", "4"), ("4", "!y", "1"),
    ]  # fmt: skip
    assert named_pairs(steps) == {("2", "3"), ("3", "2")}


def test_example_3_28_has_two_pairs():
    steps = [("1", "!x", "1"), ("2", "!x", "2"), ("7", "!x", "8"), ("8", "!y", "8")]
    steps += [("3", "!z", "4"), ("4", "!z", "5"), ("5", "!z", "6"), ("6", "!z", "3")]
    steps += [("1", "?a", "3"), ("2", "?a", "4"), ("5", "?a", "7"), ("6", "?a", "8")]
    # 2 cannot be reached from 1: start both from a root that knows them all.
    steps += [("root", "?one", "1"), ("root", "?two", "2")]
    found = {pair for pair in named_pairs(steps) if "root" not in pair}
    assert found == {("3", "5"), ("5", "3"), ("4", "6"), ("6", "4")}
