"""How many labels a second are played against a fast server over TCP: `python -m benchmarks.live_rate`.

The server answers each line at once. Plays of 100 steps, `--silence 0.05 --latency 0.005`, with and without a probe
that proves silence; the walk, and the tester that plays by default, on models of 10 and of 100 states. The rates per
second of the tester's own processor time tell what is left on a machine that does something else as well.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.page import table, write_section
from outplay import Tcp, Timing, automaton, run
from outplay.play.adapters.server import Server

TITLE = "Labels a second against a fast server"
TIMING = Timing(silence=0.05, latency=0.005)
SERVER = """
import asyncio, sys

async def serve(reader, writer):
    n, states = 0, int(sys.argv[2])
    while line := await reader.readline():
        word = line.decode().strip()
        if word == "PING":
            writer.write(b"PONG\\n")
        elif word == "next":
            n = (n + 1) % states
            writer.write(b"at %d\\n" % n)
        elif word == "look":
            writer.write(b"at %d\\n" % n)
        elif word == "home":
            n = 0

async def main():
    server = await asyncio.start_server(serve, "127.0.0.1", int(sys.argv[1]))
    await server.serve_forever()

asyncio.run(main())
"""


def counter(states: int):
    """A counter of so many states, half of them between a question and its answer."""
    steps = []
    for n in range(half := states // 2):
        after = (n + 1) % half
        steps += [(f"{n}", "?next", f"asked {after}"), (f"{n}", "?home", "0"), (f"{n}", "?look", f"asked {n}")]
        steps.append((f"asked {n}", f"!at {n}", f"{n}"))
    return automaton(steps)


def rate(states: int, tester: str, probe: bool, plays: int, folder: Path) -> tuple[str, int, float, float]:
    """The verdict, the labels, and labels per second on the wall and of processor time."""
    (folder / "server.py").write_text(SERVER)
    with Server([sys.executable, str(folder / "server.py"), "{port}", str(states // 2)]) as server:
        system = Tcp("127.0.0.1", server.port).proving_by("PING=PONG" if probe else None)
        began, used = time.perf_counter(), time.process_time()
        result = run(counter(states), system, tester=tester, plays=plays, steps=100, timing=TIMING, shrink=0.0)
        wall, cpu = time.perf_counter() - began, time.process_time() - used
    return result.verdict.name, result.tally.steps, result.tally.steps / wall, result.tally.steps / cpu


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.live_rate")
    parser.add_argument("--plays", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=3, help="Of which the fastest counts.")
    asked, rows = parser.parse_args(), []
    with tempfile.TemporaryDirectory(prefix="outplay-") as name:
        for states in (10, 100):
            for tester in ("walk", "mix"):
                for probe in (True, False):
                    rounds = [rate(states, tester, probe, asked.plays, Path(name)) for _ in range(asked.rounds)]
                    verdict, labels, wall, cpu = max(rounds, key=lambda one: (one[0] == "pass", one[2]))
                    how = "with a probe" if probe else "by waiting"
                    rows.append([states, tester, how, labels, verdict, f"{wall:,.0f}", f"{cpu:,.0f}"])
    head = ["states", "tester", "silence", "labels", "verdict", "labels a second", "of processor time"]
    load = f"load of the machine: {os.getloadavg()[0]:.1f}"
    note = f"The fastest of {asked.rounds} rounds of {asked.plays} plays; {load}."
    write_section(TITLE, f"{table(head, rows)}\n\n{note}")


if __name__ == "__main__":
    main()
