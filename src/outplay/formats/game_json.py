"""Game graphs as JSON, format `outplay-game/1`.

Numbers are read exactly (0.1 is one tenth), ids and keys are refused when they come twice, unknown fields are refused
with the nearest known one. Every error names the line and column.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

from outplay.errors import FormatError, GameError, did_you_mean
from outplay.game.builder import GameBuilder
from outplay.game.graph import SYSTEM, Game

FORMAT = "outplay-game/1"
LARGEST = 1 << 30
_VERTEX = {"id", "owner", "gain", "goal", "state"}
_EDGE = {"id", "source", "target", "label", "cost", "moves", "probability"}
_TOP = {"format", "initial", "goals", "vertices", "edges"}


class _Twice(Exception):
    """A key stands twice in one object."""


class _Wrong(Exception):
    """Something is wrong at a place in the document: a list's name and a position in it, or a key."""

    def __init__(self, where: tuple[str, int | None], what: str) -> None:
        super().__init__(what)
        self.where, self.what = where, what


def read_game(path: Path, *, largest: int = LARGEST) -> Game:
    """Read a game graph from a file."""
    try:
        if path.stat().st_size > largest:
            raise FormatError(f"{path}:1:1: larger than {largest} bytes; raise the limit or make it smaller")
        text = path.read_bytes().decode("utf-8")
    except FileNotFoundError:
        raise FormatError(f"{path}: no such file; check the path") from None
    except UnicodeDecodeError as error:
        raise FormatError(f"{path}:1:{error.start + 1}: not UTF-8; save it as UTF-8") from None
    except OSError as error:
        raise FormatError(f"{path}: {error.strerror}; give a readable file") from None
    return parse_game(text, str(path))


def parse_game(text: str, name: str = "game") -> Game:
    """Read a game graph from text; `name` stands for the file in errors."""
    document = _load(text, name)
    try:
        return _build(document)
    except _Wrong as error:
        line, column = _locate(text, error.where)
        raise FormatError(f"{name}:{line}:{column}: {error.what}") from None


def write_game(path: Path, game: Game) -> None:
    """Write a game graph to a file."""
    with path.open("w", encoding="utf-8") as stream:
        for piece in dump_game(game):
            stream.write(piece)


def dump_game(game: Game) -> Iterable[str]:
    """Write a game graph as pieces of text, one vertex or edge a line; what is the default is left out."""
    names = list(game.names)
    goals = {name: [names[vertex] for vertex in members.tolist()] for name, members in sorted(game.goals.items())}
    yield f'{{"format": {_text(FORMAT)}, "initial": {_text(names[game.initial])}, "goals": {_text(goals)},\n'
    yield ' "vertices": [\n'
    for vertex, name in enumerate(names):
        entry: dict[str, Any] = {"id": name, "owner": "system" if game.owner[vertex] == SYSTEM else "tester"}
        if game.gain[vertex] != 1:
            entry["gain"] = _number(game.gain[vertex])
        yield f"  {_text(entry)}{',' if vertex + 1 < len(names) else ''}\n"
    yield ' ],\n "edges": [\n'
    for edge in range(game.edge_count):
        yield f"  {_text(_edge(game, names, edge))}{',' if edge + 1 < game.edge_count else ''}\n"
    yield " ]}\n"


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


def _load(text: str, name: str) -> dict[str, Any]:
    try:
        document = json.loads(text, parse_float=Fraction, parse_constant=_no_constant, object_pairs_hook=_unique)
    except json.JSONDecodeError as error:
        raise FormatError(f"{name}:{error.lineno}:{error.colno}: {error.msg}; mend the JSON there") from None
    except _Twice as error:
        key = str(error)
        again = [match.start() for match in re.finditer(re.escape(json.dumps(key)) + r"\s*:", text)]
        line, column = _position(text, again[1] if len(again) == 2 else 0)
        raise FormatError(f"{name}:{line}:{column}: key {key!r} twice in one object; keep one") from None
    except ValueError as error:
        raise FormatError(f"{name}:1:1: {error}; mend the numbers") from None
    except RecursionError:
        raise FormatError(f"{name}:1:1: nested too deeply; a game has lists of flat objects") from None
    if not isinstance(document, dict):
        raise FormatError(f'{name}:1:1: a game is one JSON object with "format": "{FORMAT}"')
    return document


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        keys = [key for key, _ in pairs]
        raise _Twice(next(key for key in made if keys.count(key) > 1))
    return made


def _no_constant(word: str) -> Any:
    raise ValueError(f"{word} is no number a game can hold")


def _build(document: dict[str, Any]) -> Game:
    if document.get("format") != FORMAT:
        raise _Wrong(
            ("format", None), f'format is {document.get("format")!r}, not {FORMAT!r}; write "format": "{FORMAT}"'
        )
    _known(document, _TOP, ("format", None))
    builder = GameBuilder()
    _each(document, "vertices", partial(_add_vertex, builder))
    _each(document, "edges", partial(_add_edge, builder))
    try:
        _add_goals(builder, document.get("goals", {}))
    except GameError as error:
        raise _Wrong(("goals", None), str(error)) from None
    initial = document.get("initial")
    if not isinstance(initial, str):
        raise _Wrong(("initial", None), "initial is missing; name the vertex where play starts")
    try:
        return builder.build(initial)
    except GameError as error:
        raise _Wrong(_place_of(str(error)), str(error)) from None


def _place_of(message: str) -> tuple[str, int | None]:
    """Find which entry a complaint of the builder is about."""
    edge = re.match(r"edge (\d+):", message)
    return ("edges", int(edge.group(1))) if edge else ("initial" if message.startswith("initial") else "vertices", None)


def _each(document: dict[str, Any], key: str, add: Callable[[Any], None]) -> None:
    for position, entry in enumerate(_list(document, key)):
        try:
            add(entry)
        except GameError as error:
            raise _Wrong((key, position), str(error)) from None


def _list(document: dict[str, Any], key: str) -> list[Any]:
    value = document.get(key, [])
    if not isinstance(value, list):
        raise _Wrong((key, None), f"{key} must be a list of objects")
    return value


def _known(entry: dict[str, Any], fields: set[str], where: tuple[str, int | None] | None = None) -> None:
    for key in entry:
        if key not in fields:
            what = f"unknown field {key!r}; {did_you_mean(key, fields)}"
            raise _Wrong(where, what) if where else GameError(what)


def _add_vertex(builder: GameBuilder, entry: Any) -> None:
    if not isinstance(entry, dict) or not isinstance(entry.get("id"), str):
        raise GameError('a vertex is an object with an "id" that is text')
    _known(entry, _VERTEX)
    owner = entry.get("owner")
    if not isinstance(owner, str):
        raise GameError(f'vertex {entry["id"]!r} has no owner; write "owner": "tester" or "system"')
    builder.vertex(
        entry["id"], owner, gain=_given(entry, "gain", 1), goals=["goal"] if entry.get("goal") is True else []
    )


def _add_edge(builder: GameBuilder, entry: Any) -> None:
    if not isinstance(entry, dict):
        raise GameError('an edge is an object with "source" and "target"')
    _known(entry, _EDGE)
    moves = entry.get("moves", 1)
    if moves not in (0, 1) or isinstance(moves, bool):
        raise GameError(f"moves is {moves!r}; an edge counts 1 move, or 0 where the tester only decides")
    for key in ("source", "target"):
        builder.require(entry.get(key), key)
    label, name = entry.get("label", ""), entry.get("id")
    if not isinstance(label, str) or not isinstance(name, str | None):
        raise GameError("label and id of an edge are text; put them in quotes")
    builder.edge(
        entry["source"],
        entry["target"],
        label,
        cost=_given(entry, "cost", 1),
        probability=_given(entry, "probability", None),
        moves=int(moves),
        name=name,
    )


def _add_goals(builder: GameBuilder, goals: Any) -> None:
    if not isinstance(goals, dict) or not all(isinstance(members, list) for members in goals.values()):
        raise GameError('goals is an object from names to lists of vertex ids: {"done": ["s1"]}')
    for name, members in goals.items():
        builder.goal(name, members)


def _given(entry: dict[str, Any], key: str, default: Any) -> Any:
    value = entry.get(key, default)
    if value is default:
        return default
    if isinstance(value, bool) or not isinstance(value, int | str | Fraction):
        raise GameError(f'{key} is {value!r}; write a number such as 2 or 0.5, or "1/3"')
    try:
        number = Fraction(value)
    except (ValueError, ZeroDivisionError):
        raise GameError(f'{key} is {value!r}; write a number such as 2 or 0.5, or "1/3"') from None
    if key == "probability" and not 0 < number <= 1:
        raise GameError(f"probability is {value}; it must be above 0 and at most 1")
    if number < 0:
        raise GameError(f"{key} is {value}; it must be 0 or more")
    return number


def _locate(text: str, where: tuple[str, int | None]) -> tuple[int, int]:
    """Find line and column of a key, or of the n-th entry of its list; only ever asked when something is wrong."""
    key, position = where
    found = re.search(re.escape(json.dumps(key)) + r"\s*:\s*", text)
    if not found:
        return 1, 1
    start = found.end()
    if position is not None and text[start : start + 1] == "[":
        start += 1
        decoder = json.JSONDecoder()
        for _ in range(position + 1):
            start = _skip(text, start)
            begin = start
            _, start = decoder.raw_decode(text, start)
        start = begin
    return _position(text, start)


def _skip(text: str, start: int) -> int:
    match = re.compile(r"[\s,]*").match(text, start)
    return match.end() if match else start


def _position(text: str, offset: int) -> tuple[int, int]:
    before = text[:offset]
    return before.count("\n") + 1, offset - before.rfind("\n")
