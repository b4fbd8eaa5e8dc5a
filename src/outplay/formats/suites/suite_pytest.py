r"""Test suites as a Python file for pytest; written only, their JSON is what is read.

Each test case is a function of its own, to be read and changed by hand: for each state what is given or may come, and
where that leads. The system is named by a fixture, so the same tests can be played against many. All words of the suite
stand in the file as Python literals, so none of them can be more than a word.

    def test_1_off_press_on(check):
        check(
            "off --?press--> on",
            {
                "t0": {"?press": "t1"} | fail("!light"),
                "t1": {"!light": "pass"} | fail("delta"),
            },
        )
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from outplay.escaping import escaped
from outplay.suite.suite import Suite, TestCase
from outplay.tester.tester import End

_WIDEST = 110  # characters of a line that can be kept so short
_LONGEST_NAME = 50
_HEAD = '''"""{about}

They are played against a system that is named as for `outplay run --sut`; several, one a line, are each tested:

    OUTPLAY_SUT='exec:./server' pytest test_file.py
"""

import os

import pytest

from outplay import Job
from outplay.runs.case_check import CaseCheck, fail

JOB = Job.from_json({job})
"""How the model is read and the tests are played, as options of `outplay run`: add "silence": 0.2, "plays": 20, …"""


@pytest.fixture(params=os.environ.get("OUTPLAY_SUT", "").splitlines() or [""])
def system(request):
    """The system under test."""
    return request.param or pytest.fail("name the system: OUTPLAY_SUT='exec:./server' pytest …")


@pytest.fixture
def check(system):
    """Plays a test case: for each state what is given (?) or may come (!), and the state or end it leads to."""
    return CaseCheck(JOB, system, fair={fair})
'''


def suite_pytest_file(suite: Suite) -> Iterable[str]:
    """Write a test suite as a Python file for pytest, test by test."""
    made = f"Test cases of {suite.model or 'a model'} by `outplay suite --method {suite.method}`."
    passing = f"\n\nWho passes: {suite.guarantee}." if suite.guarantee else ""
    about = "\n\n".join(_inside(part) for part in (made + passing).split("\n\n"))
    job = {"model": suite.model, **suite.job}
    yield _HEAD.format(about=about, job=_literal(job), fair=suite.fair)
    for number, test in enumerate(suite.tests, 1):
        yield f"\n\n{''.join(_function(number, test))}"


def _function(number: int, test: TestCase) -> Iterator[str]:
    yield f"def test_{number}{_slug(test.name)}(check):\n"
    yield f"    check(\n        {_literal(test.name)},\n        {{\n"
    order = [test.initial, *(state for state in range(test.automaton.state_count) if state != test.initial)]
    for state in order:
        if test.moves(state) or state == test.initial:
            yield from _state(test, state)
    yield "        },\n    )\n"


def _state(test: TestCase, state: int) -> Iterator[str]:
    """One state on a line, where it fits; what fails is put together."""
    names = test.automaton.names
    moves = [(label.text, target) for label, target in test.moves(state).items()]
    wrong = [text for text, target in moves if test.end(target) is End.FAIL]
    entries = [f"{_literal(text)}: {_literal(names[target])}" for text, target in moves if text not in wrong]
    failing = f" | fail({', '.join(map(_literal, wrong))})" if wrong else ""
    line = f"            {_literal(names[state])}: {{{', '.join(entries)}}}{failing},\n"
    if len(line) <= _WIDEST:
        yield line
        return
    yield f"            {_literal(names[state])}: {{\n"
    yield from (f"                {entry},\n" for entry in entries)
    yield "            }"
    if failing:
        yield "\n            | fail(\n" + "".join(f"                {_literal(text)},\n" for text in wrong)
        yield "            )"
    yield ",\n"


def _literal(value: object) -> str:
    """A value as Python source, in double quotes where it is a text without any."""
    if isinstance(value, dict):
        return f"{{{', '.join(f'{_literal(key)}: {_literal(entry)}' for key, entry in value.items())}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(_literal, value))}]"
    text = ascii(value) if isinstance(value, str) and not value.isprintable() else repr(value)
    plain = isinstance(value, str) and text == f"'{value}'" and '"' not in value
    return f'"{value}"' if plain else text


def _inside(text: str) -> str:
    """A text inside a docstring, on one line."""
    return escaped(text).replace("\\", "\\\\").replace('"', '\\"')


def _slug(name: str) -> str:
    words = re.sub(r"[^0-9a-z]+", "_", name.lower()).strip("_")[:_LONGEST_NAME].strip("_")
    return f"_{words}" if words else ""
