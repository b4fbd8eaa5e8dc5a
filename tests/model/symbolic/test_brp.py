"""The bounded retransmission protocol: our model is the public register automaton, and its mutants are caught."""

from __future__ import annotations

import sys
from random import Random

import pytest

from helpers.commands import called
from helpers.places import EXAMPLES, ROOT, shared_data
from outplay import Simulated, read_model, run, specification
from outplay.conformance.refinement import Conforms, check
from outplay.model.symbolic.building import restricted
from outplay.model.symbolic.execution_graph import execution_graph
from outplay.play.plan import Plan
from outplay.tester.switch_tester import SwitchTester

BRP = EXAMPLES / "brp" / "brp.sts"
PROGRAM = ROOT.parent / "shared" / "suts" / "register_automaton.py"
pytestmark = pytest.mark.skipif(not shared_data("brp").exists(), reason="no folder shared/data beside the repository")


def public(name):
    return shared_data("brp", f"BRP_{name}.register.xml")


def is_same(high):
    ours, theirs = (specification(restricted(read_model(path), 0, high)) for path in (BRP, public("reference")))
    return isinstance(check(ours, theirs), Conforms) and isinstance(check(theirs, ours), Conforms)


def test_our_model_is_the_reference_over_one_datum():
    assert is_same(0)


@pytest.mark.long
@pytest.mark.timeout(600)
def test_our_model_is_the_reference_over_two_data():
    assert is_same(1)


@pytest.mark.parametrize(("number", "thesis"), [(1, 44), (2, 16), (3, 8)])
def test_a_public_mutant_is_caught_in_fewer_labels_than_the_thesis_needs(number, thesis):
    system, mutant = read_model(BRP), specification(read_model(public(f"mutant{number}")))
    graph, counts = execution_graph(system), []
    for seed in range(4):
        tester = SwitchTester(system, Random(seed), graph)
        outcome = run(Plan(specification(system), tester), Simulated(mutant, Random(seed)), plays=3, steps=60)
        assert outcome.verdict.name == "fail"
        counts.append(sum(event.kind in ("input", "output") for event in outcome.trace.events))
    assert sum(counts) / len(counts) < thesis


@pytest.mark.skipif(not PROGRAM.exists(), reason="no folder shared/suts beside the repository")
@pytest.mark.parametrize(("name", "code"), [("reference", 0), ("mutant2", 1)])
def test_the_protocol_is_played_live(name, code, capsys):
    system = f"exec:{sys.executable} {PROGRAM} {public(name)}"
    options = ["--reset", "RESET=OK", "--silence", "0.4", "--plays", "1", "--steps", "47", "--shrink", "0", "--json"]
    told = called(capsys, "run", BRP, "--tester", "switches", "--sut", system, *options)
    assert (told.code, told.json["verdict"]) == (code, "fail" if code else "pass")
