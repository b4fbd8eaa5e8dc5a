"""Whatever stops a run, what it has told is in the store; a store that cannot be written is named."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from helpers.places import ROOT

PROGRAM = [sys.executable, str(ROOT / "tests/helpers/stopped_store.py")]


def points(how: str) -> Iterator[dict[str, Any]]:
    """Each point at which a run was stopped in this way, the last being its own end."""
    with subprocess.Popen([*PROGRAM, how], stdout=subprocess.PIPE, text=True) as program:
        assert program.stdout
        try:
            for line in program.stdout:
                yield json.loads(line)
        finally:
            program.kill()


def lost(point: dict[str, Any]) -> list[Any]:
    """What was told and is not in the store."""
    told, kept = point["told"], point["kept"]
    return [(kind, play) for kind in ("plays", "failures") for play in told[kind] if play not in kept[kind]]


@pytest.mark.promise("B5", trials=148)
def test_killed_before_or_after_any_statement_nothing_that_was_told_is_lost():
    *killed, whole = points("kill")
    assert len(killed) > 100
    assert {point["code"] for point in killed} == {-9}
    assert [lost(point) for point in (*killed, whole)] == [[]] * (len(killed) + 1)
    assert whole["kept"]["run"] == [6, "fail"]
    assert whole["kept"]["failures"] == whole["told"]["failures"] != []
    # A play is whole or not there, so the count of the run is that of its plays.
    for point in killed:
        plays, run = point["kept"]["plays"], point["kept"]["run"]
        assert plays == [*range(1, len(plays) + 1)]
        assert (run[0] if run else 0) == len(plays)


def test_a_store_that_tells_before_it_commits_is_caught():
    assert any(lost(point) for point in points("defect"))


@pytest.mark.promise("B6", trials=64)
def test_out_of_room_at_any_size_the_run_says_so_and_keeps_what_it_has_told_of_until_then():
    *full, whole = points("full")
    assert len(full) > 20
    assert (whole["ended"], lost(whole)) == (["fail", []], [])
    in_the_middle = 0
    for point in full:
        verdict, [said] = point["ended"]
        assert point["code"] == 0
        assert verdict in ("fail", "error")
        assert "store.db: " in said
        assert "room" in said
        if said.startswith("the run is not whole in the store"):
            in_the_middle += 1
            kept = point["kept"]["plays"]
            # The play at which it was noticed is told of with the Error, and is the last one.
            assert kept == [*range(1, len(kept) + 1)]
            assert len(point["told"]["plays"]) <= len(kept) + 1
    assert in_the_middle > 2
