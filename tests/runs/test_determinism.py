"""The same files, options and seed give the same bytes, whatever the hash seed; times of day aside."""

from __future__ import annotations

import os
import re
import subprocess

import pytest

from helpers.commands import PROGRAM

STARTED = re.compile(rb'"started": "[^"]*"')
OPTIONS = {
    "a walk": [],
    "a goal": ["--goal", "two_pending", "--plays", "10"],
    "a goal under an assumption": ["--goal", "everybody_posted", "--assumption", "input-eager", "--plays", "10"],
    "the rule of the time-out": ["--assumption", "timeout", "--plays", "10"],
}


def trace_of(chat, options: list[str], hash_seed: str) -> bytes:
    """Run in a process of its own with a hash seed, and return the trace without its date."""
    model = f"{chat / 'model.py'}:Chat"
    command = ["run", model, "--sut", f"model:{model}", "--plays", "5", "--steps", "40", "--trace", "trace.jsonl"]
    done = subprocess.run(
        [*PROGRAM, *command, *options],
        env={**os.environ, "PYTHONHASHSEED": hash_seed},
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    with open("trace.jsonl", "rb") as file:
        return STARTED.sub(b"", file.read())


@pytest.mark.parametrize(
    "what", [pytest.param(what, marks=[pytest.mark.long] * (number % 2)) for number, what in enumerate(OPTIONS)]
)
def test_the_trace_of_a_simulated_run_is_the_same_to_the_byte(chat, what):
    first = trace_of(chat, OPTIONS[what], "1")
    assert first.count(b"\n") > 20
    assert trace_of(chat, OPTIONS[what], "2") == first


@pytest.mark.long
@pytest.mark.parametrize("what", OPTIONS)
def test_another_seed_gives_another_trace(chat, what):
    one, other = (trace_of(chat, [*OPTIONS[what], "--seed", seed], "2").splitlines()[1:] for seed in ("0", "5"))
    assert one != other
