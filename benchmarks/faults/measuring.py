"""All plays of a comparison, spread over processes; what was played is kept in a file if one is named."""

from __future__ import annotations

import json
import multiprocessing
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from benchmarks.faults.any_tester import least_mean
from benchmarks.faults.least_by_flow import is_small_walk, least_by_flow
from benchmarks.faults.mutants import Mutant, Prove
from benchmarks.faults.playing import LIMIT, Found
from benchmarks.faults.possible import least_expected
from benchmarks.faults.systems import System
from benchmarks.faults.testers import TESTERS

POSSIBLE = "possible"
CHUNK = 4  # seeds of one job


@dataclass
class Results:
    """What was found in each play, by system and tester; and what the best play needs, by system."""

    found: dict[tuple[str, str], list[Found]] = field(default_factory=dict)
    possible: dict[str, list[float]] = field(default_factory=dict)
    at_least: dict[str, float] = field(default_factory=dict)
    """What no tester beats who does not know which of the mutants it is, by system; where that was asked."""


@dataclass(frozen=True)
class Job:
    """One tester against one mutant of a system, with some seeds."""

    system: System
    mutants: str
    """The name of their set."""
    number: int
    mutant: Mutant
    tester: str
    seeds: range = range(1)

    @property
    def key(self) -> str:
        parts = (self.system.name, self.mutants, self.number, self.mutant.what, self.tester, self.seeds)
        return " | ".join(map(str, parts))


def jobs_of(system: System, name: str, mutants: Sequence[Mutant], seeds: dict[str, int]) -> Iterator[Job]:
    """All jobs of a system: for each tester so many seeds, a few at a time."""
    for number, mutant in enumerate(mutants):
        yield Job(system, name, number, mutant, POSSIBLE)
        for tester, count in seeds.items():
            for first in range(0, count, CHUNK):
                yield Job(system, name, number, mutant, tester, range(first, min(count, first + CHUNK)))


class Verdicts:
    """Which mutants are wrong, as far as that was written down."""

    def __init__(self, kept: Path | None, system: str) -> None:
        self._kept, self._system, self._known = kept, system, read_kept(kept)

    def __call__(self, what: str, prove: Prove) -> bool | None:
        """Whether a mutant is wrong: looked up, or proven and written down."""
        key = f"verdict | {self._system} | {what}"
        if key not in self._known:
            self._known[key] = prove()
            keep(self._kept, key, self._known[key])
        found = self._known[key]
        return None if found is None else bool(found)


_JOBS: list[Job] = []  # filled before processes are forked, so that systems and mutants need not be sent


def _run(place: int) -> tuple[int, list[dict[str, float | None]] | float]:
    job = _JOBS[place]
    if job.tester == POSSIBLE:
        return place, least_expected(job.system, job.mutant.rows)
    name = f"{job.system.name} {job.mutants} {job.number}"
    run = TESTERS[job.tester].run
    found = [run(job.system, job.mutant.rows, f"{name} {seed}", LIMIT) for seed in job.seeds]
    return place, [asdict(one) for one in found]


def measured(jobs: Iterable[Job], processes: int, kept: Path | None) -> Results:
    """Run all jobs that are not in the file, and put all together."""
    _JOBS[:] = list(jobs)
    known = read_kept(kept)
    places = [place for place, job in enumerate(_JOBS) if job.key not in known]
    for done, (place, result) in enumerate(_played(places, processes), 1):
        job = _JOBS[place]
        known[job.key] = result
        keep(kept, job.key, result)
        if done % max(1, len(places) // 50) == 0:
            print(f"{done} of {len(places)}: {job.system.name}, {job.tester}", file=sys.stderr)
    results = Results()
    for job in _JOBS:
        result = known[job.key]
        if job.tester == POSSIBLE:
            results.possible.setdefault(job.system.name, []).append(result)
        else:
            plays = results.found.setdefault((job.system.name, job.tester), [])
            plays += [Found(**one) for one in result]
    return results


def bounded(system: System, jobs: Iterable[Job], kept: Path | None) -> float:
    """What no tester beats who does not know which of the mutants it is: looked up, or found and written down."""
    mutants = [job.mutant for job in jobs if job.system is system and job.tester == POSSIBLE]
    rows, named = [mutant.rows for mutant in mutants], f"{system.name} | {' | '.join(one.what for one in mutants)}"
    ways = {"at least": least_mean} | ({"by flow": least_by_flow} if is_small_walk(system) else {})
    known = read_kept(kept)
    for way, least in ways.items():
        if (key := f"{way} | {named}") not in known:
            known[key] = least(system, rows)
            keep(kept, key, known[key])
    return max(float(known[f"{way} | {named}"]) for way in ways)


def _played(places: list[int], processes: int) -> Iterator[tuple[int, object]]:
    if processes == 1:
        yield from map(_run, places)
        return
    with multiprocessing.get_context("fork").Pool(processes) as pool:
        yield from pool.imap_unordered(_run, places)


def keep(kept: Path | None, key: str, value: object) -> None:
    """Write something down, if there is a file for it."""
    if kept is not None:
        with kept.open("a", encoding="utf-8") as file:
            file.write(json.dumps([key, value]) + "\n")


def read_kept(kept: Path | None) -> dict[str, object]:
    if kept is None or not kept.exists():
        return {}
    return dict(map(json.loads, kept.read_text(encoding="utf-8").splitlines()))
