"""Extended machines as symbolic systems and back."""

from __future__ import annotations

from pathlib import Path

import pytest

from helpers.places import ROOT
from outplay import read_model, specification, write_model
from outplay.errors import ModelError
from outplay.model.extended_machine import ExtendedMachine
from outplay.model.symbolic.answering import machine_of_symbolic, symbolic_of
from outplay.model.symbolic.symbolic_system import SymbolicSystem


def running() -> ExtendedMachine:
    found = read_model(ROOT / "examples" / "tours" / "running.efsm")
    assert isinstance(found, ExtendedMachine)
    return found


def test_there_and_back_it_is_the_same_machine():
    again = machine_of_symbolic(symbolic_of(running()))
    assert again.steps == running().steps
    assert again.machine == running().machine


def test_both_allow_the_same():
    machine = running()
    system = symbolic_of(machine)
    assert traces(specification(machine), 6) == traces(specification(system), 6)


def traces(spec, length: int) -> set[tuple[str, ...]]:
    """All traces of a specification up to a length, of inputs and outputs."""
    found: set[tuple[str, ...]] = set()
    level = [((), state) for state in spec.initial]
    for _ in range(length):
        level = [
            ((*trace, offer.text), after)
            for trace, state in level
            for offer in [*spec.inputs(state), *spec.outputs(state)]
            for after in spec.after(state, offer)
        ]
        found |= {trace for trace, _ in level}
    return found


def symbolic(text: str, folder: Path) -> SymbolicSystem:
    (folder / "m.sts").write_text(text)
    found = read_model(folder / "m.sts")
    assert isinstance(found, SymbolicSystem)
    return found


def test_an_input_and_its_answer_become_one_step(tmp_path: Path):
    text = (
        "variable x: 0..3 = 0\ninput go\noutput low\noutput high\ninitial a\n"
        "switch i: a -> b on go when x < 3 do x := x + 1\n"
        "switch l: b -> a on low when x < 2\nswitch h: b -> a on high when x >= 2 do x := 0\n"
    )
    machine = machine_of_symbolic(symbolic(text, tmp_path))
    assert [step.name for step in machine.steps] == ["i.l", "i.h"]
    assert machine.machine.steps == ((0, "go", "low", 1), (1, "go", "high", 0))
    write_model(tmp_path / "m.efsm", machine)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("input go(p: 0..1)\noutput x\ninitial a\nswitch i: a -> b on go\nswitch o: b -> a on x\n", "parameters"),
        (
            "input go\noutput x\ninitial a\nswitch i: a -> a on go\nswitch o: a -> a on x\n",
            "not every step is an output",
        ),
        (
            "input go\noutput x\ninitial a\nswitch i: c -> b on go\nswitch o: b -> c on x\nswitch p: a -> c on x\n",
            "no input",
        ),
    ],
)
def test_what_has_no_machine_is_refused(text: str, complaint: str, tmp_path: Path):
    with pytest.raises(ModelError, match=complaint):
        machine_of_symbolic(symbolic(text, tmp_path))
