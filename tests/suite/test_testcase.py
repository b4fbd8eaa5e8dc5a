"""Test cases as automata: what is one, and what is refused."""

from __future__ import annotations

import pytest

from outplay.errors import ModelError
from outplay.model.label import SILENCE, Label
from outplay.suite.suite import Suite, case_of
from outplay.tester.tester import End

LAMP = [("t0", "?press", "t1"), ("t0", "!light", "fail"), ("t1", "!light", "pass"), ("t1", "delta", "inconclusive")]
PRESS, LIGHT = Label.parse("?press"), Label.parse("!light")


def test_a_trace_leads_to_an_end_and_nothing_seen_there_changes_it():
    lamp = case_of(LAMP, name="lamp")
    assert lamp.verdict([PRESS, LIGHT]) is End.PASS
    assert lamp.verdict([PRESS, LIGHT, LIGHT, SILENCE]) is End.PASS
    assert lamp.verdict([LIGHT, LIGHT]) is End.FAIL
    assert lamp.verdict([PRESS, SILENCE]) is End.INCONCLUSIVE
    assert lamp.verdict([PRESS]) is None
    assert lamp.state_after([SILENCE]) is None
    assert lamp.state_after([SILENCE, PRESS, LIGHT]) is None


def test_a_state_gives_one_input_or_waits():
    lamp = case_of(LAMP)
    t0, t1 = lamp.state_after([]), lamp.state_after([PRESS])
    assert (lamp.given(t0), lamp.given(t1)) == (PRESS, None)
    assert lamp.inner == [t0, t1]
    assert lamp.depth == 2
    assert set(lamp.traces(End.PASS)) == {(PRESS, LIGHT)}
    assert repr(lamp) == "TestCase('test', 2 states, 2 steps)"


def test_a_test_may_be_over_before_it_starts():
    empty = case_of([], initial="pass")
    assert empty.verdict([]) is End.PASS
    assert empty.depth == 0
    assert empty.inner == []


def test_the_depth_is_the_longest_way_to_an_end():
    case = case_of(
        [("a", "delta", "b"), ("a", "!x", "c"), ("b", "?go", "c"), ("c", "!x", "pass"), ("c", "delta", "fail")]
    )
    assert case.depth == 3


def test_a_suite_finds_its_tests_by_name():
    lamp = case_of(LAMP, name="lamp")
    suite = Suite("lamp.aut", "win", (lamp,))
    assert suite.test("lamp") is lamp
    assert suite.test("lump") is None


@pytest.mark.parametrize(
    ("transitions", "message"),
    [
        ([("t", "?a", "pass"), ("t", "?b", "pass")], "state 't' has a second way to go on, '\\?b'"),
        ([("t", "?a", "pass"), ("t", "delta", "pass")], "state 't' has a second way to go on, 'delta'"),
        ([("t", "!x", "pass"), ("t", "!x", "fail"), ("t", "delta", "fail")], "state 't' has '!x' twice"),
        ([("t", "!x", "pass")], "state 't' neither gives an input nor waits"),
        ([("t", "delta", "u")], "state 'u' neither gives an input nor waits"),
        ([("t", "tau", "pass")], "label 'tau' is no \\?input, !output or delta"),
        ([("t", "delta", "pass"), ("pass", "!x", "pass")], "the end 'pass' has transitions"),
        ([("t", "delta", "u"), ("u", "?a", "t")], "the test can come round to state 't' again"),
        ([("t", "delta", "pass"), ("t", "!x", "t")], "the test can come round to state 't' again"),
    ],
)
def test_what_is_no_test_case_is_refused(transitions, message):
    with pytest.raises(ModelError, match=message):
        case_of(transitions)
