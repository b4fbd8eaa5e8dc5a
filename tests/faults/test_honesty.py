"""The number told at the end of a run is the share of single faults that would have been found."""

from __future__ import annotations

from random import Random

import pytest
from benchmarks.faults.honesty import agreement
from benchmarks.faults.systems import DATA, SYSTEMS, System

from outplay.conformance.transition_table import table_of
from outplay.model.automaton import automaton

NEAR = 0.1


def drawn_system(seed, states):
    """States with two questions each, and an answer or one of two by chance."""
    rng, steps = Random(seed), []
    for state in range(states):
        for label in ("?a", "?b"):
            middle = f"{state}{label}"
            steps.append((f"{state}", label, middle))
            for answer in rng.sample(["!x", "!y", "!z"], rng.choice([1, 1, 2])):
                steps.append((middle, answer, f"{rng.randrange(states)}"))
    return System(f"drawn {seed}", table_of(automaton(steps, initial="0")), dict)


def test_drawn_systems_show_as_many_faults_as_is_told():
    found = [agreement(drawn_system(seed, 4), 24, 4, (10, 30)) for seed in range(2)]
    for place in range(2):
        told = sum(one.told[place] for one in found) / len(found)
        assert told == pytest.approx(sum(one.found[place] for one in found) / len(found), abs=NEAR)
    assert found[0].told[0] < 0.6
    assert found[0].told[-1] > 0.6


@pytest.mark.long
@pytest.mark.skipif(not DATA.exists(), reason="the folder shared/data is not here")
@pytest.mark.parametrize("name", ["alarm", "tftp", "mqtt"])
def test_systems_show_as_many_faults_as_is_told(name):
    assert agreement(SYSTEMS[name](), 100, 8, (20, 50, 100, 200, 500)).worst <= NEAR
