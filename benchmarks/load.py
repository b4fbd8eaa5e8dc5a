"""How long model files from outside take to load, and how large they are.

    python -m benchmarks.load [FOLDER]

The folder is `shared/data` beside the repository unless another is named.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

from benchmarks.page import table, write_section
from outplay import Automaton, Game, Machine, read_model

FOLDERS = ("mealy", "onfsm", "iolts", "ioco-pairs", "lts", "lattest", "mdp", "esm")
ENDINGS = {".aut", ".csv", ".dot", ".drn", ".fsm"}
DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


def main(folder: Path) -> None:
    files = sorted(path for name in FOLDERS for path in (folder / name).glob("*") if path.suffix in ENDINGS)
    if not files:
        print(f"no model files below {folder}: name another folder")
        return
    head = ("file", "KB", "what", "states", "inputs", "outputs", "transitions", "ms")
    write_section("Loading model files", table(head, [measured(folder, path) for path in files]))


def measured(folder: Path, path: Path) -> tuple[object, ...]:
    times = []
    for _ in range(3):
        began = time.perf_counter()
        model = read_model(path)
        times.append(time.perf_counter() - began)
    size = f"{path.stat().st_size / 1024:,.0f}"
    return (path.relative_to(folder), size, *facts(model), f"{1000 * min(times):.1f}")


def facts(model: Automaton | Machine | Game) -> tuple[object, ...]:
    if isinstance(model, Machine):
        return ("machine", len(model.names), len(model.inputs), len(model.outputs), f"{len(model.steps):,}")
    if isinstance(model, Game):
        return ("game", f"{model.vertex_count:,}", "", "", f"{model.edge_count:,}")
    labels = model.used_labels
    inputs, outputs = sum(label.is_input for label in labels), sum(label.is_output for label in labels)
    return ("automaton", f"{model.state_count:,}", inputs, outputs, f"{model.transition_count:,}")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else DATA)
