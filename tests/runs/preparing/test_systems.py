"""Systems named by a text, in Python as on the command line."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from helpers.places import ROOT
from outplay import NotPassed, OutplayError, Simulated, Suite, automaton, expected, explore, replay, run
from outplay.errors import UsageError
from outplay.model.programs.load import load_program
from outplay.model.suspension import SuspensionAutomaton
from outplay.play.timing import Timing
from outplay.suite.suite import case_of

LAMP = automaton([("off", "?press", "on"), ("on", "!light", "off")])
WRONG = "import sys\nfor line in sys.stdin:\n    print('smoke', flush=True)\n"


def test_a_text_names_a_simulation():
    Path("lamp.aut").write_text("des (0, 2, 2)\n(0, ?press, 1)\n(1, !light, 0)\n")
    found = run(LAMP, "model:lamp.aut", plays=3, steps=6)
    assert (found.verdict.name, found.trace.header.sut) == ("pass", "model:lamp.aut")
    assert found.tally.plays >= 3
    case = case_of([("t0", "?press", "t1"), ("t1", "!light", "pass"), ("t1", "delta", "fail")])
    assert run(Suite(tests=(case,)), "model:lamp.aut", model=LAMP).verdict.name == "pass"


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


CHAT = f"{ROOT}/examples/chat/model.py:Chat"
OBJECT = """
class Lamp:
    def __init__(self, emit):
        self.emit = emit

    def press(self):
        self.emit("light")
"""


def test_a_text_names_a_simulation_of_a_model_program():
    chat = load_program(CHAT)
    found = run(expected(explore(chat), "two_pending"), f"model:{CHAT}", plays=5)
    assert str(found.check()).startswith("✓ Pass: 5 plays conformed, two_pending reached in 5")
    again = replay(chat, found.trace, f"model:{CHAT}", tries=2)
    assert (again.reproduced, again.verdict.name) == (False, "pass")


def test_a_text_names_an_object():
    Path("lamp.py").write_text(OBJECT)
    found = run(LAMP, "python:lamp.py:Lamp", plays=3, steps=6, timing=Timing(0.1, 0.02))
    assert (found.verdict.name, found.trace.header.sut) == ("pass", "python:lamp.py:Lamp")


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "name the system under test"),
        ("exec:", "names no command"),
        ("exec:'a", "mend the quotes"),
        ("tcp:localhost", "tcp:"),
        ("python:missing.py:Lamp", "missing.py"),
        ("model:missing.aut", "missing.aut"),
        ("model:", "names no model"),
        ("modle:lamp.aut", "write exec:COMMAND LINE, tcp:HOST:PORT"),
    ],
)
def test_a_text_that_names_no_system_is_told_in_one_line(text, complaint):
    for call in (lambda: run(LAMP, text), lambda: replay(LAMP, run(LAMP, Simulated(LAMP), plays=1).trace, text)):
        with pytest.raises(OutplayError) as raised:
            call()
        assert complaint in str(raised.value)
        assert len(str(raised.value).splitlines()) == 1


def test_a_program_that_is_not_there_is_an_error_of_the_run():
    found = run(LAMP, "exec:./nowhere", plays=1)
    assert found.verdict.name == "error"
    with pytest.raises(NotPassed, match=r"cannot start '\./nowhere'"):
        found.check()
