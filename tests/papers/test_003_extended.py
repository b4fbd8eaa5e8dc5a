"""Paper 003, section 8: the running example as an extended machine stands for the same machine and has its test."""

from __future__ import annotations

from helpers.places import ROOT
from outplay import read_model
from outplay.model.machine import ExtendedMachine
from outplay.predicate_tours.planned_tour import PlannedTour
from outplay.predicate_tours.recognition import forward_recognition
from outplay.predicate_tours.system_model import system_model
from outplay.predicate_tours.tour_planning import plan_tour


def test_the_extended_machine_stands_for_the_machine_of_figure_1_and_has_its_test():
    extended = read_model(ROOT / "examples" / "tours" / "running.efsm")
    assert isinstance(extended, ExtendedMachine)
    assert extended.home == (0, 1, 1)
    assert len(extended.machine.steps) == 8
    model = system_model(extended.machine)
    found = plan_tour(model, forward_recognition(model))
    assert isinstance(found, PlannedTour)
    assert found.inputs == tuple("baaababbabb")
