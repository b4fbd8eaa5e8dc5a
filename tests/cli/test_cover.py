"""`solve --objective cover-nodes` on the command line, as the contract has it."""

from __future__ import annotations

import pytest

from helpers.places import EXAMPLES

DOORS = str(EXAMPLES / "graphs" / "two_doors.json")


def test_the_guarantee_is_told_with_bounds_and_witness(outplay):
    found = outplay("solve", DOORS, "--objective", "cover-nodes", "--json").json
    assert (found["value"], found["total"], found["bounds"]) == (3, 4, [3, 3])
    assert found["values"] == {"hall": 3, "left": 2, "right": 2, "lift": 2}
    assert (found["goal"], found["certificate"]["checked"]) == ([], True)
    at = {vertex: found["witness"]["offers"][place] for vertex, place in found["witness"]["at"].items()}
    assert (at["hall"], at["left"], at["right"]) == (["hall"], ["left", "lift"], ["right", "lift"])
    assert found["strategy"]["hall"]["label"] in ("?left", "?right")


def test_a_restart_makes_more_sure(outplay):
    assert (
        outplay("solve", DOORS, "--objective", "cover-nodes", "--restart", "--exact", "--json").json["value"] == "4/1"
    )
    by_rule = outplay("solve", DOORS, "--objective", "cover-nodes", "--reset-cost", "1", "--json").json
    assert by_rule["value"] == 4


def test_without_time_there_are_bounds_and_no_value(outplay):
    found = outplay("solve", DOORS, "--objective", "cover-nodes", "--time-limit", "0", "--json").json
    assert (found["value"], found["bounds"]) == (None, [2, 3])
    assert found["certificate"]["checked"] is True


@pytest.mark.parametrize("more", [["--goal", "lift"], ["--steps", "3"]])
def test_what_it_does_not_take_is_told(outplay, more):
    told = outplay("solve", DOORS, "--objective", "cover-nodes", *more)
    assert (told.code, "leave" in told.err) == (2, True)


@pytest.mark.parametrize("option", [["--restart"], ["--time-limit", "3"]])
def test_its_options_are_refused_by_others(outplay, option):
    told = outplay("solve", DOORS, "--goal", "lift", *option)
    assert (told.code, "it is for `cover-nodes`" in told.err) == (2, True)


def test_it_can_be_drawn(outplay):
    assert outplay("solve", DOORS, "--objective", "cover-nodes", "-o", "doors.svg").code == 0


def test_it_is_played_against_the_witness_and_against_chance(outplay):
    model = ["run", DOORS, "--objective", "cover-nodes", "--sut", f"model:{DOORS}", "--json"]
    worst = outplay(*model, "--adverse", "--plays", "1")
    assert (worst.json["verdict"], worst.json["coverage"]["states"]) == ("pass", 3)
    assert "3 of 4 can be covered for sure" in worst.err
    assert outplay(*model, "--plays", "20").json["coverage"]["states"] == 4
    again = outplay(*model, "--adverse", "--plays", "1", "--reset-cost", "1")
    assert again.json["coverage"]["states"] == 4


def test_what_makes_no_sense_with_coverage_is_told(outplay):
    walked = outplay("run", DOORS, "--objective", "cover-nodes", "--sut", f"model:{DOORS}", "--then-walk", "3")
    assert (walked.code, "--then-walk" in walked.err) == (2, True)
    written = outplay("suite", DOORS, "--method", "cover-nodes", "-o", "tests.json")
    assert (written.code, "run --objective cover-nodes" in written.err) == (2, True)
