"""Labels until a fault is found by suites: in the order of the file, by suspicion, and going on after each test.

    python -m benchmarks.suite_order [MUTANTS] [SEEDS] [SYSTEM …]

Mutants are those for development of `benchmarks.faults`. A suite is played until a wrong output is seen; a start counts
as a label, and what is not found within 10,000 labels, or by the whole suite, counts as that.
"""

from __future__ import annotations

import statistics
import sys
from collections.abc import Iterator
from random import Random
from typing import Any

from benchmarks.faults.mutants import Mutant
from benchmarks.faults.rows import Simulation
from benchmarks.faults.systems import DATA, SYSTEMS, System
from benchmarks.page import table, write_section
from outplay import Observer, Simulated, Suite, run
from outplay.play.following import Step
from outplay.runs.events import RunEvent
from outplay.runs.suite_runs.suite_making import make_suite

BUDGET = 10_000
FILES = {
    "alarm": DATA / "iolts" / "00_car_alarm.dot",
    "tftp": DATA / "iolts" / "tftp_upload.dot",
}
METHODS = ("distinguish", "n-complete")
WAYS: dict[str, dict[str, Any]] = {
    "in its order": {},
    "by suspicion": {"tester": "suspicion"},
    "by suspicion, and 20 steps more": {"tester": "suspicion", "extra_steps": 20},
}
TEXT = f"""\
Labels and starts until a wrong output is seen, by the suites of two methods, in the order of the file, with `--tester
suspicion`, and with `--extra-steps 20` as well. What is not found within {BUDGET:,}, or by the whole suite, counts as
{BUDGET:,}.
"""


class Budget(Observer):
    """Ends a run, as a user would, when so many labels and starts were played."""

    def __init__(self) -> None:
        self.spent = 0

    def observe(self, event: RunEvent) -> None:
        if isinstance(event, Step):
            self.spent += event.event.is_move or event.event.kind == "reset"
        if self.spent > BUDGET:
            raise KeyboardInterrupt


def until_found(suite: Suite, system: System, mutant: Mutant, seed: int, how: dict[str, Any]) -> int | None:
    """How many labels were played until the mutant failed."""
    budget = Budget()
    played = Simulated(Simulation(system.table, mutant.rows), Random(f"{mutant.what} {seed}"))
    try:
        verdict = run(suite, played, model=system.model, plays=100, observers=[budget], **how).verdict
    except KeyboardInterrupt:
        return None
    return budget.spent if verdict.name == "fail" else None


def rows(name: str, mutants: int, seeds: int) -> Iterator[tuple[object, ...]]:
    """For each method and way of playing: the mean, the median and what was not found."""
    system = SYSTEMS[name]()
    wrong = system.mutants(mutants).by_set["development"]
    for method in METHODS:
        suite = make_suite(str(FILES[name]), method)
        size = sum(1 for _ in suite.tests) if suite.size is None else suite.size
        for way, how in WAYS.items():
            found = [until_found(suite, system, one, seed, how) for one in wrong for seed in range(seeds)]
            spent = [BUDGET if one is None else one for one in found]
            counts = f"{statistics.median(spent):,.0f}", f"{statistics.mean(spent):,.0f}"
            yield system.name, len(wrong), method, f"{size:,}", way, *counts, f"{found.count(None)} of {len(found)}"


def main(mutants: int, seeds: int, *names: str) -> None:
    """Measure, and write the section where all systems were asked for."""
    if not DATA.exists():
        print("the folder shared/data is not here: nothing to play")
        return
    head = ("system", "mutants", "suite", "tests", "played", "median", "mean", "undetected")
    body = TEXT + "\n" + table(head, [row for name in names or FILES for row in rows(name, mutants, seeds)])
    print(body) if names else write_section("Suites by suspicion", body)


if __name__ == "__main__":
    given = sys.argv[1:]
    main(int(given[0]) if given else 20, int(given[1]) if len(given) > 1 else 3, *given[2:])
