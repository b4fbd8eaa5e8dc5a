"""Symbolic systems: labels until a mutant of the bounded retransmission protocol fails, and how the graph grows.

    python -m benchmarks.symbolic [SEEDS [EVERY]]

The tester that covers switches plays the model of `examples/brp` against mutants: three of the register automata that
lie beside the repository on some machines, for which van den Bos 2020 (table 4.1) measured 44, 16 and 8 labels, and all
that `symbolic_mutants` makes of the model itself, or every n-th of them, with a tenth of the seeds. Beside it, inputs
and data are drawn uniformly.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from itertools import islice
from math import exp, log
from pathlib import Path
from random import Random

from benchmarks.page import seconds, table, write_section
from benchmarks.symbolic_mutants import mutants
from outplay import Label, Simulated, read_model, run, specification
from outplay.conformance.refinement import Conforms, check
from outplay.model.specification import Specification
from outplay.model.symbolic.execution_graph import SymbolicLimits, execution_graph
from outplay.model.symbolic.restricting import restricted
from outplay.model.symbolic.symbolic_system import SymbolicSystem
from outplay.model.tracking import Tracker
from outplay.play.plan import Plan
from outplay.tester.switch_tester import SwitchTester
from outplay.tester.tester import Decision, End, Give, Stop, Tester, Wait

ROOT = Path(__file__).parent.parent
BRP = ROOT / "examples" / "brp" / "brp.sts"
DATA = ROOT.parent / "shared" / "data" / "brp"
PAPER = {1: 44, 2: 16, 3: 8}
STEPS, MOST = 100, 400  # labels of a play, and in all before a mutant counts as not found


class Uniform:
    """Gives any input that is enabled, with any data, all alike; waits where nothing can be given."""

    start = None

    def __init__(self, rng: Random) -> None:
        self._rng = rng

    def decide(self, tracker: Tracker, memory: None) -> Decision:
        offers = tracker.inputs()
        if tracker.outputs() or not offers:
            return Wait() if tracker.outputs() else Stop(End.INCONCLUSIVE)
        label = self._rng.choice(offers).sample(self._rng)
        return Wait() if label is None else Give(label)

    def remember(self, tracker: Tracker, memory: None, label: Label) -> None:
        """Nothing is kept."""


def main(seeds: int, every: int = 1) -> None:
    system = read_model(BRP)
    assert isinstance(system, SymbolicSystem)
    spec, graph = specification(system), execution_graph(system)
    public, own, found, equal = [], [], dict[str, list[float]](), 0
    for name, mutant in systems(system, every):
        known = name.startswith("public")
        rounds = seeds if known else max(1, seeds // 10)
        switches = [labels(spec, SwitchTester(system, Random(seed), graph), mutant, seed) for seed in range(rounds)]
        if None in switches:
            same = not known and isinstance(check(small(system), small(mutant)), Conforms)
            equal += same
            if same:
                continue
        uniform = [labels(spec, Uniform(Random(seed)), mutant, seed) for seed in range(rounds)]
        row = (name, mean(switches), mean(uniform))
        (public if known else own).append(row)
        found.setdefault("public" if known else "own", []).append(sum(one or MOST for one in switches) / rounds)
        print(*row, flush=True)
    paper = [(name, PAPER[int(name.split()[-1])], *rest) for name, *rest in public]
    write_section(
        "Bounded retransmission protocol: public mutants", table(("mutant", "thesis", "switches", "uniform"), paper)
    )
    write_section(
        "Bounded retransmission protocol: mutants of the model", summary(own, found.get("own", []), equal, every)
    )
    write_section("Symbolic execution graphs", growth(system))


def systems(system: SymbolicSystem, every: int = 1) -> Iterator[tuple[str, SymbolicSystem]]:
    """The public mutants that are here, then all of the model's own."""
    for number in PAPER:
        path = DATA / f"BRP_mutant{number}.register.xml"
        if path.exists():
            read = read_model(path)
            assert isinstance(read, SymbolicSystem)
            yield f"public {number}", read
    yield from islice(mutants(system), 0, None, every)


def small(system: SymbolicSystem) -> Specification:
    """The system with one datum only, which no variable starts with: in it, what conforms can be proved."""
    return specification(restricted(system, 1, 1))


def labels(spec: Specification, tester: Tester, mutant: SymbolicSystem, seed: int) -> int | None:
    """Inputs and outputs until a Fail; None where there was none within the bound."""
    outcome = run(Plan(spec, tester), Simulated(mutant, Random(seed)), plays=MOST // STEPS, steps=STEPS)
    seen = sum(event.kind in ("input", "output") for event in outcome.trace.events)
    return seen if outcome.verdict.name == "fail" else None


def mean(counts: list[int | None]) -> str:
    """The mean in words; with a mark where some were not found, which count as the bound."""
    value = sum(MOST if one is None else one for one in counts) / len(counts)
    return f"{value:.1f}" + (f" ({counts.count(None)} not found)" if None in counts else "")


def geometric(values: list[float]) -> float:
    return exp(sum(map(log, values)) / len(values)) if values else 0.0


def summary(rows: list[tuple[str, str, str]], values: list[float], equal: int, every: int) -> str:
    """All own mutants in one line, and those that took longest."""
    taken = "" if every == 1 else f"Of all mutants, one in {every}. "
    uniform = geometric([float(row[2].split()[0]) for row in rows])
    head = ("mutants", "equivalent", "not found", "geometric mean", "uniform")
    missed = sum("not found" in row[1] for row in rows)
    whole = table(head, [(len(rows), equal, missed, f"{geometric(values):.1f}", f"{uniform:.1f}")])
    slowest = sorted(rows, key=lambda row: -float(row[1].split()[0]))[:8]
    return whole + f"\n\n{taken}Those that took longest:\n\n" + table(("mutant", "switches", "uniform"), slowest)


def growth(system: SymbolicSystem) -> str:
    """States of the graph by depth, with and without what is subsumed."""
    rows = []
    for depth in (5, 10, 20, 40, 100):
        began = time.perf_counter()
        merged = execution_graph(system, SymbolicLimits(depth=depth))
        took = time.perf_counter() - began
        rows.append((depth, len(merged.states), "yes" if merged.is_complete else "no", merged.queries, seconds(took)))
    return table(("depth", "symbolic states", "complete", "queries", "seconds"), rows)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:] or ["100"]))
