"""Machines drawn at random."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from outplay import Machine

SOME_ANSWERS = (0, 1, 1, 1, 2, 3)
"""How many answers an input may have in a state, by how often: 0 where it is not taken."""


def random_machine(
    rng: Random,
    states: int,
    inputs: str = "ab",
    outputs: str = "xyz",
    *,
    answers: Sequence[int] = SOME_ANSWERS,
    distinct: bool = False,
    home: bool = False,
    initial: int = 0,
) -> Machine:
    """A machine in which each input has so many answers as one of `answers` says, with `distinct` outputs or any.

    With `home` an input leads from everywhere to state 0.
    """
    steps = []
    for state in range(states):
        for given in inputs:
            count = answers[0] if len(answers) == 1 else rng.choice(answers)
            shown = rng.sample(outputs, count) if distinct else [""] * count
            steps += [(state, given, one or rng.choice(outputs), rng.randrange(states)) for one in shown]
        if home:
            steps.append((state, "home", rng.choice(outputs), 0))
    return Machine(tuple(f"s{state}" for state in range(states)), tuple(steps), initial)
