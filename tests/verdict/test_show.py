from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from helpers.automata import specification_of
from helpers.traces import trace_of
from outplay import Model, controllable, explore, internal, observable, specification
from outplay.escaping import escaped
from outplay.play.trace import Event, TraceHeader
from outplay.verdict.judge import judge
from outplay.verdict.show import MOST_ALLOWED, MOST_STEPS, explanation, failing_steps, headline, possible, replay_line
from outplay.verdict.verdicts import Error, Fail, Inconclusive, Pass


def test_the_first_line_tells_the_verdict_and_where():
    assert headline(Fail("x", Event("crash")), play=12, seed=4711) == "✗ Fail in play 12 (seed 4711)"
    assert headline(Pass(reached=3), plays=5, seed=1, goal=["done"]) == (
        "✓ Pass: 5 plays conformed, done reached in 3 (seed 1)"
    )
    assert headline(Pass()) == "✓ Pass"
    assert headline(Inconclusive("nothing was played")) == "? Inconclusive: nothing was played"
    assert headline(Error("no power")) == "! Error: no power"


def test_a_failing_play_is_shown_step_by_step_with_what_was_allowed():
    played = trace_of("reset ?coin !tea")
    verdict = judge(specification_of("s ?coin t", "t !coffee s"), played)
    assert list(failing_steps(played, verdict)) == [
        "    1  ?coin   at t",
        "    2  !tea   ← the model never says this (known: !coffee; or is it the line that says the system is ready? "
        "see --ready)",
        "       allowed: !coffee",
        "       state:   at t",
    ]


def test_a_late_output_and_silence_are_shown_as_such():
    played = trace_of("reset delta late!x crash")
    verdict = judge(specification_of("s !x s", "s delta s"), played)
    shown = list(failing_steps(played, verdict))
    assert [line.strip() for line in shown[:3]] == [
        "1  delta       at s",
        "2  !x (late)   at s",
        "crash   ← the system crashed",
    ]
    assert "delta (silence)" in shown[3]


def test_what_is_no_step_has_no_number():
    played = trace_of("reset ?a ?a closed")
    shown = list(failing_steps(played, judge(specification_of("s ?a s"), played)))
    assert [line[:5].strip() for line in shown[:3]] == ["1", "2", ""]
    assert "closed   ← the system ended before the play did" in shown[2]


@pytest.mark.parametrize(
    "line", ["./server", "it's", "sh -c 'a\nb'", "\t\\n\x1b[2J\r'\u202e", "\udc80 and \n"], ids=ascii
)
def test_the_line_that_replays_is_one_line_that_a_shell_reads_as_it_was(line):
    header = TraceHeader(sut=f"exec:{line}", job={"model": "m.aut"})
    shown = replay_line(header, Path("a b.jsonl"))
    assert shown == escaped(shown)
    printed = subprocess.run(
        ["bash", "-c", shown.replace("outplay", "printf '%s\\0'", 1)], capture_output=True, check=True
    )
    words = printed.stdout.split(b"\0")[:-1]
    assert words == [b"replay", b"a b.jsonl", b"--sut", os.fsencode(f"exec:{line}")]


def test_the_line_that_replays_starts_what_the_run_started():
    told = ["start=./client {port}", "server=./server", "server=./other"]
    header = TraceHeader(sut="listen:h:1", job={"model": "m.aut", "options": told})
    line = "outplay replay a.jsonl --sut listen:h:1 --start './client {port}' --server ./other"
    assert replay_line(header, Path("a.jsonl")) == line


def test_the_state_is_shown_at_every_step_and_kept_short():
    long = "t" * 200
    spec = specification_of(f"s ?a {long}", f"{long} ?a u", f"{long} ?a v", "u ?b u", "v ?b v")
    played = trace_of("reset ?a ?a ?b !x")
    shown = list(failing_steps(played, judge(spec, played)))
    assert shown[0].startswith("    1  ?a   at ttt")
    assert shown[0].endswith("…")
    assert len(shown[0]) < 100
    assert shown[1:3] == ["    2  ?a   at u, or one of 1 more", "    3  ?b   at u, or one of 1 more"]


class Shelf(Model):
    """Orders are packed unseen, and may then be sent."""

    orders: int = 0
    packed: int = 0
    open: bool = True

    @controllable
    def order(self):
        if self.orders + self.packed == 4:
            return False
        self.orders += 1

    @controllable
    def close(self):
        self.open = False

    @internal
    def pack(self):
        if not self.orders or not self.open:
            return False
        self.orders, self.packed = self.orders - 1, self.packed + 1

    @observable(optional=True)
    def sent(self):
        if not self.packed:
            return False
        self.packed -= 1


@pytest.mark.parametrize("made", [specification, explore], ids=["by steps", "as a game"])
def test_of_a_model_with_hidden_steps_only_what_changed_of_the_possible_values_is_shown(made):
    played = trace_of("reset ?order ?order delta ?close !sent !sent !sent")
    shown = list(failing_steps(played, judge(made(Shelf), played)))
    assert [line.split(maxsplit=2)[-1] for line in shown[:6]] == [
        "orders=0 or 1 packed=0 or 1",
        "orders=0 or 1 or 2 packed=0 or 1 or 2",
        "unchanged",
        "open=false",
        "orders=0 or 1 packed=0 or 1",
        "orders=0 packed=0",
    ]
    assert shown[-2] == "       state:   orders=0 packed=0 open=false"


def test_a_call_that_only_some_of_the_possible_states_wait_for_is_shown_as_such():
    assert possible(["n=1 (waiting for x)", "n=2"]) == "n=1 or 2 (waiting for x) or not"
    assert possible(["n=1 (waiting for x)", "n=2 (waiting for x; !y is on its way)"]) == "n=1 or 2 (waiting for x)"
    assert possible([f"n={n}" for n in range(6)]) == "n=0 or 1 or 2 or 3 more"


def test_a_long_play_is_cut_to_its_end():
    played = trace_of("reset " + "?a " * 100 + "!x")
    verdict = judge(specification_of("s ?a s"), played)
    shown = list(failing_steps(played, verdict))
    assert shown[0].strip() == f"… {101 - MOST_STEPS} earlier steps, all in the trace file"
    assert shown[MOST_STEPS].strip().startswith("101  !x   ←")


def test_many_allowed_labels_are_cut_short():
    spec = specification_of(*(f"s !x{n} s" for n in range(20)))
    verdict = judge(spec, trace_of("reset !y"))
    assert next(iter(explanation(verdict))).endswith(f"and {20 - MOST_ALLOWED} more")


def test_only_a_fail_has_something_to_explain():
    assert list(explanation(Pass())) == []
