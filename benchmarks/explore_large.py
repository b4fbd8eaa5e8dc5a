"""Large models: two processes beside one, by how long the model's own methods take, and exploring on disk.

Each measurement is a process of its own, so that its memory is its own. Storm's builder makes the same states from
PRISM source, in which a step is an expression and no method of a user.

    python -m benchmarks.explore_large [processes | disk] [WHEELS]
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

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


SIZE = 6  # of each wheel, where two processes are beside one


def main(part: str, wheels: int) -> None:
    """Measure each as a process of its own, and write both sections or one."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "lock.py").write_text(LOCK)
        if part != "disk":
            two_processes(folder)
        if part != "processes":
            on_disk(folder, wheels)


def two_processes(folder: str) -> None:
    """Set two processes beside one, and Storm beside both."""
    rows = list[tuple[str, ...]]()
    states = edges = ""
    for micros in (0, 5, 20, 50):
        alone, two = (measured(folder, "SlowLock", SIZE, micros, jobs) for jobs in (1, 2))
        states, edges = f"{int(alone.states):,}", f"{int(alone.edges):,}"
        each = [f"{one.worked / int(one.edges) * 1e6:.2f}" for one in (alone, two)]
        times = (f"{alone.seconds:.1f}", f"{two.seconds:.1f}", f"{alone.seconds / two.seconds:.2f}")
        rows.append((str(micros), *times, *each, f"{int(two.helped):,}"))
    head = ("µs in a method", "one process, s", "--jobs 2, s", "times as fast")
    work = ("µs of work a transition, one process", "--jobs 2, all together")
    words = f"{states} states, {edges} transitions; the game is the same byte for byte. {by_storm()}"
    write_section(
        "Exploring with two processes", f"{table((*head, *work, 'states by workers'), rows)}\n\n{words} {load()}"
    )


def by_storm() -> str:
    """Say how long Storm takes for the same states."""
    try:
        from benchmarks.peers.storm import build
    except ImportError:
        return "stormpy is not installed: pip install stormpy."
    both = [build(lock_prism(SIZE), valuations=valuations) for valuations in (True, False)]
    kept, bare = (f"{built.worked / built.transitions * 1e6:.2f} µs" for built in both)
    return (
        f"Storm's builder made these {both[0].states:,} states and {both[0].transitions:,} transitions in the same run "
        f"with {kept} of work a transition, and {bare} where it does not keep what a state means."
    )


def lock_prism(size: int) -> str:
    """Write the lock as a PRISM program."""
    wheels = "abcdef"
    variables = "\n".join(f"  {wheel} : [0..{size - 1}] init 0;" for wheel in wheels)
    turns = "\n".join(f"  [{wheel}] true -> ({wheel}'=mod({wheel}+1, {size}));" for wheel in wheels)
    return f"mdp\nmodule lock\n{variables}\n{turns}\nendmodule\n"


def on_disk(folder: str, wheels: int) -> None:
    """Set exploring on disk beside exploring in memory."""
    rows = []
    for size, disk in ((10, False), (10, True), (wheels, True)):
        one = measured(folder, "Lock", size, 0, 1, disk=disk)
        where = "--disk" if disk else "in memory"
        rows.append((f"{int(one.states):,}", f"{int(one.edges):,}", where, f"{one.seconds:.1f}", one.peak))
    head = ("states", "edges", "where", "seconds", "most memory, MB")
    write_section("Exploring on disk", f"{table(head, rows)}\n\n{load()}")


def load() -> str:
    """Say how busy the machine is."""
    return f"Load average {os.getloadavg()[0]:.1f} at the end, on {os.cpu_count()} cores."


class Measured(NamedTuple):
    """One measurement: seconds on the wall and of the processor, in all processes, and what was found."""

    seconds: float
    worked: float
    helped: str
    states: str
    edges: str
    peak: str


def measured(folder: str, model: str, size: int, micros: int, jobs: int, *, disk: bool = False) -> Measured:
    """Explore in a process of its own."""
    asked = [folder, model, str(size), str(micros), str(jobs), "disk" if disk else ""]
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.explore_large", "once", *asked], capture_output=True, text=True, check=True
    )
    seconds, worked, *found = done.stdout.split()
    return Measured(float(seconds), float(worked), *found)


def once(folder: str, model: str, size: str, micros: str, jobs: str, disk: str) -> None:
    """Explore, and print what it took."""
    constants = (f"size={size}", *([f"micros={micros}"] if model == "SlowLock" else []))
    with tempfile.TemporaryDirectory(dir=folder) as kept:
        job = Job(f"{folder}/lock.py:{model}", set=constants, jobs=int(jobs) if int(jobs) > 1 else None, **LARGE)  # type: ignore[arg-type]
        job = Job(**{**vars(job), "disk": kept}) if disk else job
        began, worked = time.perf_counter(), sum(os.times()[:4])
        found = explore_job(job)
        seconds, worked = time.perf_counter() - began, sum(os.times()[:4]) - worked
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
        print(f"{seconds:.2f}", f"{worked:.2f}", found.origin.helped, found.origin.states, found.game.edge_count, peak)


if __name__ == "__main__":
    if sys.argv[1:2] == ["once"]:
        once(*sys.argv[2:])
    else:
        part = next(iter(sys.argv[1:2]), "")
        main(part, int(sys.argv[2]) if len(sys.argv) > 2 else 17)
