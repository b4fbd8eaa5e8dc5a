"""DOT: each dialect, the syntax of Graphviz, exact errors, and what is written is read again."""

from __future__ import annotations

import shutil
import subprocess
import time
from fractions import Fraction
from random import Random

import pytest

from helpers.formats import again, complaint
from helpers.odd_models import draw
from outplay import Game, GameBuilder
from outplay.errors import FormatError
from outplay.formats.common.source import LIMITS, ReadLimits, Source
from outplay.formats.diagrams import dot
from outplay.formats.diagrams.dot_syntax import parse_dot
from outplay.model.automaton import Automaton, automaton
from outplay.model.label import SILENCE, Label
from outplay.model.machine import Machine


def read(text, **options):
    return dot.read(Source("m", text), **options)


# Dialects


def test_mealy_machines_with_or_without_blanks_at_the_slash():
    text = """digraph g {
        __start0 [label="" shape="none"];
        s0 [shape="circle" label="s0"];
        s1 [shape="circle" label="s1"];
        s0 -> s1 [label="coin/ beep"];
        s1 -> s0[label="button / coffee + milk"]
        __start0 -> s0 [label=""];
    }"""
    steps = ((0, "coin", "beep", 1), (1, "button", "coffee + milk", 0))
    assert read(text) == Machine(("s0", "s1"), steps, 0, "m")


def test_nondeterministic_machines():
    model = read('digraph { q0 -> q1 [label="a/x"]; q0 -> q0 [label="a/y"]; q0 -> q1 [label="a/y"] }')
    assert isinstance(model, Machine)
    assert not model.deterministic
    assert len(model.steps) == 3


def test_marked_pairs_are_machines_too():
    model = read('digraph { a -> b [label="?coin/!beep"]; b -> a [label="?x / !y"] }')
    assert model.steps == ((0, "coin", "beep", 1), (1, "x", "y", 0))


def test_a_slash_with_blanks_parts_input_and_output_where_there_are_several():
    assert read('digraph { a -> b [label="GET /x / 200"] }').steps == ((0, "GET /x", "200", 1),)


def test_an_output_with_a_mark_at_its_end_is_still_an_output():
    assert read('digraph { a -> b [label="hi/ok!"] }').steps == ((0, "hi", "ok!", 1),)


def test_states_labelled_with_outputs_are_moore_machines():
    text = """digraph alarm {
        closed [label="N"]; open [label="A"];
        closed -> open [label="d"]; open -> closed [label="d"];
        __start0 [label="", shape=none]; __start0 -> open [label=""];
    }"""
    steps = ((0, "d", "A", 1), (1, "d", "N", 0))
    assert read(text) == Machine(("closed", "open"), steps, 1, "m", moore=True)


def test_moore_machines_with_id_and_output_in_a_record():
    model = read('digraph { a [label="{a|0}"]; b [label="{ b | 1 }"]; a -> b [label=go]; b -> a [label=go] }')
    assert model.steps == ((0, "go", "1", 1), (1, "go", "0", 0))


def test_marked_labels_are_automata_and_silence_is_known():
    text = """digraph "x/y" {
        s1 [label=s1]; s2 [label=s2];
        s1 -> s1  [label=QUIESCENCE];
        s1 -> s2  [label="?a/b"];
        s2 -> s1  [label="!x"];
        __start0 [label="", shape=none];
        __start0 -> s1  [label=""];
    }"""
    expected = automaton([("s1", SILENCE, "s1"), ("s1", Label("?", "a/b"), "s2"), ("s2", "!x", "s1")])
    assert read(text) == expected


@pytest.mark.parametrize(
    ("given", "shown"), [("a?", "?a"), ("x!", "!x"), ("!delta", "delta"), ("i", "tau"), ("τ", "tau")]
)
def test_other_marks(given, shown):
    model = read(f'digraph {{ a -> b [label="{given}"]; a -> a [label="?q"] }}')
    assert str(model.moves(0)[0][0]) == shown


def test_endings_mark_directions_where_all_labels_have_them():
    assert list(map(str, read('digraph { a -> b [label="a_i"]; b -> a [label="b_o"] }').used_labels)) == ["?a", "!b"]
    assert list(map(str, read('digraph { a -> b [label="a_i"]; b -> a [label="b"] }').used_labels)) == ["a_i", "b"]


def test_labels_without_direction_are_an_automaton_where_states_show_only_their_ids():
    for states in ("", "a; b;", 'a [label=a]; b [label="b"];', 'a [label="\\N"]; b;', 'a [label=""]; b [label=""];'):
        model = read(f"digraph {{ {states} a -> b [label=go] }}")
        assert isinstance(model, Automaton)
        assert not model.directed()


def test_the_graph_may_say_what_it_is():
    assert isinstance(read("digraph { outplay=automaton; a [label=N]; b; a -> b [label=go] }"), Automaton)
    assert isinstance(read('digraph { graph [outplay=automaton]; a -> b [label="x/y"] }'), Automaton)


def test_game_attributes_make_a_game():
    game = read("""digraph {
        s0 [owner=tester, gain="1/2"]; c [owner=sut]; s1 [owner=tester goal=true]; s1 [shape=box goal="done, safe"]
        s0 -> c [label="?a", cost=0.1, moves=0, id=go];
        c -> s1 [label="!x" probability="1/3"]; c -> s0 [label="!y", probability="2/3", cost="2.5e1"];
        __start0 -> s0;
    }""")
    builder = GameBuilder().vertex("s0", "tester", gain="1/2").vertex("c", "system")
    builder.vertex("s1", "tester", goals=["done", "safe"])
    builder.edge("s0", "c", "?a", cost="1/10", moves=0, name="go")
    builder.edge("c", "s1", "!x", probability="1/3").edge("c", "s0", "!y", probability="2/3", cost=25)
    assert game == builder.build()


def test_a_goal_that_is_true_is_called_goal():
    assert list(read("digraph { a [owner=tester, goal=true]; b [owner=tester, goal=false] }").goals) == ["goal"]


# Where play starts


def test_the_edge_from_start_says_where_play_starts():
    assert read('digraph { a -> b [label="?x"]; __start0 -> b }').initial == 1
    assert read('digraph { __start -> b; a -> b [label="?x"] }').names == ("b", "a")


def test_without_such_an_edge_play_starts_at_the_first_node():
    assert read('digraph { __start0; b; a -> b [label="?x"] }').names[0] == "b"
    assert read('digraph { a -> b [label="?x"] }').initial == 0


# Syntax


def edges(text):
    return [
        (model.names[s], str(label), model.names[t]) for model in [read(text)] for s, label, t in model.transitions()
    ]


def test_comments_semicolons_and_line_continuations():
    text = """// first
# include <x>
    DiGraph /* name: */ "a\\
b" { a -> b [label="?a"] /* ; */ ; ; b -> a // back
      [label="?b\\
c";]
    }
    /* after */"""
    assert edges(text) == [("a", "?a", "b"), ("b", "?bc", "a")]


def test_quoted_ids_numerals_and_joined_texts():
    text = """digraph { "a b" -> -1.5 [label="?x" + "y"]; "node" -> "a b" [label="?\\"q\\""]
        .5 -> ü_1 [label="?\\\\"] }"""
    assert edges(text) == [("a b", "?xy", "-1.5"), ("node", '?"q"', "a b"), (".5", "?\\", "ü_1")]


def test_ports_chains_and_groups():
    text = 'digraph { a:n -> b:p:sw -> c [label="?x"]; {a b} -> {c; {d}} [label="?y"] }'
    chain = [("a", "?x", "b"), ("b", "?x", "c")]
    groups = [(start, "?y", end) for start in "ab" for end in "cd"]
    assert sorted(edges(text)) == sorted(chain + groups)


def test_a_group_may_hold_statements_of_its_own():
    text = 'digraph { edge [label="?x"]; a -> subgraph s { b -> c [label="?y"] } -> d }'
    expected = [("a", "?x", "b"), ("a", "?x", "c"), ("b", "?x", "d"), ("b", "?y", "c"), ("c", "?x", "d")]
    assert sorted(edges(text)) == expected


def test_defaults_hold_from_where_they_stand_to_the_end_of_their_braces():
    text = """digraph {
        edge [label="?1"]; a -> a
        subgraph inner { edge [label="?2"]; node [owner=x]; a -> a; a -> a [label="?3"] }
        a -> a; edge [label="?4"] a -> a
    }"""
    game = read(text.replace("owner=x", "color=x"))
    assert [str(label) for label, _ in game.moves(0)] == ["?1", "?2", "?3", "?4"]
    owners = read("digraph { node [owner=tester]; a; {node [owner=system]; b; a} c }").owner.tolist()
    assert owners == [0, 1, 0]


def test_statements_about_a_node_merge():
    model = read(
        'digraph { a [label="x"]; a [color=red]; a [label="N"]; b [label=A]; a -> b [label=go]; b -> a [label=go] }'
    )
    assert model.outputs == ("A", "N")


def test_attributes_in_several_lists_and_with_any_separator():
    text = 'digraph { a -> b [color=red, label="?x"][label="?y";weight=2 style=bold]; }'
    assert edges(text) == [("a", "?y", "b")]


def test_line_breaks_in_labels():
    assert read('digraph { a -> b [label="in\\n/out\\l"] }').steps == ((0, "in", "out", 1),)


# Exact errors

BAD = {
    "": "m:1:1: the file ends too early; start with digraph {",
    "graph { a -- b }": "m:1:1: an undirected graph; write digraph and arrows ->",
    "digraph { a -- b }": "m:1:13: an undirected edge; write an arrow ->",
    "digraph { a [label=<<b>x</b>>] }": "m:1:20: HTML text is not read; write it in quotes",
    "digraph {\n a -> }": "m:2:7: '}' has no meaning here; write a node after the arrow",
    "digraph {": "m:1:10: the file ends too early; write a node, an edge a -> b, or }",
    'digraph { "a }': 'm:1:11: a quote is opened and never closed; write "',
    "digraph {\n/* a }": "m:2:1: a comment is opened and never closed; write */",
    "digraph { 1a }": "m:1:11: an id that starts like a number; put it in quotes",
    "digraph { a & b }": "m:1:13: '&' has no meaning here; put ids and labels in quotes",
    "digraph { a [label] }": "m:1:19: ']' has no meaning here; write name=value",
    "digraph { a } digraph { b }": "m:1:15: 'digraph' has no meaning here; "
    "a file holds one graph; put the second into its own file",
    "digraph { node }": "m:1:16: '}' has no meaning here; "
    "write node [name=value], or put a node of that name in quotes",
    "digraph { a -> node }": "m:1:16: 'node' has no meaning here; put a node of that name in quotes",
    "digraph { {a b} [label=x] }": "m:1:17: '[' has no meaning here; "
    "a group has no attributes of its own; write them inside",
    "digraph {" + "{" * 101: "m:1:110: subgraphs nested deeper than 100; write them beside each other",
    "strict digraph { a -> b; a -> b }": "m:1:26: a second edge 'a' -> 'b' in a strict graph; drop strict",
    "digraph { subgraph s {a} subgraph s {b} -> c }": "m:1:39: subgraph 's' is opened twice; "
    "an arrow needs all its nodes in one place",
    "digraph {}": "m:1:1: a graph without states; write at least one node",
    "digraph { outplay=moor; a }": "m:1:1: outplay='moor' is no kind of model; did you mean 'moore'?",
    "digraph {\n__start0 -> a;\n__start0 -> b }": "m:3:1: a second initial state 'b'; keep one edge from __start0",
    "digraph { a -> __start0 }": "m:1:11: an edge to __start0, which only shows where play starts; point it to a state",
    "digraph { a -> b }": "m:1:11: the edge 'a' -> 'b' has no label; "
    'write label="?input", label="!output" or label="input/output"',
    'digraph { a -> b [label="x/y"];\n b -> a [label=z] }': "m:2:2: 'z' is not like 'x/y'; "
    "write input/output on all edges or on none",
    'digraph { a -> b [label="x/y/z"] }': "m:1:11: the label 'x/y/z' has several slashes; "
    'write label="input / output", blanks around one slash',
    'digraph { a -> b [label="/y"] }': "m:1:11: the label '/y' has no input or no output; write a word for it",
    "digraph { a [label=N]; b; a -> b [label=x] }": "m:1:24: the state 'b' has no label and 'a' has one that is not "
    "its id; label every state with its output for a Moore machine, or write outplay=automaton; in the graph",
    "digraph { outplay=moore; a; a -> a [label=x] }": "m:1:26: the state 'a' of a Moore machine shows no output; "
    'write label="output"',
    "digraph { a [ownr=tester] }": "m:1:14: unknown attribute 'ownr'; did you mean 'owner'?",
    "digraph { a [owner=me] }": "m:1:11: the vertex 'a' has the owner 'me'; write owner=tester or owner=system",
    "digraph { a [owner=tester goals=done] }": "m:1:11: the vertex 'a' has goals; "
    'write goal="done", goals is of the graph',
    "digraph { a [goal=true] }": "m:1:11: the vertex 'a' has no owner; write owner=tester or owner=system",
    "digraph { a [owner=tester]; a -> a [cost=-1] }": "m:1:29: cost is '-1'; it must be 0 or more",
    'digraph { a [owner=tester]; a -> a [cost="NaN"] }': "m:1:29: cost is 'NaN'; "
    "write a number of at most 300 digits, such as 2, 0.5 or 1/3",
    "digraph { a [owner=tester]; a -> a [moves=2] }": "m:1:29: moves is '2'; "
    "an edge counts 1 move, or 0 where the tester only decides",
    "digraph { a [owner=system]; a -> a [probability=0] }": "m:1:29: probability is '0'; "
    "it must be above 0 and at most 1",
    "digraph { a [owner=system]; a -> a [probability=.5] }": "m:1:11: vertex 'a': probabilities sum to 0.5, not 1; "
    "add the missing outcome or mend them",
    "digraph { a [owner=tester]; a -> a [id=x]; a -> a [id=x] }": "m:1:44: edge id 'x' is there twice; "
    "give each its own id",
    'digraph { a [owner=tester, goal="[1]"] }': "m:1:11: '[1]' is no list of goals; "
    'write goal="done", goal="done,safe" or a JSON list of texts',
}


@pytest.mark.parametrize("text", BAD)
def test_a_bad_file_is_refused_in_one_line_that_names_the_place(text):
    assert complaint(dot.read, text) == BAD[text]


def test_a_small_file_that_means_millions_of_edges_is_refused_before_they_are_built():
    group = "{" + " ".join(f"n{number}" for number in range(2_000)) + "}"
    text = f"digraph {{ {group} -> {group} }}"
    assert len(text) < 24_000
    start = time.process_time()
    line = complaint(dot.read, text)
    assert time.process_time() - start < 1
    assert line.startswith("m:1:11: groups in braces mean 4,004,000 edges, more than ")
    assert line.endswith("in a file of this size; write the edges one by one")


def test_limits_hold_for_nodes_and_edges():
    assert "more than 2 nodes; raise --max-states" in complaint(
        dot.read, "digraph {a b c}", limits=ReadLimits(states=2)
    )
    line = complaint(dot.read, "digraph {a -> b -> c}", limits=ReadLimits(edges=1))
    assert "more than 1 edge; raise --max-edges" in line
    line = complaint(dot.read, "digraph {{{a}}}", limits=ReadLimits(depth=1))
    assert "nested deeper than 1;" in line


# Writing


@pytest.mark.parametrize("block", range(10))
@pytest.mark.parametrize("kind", ["automaton", "machine", "game"])
def test_what_is_written_is_read_again(kind, block):
    for seed in range(20 * block, 20 * block + 20):
        model = getattr(draw, kind)(Random(seed), odd=seed % 4 > 0)
        assert again(dot, model) == model, seed


def test_an_automaton_without_directions_is_read_again_whatever_its_labels_look_like():
    model = automaton([("a", Label("", "x/y"), "b"), ("b", Label("?", "p_i"), "a"), ("a", Label("!", "q_o"), "a")])
    assert again(dot, model) == model


def test_decimals_and_fractions_stay_exact():
    builder = GameBuilder().vertex("a", "system")
    builder.edge("a", "a", probability="1/3", cost="0.1").edge("a", "a", probability="2/3", cost=Fraction(10**30, 7))
    game = builder.build()
    assert again(dot, game) == game


def test_what_the_format_cannot_hold_is_refused_before_anything_is_written():
    refused = [
        (automaton([("__start0", "?a", "b")]), "called like the mark of the initial state"),
        (automaton([("a", Label("", "x!"), "b")]), "would be read as another one"),
        (Machine(("a", "a"), ()), "two states are called 'a'"),
        (Machine(("a",), ((0, "", "x", 0),)), "empty input or output"),
        (Machine(("a",), ((0, "p", "x", 0), (0, "q", "y", 0)), moore=True), "shows 'x' and 'y'"),
    ]
    for model, why in refused:
        with pytest.raises(FormatError, match=why):
            dot.write(model)


@pytest.mark.skipif(not shutil.which("dot"), reason="Graphviz is not installed")
@pytest.mark.parametrize("kind", ["automaton", "machine", "game"])
def test_graphviz_reads_what_is_written(kind):
    for seed in range(20):
        text = "".join(dot.write(getattr(draw, kind)(Random(seed), odd=True)))
        subprocess.run(["dot", "-Tcanon"], input=text.encode(), check=True, capture_output=True, timeout=20)


# Size

LONG = {
    "a chain": "digraph {" + "->".join(f"n{number}" for number in range(60_000)) + ' [label="?x"]}',
    "edges": "digraph {" + "".join(f'a{n} -> a{n + 1} [label="?x{n}"];\n' for n in range(20_000)) + "}",
    "groups": 'digraph { edge [label="?x"] ' + "{a b} -> {c d};" * 20_000 + "}",
    "defaults in many groups": "digraph {"
    + "".join(f"node [a{n}=1];" for n in range(20_000))
    + "{node [x=1]}" * 20_000
    + "} ",
    "names beside each other": "digraph {" + "a " * 200_000 + "}",
    "a text in many pieces": 'digraph { a -> b [label="?' + '" + "x' * 50_000 + '"] }',
    "comments": "digraph {" + "/**/" * 200_000 + "a}",
    "blanks": "digraph {" + " " * 1_000_000 + "a}",
    "an open comment": "digraph {" + "/* " * 300_000,
    "an open quote": 'digraph { "' + "\\\\" * 500_000,
    "lists": "digraph { a " + "[x=1]" * 100_000 + "}",
    "minus signs": "digraph {" + "-" * 500_000,
}


@pytest.mark.parametrize("what", LONG)
def test_a_long_file_takes_no_more_than_seconds(what):
    start = time.process_time()
    try:
        read(LONG[what])
    except FormatError as refused:
        assert str(refused).startswith("m:1:")  # noqa: PT017 - refusing is fine, hanging is not
    assert time.process_time() - start < 10


def test_a_chain_ten_times_as_long_is_no_deeper():
    model = read("digraph {" + "->".join(f"n{number}" for number in range(20_000)) + ' [label="?x"]}')
    assert model.transition_count == 19_999
    assert not isinstance(model, Game)


def _drawn(text: str, keep: tuple[str, ...] = ("label", "cost")) -> tuple[object, ...]:
    """What a text means, wherever its parts stand."""
    drawing = parse_dot(Source("m", text), keep=keep, limits=LIMITS)
    edges = [(edge.source, edge.target, edge.attributes) for edge in drawing.edges]
    return edges, {name: node.attributes for name, node in drawing.nodes.items()}, drawing.kept, set(drawing.dropped)


@pytest.mark.parametrize("keep", [("label", "cost"), ("cost",)])
@pytest.mark.parametrize("seed", range(60))
def test_edges_with_a_label_alone_are_read_as_all_others(seed, keep):
    """A comment before its end keeps an edge from being read in one go."""
    rng = Random(f"labelled edges {seed}")
    ways = ['[label="?x"]', '[ label = "!y z" ]', '[label="a/b"][cost=2]', "[label=x]", '[label="x",cost=1]']
    ways += ["", '[label="one\ntwo"]', '[label="q\\"q"]', '[color=red label="x"]', '[label="x" /* why */]']
    lines = ["edge [cost=7]"] * (seed % 2)
    for _ in range(12):
        start, end = rng.choice(["a", "s1", "7", '"b c"']), rng.choice(["a", "s2", "-1.5", "c:n"])
        lines.append(f"{start} -> {end} {rng.choice(ways)}{rng.choice([';', ' ;', '', ' '])}")
    lines.insert(rng.randrange(len(lines) + 1), 'subgraph k { a -> s9 [label=in]; s9 -> a [label="back"]; } -> s1')
    plain = "digraph {\n" + "\n".join(lines) + "\n}"
    assert _drawn(plain, keep) == _drawn(plain.replace("->", "-> /* to */"), keep)
