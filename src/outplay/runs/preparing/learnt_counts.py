"""Learn from an earlier run: how often its system gave each answer, counted on a game.

The trace is followed play by play. An answer counts where it is known in which state it came; where several states are
possible, as when inputs and outputs may have crossed, it does not.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from outplay.errors import UsageError
from outplay.formats.trace_jsonl import read_trace
from outplay.game.graph import Game
from outplay.play.following import follow
from outplay.play.trace import Trace
from outplay.runs.records import FOLDER
from outplay.tester.coverage_tester import GamePosition

TRACE = "trace.jsonl"


def learnt_counts(name: str, game: Game) -> Counter[tuple[int, str]]:
    """Count the answers of a run that is named by its trace, its folder, or its id or a part of that."""
    path = _trace_of_run(name)
    trace = read_trace(path)
    found = counted_answers(trace, game)
    if not found:
        why = "no answer of this run can be placed in the model"
        raise UsageError(f"--learnt {path}: {why}; give a run of this model against a system that answers")
    return found


def _trace_of_run(name: str) -> Path:
    """The trace of a run."""
    path = Path(name)
    if path.is_dir():
        return path / TRACE
    if path.exists() or "/" in name:
        return path
    runs = FOLDER / "runs"
    kept = sorted(one.name for one in runs.iterdir()) if runs.is_dir() else []
    alike = [one for one in kept if one == name or one.startswith(name) or one.rpartition("-")[2].startswith(name)]
    if len(alike) != 1:
        why = f"{len(alike)} runs begin like that" if alike else "there is no such run"
        raise UsageError(f"--learnt {name}: {why} in {runs}; give a trace, a folder or a longer id")
    return runs / alike[0] / TRACE


def counted_answers(trace: Trace, game: Game) -> Counter[tuple[int, str]]:
    """Count each answer, by the vertex of the state and the label as the game writes it."""
    found, spec = Counter[tuple[int, str]](), game.origin.specification
    header = trace.header
    for _, events in trace.plays():
        watching = GamePosition(game)
        for step in follow(spec, events, latency=header.latency, silence=header.silence):
            if step.event.kind == "reset":
                watching = GamePosition(game)
            if step.label is None:
                continue
            came = {(before, text) for before, text, _ in watching.moves(step.before, step.label)}
            if len(came) == 1 and len(step.before.states) == 1 and not step.label.is_input:
                ((before, text),) = came
                found[int(game.roles.state[before]), text] += 1
            watching = watching.after(step.label)
    return found
