"""Node coverage: what is sure on each graph, and what testers get out of a system that goes by chance.

    python -m benchmarks.coverage [RUNS]

The graphs are the models of `examples/coverage`, which have the sizes of Wang et al. 2013 and are not the same, and
random games of the sizes of its table 2 from fixed seeds. Games with leaves and traps are a family of our own: there
the order of the paper's strategies returns, which on our other graphs the random walk hides. So columns can be compared
on one graph, not with the paper's own figures, which stand in brackets. Wrong chances are off by up to a factor of
twenty. Percent of the vertices, averaged over the runs, with the standard error.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from random import Random

import numpy as np

from benchmarks import repeated
from benchmarks.coverage_figures import COLUMNS, MEASURED
from benchmarks.page import seconds, table, write_section
from benchmarks.plot import write_panels
from outplay import Game, GameBuilder, explore
from outplay.compiling import compiled
from outplay.game.exact_numbers import exact_column_of
from outplay.game.graph import SYSTEM
from outplay.model.programs.load import load_program
from outplay.strategy.coverage.guarantee import cover_nodes
from outplay.strategy.coverage.items import STATES, items_to_cover
from outplay.strategy.coverage.replanning import rehearse_coverage

MODELS = Path(__file__).parent.parent / "examples" / "coverage"
RESET, MOST_SECONDS = 10, 60
OF_MODELS = {
    "inventory": ("inventory.py:Inventory", "clients"),
    "chat": ("chat.py:Chat", "clients"),
    "multiset": ("multiset.py:Multiset", "threads"),
    "safety injection": ("safety_injection.py:SafetyInjection", ""),
}
HEAD = (*COLUMNS, "re-planning", "re-planning, wrong chances")
KINDS = range(len(HEAD))
FIGURES = {
    "coverage-clients.svg": [
        "inventory, 3 clients",
        "inventory, 4 clients",
        "chat, 5 clients",
        "chat, 6 clients",
    ],
    "coverage-other-models.svg": ["multiset, 3 threads", "multiset, 4 threads", "safety injection"],
    "coverage-random.svg": ["G3", "G5", "G7", "G8"],
}
"""The curves of figures 4, 5 and 6."""
PICTURES, POINTS = Path(__file__).parent.parent / "docs" / "images", 40
Prices = list[np.ndarray]
SIZES = (19, 30, 40, 46, 75, 95, 100, 297)
LEAFY = {"leaves, 50": (200, 400, 800), "leaves, 100": (500, 1000, 2000), "leaves, 200": (1500, 3000, 6000)}
"""Games with leaves and traps, by their sizes, with budgets."""
SKEWED = (1, 1, 5, 20)
"""Weights of answers in chances that are wrong."""


def main(runs: int) -> None:
    games = {name: game_named(name) for name in MEASURED}
    guarantee(games)
    prove(games)
    repeat(games, runs)


def guarantee(games: dict[str, Game]) -> None:
    """Measure what the guarantee takes on each graph."""
    head = ("graph", "vertices", "edges", "sure", "seconds", "sure with restart", "seconds")
    write_section("Coverage guarantee", table(head, [guaranteed(name, game) for name, game in games.items()]))
    grow(games)


def grow(games: dict[str, Game]) -> None:
    """Measure how the time grows with the vertices in the families of several sizes, in processor seconds."""
    rows = []
    cover_nodes(games["G1"])  # loads what solving needs
    for family in OF_MODELS:
        sizes = [(game, processor_seconds(game)) for name, game in games.items() if name.startswith(f"{family}, ")]
        for (small, before), (large, after) in pairwise(sizes):
            power = math.log(after / before) / math.log(large.vertex_count / small.vertex_count)
            rows.append(
                (family, small.vertex_count, large.vertex_count, seconds(before), seconds(after), f"{power:.1f}")
            )
    head = ("family", "from vertices", "to", "from processor seconds", "to", "grows like the power")
    write_section("Coverage guarantee, growth", table(head, rows))


def processor_seconds(game: Game) -> float:
    """What finding the guarantee takes without a restart."""
    began = time.process_time()
    cover_nodes(game, time_limit=MOST_SECONDS)
    return time.process_time() - began


def prove(games: dict[str, Game]) -> None:
    """Prove the lower bounds in exact numbers: what it takes beside finding them."""
    rows = []
    for name, game in games.items():
        answer = cover_nodes(game, time_limit=MOST_SECONDS)
        began = time.perf_counter()
        proof, took = answer.proof, time.perf_counter() - began
        proven = "yes" if proof.complete else f"not at {len(proof.unproven)}"
        rows.append((name, game.vertex_count, proof.roots, proof.programs, proven, seconds(took)))
    head = ("graph", "vertices", "vertices with a proof of their own", "linear programs", "proven", "seconds")
    write_section("Coverage guarantee, proof of the lower bounds", table(head, rows))


def repeat(games: dict[str, Game], runs: int) -> None:
    """Measure what testers cover on a budget, and how soon they have covered all."""
    spent = {name: [prices(game, kind, max(MEASURED[name]), runs) for kind in KINDS] for name, game in games.items()}
    head = ("graph", "vertices", "budget", *HEAD)
    for share, title in ((1, "the paper's budgets"), (10, "a tenth of the paper's budgets")):
        rows = [row for name, game in games.items() for row in covered(name, game, spent[name], share)]
        write_section(f"Coverage by repeated execution, {title}, {runs} runs", table(head, rows))
    head = ("graph", "vertices", "largest budget", *HEAD)
    rows = [completed(name, game, spent[name]) for name, game in games.items()]
    write_section(f"Budget until all vertices are covered, {runs} runs", table(head, rows))
    repeat_on_leaves(runs)
    for path, names in FIGURES.items():
        panels = {name: curves(games[name], spent[name], max(MEASURED[name])) for name in names}
        write_panels(PICTURES / path, panels, "budget", "percent of the vertices", logarithmic=False)


def repeat_on_leaves(runs: int) -> None:
    """Measure the same on games with leaves and traps."""
    rows = []
    for name, budgets in LEAFY.items():
        game = game_named(name)
        spent = [prices(game, kind, max(budgets), runs) for kind in KINDS]
        for budget in budgets:
            found = [percents(one, game, budget) for one in spent]
            cells = [f"{one.mean():.1f} ± {one.std() / len(one) ** 0.5:.1f}" for one in found]
            rows.append((name, game.vertex_count, f"{budget:,}", *cells))
    head = ("graph", "vertices", "budget", *HEAD)
    write_section(f"Coverage by repeated execution, games with leaves and traps, {runs} runs", table(head, rows))


def leafy_graph(size: int, seed: int) -> Game:
    """A binary tree in which tester and system take turns, most of whose ends are leaves, traps or ways back up."""
    rng = Random(f"leaves {seed}")
    edges = {((vertex - 1) // 2, vertex) for vertex in range(1, size)}
    inner = {source for source, _ in edges}
    for vertex in (vertex for vertex in range(size) if vertex not in inner and rng.random() < 0.6):
        other = rng.choice(range(size // 2, size))
        edges |= {(vertex, other), (other, vertex)} if rng.random() < 0.5 else {(vertex, rng.randrange(vertex))}
    builder = GameBuilder()
    for vertex in range(size):
        builder.vertex(f"{vertex}", "system" if vertex % 2 else "tester")
    for source, target in sorted(edges):
        builder.edge(f"{source}", f"{target}")
    return builder.build()


def wrongly_believed(game: Game, seed: int = 0) -> Game:
    """The game with chances that are off by up to a factor of twenty."""
    rng = Random(f"wrong {seed}")
    column: list[Fraction | None] = [None] * game.edge_count
    for vertex in range(game.vertex_count):
        edges = game.edges_of(vertex)
        weights = [rng.choice(SKEWED) for _ in edges]
        if game.owner[vertex] == SYSTEM:
            column[edges.start : edges.stop] = [Fraction(weight, sum(weights)) for weight in weights]
    return replace(game, probability=exact_column_of(column))


def game_named(name: str) -> Game:
    """One of the graphs of the paper's tables, by the name it has here, or one with leaves."""
    if name in LEAFY:
        size = int(name.split()[-1])
        return leafy_graph(size, seed=size)
    if name.startswith("G"):
        return random_graph(SIZES[int(name[1:]) - 1], seed=int(name[1:]))
    kind, _, number = name.partition(", ")
    program, constant = OF_MODELS[kind]
    set_to = [f"{constant}={number.split()[0]}"] if number else []
    return explore(load_program(str(MODELS / program), set_to), assumption="timeout")


def random_graph(size: int, seed: int) -> Game:
    """Half the vertices are the system's, all can be reached, two and a half edges a vertex, none without."""
    rng = Random(seed)
    edges = {(rng.randrange(vertex), vertex) for vertex in range(1, size)}
    edges |= {(vertex, rng.randrange(size)) for vertex in range(size) if not any(s == vertex for s, _ in edges)}
    while len(edges) < 2.5 * size:
        edges.add((rng.randrange(size), rng.randrange(size)))
    builder = GameBuilder()
    for vertex in range(size):
        builder.vertex(f"{vertex}", rng.choice(("tester", "system")))
    for source, target in sorted(edges):
        builder.edge(f"{source}", f"{target}")
    return builder.build()


def guaranteed(name: str, game: Game) -> tuple[object, ...]:
    """What is sure, with and without restart, confirmed, and how long it took."""
    row: list[object] = [name, game.vertex_count, game.edge_count]
    for restart in (False, True):
        began = time.perf_counter()
        answer = cover_nodes(game, restart=restart, time_limit=MOST_SECONDS)
        took = time.perf_counter() - began
        answer.check()
        low, high = answer.bounds_of(answer.game.initial)
        row += [str(low) if low == high else f"{low} to {high}", seconds(took)]
    return tuple(row)


def covered(name: str, game: Game, spent: Sequence[Prices], share: int) -> Iterator[tuple[object, ...]]:
    """For each budget what every kind of tester covers."""
    for budget, paper in MEASURED[name].items():
        found = [percents(prices, game, budget // share) for prices in spent]
        cells = [f"{one.mean():.1f} ± {one.std() / len(one) ** 0.5:.1f}" for one in found]
        if share == 1:
            told = (f"{cell} ({published:g})" for cell, published in zip(cells, paper, strict=False))
            cells = [*told, *cells[repeated.OURS :]]
        best, ours = max(one.mean() for one in found[: repeated.OURS]), repeated.OURS
        cells[ours] = f"**{cells[ours]}**" if found[ours].mean() > best else cells[ours]
        cells[ours] = f"{cells[ours]} (all, as others)" if found[ours].mean() == best == 100 else cells[ours]
        yield name, game.vertex_count, f"{budget // share:,}", *cells


def completed(name: str, game: Game, spent: Sequence[Prices]) -> tuple[object, ...]:
    """What each kind of tester had spent on the average when all was covered, if it came to that in every run."""
    cells, means = [], []
    for prices in spent:
        whole = [run[-1] for run in prices if len(run) == game.vertex_count]
        means.append(np.mean(whole) if len(whole) == len(prices) else np.inf)
        cells.append(f"{means[-1]:,.0f}" if np.isfinite(means[-1]) else f"{len(whole)} of {len(prices)} runs")
    if means[repeated.OURS] < min(means[: repeated.OURS]):
        cells[repeated.OURS] = f"**{cells[repeated.OURS]}**"
    return name, game.vertex_count, f"{max(MEASURED[name]):,}", *cells


def curves(game: Game, spent: Sequence[Prices], largest: int) -> dict[str, list[tuple[float, float]]]:
    """The mean coverage of each kind of tester at budgets up to the largest."""
    budgets = [0, *sorted({round(largest * place / POINTS) for place in range(1, POINTS + 1)})]
    return {
        name: [(budget, float(percents(prices, game, budget).mean())) for budget in budgets]
        for name, prices in zip(HEAD[: repeated.WRONG], spent, strict=False)
    }


def prices(game: Game, kind: int, budget: int, runs: int) -> Prices:
    """For each run what had been spent when each new vertex was visited; what is beyond a budget is just left out."""
    if kind in (repeated.OURS, repeated.WRONG):
        believed = wrongly_believed(game) if kind == repeated.WRONG else None
        how = {"budget": budget, "restart": RESET, "runs": runs, "believed": believed}
        return [run.spent for run in rehearse_coverage(items_to_cover(game, STATES), **how)]
    arrays = [array.astype(np.int64) for array in (game.first, game.target, game.owner)]
    paths = repeated.paths_to_all(game.first, game.target, game.initial)
    steps, start = np.concatenate(paths), np.cumsum([0, *map(len, paths)])
    run, found = compiled(repeated.play), []
    for seed in range(runs):
        spent = np.zeros(game.vertex_count)
        count = run(*arrays, game.initial, steps, start, kind, budget, RESET, seed, spent)
        found.append(spent[:count])
    return found


def percents(spent: Prices, game: Game, budget: int) -> np.ndarray:
    """The coverage that each run had on a budget, in percent."""
    return 100 * np.array([np.searchsorted(run, budget, side="right") for run in spent]) / game.vertex_count


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else 100)
