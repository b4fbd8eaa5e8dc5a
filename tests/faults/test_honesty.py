"""The number told at the end of a run is the share of single faults that would have been found."""

from __future__ import annotations

import pytest
from benchmarks.faults.honesty import agreement
from benchmarks.faults.systems import DATA, SYSTEMS

from helpers.faults import drawn_machine

NEAR = 0.1


def test_drawn_systems_show_as_many_faults_as_is_told():
    found = [agreement(drawn_machine(seed, 4), 24, 4, (10, 30)) for seed in range(2)]
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
