"""How a weight of the suspicion game does: hundreds of mutants for development at once, on machines with one answer.

    python -m benchmarks.faults.weights tcp,ssh suspects.LOST=0.95 suspects.LOST=1,pair_game.DISCOUNT=0.95

All mutants are followed along one play (`alongside`). Each setting is played beside the weights as they are, with the
same seeds.
"""

from __future__ import annotations

import argparse
import importlib
import statistics
import sys
from collections.abc import Sequence
from multiprocessing import get_context
from random import Random

from benchmarks.faults.alongside import Along, WorldAlong
from benchmarks.faults.mutants import Mutant
from benchmarks.faults.playing import LIMIT, play
from benchmarks.faults.systems import DATA, SYSTEMS, System
from benchmarks.page import table
from outplay.strategy import suspicion
from outplay.strategy.suspicion import Suspicion, pair_game
from outplay.strategy.suspicion.behaviour_table import answering_rows
from outplay.strategy.suspicion.pair_game import solved_pairs

PARTS = ("suspects", "hypotheses", "features", "suspicion_plan", "pair_game", "behaviour_table")
HEAD = ("system", "weights", "mean", "ratio", "middle half", "95 %", "undetected")


def labels_of(system: System, mutants: Sequence[Mutant], player: Suspicion, limit: int = LIMIT) -> list[int]:
    """How many labels a player takes to find each mutant, at most the limit."""
    along = Along(system, mutants)
    play(player, WorldAlong(system, along, Random(0)), limit)
    return [limit if labels is None else labels for labels in along.found]


def changed(setting: str) -> None:
    """Set weights such as `suspects.LOST=0.9`, wherever they were imported."""
    parts = [importlib.import_module(f"{suspicion.__name__}.{part}") for part in PARTS]
    for one in filter(None, setting.split(",")):
        name, value = one.split("=")
        weight = name.rpartition(".")[2]
        having = [part for part in parts if hasattr(part, weight)]
        if f"{suspicion.__name__}.{name}" not in [f"{part.__name__}.{weight}" for part in having]:
            raise ValueError(f"no weight {name}; modules with weights: {', '.join(PARTS)}")
        for part in having:
            setattr(part, weight, type(getattr(part, weight))(float(value)))


_DRAWN: dict[str, tuple[System, list[Mutant]]] = {}  # filled before processes are forked


def _played(task: tuple[str, str, int]) -> list[int]:
    name, setting, seed = task
    changed(setting)
    system, mutants = _DRAWN[name]
    pairs = solved_pairs(answering_rows(system.table), pair_game.DISCOUNT)
    return labels_of(system, mutants, Suspicion(system.table, Random(f"weights {seed}"), pairs))


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.faults.weights")
    parser.add_argument("systems", help="machines: tcp, ssh, mqtt")
    parser.add_argument("settings", nargs="*", help="module.WEIGHT=value, several with commas")
    parser.add_argument("--mutants", type=int, default=400)
    parser.add_argument("--seeds", type=int, default=4)
    parser.add_argument("--processes", type=int, default=2)
    asked = parser.parse_args(arguments)
    if not DATA.exists():
        print("the folder shared/data is not here: there is nothing to test")
        return
    names, settings = asked.systems.split(","), ("", *asked.settings)
    for name in names:
        print(f"drawing mutants of {name}", file=sys.stderr)
        system = SYSTEMS[name]()
        _DRAWN[name] = system, system.mutants(asked.mutants).by_set["development"]
    tasks = [(name, setting, seed) for name in names for setting in settings for seed in range(asked.seeds)]
    labels: dict[tuple[str, str], list[int]] = {(name, setting): [] for name, setting, _ in tasks}
    # A process for each play: weights that were set for one must not be there for the next.
    with get_context("fork").Pool(asked.processes, maxtasksperchild=1) as pool:
        for (name, setting, seed), found in zip(tasks, pool.imap(_played, tasks), strict=True):
            labels[name, setting] += found
            if seed == asked.seeds - 1:
                print(*_row(name, setting, labels), sep="  ", file=sys.stderr)
    print(table(HEAD, [_row(name, setting, labels) for name, setting in labels]))


def _row(name: str, setting: str, labels: dict[tuple[str, str], list[int]]) -> tuple[object, ...]:
    played, usual = labels[name, setting], statistics.mean(labels[name, ""])
    mean, cut = statistics.mean(played), statistics.quantiles(played, n=20)
    lost = sum(one >= LIMIT for one in played)
    spread = f"{cut[4]:,.0f} to {cut[14]:,.0f}", f"{cut[18]:,.0f}"
    return name, setting or "as they are", f"{mean:,.0f}", f"{mean / usual:.3f}", *spread, f"{lost} of {len(played)}"


if __name__ == "__main__":
    main(sys.argv[1:])
