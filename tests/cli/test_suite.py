"""`outplay suite`, and `outplay run --suite`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from helpers.places import EXAMPLES, shared_data
from outplay.errors import UsageError
from outplay.formats.suites.suite_json import read_suite
from outplay.strategy.objectives import OBJECTIVES
from outplay.suite.methods import method_named, methods

LAMP = "des (0, 5, 3)\n(0, ?press, 1)\n(1, !light, 2)\n(1, !flicker, 0)\n(2, ?press, 0)\n(0, delta, 0)\n"


@pytest.fixture
def lamp() -> str:
    Path("lamp.aut").write_text(LAMP)
    return "lamp.aut"


@pytest.fixture
def suite(outplay, lamp) -> str:
    assert outplay("suite", lamp, "--method", "joker", "-o", "tests.json").code == 0
    return "tests.json"


def test_the_keys_are_those_of_the_contract(outplay, lamp):
    found = outplay("suite", lamp, "--method", "joker", "-o", "tests.json", "--json")
    assert found.code == 0
    assert found.json == {"method": "joker", "tests": 3, "labels": 3, "impossible": []}
    made = read_suite("tests.json")
    assert (made.model, made.method, [test.name for test in made.tests]) == (lamp, "joker", ["0", "1", "2"])


def test_targets_can_be_named_and_what_is_impossible_has_no_test(outplay, lamp):
    found = outplay("suite", lamp, "--method", "joker", "-o", "tests.json", "--goal", "2", "--goal", "!flicker")
    assert "2 test cases" in found.out
    names = [test.name for test in read_suite("tests.json").tests]
    assert names == ["2", "!flicker"]
    game = {"format": "outplay-game/1", "initial": "s", "vertices": [{"id": "s", "owner": "tester"}], "edges": []}
    game["vertices"].append({"id": "far", "owner": "tester", "goal": True})
    Path("far.json").write_text(json.dumps(game))
    nothing = outplay("suite", "far.json", "--method", "joker", "-o", "none.json", "--json")
    assert (nothing.code, nothing.json["impossible"]) == (5, ["goal"])


@pytest.mark.parametrize(("name", "begins"), [("t.dot", "digraph"), ("t.mmd", "flowchart")])
def test_a_suite_can_be_drawn(outplay, lamp, name, begins):
    assert outplay("suite", lamp, "--method", "joker", "-o", name).code == 0
    assert begins in Path(name).read_text()


def test_an_ending_nobody_knows_is_told(outplay, lamp):
    found = outplay("suite", lamp, "--method", "joker", "-o", "tests.txt")
    assert (found.code, ".json or .dot or .mmd or .py" in found.err) == (2, True)


def test_a_suite_is_played_and_each_test_told(outplay, suite, lamp):
    found = outplay("run", "--suite", suite, "--sut", f"model:{lamp}", "--json").json
    assert found["verdict"] == "pass"
    assert [test["verdict"] for test in found["tests"]] == ["pass"] * 3
    assert found["coverage"]["states"] <= 3
    assert "2: pass" in outplay("run", "--suite", suite, "--sut", f"model:{lamp}").out


def test_a_system_that_never_helps_leaves_its_test_inconclusive(outplay, suite):
    Path("dim.aut").write_text(LAMP.replace("(1, !light, 2)\n", "(1, !flicker, 2)\n"))
    found = outplay("run", "--suite", suite, "--sut", "model:dim.aut", "--plays", "3", "--json")
    assert (found.code, found.json["verdict"]) == (6, "inconclusive")
    assert found.json["tests"][2] == {
        "name": "2",
        "verdict": "inconclusive",
        "plays": 3,
        "why": "2 did not reach its pass end in 3 plays",
    }


def test_a_wrong_system_fails_and_the_failing_play_is_kept(outplay, suite):
    Path("wrong.aut").write_text(LAMP.replace("!light", "!smoke"))
    found = outplay("run", "--suite", suite, "--sut", "model:wrong.aut", "--plays", "20", "--json")
    assert (found.code, found.json["verdict"]) == (1, "fail")
    lines = Path(found.json["trace"]).read_text().splitlines()
    assert json.loads(lines[-2])["label"] == "!smoke"


def test_neither_model_nor_suite_is_told(outplay):
    found = outplay("run", "--sut", "model:x.aut")
    assert (found.code, "Missing argument 'MODEL': name it" in found.err) == (2, True)


def test_a_suite_takes_no_goal(outplay, suite, lamp):
    found = outplay("run", "--suite", suite, "--goal", "2", "--sut", f"model:{lamp}")
    assert (found.code, "leave --goal" in found.err) == (2, True)


def test_a_suite_remembers_how_its_model_was_read(outplay, model):
    reading = ("--set", "words=('c',)", "--assumption", "input-eager")
    made = outplay("suite", model, *reading, "--method", "joker", "--goal", "answered", "-o", "words.json")
    assert "play them: outplay run --suite words.json --sut …" in made.out
    found = outplay("run", "--suite", "words.json", "--sut", f"model:{model}", "--json").json
    assert found["verdict"] == "pass"
    header = json.loads(Path(".outplay/last/trace.jsonl").read_text().splitlines()[0])
    assert header["job"]["set"] == ["words=('c',)"]
    assert header["options"]["assumption"] == "input-eager"
    assert outplay("judge", model, ".outplay/last/trace.jsonl").err == ""


def test_a_suite_for_labels_without_a_direction_needs_no_options_to_be_played(outplay):
    Path("plain.aut").write_text("des (0, 2, 2)\n(0, press, 1)\n(1, light, 0)\n")
    assert outplay("suite", "plain.aut", "--inputs", "pr*", "--method", "joker", "-o", "tests.json").code == 0
    assert outplay("run", "--suite", "tests.json", "--sut", "model:plain.aut").code == 0


def test_what_is_given_outweighs_what_a_suite_remembers(outplay, lamp):
    outplay("suite", lamp, "--assumption", "input-eager", "--method", "joker", "-o", "tests.json")
    usual = ("--assumption", "nondeterministic")
    assert outplay("run", "--suite", "tests.json", *usual, "--sut", f"model:{lamp}").code == 0
    header = json.loads(Path(".outplay/last/trace.jsonl").read_text().splitlines()[0])
    assert header["options"]["assumption"] == "nondeterministic"


def test_a_suite_with_a_job_nobody_can_read_is_refused(outplay, suite):
    Path(suite).write_text(Path(suite).read_text().replace('"job": {', '"job": {"set": 3, ', 1))
    found = outplay("run", "--suite", suite, "--sut", "model:lamp.aut")
    assert (found.code, found.err) == (4, "outplay: tests.json: in its job, set is 3 and should be a list of texts\n")


def test_distinguishing_tests_have_their_figures_and_find_what_leads_astray(outplay):
    spec, eager = EXAMPLES / "mp3" / "mp3.aut", EXAMPLES / "mp3" / "eager.aut"
    found = outplay("suite", spec, "--method", "distinguish", "-o", "tests.json", "--json").json
    assert list(found) == [
        "method", "tests", "labels", "splitting_nodes", "depth", "undistinguished_pairs", "left_out_pairs",
        "average_leaf", "weighted_leaf", "incompatible_pairs", "told_apart_at_most",
    ]  # fmt: skip
    assert (found["tests"], found["depth"], found["undistinguished_pairs"]) == (11, 1, 0)
    played = outplay("run", "--suite", "tests.json", "--sut", f"model:{eager}", "--seed", 1, "--json")
    assert (played.code, played.json["verdict"]) == (1, "fail")
    failed = [test["name"] for test in played.json["tests"] if test["verdict"] == "fail"]
    assert failed == ["playing_repeat --?quit--> idle_repeat"]
    assert (
        "each ends with one test of at most 1 label"
        in outplay("suite", spec, "--method", "distinguish", "-o", "t.dot").out
    )


def test_what_never_comes_is_told_with_a_confidence_in_words_json_and_on_the_page(outplay):
    Path("spec.aut").write_text("des (0, 3, 3)\n(0, ?go, 1)\n(1, !a, 2)\n(1, !b, 0)\n")
    Path("impl.aut").write_text("des (0, 2, 3)\n(0, ?go, 1)\n(1, !b, 0)\n")
    assert outplay("suite", "spec.aut", "--method", "distinguish", "-o", "tests.json").code == 0
    assert read_suite("tests.json").fair
    play = ("run", "--suite", "tests.json", "--sut", "model:impl.aut")
    told = outplay(*play)
    assert told.code == 0
    assert "✓ Pass: all 4 tests passed, with confidence 0.9" in told.out
    assert "cannot come: 0 --?go--> 1: !a after ?go (20 of 20 tries)" in told.out
    page = Path(".outplay/last/report.html").read_text()
    assert "<h2>Branches of the tests</h2><dl><dt>cannot come<dd>" in page
    assert "!a after ?go" in page
    found = outplay(*play, "--json").json
    assert list(found["ledger"]) == ["chance", "confidence", "tests", "joined", "branches", "excluded"]
    assert found["ledger"]["excluded"][0]["label"] == "!a"
    sure = outplay(*play, "--json", "--chance", "1").json
    assert sure["plays"] == 4 < found["plays"]
    few = outplay(*play, "--json", "--plays", "3", "--chance", "0.05")
    assert (few.code, few.json["ledger"]["open"][0]["after"]) == (6, ["?go"])
    assert outplay(*play, "--confidence", "1").code == 2


def test_a_suite_for_a_file_of_others_is_played_fairly(outplay):
    spec = shared_data("lattest", "spec.aut")
    if not spec.exists():
        pytest.skip("the shared data is not here")
    assert outplay("suite", spec, "--method", "distinguish", "-o", "tests.json").code == 0
    play = ("run", "--suite", "tests.json", "--json", "--sut")
    right = outplay(*play, f"model:{spec}").json
    assert (right["verdict"], right["ledger"]["branches"]["excluded"]) == ("pass", 0)
    fewer = spec.read_text().replace("(PickEitherIn, 2_o, Confirm2),\n", "").replace("11,8", "10,8")
    Path("one.aut").write_text(fewer)
    picky = outplay(*play, "model:one.aut").json
    assert picky["verdict"] == "pass"
    assert {(*branch["after"], branch["label"]) for branch in picky["ledger"]["excluded"]} >= {("?0", "!2")}
    Path("wrong.aut").write_text(spec.read_text().replace("(Confirm1, 1_o,", "(Confirm1, 2_o,"))
    assert outplay(*play, "model:wrong.aut").json["verdict"] == "fail"


def test_of_very_many_tests_only_those_that_did_not_pass_are_told(outplay, lamp, monkeypatch):
    monkeypatch.setattr("outplay.cli.run.MOST_SHOWN", 2)
    outplay("suite", lamp, "--method", "joker", "-o", "tests.json")
    assert "  3 tests; --json lists them\n" in outplay("run", "--suite", "tests.json", "--sut", f"model:{lamp}").out
    Path("dim.aut").write_text(LAMP.replace("(1, !light, 2)\n", "(1, !flicker, 2)\n"))
    told = outplay("run", "--suite", "tests.json", "--sut", "model:dim.aut", "--plays", "3").out
    assert "  2: inconclusive (3 plays)\n  … and 2 tests more; --json lists them\n" in told


def test_objectives_of_which_no_suite_can_be_made_are_not_offered(outplay):
    shown = outplay("suite", "--help").out
    offered = set(methods())
    assert not {name for name, each in OBJECTIVES.items() if not each.takes_goal} & offered
    assert "cover-nodes" not in shown.split("Methods:")[1]
    assert "cover-edges" not in shown.split("Methods:")[1]
    assert "|cover-" not in "".join(shown.split("--method")[1].split())
    with pytest.raises(UsageError, match="--method edges"):
        method_named("cover-edges")


def test_a_share_that_no_single_test_betters_is_said_to_be_the_best(outplay):
    # Two states answer alike, and each input that would tell them apart leads another pair together.
    steps = (
        "(0, !y, 1)\n(1, !x, 1)\n(2, !y, 1)\n(0, ?a, 0)\n(1, ?a, 0)\n(2, ?a, 1)\n(0, ?b, 1)\n(1, ?b, 2)\n(2, ?b, 2)\n"
    )
    Path("chain.aut").write_text(f"des (0, 9, 3)\n{steps}")
    told = outplay("suite", "chain.aut", "--method", "distinguish", "--count")
    assert "it tells apart 66.66 % of 6 ordered pairs of states that differ, and no single test does better" in told.out
    found = outplay("suite", "chain.aut", "--method", "distinguish", "--count", "--json").json
    assert (found["incompatible_pairs"], found["told_apart_at_most"]) == (6, 4)
