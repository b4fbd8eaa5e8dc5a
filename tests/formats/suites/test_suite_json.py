"""Test suites as JSON: what is written is read again, and mistakes are named with their place."""

from __future__ import annotations

import json
import random
import re

import pytest

from helpers.seeds import seeds
from helpers.suites import named, random_suite
from outplay.errors import FormatError
from outplay.formats.common.source import Source
from outplay.formats.suites.suite_json import FORMAT, dump_suite, parse_suite, read_suite
from outplay.model.label import Label
from outplay.suite.suite import Suite, case_of


def text_of(suite: Suite) -> str:
    return "".join(dump_suite(suite))


@seeds(range(100))
def test_what_is_written_is_read_again(seed):
    suite = random_suite(seed)
    text = text_of(suite)
    again = parse_suite(Source("suite.json", text))
    assert (again.model, again.method) == (suite.model, suite.method)
    assert [test.name for test in again.tests] == [test.name for test in suite.tests]
    for one, other in zip(again.tests, suite.tests, strict=True):
        assert named(one) == named(other)
        assert one.access == other.access
    assert text_of(again) == text


def test_a_file_is_plain_json_with_one_transition_a_line(tmp_path):
    lamp = case_of([("t0", "?press", "t1"), ("t1", "!light", "pass"), ("t1", "delta", "fail")], name="lamp")
    text = text_of(Suite("lamp.aut", "win", (lamp,)))
    assert text == (
        '{"format": "outplay-suite/1", "model": "lamp.aut", "method": "win", "tests": [\n'
        ' {"name": "lamp", "initial": "t0", "transitions": [\n'
        '  ["t0", "?press", "t1"],\n'
        '  ["t1", "!light", "pass"],\n'
        '  ["t1", "delta", "fail"]]}\n'
        "]}\n"
    )
    path = tmp_path / "suite.json"
    path.write_text(text, encoding="utf-8")
    assert read_suite(path).test("lamp").verdict([Label.parse("?press"), Label.parse("!light")]).value == "pass"
    assert json.loads(text)["format"] == FORMAT


def test_an_empty_suite_and_a_test_that_is_over_at_once():
    assert list(parse_suite(Source("s", text_of(Suite()))).tests) == []
    over = Suite(tests=(case_of([], initial="pass", name="over"),))
    assert parse_suite(Source("s", text_of(over))).test("over").depth == 0


def test_the_initial_state_need_not_be_the_first():
    late = case_of([("b", "delta", "pass"), ("a", "?go", "b")], initial="a", name="late")
    text = text_of(Suite(tests=(late,)))
    assert text_of(parse_suite(Source("s", text))) == text
    assert parse_suite(Source("s", text)).test("late").depth == 2


HEAD = '{"format": "outplay-suite/1", "tests": [\n'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "s.json:1:1: Expecting value; mend the JSON there"),
        ("[]", 's.json:1:1: one JSON object is needed; start with {"format": "outplay-suite/1"'),
        ("{}", "s.json:1:1: format is None, not 'outplay-suite/1'"),
        ('{"tests": [],\n "format": "outplay-game/1"}', "s.json:2:2: format is 'outplay-game/1'"),
        ('{"format": "outplay-suite/1"}', 's.json:1:1: tests is missing; write "tests": […]'),
        ('{"format": "outplay-suite/1", "tests": 3}', "s.json:1:31: tests is no list"),
        ('{"format": "outplay-suite/1", "test": []}', "s.json:1:31: unknown field 'test'; did you mean 'tests'?"),
        ('{"format": "outplay-suite/1", "tests": [],\n "model": 3}', "s.json:2:2: model is 3; write"),
        ('{"format": "outplay-suite/1",\n "format": "b"}', "s.json:2:2: key 'format' twice in one object; keep one"),
        ('{"format": "outplay-suite/1", "model": "\\ud800", "tests": []}', 's.json:1:40: "\\ud800" holds half a'),
        ('{"format": "outplay-suite/1", "model": NaN, "tests": []}', "s.json:1:40: NaN is no number that can be read"),
        (HEAD + "3]}", "s.json:2:1: a test is an object"),
        (HEAD + '{"name": "n"}]}', 's.json:2:1: initial is missing; write "initial": "…"'),
        (HEAD + '{"initial": "t"}]}', "s.json:2:1: name is missing"),
        (
            HEAD + '{"name": "n", "initial": "t", "transition": []}]}',
            "s.json:2:31: unknown field 'transition'; did you",
        ),
        (HEAD + '{"name": "n", "initial": "t", "transitions": []}]}', "s.json:2:15: state 't' neither gives an input"),
        (
            HEAD + '{"name": "n", "initial": "t", "transitions": [["t", "a", "pass"]]}]}',
            "s.json:2:53: label 'a' has no",
        ),
        (HEAD + '{"name": "n", "initial": "t", "transitions": [["t", "?a"]]}]}', "s.json:2:47: a transition is"),
        (HEAD + '{"name": "n", "initial": "t", "transitions": ["t"]}]}', "s.json:2:47: a transition is"),
        (HEAD + '{"name": "n", "initial": "t", "access": -1, "transitions": []}]}', "s.json:2:31: access is -1; it is"),
        (HEAD + '{"name": "n", "initial": "t", "access": "x", "transitions": []}]}', "s.json:2:31: access is 'x' and"),
        (
            HEAD + '{"name": "n", "initial": "t", "access": 2, "transitions": [["t", "?a", "pass"]]}]}',
            "s.json:2:60: access is 2, but only 1 label before there is a choice: make it 1",
        ),
        (
            HEAD + '{"name": "n", "initial": "t", "transitions": [["t", "?a", "u"],\n["u", "delta", "t"]]}]}',
            "s.json:2:47: the test can come round to state 't' again; a test case has no cycles",
        ),
        (
            HEAD + '{"name": "n", "initial": "t", "transitions": [["t", "?a", "pass"],\n["t", "?b", "pass"]]}]}',
            "s.json:3:1: state 't' has a second way to go on, '?b'",
        ),
        (
            HEAD + '{"name": "n", "initial": "t", "transitions": [["t", "?a", "pass"],\n["pass", "!x", "pass"]]}]}',
            "s.json:3:1: the end 'pass' has transitions",
        ),
        (
            HEAD + '{"name": "n", "initial": "pass", "transitions": []},\n{"name": "n", "initial": "pass",'
            ' "transitions": []}]}',
            "s.json:3:2: a second test called 'n'; rename one",
        ),
    ],
)
def test_mistakes_are_named_with_line_and_column(text, message):
    with pytest.raises(FormatError, match=re.escape(message)) as caught:
        parse_suite(Source("s.json", text))
    assert "\n" not in str(caught.value)


def test_deep_nesting_is_refused():
    with pytest.raises(FormatError, match="s:1:12: nested too deeply"):
        parse_suite(Source("s", '{"format": ' + "[" * 200_000))


@seeds(range(200))
def test_a_damaged_file_is_read_or_refused_in_one_line(seed):
    rng = random.Random(seed)
    letters = list(text_of(random_suite(seed % 40)))
    for _ in range(rng.randint(1, 3)):
        place = rng.randrange(len(letters))
        letters[place : place + rng.randint(0, 4)] = rng.choice(['"', "[", "]", "{", "0", "t0", "\\u", "?", ",", ""])
    try:
        parse_suite(Source("s.json", "".join(letters)))
    except FormatError as error:
        assert re.match(r"s\.json:\d+:\d+: .", str(error))  # noqa: PT017
        assert "\n" not in str(error)  # noqa: PT017
