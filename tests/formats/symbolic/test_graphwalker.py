"""GraphWalker's JSON: graphs with guards, actions, shared states and requirements, read and walked, never run."""

from __future__ import annotations

import json

import pytest

from helpers.places import shared_data
from helpers.walks import counter, document, edge, models, vertex
from outplay import explore
from outplay.errors import FormatError
from outplay.formats.registry import read_model
from outplay.formats.symbolic.graphwalker import is_graphwalker
from outplay.model.kinds import specification
from outplay.model.walk_models import WalkModels


def test_what_is_written_is_read():
    found = models(counter())
    assert found.names == ("count", "other")
    assert [one.name for one in found.edges] == ["e_e0", "e_e1", "e_e2", "e_f0", "e_f1"]
    assert [one.weight for one in found.edges] == [None, 0.5, None, None, None]
    assert found.requirements == ("R1", "R3", "R2")
    assert found.generators == ("random(edge_coverage(100))", "")
    assert (found.start_edge, found.places) == (0, (0, 1, 1, 3))


def test_guards_and_actions_decide_where_a_walk_can_go():
    found = models(counter())
    spot, names = found.initial, []
    for _ in range(6):
        (taken, spot), *others = found.steps(spot)
        names.append(found.edges[taken].name)
        assert not others
    assert names == ["e_e0", "e_e1", "e_e1", "e_e2", "e_f0", "e_f1"]  # each model has an n of its own
    assert found.described(spot).startswith("v_b n=2 global.seen=False n=7")


def test_it_is_a_model_like_any_other():
    found = models(counter())
    spec = specification(found)
    assert [str(label) for label in spec.inputs(spec.initial[0])] == ["?e_e0"]
    game = explore(found)
    assert game.origin.complete
    assert "?e_f1" in game.labels


def test_edges_of_one_place_that_share_a_name_are_told_apart_by_their_ids():
    edges = [edge("e0", None, "a"), edge("e1", "a", "a", name="go"), edge("e2", "a", "a", name="go")]
    spec = specification(models(document({"vertices": [vertex("a")], "edges": edges, "startElementId": "e0"})))
    assert [str(label) for label in spec.labels] == ["?e_e0", "?go e1", "?go e2"]


def test_a_vertex_may_be_the_start_and_no_guard_holds_of_what_has_no_value():
    edges = [edge("e1", "a", "b", guard="late"), edge("e2", "b", "a", actions=["late = true"])]
    found = models(document({"vertices": [vertex("a"), vertex("b")], "edges": edges, "startElementId": "a"}))
    assert found.initial.place == 0
    assert list(found.steps(found.initial)) == []


@pytest.mark.parametrize(
    ("change", "word"),
    [
        (lambda m: m.pop("vertices"), "vertices is missing"),
        (lambda m: m["edges"][1].update(guard="n <"), "the guard 'n <'"),
        (lambda m: m["edges"][1].update(guard="unknown > 1"), "the guard"),
        (lambda m: m["edges"][1].update(guard="n + 1"), "a guard is a condition"),
        (lambda m: m["edges"][1].update(actions=["import os"]), "the actions"),
        (lambda m: m["edges"][1].update(actions=["n = m"]), "the actions"),
        (lambda m: m["edges"][1].update(actions="n = 1"), "a list of texts"),
        (lambda m: m["edges"][1].update(targetVertexId="zz"), "is no vertex"),
        (lambda m: m["edges"][1].pop("targetVertexId"), "targetVertexId is missing"),
        (lambda m: m["edges"][1].update(id=3), "id is 3"),
        (lambda m: m["vertices"].append({"id": "a"}), "stands twice"),
        (lambda m: m["vertices"].append(7), "no object"),
        (lambda m: m.update(startElementId="nowhere"), "startElementId 'nowhere'"),
        (lambda m: (m.pop("startElementId"), m["edges"].pop(0)), "no model says where walks begin"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(change, word: str):
    made = json.loads(counter())
    made["models"].pop()
    change(made["models"][0])
    with pytest.raises(FormatError, match=word) as caught:
        models(json.dumps(made, indent=1))
    assert str(caught.value).startswith("test.json:")


def test_only_graphwalkers_json_is_taken_for_it(tmp_path):
    assert is_graphwalker(counter())
    assert not is_graphwalker('{"format": "outplay-game/1", "models": []}')
    path = tmp_path / "count.json"
    path.write_text(counter())
    assert isinstance(read_model(path), WalkModels)
    for text in ("[]", '{"models": 3}', '{"models": [3]}'):
        with pytest.raises(FormatError):
            models(text)


@pytest.mark.skipif(not shared_data("graphwalker").exists(), reason="the shared data is not here")
def test_models_of_others_are_read():
    sizes = {}
    for path in sorted(shared_data("graphwalker").glob("*.json")):
        found = read_model(path)
        assert isinstance(found, WalkModels)
        sizes[path.stem] = (len(found.names), len(found.vertices), len(found.edges))
    assert sizes == {
        "Login": (1, 4, 9),
        "SharedState": (1, 2, 4),
        "SuperLarge": (1, 787, 1550),
        "petClinic": (5, 16, 25),
    }
