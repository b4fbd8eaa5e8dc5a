"""Scenes hold all of a game and nothing else, and nothing in them overlaps."""

from __future__ import annotations

import json
import struct

import numpy as np
import pytest

from helpers.games import draw
from helpers.seeds import seeds
from outplay.game.graph import Game
from outplay.pictures.state_text import differences, read_state, state_json, text_of
from outplay.pictures.vertex_grouping import depths
from outplay.studio.column_layout import COLUMN, ROW, placed
from outplay.studio.scene import SYSTEM, TESTER, Scene
from outplay.studio.scene_building import drawn_scene, plain_scene


def random_game(seed: int, most: int = 12) -> Game:
    return draw(seed, most=most).game()


def pairs(scene: Scene) -> list[tuple[int, int]]:
    return sorted(zip(scene.arrows.source.tolist(), scene.arrows.target.tolist(), strict=True))


@seeds(range(100))
def test_there_is_an_arrow_exactly_where_there_are_edges(seed: int):
    game = random_game(seed)
    edges = sorted(set(zip(game.source.tolist(), game.target.tolist(), strict=True)))
    for scene in (plain_scene(game), drawn_scene(game)):
        assert pairs(scene) == edges
        assert scene.node_of.tolist() == list(range(game.vertex_count))
        assert int(scene.arrows.count.sum()) == game.edge_count or scene.arrows.drawn
        for vertex in range(game.vertex_count):
            kind = scene.nodes.kind[vertex]
            assert kind not in (TESTER, SYSTEM) or kind == game.owner[vertex]


@seeds(range(60))
def test_nodes_keep_their_distance_and_layers_go_by_distance(seed: int):
    game = random_game(seed, most=60)
    layer = depths(game.first, game.target, game.initial)
    reached = {game.initial: 0}
    queue = [game.initial]
    for vertex in queue:
        for edge in game.edges_of(vertex):
            if int(game.target[edge]) not in reached:
                reached[int(game.target[edge])] = reached[vertex] + 1
                queue.append(int(game.target[edge]))
    assert all(layer[vertex] == reached.get(vertex, max(reached.values()) + 1) for vertex in range(game.vertex_count))
    x, y = placed(layer, game.source, game.target)
    for vertex in range(game.vertex_count):
        same = np.flatnonzero(x == x[vertex])
        away = np.abs(y[same] - y[vertex])
        assert (away[same != vertex] >= ROW * 0.99).all()
    assert (np.diff(np.unique(x)) >= COLUMN * 0.99).all()


def test_bytes_hold_what_the_scene_holds():
    scene = plain_scene(random_game(3))
    data = scene.encoded()
    length = struct.unpack("<I", data[:4])[0]
    header, at = json.loads(data[4 : 4 + length]), 4 + length
    for name, kind, count in header["arrays"]:
        found = np.frombuffer(data, dtype=kind, count=count, offset=at)
        at += -(-found.nbytes // 4) * 4
        if name in ("x", "source"):
            assert found.tolist() == getattr(scene.nodes if name == "x" else scene.arrows, name).tolist()
    assert at == len(data)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("n=3", "3"),
        ('t="a b=[1"', '"a b=[1"'),
        ("t=()", "()"),
        ("t=[1,[2,3]]", "[1, [2, 3]]"),
        ('t={"a": 1,"b": [2]}', '{"a": 1, "b": [2]}'),
        ("t=Point(x=1,y=2)", "Point(x: 1, y: 2)"),
        ("t=-1/3", "-1/3"),
    ],
)
def test_values_are_read_from_their_text(text: str, value: str):
    ((name, found),) = read_state(text).items()
    assert name == text[0]
    assert text_of(found) == value


@pytest.mark.parametrize("text", ["at idle", "l0 with x = 0", "t=[1", "t=]", "=3", "", "t=" + "[" * 200 + "]" * 200])
def test_what_is_no_list_of_values_is_one_value(text: str):
    if read_state(text) != {"state": text}:
        assert text == "l0 with x = 0"
    assert state_json(text)


def test_equal_states_do_not_differ_and_different_ones_do_at_the_deepest_place():
    state = 'a=[1,{"k": [1,2]}] b=2'
    assert differences(state, state) == []
    assert differences(state, 'a=[1,{"k": [1,3]}] b=2') == [('a[1]{"k"}[1]', "2", "3")]
    assert differences('a={"x","y"}', 'a={"y","z"}') == [('a{"x"}', '"x"', None), ('a{"z"}', None, '"z"')]
    assert differences('a={"k": 1}', 'a={"k": 2}') == [('a{"k"}', "1", "2")]
    assert differences("a=1", "a=1 b=2") == [("b", None, "2")]
    assert differences("at idle", "at paid") == [("state", "at idle", "at paid")]
