"""Vertices of a game for the page: what one is, where it leads, how two differ, and which ones a search finds."""

from __future__ import annotations

from typing import Any

import numpy as np

from outplay.game.graph import SYSTEM
from outplay.strategy.number_format import plain
from outplay.studio.asked import Asked
from outplay.studio.document import Document
from outplay.studio.scenes import short_name
from outplay.studio.values_read import differences, state_json

MOST_MOVES, MOST_FOUND = 200, 300


def vertex_details(document: Document, asked: Asked) -> dict[str, Any]:
    """One vertex: whose turn it is, the values of its state, its goals, and the moves from it and to it."""
    game = document.game
    vertex = asked.number("vertex", game.vertex_count)
    about = document.about(vertex)
    into = np.flatnonzero(game.target == vertex)
    edges = [*game.edges_of(vertex)]
    owner = "system" if game.owner[vertex] == SYSTEM else "tester"
    ends = not edges and vertex not in game.goals_at
    return {
        "vertex": vertex,
        "name": " ".join(filter(None, short_name(game, vertex))),
        "turn": "no move is left here" if ends else f"the {owner} moves here",
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
        "label": game.label_of(edge) or game.input_of(edge) or game.edge_names[edge],
        "to": " ".join(filter(None, short_name(game, target))),
        "from": " ".join(filter(None, short_name(game, source))),
        "free": not game.moves[edge],
        "probability": "" if chance is None or chance == 1 else plain(chance),
        "cost": "" if cost is None or cost == 1 or not game.moves[edge] else plain(cost),
    }


def found_vertices(document: Document, asked: Asked) -> dict[str, Any]:
    """Search labels, names of states and their values; every word has to be there."""
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
    shown = [{"vertex": vertex, "name": " ".join(filter(None, short_name(game, vertex)))} for vertex in vertices]
    return {"vertices": shown[:MOST_FOUND], "count": len(vertices), "labels": labels[:MOST_FOUND]}


def vertex_difference(document: Document, asked: Asked) -> dict[str, Any]:
    """Compare the states of two vertices; only what changed is listed."""
    count = document.game.vertex_count
    first, second = asked.number("first", count), asked.number("second", count)
    before, after = document.about(first), document.about(second)
    changed = [{"path": path, "before": was, "after": now} for path, was, now in differences(before, after)]
    return {"first": first, "second": second, "changed": changed}
