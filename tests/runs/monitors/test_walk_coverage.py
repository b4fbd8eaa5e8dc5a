"""Edges, vertices and requirements of walk models are counted as plays pass them."""

from __future__ import annotations

from collections import Counter

from helpers.places import EXAMPLES
from outplay import read_model, run
from outplay.play.adapters.simulated import Simulated
from outplay.runs.job import Job
from outplay.runs.preparing.loaded_model import load_model

SHOP = EXAMPLES / "graphwalker" / "shop.json"


def test_each_element_is_counted_as_the_trace_says():
    shop = read_model(SHOP)
    result = run(shop, Simulated(load_model(Job(str(SHOP))).specification()), plays=4, steps=12, tester="walk")
    taken = Counter(str(event.label)[1:] for event in result.trace.events if event.kind == "input")
    counted = {
        kind: {one.name: one.passed for one in result.elements if one.kind == kind} for kind in ("edge", "vertex")
    }
    assert counted["edge"] == {edge.name: taken[edge.name] for edge in shop.edges}
    into = Counter[str]()
    for edge in shop.edges:
        into[shop.vertices[edge.target].name] += taken[edge.name]
    assert counted["vertex"] == {vertex.name: into[vertex.name] for vertex in shop.vertices}
    assert [one.passed for one in result.elements if one.kind == "requirement"] == [into["v_Cart"], into["v_Paid"]]
    assert result.json()["coverage"]["elements"][0] == {"kind": "edge", "name": "e_Open", "passed": taken["e_Open"]}
