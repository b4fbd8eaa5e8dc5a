"""Aldebaran files: the dialects found, exact errors, and what is written is read again."""

from __future__ import annotations

from contextlib import suppress
from random import Random

import pytest

from helpers.formats import again, complaint
from helpers.odd_models import draw
from outplay import read_model, write_model
from outplay.errors import FormatError
from outplay.formats.automata import aut
from outplay.formats.common.source import ReadLimits, Source
from outplay.model.automaton import automaton
from outplay.model.label import TAU, Label

CADP = """des (0, 4, 3)
(0,"PUT !1",1)
(1,"i",2)
(1, "say "hi", (a, b)" ,0)
(2,GET,0)
"""
NAMED = """des (Idle,3,3)
(Idle, 0_i, Busy),
(Busy, 1_o, Idle),
(Busy, 2_o, Done)"""


def read(text, **options):
    return aut.read(Source("m", text), **options)


def test_numbered_states_labels_with_and_without_quotes_and_the_internal_step():
    model = read(CADP)
    assert model.names == ("0", "1", "2")
    assert [str(label) for _, label, _ in model.transitions()] == ["PUT !1", "tau", 'say "hi", (a,b)', "GET"]
    assert model.moves(1)[0] == (Label(TAU), 2)


def test_named_states_unquoted_labels_endings_and_commas_at_the_end_of_lines():
    model = read(NAMED)
    assert model.names == ("Idle", "Busy", "Done")
    assert [str(label) for _, label, _ in model.transitions()] == ["?0", "!1", "!2"]


@pytest.mark.parametrize("text", ["des(1,1,2)\r\n(0 ,?a, 1)\r\n", "\n  des (1, 1, 2)   \n\n (0,\t?a ,1) \n"])
def test_blanks_and_line_ends_do_not_matter(text):
    assert read(text) == automaton([("0", "?a", "1")], states=["0", "1"], initial="1")


def test_numbered_states_exist_whether_or_not_a_line_speaks_of_them():
    assert read("des (1,0,3)").names == ("0", "1", "2")
    assert read("des (1,0,3)").initial == 1


def test_the_model_is_called_like_its_file_unless_a_name_is_given():
    assert aut.read(Source("lamp.aut", CADP)).name == "lamp.aut"
    assert read(CADP, name="lamp").name == "lamp"


def test_texts_that_mean_the_same_are_one_label_and_double_transitions_one():
    assert read("des (0,3,1)\n(0,delta,0)\n(0,QUIESCENCE,0)\n(0,δ,0)").transition_count == 1


@pytest.mark.parametrize("block", range(10))
def test_what_is_written_is_read_again(block):
    for seed in range(20 * block, 20 * block + 20):
        rng = Random(seed)
        model = draw.automaton(rng, numbers=True, neutral=rng.random() < 0.5)
        assert again(aut, model) == model, seed


def test_named_states_are_kept_or_refused():
    kept = 0
    for seed in range(200):
        model = draw.automaton(Random(seed), odd=True)
        for one in (model, aut.numbered(model)):
            with suppress(FormatError):
                assert again(aut, one) == one, seed
                kept += 1
    assert kept > 20


def test_named_states_in_the_order_of_their_lines_are_kept():
    model = read(NAMED)
    assert again(aut, model) == model


def test_numbering_keeps_behaviour_and_puts_the_initial_state_first():
    model = automaton([("a", "?x", "b"), ("b", "!y", "a")], initial="b")
    assert aut.numbered(model) == automaton([("1", "?x", "0"), ("0", "!y", "1")], states=["0", "1"], initial="0")


BAD = {
    "": "m:1:1: an empty file; start with des (INITIAL,TRANSITIONS,STATES)",
    "des 0,1,2": "m:1:1: 'des 0,1,2' is no header; start with des (INITIAL,TRANSITIONS,STATES)",
    "des (0,2,2)\n(0,a,1)": "m:1:1: the header says 2 transitions, the file has 1; mend the header",
    "\ndes (a,1,3)\n(a,x,b)": "m:2:1: the header says 3 states, the file names 2; mend the header",
    "des (0,1,2)\n(0,a,2)": "m:2:1: state 2, but the header says 2 states, numbered from 0; mend one of them",
    "des (5,0,2)": "m:1:1: state 5, but the header says 2 states, numbered from 0; mend one of them",
    "des (0,1,2)\n 0,a,1": "m:2:2: '0,a,1' is no transition; write a transition as (0,\"label\",1)",
    "des (0,1,2)\n(0,a)": "m:2:1: '(0,a)' is no transition; write a transition as (0,\"label\",1)",
    'des (0,1,2)\n(0, "a,1)': "m:2:5: the label '\"a' opens a quote and does not close it; "
    'write a transition as (0,"label",1)',
    'des (0,1,2)\n(0,"",1)': "m:2:4: an empty label; write ?input, !output, or tau for an internal step",
    "des (0,1,2)\n(x y,a,1)": "m:2:2: 'x y' is no state; write a number or a name without blanks, quotes and brackets",
    'des (0,1,2)\n(0,"?a",1) x': 'm:2:1: \'(0,"?a",1) x\' is no transition; write a transition as (0,"label",1)',
    "des (0,0,2000001)": "m:1:1: 2,000,001 states, more than 1,000,000; raise --max-states or make the model smaller",
    "des (0,99999999,2)": "m:1:1: 99,999,999 transitions, more than 10,000,000; "
    "raise --max-edges or make the model smaller",
    f"des (0,{'9' * 5000},2)": "m:1:1: a count in the header is too long; raise --max-states or --max-edges",
    f"des (0,1,1)\n(0,{'a' * 100_001},0)": "m:2:4: a label of 100,001 characters, more than 100,000; shorten it",
}


@pytest.mark.parametrize("text", BAD)
def test_a_bad_file_is_refused_in_one_line_that_names_the_place(text):
    assert complaint(aut.read, text) == BAD[text]


def test_limits_can_be_raised_and_lowered():
    assert "more than 1;" in complaint(aut.read, CADP, limits=ReadLimits(states=1))
    assert read("des (0,0,1000001)", limits=ReadLimits(states=2_000_000)).state_count == 1_000_001


@pytest.mark.parametrize(
    ("model", "why"),
    [
        (automaton([("a b", "?x", "c")]), "the state name 'a b' cannot be written in .aut"),
        (automaton([("a", "?x", "b")], initial="b"), "numbers named states as its lines meet them"),
        (automaton([("1", "?x", "0")]), "the names of the states are numbers, but not their own"),
        (automaton([("0", Label("", "coin?"), "1")]), "'coin?' would be read as another one"),
        (automaton([("0", Label("?", "(\n"), "1")]), "holds a line break"),
    ],
)
def test_what_the_format_cannot_hold_is_refused_before_anything_is_written(model, why):
    with pytest.raises(FormatError, match="automaton: ") as refused:
        aut.write(model)
    assert why in str(refused.value)


@pytest.mark.timeout(100)  # seconds, where it takes less than one
def test_a_hundred_thousand_transitions_are_read_in_linear_time():
    lines = "\n".join(f'({n},"?a{n % 50}",{(n * 7 + 1) % 100_000})' for n in range(100_000))
    assert read(f"des (0,100000,100000)\n{lines}").transition_count == 100_000


@pytest.mark.parametrize("ending", [".aut", ".csv", ".dot"])
def test_a_label_that_ends_in_a_blank_is_refused_where_blanks_are_cut(ending, tmp_path):
    (tmp_path / "m.aut").write_text("des (0,1,1)\n(0, a\x85_i, 0)", encoding="utf-8")
    with pytest.raises(FormatError, match="would be read as another one"):
        write_model(tmp_path / f"again{ending}", read_model(tmp_path / "m.aut"))
