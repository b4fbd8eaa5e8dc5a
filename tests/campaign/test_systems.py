"""Systems named by a text, in Python as on the command line."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from outplay import Suite, automaton, run, run_suite
from outplay.campaign.replay import replay
from outplay.errors import UsageError
from outplay.model.suspension import SuspensionAutomaton
from outplay.play.runner import Timing
from outplay.suite.testcase import case_of

LAMP = automaton([("off", "?press", "on"), ("on", "!light", "off")])
WRONG = "import sys\nfor line in sys.stdin:\n    print('smoke', flush=True)\n"


def test_a_text_names_a_simulation():
    Path("lamp.aut").write_text("des (0, 2, 2)\n(0, ?press, 1)\n(1, !light, 0)\n")
    found = run(LAMP, "model:lamp.aut", plays=3, steps=6)
    assert (found.verdict.name, found.tally.plays, found.trace.header.sut) == ("pass", 3, "model:lamp.aut")
    case = case_of([("t0", "?press", "t1"), ("t1", "!light", "pass"), ("t1", "delta", "fail")])
    assert run_suite(Suite(tests=(case,)), SuspensionAutomaton(LAMP), "model:lamp.aut").outcome.verdict.name == "pass"


def test_a_text_names_a_program_that_fails_and_fails_again():
    Path("wrong.py").write_text(WRONG)
    sut = f"exec:{sys.executable} wrong.py"
    found = run(LAMP, sut, plays=20, timing=Timing(2.0, 0.02))
    assert found.verdict.name == "fail"
    again = replay(SuspensionAutomaton(LAMP), found.failure(), sut, timing=Timing(2.0, 0.02))
    assert again.reproduced


def test_a_text_that_names_nothing_is_told():
    with pytest.raises(UsageError, match=r"^--sut lamp: write exec:COMMAND LINE"):
        run(LAMP, "lamp")
