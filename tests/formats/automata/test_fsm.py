"""FSMlib's tables: the four types, names, exact errors, and what is written is read again."""

from __future__ import annotations

import time
from random import Random

import pytest

from helpers.formats import again, complaint
from helpers.odd_models import draw
from outplay.errors import FormatError
from outplay.formats.automata import fsm
from outplay.formats.common.source import ReadLimits, Source
from outplay.model.machine import Machine

MEALY = """2 1
2 2 3
2
0\t0\t1
1\t2\t-1
0\t1\t0
1\t0\t-1
2 state labels
0 idle
1 very busy
2 input labels
0 coin
1 push
3 output labels
0 beep
1 none
2 3.14
"""


def read(text, **options):
    return fsm.read(Source("m", text), **options)


def test_mealy_machines_with_names_and_missing_steps():
    steps = ((0, "coin", "beep", 1), (0, "push", "none", 0), (1, "coin", "3.14", 0))
    assert read(MEALY) == Machine(("idle", "very busy"), steps, 0, "m")


def test_without_names_everything_is_called_by_its_number():
    steps = ((0, "0", "0", 1), (0, "1", "1", 0), (1, "0", "2", 0))
    assert read(MEALY[: MEALY.index("2 state")]) == Machine(("0", "1"), steps, 0, "m")


def test_moore_machines_show_the_output_of_the_state_reached():
    steps = ((0, "0", "1", 1), (1, "0", "0", 0))
    assert read("3 0\n2 1 2\n2\n0 0\n1 1\n0 1\n1 0\n") == Machine(("0", "1"), steps, 0, "m", moore=True)


def test_a_dfa_is_a_moore_machine_that_shows_whether_it_accepts():
    assert read("4 0\n2 1 2\n2\n0 0\n1 1\n0 1\n1 0\n").outputs == ("1", "0")


def test_a_dfsm_shows_the_output_of_the_step_and_that_of_the_state_reached():
    model = read("1 0\n2 1 4\n2\n0 0\n1 1\n0 2\n1 3\n0 1\n1 0\n")
    assert model.steps == ((0, "0", "2 1", 1), (1, "0", "3 0", 0))
    assert not model.moore


def test_states_may_come_in_any_order_and_with_gaps():
    model = read("2 0\n2 1 1\n9\n8 0\n0 0\n8 0\n0 8\n")
    assert (model.names, model.steps) == (("0", "8"), ((0, "0", "0", 1), (1, "0", "0", 0)))


def test_a_large_state_number_takes_no_room():
    start = time.process_time()
    assert read("2 0\n2 1 1\n99999999999999999\n99999999999999998 0\n0 0\n0 0\n99999999999999998 0\n").deterministic
    assert time.process_time() - start < 1


@pytest.mark.parametrize("block", range(10))
def test_what_is_written_is_read_again(block):
    for seed in range(20 * block, 20 * block + 20):
        model = draw.machine(Random(seed), deterministic=True)
        assert again(fsm, model) == model, seed


def test_a_machine_whose_steps_come_in_another_order_keeps_them_all():
    for seed in range(100):
        rng = Random(seed)
        model = draw.machine(rng, deterministic=True)
        steps = rng.sample(model.steps, len(model.steps))
        shuffled = Machine(model.names, tuple(steps), 0, "m", model.moore)
        assert set(again(fsm, shuffled).steps) == set(steps)


ROWS = "2 0\n2 2 2\n2\n0 0 1\n1 0 1\n"
TABLE = f"{ROWS}0 1 0\n1 1 0\n"
BAD = {
    "": "m:1:1: the file ends too early; start with the type (1 to 4) and 0 or 1 for reduced",
    "2": "m:1:1: '2' is not as expected; start with the type (1 to 4) and 0 or 1 for reduced",
    "5 0\n1 1 1\n1": "m:1:1: type 5; write 1 for DFSM, 2 for Mealy, 3 for Moore or 4 for DFA",
    "2 0\n2 2\n": "m:2:1: '2 2' is not as expected; write the numbers of states, inputs and outputs",
    "2 0\n0 0 0\n0": "m:2:1: no states; a machine has at least one",
    "4 0\n1 1 0\n1\n": "m:2:1: no outputs; a machine without them cannot be tested",
    "2 0\n2 1 1\n1": "m:3:1: 2 states do not fit below 1; write one more than the largest state",
    ROWS: "m:5:1: the file ends too early; write for each state, of which there are 2, one next state for each input",
    "2 0\n2 2 2\n2\n0 0 1\n1 0\n": "m:5:1: a row of 2 numbers instead of 3; "
    "write the state and one output for each input",
    "2 0\n2 2 2\n2\n0 0 1\n0 0 1\n": "m:5:1: state 0 stands twice; write one row for each state",
    "2 0\n2 2 2\n2\n0 0 1\n7 0 1\n": "m:5:1: state 7 is not below 2; write one row for each state",
    "2 0\n2 2 2\n2\n0 0 x\n": "m:4:5: 'x' is no number of a state, input or output; write digits, or -1 for none",
    "2 0\n2 2 2\n2\n0 0 1-1\n": "m:4:5: '1-1' is no number of a state, input or output; write digits, or -1 for none",
    "2 0\n2 2 2\n2\n0 0 5\n": "m:4:5: 5 is not from -1 to 1; write one output for each input",
    f"{ROWS}0 1 0\n1 1 9\n": "m:7:5: 9 is not from -1 to 1; write one next state for each input",
    TABLE.replace("0 0 1", "0 0 -1"): "m:6:1: the step of state 0 on input 1 has no output; write -1 for no step",
    "2 0\n1 1 1\n99\n0 0\n0 77": "m:5:1: the step of state 0 on input 0 leads to a state that has no row; "
    "write -1 for no step",
    "2 0\n1 1 1\n3\n1 0\n1 1": "m:5:1: no state 0, which is the initial one; renumber the states",
    f"{TABLE}foo": "m:8:1: 'foo' has no meaning here; "
    "write for instance 2 input labels, and 2 lines of number and name",
    f"{TABLE}3 state labels\n": "m:8:1: 3 state labels, but there are 2; mend the number",
    f"{TABLE}2 state labels\n0 a\n": "m:9:1: the file ends too early; write 2 lines of number and name",
    f"{TABLE}2 state labels\n0 a\n1 a": "m:8:1: two states are called 'a'; rename one",
    f"{TABLE}2 input labels\n0 a\n0 b": "m:10:1: '0 b' stands twice; write a number and a name",
    "2 0\n2000000 1 1\n2000000": "m:2:1: 2,000,000 states, more than 1,000,000; "
    "raise --max-states or make the model smaller",
    "2 0\n1000 100000 1\n1000": "m:2:1: 100,000,000 transitions, more than 10,000,000; "
    "raise --max-edges or make the model smaller",
}


@pytest.mark.parametrize("text", BAD)
def test_a_bad_file_is_refused_in_one_line_that_names_the_place(text):
    assert complaint(fsm.read, text) == BAD[text]


def test_limits_can_be_lowered():
    assert "4 transitions, more than 3;" in complaint(fsm.read, TABLE, limits=ReadLimits(edges=3))


@pytest.mark.parametrize(
    ("model", "why"),
    [
        (Machine(("a", "b"), (), 1), "put the initial state first"),
        (Machine(("a",), ((0, "x", "y", 0), (0, "x", "z", 0))), "deterministic machines only"),
        (Machine(("a ",), ()), "'a ' cannot be a name in .fsm"),
        (Machine(("a",), ((0, "x", "", 0),)), "'' cannot be a name in .fsm"),
        (Machine(("a", "a"), ()), "two states are called 'a'"),
    ],
)
def test_what_the_format_cannot_hold_is_refused_before_anything_is_written(model, why):
    with pytest.raises(FormatError, match=why):
        fsm.write(model)


def test_three_hundred_thousand_steps_take_seconds_at_most():
    states, inputs = 3_000, 100
    rows = "\n".join(f"{state} {' '.join(str((state * a) % 7) for a in range(inputs))}" for state in range(states))
    start = time.process_time()
    model = read(f"2 0\n{states} {inputs} 7\n{states}\n{rows}\n{rows}\n")
    assert time.process_time() - start < 5
    assert len(model.steps) == 300_000
