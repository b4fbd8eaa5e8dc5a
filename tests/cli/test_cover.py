"""`solve --objective cover-nodes` on the command line, as the contract has it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from helpers.places import EXAMPLES
from outplay.errors import UsageError
from outplay.runs.job import Job
from outplay.runs.preparing.named_tester import NamedTester
from outplay.runs.preparing.planning import prepare
from outplay.runs.preparing.testers import TESTERS
from outplay.tester.tester import Walker

CHAT = f"{EXAMPLES}/chat/model.py:Chat"
DOORS = str(EXAMPLES / "graphs" / "two_doors.json")


def test_the_guarantee_is_told_with_bounds_and_witness(outplay):
    found = outplay("solve", DOORS, "--objective", "cover-nodes", "--json").json
    assert (found["value"], found["total"], found["bounds"]) == (3, 4, [3, 3])
    assert found["values"] == {"hall": 3, "left": 2, "right": 2, "lift": 2}
    assert (found["goal"], found["certificate"]["checked"], found["proven"]) == ([], True, True)
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
    worst = outplay(*model, "--adversarial", "--plays", "1")
    assert (worst.json["verdict"], worst.json["coverage"]["states"]) == ("pass", 3)
    assert "3 of 4 are sure to be covered" in worst.err
    assert outplay(*model, "--plays", "20").json["coverage"]["states"] == 4
    again = outplay(*model, "--adversarial", "--plays", "1", "--reset-cost", "1")
    assert again.json["coverage"]["states"] == 4


def test_a_model_of_hundreds_of_states_is_played(outplay):
    arguments = ["run", CHAT, "--objective", "cover-nodes", "--sut", f"model:{CHAT}", "--time-limit", "0"]
    played = outplay(*arguments, "--plays", "2", "--json")
    assert (played.json["verdict"], played.json["coverage"]["states"] > 50) == ("pass", True)
    assert "of 235 are sure to be covered" in played.err


def test_what_makes_no_sense_with_coverage_is_told(outplay):
    walked = outplay("run", DOORS, "--objective", "cover-nodes", "--sut", f"model:{DOORS}", "--extra-steps", "3")
    assert (walked.code, "--extra-steps" in walked.err) == (2, True)
    written = outplay("suite", DOORS, "--method", "cover-nodes", "-o", "tests.json")
    assert (written.code, "run --objective cover-nodes" in written.err) == (2, True)


BAG = f"{EXAMPLES / 'coverage' / 'multiset.py'}:Multiset"


def test_coverage_is_the_aim_of_a_run(outplay):
    asked = ["run", BAG, "--assumption", "timeout", "--sut", f"model:{BAG}", "--tester", "cover"]
    told = outplay(*asked, "--json")
    aim = told.json["coverage"]["aim"]
    assert (told.json["verdict"], told.json["coverage"]["states"]) == ("pass", 19)
    assert (aim["kind"], aim["covered"], aim["total"], aim["surprise"]) == ("states", 19, 19, None)
    assert (aim["can_be_forced"], aim["need_help"], aim["complete"]) == (0, 0, True)
    assert aim["forecast"]["sure"] == [7, 7]
    assert told.json["plays"] < 100  # it stops when all is covered
    short = outplay(*asked, "--plays", "1", "--steps", "9").out.splitlines()
    assert short[2].startswith("  forecast: 7 of 19 states are sure, whatever the system does; ")
    assert short[2].endswith(" are expected after 1 play of 9 labels each")
    assert re.fullmatch(r"  covered: \d of 19 states; (\d more can be forced, \d+ need|1\d more need) help", short[3])
    assert outplay(*asked, "--plays", "1", "--steps", "9").out.splitlines()[:4] == short[:4]


@pytest.mark.parametrize("kind", ["states", "transitions", "labels"])
def test_a_walk_tells_how_much_it_covered(outplay, kind):
    asked = ["run", DOORS, "--sut", f"model:{DOORS}", "--cover", kind, "--plays", "1", "--steps", "1", "--json"]
    aim = outplay(*asked, "--tester", "walk").json["coverage"]["aim"]
    assert (aim["kind"], aim["total"]) == (kind, {"states": 4, "transitions": 6, "labels": 5}[kind])
    assert 0 < aim["covered"] < aim["total"]
    assert aim["covered"] + aim["can_be_forced"] + aim["need_help"] == aim["total"]
    assert aim["forecast"]["expected"] is None


def test_a_run_ends_when_nothing_new_was_seen_for_long(outplay):
    told = outplay("run", DOORS, "--sut", f"model:{DOORS}", "--until-quiet", "7")
    assert "quiet: nothing new in 7 plays; that a play shows more has a chance of at most 0." in told.out
    found = outplay("run", DOORS, "--sut", f"model:{DOORS}", "--until-quiet", "7", "--json").json
    assert (found["coverage"]["quiet"]["plays"], found["plays"] < 100) == (7, True)


def test_the_page_of_a_run_tells_its_coverage(outplay, tmp_path):
    told = outplay("run", DOORS, "--sut", f"model:{DOORS}", "--tester", "cover", "--json").json
    page = (tmp_path / told["report"]).read_text()
    assert "covered" in page
    assert "4 of 4 states" in page


@pytest.mark.parametrize(
    ("more", "complaint"),
    [
        (["--goal", "lift", "--tester", "cover"], "leave --tester out"),
        (["--goal", "lift", "--cover", "labels"], "leave --cover out"),
        (["--tester", "cover", "--extra-steps", "3"], "--extra-steps"),
        (["--tester", "walk", "--adversarial"], "--adversarial"),
        (["--tester", "run"], "walk"),
        (["--until-quiet", "0"], "until-quiet"),
    ],
)
def test_what_makes_no_sense_with_a_tester_is_told(outplay, more, complaint):
    told = outplay("run", DOORS, "--sut", f"model:{DOORS}", *more)
    assert (told.code, complaint in told.err) == (2, True)


def test_a_tester_put_beside_the_others_is_known(monkeypatch):
    kind = NamedTester("mine", "as it likes", lambda situation: Walker(situation.rng))
    monkeypatch.setitem(TESTERS, "mine", kind)
    prepared = prepare(Job(DOORS, tester="mine", sut=f"model:{DOORS}"))
    assert isinstance(prepared.plan and prepared.plan.tester, Walker)
    with pytest.raises(UsageError, match="did you mean"):
        prepare(Job(DOORS, tester="min", sut=f"model:{DOORS}"))


def test_a_suite_that_visits_all_states_is_written_and_played(outplay):
    told = outplay("suite", DOORS, "--method", "nodes", "-o", "tests.json")
    assert told.out.startswith("2 test cases, ")
    assert "they visit all 4 states, in 3 moves" in told.out
    played = outplay("run", "--suite", "tests.json", "--sut", f"model:{DOORS}", "--json").json
    assert (played["verdict"], played["coverage"]["states"]) == ("pass", 4)
    told = outplay("suite", DOORS, "--method", "nodes", "--goal", "lift", "-o", "tests.json")
    assert (told.code, "leave --goal out" in told.err) == (2, True)


def test_coverage_is_forecast(outplay):
    told = outplay("forecast", DOORS, "--of", "coverage", "--plays", "3", "--steps", "9").out.splitlines()
    assert told[0] == "states: 4 of 4 are sure, whatever the system does"
    assert told[1].startswith("  the system lets the tester have ")
    assert told[2] == "  each by itself: 4 can be forced"
    assert told[3] == "  expected of plays of at most 9 labels: 4.0 after 1, 4.0 after 2, 4.0 after 3"
    asked = ["forecast", BAG, "--assumption", "timeout", "--of", "coverage", "--cover", "states", "--steps", "9"]
    found = outplay(*asked, "--json").json
    assert list(found["coverage"]) == ["states"]
    states = found["coverage"]["states"]
    assert (states["total"], states["sure"], states["can_be_forced"]) == (19, [7, 7], 4)
    assert [entry["plays"] for entry in states["after"]] == [1, 2, 5, 10, 20, 50, 100]
    expected = [entry["expected"] for entry in states["after"]]
    assert expected == sorted(expected)
    assert expected[-1] == pytest.approx(19, abs=0.5)


def test_coverage_is_forecast_by_itself(outplay):
    for more in (["--of", "states"], ["-o", "page.html"], ["--goal", "lift"]):
        assert outplay("forecast", DOORS, "--of", "coverage", *more).code == 2
    told = outplay("forecast", DOORS, "--cover", "states")
    assert (told.code, "--of coverage" in told.err) == (2, True)


def test_what_was_seen_of_a_model_with_data_is_counted_alike_with_and_without_its_regions(outplay):
    switches = (
        "switch r0: a -> b on in(p) when 1 <= p <= 2 and x <= 3 do x := x + p\nswitch r1: b -> a on out(p) when p = x\n"
    )
    ends = "switch r2: a -> c on done when x > 3\n"
    declared = "system sum\nvariable x: integer = 0\ninput in(p: integer)\noutput out(p: integer)\noutput done\n"
    Path("sum.sts").write_text(f"{declared}initial a\n{switches}{ends}")
    asked = ("run", "sum.sts", "--sut", "model:sum.sts", "--plays", "3", "--steps", "12")
    plain, covered = outplay(*asked).out, outplay(*asked, "--cover", "transitions").out
    seen = re.search(r"(\d+) of (at least )?\d+ states.* seen", plain)
    assert seen
    assert int(seen[1]) > 2
    assert seen[0] in covered
    assert re.search(r"covered: (all )?\d+ of \d+ transitions of the game", covered)
