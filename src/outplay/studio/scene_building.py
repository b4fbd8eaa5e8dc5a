"""Scenes of a game: drawn line by line where it is small, in columns where it is large, folded where it is huge.

Vertices of a game for the page: what one is, where it leads, how two differ, and which ones a search finds.
"""

from __future__ import annotations

from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from outplay.game.graph import SYSTEM as SYSTEMS_TURN
from outplay.game.graph import Game
from outplay.game.roles import Role
from outplay.pictures.figure import Arrow, caption, figure
from outplay.pictures.layout import lay_out
from outplay.pictures.routes import Route
from outplay.pictures.state_text import differences, state_json
from outplay.pictures.vertex_grouping import depths
from outplay.pictures.views.selection import Highlights, part_of
from outplay.pictures.views.summary import is_large
from outplay.pictures.views.views import view_of
from outplay.strategy.number_format import format_number
from outplay.studio.column_layout import placed
from outplay.studio.document import Asked, Document
from outplay.studio.scene import FREE, GOAL, INITIAL, LOST, SYSTEM, TESTER, Arrows, Nodes, Scene

MOST_NODES = 20_000
"""More are folded unless the user asks for some of them."""
SIZE = 40.0
_DECIDED = {Role.WAITING: "wait", Role.ACTIVE: "active"}


def whole_scene(game: Game) -> Scene:
    """Build the scene of all vertices of a game."""
    return drawn_scene(game) if not is_large(view_of(game)) else plain_scene(game)


def drawn_scene(game: Game) -> Scene:
    """Build the scene of a small game as the static pictures draw it."""
    made = figure(part_of(view_of(game), range(game.vertex_count), Highlights()))
    layout = lay_out(made.graph)
    nodes, boxes = made.drawing.nodes, made.graph.boxes
    captions = [caption(node) for node in nodes]
    goals = np.array([node.goal for node in nodes], dtype=np.uint8) * GOAL
    pairs = [*zip(made.arrows, layout.routes, strict=True)]
    pairs += [(arrow, layout.loops[node]) for node, arrow in made.loops.items()]
    count = len(nodes)
    return Scene(
        Nodes(
            np.array([x for x, _ in layout.centres], dtype=np.float32),
            np.array([y for _, y in layout.centres], dtype=np.float32),
            np.array([box.width for box in boxes], dtype=np.float32),
            np.array([box.height for box in boxes], dtype=np.float32),
            kinds(game),
            _with_start(goals, game.initial),
            np.arange(count, dtype=np.int32),
            np.ones(count, dtype=np.uint32),
            ["\n".join(lines) for lines, _ in captions],
            [note for _, note in captions],
        ),
        Arrows(
            np.array([arrow.source for arrow, _ in pairs], dtype=np.uint32),
            np.array([arrow.target for arrow, _ in pairs], dtype=np.uint32),
            np.array([len(arrow.lines) for arrow, _ in pairs], dtype=np.uint32),
            np.zeros(len(pairs), dtype=np.uint32),
            np.array([arrow.free * FREE for arrow, _ in pairs], dtype=np.uint8),
            [""],
            [_line(arrow, route) for arrow, route in pairs],
        ),
        np.arange(count, dtype=np.int32),
        {"rightwards": layout.rightwards},
    )


def _line(arrow: Arrow, route: Route) -> dict[str, Any]:
    """One arrow for the page: its path, the direction of its head, and its label line by line."""
    steps = [[*map(_rounded, chain.from_iterable(step))] for step in route.steps]
    drawn: dict[str, Any] = {
        "path": [[*map(_rounded, route.start)], *steps],
        "head": [*route.heading],
        "text": [*map(_rounded, route.text)],
        "left": route.leftish,
        "lines": [[[part.text, part.role] for part in line] for line in arrow.lines],
    }
    if route.leader:
        drawn["leader"] = [_rounded(one) for point in route.leader for one in point]
    return drawn


def _rounded(number: float) -> float:
    return round(number, 1)


def plain_scene(game: Game, chosen: NDArray[Any] | None = None) -> Scene:
    """Build the scene of a game, or some of its vertices, in columns by distance from the start."""
    vertices = np.arange(game.vertex_count) if chosen is None else np.asarray(chosen, dtype=np.int64)
    node_of = np.full(game.vertex_count, -1, dtype=np.int32)
    node_of[vertices] = np.arange(len(vertices), dtype=np.int32)
    arrows = joined_arrows(game, node_of)
    layer = depths(game.first, game.target, game.initial)[vertices]
    _, layer = np.unique(layer, return_inverse=True)  # without empty columns
    x, y = placed(layer.astype(np.int64), arrows.source, arrows.target)
    count = len(vertices)
    size = np.full(count, SIZE, dtype=np.float32)
    start = int(node_of[game.initial])
    names = [short_name(game, vertex) for vertex in vertices.tolist()]
    return Scene(
        Nodes(
            x,
            y,
            size,
            size,
            kinds(game)[vertices],
            _with_start(goal_flags(game)[vertices], start),
            vertices.astype(np.int32),
            np.ones(count, dtype=np.uint32),
            [name for name, _ in names],
            [note for _, note in names],
        ),
        arrows,
        node_of,
    )


def joined_arrows(game: Game, node_of: NDArray[np.int32]) -> Arrows:
    """Join all edges from one node of a scene to another into one arrow; those of hidden nodes are left out."""
    source, target = node_of[game.source].astype(np.int64), node_of[game.target].astype(np.int64)
    inside = np.flatnonzero((source >= 0) & (target >= 0))
    nodes = int(node_of.max(initial=-1)) + 1
    keys, example, number, count = np.unique(
        source[inside] * nodes + target[inside], return_index=True, return_inverse=True, return_counts=True
    )
    edges = inside[example]
    paid = np.bincount(number, weights=game.moves[inside] > 0, minlength=len(keys))
    used, label = np.unique(game.label[edges], return_inverse=True)
    return Arrows(
        (keys // max(nodes, 1)).astype(np.uint32),
        (keys % max(nodes, 1)).astype(np.uint32),
        count.astype(np.uint32),
        label.astype(np.uint32),
        np.where(paid == 0, FREE, 0).astype(np.uint8),
        [game.labels[one] for one in used.tolist()],
    )


def kinds(game: Game) -> NDArray[np.uint8]:
    """Return the kind of each vertex of a scene: whose turn it is, or that no move is left there."""
    found = np.where(game.owner == SYSTEMS_TURN, SYSTEM, TESTER).astype(np.uint8)
    return np.where(np.diff(game.first) == 0, LOST, found).astype(np.uint8)


def goal_flags(game: Game) -> NDArray[np.uint8]:
    """Return the flag of goals at each vertex of a scene where one holds."""
    flags = np.zeros(game.vertex_count, dtype=np.uint8)
    for members in game.goals.values():
        flags[members] = GOAL
    return flags


def _with_start(flags: NDArray[np.uint8], start: int) -> NDArray[np.uint8]:
    made = flags.copy()
    if 0 <= start < len(made):
        made[start] |= INITIAL
    return made


def short_name(game: Game, vertex: int) -> tuple[str, str]:
    """Return the short name of a vertex in a scene: its state, and what was decided there."""
    roles = game.roles
    role, chosen = roles.role[vertex], int(roles.choice[vertex])
    if role == Role.STATE:
        return str(game.names[vertex]), ""
    decided = _DECIDED.get(Role(role)) or (game.labels[chosen] if chosen >= 0 else "")
    return (str(game.state_names[vertex]), decided) if decided else (str(game.names[vertex]), "")


def vertex_name(game: Game, vertex: int) -> str:
    """The state of a vertex, and what was decided there, in one line."""
    return " ".join(filter(None, short_name(game, vertex)))


def move_words(game: Game, edge: int) -> str:
    """The label of an edge, or of a decision what was decided."""
    return game.label_of(edge) or game.input_of(edge) or game.edge_names[edge]


MOST_MOVES, MOST_FOUND = 200, 300


def vertex_details(document: Document, asked: Asked) -> dict[str, Any]:
    """Return the details of one vertex of a scene: turn, values of its state, goals, and the moves from and to it."""
    game = document.game
    vertex = asked.number("vertex", game.vertex_count)
    about = document.about(vertex)
    into = np.flatnonzero(game.target == vertex)
    edges = [*game.edges_of(vertex)]
    owner = "system" if game.owner[vertex] == SYSTEMS_TURN else "tester"
    return {
        "vertex": vertex,
        "name": vertex_name(game, vertex),
        "turn": f"the {owner} moves here" if edges else "no moves from here",
        "owner": owner,
        "goals": game.goals_at.get(vertex, []),
        "about": about,
        "values": state_json(about),
        "state": int(game.roles.state[vertex]),
        "moves": [_move(document, edge) for edge in edges[:MOST_MOVES]],
        "moveCount": len(edges),
        "into": [_move(document, edge) for edge in into[:MOST_MOVES].tolist()],
    }


def _move(document: Document, edge: int) -> dict[str, Any]:
    game = document.game
    source, target = int(game.source[edge]), int(game.target[edge])
    chance, cost = game.probability[edge], game.cost[edge]
    return {
        "edge": edge,
        "source": source,
        "target": target,
        "label": move_words(game, edge),
        "to": vertex_name(game, target),
        "from": vertex_name(game, source),
        "free": not game.moves[edge],
        "probability": "" if chance is None or chance == 1 else format_number(chance),
        "cost": "" if cost is None or cost == 1 or not game.moves[edge] else format_number(cost),
    }


def found_vertices(document: Document, asked: Asked) -> dict[str, Any]:
    """Search the vertices of a scene by labels, names of states and values; every word has to be there."""
    game, words = document.game, asked.text("text", longest=500).lower().split()
    if not words:
        return {"vertices": [], "count": 0, "labels": []}
    with document.lock:
        texts = document.texts
    vertices = [vertex for vertex, text in enumerate(texts) if all(word in text for word in words)]
    labels = []
    for number, label in enumerate(game.labels):
        if label and all(word in label.lower() for word in words):
            edges = np.flatnonzero(game.label == number)
            pairs = np.stack([game.source[edges], game.target[edges]], axis=1)
            labels.append({"label": label, "count": len(edges), "edges": pairs[:MOST_FOUND].tolist()})
    shown = [{"vertex": vertex, "name": vertex_name(game, vertex)} for vertex in vertices]
    return {"vertices": shown[:MOST_FOUND], "count": len(vertices), "labels": labels[:MOST_FOUND]}


def vertex_difference(document: Document, asked: Asked) -> dict[str, Any]:
    """Compare the states of two vertices; only what changed is listed."""
    count = document.game.vertex_count
    first, second = asked.number("first", count), asked.number("second", count)
    before, after = document.about(first), document.about(second)
    changed = [{"path": path, "before": was, "after": now} for path, was, now in differences(before, after)]
    return {"first": first, "second": second, "changed": changed}
