"""The layout keeps its promises on any graph: these are checked on the finished coordinates, not on how they arose."""

from __future__ import annotations

from itertools import combinations, pairwise

import pytest

from helpers.pictures import random_graph
from helpers.seeds import seeds
from outplay.pictures.geometry import LayoutGraph, Point
from outplay.pictures.layering import distances
from outplay.pictures.layout import Layout, lay_out
from outplay.pictures.routes import Route

Rectangle = tuple[float, float, float, float]
CASES = [(seed, rightwards) for seed in range(60) for rightwards in (True, False)]


def node_rectangles(graph: LayoutGraph, layout: Layout, shrink: float = 0.0) -> list[Rectangle]:
    found = []
    for box, (x, y) in zip(graph.boxes, layout.centres, strict=True):
        wide, tall = box.width / 2 - shrink, box.height / 2 - shrink
        found.append((x - wide, y - tall, x + wide, y + tall))
    return found


def text_rectangles(graph: LayoutGraph, layout: Layout) -> list[Rectangle]:
    labels = [(link.label, route) for link, route in zip(graph.links, layout.routes, strict=True)]
    labels += [(graph.boxes[node].loop, route) for node, route in layout.loops.items()]
    found = []
    for size, route in labels:
        if size.width and size.height:
            x, y = route.text
            left = x if route.leftish else x - size.width / 2
            found.append((left, y, left + size.width, y + size.height))
    return found


def overlap(one: Rectangle, other: Rectangle) -> bool:
    slack = 0.01
    return (
        one[0] < other[2] - slack
        and other[0] < one[2] - slack
        and one[1] < other[3] - slack
        and other[1] < one[3] - slack
    )


def inside(point: Point, box: Rectangle) -> bool:
    return box[0] < point[0] < box[2] and box[1] < point[1] < box[3]


def sampled(route: Route) -> list[Point]:
    """Points along a route."""
    points, at = [], route.start
    for step in route.steps:
        for number in range(21):
            t = number / 20
            points.append(_bezier(at, step, t))
        at = step[-1]
    return points


def _bezier(start: Point, step: tuple[Point, ...], t: float) -> Point:
    points = [start, *step]
    while len(points) > 1:
        points = [((1 - t) * a[0] + t * b[0], (1 - t) * a[1] + t * b[1]) for a, b in pairwise(points)]
    return points[0]


@pytest.mark.parametrize(("seed", "rightwards"), CASES)
def test_no_two_nodes_overlap(seed, rightwards):
    graph = random_graph(seed)
    boxes = node_rectangles(graph, lay_out(graph, rightwards=rightwards))
    assert not [pair for pair in combinations(boxes, 2) if overlap(*pair)]


@pytest.mark.parametrize(("seed", "rightwards"), CASES)
def test_no_text_overlaps_a_node_or_another_text(seed, rightwards):
    graph = random_graph(seed)
    layout = lay_out(graph, rightwards=rightwards)
    texts, boxes = text_rectangles(graph, layout), node_rectangles(graph, layout)
    assert not [pair for pair in combinations(texts, 2) if overlap(*pair)]
    assert not [(text, box) for text in texts for box in boxes if overlap(text, box)]


@pytest.mark.parametrize(("seed", "rightwards"), CASES)
def test_no_line_runs_through_a_node_or_a_text(seed, rightwards):
    graph = random_graph(seed)
    layout = lay_out(graph, rightwards=rightwards)
    boxes, texts = node_rectangles(graph, layout, shrink=1.0), text_rectangles(graph, layout)
    for link, route in zip(graph.links, layout.routes, strict=True):
        points = sampled(route)
        others = [box for node, box in enumerate(boxes) if node not in (link.source, link.target)]
        assert not [(link, box) for box in [*others, *texts] for point in points if inside(point, box)]


@pytest.mark.parametrize(("seed", "rightwards"), CASES)
def test_every_link_is_drawn_once_from_outline_to_outline(seed, rightwards):
    graph = random_graph(seed)
    layout = lay_out(graph, rightwards=rightwards)
    assert len(layout.routes) == len(graph.links)
    boxes = node_rectangles(graph, layout, shrink=-0.1)
    for link, route in zip(graph.links, layout.routes, strict=True):
        assert inside(route.start, boxes[link.source])
        assert inside(route.tip, boxes[link.target])
    assert sorted(layout.loops) == [node for node, box in enumerate(graph.boxes) if box.loop is not None]


@pytest.mark.parametrize(("seed", "rightwards"), CASES)
def test_everything_lies_on_the_sheet(seed, rightwards):
    graph = random_graph(seed)
    layout = lay_out(graph, rightwards=rightwards)
    sheet = (0.0, 0.0, layout.size.width, layout.size.height)
    corners = [(box[0], box[1]) for box in text_rectangles(graph, layout) + node_rectangles(graph, layout)]
    corners += [(box[2], box[3]) for box in text_rectangles(graph, layout) + node_rectangles(graph, layout)]
    points = [point for route in [*layout.routes, *layout.loops.values()] for point in sampled(route)]
    assert all(inside(point, sheet) for point in corners + points)


@seeds(range(60))
def test_layers_are_distances_from_the_start_and_follow_each_other(seed):
    graph = random_graph(seed)
    layout = lay_out(graph, rightwards=True)
    ends = [(link.source, link.target) for link in graph.links]
    if graph.final is None:
        assert list(layout.layers) == distances(len(graph.boxes), ends, graph.initial)
        assert layout.layers[graph.initial] == 0
    else:
        assert layout.layers[graph.final] == max(layout.layers)
    columns: dict[int, set[float]] = {}
    for layer, (x, _) in zip(layout.layers, layout.centres, strict=True):
        columns.setdefault(layer, set()).add(x)
    assert all(len(places) == 1 for places in columns.values())
    assert [columns[layer] for layer in sorted(columns)] == sorted(columns.values(), key=min)


@pytest.mark.parametrize("seed", range(20))
def test_the_same_graph_gets_the_same_layout(seed):
    assert lay_out(random_graph(seed)) == lay_out(random_graph(seed))


def test_a_chain_is_drawn_straight():
    from outplay.pictures.geometry import Box, Link, Size

    chain = LayoutGraph([Box(42, 42)] * 5, [Link(n, n + 1, Size(50, 15)) for n in range(4)])
    layout = lay_out(chain, rightwards=True)
    assert len({round(y, 6) for _, y in layout.centres}) == 1
    assert all(len(step) == 1 for route in layout.routes for step in route.steps)


def test_a_broad_picture_runs_down_when_it_is_larger_so():
    from outplay.pictures.geometry import Box, Link, Size

    chain = LayoutGraph([Box(42, 42)] * 20, [Link(n, n + 1, Size(200, 15)) for n in range(19)])
    assert not lay_out(chain).rightwards
    assert lay_out(LayoutGraph([Box(42, 42)] * 2, [Link(0, 1, Size(50, 15))])).rightwards


def test_two_hundred_nodes_are_laid_out():
    graph = random_graph(7, nodes=200)
    boxes = node_rectangles(graph, lay_out(graph))
    assert not [pair for pair in combinations(boxes, 2) if overlap(*pair)]
