"""Storm's text format: processes and chains as games, exact numbers and errors, and what is written is read again."""

from __future__ import annotations

import time
from fractions import Fraction
from random import Random

import pytest

from helpers.formats import again, complaint
from helpers.odd_models import draw
from outplay import GameBuilder
from outplay.errors import FormatError, UsageError
from outplay.formats.common.source import ReadLimits, Source
from outplay.formats.games import drn

HEAD = "@type: MDP\n@nr_states\n2\n@nr_choices\n2\n@model\n"
BODY = "state 0 init\n\taction a\n\t\t0 : 1/3\n\t\t1 : 2/3\nstate 1 done\n\taction b\n\t\t1 : 1\n"
FULL = """// Exported by storm
// Original model type: MDP
@type: MDP
@value_type: double
@parameters

@reward_models
energy time
@nr_states
3
@nr_choices
4
@model
state 0 [5, 2] init
//[s=0]
	action go [0, 0.5]
		1 : 0.1
		2 : 0.9
	action __NOLABEL__ [1, 0]
		2 : 1
state 1 [0, 0] "two words" safe
	action 0 [0, 0]
		1 : 1
state 2 [0, 0] safe
	action 0 [0, 0]
		2 : 1
"""


def read(text, **options):
    return drn.read(Source("m", text), **options)


def test_a_state_is_the_testers_and_an_action_a_vertex_of_the_system_behind_it():
    builder = GameBuilder()
    builder.vertex("0", "tester").vertex("1", "tester", goals=["two words", "safe"]).vertex(
        "2", "tester", goals=["safe"]
    )
    for choice in ("0/0", "0/1", "1/0", "2/0"):
        builder.vertex(choice, "system")
    builder.edge("0", "0/0", "go", cost=5, moves=0).edge("0", "0/1", "", cost=6, moves=0)
    builder.edge("1", "1/0", "0", cost=0, moves=0).edge("2", "2/0", "0", cost=0, moves=0)
    builder.edge("0/0", "1", "go", cost=0, probability="1/10").edge("0/0", "2", "go", cost=0, probability="9/10")
    builder.edge("0/1", "2", "", cost=0, probability=1)
    builder.edge("1/0", "1", "0", cost=0, probability=1).edge("2/0", "2", "0", cost=0, probability=1)
    assert read(FULL) == builder.build()


def test_another_reward_model_can_be_named():
    assert [read(FULL, reward="time").cost[edge] for edge in (0, 1)] == [Fraction(5, 2), 2]
    with pytest.raises(UsageError, match=r"m: no reward model 'tim'; did you mean 'time'\?"):
        read(FULL, reward="tim")


def test_without_a_reward_model_each_step_costs_one():
    game = read(HEAD + BODY)
    assert [game.cost[edge] for edge in range(game.edge_count)] == [1, 1, 0, 0, 0]


def test_a_step_of_the_process_is_one_move():
    assert read(HEAD + BODY).moves.tolist() == [0, 0, 1, 1, 1]


@pytest.mark.parametrize("action", ["\taction 0 [0]\n", ""])
def test_the_states_of_a_chain_are_the_systems(action):
    text = (
        f"@type: DTMC\n@reward_models\ntime\n@nr_states\n2\n@model\nstate 0 [2] init\n{action}\t\t1 : 1\nstate 1 [0]\n"
    )
    game = read(text)
    assert (game.owner.tolist(), game.moves.tolist(), game.cost[0]) == ([1, 1], [1], 2)


def test_numbers_are_exact_and_may_be_placeholders():
    game = read("@placeholders\n$p : 1/3\n$q : 0.1\n" + HEAD + BODY.replace("0 : 1/3", "0 : $p"))
    assert game.probability[2] == Fraction(1, 3)
    assert read(HEAD + BODY.replace("1/3", "1e-1").replace("2/3", "0.9")).probability[2] == Fraction(1, 10)


@pytest.mark.parametrize("block", range(10))
def test_what_is_written_is_read_again(block):
    for seed in range(20 * block, 20 * block + 20):
        game = draw.process(Random(seed))
        assert again(drn, game) == game, seed


def without(text, *changes):
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return text


NUMBER = "write a number of at most 300 digits, such as 2, 0.5 or 1/3"
BAD = {
    "": "m:1:1: the file ends before @model; write @model and the states behind it",
    "@type: CTMC\n": "m:1:1: 'CTMC': a model of this type is not read; write @type: MDP or @type: DTMC",
    "@type: MA\n": "m:1:1: 'MA': a model of this type is not read; write @type: MDP or @type: DTMC",
    "@type: POMDP\n": "m:1:1: 'POMDP': a model of this type is not read; write @type: MDP or @type: DTMC",
    "@type: MPD\n": "m:1:1: 'MPD': an unknown type of model; write @type: MDP or @type: DTMC",
    "@nr_states\n1\n@model": "m:3:1: no @type before @model; write @type: MDP",
    "@type: MDP\n@model": "m:2:1: no @nr_states above 0 before @model; write @nr_states and the number below",
    "@type: MDP\n@nr_states\nx": "m:3:1: 'x' is no number after @nr_states; write it in digits",
    "@typ: MDP\n": "m:1:1: '@typ: MDP' has no meaning before @model; did you mean '@type'?",
    "@parameters\np q\n": "m:2:1: parameters 'p q'; put numbers in their place first",
    "@value_type: double-interval\n": "m:1:1: values of type 'double-interval'; "
    "write exact numbers, of type double or rational",
    "@placeholders\nx : 1\n": "m:2:1: 'x' is no placeholder; write $name : value",
    HEAD: "m:3:1: the header says 2 states, the file has 0; mend the header",
    HEAD + BODY + "state 2\n": "m:14:1: the header says 2 states, the file has more; mend the header",
    without(HEAD, ("choices\n2", "choices\n3")) + BODY: "m:5:1: the header says 3 choices, the file has 2; "
    "mend the header",
    without(HEAD, ("states\n2", "states\n9999999")): "m:3:1: 9,999,999 states, more than 1,000,000; "
    "raise --max-states or make the model smaller",
    HEAD + without(BODY, ("1/3", "1/4")): "m:8:1: probabilities sum to 0.916666666667, not 1; "
    "add the missing outcome or mend them",
    HEAD + without(BODY, ("1/3", "p")): f"m:9:7: 'p' is no exact number; {NUMBER}",
    HEAD + without(BODY, ("1/3", "-1")): "m:9:7: '-1' is no exact number; it must be 0 or more",
    HEAD + without(BODY, ("1/3", "nan")): f"m:9:7: 'nan' is no exact number; {NUMBER}",
    HEAD + without(BODY, ("1/3", "[0, 1]")): "m:9:7: '[0, 1]' is no exact number; intervals are not read",
    HEAD + without(BODY, ("1/3", "0")): "m:9:7: probability '0'; it must be above 0 and at most 1",
    HEAD + without(BODY, ("1 : 2/3", "5 : 2/3")): "m:10:3: target 5, but the model has 2 states, numbered from 0; "
    "mend the target",
    HEAD + without(BODY, ("init", "")): "m:6:1: 0 states are labelled init; label exactly one",
    HEAD + without(BODY, ("done", "init")): "m:6:1: 2 states are labelled init; label exactly one",
    HEAD + without(BODY, ("done", '"done')): "m:11:1: '\"done' is no label; "
    "write labels with blanks between them, quotes closed",
    HEAD + without(BODY, ("0 init", "0 [1 init")): "m:7:1: a bracket is opened and never closed; write ]",
    "@reward_models\na b\n" + HEAD + without(BODY, ("0 init", "0 [1] init")): "m:9:1: 1 cost in brackets "
    "for 2 reward models; write one for each",
    HEAD + without(BODY, ("0 init", "0 [-2] init")): "m:8:1: '-2' is no exact number; it must be 0 or more",
    HEAD + without(BODY, ("0 init", "0 !3 init")): "m:7:1: rates and observations are not read; "
    "write a model of type MDP or DTMC",
    HEAD + "state 1\n": "m:7:1: state '1' where 0 is next; number the states from 0 without gaps",
    HEAD + "\taction a\n": "m:7:1: an action before the first state; write state 0 above it",
    HEAD + "state 0\n 1 : 1\n": "m:8:1: an outcome without an action; write action NAME above it",
    HEAD + without(BODY, ("action b", "action b c")): "m:12:1: 'c' has no meaning here; write action NAME [COST]",
    HEAD + " garbage": "m:7:2: 'garbage' is no line of a model; "
    "write state NUMBER, action NAME, or TARGET : PROBABILITY",
    without(HEAD, ("MDP", "DTMC")) + "state 0 init\naction a\naction b": "m:9:1: a second action in a Markov chain; "
    "write @type: MDP",
}


@pytest.mark.parametrize("text", BAD)
def test_a_bad_file_is_refused_in_one_line_that_names_the_place(text):
    assert complaint(drn.read, text) == BAD[text]


def test_limits_can_be_lowered():
    assert "3 transitions, more than 2;" in complaint(drn.read, HEAD + BODY, limits=ReadLimits(edges=2))


def two(label="go", **changes):
    """A process of two states, changed in one respect."""
    given = {"cost": 1, "moves": 0, "later_cost": 0, "later_moves": 1, "probability": 1, "owner": "tester", **changes}
    builder = GameBuilder().vertex("0", given["owner"]).vertex("1", "tester", gain=given.get("gain", 1))
    builder.vertex("c", "system", goals=given.get("goals", []))
    builder.edge("0", given.get("straight", "c"), label, cost=given["cost"], moves=given["moves"])
    builder.edge(
        "c",
        given.get("back", "1"),
        given.get("later", label),
        cost=given["later_cost"],
        moves=given["later_moves"],
        probability=given["probability"],
    )
    return builder.goal(given.get("goal", "done"), ["1"]).build()


@pytest.mark.parametrize(
    ("game", "why"),
    [
        (two(moves=1), "the edge 'e0' is a decision of the tester and counts a move"),
        (two(straight="1"), "0 edges, not one, lead to the system's vertex 'c'"),
        (two(later_cost=1), "the edge 'e1' is an outcome and has a cost"),
        (two(later_moves=0), "the edge 'e1' is an outcome and counts no move"),
        (two(probability=None), "the edge 'e1' is an outcome and has no probability"),
        (two(later="stop"), "the edge 'e1' is labelled otherwise than its action"),
        (two(back="c"), "2 edges, not one, lead to the system's vertex 'c'"),
        (two(owner="system"), "the initial vertex '0' is the system's"),
        (two(goals=["done"]), "the goal 'done' holds at 'c', which is the system's"),
        (two(gain=2), "it has gains other than 1"),
        (two(label="two words"), "the label 'two words' cannot be an action in .drn"),
        (two(goal='"'), "the goal '\"' cannot be a label there"),
        (two(goal="init"), "the goal 'init' cannot be a label there"),
    ],
)
def test_what_the_format_cannot_hold_is_refused_before_anything_is_written(game, why):
    with pytest.raises(FormatError) as refused:
        drn.write(game)
    assert why in str(refused.value)


def test_a_process_of_that_shape_loses_only_the_names_of_its_vertices():
    game = drn.read(Source("m", "".join(drn.write(two()))))
    assert (list(game.names), game.goals["done"].tolist()) == (["0", "1", "0/0"], [1])


def test_a_hundred_thousand_lines_take_seconds_at_most():
    count = 30_000
    states = "".join(
        f"state {n}{' init' if n == 0 else ''}\n\taction a\n\t\t{n * 7 % count} : 1\n" for n in range(count)
    )
    start = time.process_time()
    assert read(f"@type: MDP\n@nr_states\n{count}\n@model\n{states}").vertex_count == 2 * count
    assert time.process_time() - start < 5
