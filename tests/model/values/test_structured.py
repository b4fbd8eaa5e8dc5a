"""Nothing that was said is left out of a label, spaces between the parts of a structured value apart."""

from __future__ import annotations

import itertools
import json
import random
import re

import pytest

from helpers.seeds import seeds
from outplay import Label
from outplay.errors import FormatError
from outplay.model.label import compact_structured

PART = re.compile(r'"(?:[^"\\]|\\.)*"|[^\s,:()\[\]{}"]+|[,:()\[\]{}]')


def said(message: str) -> Label | None:
    try:
        return Label.from_message("!", f"say {message}")
    except FormatError:
        return None


def random_argument(rng: random.Random) -> str:
    """Something in brackets, so that it is one argument; mostly no value of any grammar."""
    inner = "".join(rng.choice('1 2a ,:"[]{}()\u00a0') for _ in range(rng.randrange(8)))
    return f"[{inner}]"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("[1 23]", "[12 3]"),
        ("[a b]", "[ab]"),
        ("f(1 2)", "f(12)"),
        ("{1 2: 3}", "{12: 3}"),
        ('["a" "b"]', '["a""b"]'),
        ("[1 ,2 3]", "[1,2 3]"),
        ("[a\u00a0b]", "[a b]"),
        ("a\u00a0b", "a b"),
    ],
)
def test_texts_that_differ_in_more_than_the_spaces_of_a_value_are_two_labels(one, other):
    assert said(one) != said(other)


@pytest.mark.parametrize("text", ["[1 23]", "[12 3]", "x=[1, 2]", "[1,, 2]", "( a b )", "[ 1 2 ]", "at[12:30, 13:45]"])
def test_what_is_no_structured_value_is_sent_as_it_stands(text):
    label = Label.parse(f"?send {text}")
    assert label.message == f"send {text}"
    assert Label.parse(label.text) == label


@seeds(range(100))
def test_texts_that_are_not_the_same_value_never_give_the_same_label(seed):
    rng = random.Random(seed)
    texts = {random_argument(rng) for _ in range(150)}
    texts |= {text.replace(" ", "") for text in texts}
    labels: dict[Label, list[str]] = {}
    for text in texts:
        label = said(text)
        if label and len(label.arguments) == 1:  # `[} ]` is two words
            labels.setdefault(label, []).append(text)
    assert len(labels) > 10
    for same in labels.values():
        for one, other in itertools.combinations(same, 2):
            assert PART.findall(one) == PART.findall(other), (one, other)
            assert compact_structured(one) is not None, one


@seeds(range(100))
def test_a_message_is_read_and_sent_again_the_same(seed):
    rng, read = random.Random(seed), 0
    for _ in range(50):
        text = random_argument(rng)
        if label := said(text):
            read += 1
            assert Label.from_message("!", label.message).message == label.message
            if compact_structured(text) is None and len(label.arguments) == 1:
                assert label.message == f"say {text}"
    assert read > 10


@seeds(range(100))
def test_json_values_are_one_label_however_they_are_spaced_and_escaped(seed):
    rng = random.Random(seed)

    def value(depth: int):
        kind = rng.randrange(5 if depth else 3)
        if kind < 3:
            return [rng.randrange(99), rng.choice([True, False, None]), rng.choice(["jörg", "a b", "", '"', "\u2028"])][
                kind
            ]
        if kind == 3:
            return [value(depth - 1) for _ in range(rng.randrange(4))]
        return {rng.choice("abc"): value(depth - 1) for _ in range(rng.randrange(3))}

    made = [value(3)]
    forms = {
        said(json.dumps(made, ensure_ascii=ascii_only, separators=separators, indent=indent))
        for ascii_only in (True, False)
        for separators in ((",", ":"), (", ", ": "), (" , ", " : "))
        for indent in (None, 1)
    }
    assert len(forms) == 1
    (label,) = forms
    assert json.loads(label.message.removeprefix("say ")) == made
