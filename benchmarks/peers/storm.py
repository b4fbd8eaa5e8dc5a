"""Storm as a peer: its explicit builder, from a PRISM program to a sparse model, and its solvers of expected cost.

Needs stormpy 2.0, whose names differ from those in older tutorials. Parsing (some 2 ms) is not
timed, as our own models are parsed by Python before exploring starts, too.

    python -m benchmarks.peers.storm 6 6
"""

import sys
import time
from collections.abc import Sequence
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
    worked: float
    """Seconds of the processor."""


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


METHODS = ("TOPOLOGICAL", "OPTIMISTIC_VALUE_ITERATION", "SOUND_VALUE_ITERATION", "INTERVAL_ITERATION")
"""Storm's methods that keep their precision; the first solves one component after the other by the second."""
LONG = 5.0  # seconds; what takes so long is not measured twice


class Solved(NamedTuple):
    """The seconds of the fastest round of a method, its name, and the values of all states."""

    seconds: float
    method: str
    values: list[float]


def process(
    action_first: list[int],
    outcome_first: list[int],
    states: list[int],
    chances: list[float],
    costs: list[float],
) -> Any:
    """Build a sparse decision process; the last state is the goal, and outcomes of an action come by state, merged."""
    count = len(action_first) - 1
    builder = stormpy.datastructures.SparseMatrixBuilder[float](has_custom_row_grouping=True)
    for state in range(count):
        builder.new_row_group(action_first[state])
        for action in range(action_first[state], action_first[state + 1]):
            for place in range(outcome_first[action], outcome_first[action + 1]):
                builder.add_next_value(action, states[place], chances[place])
    builder.new_row_group(action_first[count])
    builder.add_next_value(action_first[count], count, 1.0)
    labels = stormpy.models.StateLabeling(count + 1)
    for label, state in (("init", 0), ("goal", count)):
        labels.add_label(label)
        labels.add_label_to_state(label, state)
    rewards = stormpy.models.SparseRewardModel[float](optional_state_action_reward_vector=[*costs, 0.0])
    parts = stormpy.models.SparseModelComponents[float](
        transition_matrix=builder.build(), state_labeling=labels, reward_models={"": rewards}
    )
    return stormpy.models.SparseMdp[float](parts)


def expected(
    model: Any, methods: Sequence[str] = METHODS, *, precision: str, rounds: int = 3, least: float = 0.0
) -> list[Solved]:
    """Solve a process for the least expected cost, relative precision; the fastest method comes first.

    Each is run so many rounds, and more until they have taken so many seconds.
    """
    formula = stormpy.parse_properties('Rmin=? [F "goal"]')[0]
    found: list[Solved] = []
    for method in methods:
        environment = stormpy.environments.sound()
        solver = environment.solver().min_max()
        solver.method = getattr(stormpy.environments.MinMaxMethod, method)
        solver.precision = stormpy.Rational(precision)
        solver.relative_termination_criterion = True
        times = []
        while len(times) < rounds or sum(times) < least:
            begin = time.perf_counter()
            result = stormpy.model_checking(model, formula, environment=environment)
            times.append(time.perf_counter() - begin)
            if times[0] > LONG or (found and times[0] > 3 * found[0].seconds):
                break
        found.append(Solved(min(times), method, result.get_value_vector()))
        found.sort(key=lambda solved: solved.seconds)
    return found


def _timed(program: Any, options: Any) -> Built:
    # The model is freed with this frame, after the clock has stopped.
    begin, worked = time.perf_counter(), time.process_time()
    model = stormpy.build_model(program, options=options)
    seconds, worked = time.perf_counter() - begin, time.process_time() - worked
    return Built(model.nr_states, model.nr_transitions, seconds, worked)


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
