"""Test suites as JSON, format `outplay-suite/1`.

    {"format": "outplay-suite/1", "model": "printer.aut", "method": "win", "tests": [
     {"name": "both", "initial": "t0", "transitions": [
      ["t0", "?print", "t1"], ["t0", "!printed", "fail"], ["t1", "delta", "fail"], ["t1", "!printed", "pass"]
     ]}
    ]}

`job`, where there is one, says how the model was read (campaign/job.py).
Each test is an acyclic automaton whose ends are called `pass`, `fail` and `inconclusive` (suite/testcase.py says what
a test case may look like). Whatever is wrong is refused with the line and column.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from outplay.errors import FormatError
from outplay.formats.json_document import Wrong, list_of, load, placed, refuse_unknown, shown, text_of
from outplay.formats.limits import LONGEST_LABEL
from outplay.formats.source import Source, read_source
from outplay.model.automaton import Automaton, automaton
from outplay.model.label import Label
from outplay.suite.testcase import CaseError, Suite, TestCase, checked_case

FORMAT = "outplay-suite/1"
_TOP = ("format", "model", "method", "job", "tests")
_TEST = ("name", "initial", "transitions")


def read_suite(path: str | Path) -> Suite:
    """Read a test suite from a file."""
    return parse_suite(read_source(Path(path)))


def parse_suite(source: Source) -> Suite:
    """Read a test suite from text."""
    document = load(source, kind=FORMAT)
    try:
        return _suite(document)
    except Wrong as error:
        raise placed(source, error) from None


def dump_suite(suite: Suite) -> Iterable[str]:
    """Write a test suite as pieces of text, one transition a line."""
    head: dict[str, Any] = {"format": FORMAT, "model": suite.model, "method": suite.method}
    head |= {"job": suite.job} if suite.job else {}
    yield f'{_text(head)[:-1]}, "tests": ['
    for place, test in enumerate(suite.tests):
        initial = _text(test.automaton.names[test.initial])
        yield f'{"," if place else ""}\n {{"name": {_text(test.name)}, "initial": {initial}, "transitions": ['
        yield ",".join(f"\n  {_text(row)}" for row in _rows(test.automaton))
        yield "]}"
    yield "\n]}\n"


def _rows(found: Automaton) -> Iterable[list[str]]:
    """The transitions, those of the initial state first: so reading gives the states the same numbers again."""
    order = sorted(found.transitions(), key=lambda row: row[0] != found.initial)
    return ([found.names[start], label.text, found.names[end]] for start, label, end in order)


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _suite(document: dict[str, Any]) -> Suite:
    refuse_unknown(document, _TOP)
    tests: dict[str, TestCase] = {}
    for place, entry in enumerate(list_of(document, "tests")):
        try:
            test = _test(entry)
        except Wrong as error:
            raise Wrong(str(error), "tests", place, *error.path) from None
        if test.name in tests:
            raise Wrong(f"a second test called {shown(test.name)}; rename one", "tests", place, "name")
        tests[test.name] = test
    job = document.get("job", {})
    if not isinstance(job, dict):
        raise Wrong('the job is an object; write {"set": ["NAME=VALUE"], "assumption": "…"}, or leave it out', "job")
    return Suite(text_of(document, "model", ""), text_of(document, "method", ""), tuple(tests.values()), job)


def _test(entry: Any) -> TestCase:
    if not isinstance(entry, dict):
        raise Wrong('a test is an object; write {"name": "…", "initial": "t0", "transitions": […]}')
    refuse_unknown(entry, _TEST)
    name, initial = text_of(entry, "name"), text_of(entry, "initial")
    rows = list_of(entry, "transitions")
    labels: dict[str, Label] = {}
    transitions = [_transition(row, place, labels) for place, row in enumerate(rows)]
    try:
        states = list(dict.fromkeys([initial, *(start for start, _, _ in transitions)]))  # in the order of their lines
        return checked_case(automaton(transitions, states=states, name=name))
    except CaseError as error:
        raise Wrong(str(error), *_place(error, transitions)) from None


def _place(error: CaseError, transitions: list[tuple[str, Label, str]]) -> tuple[str | int, ...]:
    """The transition a complaint is about: the last with that label, else the first that has to do with the state."""
    same = [place for place, row in enumerate(transitions) if row[:2] == (error.state, error.label)]
    near = [place for place, (start, _, end) in enumerate(transitions) if error.state in (start, end)]
    found = same[-1:] or near[:1]
    return ("transitions", found[0]) if found else ("initial",)


def _transition(row: Any, place: int, labels: dict[str, Label]) -> tuple[str, Label, str]:
    if not isinstance(row, list) or len(row) != 3 or not all(isinstance(part, str) for part in row):
        raise Wrong('a transition is ["t0", "?input", "t1"]: state, label, state', "transitions", place)
    start, text, end = row
    label = labels.get(text)
    if label is None:
        if len(text) > LONGEST_LABEL:
            raise Wrong(f"a label of {len(text):,} characters; shorten it", "transitions", place, 1)
        try:
            label = labels[text] = Label.parse(text)
        except FormatError as error:
            raise Wrong(str(error), "transitions", place, 1) from None
    return start, label, end
