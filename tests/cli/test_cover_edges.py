"""`solve` and `run --objective cover-edges` and `suite --method edges` on the command line, as the contract has it."""

from __future__ import annotations

import pytest

from helpers.places import EXAMPLES

TOUR = str(EXAMPLES / "graphs" / "edge_tour.json")
DOORS = str(EXAMPLES / "graphs" / "two_doors.json")
COVER = ["--objective", "cover-edges"]


def test_the_tour_is_told_with_its_segments(outplay):
    found = outplay("solve", TOUR, *COVER, "--json").json
    assert (found["value"], found["tour_cost"], found["goal"]) == (10, 10, [])
    assert found["segments"] == [["e8", "e2", "e1", "e5", "e7"], ["e9", "e4", "e3", "e6", "e7"]]
    assert sorted(found["tour"]) == sorted(edge for piece in found["segments"] for edge in piece)
    assert (found["least_chance"], found["rounds"], found["certificate"]["checked"]) == (0.75, 4, True)
    assert outplay("solve", TOUR, *COVER, "--exact", "--json").json["least_chance"] == "3/4"


def test_where_no_way_leads_back_it_is_told_and_resets_help(outplay):
    found = outplay("solve", DOORS, *COVER, "--json").json
    assert (found["value"], found["blocking"]) == (None, ["left", "right", "lift"])
    assert outplay("solve", DOORS, *COVER, "--restart", "--json").json["tour_cost"] == 8
    assert outplay("solve", DOORS, *COVER, "--reset-cost", "2", "--json").json["tour_cost"] == 10


@pytest.mark.parametrize("more", [["--goal", "cp"], ["--steps", "3"], ["--epsilon", "0.1"]])
def test_what_it_does_not_take_is_told(outplay, more):
    told = outplay("solve", TOUR, *COVER, *more)
    assert (told.code, "leave" in told.err) == (2, True)


def test_it_can_be_drawn(outplay):
    assert outplay("solve", TOUR, *COVER, "-o", "tour.svg").code == 0


def test_it_is_played_until_all_is_covered(outplay):
    played = outplay("run", TOUR, *COVER, "--sut", f"model:{TOUR}", "--plays", "20", "--json")
    assert played.json["coverage"] == {"states": 5, "transitions": 9}
    assert "a tour of cost 10 covers all 9 edges" in played.err
    told = outplay("run", TOUR, *COVER, "--sut", f"model:{TOUR}", "--adversarial")
    assert (told.code, "--adversarial" in told.err) == (2, True)


def test_a_suite_takes_every_edge(outplay):
    written = outplay("suite", DOORS, "--method", "edges", "-o", "tests.json", "--json").json
    assert (written["method"], written["tests"], written["edges"]) == ("edges", 3, 6)
    played = outplay("run", DOORS, "--suite", "tests.json", "--sut", f"model:{DOORS}", "--json").json
    assert (played["verdict"], played["coverage"]["transitions"]) == ("pass", 6)
    told = outplay("suite", DOORS, "--method", "cover-edges", "-o", "tests.json")
    assert (told.code, "--method edges" in told.err) == (2, True)
    told = outplay("suite", DOORS, "--method", "edges", "--goal", "lift", "-o", "tests.json")
    assert (told.code, "leave --goal out" in told.err) == (2, True)
