"""Extended machines: played out, written and read again."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from helpers.commands import called
from outplay import Simulated, read_model, run, specification, write_model
from outplay.errors import FormatError, ModelError
from outplay.model import machine
from outplay.model.machine import ExtendedMachine

LIFT = """machine "lift"  # goes up and down
constant top = 3
enumeration door = open, shut
variable floor: 0..top = 0
variable now: door = shut
initial here
step up: here -> here on up / moved
  when floor < top and now = shut do floor := floor + 1
step stop: here -> here on up / "at the top" when floor = top and now = shut
step down: here -> here on down / moved when now = shut do floor := floor - 1
step open: here -> here on open / ok do now := open
step shut: here -> here on shut / ok do now := shut
"""


def read(text: str, folder: Path) -> ExtendedMachine:
    path = folder / "model.efsm"
    path.write_text(text)
    found = read_model(path)
    assert isinstance(found, ExtendedMachine)
    return found


def test_a_machine_is_played_out_over_its_values(tmp_path: Path):
    machine = read(LIFT, tmp_path).machine
    assert len(machine.names) == 8
    assert machine.names[0] == "here floor=0 now=shut"
    assert (0, "down", "moved", 0) not in machine.steps  # floor - 1 is no floor
    assert sum(1 for _, given, _, _ in machine.steps if given == "down") == 3
    assert {shown for _, _, shown, _ in machine.steps} == {"moved", "at the top", "ok"}


def test_what_is_written_is_read_as_the_same(tmp_path: Path):
    machine = read(LIFT, tmp_path)
    write_model(tmp_path / "again.efsm", machine)
    again = read_model(tmp_path / "again.efsm")
    assert isinstance(again, ExtendedMachine)
    assert again.machine == machine.machine
    assert again.steps == machine.steps
    assert (again.variables, again.start, again.name) == (machine.variables, machine.start, "lift")


def test_it_is_played_like_any_model(tmp_path: Path):
    machine = read(LIFT, tmp_path)
    assert run(machine, Simulated(machine, Random(0)), plays=3, steps=30).verdict.name == "pass"
    assert specification(machine).name == "lift"


def test_states_of_a_location_belong_together(tmp_path: Path):
    text = "variable x: 0..1 = 0\ninitial a\nstep 1: a -> b on i / o do x := 1 - x\nstep 2: b -> a on i / o\n"
    machine = read(text, tmp_path)
    assert machine.machine.names == ("a x=0", "b x=1", "a x=1", "b x=0")
    assert machine.home == (0, 1, 2, 1)  # the initial state is by itself
    assert machine.locations == ("a", "b")


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("step 1: a -> a on i / o\n", "no initial location"),
        ("initial a\n", "no step leaves the initial location a"),
        ("initial a\nstep 1: a -> a on i o\n", "where '/' is needed"),
        ("initial a\nstep 1: a -> a on i / o\nstep 1: a -> a on i / o\n", "declared twice"),
        ("initial a\nstep 1: a -> a on i / o when y = 1\n", "no name 'y'"),
        ("initial a\nswitch 1: a -> a on i\n", "starts no statement"),
        ("initial a\nstep 1: a -> a on + / o\n", "no input or output"),
    ],
)
def test_mistakes_are_told_with_their_place(text: str, complaint: str, tmp_path: Path):
    with pytest.raises(FormatError, match=complaint):
        read(text, tmp_path)


def test_too_many_states_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(machine, "MOST_STATES", 1_000)
    text = "variable x: integer = 0\ninitial a\nstep 1: a -> a on i / o do x := x + 1\n"
    with pytest.raises(ModelError, match="smaller sorts"):
        _ = read(text, tmp_path).machine


def test_it_is_drawn_and_inspected(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    read(LIFT, tmp_path)
    found = called(capsys, "inspect", tmp_path / "model.efsm", "-o", tmp_path / "lift.svg")
    assert "1 location, 5 steps, variables floor: 0..3, now: door; played out:" in found.out
    assert "<svg" in (tmp_path / "lift.svg").read_text()
