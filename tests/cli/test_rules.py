"""Test purposes, transitions as goals and resets on the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

DOOR = "des (0, 4, 3)\n(0, ?push, 1)\n(1, !open, 0)\n(1, !stuck, 2)\n(2, !creak, 2)\n"
# Opened twice in a row.
TWICE = "des (0, 4, 3)\n(0, !open, 1)\n(1, !open, 2)\n(1, !stuck, 0)\n(2, delta, 2)\n"


@pytest.fixture
def door() -> str:
    Path("door.aut").write_text(DOOR)
    Path("twice.aut").write_text(TWICE)
    return "door.aut"


def test_a_purpose_is_the_goal_unless_another_is_named(outplay, door):
    found = outplay("solve", door, "--purpose", "twice.aut", "--final", "2", "--objective", "joker", "--json").json
    assert found["goal"] == ["twice"]
    assert found["value"] == {"jokers": 2, "moves": 4}


def test_a_purpose_is_played_and_judged_again_from_the_trace(outplay, door):
    arguments = ["--purpose", "twice.aut", "--final", "2", "--plays", "30", "--json"]
    ran = outplay("run", door, "--sut", f"model:{door}", *arguments).json
    assert ran["verdict"] == "pass"
    judged = outplay("judge", door, ".outplay/last/trace.jsonl")
    assert (judged.code, "twice reached in" in judged.out) == (0, True)
    assert ran["coverage"]["states"] <= 3  # the door's own states, whatever the purpose remembers


def test_a_transition_can_be_a_goal(outplay, door):
    found = outplay("solve", door, "--goal", "1 --!stuck-->", "--objective", "probability", "--json").json
    assert found["value"] == 1
    ran = outplay("run", door, "--goal", "1 --!stuck-->", "--sut", f"model:{door}", "--json").json
    assert ran["verdict"] == "pass"
    assert outplay("judge", door, ".outplay/last/trace.jsonl").code == 0


def test_a_reset_makes_sure_what_was_a_gamble(outplay, door):
    risky = outplay("solve", door, "--purpose", "twice.aut", "--final", "2", "--objective", "expected", "--json").json
    assert risky["value"] is None
    arguments = ["--purpose", "twice.aut", "--final", "2", "--reset-cost", "3"]
    safe = outplay("solve", door, *arguments, "--objective", "expected", "--json").json
    assert safe["value"] is not None
    ran = outplay("run", door, *arguments, "--sut", f"model:{door}", "--plays", "10", "--json").json
    assert ran["verdict"] == "pass"
    judged = outplay("judge", door, ".outplay/last/trace.jsonl")
    assert (judged.code, "twice reached in 10" in judged.out) == (0, True)


def test_final_states_without_a_purpose_are_told(outplay, door):
    found = outplay("solve", door, "--final", "2", "--goal", "1")
    assert (found.code, "--purpose" in found.err) == (2, True)


def test_a_game_is_no_purpose(outplay, door):
    assert outplay("explore", door, "-o", "game.json").code == 0
    found = outplay("solve", door, "--purpose", "game.json")
    assert (found.code, "a game is no test purpose" in found.err) == (2, True)
