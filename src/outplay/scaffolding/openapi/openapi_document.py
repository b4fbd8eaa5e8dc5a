"""OpenAPI 3 documents: the operations of a service with what they take and answer. Nothing in them is ever run.

Only references into the document itself are followed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote, urlsplit

from outplay.errors import FormatError
from outplay.formats.common.json_document import clipped, decode_json, refuse_half_characters
from outplay.formats.common.source import read_source

_LARGEST = 32 << 20  # bytes
_METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "query")
_CONVERT = "python -c 'import json, sys, yaml; json.dump(yaml.safe_load(sys.stdin), sys.stdout)' < FILE"
_CHAIN = 50  # references that lead to references
_STEPS = 500_000  # references of all operations
_STATUS = re.compile(r"[1-5](\d\d|XX)|default")
_BODIES = (
    ("json", re.compile(r"application/(json|[\w.+-]+\+json)\b|\*/\*|application/\*", re.IGNORECASE)),
    ("form", re.compile(r"application/x-www-form-urlencoded\b", re.IGNORECASE)),
    ("body", re.compile(r"text/", re.IGNORECASE)),
)
_NAMED_JSON = re.compile(r"application/[\w.+-]+\+json", re.IGNORECASE | re.ASCII)


@dataclass(frozen=True)
class Parameter:
    """A parameter that has to be sent: in the path, the query, a header or a cookie."""

    name: str
    place: str
    schema: Any


@dataclass(frozen=True)
class Body:
    """The body that is sent, of a kind that tables have: `json`, `form` or `body`."""

    kind: str
    schema: Any
    media: str = ""
    """The kind of JSON it has to be called, where that is not plain JSON."""


@dataclass(frozen=True)
class Operation:
    """One operation of the service."""

    method: str
    path: str
    identifier: str
    """The name that the document has for it, which may be any text; empty where there is none."""
    summary: str
    parameters: tuple[Parameter, ...]
    body: Body | None
    unknown_body: str
    """The kind of a body that tables do not have."""
    answers: dict[str, str]
    """By status, `2XX` or `default`: what the document says about it."""
    secured: bool = False
    """Whether it asks for credentials."""


class OpenApi:
    """An OpenAPI document."""

    def __init__(self, name: str, document: Any) -> None:
        if not isinstance(document, dict) or not isinstance(document.get("paths"), dict):
            raise FormatError(f"{name}: no OpenAPI document: it needs an object with `openapi` and `paths`")
        if not str(document.get("openapi")).startswith("3."):
            version = clipped(document.get("openapi", document.get("swagger")))
            raise FormatError(f"{name}: OpenAPI 3 is needed, this has version {version}; convert it first")
        self._name, self._document, self._steps = name, document, 0
        self.title = _text(_mapping(document.get("info")).get("title"))

    @staticmethod
    def read(path: Path) -> OpenApi:
        """Read a document, which is JSON."""
        source = read_source(path, largest=_LARGEST)
        if not source.text.lstrip().startswith("{"):
            raise FormatError(f"{path}: outplay reads OpenAPI as JSON, not as YAML; convert it first: {_CONVERT}")
        document = decode_json(source)
        refuse_half_characters(source)
        return OpenApi(str(path), document)

    @property
    def base(self) -> str:
        """The path that the first server puts before all others; which host it names plays no part."""
        servers = self._document.get("servers")
        first = _mapping(servers[0]) if isinstance(servers, list) and servers else {}
        try:
            path = urlsplit(_text(first.get("url"))).path.rstrip("/")
        except ValueError:
            return ""
        return quote(path, safe="/%") if path.startswith("/") and "{" not in path else ""

    def operations(self) -> Iterator[Operation]:
        """All operations, in the order of the document."""
        for path, item in self._document["paths"].items():
            if path.startswith("x-"):
                continue
            if not path.startswith("/"):
                raise FormatError(f"{self._name}: the path {clipped(path)} should begin with /")
            shared = self.resolved(item)
            for method in _METHODS:
                if isinstance(shared.get(method), dict):
                    yield self._operation(method, path, shared, shared[method])

    def resolved(self, value: Any) -> dict[str, Any]:
        """An object, or the one that its `$ref` leads to; empty where it is none."""
        seen = list[str]()
        while isinstance(value, dict) and isinstance(value.get("$ref"), str):
            reference = value["$ref"]
            self._steps += 1
            if reference in seen or len(seen) > _CHAIN:
                raise FormatError(f"{self._name}: $ref {clipped(reference)} leads back to itself; mend the document")
            if self._steps > _STEPS:
                raise FormatError(f"{self._name}: too many references to follow; give a part of the document")
            seen.append(reference)
            value = self._target(reference)
        return _mapping(value)

    def _target(self, reference: str) -> Any:
        if not reference.startswith("#/"):
            raise FormatError(f"{self._name}: $ref {clipped(reference)} leads out of the document; bundle it into one")
        found: Any = self._document
        for step in unquote(reference[2:]).split("/"):
            key = step.replace("~1", "/").replace("~0", "~")
            if isinstance(found, list) and key.isdecimal() and len(key) < 7 and int(key) < len(found):
                found = found[int(key)]
            elif isinstance(found, dict) and key in found:
                found = found[key]
            else:
                raise FormatError(f"{self._name}: $ref {clipped(reference)} leads to nothing; mend the document")
        return found

    def _operation(self, method: str, path: str, shared: dict[str, Any], entry: dict[str, Any]) -> Operation:
        body, unknown = self._body(entry.get("requestBody"))
        answers = _mapping(entry.get("responses"))
        known = {status.upper() if status != "default" else status: answer for status, answer in answers.items()}
        told = {
            status: _text(self.resolved(answer).get("description"))
            for status, answer in known.items()
            if _STATUS.fullmatch(status)
        }
        return Operation(
            method.upper(),
            path,
            _text(entry.get("operationId")),
            _text(entry.get("summary") or entry.get("description")),
            tuple(self._parameters(path, [*_list(shared.get("parameters")), *_list(entry.get("parameters"))])),
            body,
            unknown,
            told or {"default": "any answer"},
            bool(_list(entry.get("security", self._document.get("security")))),
        )

    def _parameters(self, path: str, entries: list[Any]) -> Iterator[Parameter]:
        """Those that have to be sent; what stands in the path does, declared or not."""
        found = dict[tuple[str, str], dict[str, Any]]()
        for entry in map(self.resolved, entries):
            found[_text(entry.get("in")), _text(entry.get("name"))] = entry
        for name in dict.fromkeys(re.findall(r"\{([^{}]*)\}", path)):
            yield Parameter(name, "path", self._schema_of(found.get(("path", name), {})))
        for (place, name), entry in found.items():
            if place in ("query", "header", "cookie") and entry.get("required") is True:
                yield Parameter(name, place, self._schema_of(entry))

    def _schema_of(self, entry: dict[str, Any]) -> dict[str, Any]:
        """The schema of a parameter, with the examples that stand beside it."""
        content = next(iter(_mapping(entry.get("content")).values()), None)
        schema = self.resolved(entry.get("schema", _mapping(content).get("schema")))
        beside = [entry["example"]] if "example" in entry else []
        beside += [self.resolved(each).get("value") for each in _mapping(entry.get("examples")).values()]
        return {**schema, "examples": [*beside, *_list(schema.get("examples"))]} if beside else schema

    def _body(self, entry: Any) -> tuple[Body | None, str]:
        content = _mapping(self.resolved(entry).get("content"))
        for kind, pattern in _BODIES:
            for media, described in content.items():
                if pattern.match(media):
                    named = media if _NAMED_JSON.fullmatch(media) else ""
                    return Body(kind, _mapping(described).get("schema"), named), ""
        return None, next(iter(content), "")


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
