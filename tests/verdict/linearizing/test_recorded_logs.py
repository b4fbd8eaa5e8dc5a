"""Logs from outside are decided as an independent checker decides them (see `shared/data/histories`)."""

from __future__ import annotations

import pytest
from benchmarks.recorded_histories import KEY_VALUE, LOGS, Register, Store, etcd_history, key_value_history

from helpers.places import shared_data
from outplay import judge
from outplay.verdict.judge_history import judge_history
from outplay.verdict.linearize import SearchBounds

FOLDER = shared_data("histories")
pytestmark = pytest.mark.skipif(not FOLDER.exists(), reason="the shared data is not here")


@pytest.mark.parametrize("number", LOGS)
def test_a_log_of_etcd_is_decided_as_it_should_be(number):
    expected = dict(line.split() for line in (FOLDER / "expect.txt").read_text().splitlines())
    known = {int(name): linearizable == "true" for name, linearizable in expected.items()}
    assert (judge(Register, etcd_history(number)).name == "pass") == known[number]


@pytest.mark.parametrize("name", KEY_VALUE)
def test_a_log_of_a_key_value_store_is_decided_as_its_name_says(name):
    verdict = judge(Store, key_value_history(name), partition="key").name
    assert verdict == ("pass" if name.endswith("ok") else "fail")


def test_where_memory_is_bounded_the_verdict_is_open_and_says_what_to_do():
    verdict = judge_history(Store, key_value_history("c10-ok"), bounds=SearchBounds(100))
    assert verdict.name == "inconclusive"
    assert "100 configurations: raise --max-states, or judge independent parts" in verdict.why
