"""Symbolic systems: labels until a mutant of the bounded retransmission protocol fails, and how the graph grows.

    python -m benchmarks.symbolic [SEEDS [EVERY [PROCESSES]]]

The tester that covers switches plays the model of `examples/brp` against mutants: three of the register automata that
lie beside the repository on some machines, for which van den Bos 2020 (table 4.1) measured 44, 16 and 8 labels, and all
that `symbolic_mutants` makes of the model itself, or every n-th of them, with a tenth of the seeds; with 0 for EVERY
none of these. Beside it, inputs and data are drawn uniformly. A mutant that some play did not find is compared with the
model over one datum and then over two; one that conforms there is equivalent and does not count.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, partial
from itertools import islice
from math import exp, log
from multiprocessing import Pool
from pathlib import Path
from random import Random

from benchmarks.page import seconds, table, write_section
from benchmarks.plot import write_panels
from benchmarks.symbolic_mutants import mutants
from outplay import Label, Simulated, read_model, run, specification
from outplay.conformance.refinement import Conforms, check
from outplay.model.specification import Specification
from outplay.model.symbolic.building import restricted
from outplay.model.symbolic.execution_graph import ExecutionGraph, SymbolicLimits, execution_graph
from outplay.model.symbolic.symbolic_system import SymbolicSystem
from outplay.model.tracking import Tracker
from outplay.play.plan import Plan
from outplay.tester.switch_tester import SwitchTester
from outplay.tester.tester import Decision, End, Give, Stop, Tester, TraceBased, Wait

ROOT = Path(__file__).parent.parent
BRP = ROOT / "examples" / "brp" / "brp.sts"
AUCTION = ROOT / "examples" / "symbolic" / "auction.sts"
GROWTH = ROOT / "docs" / "images" / "symbolic-growth.svg"
DEPTHS = (2, 4, 6, 8, 10, 12, 14, 16, 20, 24, 28, 32, 36, 40, 44, 48)
MOST_STATES, MOST_SECONDS = 1_000, 10.0  # of a graph whose growth is measured
DATA = ROOT.parent / "shared" / "data" / "brp"
PAPER = {1: 44, 2: 16, 3: 8}
STEPS, MOST = 100, 400  # labels of a play, and in all before a mutant counts as not found


class Uniform(TraceBased):
    """Gives any input that is enabled, with any data, all alike; waits where nothing can be given."""

    start = None

    def __init__(self, rng: Random) -> None:
        self._rng = rng

    def choose(self, tracker: Tracker, memory: None) -> Decision:
        offers = tracker.inputs()
        if tracker.outputs() or not offers:
            return Wait() if tracker.outputs() else Stop(End.INCONCLUSIVE)
        label = self._rng.choice(offers).sample(self._rng)
        return Wait() if label is None else Give(label)

    def remember(self, tracker: Tracker, memory: None, label: Label) -> None:
        """Nothing is kept."""


@dataclass(frozen=True)
class Found:
    """How many labels each play took until the Fail; None where there was none within the bound."""

    name: str
    switches: list[int | None]
    uniform: list[int | None]
    equivalent: bool

    @property
    def row(self) -> tuple[str, str, str]:
        return self.name, mean(self.switches), mean(self.uniform)


DATA_CHOSEN = (
    "Under *switches* the tester that covers switches chooses data that lead along its way, and otherwise differ from "
    "each other and from what the variables hold; under *uniform* inputs and data are drawn uniformly."
)


def main(seeds: int, every: int = 1, processes: int = 2) -> None:
    system = read_system(BRP)
    count = len([*systems(system, every)])
    found: list[Found] = []
    with Pool(processes) as pool:
        for one in pool.imap(partial(measured, seeds, every), range(count)):
            found.append(one)
            print(f"{len(found)}/{count}", *one.row, "equivalent" * one.equivalent, flush=True)
    public = [one for one in found if one.name.startswith("public")]
    paper = [(one.name, PAPER[int(one.name.split()[-1])], *one.row[1:]) for one in public]
    head = ("mutant", "thesis", "switches", "uniform")
    means = f"Labels until the Fail, the mean of {seeds} seeds. {DATA_CHOSEN}\n\n"
    write_section("Bounded retransmission protocol: public mutants", means + table(head, paper))
    if every:
        section = summary([one for one in found if one not in public], public, every)
        write_section("Bounded retransmission protocol: mutants of the model", section)
    write_section("Symbolic execution graphs", growth({"BRP": system, "auction": read_system(AUCTION)}))


def measured(seeds: int, every: int, number: int) -> Found:
    """Play one mutant by both testers, and compare it with the model where a play did not find it."""
    system, spec, graph = protocol()
    name, mutant = next(islice(systems(system, every), number, None))
    rounds = seeds if name.startswith("public") else max(1, seeds // 10)
    switches = list[int | None]()
    for seed in range(rounds):
        switches.append(labels(spec, SwitchTester(system, Random(seed), graph), mutant, seed))
        if switches.count(None) == 1 and switches[-1] is None and is_equivalent(system, mutant):
            return Found(name, switches, [None], equivalent=True)
    uniform = [labels(spec, Uniform(Random(seed)), mutant, seed) for seed in range(rounds)]
    return Found(name, switches, uniform, equivalent=False)


@cache
def protocol() -> tuple[SymbolicSystem, Specification, ExecutionGraph]:
    """The model, made once in each process."""
    system = read_system(BRP)
    return system, specification(system), execution_graph(system)


def is_equivalent(system: SymbolicSystem, mutant: SymbolicSystem) -> bool:
    """Say whether a mutant conforms over one datum, and then over two; no variable starts with either."""
    return all(
        isinstance(
            check(specification(restricted(system, 1, most)), specification(restricted(mutant, 1, most))), Conforms
        )
        for most in (1, 2)
    )


def systems(system: SymbolicSystem, every: int = 1) -> Iterator[tuple[str, SymbolicSystem]]:
    """The public mutants that are here, then all of the model's own."""
    for number in PAPER:
        path = DATA / f"BRP_mutant{number}.register.xml"
        if path.exists():
            yield f"public {number}", read_system(path)
    if every:
        yield from islice(mutants(system), 0, None, every)


def read_system(path: Path) -> SymbolicSystem:
    read = read_model(path)
    assert isinstance(read, SymbolicSystem)
    return read


def labels(spec: Specification, tester: Tester, mutant: SymbolicSystem, seed: int) -> int | None:
    """Inputs and outputs until a Fail; None where there was none within the bound."""
    outcome = run(Plan(spec, tester), Simulated(mutant, Random(seed)), plays=MOST // STEPS, steps=STEPS)
    seen = sum(event.kind in ("input", "output") for event in outcome.trace.events)
    return seen if outcome.verdict.name == "fail" else None


def average(counts: list[int | None]) -> float:
    """The mean; what was not found counts as the bound."""
    return sum(MOST if one is None else one for one in counts) / len(counts)


def mean(counts: list[int | None]) -> str:
    """The mean in words, with a mark where some were not found."""
    return f"{average(counts):.1f}" + (f" ({counts.count(None)} not found)" if None in counts else "")


def geometric(values: list[float]) -> float:
    return exp(sum(map(log, values)) / len(values)) if values else 0.0


def summary(own: list[Found], public: list[Found], every: int) -> str:
    """All mutants in one line, and those of the model's own that took longest."""
    counted = [one for one in own if not one.equivalent]
    head = ("mutants", "equivalent", "not found", "labels, geometric mean", "with the public ones", "uniform")
    missed = sum(None in one.switches for one in counted)
    means = [geometric([average(one.switches) for one in some]) for some in (counted, [*counted, *public])]
    uniform = geometric([average(one.uniform) for one in counted])
    whole = (len(counted), len(own) - len(counted), missed, *(f"{one:.1f}" for one in (*means, uniform)))
    slowest = sorted(counted, key=lambda one: -average(one.switches))[:8]
    rows = [one.row for one in slowest]
    taken = "" if every == 1 else f"Of all mutants, one in {every}. "
    section = f"\n\n{taken}Those that took longest:\n\n" + table(("mutant", "switches", "uniform"), rows)
    return table(head, [whole]) + section


def growth(systems: dict[str, SymbolicSystem]) -> str:
    """States of the graph by depth, with and without what is subsumed, in a table and drawn."""
    rows: list[tuple[object, ...]] = []
    panels: dict[str, dict[str, list[tuple[float, float]]]] = {}
    for name, system in systems.items():
        panels[name] = {}
        for how, subsumption in (("subsumption", True), ("without", False)):
            panels[name][how], row = grown(system, subsumption)
            rows.append((name, how, *row))
        deepest = max(points[-1][0] for points in panels[name].values())
        for points in panels[name].values():  # a graph that is complete grows no more
            points.append((deepest, points[-1][1]))
    write_panels(GROWTH, panels, "depth", "symbolic states", logarithmic=False)
    return table(("system", "how", "depth", "symbolic states", "ended", "queries", "seconds"), rows)


def grown(system: SymbolicSystem, subsumption: bool) -> tuple[list[tuple[float, float]], tuple[object, ...]]:
    """Depths with the states up to there, until the graph is complete or too large; and the largest graph in words."""
    points: list[tuple[float, float]] = []
    for depth in DEPTHS:
        began = time.perf_counter()
        graph = execution_graph(system, SymbolicLimits(MOST_STATES, depth, MOST_SECONDS, subsumption=subsumption))
        took = time.perf_counter() - began
        if graph.is_complete or graph.stopped == f"stopped at depth {depth}":
            points.append((depth, len(graph.states)))
        if graph.stopped != f"stopped at depth {depth}":
            break
    return points, (depth, len(graph.states), graph.stopped or "complete", graph.queries, seconds(took))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:] or ["100"]))
