"""Families of labels mean what all their labels mean: following them comes to the same as following the labels."""

from __future__ import annotations

from random import Random

import pytest

from helpers.seeds import with_long
from outplay.model.label import SILENCE, Label
from outplay.model.offer import LabelFamily, any_integer, offer_of
from outplay.model.specification import BaseSpecification
from outplay.model.tracking import Tracker

NUMBERS = range(5)
GATES = [("?", "a"), ("?", "b"), ("!", "x"), ("!", "y")]


class Ranges(BaseSpecification):
    """Transitions `(source, direction, gate, lowest, highest, target)`: the label's number is in the range."""

    name, fingerprint = "ranges", "0"

    def __init__(self, rows, initial, *, families: bool) -> None:
        self.rows, self.initial, self.families = rows, initial, families

    def offered(self, state, direction):
        found = []
        for source, kind, gate, low, high, _ in self.rows:
            if (source, kind) == (state, direction):
                label = [Label(kind, gate, (number,)) for number in NUMBERS if low <= number <= high]
                words = f"{low} <= n <= {high}"
                family = LabelFamily(
                    kind, gate, (any_integer("n"),), words, lambda n, low=low, high=high: low <= n <= high
                )
                found += [family] if self.families else label
        return list(dict.fromkeys(found))

    def inputs(self, state):
        return self.offered(state, "?")

    def outputs(self, state):
        return self.offered(state, "!")

    def quiet(self, state):
        return state % 2 == 0

    def after(self, state, label):
        if label == SILENCE:
            return [state] if self.quiet(state) else []
        return [
            target
            for source, kind, gate, low, high, target in self.rows
            if (source, kind, gate) == (state, label.kind, label.gate) and low <= label.arguments[0] <= high
        ]


def drawn(rng: Random):
    states = range(rng.randint(1, 4))
    rows = []
    for _ in range(rng.randint(3, 14)):
        low, high = sorted((rng.choice(NUMBERS), rng.choice(NUMBERS)))
        rows.append((rng.choice(states), *rng.choice(GATES), low, high, rng.choice(states)))
    return rows, tuple(rng.sample(states, rng.randint(1, min(2, len(states)))))


ALL = [Label(kind, gate, (number,)) for kind, gate in GATES for number in NUMBERS]


@pytest.mark.parametrize("block", with_long(range(3), quick=1))
def test_following_families_is_following_their_labels(block):
    shared = 0
    for seed in range(block * 60, (block + 1) * 60):
        rng = Random(seed)
        rows, initial = drawn(rng)
        latency = rng.choice([0.0, 1.0])
        wide, plain = (Tracker(Ranges(rows, initial, families=each), latency=latency) for each in (True, False))
        for time in range(8):
            for label in ALL:
                assert wide.enabled(label) == plain.enabled(label), f"seed {seed}: {label}"
                assert bool(offer_of(label, wide.allowed())) == bool(offer_of(label, plain.allowed())), f"seed {seed}"
            for offer in wide.inputs():
                drawn_one = offer.sample(rng)
                assert drawn_one is None or wide.enabled(drawn_one)
            shared += len(wide.states) > 1 and bool(wide.inputs())
            enabled = [label for label in ALL if wide.enabled(label)]
            label = rng.choice([*enabled, *ALL[-2 * len(NUMBERS) :], SILENCE])
            if label.is_input:
                wide, plain = wide.gave(label, time), plain.gave(label, time)
            else:
                wide, plain = wide.saw(label, time), plain.saw(label, time)
            assert wide.possible == plain.possible, f"seed {seed}"
    assert shared > 8, "families of several states must have been intersected for this test to mean something"
