"""Storm as a peer: how long its explicit builder takes from a PRISM program to a sparse model.

Needs stormpy 2.0, whose names differ from those in older tutorials. Parsing (some 2 ms) is not
timed, as our own models are parsed by Python before exploring starts, too.

    python -m benchmarks.peers.storm 6 6
"""

import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import stormpy

from benchmarks.peers.chat_prism import chat_prism


class Built(NamedTuple):
    """The size of a sparse model and the seconds of the fastest round of building it."""

    states: int
    transitions: int
    seconds: float


def build(source: str, *, rounds: int = 3, valuations: bool = False) -> Built:
    """Build the sparse model of a PRISM program several times over.

    Without `valuations` the model does not say which state a number stands for, and Storm is
    fastest; with them it keeps each state's variables, as an explorer for people has to.
    """
    program = parse(source)
    options = stormpy.BuilderOptions()
    options.set_build_state_valuations(valuations)
    times = [_timed(program, options) for _ in range(rounds)]
    return min(times, key=lambda built: built.seconds)


def parse(source: str) -> Any:
    """Parse PRISM source; Storm reads programs from files only."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "model.prism")
        path.write_text(source, encoding="utf-8")
        return stormpy.parse_prism_program(path)


def _timed(program: Any, options: Any) -> Built:
    # The model is freed with this frame, after the clock has stopped.
    begin = time.perf_counter()
    model = stormpy.build_model(program, options=options)
    seconds = time.perf_counter() - begin
    return Built(model.nr_states, model.nr_transitions, seconds)


def main(clients: int, pending: int) -> None:
    """Print Storm's speed on the chat session."""
    source = chat_prism(clients, pending)
    for valuations in (False, True):
        built = build(source, valuations=valuations)
        speed = built.states / built.seconds
        kept = "with" if valuations else "without"
        size = f"{built.states:,} states, {built.transitions:,} transitions"
        print(f"{size}, {kept} valuations: {built.seconds:.3f} s, {speed:,.0f} states/s")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:3]))
