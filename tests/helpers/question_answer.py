"""Systems of questions and answers, always the same way."""

from __future__ import annotations

from random import Random

from outplay.conformance.transition_table import TransitionTable, table_of
from outplay.model.automaton import automaton


def deterministic(rng: Random, states: int) -> TransitionTable:
    """A system that answers each input at once, or is silent, always the same way."""
    steps = []
    for state in range(states):
        for label in ("?a", "?b"):
            if rng.random() < 0.9:
                middle, target = f"{state}{label}", f"{rng.randrange(states)}"
                steps += [(f"{state}", label, middle), (middle, rng.choice(["!x", "!y"]), target)]
    return table_of(automaton([*steps, ("0", "?c", "0c"), ("0c", "!x", "0")], initial="0"))
