"""`outplay run` without a goal: it plays against what may be wrong, and tells how much of it is cleared."""

from __future__ import annotations

import sys

import pytest

from helpers.places import EXAMPLES
from outplay.campaign.job import Job
from outplay.campaign.preparing.planning import prepare
from outplay.tester.suspicious import Suspicious
from outplay.tester.walker import Walker

CHAT = f"{EXAMPLES / 'chat' / 'model.py'}:Chat"
SERVER = f"{sys.executable} {EXAMPLES / 'chat' / 'server.py'} --greet"
LAMP = 'des (0, 2, 2)\n(0, "?press", 1)\n(1, "!light", 0)\n'


@pytest.fixture
def lamp(tmp_path):
    path = tmp_path / "lamp.aut"
    path.write_text(LAMP)
    return str(path)


def test_it_is_told_what_was_suspected_and_cleared(outplay, lamp):
    asked = ["run", lamp, "--sut", f"model:{lamp}", "--plays", "4", "--steps", "20"]
    shown = outplay(*asked).out
    assert "  suspected: all 1 answers were as they should be; no transition leads astray\n" in shown
    assert "  cleared: 1.00 of such single faults would have been found by now, as estimated\n" in shown
    told = outplay(*asked, "--json").json["coverage"]["suspected"]
    assert told == {
        "cleared": 1.0,
        "answers": {"given": 1, "total": 1},
        "targets": {"left": 0, "total": 2},
        "likely": [],
        "complete": True,
        "odd_answers": [],
    }


def test_what_is_left_is_named_with_what_it_would_take(outplay, lamp):
    asked = ["run", lamp, "--sut", f"model:{lamp}", "--plays", "1", "--steps", "1", "--tester", "walk"]
    told = outplay(*asked, "--until-cleared", "0.99", "--json").json["coverage"]["suspected"]
    assert told["cleared"] < 1
    assert {one["then"][-1] for one in told["likely"]} <= {"!light", "delta"}
    assert told["likely"][0]["instead"] != told["likely"][0]["target"]
    assert "suspected" not in outplay(*asked, "--json").json["coverage"]


def test_a_run_stops_when_enough_is_cleared(outplay, lamp):
    run = outplay("run", lamp, "--sut", f"model:{lamp}", "--until-cleared", "0.9", "--json").json
    assert run["plays"] < 10
    assert run["coverage"]["suspected"]["cleared"] >= 0.9


def test_with_a_goal_there_is_nothing_to_clear(outplay):
    refused = outplay("run", CHAT, "--sut", f"model:{CHAT}", "--goal", "two_pending", "--until-cleared", "0.9")
    assert (refused.code, "--until-cleared" in refused.err) == (2, True)


def test_suspicions_are_played_against_by_default_and_after_the_goal():
    assert isinstance(prepare(Job(CHAT, sut=f"model:{CHAT}")).plan.tester, Suspicious)
    assert isinstance(prepare(Job(CHAT, sut=f"model:{CHAT}", tester="walk")).plan.tester, Walker)
    then = prepare(Job(CHAT, sut=f"model:{CHAT}", goal=("two_pending",), then_walk=5)).then
    assert isinstance(then, Suspicious)


def test_a_play_goes_on_after_the_goal_for_as_long_as_is_asked(outplay):
    asked = ["run", CHAT, "--sut", f"model:{CHAT}", "--goal", "two_pending", "--plays", "2", "--json"]
    assert outplay(*asked, "--then-walk", "30").json["steps"] >= outplay(*asked).json["steps"] + 40


def test_where_labels_cannot_be_listed_it_walks_and_says_so(outplay):
    model = EXAMPLES / "symbolic" / "redis_counter.sts"
    run = outplay("run", str(model), "--sut", f"model:{model}", "--plays", "2", "--steps", "5")
    assert run.code == 0, run
    assert "cannot be listed" in run.err


def test_a_real_server_with_races_is_played_and_its_bug_found(outplay):
    asked = ["run", CHAT, "--ready", "ready", "--silence", "0.3", "--latency", "0.05", "--shrink", "0", "--json"]
    right = outplay(*asked, "--sut", f"exec:{SERVER}", "--plays", "2", "--steps", "60").json
    assert right["verdict"] == "pass"
    assert 0 < right["coverage"]["suspected"]["cleared"] < 1
    assert outplay(*asked, "--sut", f"exec:{SERVER} --bug").json["verdict"] == "fail"
