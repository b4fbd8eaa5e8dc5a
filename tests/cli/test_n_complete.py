"""`outplay suite --method n-complete`."""

from __future__ import annotations

from pathlib import Path

import pytest

from helpers.places import EXAMPLES
from outplay.formats.suites.suite_json import read_suite

LAMP = "des (0, 4, 2)\n(0, ?press, 1)\n(1, !light, 0)\n(1, !hum, 1)\n(0, delta, 0)\n"
WRONG = LAMP.replace("(1, !hum, 1)", "(1, !hum, 0)")
ENDLESS = "des (0, 6, 2)\n(0, !x, 0)\n(0, !y, 1)\n(0, !z, 0)\n(1, !x, 0)\n(1, !y, 1)\n(1, !w, 1)\n"


@pytest.fixture
def lamp() -> str:
    Path("lamp.aut").write_text(LAMP)
    Path("wrong.aut").write_text(WRONG)
    return "lamp.aut"


def test_the_suite_is_written_as_large_as_it_was_counted(outplay, lamp):
    counted = outplay("suite", lamp, "--method", "n-complete", "--count", "--json")
    written = outplay("suite", lamp, "--method", "n-complete", "-o", "tests.json", "--json")
    assert (counted.code, written.code) == (0, 0)
    assert counted.json == written.json
    assert (written.json["states"], written.json["construction"], written.json["access"]) == (2, "counting", "fixed")
    assert "at most 2 states" in written.json["guarantee"]
    made = read_suite("tests.json")
    assert made.size == counted.json["tests"]
    assert sum(test.depth for test in made.tests) == counted.json["labels"]
    assert made.guarantee == counted.json["guarantee"]


def test_a_transition_that_leads_astray_is_found_by_playing_the_suite(outplay, lamp):
    outplay("suite", lamp, "--method", "n-complete", "-o", "tests.json")
    astray = outplay(
        "run", "--suite", "tests.json", "--sut", "model:wrong.aut", "--plays", "50", "--seed", "1", "--json"
    )
    assert astray.json["verdict"] == "fail"
    right = outplay("run", "--suite", "tests.json", "--sut", f"model:{lamp}", "--plays", "50", "--seed", "1", "--json")
    assert right.json["verdict"] == "pass"


def test_more_states_take_more_tests(outplay, lamp):
    sizes = [
        outplay("suite", lamp, "--method", "n-complete", "--states", str(n), "--count", "--json").json["tests"]
        for n in (1, 2, 3, 4)
    ]
    assert sizes == sorted(set(sizes))


def test_a_recursion_without_end_is_told_and_the_unconditional_suite_is_made(outplay):
    Path("endless.aut").write_text(ENDLESS)
    found = outplay("suite", "endless.aut", "--method", "n-complete", "--construction", "merging", "--count")
    assert "the suite of the merge 0 ∧ 1 contains itself" in found.out
    assert "2-complete (unconditional, no access)" in found.out
    adaptive = outplay("suite", "endless.aut", "--method", "n-complete", "--adaptive-access", "--count", "--json").json
    assert (adaptive["access"], adaptive["note"]) == ("adaptive", None)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ((), "give -o FILE.json, or --count them"),
        (("--count", "--construction", "merge"), "did you mean 'merging'"),
        (("--count", "--machine"), "is no machine"),
        (("--states", "11", "-o", "tests.json"), "ask for fewer --states, or --count them"),
    ],
)
def test_what_cannot_be_done_is_told(outplay, options, told):
    found = outplay("suite", str(EXAMPLES / "mp3" / "mp3.aut"), "--method", "n-complete", *options)
    assert found.code == 2
    assert told in found.err
    assert not Path("tests.json").exists()


def test_other_methods_take_no_states_and_can_be_counted_too(outplay, lamp):
    refused = outplay("suite", lamp, "--method", "distinguish", "--states", "3", "--count")
    assert (refused.code, "takes no --states" in refused.err) == (2, True)
    counted = outplay("suite", lamp, "--method", "distinguish", "--count", "--json").json
    assert counted == outplay("suite", lamp, "--method", "distinguish", "-o", "tests.json", "--json").json
