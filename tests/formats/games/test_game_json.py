"""Game graphs as JSON: what is written is read back equal, and every wrong document is refused in one line."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from pathlib import Path
from random import Random

import pytest

from helpers.odd_models import draw
from helpers.seeds import seeds
from outplay import Game
from outplay.cli.main import run_command
from outplay.errors import FormatError
from outplay.formats.games.game_json import parse_game, write
from outplay.formats.registry import read_model

TEXTS = [
    "?a",
    "!x",
    '!say "two words"',
    "tab\there",
    "line\nbreak",
    "ünï ☺ 𝄞",
    "\\",
    "",
    " ",
    "e0",
    "null",
    "{",
    "\x7f\0",
]
NUMBERS = [0, 1, 2, 0.5, 0.1, "1/3", "22/7", 10**25, "1e-20"]


def drawn(seed: int) -> Game:
    return draw.game(Random(seed))


@seeds(range(200))
def test_a_game_written_and_read_back_is_equal(seed):
    game = drawn(seed)
    text = "".join(write(game))
    assert parse_game(text) == game
    assert "".join(write(parse_game(text))) == text


@pytest.mark.parametrize("seed", range(20))
def test_any_json_library_may_write_the_file_again_with_other_spaces_and_escapes(seed):
    game = drawn(seed)
    document = json.loads("".join(write(game)))
    assert parse_game(json.dumps(document, indent=3)) == game
    assert parse_game(json.dumps(document, separators=(",", ":"))) == game
    assert parse_game(json.dumps(dict(reversed(document.items())))) == game


def test_a_file_is_read_back_and_holds_one_vertex_or_edge_a_line():
    game = drawn(5)
    Path("game.json").write_text("".join(write(game)), encoding="utf-8")
    assert read_model(Path("game.json")) == game
    lines = Path("game.json").read_text(encoding="utf-8").splitlines()
    assert len(lines) == game.vertex_count + game.edge_count + 5


def document(**changed: object) -> str:
    made = {
        "format": "outplay-game/1",
        "initial": "s",
        "vertices": [{"id": "s", "owner": "tester"}, {"id": "c", "owner": "system"}],
        "edges": [{"source": "s", "target": "c"}, {"source": "c", "target": "s"}],
        **changed,
    }
    return json.dumps(made)


def test_what_is_missing_has_the_defaults_of_the_contract():
    game = parse_game(document())
    assert [game.cost[edge] for edge in range(2)] == [1, 1]
    assert game.moves.tolist() == [1, 1]
    assert [game.gain[vertex] for vertex in range(2)] == [1, 1]
    assert [game.probability[edge] for edge in range(2)] == [None, None]
    assert [game.label_of(edge) for edge in range(2)] == ["", ""]
    assert list(game.edge_names) == ["e0", "e1"]
    assert dict(game.goals) == {}


def test_edges_may_be_missing_altogether():
    text = '{"format": "outplay-game/1", "initial": "s", "vertices": [{"id": "s", "owner": "tester"}]}'
    assert parse_game(text).edge_count == 0


def test_ids_of_edges_count_in_the_order_of_the_file_not_of_the_sources():
    edges = [{"source": "c", "target": "s"}, {"source": "s", "target": "c"}, {"id": "x", "source": "s", "target": "s"}]
    game = parse_game(document(edges=edges))
    assert [(game.names[game.source[e]], game.edge_names[e]) for e in range(3)] == [
        ("s", "e1"),
        ("s", "x"),
        ("c", "e0"),
    ]


def test_sut_is_the_system():
    vertices = [{"id": "s", "owner": "tester"}, {"id": "c", "owner": "sut"}]
    assert parse_game(document(vertices=vertices)) == parse_game(document())


def test_goal_true_on_a_vertex_is_a_goal_set_named_goal_and_false_is_none():
    vertices = [{"id": "s", "owner": "tester", "goal": False}, {"id": "c", "owner": "system", "goal": True}]
    game = parse_game(document(vertices=vertices))
    assert {name: members.tolist() for name, members in game.goals.items()} == {"goal": [1]}
    assert parse_game(document(goals={"goal": ["c"]})) == game
    both = parse_game(document(vertices=vertices, goals={"goal": ["s"], "other": []}))
    assert {name: members.tolist() for name, members in both.goals.items()} == {"goal": [0, 1], "other": []}


@pytest.mark.parametrize(
    ("written", "number"),
    [
        ("0.1", Fraction(1, 10)),
        ("1e-3", Fraction(1, 1000)),
        ("2.50", Fraction(5, 2)),
        ("1E2", Fraction(100)),
        ("0", Fraction(0)),
        ("-0.0", Fraction(0)),
        ('"1/3"', Fraction(1, 3)),
        ('"0.1"', Fraction(1, 10)),
        ('"7"', Fraction(7)),
        ("123456789012345678901234567890", Fraction(123456789012345678901234567890)),
        ("0.1000000000000000055511151231257827", Fraction("0.1000000000000000055511151231257827")),
    ],
)
def test_numbers_are_read_exactly(written, number):
    text = document(edges=[{"source": "s", "target": "c", "cost": "HERE"}]).replace('"HERE"', written)
    assert parse_game(text).cost[0] == number


@pytest.mark.parametrize(("rest", "fits"), [("0.666666666", True), ("0.6666666", False), ("0.666666668", True)])
def test_probabilities_that_are_decimals_sum_to_one_within_a_billionth(rest, fits):
    edges = [{"source": "c", "target": "s", "probability": "0.333333333"}, {"source": "c", "target": "c"}]
    text = document(edges=edges).replace('"target": "c"', f'"target": "c", "probability": {rest}')
    if fits:
        assert parse_game(text).probability[1] == Fraction(rest)
    else:
        with pytest.raises(FormatError, match=r"probabilities sum to 0\.9999999"):
            parse_game(text)


GOOD = """{"format": "outplay-game/1",
 "initial": "s0",
 "goals": {"edges": ["s1"],
           "done": ["s1",
                    "s0"]},
 "vertices": [
  {"id": "s0", "owner": "tester"},
  {"id": "c",
   "owner": "system",
   "gain": 2},
  {"id": "s1", "owner": "tester"}
 ],
 "edges": [
  {"id": "a", "source": "s0", "target": "c", "label": "?a"},
  {"source": "c", "target": "s1", "label": "!x",
   "probability": "1/3"},
  {"source": "c", "target": "s0", "label": "!y",
   "cost": 0.5,
   "probability": "2/3"}
 ]}
"""


def replaced(*pairs: tuple[str, str]) -> str:
    text = GOOD
    for old, new in pairs:
        assert old in text
        text = text.replace(old, new, 1)
    return text


BAD = {
    "empty": ("", 1, "Expecting value; mend the JSON there"),
    "no object": ("[]", 1, 'one JSON object is needed; start with {"format"'),
    "text after the end": (GOOD + "}", 21, "Extra data; mend the JSON there"),
    "cut off": (GOOD[:300], 14, "Unterminated string starting at; mend the JSON there"),
    "a comma too many": (replaced(('"s0"]},', '"s0",]},')), 5, "mend the JSON there"),
    "a line break in a text": (replaced(('"?a"', '"?\na"')), 14, "Invalid control character at; mend the JSON there"),
    "nested without end": ('{"format":' + "[" * 100_000, 1, "nested too deeply; lists of flat objects are enough"),
    "no format": (replaced(('"format": "outplay-game/1",', "")), 1, "format is None, not 'outplay-game/1'; write"),
    "another format": (replaced(("game/1", "game/2")), 1, "format is 'outplay-game/2', not 'outplay-game/1'; write"),
    "a format that is a list": (replaced(('"outplay-game/1"', '["x"]')), 1, "format is ['x'], not 'outplay-game/1'"),
    "approximate as a number": (
        replaced(('"initial"', '"approximate": 1,\n "initial"')),
        2,
        "approximate is no truth value; write true or false",
    ),
    "stopped without a reason": (
        replaced(('"initial"', '"stopped": true,\n "initial"')),
        2,
        "stopped is a text; write why the game is not complete",
    ),
    "an unknown field on top": (replaced(('"initial"', '"goal": [],\n "initial"')), 2, "'goal'; did you mean 'goals'?"),
    "an unknown field of a vertex": (replaced(('"gain"', '"gian"')), 10, "unknown field 'gian'; did you mean 'gain'?"),
    "an unknown field of an edge": (replaced(('"cost"', '"costs"')), 18, "unknown field 'costs'; did you mean 'cost'?"),
    "a key twice on top": (
        replaced((' "edges": [', ' "edges": [],\n "edges": [')),
        14,
        "key 'edges' twice in one object",
    ),
    "a key twice in a vertex": (
        replaced(('"gain": 2', '"gain": 2,\n"gain": 2')),
        11,
        "key 'gain' twice in one object; keep",
    ),
    "a key twice in an edge": (
        replaced(('"cost": 0.5', '"label": "!y"')),
        18,
        "key 'label' twice in one object; keep one",
    ),
    "a key twice written in two ways": (replaced(('"gain": 2', '"\\u0069d": "d"')), 10, "key 'id' twice in one object"),
    "a goal twice": (replaced(('"done"', '"edges"')), 4, "key 'edges' twice in one object; keep one"),
    "not a number": (replaced(("0.5", "NaN")), 18, "NaN is no number that can be read; write a number"),
    "infinite": (replaced(("0.5", "Infinity")), 18, "Infinity is no number that can be read; write a number"),
    "infinite below": (replaced(("0.5", "-Infinity")), 18, "-Infinity is no number that can be read; write"),
    "infinite in a text": (replaced(("0.5", '"inf"')), 18, "cost is 'inf'; write a number of at most 300 digits"),
    "an exponent without end": (
        replaced(("0.5", "1e999999999")),
        18,
        "1e999999999 is no number that can be read; write",
    ),
    "an exponent in a text": (replaced(("0.5", '"1e999999999"')), 18, "cost is '1e999999999'; write a number of at"),
    "thousands of digits": (replaced(("0.5", "9" * 5000)), 18, "… is no number that can be read; write a number of at"),
    "hundreds of digits": (replaced(("0.5", "9" * 500)), 18, "…; write a number of at most 300 digits"),
    "half a character": (replaced(('"?a"', '"\\ud83d"')), 14, '"\\ud83d" holds half a character; write it whole'),
    "vertices that are no list": (document(vertices={}), 1, 'vertices is no list; write "vertices": ['),
    "edges that are no list": (document(edges={}), 1, 'edges is no list; write "edges": ['),
    "no vertices": (
        document(vertices=[], edges=[]),
        1,
        "a game needs at least one vertex; add the one where play starts",
    ),
    "a vertex that is text": (
        replaced(('{"id": "s1", "owner": "tester"}', '"s1"')),
        11,
        "a vertex is an object; write {",
    ),
    "a vertex without id": (replaced(('"id": "c",', "")), 8, 'a vertex has an id that is text; write "id": "s0"'),
    "an id that is a number": (replaced(('"id": "c",', '\n"id": 3,')), 9, "a vertex has an id that is text; write"),
    "a vertex twice": (replaced(('"id": "s1"', '"id": "s0"')), 11, "vertex 's0' is there twice; give each its own id"),
    "a vertex without owner": (replaced(('"owner": "system",', "")), 8, "vertex 'c' has no owner; write"),
    "an owner that nobody knows": (replaced(('"system"', '"us"')), 8, "owner is 'us'; write 'tester' or 'system'"),
    "a gain below 0": (replaced(('"gain": 2', '"gain": -2')), 10, "gain is -2; it must be 0 or more"),
    "a gain over two lines": (replaced(('"gain": 2', '"gain": "-2\\n"')), 10, "gain is '-2\\n'; it must be 0 or more"),
    "a gain that is true": (replaced(('"gain": 2', '"gain": true')), 10, "gain is True; write a number"),
    "a goal that is 1": (replaced(('"gain": 2', '"goal": 1')), 10, "goal is 1; write true or false"),
    "goals that are a list": (document(goals=["s"]), 1, 'goals is no object; write "goals": {"done": ["s1"]}'),
    "a goal that is no list": (replaced(('["s1"],', '"s1",')), 3, "goal 'edges' is no list of vertex ids; write"),
    "a goal that is not there": (
        replaced(('"s0"]}', '"s7"]}')),
        5,
        "goal 'done': there is no vertex 's7'; add it or mend",
    ),
    "a goal that is a number": (replaced(('"s0"]}', "7]}")), 5, "goal 'done': there is no vertex 7; add it or mend"),
    "no initial": (replaced(('"initial": "s0",', "")), 1, "initial is missing or no text; name the vertex where"),
    "an initial that is a list": (
        replaced(('"initial": "s0"', '"initial": []')),
        2,
        "initial is missing or no text; name",
    ),
    "an initial that is not there": (
        replaced(('"initial": "s0"', '"initial": "x"')),
        2,
        "there is no vertex 'x'; add it or",
    ),
    "an edge that is a list": (
        replaced(('{"id": "a", "source": "s0", "target": "c", "label": "?a"}', "[]")),
        14,
        "an edge is",
    ),
    "a source that is not there": (
        replaced(('"source": "s0"', '"source": "q"')),
        14,
        "source: there is no vertex 'q'; add it",
    ),
    "a target that is not there": (
        replaced(('"target": "s0"', '"target": "q"')),
        17,
        "target: there is no vertex 'q'; add it",
    ),
    "a target that is a list": (
        replaced(('"target": "s0"', '"target": ["s0"]')),
        17,
        "there is no vertex ['s0']; add it or",
    ),
    "an edge without target": (replaced(('"target": "s0", ', "")), 17, "target is missing; name a vertex"),
    "a label that is a number": (replaced(('"?a"', "7")), 14, "label is 7; it is text, put it in quotes"),
    "an edge id that is a number": (replaced(('"id": "a"', '"id": 7')), 14, "id is 7; it is text, put it in quotes"),
    "an edge id twice": (
        replaced(('"cost": 0.5', '"id": "a"')),
        17,
        "edge id 'a' is there twice; give each its own id",
    ),
    "an edge id that is another's by default": (
        replaced(('"id": "a"', '"id": "e2"')),
        17,
        "edge id 'e2' is there twice; give",
    ),
    "a cost below 0": (replaced(("0.5", "-0.5")), 18, "cost is -1/2; it must be 0 or more"),
    "a cost that is null": (replaced(("0.5", "null")), 18, "cost is None; write a number"),
    "a cost that is true": (replaced(("0.5", "true")), 18, "cost is True; write a number"),
    "a cost that is a list": (replaced(("0.5", "[1]")), 18, "cost is [1]; write a number"),
    "a cost over 0": (replaced(("0.5", '"1/0"')), 18, "cost is '1/0'; write a number"),
    "a cost that is a word": (replaced(("0.5", '"cheap"')), 18, "cost is 'cheap'; write a number"),
    "a cost that is a long text": (replaced(("0.5", f'"{"x" * 10_000}"')), 18, "…; write a number"),
    "two moves": (
        replaced(('"cost": 0.5', '"moves": 2')),
        18,
        "moves is 2; an edge counts 1 move, or 0 where the tester",
    ),
    "true moves": (replaced(('"cost": 0.5', '"moves": true')), 18, "moves is True; an edge counts 1 move, or 0"),
    "moves in quotes": (replaced(('"cost": 0.5', '"moves": "1"')), 18, "moves is '1'; an edge counts 1 move, or 0"),
    "probability 0": (replaced(('"2/3"', "0")), 19, "probability is 0; it must be above 0 and at most 1"),
    "probability below 0": (
        replaced(('"2/3"', '"-2/3"')),
        19,
        "probability is '-2/3'; it must be above 0 and at most 1",
    ),
    "probability above 1": (replaced(('"2/3"', "1.5")), 19, "probability is 3/2; it must be above 0 and at most 1"),
    "a probability missing": (
        replaced((',\n   "probability": "2/3"', "")),
        8,
        "'c': some probabilities are missing; give all",
    ),
    "probabilities short of 1": (
        replaced(('"2/3"', '"1/3"')),
        8,
        "'c': probabilities sum to 0.666666666667, not 1; add the",
    ),
    "probabilities beyond 1": (
        replaced(('"2/3"', "0.667")),
        8,
        "'c': probabilities sum to 1.00033333333, not 1; add the",
    ),
    "a chance of the tester": (
        replaced(('"?a"', '"?a", "probability": 1')),
        14,
        "edge 'a' of a tester vertex has a probability",
    ),
}


def test_the_document_that_the_bad_ones_are_made_from_is_good():
    game = parse_game(GOOD)
    assert (game.vertex_count, game.edge_count, sorted(game.goals)) == (3, 3, ["done", "edges"])


@pytest.mark.parametrize(("text", "line", "message"), BAD.values(), ids=BAD)
def test_a_bad_document_is_refused_in_one_line_with_its_place_what_is_wrong_and_what_to_do(text, line, message):
    with pytest.raises(FormatError) as caught:
        parse_game(text, "folder/game.json")
    shown = str(caught.value)
    found = re.fullmatch(r"folder/game\.json:(\d+):(\d+): ([^\n]+)", shown)
    assert found, shown
    assert int(found[1]) == line, shown
    assert message in found[3]
    assert re.search(r"; \S", found[3]), shown
    assert len(shown) < 300
    column = int(found[2])
    assert 1 <= column <= len(text.split("\n")[line - 1]) + 1


@pytest.mark.parametrize(
    "name", ["a source that is not there", "a key twice in an edge", "not a number", "a cost below 0"]
)
def test_the_column_is_where_the_mistake_begins(name):
    text, line, _ = BAD[name]
    with pytest.raises(FormatError) as caught:
        parse_game(text)
    column = int(str(caught.value).split(":")[2])
    begins = {"a source that is not there": '"source"', "a key twice in an edge": '"label"', "not a number": "NaN"}
    assert text.split("\n")[line - 1][column - 1 :].startswith(begins.get(name, '"cost"'))


@pytest.mark.parametrize(
    "name", ["empty", "a key twice in an edge", "not a number", "thousands of digits", "half a character"]
)
def test_the_command_ends_on_a_bad_file_with_one_line_and_code_4(name, capsys):
    Path("game.json").write_text(BAD[name][0])
    assert run_command(["solve", "game.json"]) == 4
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.count("\n") == 1
    assert "Traceback" not in shown.err
    assert f"game.json:{BAD[name][1]}:" in shown.err


def test_a_file_that_is_no_utf_8_is_refused_at_the_line_and_column_of_the_bad_byte():
    Path("game.json").write_bytes(b'{"format":\n "\xff"}')
    with pytest.raises(FormatError, match=r"game\.json:2:3: not UTF-8; save it as UTF-8"):
        read_model(Path("game.json"))


def test_a_byte_order_mark_is_passed_over():
    Path("game.json").write_bytes(b"\xef\xbb\xbf" + GOOD.encode())
    assert read_model(Path("game.json")) == parse_game(GOOD)


@pytest.mark.parametrize(
    ("path", "message"), [("missing.json", "no such file; check the path"), (".", "a folder; give a plain file")]
)
def test_a_file_that_cannot_be_read_is_refused_by_name(path, message):
    with pytest.raises(FormatError, match=message):
        read_model(Path(path), format="json")


def test_a_file_larger_than_the_limit_is_refused_before_it_is_read():
    Path("game.json").write_text(GOOD)
    with pytest.raises(FormatError, match=r"game\.json:1:1: larger than 10 bytes; "):
        read_model(Path("game.json"), largest=10)


def test_a_pair_of_escapes_that_is_one_character_is_read():
    text = replaced(('"?a"', '"\\ud83d\\ude00 \\\\ud800"'))
    assert parse_game(text).label_of(0) == "😀 \\ud800"


PIECES = [
    '"',
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "0",
    "-1",
    "1e5",
    "null",
    "true",
    "NaN",
    '"id"',
    '"s0"',
    "\\",
    "\\ud800",
    "\n",
    "é",
    "\0",
]
WORDS = re.compile(r'"[^"\n]*"|\d+|[{}\[\],:]')


def mutated(rng: Random) -> str:
    """Change a good text in a few places: drop, double, swap or replace words, or put in pieces anywhere."""
    text = GOOD
    for _ in range(rng.randint(1, 3)):
        words = list(WORDS.finditer(text))
        way = rng.randrange(5)
        if not words or way == 4:
            place = rng.randrange(len(text) + 1)
            text = text[:place] + rng.choice(PIECES) + text[place + rng.choice([0, 0, 1, 7]) :]
            continue
        one, other = rng.choice(words), rng.choice(words)
        new = ["", one.group() * 2, other.group(), rng.choice(PIECES)][way]
        text = text[: one.start()] + new + text[one.end() :]
    return text


def read_or_refused(text: str) -> tuple[Game | None, str]:
    try:
        return parse_game(text, "x.json"), ""
    except FormatError as error:
        return None, str(error)


@pytest.mark.parametrize("seed", range(20))
def test_a_changed_text_is_read_or_refused_in_one_line_and_nothing_else(seed):
    rng = Random(seed)
    for _ in range(100):
        text = mutated(rng)
        game, refusal = read_or_refused(text)
        if game is not None:
            assert parse_game("".join(write(game))) == game, text
        else:
            found = re.fullmatch(r"x\.json:(\d+):\d+: [^\n]+", refusal)
            assert found, (text, refusal)
            assert 1 <= int(found[1]) <= text.count("\n") + 1, (text, refusal)


def test_of_the_changed_texts_some_are_read_and_most_are_refused_for_many_reasons():
    answers = [read_or_refused(mutated(rng)) for rng in map(Random, range(20)) for _ in range(100)]
    reasons = {re.sub(r"'[^']*'|\d+", "", refusal) for _, refusal in answers}
    assert sum(game is not None for game, _ in answers) > 30
    assert len(reasons) > 20
