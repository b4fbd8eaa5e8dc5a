"""The calls of an OpenAPI document as inputs of a model: names that are valid and unique, values, rows of a table."""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from outplay.model.programs.actions import FAULTS
from outplay.model.programs.program import Model
from outplay.play.adapters.http_table import ANSWER
from outplay.play.adapters.messages.label_rows import SHARED
from outplay.scaffolding.openapi.openapi_document import Body, OpenApi, Operation, Parameter
from outplay.scaffolding.openapi.openapi_values import SchemaValues, sent_properties

_MANY = 1_500  # inputs of all operations
_MANY_HERE = 64  # of one
_LONGEST = 60  # letters of a name
_ACTIONS = {*dir(Model), *FAULTS, "Model", "controllable", "given", "result"}
_PARAMETERS = {*SHARED, *ANSWER, "self", "result"}
_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_UNSENT = ("accept", "content-type", "authorization")


class Hole(str):
    """The name of a parameter, that is written into a table as a hole."""


@dataclass
class Call:
    """An operation as an input: its name, what its parameters range over, and what is sent."""

    operation: Operation
    name: str
    domains: dict[str, tuple[Any, ...]] = field(default_factory=dict)
    path: str = ""
    sent: dict[str, Any] = field(default_factory=dict)
    """Query, headers and body, with holes."""

    @property
    def returns(self) -> tuple[int | str, ...]:
        """The answers as values: a status, `2XX` or `default`."""
        return tuple(int(status) if status.isdecimal() else status for status in self.operation.answers)


def calls_of(document: OpenApi, operations: list[Operation]) -> list[Call]:
    """Make the calls of an OpenAPI document's operations; the more there are, the fewer values each has."""
    names, values = set(_ACTIONS), SchemaValues(document)
    room = max(1, min(_MANY_HERE, _MANY // max(len(operations), 1)))
    return [_Making(operation, names, values, room).call for operation in operations]


def python_name(text: str, taken: set[str], instead: str) -> str:
    """Make a unique Python name of any text of an OpenAPI document; it is taken from now on.

    >>> taken = {"get_pet"}
    >>> [python_name(text, taken, "call") for text in ("getPet", "class", "a(b); c", "1", "__init__", "…")]
    ['get_pet_2', 'class_call', 'a_b_c', 'call_1', 'init', 'call']
    """
    name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", text[:1_000])
    name = re.sub(r"[^A-Za-z0-9]+", "_", name).strip("_").lower()[:_LONGEST].strip("_")
    if not name or name[0].isdecimal():
        name = f"{instead}_{name}".strip("_")
    if keyword.iskeyword(name) or keyword.issoftkeyword(name):
        name = f"{name}_{instead}"
    unique, number = name, 1
    while unique in taken:
        number += 1
        unique = f"{name}_{number}"
    taken.add(unique)
    return unique


class _Making:
    """One call that is being made."""

    def __init__(self, operation: Operation, names: set[str], values: SchemaValues, room: int) -> None:
        self._values, self._room, self._taken = values, room, set(_PARAMETERS)
        self.call = Call(operation, python_name(operation.identifier or _described(operation), names, "call"))
        pieces = dict[str, str]()
        for parameter in operation.parameters:
            self._add(parameter, pieces)
        parts = re.split(r"\{([^{}]*)\}", operation.path)
        self.call.path = "".join(
            pieces[part] if n % 2 else quote(part, safe="/:@!$&'()*+,;=~-._%") for n, part in enumerate(parts)
        )
        if operation.body is not None:
            self._add_body(operation.body)

    def _add(self, parameter: Parameter, pieces: dict[str, str]) -> None:
        """Put a parameter where it is sent."""
        name, place = parameter.name, parameter.place
        schema = self._values.whole(parameter.schema)
        schema = self._values.whole(schema["items"]) if "items" in schema else schema  # a list of one
        if place == "path":
            value = self._value(name, schema, lambda text: text not in ("", ".", ".."))
            pieces[name] = f"{{{value}}}" if isinstance(value, Hole) else quote(str(value), safe="")
        elif place == "query":
            self.call.sent.setdefault("query", {})[name] = self._value(name, schema)
        elif _TOKEN.fullmatch(name) and name.lower() not in _UNSENT:
            value = self._value(name, schema, lambda text: text.isascii() and text.isprintable())
            headers = self.call.sent.setdefault("headers", {})
            if place == "header":
                headers[name] = value
            else:
                headers.setdefault("Cookie", Cookies()).append((name, value))

    def _add_body(self, body: Body) -> None:
        schema = self._values.whole(body.schema)
        made: Any = {name: self._value(name, part) for name, part in sent_properties(schema).items()}
        if body.kind == "body":
            made = self._value("text", {"type": "string"})
            self.call.sent.setdefault("headers", {})["Content-Type"] = "text/plain"
        elif body.media:
            self.call.sent.setdefault("headers", {})["Content-Type"] = body.media
        if not made and body.kind == "json":
            made = self._value("content", schema)
        self.call.sent[body.kind] = made

    def _value(self, name: str, schema: Any, fits: Any = lambda text: True) -> Any:
        """Make a parameter of the model, or a value where the model can have none."""
        choices = [value for value in self._values.choices(schema) if not isinstance(value, str) or fits(value)]
        if not choices:
            fixed = self._values.fixed(schema)
            return "a" if isinstance(fixed, str) and not fits(fixed) else fixed
        named = python_name(name, self._taken, "value")
        self.call.domains[named] = tuple(choices[: max(1, self._room)])
        self._room //= len(self.call.domains[named])
        return Hole(named)


class Cookies(list[tuple[str, Any]]):
    """Cookies, by their names."""


def _described(operation: Operation) -> str:
    """The name of an operation that has none of its own.

    >>> _described(Operation("GET", "/pets/{id}", "", "", (), None, "", {}))
    'get pets by id'
    """
    return f"{operation.method.lower()} {' '.join(_words(operation.path))}"


def _words(path: str) -> Iterable[str]:
    return (f"by {step.strip('{}')}" if step.startswith("{") else step for step in path.split("/") if step)
