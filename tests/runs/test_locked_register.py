"""A protocol with numbers and texts: the model is covered against a process, and each planted mistake is found."""

from __future__ import annotations

import sys

import pytest

from helpers.commands import called
from helpers.places import EXAMPLES

MODEL, SERVER = EXAMPLES / "symbolic" / "locked_register.sts", EXAMPLES / "symbolic" / "locked_register.py"


def played(capsys, fault, *options):
    system = f"exec:{sys.executable} {SERVER}{f' --fault {fault}' if fault else ''}"
    return called(capsys, "run", MODEL, "--sut", system, "--silence", "1.0", "--latency", "0.02", *options)


def test_all_switches_of_the_register_are_taken(capsys):
    told = played(capsys, "", "--tester", "switches", "--plays", "1", "--steps", "30")
    assert told.code == 0
    assert "a posteriori: 6 of 6 switches" in told.out


@pytest.mark.parametrize("fault", ["late", "same", "blank"])
def test_each_mistake_is_found(fault, capsys):
    told = played(capsys, fault, "--tester", "switches", "--plays", "4", "--steps", "60", "--shrink", "0")
    assert told.code == 1
    assert "Fail" in told.out


def test_a_goal_on_numbers_and_texts_is_forced_and_reached(capsys):
    # To start a program of Python may take over a second where many do at once, and no answer is due before.
    patient = ("--silence", "3.0")
    told = played(capsys, "", "--goal", "written", "--plays", "2", "--assumption", "input-eager", *patient)
    assert told.code == 0
    assert "reached in 2" in told.out
    assert "forecast: written forced in 2 moves" in told.out
