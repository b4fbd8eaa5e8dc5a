"""Game graphs as JSON, format `outplay-game/1`.

Numbers are read exactly (0.1 is one tenth), ids and keys are refused when they come twice, unknown fields are refused
with the nearest known one. Every error names the line and column.

A game made under a test assumption keeps it as `"assumption"`. Where time-outs bring the tester's turn, the active copy
of a state names it as `"state"`, and `"quiet": true` says that a state allows silence without a time-out. A game of
groups of states says `"approximate": true`, and one that was explored in part why in `"stopped"`, as what is found in
them need not hold in the model.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any

from outplay.errors import GameError, UsageError
from outplay.formats.common.json_document import (
    NUMBER,
    InvalidDocument,
    clipped,
    load_json_document,
    placed_error,
    refuse_unknown_fields,
)
from outplay.formats.common.source import Source
from outplay.game.assumption import Assumption, named_assumption
from outplay.game.builder import MOVES, GameBuilder
from outplay.game.exact_numbers import read_fraction
from outplay.game.game_specification import origin_of_game
from outplay.game.graph import SYSTEM, Game
from outplay.game.roles import Role
from outplay.game.validation import PartError

FORMAT = "outplay-game/1"
_VERTEX = {"id", "owner", "gain", "goal", "state", "quiet"}
_EDGE = {"id", "source", "target", "label", "cost", "moves", "probability"}
_TOP = {"format", "initial", "assumption", "approximate", "stopped", "goals", "vertices", "edges"}


def parse_game(text: str, name: str = "game") -> Game:
    """Parse a game graph from JSON text; `name` stands for the file in errors."""
    source = Source(name, text)
    document = load_json_document(source, kind=FORMAT, number=read_fraction)
    try:
        return _build(document)
    except InvalidDocument as error:
        raise placed_error(source, error) from None


def write(game: Game) -> Iterable[str]:
    """Write a game graph as JSON, in pieces of text: one vertex or edge a line; what is the default is left out."""
    names = list(game.names)
    goals = {name: [names[vertex] for vertex in members.tolist()] for name, members in sorted(game.goals.items())}
    rule = game.origin.assumption
    made = "" if rule is Assumption.NONDETERMINISTIC else f' "assumption": {_text(rule.value)},'
    made += ' "approximate": true,' if game.origin.approximate else ""
    made += f' "stopped": {_text(game.origin.stopped)},' if game.origin.stopped else ""
    yield f'{{"format": {_text(FORMAT)}, "initial": {_text(names[game.initial])},{made} "goals": {_text(goals)},\n'
    yield ' "vertices": [\n'
    for vertex, name in enumerate(names):
        entry: dict[str, Any] = {"id": name, "owner": "system" if game.owner[vertex] == SYSTEM else "tester"}
        if game.gain[vertex] != 1:
            entry["gain"] = _number(game.gain[vertex])
        if rule.waits_for_timeout:
            entry |= _timed(game, names, vertex)
        yield f"  {_text(entry)}{',' if vertex + 1 < len(names) else ''}\n"
    yield ' ],\n "edges": [\n'
    for edge in range(game.edge_count):
        yield f"  {_text(_edge(game, names, edge))}{',' if edge + 1 < game.edge_count else ''}\n"
    yield " ]}\n"


def _timed(game: Game, names: list[str], vertex: int) -> dict[str, Any]:
    """Reject edges that do not tell whose turn a time-out brings."""
    state = int(game.roles.state[vertex])
    if game.roles.role[vertex] == Role.ACTIVE:
        return {"state": names[state]}
    return {"quiet": True} if game.owner[vertex] == SYSTEM and game.origin.meaning.quiet(state) else {}


def _edge(game: Game, names: list[str], edge: int) -> dict[str, Any]:
    entry: dict[str, Any] = {"source": names[game.source[edge]], "target": names[game.target[edge]]}
    if game.edge_names[edge] != f"e{edge}":
        entry = {"id": game.edge_names[edge], **entry}
    if game.label_of(edge):
        entry["label"] = game.label_of(edge)
    if game.cost[edge] != 1:
        entry["cost"] = _number(game.cost[edge])
    if game.moves[edge] != 1:
        entry["moves"] = int(game.moves[edge])
    if game.probability[edge] is not None:
        entry["probability"] = _number(game.probability[edge])
    return entry


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _number(value: Fraction | None) -> Any:
    return None if value is None else value.numerator if value.denominator == 1 else str(value)


def _build(document: dict[str, Any]) -> Game:
    refuse_unknown_fields(document, _TOP)
    builder = GameBuilder()
    _each(document, "vertices", partial(_add_vertex, builder))
    _each(document, "edges", partial(_add_edge, builder))
    _add_goals(builder, document.get("goals", {}))
    initial = document.get("initial")
    if not isinstance(initial, str):
        raise InvalidDocument("initial is missing or no text; name the vertex where play starts", "initial")
    rule = _rule(document.get("assumption", Assumption.NONDETERMINISTIC.value))
    approximate = document.get("approximate", False)
    if not isinstance(approximate, bool):
        raise InvalidDocument("approximate is no truth value; write true or false", "approximate")
    stopped = document.get("stopped")
    if stopped is not None and not isinstance(stopped, str):
        raise InvalidDocument("stopped is a text; write why the game is not complete", "stopped")
    try:
        game = _under(rule, builder.build(initial), document["vertices"])
        origin = replace(game.origin, approximate=approximate, stopped=stopped)
        return replace(game, known_origin=origin) if approximate or stopped else game
    except PartError as error:
        raise InvalidDocument(str(error), *_place_of(document, error)) from None
    except GameError as error:
        raise InvalidDocument(str(error), "initial" if str(error).startswith("initial") else "vertices") from None


def _rule(name: Any) -> Assumption:
    try:
        return named_assumption(name if isinstance(name, str) else clipped(name))
    except UsageError as error:
        raise InvalidDocument(str(error), "assumption") from None


def _under(rule: Assumption, game: Game, vertices: list[dict[str, Any]]) -> Game:
    """The game as one made under a test assumption."""
    if rule is Assumption.NONDETERMINISTIC:
        return game
    if rule.waits_for_timeout:
        state, role = game.roles.state.copy(), game.roles.role.copy()
        for vertex, entry in enumerate(vertices):
            if "state" in entry:
                state[vertex], role[vertex] = _state_of(game, entry["state"], vertex), Role.ACTIVE
        game = replace(game, known_roles=replace(game.roles, state=state, role=role))
    rests = [vertex for vertex, entry in enumerate(vertices) if entry.get("quiet") is True]
    return replace(game, known_origin=origin_of_game(game, rule, rests))


def _state_of(game: Game, name: Any, vertex: int) -> int:
    found = game.vertex_numbers.get(name) if isinstance(name, str) else None
    if found is None:
        raise InvalidDocument(
            f"state is {clipped(name)}; name the vertex of which this is the active copy", "vertices", vertex
        )
    return found


def _place_of(document: dict[str, Any], error: PartError) -> tuple[str | int, ...]:
    """Find the entry a complaint of the builder is about: the last of that name, should there be two."""
    key, name = ("edges", error.edge) if error.vertex is None else ("vertices", error.vertex)
    ids = [entry.get("id", f"e{place}") for place, entry in enumerate(document[key])]
    return key, len(ids) - 1 - ids[::-1].index(name)


def _each(document: dict[str, Any], key: str, add: Callable[[Any], None]) -> None:
    entries = document.get(key, [])
    if not isinstance(entries, list):
        raise InvalidDocument(f'{key} is no list; write "{key}": [{{…}}, {{…}}]', key)
    for place, entry in enumerate(entries):
        try:
            add(entry)
        except InvalidDocument as error:
            raise InvalidDocument(str(error), key, place, *error.path) from None
        except GameError as error:
            raise InvalidDocument(str(error), key, place) from None


def _add_vertex(builder: GameBuilder, entry: Any) -> None:
    if not isinstance(entry, dict):
        raise GameError('a vertex is an object; write {"id": "s0", "owner": "tester"}')
    refuse_unknown_fields(entry, _VERTEX)
    name, owner, goal = entry.get("id"), entry.get("owner"), entry.get("goal", False)
    if not isinstance(name, str):
        raise InvalidDocument('a vertex has an id that is text; write "id": "s0"', "id")
    if not isinstance(owner, str):
        raise InvalidDocument(f'vertex {clipped(name)} has no owner; write "owner": "tester" or "system"', "owner")
    if not isinstance(goal, bool):
        raise InvalidDocument(f"goal is {clipped(goal)}; write true or false", "goal")
    builder.vertex(name, owner, gain=_given(entry, "gain", 1), goals=["goal"] if goal else [])


def _add_edge(builder: GameBuilder, entry: Any) -> None:
    if not isinstance(entry, dict):
        raise GameError('an edge is an object; write {"source": "s0", "target": "s1"}')
    refuse_unknown_fields(entry, _EDGE)
    moves = entry.get("moves", 1)
    if moves not in (0, 1) or isinstance(moves, bool):
        raise InvalidDocument(f"moves is {clipped(moves)}; {MOVES}", "moves")
    for key in ("source", "target"):
        _require(builder, entry.get(key), key, key)
    for key in ("label", "id"):
        if not isinstance(entry.get(key, ""), str):
            raise InvalidDocument(f"{key} is {clipped(entry[key])}; it is text, put it in quotes", key)
    builder.edge(
        entry["source"],
        entry["target"],
        entry.get("label", ""),
        cost=_given(entry, "cost", 1),
        probability=_given(entry, "probability", None),
        moves=int(moves),
        name=entry.get("id"),
    )


def _add_goals(builder: GameBuilder, goals: Any) -> None:
    if not isinstance(goals, dict):
        raise InvalidDocument('goals is no object; write "goals": {"done": ["s1"]}', "goals")
    for name, members in goals.items():
        if not isinstance(members, list):
            raise InvalidDocument(f'goal {clipped(name)} is no list of vertex ids; write ["s1"]', "goals", name)
        for place, member in enumerate(members):
            _require(builder, member, f"goal {clipped(name)}", "goals", name, place)
        builder.goal(name, members)


def _require(builder: GameBuilder, vertex: Any, where: str, *path: str | int) -> None:
    if vertex is None:
        raise InvalidDocument(f"{where} is missing; name a vertex", *path)
    try:
        builder.require(vertex, where)
    except GameError as error:
        raise InvalidDocument(str(error), *path) from None


def _given(entry: dict[str, Any], key: str, default: Any) -> Any:
    value = entry.get(key, default)
    if value is default:
        return default
    if isinstance(value, bool) or not isinstance(value, int | str | Fraction):
        raise InvalidDocument(f"{key} is {clipped(value)}; {NUMBER}", key)
    try:
        number = read_fraction(value)
    except GameError:
        raise InvalidDocument(f"{key} is {clipped(value)}; {NUMBER}", key) from None
    if key == "probability" and not 0 < number <= 1:
        raise InvalidDocument(f"probability is {clipped(value)}; it must be above 0 and at most 1", key)
    if number < 0:
        raise InvalidDocument(f"{key} is {clipped(value)}; it must be 0 or more", key)
    return number
