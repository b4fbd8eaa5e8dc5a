"""Folding hides nothing: every vertex is in one node, and arrows are where edges lead from one node to another."""

from __future__ import annotations

import numpy as np
import pytest

from helpers.games import chain, draw
from helpers.places import EXAMPLES
from helpers.seeds import seeds
from outplay.errors import UsageError
from outplay.pictures.vertex_grouping import COMPONENT, DISTANCE, depths
from outplay.runs.job import Job
from outplay.studio.document import Asked, Document
from outplay.studio.folding import NEAR, folded_scene, folds_of, grouping
from outplay.studio.operations import OPERATIONS
from outplay.studio.scene import GOAL, GROUP, INITIAL
from outplay.studio.workspace import Workspace

CHAT = f"{EXAMPLES / 'chat' / 'model.py'}:Chat"


def of_game(seed: int) -> Document:
    made = Document("x", Job("drawn"), "drawn")
    made.__dict__["game"] = draw(seed, most=14).game()
    return made


def reaches(document: Document, start: int) -> set[int]:
    found, queue = {start}, [start]
    for vertex in queue:
        for edge in document.game.edges_of(vertex):
            target = int(document.game.target[edge])
            if target not in found:
                found.add(target)
                queue.append(target)
    return found


@seeds(range(150))
def test_every_vertex_is_in_one_node_and_arrows_are_the_edges_between_nodes(seed: int):
    document = of_game(seed)
    game = document.game
    for way in (COMPONENT, DISTANCE, NEAR):
        for opened in ([], [seed % game.vertex_count]):
            scene = folded_scene(document, way, opened, game.initial)
            node = scene.node_of
            assert (node >= 0).all()
            assert np.bincount(node, minlength=len(scene.nodes.x)).tolist() == scene.nodes.size.tolist()
            edges = {(int(node[s]), int(node[t])) for s, t in zip(game.source, game.target, strict=True)}
            assert set(zip(scene.arrows.source.tolist(), scene.arrows.target.tolist(), strict=True)) == edges
            assert int(scene.arrows.count.sum()) == game.edge_count
            assert ((scene.nodes.kind == GROUP) == (scene.nodes.size > 1)).all()
            goals = {int(vertex) for members in game.goals.values() for vertex in members}
            for vertex in range(game.vertex_count):
                if scene.nodes.size[node[vertex]] == 1:
                    assert bool(scene.nodes.flags[node[vertex]] & GOAL) == (vertex in goals)
                    assert scene.nodes.vertex[node[vertex]] == vertex
            assert np.flatnonzero(scene.nodes.flags & INITIAL).tolist() == [node[game.initial]]
            if opened and way != NEAR:
                assert scene.nodes.size[node[opened[0]]] == 1


@seeds(range(100))
def test_components_are_those_vertices_that_reach_each_other(seed: int):
    document = of_game(seed)
    of = grouping(document, COMPONENT).of
    reached = {vertex: reaches(document, vertex) for vertex in range(document.game.vertex_count)}
    for one, there in reached.items():
        for other, back in reached.items():
            assert (of[one] == of[other]) == (other in there and one in back)


@pytest.mark.parametrize("length", [40, 41, 97, 1000])
def test_a_long_way_is_folded_into_ranges_of_distance_that_can_be_looked_at(length: int):
    document = Document("x", Job("long"), "long")
    document.__dict__["game"] = chain(length).game()
    far = depths(document.game.first, document.game.target, document.game.initial)
    made = grouping(document, DISTANCE)
    assert made.count <= 40
    for vertex in range(document.game.vertex_count):
        first, _, last = made.name(int(made.of[vertex])).split(" edge")[0].partition(" to ")
        assert int(first.replace(",", "")) <= far[vertex] <= int((last or first).replace(",", ""))


def test_groups_of_a_variable_hold_the_states_with_that_value():
    document = Document("x", Job(CHAT), "chat")
    game = document.game
    made = grouping(document, "variable:queue")
    for vertex in range(game.vertex_count):
        about = document.about(vertex)
        name = made.name(int(made.of[vertex])).replace(" ", "")
        assert about.replace(" ", "").startswith(f"{name}waiting=")
    assert [way for way, _ in folds_of(document)] == [
        "",
        "variable:queue",
        "size:queue",
        "variable:waiting",
        "size:waiting",
        COMPONENT,
        DISTANCE,
        NEAR,
    ]


def test_a_way_to_fold_that_there_is_none_is_refused():
    document = Document("x", Job(CHAT), "chat")
    for way in ("variable:nothing", "sideways", "variable:"):
        with pytest.raises(UsageError, match="no way to fold"):
            folded_scene(document, way, [], 0)


def test_a_large_game_is_folded_on_asking():
    workspace = Workspace()
    document = workspace.open(Job(CHAT, set=("clients=('a','b','c','d')",)))
    asked = Asked({"document": document.id})
    facts = OPERATIONS["facts"].answer(workspace, asked)
    assert isinstance(facts, dict)
    assert facts["vertices"] == 10_529
    scene = OPERATIONS["scene"].answer(workspace, Asked({"document": document.id, "fold": "variable:waiting"}))
    assert isinstance(scene, bytes)
