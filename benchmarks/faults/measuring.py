"""All plays of a comparison, spread over processes; what was played is kept in a file if one is named."""

from __future__ import annotations

import json
import multiprocessing
import sys
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path

from benchmarks.faults.mutants import Mutant
from benchmarks.faults.playing import LIMIT, Found
from benchmarks.faults.possible import least_expected
from benchmarks.faults.systems import System
from benchmarks.faults.testers import TESTERS

POSSIBLE = "possible"
Key = tuple[str, str, int]
"""System, tester and the number of the mutant."""


@dataclass
class Results:
    """What was found, seed by seed, and the least that a tester would need who knew the mutant."""

    found: dict[Key, list[Found]] = field(default_factory=dict)
    possible: dict[tuple[str, int], float] = field(default_factory=dict)


@dataclass(frozen=True)
class Job:
    """One tester against one mutant of a system, with all seeds."""

    system: System
    mutants: str
    """The name of their set."""
    number: int
    mutant: Mutant
    tester: str
    seeds: int

    @property
    def key(self) -> str:
        parts = (self.system.name, self.mutants, str(self.number), self.mutant.what, self.tester, str(self.seeds))
        return " | ".join(parts)


_JOBS: list[Job] = []  # filled before processes are forked, so that systems and mutants need not be sent


def _run(place: int) -> tuple[int, list[dict[str, float | None]] | float]:
    job = _JOBS[place]
    if job.tester == POSSIBLE:
        return place, least_expected(job.system, job.mutant.rows)
    name = f"{job.system.name} {job.mutants} {job.number}"
    run = TESTERS[job.tester].run
    found = [run(job.system, job.mutant.rows, f"{name} {seed}", LIMIT) for seed in range(job.seeds)]
    return place, [asdict(one) for one in found]


def measured(jobs: Iterable[Job], processes: int, kept: Path | None) -> Results:
    """Run all jobs that are not in the file, and put all together."""
    _JOBS[:] = list(jobs)
    known = _read(kept)
    places = [place for place, job in enumerate(_JOBS) if job.key not in known]
    for done, (place, result) in enumerate(_played(places, processes), 1):
        job = _JOBS[place]
        known[job.key] = result
        if kept is not None:
            with kept.open("a", encoding="utf-8") as file:
                file.write(json.dumps([job.key, result]) + "\n")
        if done % max(1, len(places) // 50) == 0:
            print(f"{done} of {len(places)}: {job.system.name}, {job.tester}", file=sys.stderr)
    results = Results()
    for job in _JOBS:
        result = known[job.key]
        if job.tester == POSSIBLE:
            results.possible[job.system.name, job.number] = result
        else:
            results.found[job.system.name, job.tester, job.number] = [Found(**one) for one in result]
    return results


def _played(places: list[int], processes: int) -> Iterator[tuple[int, object]]:
    if processes == 1:
        yield from map(_run, places)
        return
    with multiprocessing.get_context("fork").Pool(processes) as pool:
        yield from pool.imap_unordered(_run, places)


def _read(kept: Path | None) -> dict[str, object]:
    if kept is None or not kept.exists():
        return {}
    return dict(map(json.loads, kept.read_text(encoding="utf-8").splitlines()))
