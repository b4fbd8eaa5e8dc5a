"""Labels until a fault is found: `python -m benchmarks.faults`.

    python -m benchmarks.faults --systems alarm,tftp --testers suspicion,greedy --mutants 10 --seeds 3

Models come from `shared/data` beside the repository, from the examples and from here. Each mutant is wrong in one place
and proven not to conform. Two disjoint sets are drawn from a seed: one for development, one that is counted. With
`--page` the rows of the systems that were played take the place of those on the results page; others stay.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from random import Random

from benchmarks.faults.measuring import POSSIBLE, Job, Verdicts, bounded, jobs_of, measured, pace, read_kept
from benchmarks.faults.mutants import SETS
from benchmarks.faults.playing import plays_rightly
from benchmarks.faults.section import TITLE, beside, needs_room, section
from benchmarks.faults.systems import DATA, SEED, SYSTEMS, System
from benchmarks.faults.testers import DEFAULT, TESTERS
from benchmarks.page import section_on_page, write_section


def main(arguments: list[str]) -> None:
    asked = _options(arguments)
    if not DATA.exists():
        print("the folder shared/data is not here: there is nothing to test")
        return
    if asked.right:
        play_right_systems(asked)
        return
    systems, jobs, left_out = [], [], {}
    for name in asked.systems:
        print(f"making {name} and its mutants", file=sys.stderr)
        system = SYSTEMS[name](asked.drawing)
        wanted = max(asked.mutants, system.fewest)
        drawn = system.mutants(max(wanted, asked.drawn), Verdicts(asked.keep, name))
        systems.append(system)
        left_out[system.name] = drawn.equivalent
        names = [one for one in asked.testers if TESTERS[one].plays(system)]
        seeds = {one: asked.slow_seeds or asked.seeds if TESTERS[one].slow else asked.seeds for one in names}
        jobs += jobs_of(system, asked.set, drawn.by_set[asked.set][:wanted], seeds)
    jobs.sort(key=lambda job: _order(job, systems))
    if asked.kept_only:
        known = read_kept(asked.keep)
        jobs = _comparable([job for job in jobs if job.key in known], asked.testers)
    results = measured(jobs, asked.processes, asked.keep)
    for system in systems:
        if needs_room(system, asked.testers, results):
            print(f"what no tester can beat on {system.name}", file=sys.stderr)
            results.at_least[system.name] = bounded(system, jobs, asked.keep)
    for system in systems:
        print(f"how long moves take on {system.name}", file=sys.stderr)
        names = [one for one in asked.testers if (system.name, one) in results.found]
        results.pace.update({(system.name, one): pace(system, one) for one in names})
    body = section(systems, asked.testers, results, left_out)
    body = beside(section_on_page(TITLE), body) if asked.page else body
    body += "".join(_lacking(system, jobs, max(asked.mutants, system.fewest)) for system in systems)
    missing = [one for one in asked.testers if not TESTERS[one].is_here()]
    body += f"\n\nNot here, and left out: {', '.join(missing)}." if missing else ""
    if asked.page:
        write_section(TITLE, body)
    else:
        print(body)


def play_right_systems(asked: argparse.Namespace) -> None:
    """Let every player play right systems, which it must never fail."""
    for name in asked.systems:
        system = SYSTEMS[name]()
        for tester in (TESTERS[one] for one in asked.testers):
            if tester.make is not None and tester.plays(system):
                player, rng = tester.make(system, Random(f"tester {name}")), Random(f"right {name}")
                right = plays_rightly(player, system, rng, plays=asked.right, steps=asked.steps)
                print(f"{name}, {tester.name}: {'never failed' if right else 'FAILED'} in {asked.right:,} plays")


def _comparable(jobs: list[Job], testers: list[str]) -> list[Job]:
    """Those of mutants that all have played who can."""
    played: dict[tuple[str, int], set[str]] = {}
    for job in jobs:
        for number in job.numbers:
            played.setdefault((job.system.name, number), set()).add(job.tester)

    def by_all(job: Job) -> bool:
        wanted = {one for one in testers if TESTERS[one].plays(job.system)} | {POSSIBLE}
        return all(wanted <= played[job.system.name, number] for number in job.numbers)

    return [job for job in jobs if by_all(job)]


def _lacking(system: System, jobs: list[Job], wanted: int) -> str:
    """A word about mutants that not all have played: those that take longest are the last."""
    played = len({number for job in jobs if job.system is system for number in job.numbers})
    if played == wanted:
        return ""
    return f"\n{system.name}: {played} of {wanted} mutants were played by all; those that take longest may be missing."


def _order(job: Job, systems: list[System]) -> tuple[int, int, int]:
    """The first seeds of all first, so that what was kept can be compared at any time; slow testers before others."""
    tester = list(TESTERS).index(job.tester) if job.tester in TESTERS else -1
    return job.seeds.start, -tester, systems.index(job.system)


def _options(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.faults", description=__doc__.partition("\n")[0])
    parser.add_argument("--systems", type=_list(SYSTEMS), default=list(SYSTEMS), help=", ".join(SYSTEMS))
    parser.add_argument("--testers", type=_list(TESTERS), default=list(DEFAULT), help=", ".join(TESTERS))
    parser.add_argument("--mutants", type=int, default=30, help="of each system")
    parser.add_argument("--drawn", type=int, default=30, help="how many are drawn; the first of them are played")
    parser.add_argument("--drawing", default=SEED, help="a text from which mutants are drawn: another, other mutants")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--slow-seeds", type=int, help="seeds of testers that take long to play")
    parser.add_argument("--set", choices=SETS, default="development")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--keep", type=Path, help="a file that keeps what was played, to go on from")
    parser.add_argument("--kept-only", action="store_true", help="play nothing more, show what was kept")
    parser.add_argument("--right", type=int, help="play the right systems instead, so many times")
    parser.add_argument("--steps", type=int, default=30, help="labels of a play of a right system")
    parser.add_argument("--page", action="store_true", help="write the section of the results page")
    return parser.parse_args(arguments)


def _list(known: dict[str, object]):
    def names(text: str) -> list[str]:
        found = text.split(",")
        if unknown := [one for one in found if one not in known]:
            raise argparse.ArgumentTypeError(f"unknown: {', '.join(unknown)}; known: {', '.join(known)}")
        return found

    return names


if __name__ == "__main__":
    main(sys.argv[1:])
