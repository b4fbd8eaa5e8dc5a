"""Suites of switch purposes: played against the model they pass, and commands know them."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from helpers.commands import called
from helpers.places import EXAMPLES
from helpers.symbolic import random_system
from outplay import Simulated, read_suite, run, specification, write_model
from outplay.model.symbolic.switch_coverage import covering_paths
from outplay.play.plan import case_plan
from outplay.runs.suite_runs.suite_making import make_suite

BRP = EXAMPLES / "brp" / "brp.sts"


@pytest.mark.parametrize("seed", range(12))
def test_a_case_takes_the_labels_of_its_purpose(seed):
    system = random_system(Random(seed))
    write_model("m.sts", system)
    suite = make_suite("m.sts", "switch")
    purposes = covering_paths(system).purposes
    cases = list(suite.tests)
    assert [case.depth for case in cases] == [len(purpose) for purpose in purposes]
    spec = specification(system)
    for case in cases:
        verdict = run(case_plan(case, spec), Simulated(spec, Random(seed)), plays=1, steps=case.depth).verdict.name
        assert verdict in ("pass", "inconclusive")


def test_commands_write_and_play_switch_tests(capsys):
    found = called(capsys, "suite", BRP, "--method", "switch", "-o", "suite.json", "--json").json
    assert (found["tests"], found["labels"], found["coverage"], found["missing"]) == (3, 28, 1.0, {})
    assert sum(test.depth for test in read_suite(Path("suite.json")).tests) == 28
    played = called(capsys, "run", "--suite", "suite.json", "--sut", f"model:{BRP}", "--json")
    assert (played.code, played.json["verdict"]) == (0, "pass")
    walked = called(capsys, "run", BRP, "--tester", "switches", "--sut", f"model:{BRP}", "--plays", "1", "--json")
    assert (walked.code, walked.json["verdict"]) == (0, "pass")


def test_what_has_no_switches_is_refused(capsys):
    Path("m.aut").write_text('des (0,1,1)\n(0,"?a",0)\n')
    told = called(capsys, "suite", "m.aut", "--method", "switch", "-o", "s.json")
    assert (told.code, "is for symbolic models" in told.err) == (2, True)
    told = called(capsys, "run", "m.aut", "--tester", "switches", "--sut", "model:m.aut")
    assert (told.code, "is for symbolic models" in told.err) == (2, True)
