"""Labels: what is written can be read again, and what reads the same is the same."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass
from enum import Enum, Flag
from fractions import Fraction
from typing import Any

import pytest

from helpers.seeds import seeds
from outplay import Label, Map
from outplay.errors import FormatError
from outplay.model.label import SILENCE, Verbatim, read_argument, write_argument


class Colour(Enum):
    RED = "red light"
    green = 2


class Word(str, Enum):  # noqa: UP042  # the older way to write it, which many models have
    YES = "Ja"


class Rights(Flag):
    READ = 1
    WRITE = 2


@dataclass(frozen=True)
class Point:
    x: Any
    y: Any


def named(part: Any) -> str:
    """Names of cases that do not change from run to run."""
    return ascii(part) if isinstance(part, str) else type(part).__name__


WRITTEN = [
    ("bob", "bob"),
    ("two words", '"two words"'),
    ("", '""'),
    ("3", '"3"'),
    ("-3", '"-3"'),
    ("007", "007"),
    ("3.5", "3.5"),
    ("true", '"true"'),
    ("True", "True"),
    ("null", '"null"'),
    ("1/2", '"1/2"'),
    ("a/b", "a/b"),
    ("0xff", '"0xff"'),
    ("0xyz", "0xyz"),
    ("delta", "delta"),
    ("jörg", "jörg"),
    ("ann@example.org", "ann@example.org"),
    ('say "hi"', '"say \\"hi\\""'),
    ("a(b", '"a(b"'),
    ("back\\slash", "back\\slash"),
    ("tab\there", '"tab\\there"'),
    ("line\nbreak", '"line\\nbreak"'),
    ("no\u00a0break", '"no\\u00a0break"'),
    ("\ud800", '"\\ud800"'),
    (3, "3"),
    (-3, "-3"),
    (0, "0"),
    (True, "true"),
    (False, "false"),
    (None, "null"),
    (b"\x00\xff", "0x00ff"),
    (b"", "0x"),
    (Fraction(1, 2), "1/2"),
    (Fraction(-3), "-3/1"),
    (Colour.RED, "RED"),
    (Colour.green, "green"),
    (Word.YES, "YES"),
    (Rights.READ, "READ"),
    (Rights.READ | Rights.WRITE, "READ|WRITE"),
    (Rights(0), "0"),
    ((), "[]"),
    (("a", 1, None), '["a",1,null]'),
    (("a b", ("c",)), '["a b",["c"]]'),
    (frozenset({2, 1}), "{1,2}"),
    (frozenset({"b", "a"}), '{"a","b"}'),
    (Map(b=1, a="x"), '{"a":"x","b":1}'),
    (Point(1, ("a",)), 'Point(1,["a"])'),
    ((Colour.RED, Word.YES, Fraction(1, 3)), "[RED,YES,1/3]"),
]


@pytest.mark.parametrize(("value", "text"), WRITTEN, ids=named)
def test_an_argument_is_written_in_one_way(value, text):
    assert write_argument(value) == text


@pytest.mark.parametrize(("value", "text"), WRITTEN, ids=named)
def test_a_written_argument_is_read_and_written_again_the_same(value, text):
    label = Label("!", "say", (value,))
    again = Label.parse(label.text)
    assert again.text == label.text == f"!say {text}"
    assert again == label
    assert hash(again) == hash(label)
    if value is None or type(value) in (str, int, bool):
        assert again.arguments == (value,)
        assert type(again.arguments[0]) is type(value)


@pytest.mark.parametrize(("value", "text"), WRITTEN, ids=named)
def test_a_label_is_one_line_that_every_file_and_pipe_can_carry(value, text):
    assert len(text.splitlines()) == 1
    assert text.encode().decode() == text


def random_text(rng: random.Random) -> str:
    letters = 'ab1-_./:"\\()[]{}, \t\nöλ🙂\u2028\u200b?!'
    return "".join(rng.choice(letters) for _ in range(rng.randrange(6)))


def random_argument(rng: random.Random, depth: int = 2) -> Any:
    kind = rng.choice(["text", "text", "number", "other"] + ["tuple", "set", "map", "point"] * bool(depth))
    if kind == "text":
        return random_text(rng)
    if kind == "number":
        return rng.choice([rng.randrange(-100, 100), 10 ** rng.randrange(40), Fraction(rng.randrange(9), 7)])
    if kind == "tuple":
        return tuple(random_argument(rng, depth - 1) for _ in range(rng.randrange(4)))
    if kind == "set":
        return frozenset(random_argument(rng, depth - 1) for _ in range(rng.randrange(4)))
    if kind == "map":
        return Map({random_text(rng): random_argument(rng, depth - 1) for _ in range(rng.randrange(3))})
    if kind == "point":
        return Point(random_argument(rng, depth - 1), random_argument(rng, depth - 1))
    return rng.choice([None, True, False, b"\x01", *Colour, Word.YES, *Rights])


@seeds(range(500))
def test_any_label_reads_back_as_itself(seed):
    rng = random.Random(seed)
    label = Label(rng.choice("?!"), "gate", tuple(random_argument(rng) for _ in range(rng.randrange(4))))
    again = Label.parse(label.text)
    assert again == label
    assert len(again.arguments) == len(label.arguments)
    assert Label.from_message(label.kind, label.message) == label
    assert Label.parse(again.text).text == label.text
    for value, read in zip(label.arguments, again.arguments, strict=True):
        if value is None or type(value) in (str, bool, int):
            assert (type(read), read) == (type(value), value)


@seeds(range(200))
def test_different_texts_are_never_written_the_same(seed):
    rng = random.Random(seed)
    values: list[Any] = [random_text(rng) for _ in range(20)]
    values += [1, 10, True, None, Fraction(1, 2), b"1", "1", "10", "true", "null", "1/2", "0x31"]
    written = {write_argument(value) for value in values}
    assert len(written) == len({(type(value), value) for value in values})


@pytest.mark.parametrize(
    ("loose", "tidy"),
    [
        ("?post bob 3", "?post bob 3"),
        ("  ?post   bob\t3  ", "?post bob 3"),
        ('?post "bob" 3', "?post bob 3"),
        ('?post "two words"', '?post "two words"'),
        ("!list [1, 2,  3]", "!list [1,2,3]"),
        ('!list [ "a b" , "c" ]', '!list ["a b","c"]'),
        ('!map { "a" : 1 }', '!map {"a":1}'),
        ("!point Point( 1 , 2 )", "!point Point(1,2)"),
        ('!say "jörg"', "!say jörg"),
        ('!say "\\u0061"', "!say a"),
        ("!count -0", "!count 0"),
        ("!count 007", "!count 007"),
        ("delta", "delta"),
        (" tau ", "tau"),
    ],
)
def test_labels_that_mean_the_same_read_the_same(loose, tidy):
    assert Label.parse(loose).text == tidy
    assert Label.parse(loose) == Label.parse(tidy)


def test_what_the_system_says_matches_the_model_whatever_letters_are_in_it():
    for text in ("jörg", "ann@example.org", "a/b", "v1.2", "x=y", "日本", "été", "#tag", "50%"):
        assert Label.from_message("!", f"deliver {text}") == Label("!", "deliver", (text,))
        assert Label.from_message("!", f"deliver {json.dumps(text)}") == Label("!", "deliver", (text,))


def test_direction_gate_and_arguments_make_a_label_different():
    labels = {
        Label.parse(text) for text in ("?a", "!a", "?b", "?a 1", '?a "1"', "?a 1 1", "?a [1]", "?a true", "delta")
    }
    assert len(labels) == 9
    assert Label.parse("?a") != "?a"


def test_the_kinds_of_a_label_can_be_asked():
    given, seen = Label.parse("?a 1"), Label.parse("!a 1")
    assert (given.is_input, given.is_output, seen.is_input, seen.is_output) == (True, False, False, True)
    assert (SILENCE.is_input, SILENCE.is_output, SILENCE.text, str(SILENCE)) == (False, False, "delta", "delta")
    assert (given.message, given.gate, given.arguments) == ("a 1", "a", (1,))
    assert repr(given) == str(given) == "?a 1"


def test_structured_arguments_are_kept_as_text():
    (value,) = Label.parse('?a ["x", 1]').arguments
    assert isinstance(value, Verbatim)
    assert write_argument(value) == '["x",1]'


def test_a_number_too_long_for_python_is_kept_as_text_instead_of_failing():
    digits = "9" * 60_000
    assert Label.from_message("!", f"say {digits}").text == f"!say {digits}"
    assert read_argument("9" * 30) == int("9" * 30)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("post bob", r"label 'post bob' has no direction: write \?post bob for an input or !post bob for an output"),
        ("", "no direction"),
        ("?", "at least one word"),
        ("!   ", "at least one word"),
        ('?post "bob', 'a quote is opened and never closed: "bob'),
        ("?post [1, 2", "a bracket is opened and never closed"),
        ("?post Point(1", "a bracket is opened and never closed"),
        ('?post "\\x"', "no quoted text"),
    ],
)
def test_what_is_no_label_is_refused_in_one_line(text, complaint):
    with pytest.raises(FormatError, match=complaint) as told:
        Label.parse(text)
    assert "\n" not in str(told.value)


@seeds(range(300))
def test_any_line_is_a_label_or_a_format_error(seed):
    rng = random.Random(seed)
    line = "".join(rng.choice('ab 1"\\()[]{},:/-\t0x\u200b') for _ in range(rng.randrange(30)))
    try:
        label = Label.from_message("!", line)
    except FormatError:
        return
    assert Label.parse(label.text) == label


def test_a_value_that_has_no_written_form_is_refused():
    with pytest.raises(FormatError, match=r"a float cannot be written in a label: 0\.5"):
        write_argument(0.5)
