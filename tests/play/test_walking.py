# ruff: noqa: N802 (the methods are named as in the models)
"""A class as GraphWalker users have it, a method for each edge and each vertex, plays the models it was written for."""

from __future__ import annotations

from typing import Any, ClassVar

import pytest

from helpers.places import shared_data
from helpers.walks import counter, document, edge, models, vertex
from outplay import PythonObject, explore, read_model, run
from outplay.game.exploring.breadth_first import Limits
from outplay.model.kinds import specification
from outplay.pictures.views.views import view_of
from outplay.play.adapters.adapter_check import object_misfits
from outplay.play.adapters.gate_use import gates_of
from outplay.scaffolding.adapter_stub import stub_files

DOOR = document(
    {
        "vertices": [vertex("Shut"), vertex("Open"), vertex("Locked")],
        "edges": [
            edge("e1", "Shut", "Open", name="e_Push"),
            edge("e2", "Open", "Shut", name="e_Turn", guard="locked == 0"),
            edge("e3", "Open", "Locked", name="e_Turn", guard="locked == 1"),
            edge("e4", "Locked", "Open", name="e_Key"),
        ],
        "actions": ["locked = 0;"],
        "startElementId": "Shut",
        "generator": "random(edge_coverage(100))",
    }
)


class Door:
    """No method takes the id of an edge, although two edges of one place are called e_Turn."""

    log: ClassVar[list[str]] = []

    def v_Shut(self) -> None:
        self.log.append("v_Shut")

    def v_Open(self) -> None:
        self.log.append("v_Open")

    def e_Push(self) -> None:
        self.log.append("e_Push")

    def e_Turn(self) -> str | None:
        self.log.append("e_Turn")


class WrongDoor(Door):
    def v_Open(self) -> None:
        raise AssertionError("the door is shut")


def played(made: type[Door], **more: Any) -> Any:
    Door.log.clear()
    return run(models(DOOR), PythonObject(made), plays=1, steps=6, **more)


def test_methods_of_vertices_are_called_after_those_of_edges_and_at_the_start():
    assert played(Door, tester="walk").passed
    assert Door.log[:5] == ["v_Shut", "e_Push", "v_Open", "e_Turn", "v_Shut"]


def test_what_a_vertex_asserts_is_a_fail_that_names_it():
    result = played(WrongDoor, shrink=0, tester="walk")
    assert result.verdict.name == "fail"
    assert "in v_Open: AssertionError: the door is shut" in str(result)
    assert [str(event.label) for event in result.failure().events if event.label] == ["?e_Push"]


def test_towards_a_vertex_the_methods_are_called_too_and_every_element_is_counted():
    result = played(Door, goal="v_Open")
    assert Door.log == ["v_Shut", "e_Push", "v_Open"]
    assert {one.name: one.passed for one in result.elements if one.kind == "edge"}["e_Push"] == 1


def test_stop_conditions_are_counted_and_told():
    result = played(Door, tester="walk")
    (stop,) = [one for one in result.elements if one.kind == "stop condition"]
    assert stop.json() == {**stop.json(), "name": "random(edge_coverage(100))", "passed": 2, "needed": 4}
    assert result.findings[-2:] == (
        "passed 2 of 4 edges (never: e_Turn, e_Key), 2 of 3 vertices (never: v_Locked)",
        "random(edge_coverage(100)): not met, 2 of 4",
    )


def test_a_class_without_ids_fits_and_one_that_is_written_for_a_model_has_methods_for_vertices():
    gates = gates_of(specification(models(DOOR)))
    assert [(use.gate, use.ids) for use in gates.values()] == [("e_Push", True), ("e_Turn", True)]
    assert list(object_misfits(f"{__file__}:Door", gates)) == []
    text = stub_files("door.json", "door", (), gates, "python", ["v_Shut"])["door_adapter.py"]
    assert "def e_Turn(self):" in text
    assert "def v_Shut(self):" in text


def test_data_without_end_is_explored_in_part_unless_more_is_asked():
    edges = [edge("e0", "a", "a", actions=["n++;"])]
    endless = models(
        document({"vertices": [vertex("a")], "edges": edges, "actions": ["n = 0;"], "startElementId": "a"})
    )
    assert explore(endless).origin.states == 1_000
    assert explore(endless, limits=Limits(states=1_200)).origin.states == 1_200
    assert explore(models(counter())).origin.complete


def test_vertices_are_goals_where_something_leads_to_them():
    assert specification(models(DOOR)).goals == ("v_Shut", "v_Open", "v_Locked")
    edges = [edge("e0", "Start", "a")]
    first = models(document({"vertices": [vertex("Start"), vertex("a")], "edges": edges, "startElementId": "e0"}))
    assert specification(first).goals == ("v_a",)
    assert [view_of(first).node(number).name for number in range(2)] == ["v_Start", "v_a"]  # and no node before it


@pytest.mark.skipif(not shared_data("graphwalker").exists(), reason="the shared data is not here")
@pytest.mark.parametrize("name", ["Login", "SharedState", "petClinic", "SuperLarge"])
def test_models_of_others_are_played_by_a_class_without_ids(name: str):
    found = read_model(shared_data("graphwalker", f"{name}.json"))

    class Anything:
        def __init__(self) -> None:
            self.log: list[str] = []

        def __getattr__(self, method: str) -> Any:
            if method[:2] not in ("e_", "v_") and not method[1:].isdecimal():
                raise AttributeError(method)
            return lambda: self.log.append(method)

    assert run(found, PythonObject(Anything), plays=1, steps=40, tester="walk").passed
