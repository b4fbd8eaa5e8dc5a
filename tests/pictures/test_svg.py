from __future__ import annotations

import xml.etree.ElementTree as ElementTree

import pytest

from helpers.pictures import drawn_automaton
from outplay.model.automaton import automaton
from outplay.model.label import Label
from outplay.model.machine import Machine
from outplay.pages.page_frame import DARK, LIGHT
from outplay.pictures.svg import draw, write_html, write_svg

SPACE = "{http://www.w3.org/2000/svg}"


def parsed(drawing):
    return ElementTree.fromstring(write_svg(drawing))


def parts(root, kind, attribute):
    """Nodes or edges of the picture itself, not of its legend."""
    groups = root.iter(f"{SPACE}g")
    return [group for group in groups if kind in group.get("class", "").split() and group.get(attribute) is not None]


def titles(root, kind, attribute):
    return [group.findtext(f"{SPACE}title") for group in parts(root, kind, attribute)]


@pytest.mark.parametrize("seed", range(20))
def test_pictures_are_valid_xml_with_every_state_once(seed):
    model = drawn_automaton(seed, 12)
    root = parsed(draw(model))
    assert root.tag == f"{SPACE}svg"
    assert sorted(int(node.get("data-n")) for node in parts(root, "node", "data-n")) == list(range(12))
    drawn = [(int(edge.get("data-s")), int(edge.get("data-t"))) for edge in parts(root, "edge", "data-s")]
    assert sorted(drawn) == sorted({(source, target) for source, _, target in model.transitions()})


@pytest.mark.parametrize("seed", range(5))
def test_the_same_model_gives_the_same_bytes(seed):
    assert write_svg(draw(drawn_automaton(seed, 30))) == write_svg(draw(drawn_automaton(seed, 30)))
    assert write_html(draw(drawn_automaton(seed, 30))) == write_html(draw(drawn_automaton(seed, 30)))


def test_parallel_edges_are_one_arrow_with_all_labels(bargain):
    root = parsed(draw(bargain))
    arrows = [title for title in titles(root, "edge", "data-s") if title.startswith("retry → asked")]
    assert arrows == ["retry → asked\n?ask  cost 1/2\n?beg"]


def test_marks_in_names_are_escaped_and_control_characters_replaced():
    model = automaton([("<a & 'b'>", Label("", 'say "x" & <y>\x00\ud800'), "]]>")])
    drawing = draw(model, title="<script>alert(1)</script> & more")
    root = parsed(drawing)
    assert titles(root, "node", "data-n") == ["<a & 'b'>", "]]>"]
    assert titles(root, "edge", "data-s") == ["<a & 'b'> → ]]>\nsay \"x\" & <y>\\u0000\\ud800"]
    assert "<script>alert" not in write_html(drawing)


def test_long_labels_are_shortened_and_whole_in_the_title():
    long = "a" * 40 + "b" * 40
    root = parsed(draw(automaton([("s" * 90, f"?{long}", "t")])))
    shown = ["".join(text.itertext()) for text in root.iter(f"{SPACE}text")]
    assert max(map(len, shown)) < 40
    assert any("…" in text for text in shown)
    assert long in titles(root, "edge", "data-s")[0]
    assert "s" * 90 in titles(root, "node", "data-n")[0]


def test_many_labels_on_one_arrow_are_counted():
    model = Machine(("a", "b"), tuple((0, f"in{n}", "out", 1) for n in range(10)))
    root = parsed(draw(model))
    shown = ["".join(text.itertext()) for text in root.iter(f"{SPACE}text")]
    assert any("+ 7 more" in text for text in shown)
    assert titles(root, "edge", "data-s")[0].count("\n") == 10


def test_a_marked_label_is_shown_even_among_many():
    model = Machine(("a", "b"), tuple((0, f"in{n}", "out", 1) for n in range(10)))
    shown = ["".join(text.itertext()) for text in parsed(draw(model, trace=["?in9"])).iter(f"{SPACE}text")]
    assert any("1 in9/out" in text for text in shown)


def test_trace_and_strategy_are_there_to_see(bargain):
    root = parsed(draw(bargain, trace=["?ask", "!yes"], strategy=[5]))
    assert len(parts(root, "trace", "data-s")) == 4, "at once, or after deciding to wait"
    assert len(parts(root, "strategy", "data-s")) == 1
    assert len(parts(root, "marked", "data-n")) == 4
    assert parts(parsed(draw(bargain, trace=["!no"])), "refused", "data-s")


def test_goals_turns_and_dead_ends_have_classes_of_their_own(bargain):
    root = parsed(draw(bargain))
    assert len(parts(root, "goal", "data-n")) == 1
    assert len(parts(root, "system", "data-n")) == 1
    assert len(parts(root, "lost", "data-n")) == 1


def test_the_initial_state_has_an_arrow_from_nowhere(lamp):
    assert len([group for group in parsed(draw(lamp)).iter(f"{SPACE}g") if group.get("class") == "entry"]) == 1


def test_the_legend_explains_what_occurs_and_nothing_else(lamp, bargain):
    game, states = write_svg(draw(bargain)), write_svg(draw(lamp))
    assert "the system moves" in game
    assert "no move left" in game
    assert "silence is allowed" not in game
    assert "silence is allowed" in states
    assert "the system moves" not in states


def test_light_and_dark_colours_are_both_there(lamp):
    picture = write_svg(draw(lamp))
    light, dark = picture.split("@media (prefers-color-scheme: dark)")
    assert LIGHT["input"] in light
    assert DARK["input"] in dark
    assert set(LIGHT) == set(DARK)


def test_style_touches_nothing_outside_the_picture(lamp):
    root = parsed(draw(lamp))
    rules = root.find(f"{SPACE}style").text.replace("@media (prefers-color-scheme: dark) {", "")
    selectors = [rule.split("{")[0] for rule in rules.split("}") if "{" in rule]
    assert all(part.strip().startswith(".outplay-picture ") for rule in selectors for part in rule.split(","))


def test_a_single_state_is_a_picture():
    assert parsed(draw(automaton([], states=["alone"]))).tag == f"{SPACE}svg"
