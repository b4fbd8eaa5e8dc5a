"""PRISM's explicit files: transitions with labels and states beside them."""

from __future__ import annotations

from random import Random

import pytest

from helpers.formats import complaint
from helpers.odd_models import draw
from outplay import GameBuilder
from outplay.errors import FormatError
from outplay.formats.common.source import ReadLimits, Source
from outplay.formats.games import drn, prism

TRA = "2 2 3\n0 0 0 1/3 go\n0 0 1 2/3 go\n1 0 1 1 stay\n"
LAB = '0="init" 1="deadlock" 2="done"\n0: 2\n1: 0 2\n'
STA = "(x,on)\n0:(0,false)\n1:(-1,true)\n"


def read(tra, lab=None, sta=None, **options):
    labels, states = (None if text is None else Source(name, text) for name, text in (("lab", lab), ("sta", sta)))
    return prism.read(Source("m", tra), labels=labels, states=states, **options)


def test_a_process_with_labels_and_values():
    game = read(TRA, LAB, STA)
    assert list(game.names) == ["x=0,on=false", "x=-1,on=true", "x=0,on=false/0", "x=-1,on=true/0"]
    assert {name: members.tolist() for name, members in game.goals.items()} == {"deadlock": [], "done": [0, 1]}
    assert game.initial == 1
    assert [str(game.probability[edge]) for edge in range(2, 5)] == ["1/3", "2/3", "1"]


def test_it_is_the_game_that_the_same_process_in_drn_is():
    text = "@type: MDP\n@nr_states\n2\n@model\nstate 0 init\naction go\n0 : 1/3\n1 : 2/3\nstate 1\naction stay\n1 : 1\n"
    assert read(TRA) == drn.read(Source("m", text))


def test_two_counts_in_the_first_line_make_a_chain():
    game = read("2 2\n0 1 1.0\n1 1 1 done\n")
    assert (game.owner.tolist(), game.moves.tolist(), game.initial) == ([1, 1], [1, 1], 0)


def test_the_lines_may_come_in_any_order():
    first, *lines = TRA.splitlines(keepends=True)
    assert read(first + lines[2] + lines[0] + lines[1]) == read(TRA)


@pytest.mark.parametrize("block", range(10))
def test_what_is_written_is_read_again(block):
    for seed in range(20 * block, 20 * block + 20):
        rng = Random(seed)
        values = None if seed % 2 else lambda count: [f"x={n},y={n % 2}" for n in range(count)]
        game = draw.process(rng, costs=False, names=values)
        texts = [prism.write(game), prism.write_labels(game), prism.write_states(game)]
        assert read(*(None if text is None else "".join(text) for text in texts)) == game, seed


FIRST = "write the numbers of states, choices and transitions (of states and transitions for a Markov chain)"
NUMBER = "write a number of at most 300 digits, such as 2, 0.5 or 1/3"
BAD = {
    "": f"m:1:1: an empty file; {FIRST} in the first line",
    "2": f"m:1:1: '2' is no first line; {FIRST}",
    "2 x 3": f"m:1:1: '2 x 3' is no first line; {FIRST}",
    "0 0 0": "m:1:1: no states; a model has at least one",
    TRA + "1 0 1 1 stay\n": "m:1:1: the first line says 3 transitions, the file has 4; mend the first line",
    TRA.replace("2 2 3", "2 3 3"): "m:1:1: the first line says 3 choices, the file has 2; mend the first line",
    TRA.replace(
        "1/3", "1/4"
    ): "m:2:1: probabilities sum to 0.916666666667, not 1; add the missing outcome or mend them",
    TRA.replace("1/3", "a"): f"m:2:7: probability 'a'; {NUMBER}",
    TRA.replace("1/3", "inf"): f"m:2:7: probability 'inf'; {NUMBER}",
    TRA.replace("1/3", "2"): "m:2:7: probability '2'; it must be above 0 and at most 1",
    TRA.replace("1/3 go", "1/3 stop"): "m:3:1: two actions, 'stop' and 'go', in one choice; keep one",
    TRA.replace("1 0 1 1", "1 1 1 1"): "m:4:1: choice 1 of state 1 where 0 is next; number choices from 0",
    TRA.replace("1 0 1 1", "1 0 7 1"): "m:4:1: state 7, but the model has 2 states, numbered from 0; mend one of them",
    TRA.replace("1 0 1 1", "1 a 1 1"): "m:4:3: 'a' is no number; write digits",
    "1 1 1\n0 0 0\n": "m:2:1: '0 0 0' is no transition; write state choice target probability, "
    "and an action if you like",
    "9999999 2 3": "m:1:1: 9,999,999 states, more than 1,000,000; raise --max-states or make the model smaller",
    "2 2 99999999": "m:1:1: 99,999,999 transitions, more than 10,000,000; raise --max-edges or make the model smaller",
}
BAD_LABELS = {
    "": 'lab:1:1: an empty file; write 0="init" in the first line',
    '0="init"': 'lab:1:1: 0 states are labelled "init"; label exactly one',
    '0="init"\n0: 0\n1: 0': 'lab:1:1: 2 states are labelled "init"; label exactly one',
    '0="init"\n0: 3': "lab:2:1: label 3 is not declared in the first line; declare it there",
    '0="init"\n5: 0': "lab:2:1: state 5, but the model has 2 states, numbered from 0; mend it",
    '0="init" 0="x"': "lab:1:10: the label '0=\"x\"' stands twice; keep one",
    '0="init" 1="init"': "lab:1:10: the label '1=\"init\"' stands twice; keep one",
    '0="init" x': 'lab:1:9: \'x\' declares no label; write 0="init" 1="done"',
    '0="init"\n0 0': "lab:2:1: '0 0' is no line of labels; write STATE: LABEL LABEL, by number",
    '0="init"\n0: x': "lab:2:1: '0: x' is no line of labels; write STATE: LABEL LABEL, by number",
}
BAD_STATES = {
    "": "sta:1:1: no names of variables; write (x,y) in the first line",
    "x": "sta:1:1: no names of variables; write (x,y) in the first line",
    "(x,y)\n0:(1)": "sta:2:1: '0:(1)' is not the values of 2 variables; write NUMBER:(value,value)",
    "(x)\n0:(a b)": "sta:2:1: '0:(a b)' is not the values of 1 variable; write NUMBER:(value)",
    "(x)\n1:(1)": "sta:2:1: state '1' where 0 is next; list all states in order",
    "(x)\n0:(1)": "sta:1:1: values of 1 state, but the model has 2; list all of them",
    "(x)\n0:(1)\n1:(1)": "sta:3:1: two states have the values 'x=1'; mend one of them",
}


@pytest.mark.parametrize("text", BAD)
def test_a_bad_file_is_refused_in_one_line_that_names_the_place(text):
    assert complaint(prism.read, text) == BAD[text]


@pytest.mark.parametrize("text", BAD_LABELS)
def test_bad_labels_are_refused(text):
    assert complaint(prism.read, TRA, labels=Source("lab", text)) == BAD_LABELS[text]


@pytest.mark.parametrize("text", BAD_STATES)
def test_bad_values_of_states_are_refused(text):
    assert complaint(prism.read, TRA, states=Source("sta", text)) == BAD_STATES[text]


def test_limits_can_be_lowered():
    assert "3 transitions, more than 2;" in complaint(prism.read, TRA, limits=ReadLimits(edges=2))


def test_what_the_format_cannot_hold_is_refused_before_anything_is_written():
    def one(**changes):
        builder = GameBuilder().vertex("0", "system")
        return builder.edge("0", "0", **{"probability": 1, "cost": 1, **changes})

    for game, why in [
        (one(cost=2).build(), "a step costs 2, and .tra has no costs other than 1; write .drn or .json"),
        (one(label="a b").build(), "the label 'a b' cannot be an action in .tra; rename it"),
        (one(probability=None).build(), "the edge 'e0' is an outcome and has no probability; write .json or .dot"),
    ]:
        with pytest.raises(FormatError) as refused:
            prism.write(game)
        assert str(refused.value).endswith(why)
    with pytest.raises(FormatError, match=r"the goal 'init' cannot be a label in .lab; rename it"):
        prism.write_labels(one().goal("init", ["0"]).build())


def test_states_with_other_names_have_no_values():
    game = GameBuilder().vertex("x=1", "system").vertex("y=2", "system").build()
    assert prism.write_states(game) is None
