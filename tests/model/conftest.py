"""Random automata for the tests of models."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from outplay.model.automaton import Automaton, automaton


def random_automaton(seed: int, *, internal: bool = True) -> Automaton:
    """A small automaton with inputs, outputs, some explicit silence and internal steps that only go upwards."""
    rng = random.Random(seed)
    count = rng.randint(1, 6)
    labels = ["?a", "?b", "!x", "!y", "!z", "delta"]
    transitions = []
    for _ in range(rng.randint(0, 2 * count + 2)):
        source, target = rng.randrange(count), rng.randrange(count)
        label = rng.choice(labels)
        if internal and rng.random() < 0.25 and source < target:
            label = "tau"
        transitions.append((f"q{source}", label, f"q{target}"))
    return automaton(transitions, states=[f"q{number}" for number in range(count)], initial=f"q{rng.randrange(count)}")


@pytest.fixture
def automata() -> Callable[..., Automaton]:
    return random_automaton
