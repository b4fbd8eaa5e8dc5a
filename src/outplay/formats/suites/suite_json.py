"""Test suites as JSON, format `outplay-suite/1`.

    {"format": "outplay-suite/1", "model": "printer.aut", "method": "win", "tests": [
     {"name": "both", "initial": "t0", "transitions": [
      ["t0", "?print", "t1"], ["t0", "!printed", "fail"], ["t1", "delta", "fail"], ["t1", "!printed", "pass"]
     ]}
    ]}

`guarantee` and `fair`, where they are there, say what passing all tests means, and that each branch of a test counts
(runs/suite_runs/ledger.py); `options` and `job` what the method was told and how the model was read, by which the
same suite is made again (runs/suite_runs/suite_making.py). Each test is an acyclic automaton whose ends are called
`pass`, `fail` and `inconclusive` (suite/suite.py says what a test case may look like); `"access": 2` says that its
first two labels only lead to what it is about. Whatever is wrong is refused with the line and column.

Suites are written and read test by test and never kept: a file is gone through once when it is read, so that what is
wrong in it is told before anything is played, and again each time its tests are asked for. Meanwhile eight bytes for
each test are kept, by which a name that comes twice is found.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from outplay.errors import FormatError
from outplay.formats.common.json_document import (
    InvalidDocument,
    clipped,
    list_field,
    placed_error,
    refuse_unknown_fields,
    text_field,
    typed_field,
)
from outplay.formats.common.json_stream import JsonStream, Piece
from outplay.formats.common.source import LARGEST, LONGEST_LABEL, Source, read_source_pieces
from outplay.model.automaton import Automaton, automaton
from outplay.model.label import Label
from outplay.suite.suite import CaseError, Stream, Suite, TestCase, checked_case

FORMAT = "outplay-suite/1"
_TOP = ("format", "model", "method", "options", "guarantee", "fair", "job", "tests")
_TEST = ("name", "initial", "access", "transitions")


def read_suite(path: str | Path, *, largest: int = LARGEST) -> Suite:
    """Read a test suite from a JSON file, in which a test has at most this many characters."""
    return _read(lambda: JsonStream(str(path), read_source_pieces(Path(path)), largest=largest))


def read_suite_head(path: str | Path, *, largest: int = LARGEST) -> Suite:
    """Read the head of a test suite's JSON file, before its tests, which are passed over."""
    document = _Document(JsonStream(str(path), read_source_pieces(Path(path)), largest=largest))
    count = sum(1 for _ in document.tests())
    return replace(document.head(), count=count)


def parse_suite(source: Source) -> Suite:
    """Parse a test suite from JSON text."""
    return _read(lambda: JsonStream(source.name, [source.text]))


def dump_suite(suite: Suite) -> Iterable[str]:
    """Write a test suite as JSON, in pieces of text: one transition a line."""
    head: dict[str, Any] = {"format": FORMAT, "model": suite.model, "method": suite.method}
    head |= {"options": suite.options} if suite.options else {}
    head |= {"guarantee": suite.guarantee} if suite.guarantee else {}
    head |= {"fair": True} if suite.fair else {}
    head |= {"job": suite.job} if suite.job else {}
    yield f'{_text(head)[:-1]}, "tests": ['
    for place, test in enumerate(suite.tests):
        initial = _text(test.automaton.names[test.initial])
        access = "" if test.access is None else f'"access": {test.access}, '
        yield f'{"," if place else ""}\n {{"name": {_text(test.name)}, "initial": {initial}, {access}"transitions": ['
        yield ",".join(_rows(test.automaton))
        yield "]}"
    yield "\n]}\n"


def _rows(found: Automaton) -> Iterator[str]:
    """The transitions, those of the initial state first: so reading gives the states the same numbers again."""
    names = [_quoted(name) for name in found.names]
    for state in sorted(range(found.state_count), key=lambda state: state != found.initial):
        for label, target in found.moves(state):
            yield f"\n  [{names[state]}, {_quoted(label.text)}, {names[target]}]"


@lru_cache(maxsize=1000)
def _quoted(text: str) -> str:
    """A state or label as JSON; the tests of a suite have most of them in common."""
    return _text(text)


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _read(opened: Callable[[], JsonStream]) -> Suite:
    """Go through a suite once, so that it is known to be whole; each time its tests are asked for it is read again."""
    document, names = _Document(opened()), array("q")
    for piece in document.tests():
        names.append(hash(_case(piece).name))
    _refuse_second(names, opened)
    return replace(document.head(), tests=Stream(lambda: map(_case, _Document(opened()).tests())), count=len(names))


def _refuse_second(names: array[int], opened: Callable[[], JsonStream]) -> None:
    """Refuse a second test of a name; two names may share a number, so those that do are looked at again."""
    ordered = np.sort(np.frombuffer(names, dtype=np.int64)) if names else np.zeros(0, dtype=np.int64)
    common = set(ordered[1:][ordered[1:] == ordered[:-1]].tolist())
    seen = set[str]()
    for piece in _Document(opened()).tests() if common else ():
        name = piece.value["name"]
        if name in seen:
            raise placed_error(
                piece.source, InvalidDocument(f"a second test called {clipped(name)}; rename one", "name")
            )
        if hash(name) in common:
            seen.add(name)


class _Document:
    """A suite as it stands in a file; what is said beside its tests is known once they were gone through."""

    def __init__(self, stream: JsonStream) -> None:
        self._stream = stream
        self._fields: dict[str, Piece] = {}  # each value, placed at its key

    def tests(self) -> Iterator[Piece]:
        """Go through the file, and hand out its tests as they stand there."""
        needed = self._stream.error(f'one JSON object is needed; start with {{"format": "{FORMAT}"')
        if self._stream.peek() != "{":
            self._stream.value()  # what is no JSON at all says so
            raise needed
        other = self._stream.error(f'format is None, not {FORMAT!r}; write "format": "{FORMAT}"')
        missing = self._stream.error('tests is missing; write "tests": […]')
        for key in self._stream.members():
            listed = key.value == "tests" and self._stream.peek() == "["
            if listed:
                yield from self._stream.entries()
            self._fields[key.value] = Piece([] if listed else self._stream.value().value, key.source)
            if "format" in self._fields:  # of another format all fields may be unknown
                self._check()
            elif len(self._fields) > len(_TOP):
                raise other
        self._stream.end()
        if "format" not in self._fields:
            raise other
        if "tests" not in self._fields:
            raise missing

    def _check(self) -> None:
        given = self._fields["format"]
        if given.value != FORMAT:
            raise given.error(f'format is {clipped(given.value)}, not {FORMAT!r}; write "format": "{FORMAT}"')
        with self._placed():
            refuse_unknown_fields(self._fields, _TOP)
            if "tests" in self._fields:
                list_field({"tests": self._fields["tests"].value}, "tests")

    def head(self) -> Suite:
        """Return the content of the file beside its tests."""
        said = {name: piece.value for name, piece in self._fields.items()}
        with self._placed():
            job = _object(said, "job", "the job is", '{"set": ["NAME=VALUE"], "assumption": "…"}')
            options = _object(said, "options", "options are", '{"goal": ["…"], "depth": 9}')
            model, method, guarantee = (text_field(said, name, "") for name in ("model", "method", "guarantee"))
            fair = typed_field(said, "fair", bool, False)
            return Suite(model, method, job=job, options=options, guarantee=guarantee, fair=fair)

    @contextmanager
    def _placed(self) -> Iterator[None]:
        try:
            yield
        except InvalidDocument as error:
            raise self._fields[str(error.path[0])].error(str(error)) from None


def _object(said: dict[str, Any], name: str, subject: str, example: str) -> dict[str, Any]:
    found = said.get(name, {})
    if not isinstance(found, dict):
        raise InvalidDocument(f"{subject} an object; write {example}, or leave it out", name)
    return found


def _case(piece: Piece) -> TestCase:
    try:
        return _test(piece.value)
    except InvalidDocument as error:
        raise placed_error(piece.source, error) from None


def _test(entry: Any) -> TestCase:
    if not isinstance(entry, dict):
        raise InvalidDocument('a test is an object; write {"name": "…", "initial": "t0", "transitions": […]}')
    refuse_unknown_fields(entry, _TEST)
    name, initial = text_field(entry, "name"), text_field(entry, "initial")
    access, rows = typed_field(entry, "access", int, None), list_field(entry, "transitions")
    if access is not None and access < 0:
        raise InvalidDocument(f"access is {access}; it is a number of labels, 0 or more", "access")
    transitions = [_transition(row, place) for place, row in enumerate(rows)]
    try:
        states = list(dict.fromkeys([initial, *(start for start, _, _ in transitions)]))  # in the order of their lines
        return checked_case(automaton(transitions, states=states, name=name), access=access)
    except CaseError as error:
        raise InvalidDocument(str(error), *_place(error, transitions)) from None


def _place(error: CaseError, transitions: list[tuple[str, Label, str]]) -> tuple[str | int, ...]:
    """The transition a complaint is about: the last with that label, else the first that has to do with the state."""
    same = [place for place, row in enumerate(transitions) if row[:2] == (error.state, error.label)]
    near = [place for place, (start, _, end) in enumerate(transitions) if error.state in (start, end)]
    found = same[-1:] or near[:1]
    return ("transitions", found[0]) if found else ("initial",)


def _transition(row: Any, place: int) -> tuple[str, Label, str]:
    if not isinstance(row, list) or [type(part) for part in row] != [str, str, str]:
        raise InvalidDocument('a transition is ["t0", "?input", "t1"]: state, label, state', "transitions", place)
    start, text, end = row
    if len(text) > LONGEST_LABEL:
        raise InvalidDocument(f"a label of {len(text):,} characters; shorten it", "transitions", place, 1)
    try:
        return start, _label(text), end
    except FormatError as error:
        raise InvalidDocument(str(error), "transitions", place, 1) from None


@lru_cache(maxsize=1000)
def _label(text: str) -> Label:
    """A label as it is written; the tests of a suite have most of them in common."""
    return Label.parse(text)
