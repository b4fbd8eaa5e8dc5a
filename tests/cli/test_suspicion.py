"""`outplay run` without a goal: it plays against what may be wrong, and tells how much of it is cleared."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from helpers.places import EXAMPLES
from outplay.runs.job import Job
from outplay.runs.preparing.planning import prepare
from outplay.tester.observed_tester import Continuation
from outplay.tester.portfolio import Portfolio
from outplay.tester.suspicion_tester import SuspicionTester
from outplay.tester.tester import Walker

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
    assert "wrong answer or transition would have been noticed with over 99 % chance" in outplay(*asked).out
    assert outplay(*asked, "-q").out.count("\n") == 1
    shown = outplay(*asked, "-v").out
    assert "  suspected: the one answer was right; no transition leads to a wrong state\n" in shown
    assert "  cleared: 1.00, the estimated chance that such a single fault would have been noticed by now\n" in shown
    told = outplay(*asked, "--json").json["coverage"]["suspected"]
    assert told == {
        "cleared": 1.0,
        "answers": {"given": 1, "total": 1},
        "targets": {"left": 0, "total": 1},
        "likely": [],
        "complete": True,
        "nothing_left": False,
        "odd_answers": [],
        "learnt": {"states": [], "races": told["learnt"]["races"]},
    }


def test_what_is_left_is_named_with_what_it_would_take(outplay, tmp_path):
    lamp = str(tmp_path / "switched.aut")
    Path(lamp).write_text('des (0, 4, 4)\n(0, "?press", 1)\n(1, "!on", 2)\n(2, "?press", 3)\n(3, "!off", 0)\n')
    asked = ["run", lamp, "--sut", f"model:{lamp}", "--plays", "1", "--steps", "1", "--tester", "walk"]
    told = outplay(*asked, "--until-cleared", "0.99", "--json").json["coverage"]["suspected"]
    assert told["cleared"] < 1
    assert {one["then"][-1] for one in told["likely"]} <= {"!on", "!off", "delta"}
    assert told["likely"][0]["instead"] != told["likely"][0]["target"]
    assert "suspected" not in outplay(*asked, "--json").json["coverage"]


def test_a_run_stops_when_enough_is_cleared(outplay, lamp):
    run = outplay("run", lamp, "--sut", f"model:{lamp}", "--until-cleared", "0.9", "--json").json
    assert run["plays"] < 10
    assert run["coverage"]["suspected"]["cleared"] >= 0.9


def test_with_a_goal_there_is_nothing_to_clear(outplay):
    refused = outplay("run", CHAT, "--sut", f"model:{CHAT}", "--goal", "two_pending", "--until-cleared", "0.9")
    assert (refused.code, "--until confidence" in refused.err) == (2, True)


def test_suspicions_are_played_against_by_default_and_after_the_goal():
    assert isinstance(prepare(Job(CHAT, sut=f"model:{CHAT}")).plan.tester, Portfolio)
    assert isinstance(prepare(Job(CHAT, sut=f"model:{CHAT}", tester="suspicion")).plan.tester, SuspicionTester)
    assert isinstance(prepare(Job(CHAT, sut=f"model:{CHAT}", tester="walk")).plan.tester, Walker)
    then = prepare(Job(CHAT, sut=f"model:{CHAT}", goal=("two_pending",), extra_steps=5)).then
    assert isinstance(then, Continuation)


def test_a_play_goes_on_after_the_goal_for_as_long_as_is_asked(outplay):
    asked = ["run", CHAT, "--sut", f"model:{CHAT}", "--goal", "two_pending", "--plays", "2", "--json"]
    assert outplay(*asked, "--extra-steps", "30").json["steps"] >= outplay(*asked).json["steps"] + 40


def test_where_labels_cannot_be_listed_the_tester_that_suspects_walks_and_says_so(outplay):
    model = EXAMPLES / "symbolic" / "redis_counter.sts"
    asked = ["run", str(model), "--sut", f"model:{model}", "--plays", "2", "--steps", "5"]
    run = outplay(*asked, "--tester", "suspicion")
    assert run.code == 0, run
    assert "cannot be listed" in run.err
    mixed = outplay(*asked)
    assert (mixed.code, "cannot be listed" in mixed.err) == (0, False)


def test_a_real_server_with_races_is_played_and_its_bug_found(outplay):
    asked = ["run", CHAT, "--ready", "ready", "--silence", "0.3", "--latency", "0.05", "--shrink", "0", "--json"]
    right = outplay(*asked, "--sut", f"exec:{SERVER}", "--plays", "2", "--steps", "60").json
    assert right["verdict"] == "pass"
    assert 0 < right["coverage"]["suspected"]["cleared"] < 1
    assert outplay(*asked, "--sut", f"exec:{SERVER} --bug").json["verdict"] == "fail"


@pytest.fixture
def suite(outplay, lamp, tmp_path):
    path = str(tmp_path / "tests.json")
    assert outplay("suite", lamp, "--method", "distinguish", "-o", path).code == 0
    return ["run", lamp, "--suite", path]


def test_a_suite_tells_what_it_cleared(outplay, lamp, suite):
    told = outplay(*suite, "--sut", f"model:{lamp}", "--json").json["coverage"]["suspected"]
    assert 0 < told["cleared"] <= 1
    assert "  cleared: " in outplay(*suite, "--sut", f"model:{lamp}", "-v").out


def test_a_suite_is_played_by_suspicion_and_goes_on_after_its_tests(outplay, lamp, suite, tmp_path):
    tired = tmp_path / "tired.aut"  # the second time it stays dark
    tired.write_text('des (0, 3, 4)\n(0, "?press", 1)\n(1, "!light", 2)\n(2, "?press", 3)\n')
    one = tmp_path / "one.json"
    steps = [["0", "?press", "1"], ["1", "!light", "pass"], ["1", "delta", "fail"]]
    test = {"name": "lit", "initial": "0", "transitions": steps}
    one.write_text(json.dumps({"format": "outplay-suite/1", "model": lamp, "tests": [test]}))
    asked = ["run", lamp, "--suite", str(one), "--sut", f"model:{tired}", "--json"]
    assert outplay(*asked).json["verdict"] == "pass"
    found = outplay(*asked, "--extra-steps", "10")
    assert (found.code, found.json["verdict"]) == (1, "fail")
    assert "reproduced" in outplay("replay", found.json["trace"], "--model", lamp, "--sut", f"model:{tired}").out
    ordered = outplay(*suite, "--sut", f"model:{lamp}", "--tester", "suspicion", "--json").json
    assert ordered["verdict"] == "pass"
    assert ordered["tests"]


def test_other_testers_and_joining_put_no_suite_in_order(outplay, lamp, suite):
    for wrong in (["--tester", "walk"], ["--tester", "suspicion", "--join"]):
        refused = outplay(*suite, "--sut", f"model:{lamp}", *wrong)
        assert (refused.code, "order" in refused.err) == (2, True)


def test_the_page_has_what_may_be_wrong_and_what_was_learnt_under_their_own_headings(outplay, tmp_path):
    coin = tmp_path / "coin.aut"
    coin.write_text('des (0, 3, 2)\n(0, "?toss", 1)\n(1, "!heads", 0)\n(1, "!tails", 0)\n')
    run = outplay("run", str(coin), "--sut", f"model:{coin}", "--plays", "3", "--steps", "30", "--json").json
    page = Path(run["report"]).read_text()
    assert "<h2>What may still be wrong</h2></summary><dl><dt>suspected<dd>" in page
    assert "<h2>How likely answers are, as was learnt</h2>" in page
    assert "Forecast and actual" not in page
    (state,) = run["coverage"]["suspected"]["learnt"]["states"]
    assert state["seen"] == sum(answer["seen"] for answer in state["answers"]) > 0
    for answer in state["answers"]:
        assert answer["chance"] == round((answer["seen"] + 1) / (state["seen"] + 2), 4)
        assert f"<code>{answer['label']}</code><td class=n>{answer['seen']:,}<td class=n>" in page
