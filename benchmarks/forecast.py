"""How long the forecast of all goals, labels, states and transitions of model files takes.

    python -m benchmarks.forecast [FOLDER]

The folder is `shared/data` beside the repository unless another is named; the models of the examples come along.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

from benchmarks.page import seconds, table, write_section
from outplay import Game, explore, read_model
from outplay.model.programs.load import load_program
from outplay.strategy.forecast.forecast import forecast

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT.parent / "shared" / "data"
FOLDERS = ("iolts", "mealy", "onfsm")
MOST_TRANSITIONS = 7_000
PROGRAMS = ("chat/model.py:Chat", "tcp/model.py:Tcp")


def main(folder: Path) -> None:
    rows = []
    for path in sorted(path for name in FOLDERS for path in (folder / name).glob("*.dot")):
        game = explore(read_model(path))
        if game.edge_count <= MOST_TRANSITIONS:
            rows.append(measured(str(path.relative_to(folder)), game))
    rows += [measured(f"examples/{name}", explore(load_program(f"{ROOT / 'examples' / name}"))) for name in PROGRAMS]
    head = ("model", "vertices", "edges", "targets", "forced", "need help", "impossible", "seconds")
    total = f"All of them together: {sum(float(row[-1]) for row in rows):.2g} s.\n\n"
    write_section("Forecast of all targets", total + table(head, rows))


def measured(name: str, game: Game) -> tuple[object, ...]:
    times = []
    for _ in range(3):
        began = time.perf_counter()
        seen = forecast(game)
        times.append(time.perf_counter() - began)
    forced = sum(entry.forced is not None for entry in seen.entries)
    never = sum(entry.impossible for entry in seen.entries)
    counts = (len(seen.entries), forced, len(seen.entries) - forced - never, never)
    sizes = (game.vertex_count, game.edge_count, *counts)
    return (name, *(f"{size:,}" for size in sizes), seconds(min(times)))


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else DATA)
