"""Least expected cost on families of games that grow, beside Storm, C++, numpy and the linear program.

    python -m benchmarks.expected [--families NAME,…] [VERTICES …]
    python -m benchmarks.expected --memory WHO FAMILY VERTICES SEED

The graphs are drawn anew in each run, so they cannot have been tuned for; everybody gets the same ones and is asked for
bounds within 1e-6, relative. Our time is that of the whole call: index of incoming edges, where values are finite,
values, bounds, strategy and its proof. `expected.cpp` does the same work in C++, `g++ -O3`, but sweeps slow components
on where we correct them. Storm gets the states and actions that we make of the game, in the order of their vertices,
and is taken with the fastest of its sound methods; building its model does not count. What it takes us to make states
of the game does, and is shown beside. Small games are solved as after a larger one, with kernels loaded. "numpy"
iterates whole arrays until nothing changes by more than 1e-6, which proves nothing. HiGHS solves the linear program of
Blass et al. 2005 on small graphs. Who takes longer than two minutes for a game is left out of its row and of larger
ones, and so is a method whose values contradict proven bounds. On a long ladder no floats can prove so much: there the
width of our bounds is printed.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.families import FAMILIES
from benchmarks.page import seconds, table, write_section
from benchmarks.peers import native
from benchmarks.plot import write_panels
from outplay.errors import UsageError
from outplay.game.graph import Game
from outplay.strategy.chance.chance_answers import Bounds
from outplay.strategy.chance.reduction.decision_process import DecisionProcess, folded_process
from outplay.strategy.chance.reduction.reachability import almost_sure
from outplay.strategy.chance.valuation.bounds import relative_width
from outplay.strategy.chance.valuation.expected_cost import is_shallow
from outplay.strategy.chance.valuation.linear_program import linear_program
from outplay.strategy.expected import expected

GROWTH = Path(__file__).parent / "growth-expected.svg"
SIZES = [1_000, 10_000, 100_000, 1_000_000]
EPSILON = 1e-6
ROUNDS = 5
LEAST = 0.3  # seconds for all rounds: what is short is disturbed most
LP_UP_TO = 10_000
PATIENCE = 20.0  # seconds for one round of a peer
MAKING = "states"
native.LONGEST = 120.0  # seconds
FORK = multiprocessing.get_context("fork")
Times = dict[str, float]
NOTES: list[str] = []
GIVEN_UP: set[tuple[str, str]] = set()
"""Who could not solve a graph of a family in time, and is not asked for larger ones."""
WORTH_TRYING: dict[str, list[str]] = {}
"""Storm's methods for each family, without those that were four times slower than its best on a smaller graph."""


def main(sizes: list[int], families: list[str]) -> None:
    seed = time.time_ns() % 1_000_000
    rows, panels = [], {}
    for family in families:
        ours(FAMILIES[family](SIZES[1], seed))()  # loads what it takes
    for family in families:
        lines: dict[str, list[tuple[float, float]]] = {}
        for size in sizes:
            game = FAMILIES[family](size, seed)
            times = measured(family, game)
            rows.append((family, f"{game.vertex_count:,}", f"{game.edge_count:,}", *cells(times)))
            print(rows[-1], flush=True)
            for who in ("outplay", *PEERS):
                if who in times:
                    lines.setdefault(who, []).append((game.vertex_count, times[who]))
        panels[family] = lines
    if families != list(FAMILIES):
        return  # the page shows all of them
    write_panels(GROWTH, panels, "vertices", "seconds")
    head = ("family", "vertices", "edges", "outplay", "of which states")
    peers = [name for who in PEERS for name in (who, "ratio")]
    text = f"Graphs of seed {seed}, new in this run. A ratio is a peer's time divided by ours. "
    text += "Who took too long is left out, there and on larger graphs of the family.\n\n"
    text += "".join(NOTES) + "\n" * bool(NOTES)
    text += table([*head, *peers], rows) + "\n\n![growth](growth-expected.svg)\n\n" + memory(sizes[-1], seed)
    write_section("Least expected cost", text)


def cells(times: Times) -> list[str]:
    shown = [seconds(times["outplay"]), seconds(times[MAKING])]
    for who in PEERS:
        taken = times.get(who)
        shown += ["", ""] if taken is None else [seconds(taken), f"{taken / times['outplay']:.2f}"]
    return shown


def measured(family: str, game: Game) -> Times:
    """The seconds of all who can solve the game in time, once their values have been compared."""
    solve = ours(game)
    solve()  # compiled before the clock starts
    taken, found = best(solve)
    if not found.kept:
        note(f"our bounds are {relative_width(found.bounds):.1e} apart", family, game)
    times = {"outplay": taken, MAKING: best(lambda: made(game))[0]}
    for who, peer in PEERS.items():
        answer = None if (who, family) in GIVEN_UP else peer(family, game)
        if answer is None:
            GIVEN_UP.add((who, family))
        elif answer[1] is None or holds(answer[1], found.bounds):
            times[who] = answer[0]
        else:
            note(f"{who} is off by more than 1e-5, and left out", family, game)
    return times


def holds(values: Any, bounds: Bounds) -> bool:
    """Say whether values agree with proven bounds."""
    return bool(np.all((values >= bounds.low * (1 - 1e-5)) & (values <= bounds.high * (1 + 1e-5))))


def note(said: str, family: str, game: Game) -> None:
    NOTES.append(f"- {family} with {game.vertex_count:,} vertices: {said}\n")
    print(NOTES[-1], end="", flush=True)


def best(action: Callable[[], Any]) -> tuple[float, Any]:
    times = []
    while len(times) < ROUNDS or sum(times) < LEAST:
        began = time.perf_counter()
        answer = action()
        times.append(time.perf_counter() - began)
    return min(times), answer


def ours(game: Game) -> Callable[[], Any]:
    def solve() -> Any:
        game.__dict__.pop("incoming", None)
        return expected(game, "goal", epsilon=EPSILON)

    return solve


def by_storm(family: str, game: Game) -> tuple[float, Any] | None:
    try:
        from benchmarks.peers import storm
    except ImportError:
        return None
    process = folded(game)
    methods = WORTH_TRYING.get(family, storm.METHODS)
    model = storm.process(*rows_of(process))
    found = within(lambda: storm.expected(model, methods, precision="1/1000000", rounds=ROUNDS, least=LEAST))
    bounds = ours(game)().bounds
    for solved in found or []:  # the fastest first
        values = bounds.low.copy()  # where a vertex is no state
        values[np.sort(process.vertex)] = solved.values[:-1]
        if holds(values, bounds):
            WORTH_TRYING[family] = [other.method for other in found if other.seconds < 4 * solved.seconds]
            return solved.seconds, values
        note(f"Storm's {solved.method} is off by more than 1e-5, and left out", family, game)
    return None


def within(action: Callable[[], Any]) -> Any:
    """What the action returns, tried in a process of its own; None where it takes too long."""
    here, there = FORK.Pipe(duplex=False)
    worker = FORK.Process(target=lambda: there.send(action()), daemon=True)
    worker.start()
    there.close()
    try:
        return here.recv() if here.poll(native.LONGEST) else None
    except EOFError:
        return None
    finally:
        worker.kill()
        worker.join()


def by_native(_: str, game: Game) -> tuple[float, Any] | None:
    goal = np.zeros(game.vertex_count, dtype=np.uint8)
    goal[game.goals["goal"]] = 1
    chances = np.nan_to_num(game.probability.floats, nan=1.0)
    try:
        answer = native.expected(
            game.first, game.target, game.cost.floats, chances, game.owner, goal, epsilon=EPSILON, rounds=ROUNDS
        )
    except subprocess.TimeoutExpired:
        return None
    return (answer["seconds"], None) if answer["kept"] else None


def by_numpy(_: str, game: Game) -> tuple[float, Any] | None:
    """Whole arrays, as a user would write it: no order, no components, no bounds."""
    process = folded(game)
    starts = process.arrays.action_first[:-1].astype(np.int64)
    value = np.zeros(len(process.vertex) + 1)
    began = time.perf_counter()
    while True:
        offers = (process.arrays.action_cost + process.ahead(value)) / process.arrays.leave
        new = np.minimum.reduceat(offers, starts)
        change = np.max(np.abs(new - value[:-1]) / new)
        value[:-1] = new
        taken = time.perf_counter() - began
        if change <= EPSILON:
            return taken, None
        if taken > PATIENCE:
            return None


def by_program(_: str, game: Game) -> tuple[float, Any] | None:
    if game.vertex_count > 1.2 * LP_UP_TO:
        return None
    began = time.perf_counter()
    try:
        values = linear_program(game, game.goals["goal"], np.ones(game.vertex_count, dtype=bool))
    except UsageError:
        return None  # HiGHS gives up on some graphs
    return time.perf_counter() - began, values


PEERS: dict[str, Callable[[str, Game], tuple[float, Any] | None]] = {
    "Storm": by_storm,
    "C++": by_native,
    "numpy": by_numpy,
    "HiGHS": by_program,
}


def made(game: Game) -> DecisionProcess:
    game.__dict__.pop("incoming", None)
    return folded(game)


def folded(game: Game) -> DecisionProcess:
    goals = game.goals["goal"]
    region = almost_sure(game, goals)
    return folded_process(game, goals, region, ordered=not is_shallow(game, region))


def rows_of(process: DecisionProcess) -> tuple[list[Any], ...]:
    """States in the order of their vertices; outcomes of an action by state, equal ones merged, staying included."""
    order = np.argsort(process.vertex)
    place = np.append(np.argsort(order), len(order))
    first, outcome = process.arrays.action_first.tolist(), process.arrays.outcome_first.tolist()
    beyond, chance = place[process.arrays.outcome_state].tolist(), process.arrays.outcome_chance.tolist()
    leave, cost = process.arrays.leave.tolist(), process.arrays.action_cost.tolist()
    actions, outcomes, states, chances, costs = [0], [0], [], [], []
    for number, state in enumerate(order.tolist()):
        for action in range(first[state], first[state + 1]):
            row: dict[int, float] = {number: 1 - leave[action]} if leave[action] < 1 else {}
            for at in range(outcome[action], outcome[action + 1]):
                row[beyond[at]] = row.get(beyond[at], 0.0) + chance[at]
            states += sorted(row)
            chances += [row[target] for target in sorted(row)]
            outcomes.append(len(states))
            costs.append(cost[action])
        actions.append(len(costs))
    return actions, outcomes, states, chances, costs


def memory(size: int, seed: int) -> str:
    """A table of the peak memory of a process that makes a graph and solves it."""
    rows = []
    for family in FAMILIES:
        peaks = []
        for who in ("nobody", "outplay", "Storm"):
            words = [sys.executable, "-m", "benchmarks.expected", "--memory", who, family, str(size), str(seed)]
            asked = [] if (who, family) in GIVEN_UP else [subprocess.run(words, capture_output=True, check=False)]
            peaks += [f"{json.loads(done.stdout)} MB" if done.returncode == 0 else "" for done in asked] or [""]
        rows.append((family, *peaks))
    head = ("family", "graph alone", "outplay", "Storm, topological")
    return f"Peak memory at {size:,} vertices:\n\n" + table(head, rows)


def peak(who: str, family: str, size: int, seed: int) -> None:
    game = FAMILIES[family](size, seed)
    if who == "outplay":
        expected(game, "goal", epsilon=EPSILON)
    elif who == "Storm":
        from benchmarks.peers import storm

        model = storm.process(*rows_of(folded(game)))
        storm.expected(model, ["TOPOLOGICAL"], precision="1/1000000", rounds=1)
    # Not ru_maxrss: a process that was started by a large one begins with the peak of that one.
    lines = Path("/proc/self/status").read_text().splitlines()
    print(next(int(line.split()[1]) // 1024 for line in lines if line.startswith("VmHWM")))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--memory"]:
        peak(sys.argv[2], sys.argv[3], int(sys.argv[4]), int(sys.argv[5]))
    else:
        parser = argparse.ArgumentParser()
        parser.add_argument("--families", type=lambda names: names.split(","), default=list(FAMILIES))
        parser.add_argument("sizes", type=lambda size: int(float(size)), nargs="*", default=SIZES)
        asked = parser.parse_args()
        main(asked.sizes, asked.families)
