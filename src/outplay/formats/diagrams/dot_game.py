"""Games in DOT: the fields of the JSON format as attributes of nodes and edges.

    s0 [owner=tester, gain="1/2", goal="done,safe"];
    s0 -> c [label="?go", cost=2, moves=0];
    c -> s1 [label="!x", probability="1/3"];

A node has an owner; costs, moves and gains are 1 where nothing is said. `goal` is `true` (the goal named `goal`), names
with commas between them, or a JSON list of names; goals without vertices are listed in the graph's `goals`. The
attribute `id` names an edge.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import Any

from outplay.formats.common.names_and_numbers import NUMBER, NumberColumn, exact_number, written_number
from outplay.formats.common.source import shown
from outplay.formats.diagrams.dot_parts import DotEdge, StateGraph, digraph_text, dot_id, dot_node, dot_text
from outplay.game.builder import MOVES, OWNERS, PartError, game_from_arrays
from outplay.game.graph import SYSTEM, Game
from outplay.game.roles import Numbered

ATTRIBUTES = frozenset({"owner", "cost", "probability", "moves", "gain", "goal"})
_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.")


def read_dot_game(graph: StateGraph) -> Game:
    """Read a game from DOT."""
    nodes, numbers = graph.drawing.nodes, graph.numbers
    gain, cost, probability = NumberColumn(), NumberColumn(), NumberColumn()
    owners: list[int] = []
    goals: dict[str, list[int]] = {name: [] for name in _names(graph, graph.drawing.attributes.get("goals", ""))}
    for name, vertex in numbers.items():
        attributes = nodes[name].attributes
        owner = attributes.get("owner")
        if owner not in OWNERS:
            given = "no owner" if owner is None else f"the owner {shown(owner)}"
            graph.wrong_state(name, f"the vertex {shown(name)} has {given}; write owner=tester or owner=system")
        if "goals" in attributes:
            graph.wrong_state(name, f'the vertex {shown(name)} has goals; write goal="done", goals is of the graph')
        owners.append(OWNERS[owner])
        gain.index.append(_row(graph, gain, attributes, "gain", nodes[name].offset))
        for goal in _names(graph, attributes.get("goal", ""), name):
            goals.setdefault(goal, []).append(vertex)
    labels = {"": 0}
    for edge in graph.edges:
        cost.index.append(_row(graph, cost, edge.attributes, "cost", edge.offset))
        probability.index.append(_row(graph, probability, edge.attributes, "probability", edge.offset))
    edge_names = [edge.attributes.get("id", f"e{place}") for place, edge in enumerate(graph.edges)]
    plain = not any("id" in edge.attributes for edge in graph.edges)
    try:
        return game_from_arrays(
            owner=owners,
            source=[numbers[edge.source] for edge in graph.edges],
            target=[numbers[edge.target] for edge in graph.edges],
            cost=cost.exact(),
            probability=probability.exact(),
            moves=[_moves(graph, edge) for edge in graph.edges],
            label=[labels.setdefault(edge.attributes.get("label", ""), len(labels)) for edge in graph.edges],
            labels=tuple(labels),
            gain=gain.exact(),
            initial=graph.initial,
            goals=goals,
            names=tuple(numbers),
            edge_names=Numbered("e", len(edge_names)) if plain else tuple(edge_names),
        )
    except PartError as error:
        if error.vertex is not None:
            graph.wrong_state(error.vertex, str(error))
        last = len(edge_names) - 1 - edge_names[::-1].index(error.edge or "")
        graph.wrong(graph.edges[last], str(error))


def _row(graph: StateGraph, column: NumberColumn, attributes: dict[str, str], key: str, offset: int) -> int:
    text = attributes.get(key)
    row = column.row(text)
    if row is not None:
        return row
    if text is None:
        return column.new_row(text, None if key == "probability" else Fraction(1))
    value = exact_number(text)
    if value is None:
        cure = "it must be 0 or more" if text[:1] == "-" else NUMBER
        raise graph.source.error_at(offset, f"{key} is {shown(text)}; {cure}")
    if key == "probability" and not 0 < value <= 1:
        raise graph.source.error_at(offset, f"probability is {shown(text)}; it must be above 0 and at most 1")
    return column.new_row(text, value)


def _moves(graph: StateGraph, edge: DotEdge) -> int:
    text = edge.attributes.get("moves", "1")
    if text not in ("0", "1"):
        graph.wrong(edge, f"moves is {shown(text)}; {MOVES}")
    return int(text)


def _names(graph: StateGraph, text: str, vertex: str | None = None) -> list[str]:
    """Read names of goals: `true`, names with commas between them, or a JSON list."""
    if text in ("", "false"):
        return []
    if text == "true":
        return ["goal"]
    if text[0] != "[":
        return list(dict.fromkeys(name.strip() for name in text.split(",")))
    names: Any = None
    try:
        names = json.loads(text)
        "".join(names).encode()  # half a character, which JSON can hold, no file can
    except (ValueError, TypeError, RecursionError):
        what = f'{shown(text)} is no list of goals; write goal="done", goal="done,safe" or a JSON list of texts'
        if vertex is None:
            raise graph.source.error(1, 1, what) from None
        graph.wrong_state(vertex, what)
    return list(dict.fromkeys(names))


def write_dot_game(game: Game) -> Iterable[str]:
    """Write a game in DOT: tester's vertices as boxes, the system's as diamonds, goals with a double line."""
    ids = [dot_id(name) for name in game.names]
    return digraph_text("game", _nodes(game, ids), _edges(game, ids), ids[game.initial])


def _nodes(game: Game, ids: list[str]) -> Iterator[str]:
    empty = [name for name in sorted(game.goals) if not len(game.goals[name])]
    if empty:
        yield f"  goals={dot_text(json.dumps(empty, ensure_ascii=False))};\n"
    goals = game.goals_at
    for vertex, identifier in enumerate(ids):
        system = game.owner[vertex] == SYSTEM
        gain = game.gain[vertex]
        yield dot_node(
            identifier,
            owner="system" if system else "tester",
            shape="diamond" if system else "box",
            peripheries="2" if vertex in goals else None,
            goal=_written_names(goals[vertex]) if vertex in goals else None,
            gain=None if gain is None or gain == 1 else dot_id(written_number(gain)),
        )


def _written_names(names: list[str]) -> str:
    if all(name and _PLAIN.issuperset(name) and name not in ("true", "false") for name in names):
        return dot_text(",".join(names))
    return dot_text(json.dumps(names, ensure_ascii=False))


def _edges(game: Game, ids: list[str]) -> Iterator[str]:
    source, target, moves = game.source.tolist(), game.target.tolist(), game.moves.tolist()
    for edge in range(game.edge_count):
        cost, chance, label, name = game.cost[edge], game.probability[edge], game.label_of(edge), game.edge_names[edge]
        yield dot_node(
            f"{ids[source[edge]]} -> {ids[target[edge]]}",
            id=None if name == f"e{edge}" else dot_text(name),
            label=dot_text(label) if label else None,
            cost=None if cost is None or cost == 1 else dot_id(written_number(cost)),
            moves=None if moves[edge] == 1 else "0",
            probability=None if chance is None else dot_id(written_number(chance)),
        )
