"""How long the tester that suspects takes to decide: `python -m benchmarks.decisions`."""

from __future__ import annotations

import sys
from random import Random
from time import perf_counter, thread_time

import numpy as np

from benchmarks.page import table, write_section
from outplay.conformance.transition_table import TransitionTable, table_of_rows
from outplay.model.label import SILENCE, Label
from outplay.strategy.suspicion import RESET, WAIT, Suspicion

TITLE = "How long a decision takes against what may be wrong"
SAID = """\
CPU time of the thread that decides, so that what else the machine does matters little. Grids of questions and answers,
in which play comes to new places all the time; the first decisions, which load what is compiled, are left out. *told*
is the time to take in what was seen.
"""
SIZES = (100, 1_000, 10_000, 100_000)
DECISIONS, LEFT_OUT = 300, 20
HEAD = ("states", "transitions", "made in s", "median ms", "95 % ms", "most ms", "told ms", "bound ms")


def grid(states: int, rng: Random) -> TransitionTable:
    """A walker on a square who asks to go four ways and is told, by chance, how far; now and then it speaks first."""
    labels = [*(Label.parse(f"?{way}") for way in "nesw"), *(Label.parse(f"!{said}") for said in "abcd"), SILENCE]
    wide = max(int((states / 5) ** 0.5), 2)
    rows: list[dict[int, int]] = []
    for y in range(wide):
        for x in range(wide):
            place = 5 * (y * wide + x)
            rows.append({way: place + 1 + way for way in range(4)} | {8: place})
            for dx, dy in ((0, 1), (1, 0), (0, -1), (-1, 0)):
                ends = [5 * (((y + far * dy) % wide) * wide + (x + far * dx) % wide) for far in (1, 2)]
                rows.append({4 + said: end for said, end in zip(rng.sample(range(4), 2), ends, strict=True)})
    return table_of_rows(rows, labels, [f"s{number}" for number in range(len(rows))], name="grid")


def measured(states: int, seed: int = 0) -> tuple[object, ...]:
    """A row of the page: what a size takes."""
    rng = Random(seed)
    model = grid(states, rng)
    began = perf_counter()
    player = Suspicion(model, Random(seed))
    player.ready()
    made = perf_counter() - began
    decided, told, state = [], [], model.initial
    player.begin()
    for _ in range(DECISIONS + LEFT_OUT):
        start = thread_time()
        move = player.move()
        decided.append(1e3 * (thread_time() - start))
        if move == RESET:
            state = model.initial
            player.begin()
            continue
        row = model.moves(state)
        label = rng.choice([one for one in row if one >= model.inputs]) if move == WAIT else move
        start = thread_time()
        player.saw(label)
        told.append(1e3 * (thread_time() - start))
        state = row[label]
    each = np.array(decided[LEFT_OUT:])
    bound = 5 if model.state_count <= 1_100 else 50 if model.state_count >= 90_000 else None
    found = float(np.median(each)), float(np.quantile(each, 0.95)), float(each.max()), float(np.mean(told[LEFT_OUT:]))
    shown = [f"{value:.2f}" for value in found]
    return (f"{model.state_count:,}", f"{len(model.label):,}", f"{made:.1f}", *shown, bound or "")


def main(arguments: list[str]) -> None:
    rows = [measured(size) for size in SIZES]
    said = f"{SAID}\n{table(HEAD, rows)}"
    write_section(TITLE, said) if "--page" in arguments else print(said)


if __name__ == "__main__":
    main(sys.argv[1:])
