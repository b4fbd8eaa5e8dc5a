"""The memory of one long run: `python -m benchmarks.long_run --labels 10000000 --minutes 20`.

A lamp is played as `outplay run` does it, with trace, store and all that is watched, in a process of its own. Its
resident memory is read ten times on the way, so a leak of a few bytes a label shows as a slope.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from pathlib import Path

from benchmarks.page import table, write_section
from outplay.play.following import Step
from outplay.runs.job import Job
from outplay.runs.preparing.planning import prepare
from outplay.store.stored_run import stored_run

TITLE = "Memory of a long run"
LAMP = 'des (0, 3, 2)\n(0, "?press", 1)\n(1, "!light", 0)\n(1, "!dim", 0)\n'


def resident() -> int:
    """The resident memory of this process, in bytes."""
    lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmRSS"))


def measure(labels: int, minutes: float, tester: str) -> list[tuple[int, int, float]]:
    """Labels played, bytes and seconds, at every tenth of the run or of its time."""
    Path("lamp.aut").write_text(LAMP, encoding="utf-8")
    job = Job("lamp.aut", sut="model:lamp.aut", labels=labels, time=minutes * 60, tester=tester)
    run, began, found, played = stored_run(prepare(job)), time.perf_counter(), list[tuple[int, int, float]](), 0
    for event in run:
        if isinstance(event, Step):
            played += 1
            spent = time.perf_counter() - began
            share = max(played / labels, spent / (minutes * 60))
            if share * 10 >= len(found) + 1 and len(found) < 10:
                found.append((played, resident(), spent))
    assert run.result.passed
    return [*found, (played, resident(), time.perf_counter() - began)]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.long_run")
    parser.add_argument("--labels", type=int, default=10_000_000)
    parser.add_argument("--minutes", type=float, default=20)
    parser.add_argument("--tester", default="walk")
    asked = parser.parse_args()
    page = Path.cwd()
    with tempfile.TemporaryDirectory(prefix="outplay-") as folder:
        os.chdir(folder)
        found = measure(asked.labels, asked.minutes, asked.tester)
        disk = sum(path.stat().st_size for path in Path(folder).rglob("*") if path.is_file())
        os.chdir(page)
    rows = [[f"{labels:,}", f"{size / 2**20:,.1f}", f"{spent:,.0f}"] for labels, size, spent in found]
    (few, small, _), (many, large, _) = found[1], found[-1]
    cut = "" if many >= asked.labels else f" Time was up after {many:,} of {asked.labels:,} labels."
    note = (
        f"Plays of 100 labels with `--tester {asked.tester}` and {disk / 2**20:,.0f} MiB on disk.{cut} "
        f"From the second line to the last, memory grows by {(large - small) / (many - few):.2f} bytes a label."
    )
    write_section(TITLE, f"{table(['labels', 'resident MiB', 'seconds'], rows)}\n\n{note}")


if __name__ == "__main__":
    main()
