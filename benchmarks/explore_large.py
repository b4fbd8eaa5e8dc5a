"""Large models: two processes beside one, by how long the model's own methods take, and exploring on disk.

Each measurement is a process of its own, so that its memory is its own.

    python -m benchmarks.explore_large [WHEELS]
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.page import table, write_section
from outplay.runs.job import Job
from outplay.runs.queries.explored_model import explore_job

LOCK = '''
import time
from outplay import Model, controllable, given, goal

def work(seconds):
    """As a method that computes: time that other processes can use."""
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass

class Lock(Model):
    """Six wheels that are turned one at a time."""
    a: int = 0
    b: int = 0
    c: int = 0
    d: int = 0
    e: int = 0
    f: int = 0
    size = 10

    @controllable
    @given(wheel=("a", "b", "c", "d", "e", "f"))
    def turn(self, wheel):
        setattr(self, wheel, (getattr(self, wheel) + 1) % self.size)

    @goal
    def opened(self):
        return self.a == self.b == self.c == self.d == self.e == self.f == self.size - 3

class SlowLock(Lock):
    """Its method reads all wheels, so that hardly anything it did is met again."""
    micros = 20

    @controllable
    @given(wheel=("a", "b", "c", "d", "e", "f"))
    def turn(self, wheel):
        self.a, self.b, self.c, self.d, self.e, self.f
        if self.micros:
            work(self.micros / 1e6)
        setattr(self, wheel, (getattr(self, wheel) + 1) % self.size)
'''
LARGE = {"max_states": 10**8, "max_edges": 10**9, "max_seconds": 1e5, "max_memory": 10_000, "assumption": "input-eager"}


def main(wheels: int) -> None:
    """Measure each as a process of its own, and write both sections."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "lock.py").write_text(LOCK)
        rows = []
        for micros in (0, 5, 20, 50):
            alone, two = (
                [float(text) for text in measured(folder, "SlowLock", 7, micros, jobs)[:2]] for jobs in (1, 2)
            )
            rows.append((micros, f"{alone[0]:.1f}", f"{two[0]:.1f}", f"{alone[0] / two[0]:.2f}", f"{two[1]:,.0f}"))
        head = ("µs in a method", "one process, s", "--jobs 2, s", "times as fast", "states by workers")
        load = f"Load average {os.getloadavg()[0]:.1f} at the end, on {os.cpu_count()} cores."
        words = "117,649 states, 705,894 transitions; the game is the same byte for byte."
        write_section("Exploring with two processes", f"{table(head, rows)}\n\n{words} {load}")
        rows = []
        for size, disk in ((10, False), (10, True), (wheels, True)):
            seconds, _, states, edges, peak = measured(folder, "Lock", size, 0, 1, disk=disk)
            rows.append((f"{int(states):,}", f"{int(edges):,}", "--disk" if disk else "in memory", seconds, peak))
        head = ("states", "edges", "where", "seconds", "most memory, MB")
        load = f"Load average {os.getloadavg()[0]:.1f} at the end, on {os.cpu_count()} cores."
        write_section("Exploring on disk", f"{table(head, rows)}\n\n{load}")


def measured(folder: str, model: str, size: int, micros: int, jobs: int, *, disk: bool = False) -> list[str]:
    """Explore in a process of its own: seconds, states by workers, states, edges, and the most memory in MB."""
    asked = [folder, model, str(size), str(micros), str(jobs), "disk" if disk else ""]
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.explore_large", "once", *asked], capture_output=True, text=True, check=True
    )
    return done.stdout.split()


def once(folder: str, model: str, size: str, micros: str, jobs: str, disk: str) -> None:
    """Explore, and print what it took."""
    constants = (f"size={size}", *([f"micros={micros}"] if model == "SlowLock" else []))
    with tempfile.TemporaryDirectory(dir=folder) as kept:
        job = Job(f"{folder}/lock.py:{model}", set=constants, jobs=int(jobs) if int(jobs) > 1 else None, **LARGE)  # type: ignore[arg-type]
        job = Job(**{**vars(job), "disk": kept}) if disk else job
        began = time.perf_counter()
        found = explore_job(job)
        seconds = time.perf_counter() - began
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
        print(f"{seconds:.1f}", found.origin.helped, found.origin.states, found.game.edge_count, peak)


if __name__ == "__main__":
    if sys.argv[1:2] == ["once"]:
        once(*sys.argv[2:])
    else:
        main(int(sys.argv[1]) if len(sys.argv) > 1 else 17)
