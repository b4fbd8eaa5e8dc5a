"""Templates are filled with typed values, escaped where they must be, and refuse what can never be filled."""

from __future__ import annotations

from fractions import Fraction

import pytest

from outplay import Map
from outplay.errors import FormatError
from outplay.model.label import Label
from outplay.play.adapters.messages.message import from_json, parsed, to_json
from outplay.play.adapters.messages.templates import Absent, ChosenNames, Scope, filled, read_tree, refuse_unknown_holes

VALUES = {"who": "ann", "count": 3, "none": None, "json": {"items": [{"id": "x"}, {"id": 7}], "deep": {"a-b": True}}}


def fill(tree, *, sending=False, names=None):
    return filled(read_tree(tree, "here"), Scope(VALUES, names or ChosenNames(), sending))


@pytest.mark.parametrize(
    ("template", "value"),
    [
        ("{who}", "ann"),
        ("{count}", 3),
        ("{none}", None),
        ("{json.items.1.id}", 7),
        ("{json.deep.a-b}", True),
        ("to {who}: {count}, {none}", "to ann: 3, null"),
        ("{{{who}}}", "{ann}"),
        ({"a": ["{count}", {"b": "{who}!"}], "c": 1.5}, {"a": [3, {"b": "ann!"}], "c": 1.5}),
        ("{json.deep}", {"a-b": True}),
        ("{count+2}", 5),
        ("since={count+1}", "since=4"),
    ],
)
def test_a_hole_alone_is_a_value_and_one_in_a_text_is_written_there(template, value):
    assert fill(template) == value
    assert type(fill(template)) is type(value)


@pytest.mark.parametrize("template", ["{json.items.2.id}", "{json.items.x}", "{who.name}", "{count.0}", "{missing}"])
def test_what_is_not_there_is_said_to_be_absent(template):
    with pytest.raises(Absent, match="there is no"):
        fill(template)


@pytest.mark.parametrize("template", ["{", "}", "a{b", "{}", "{a b}", "{1a}", "{a.}", "{:a}"])
def test_what_is_no_template_is_refused_with_its_place(template):
    with pytest.raises(FormatError, match="here"):
        fill(template)


def test_a_hole_that_can_never_be_filled_is_refused_with_the_nearest_name():
    with pytest.raises(FormatError, match=r"nothing is called {whom\.x}; did you mean 'who'"):
        refuse_unknown_holes(read_tree({"a": ["{whom.x}"]}, "here"), {"who"}, "here")


def test_names_are_given_in_order_and_lead_back_to_the_values():
    names = ChosenNames()
    assert [names.name("job", value) for value in ("x", "y", "x", 7)] == [1, 2, 1, 3]
    assert names.name("user", "y") == 1
    assert [names.value("job", name) for name in (1, 2, 3)] == ["x", "y", 7]
    assert [names.value("job", name) for name in (4, 0, True, "1")] == [
        "no-such-job-4",
        "no-such-job-0",
        "no-such-job-true",
        "no-such-job-1",
    ]
    assert fill("{job:json.items.1.id}", names=names) == 3
    assert fill("/jobs/{job:count}", sending=True, names=names) == "/jobs/7"


def test_values_of_labels_come_back_from_json_as_they_went():
    values = (1, "a", True, None, (1, ("b",)), Map(a=Fraction(3, 2), b=(None,)))
    assert [from_json(to_json(value)) for value in values[:5]] == list(values[:5])
    assert from_json(parsed('{"a": 1.5, "b": [null]}')) == values[5]
    read_back = Label.parse('?x ["a",1] {"k":2} {1,2}').arguments
    assert [to_json(value) for value in read_back] == [["a", 1], {"k": 2}, "{1,2}"]


@pytest.mark.parametrize("text", ["NaN", "[1, Infinity]", "{", "\xff", "[" * 100_000])
def test_what_is_no_json_is_a_value_error(text):
    with pytest.raises(ValueError):
        parsed(text)


def test_numbers_stay_exact_and_absurd_ones_cost_nothing():
    assert parsed("0.1") == Fraction(1, 10)
    assert parsed("1e400000000") == "1e400000000"
