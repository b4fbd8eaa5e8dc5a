"""Automata to measure with: drawn with the sizes of Table 3.1 of van den Bos 2020, and from `shared/data`."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path

from outplay import read_model
from outplay.conformance.transition_table import TransitionTable, table_of, table_of_rows
from outplay.model.label import DELTA, Label
from outplay.model.machine import Machine

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
FILES = (
    "iolts/00_car_alarm.dot", "iolts/tftp_upload.dot", "mealy/TCP_Linux_Client.dot",
    "mealy/tcp_server_ubuntu_trans.dot", "mealy/mosquitto__two_client_will_retain.dot", "mealy/OpenSSH.dot",
    "mealy/m54.dot", "mealy/m106.dot", "mealy/m172.dot",
)  # fmt: skip
ESM = "esm/Mealy_3410_esm.fsm"
ROWS = {  # states, inputs, outputs, transitions by inputs and by outputs
    "TCP": (26, 7, 7, 25, 28), "VM-000": (269, 8, 19, 286, 401), "VM-121": (401, 8, 20, 425, 595),
    "VM-231": (797, 8, 22, 845, 1167), "LE-3Center": (97, 6, 8, 78, 169), "LE-3Side": (147, 8, 10, 96, 268),
    "LE-4": (793, 9, 11, 869, 2037), "Dropbox-3": (752, 9, 16, 641, 879), "Dropbox-4": (5050, 11, 20, 4485, 6200),
    "ESM-IISl": (1616, 15, 34, 6060, 1958), "ESM-IISR": (2855, 26, 69, 11778, 3227),
    "ESM-IISSl": (3168, 23, 65, 15525, 3783), "ESM-IISL": (2614, 21, 61, 9933, 3025),
    "ESM-IE": (2649, 14, 14, 12012, 2828),
}  # fmt: skip


def drawn(name: str) -> TransitionTable:
    """A random automaton with the sizes of a row; those of the ESM answer every input before they take the next."""
    return answering(*ROWS[name]) if name.startswith("ESM") else shaped(*ROWS[name])


def shaped(states: int, inputs: int, outputs: int, given: int, shown: int) -> TransitionTable:
    """A random automaton of these sizes; one state in twenty is silent."""
    rng = random.Random(f"{states} {given} {shown}")
    rows: list[dict[int, int]] = [{} for _ in range(states)]
    spoken, silence = range(inputs, inputs + outputs - 1), inputs + outputs - 1
    for state, row in enumerate(rows):
        quiet = rng.random() < 0.05
        row[silence if quiet else rng.choice(spoken)] = state if quiet else rng.randrange(states)
    for choice, count in ((spoken, shown - states), (range(inputs), given)):
        _fill(rng, rows, choice, count, range(states))
    return _table(rows, inputs, outputs)


def answering(states: int, inputs: int, outputs: int, given: int, shown: int) -> TransitionTable:
    """A random machine of these sizes: silent states with every input, each of which leads to states that answer."""
    rng = random.Random(f"{states} {given} {shown}")
    silent = given // inputs
    rows: list[dict[int, int]] = []
    for state in range(states):
        answers = {rng.randrange(inputs, inputs + outputs - 1): rng.randrange(silent)}
        waits = {label: rng.randrange(silent, states) for label in range(inputs)} | {inputs + outputs - 1: state}
        rows.append(waits if state < silent else answers)
    _fill(rng, rows[silent:], range(inputs, inputs + outputs - 1), shown - states, range(silent))
    return _table(rows, inputs, outputs)


def _fill(rng: random.Random, rows: list[dict[int, int]], labels: range, count: int, targets: range) -> None:
    while count > 0:
        row, label = rng.choice(rows), rng.choice(labels)
        count -= label not in row
        row.setdefault(label, rng.choice(targets))


def _table(rows: list[dict[int, int]], inputs: int, outputs: int) -> TransitionTable:
    labels = [Label("?", f"a{n}") for n in range(inputs)] + [Label("!", f"x{n}") for n in range(outputs - 1)]
    return table_of_rows(rows, [*labels, Label(DELTA)], [f"s{n}" for n in range(len(rows))])


def read_tables() -> dict[str, TransitionTable]:
    """The automata of the files that are there."""
    return {name: table_of(read_model(DATA / name)) for name in FILES if (DATA / name).exists()}


def engine_tables(sizes: tuple[int, ...]) -> Iterator[tuple[str, TransitionTable]]:
    """The Engine Status Manager over sub-alphabets of these sizes, without the data parameters of its labels.

    Inputs are added one by one, each the one that makes the fewest new states reachable, so that the sizes grow slowly.
    Without the data the machine has a choice of outputs, and states in which it may be are taken together.
    """
    if not (DATA / ESM).exists():
        return
    whole = read_model(DATA / ESM)
    steps: dict[int, dict[str, tuple[str, int]]] = {}
    for source, given, shown, target in whole.steps:
        steps.setdefault(source, {})[given] = shown, target
    chosen: list[str] = []
    while len(chosen) < max(sizes):
        now = len(_reached(steps, whole.initial, chosen))
        grown = [(len(_reached(steps, whole.initial, [*chosen, one])), place, one)
                 for place, one in enumerate(whole.inputs) if one not in chosen]  # fmt: skip
        chosen.append(min([one for one in grown if one[0] > now] or grown)[2])
        if len(chosen) in sizes:
            yield f"ESM, {len(chosen)} inputs", table_of(_without_data(steps, whole.initial, chosen), most=50_000)


def _reached(steps: dict[int, dict[str, tuple[str, int]]], initial: int, inputs: list[str]) -> list[int]:
    order, seen = [initial], {initial}
    for state in order:  # grows on the way
        for given in inputs:
            target = steps[state][given][1]
            if target not in seen:
                seen.add(target)
                order.append(target)
    return order


def _without_data(steps: dict[int, dict[str, tuple[str, int]]], initial: int, inputs: list[str]) -> Machine:
    order = _reached(steps, initial, inputs)
    number = {state: place for place, state in enumerate(order)}
    made = {}
    for state in order:
        for given in inputs:
            shown, target = steps[state][given]
            made[number[state], _bare(given), _bare(shown), number[target]] = None
    return Machine(tuple(f"s{state}" for state in order), tuple(made))


def _bare(label: str) -> str:
    return re.sub(r"\.\d+", "", label)
