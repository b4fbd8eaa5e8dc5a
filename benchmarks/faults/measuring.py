"""All plays of a comparison, spread over processes; what was played is kept in a file if one is named."""

from __future__ import annotations

import json
import multiprocessing
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

from benchmarks.faults.alongside import Along, WorldAlong
from benchmarks.faults.any_tester import least_mean
from benchmarks.faults.least_by_flow import is_small, least_by_flow
from benchmarks.faults.least_by_order import least_by_order
from benchmarks.faults.mutants import Mutant, Prove
from benchmarks.faults.playing import LIMIT, Found, World
from benchmarks.faults.possible import least_expected
from benchmarks.faults.systems import System
from benchmarks.faults.testers import TESTERS

POSSIBLE = "possible"
CHUNK = 4  # seeds of one job
PACED = 1_000  # labels in which it is measured how long a move takes


@dataclass
class Results:
    """What was found in each play, by system and tester and then by mutant, and what the best play needs, by system."""

    found: dict[tuple[str, str], dict[int, list[Found]]] = field(default_factory=dict)
    possible: dict[str, list[float]] = field(default_factory=dict)
    at_least: dict[str, float] = field(default_factory=dict)
    """What no tester beats who does not know which of the mutants it is, by system; where that was asked."""
    pace: dict[tuple[str, str], float] = field(default_factory=dict)
    """Milliseconds of the processor for a move, by system and tester."""


@dataclass(frozen=True)
class Job:
    """One tester against a mutant of a system with some seeds; or against many, of a machine, beside each other."""

    system: System
    set: str
    first: int
    """The number of the first mutant."""
    mutants: tuple[Mutant, ...]
    tester: str
    seeds: range = range(1)

    @property
    def numbers(self) -> range:
        return range(self.first, self.first + len(self.mutants))

    @property
    def key(self) -> str:
        one = len(self.mutants) == 1
        number, what = (self.first, self.mutants[0].what) if one else (self.numbers, digest(self.mutants))
        return " | ".join(map(str, (self.system.name, self.set, number, what, self.tester, self.seeds)))


def digest(mutants: Iterable[Mutant]) -> str:
    """What is wrong with mutants, in few letters."""
    return sha256("\n".join(mutant.what for mutant in mutants).encode()).hexdigest()[:16]


def jobs_of(system: System, name: str, mutants: Sequence[Mutant], seeds: dict[str, int]) -> Iterator[Job]:
    """All jobs of a system: for each tester so many seeds, a few at a time."""
    for number, mutant in enumerate(mutants):
        yield Job(system, name, number, (mutant,), POSSIBLE)
    together = system.machine is not None
    groups = [(0, tuple(mutants))] if together else [(number, (mutant,)) for number, mutant in enumerate(mutants)]
    chunk = 1 if together else CHUNK
    for first, group in groups:
        for tester, count in seeds.items():
            for seed in range(0, count, chunk):
                yield Job(system, name, first, group, tester, range(seed, min(count, seed + chunk)))


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


def _run(place: int) -> tuple[int, object]:
    """What a job found: with each seed, for each mutant."""
    job = _JOBS[place]
    if job.tester == POSSIBLE:
        return place, least_expected(job.system, job.mutants[0].rows)
    found = [[asdict(one) for one in _played_once(job, seed)] for seed in job.seeds]
    return place, found if len(job.mutants) > 1 else [one for (one,) in found]


def _played_once(job: Job, seed: int) -> list[Found]:
    run, named = TESTERS[job.tester].run, f"{job.system.name} {job.set}"
    if len(job.mutants) == 1:
        worlds = partial(World, job.system, job.mutants[0].rows)
        return [run(job.system, worlds, f"{named} {job.first} {seed}", LIMIT)]
    along = Along(job.system, job.mutants)
    play = run(job.system, partial(WorldAlong, job.system, along), f"{named} along {seed}", LIMIT)
    return [replace(play, labels=labels) for labels in along.found]


def measured(jobs: Iterable[Job], processes: int, kept: Path | None) -> Results:
    """Run all jobs that are not in the file, and put all together."""
    _JOBS[:] = list(jobs)
    known = read_kept(kept)
    places = [place for place, job in enumerate(_JOBS) if job.key not in known]
    for done, (place, result) in enumerate(_results(places, processes), 1):
        job = _JOBS[place]
        known[job.key] = result
        keep(kept, job.key, result)
        if done % max(1, len(places) // 50) == 0:
            print(f"{done} of {len(places)}: {job.system.name}, {job.tester}", file=sys.stderr)
    results = Results()
    for job in _JOBS:
        result: Any = known[job.key]
        if job.tester == POSSIBLE:
            results.possible.setdefault(job.system.name, []).append(result)
            continue
        by_mutant = results.found.setdefault((job.system.name, job.tester), {})
        for played in result:
            for number, one in zip(job.numbers, played if len(job.mutants) > 1 else [played], strict=True):
                by_mutant.setdefault(number, []).append(Found(**one))
    return results


def pace(system: System, tester: str) -> float:
    """How many milliseconds of the processor a move takes on the right system, once all is loaded."""
    run, right = TESTERS[tester].run, partial(World, system, system.right)
    run(system, right, "loading", PACED // 10)
    found = run(system, right, "pace", PACED)
    return 1e3 * found.seconds / max(1, found.decisions)


def bounded(system: System, jobs: Iterable[Job], kept: Path | None) -> float:
    """What no tester beats who does not know which of the mutants it is: looked up, or found and written down."""
    mutants = [job.mutants[0] for job in jobs if job.system is system and job.tester == POSSIBLE]
    rows, named = [mutant.rows for mutant in mutants], f"{system.name} | {' | '.join(one.what for one in mutants)}"
    ways = {"at least": least_mean} | ({"by flow": least_by_flow} if is_small(system) else {})
    if system.machine is not None:
        ways = {"by order": least_by_order}
    known = read_kept(kept)
    for way, least in ways.items():
        if (key := f"{way} | {named}") not in known:
            known[key] = least(system, rows)
            keep(kept, key, known[key])
    return max(float(known[f"{way} | {named}"]) for way in ways)


def _results(places: list[int], processes: int) -> Iterator[tuple[int, object]]:
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
