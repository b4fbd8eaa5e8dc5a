"""VLTS graphs as CSV."""

from __future__ import annotations

from contextlib import suppress
from random import Random

import pytest

from helpers.formats import again, complaint
from helpers.odd_models import draw
from outplay.errors import FormatError
from outplay.formats.automata import vlts_csv
from outplay.formats.automata.aut import numbered
from outplay.formats.common.source import ReadLimits, Source
from outplay.model.automaton import automaton
from outplay.model.label import TAU, Label


def read(text):
    return vlts_csv.read(Source("m", text))


def test_labels_in_quotes_and_without_and_the_internal_step():
    model = read('0,1,"E_TO_C1 !req"\n0,2,"i"\n\n2 , 1 , plain label\r\n1,0,"say ""hi"", twice"\n')
    assert (model.names, model.initial) == (("0", "1", "2"), 0)
    labels = [str(label) for _, label, _ in model.transitions()]
    assert labels == ["E_TO_C1 !req", "tau", 'say "hi", twice', "plain label"]
    assert model.moves(0)[1] == (Label(TAU), 2)


def test_there_are_as_many_states_as_the_largest_number_says():
    assert read("0,4,a").state_count == 5


@pytest.mark.parametrize("block", range(10))
def test_what_is_written_is_read_again(block):
    done = seed = 0
    while done < 20:
        rng = Random(f"{block} {seed}")
        seed += 1
        model = numbered(draw.automaton(rng, neutral=rng.random() < 0.5))
        with suppress(FormatError):  # a last state that no transition speaks of
            assert again(vlts_csv, model) == model, seed
            done += 1


BAD = {
    "": 'm:1:1: no transitions; write source,target,"label", one a line',
    "0,1": "m:1:1: '0,1' is no transition; write source,target,\"label\"",
    '0,1,"a"\n0;1;a': "m:2:1: '0;1;a' is no transition; write source,target,\"label\"",
    '0,1,"a': "m:1:5: the label '\"a' is not in quotes from end to end; write a quote inside it twice",
    '0,1,"a"b"': 'm:1:5: the label \'"a"b"\' is not in quotes from end to end; write a quote inside it twice',
    '0,1,a"b': "m:1:5: the label 'a\"b' is not in quotes from end to end; write a quote inside it twice",
    "a,1,x": "m:1:1: 'a' is no state; states are numbers from 0: write source,target,\"label\"",
    '0,b,"x"': "m:1:3: 'b' is no state; states are numbers from 0: write source,target,\"label\"",
    "-1,0,a": "m:1:1: '-1' is no state; states are numbers from 0: write source,target,\"label\"",
    "0,1.5,a": "m:1:3: '1.5' is no state; states are numbers from 0: write source,target,\"label\"",
    "0,1,": "m:1:5: an empty label; write ?input, !output, or tau for an internal step",
    '0, 1,  ""': "m:1:8: an empty label; write ?input, !output, or tau for an internal step",
    '0,99999999,"a"': "m:1:1: 100,000,000 states, more than 1,000,000; raise --max-states or make the model smaller",
    "source,target,label": "m:1:1: 'source' is no state; states are numbers from 0: write source,target,\"label\"",
}


@pytest.mark.parametrize("text", BAD)
def test_a_bad_file_is_refused_in_one_line_that_names_the_place(text):
    assert complaint(vlts_csv.read, text) == BAD[text]


def test_limits_can_be_lowered():
    assert "2 transitions, more than 1;" in complaint(vlts_csv.read, "0,0,a\n0,0,b", limits=ReadLimits(edges=1))


@pytest.mark.parametrize(
    ("model", "why"),
    [
        (automaton([("0", "?x", "1")], initial="1"), "the initial state is not the first one"),
        (automaton([("0", "?x", "0")], states=["0", "1"]), "no transition speaks of the state '1'"),
        (automaton([], states=["0"]), "no transition speaks of the state '0'"),
        (automaton([("0", Label("?", "(\n"), "1")]), "holds a line break"),
        (automaton([("0", Label("", "i"), "1")]), "'i' would be read as another one"),
    ],
)
def test_what_the_format_cannot_hold_is_refused_before_anything_is_written(model, why):
    with pytest.raises(FormatError, match="automaton: ") as refused:
        vlts_csv.write(model)
    assert why in str(refused.value)
