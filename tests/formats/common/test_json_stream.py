"""JSON read bit by bit: the same values and the same complaints wherever the bits are cut."""

from __future__ import annotations

import json
import re
from random import Random

import pytest

from helpers.seeds import seeds
from outplay.errors import FormatError
from outplay.formats.common.json_stream import JsonStream

WORDS = ["a", "two words", "ü", 'q"', "\n", "\\", "", "𝄞", "x" * 40]


def random_value(rng: Random, depth: int = 3):
    kind = rng.randrange(7 if depth else 5)
    if kind == 5:
        return [random_value(rng, depth - 1) for _ in range(rng.randrange(4))]
    if kind == 6:
        return {word: random_value(rng, depth - 1) for word in rng.sample(WORDS, rng.randrange(4))}
    return [None, True, rng.choice(WORDS), rng.randrange(-(10**9), 10**9), rng.random() * 10 ** rng.randint(-9, 9)][
        kind
    ]


def random_text(rng: Random) -> str:
    document = {word: random_value(rng) for word in rng.sample(WORDS, rng.randint(0, 5))}
    return json.dumps(document, indent=rng.choice([None, 1]), ensure_ascii=rng.random() < 0.5)


def cut(rng: Random, text: str) -> list[str]:
    """A text in bits; some are empty, which does not mean the end."""
    places = sorted(rng.randint(0, len(text)) for _ in range(rng.randrange(len(text) + 1)))
    return [text[start:end] for start, end in zip([0, *places], [*places, len(text)], strict=True)]


def told(texts: list[str]):
    """The document, its values and those of its lists with their places, or the complaint."""
    stream, found = JsonStream("f", texts), []
    try:
        for key in stream.members():
            if stream.peek() == "[":
                values = list(stream.entries())
                found.append((key, values))
            else:
                found.append((key, stream.value()))
        stream.end()
    except FormatError as error:
        return str(error)
    return found


def values_of(found):
    return {
        key.value: [entry.value for entry in value] if isinstance(value, list) else value.value for key, value in found
    }


@pytest.mark.parametrize("seed", range(50))
def test_bits_are_read_as_the_whole_is(seed):
    rng = Random(seed)
    text = random_text(rng)
    found = told(cut(rng, text))
    assert values_of(found) == json.loads(text)
    assert found == told([text])
    lines = text.split("\n")
    for key, _ in found:
        place = lines[key.source.first - 1][key.source.column - 1 :]
        assert place.startswith(key.source.text)
        assert json.loads(key.source.text) == key.value


@seeds(range(120))
def test_what_is_wrong_is_told_at_the_same_place_wherever_the_bits_are_cut(seed):
    rng = Random(seed)
    letters = list(random_text(rng) + rng.choice(["", " ", "{}", "\n1"]))
    for _ in range(rng.randint(1, 2)):
        place = rng.randrange(len(letters))
        pieces = ['"', "[", "]", "}", ":", ",", "1e999", "\\ud800", "NaN", "tru", ""]
        letters[place : place + rng.randint(0, 3)] = rng.choice(pieces)
    text = "".join(letters)
    found = told(cut(rng, text))
    assert found == told([text])
    if isinstance(found, str):
        assert re.match(r"f:\d+:\d+: .", found)
        assert "\n" not in found
    else:
        assert values_of(found) == json.loads(text)


@pytest.mark.parametrize("seed", range(40))
def test_a_mistake_of_grammar_is_where_the_standard_decoder_finds_it(seed):
    rng = Random(seed)
    letters = list(json.dumps({"a": [1, {"b": "c"}, "d"], "e": {"f": [True, None]}}, indent=rng.choice([None, 2])))
    letters[rng.randrange(len(letters))] = rng.choice('"[]},:x')
    text = "".join(letters)
    try:
        expected = json.loads(text)
    except json.JSONDecodeError as error:
        expected = f"f:{error.lineno}:{error.colno}: "
    found = told(cut(rng, text))
    if isinstance(expected, str):
        assert found.startswith(expected)
    else:
        assert found.startswith("f:1:1: Expecting '{'") if text[0] != "{" else values_of(found) == expected


def test_a_piece_has_a_limit_and_the_whole_has_none():
    many = ["[", *(f'"{"x" * 100}",' for _ in range(1000)), "1]"]
    for texts in (many, ["".join(many)]):
        assert sum(1 for _ in JsonStream("f", texts, largest=1000).entries()) == 1001
    with pytest.raises(FormatError, match=r"^f:1:2: a piece larger than 1,000 characters; raise --max-bytes"):
        list(JsonStream("f", ["[", '"', *["x" * 100] * 20, '"]'], largest=1000).entries())
    with pytest.raises(FormatError, match=r"^f:1:2: a piece larger than 1,000 characters; raise --max-bytes"):
        list(JsonStream("f", [f'["{"x" * 2000}", 1]'], largest=1000).entries())


def test_a_key_that_stands_twice_is_refused_in_the_object_and_in_a_piece():
    assert told(['{"a": 1,', '\n "a": 2}']) == "f:2:2: key 'a' twice in one object; keep one"
    assert told(['{"a":\n {"b": 1, "b"', ": 2}}"]) == "f:2:11: key 'b' twice in one object; keep one"
