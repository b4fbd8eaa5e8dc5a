"""The forecast on the page: the table, the place of each target in the graph, why not, and how it is played."""

from __future__ import annotations

from typing import Any

import numpy as np

from outplay.errors import UsageError
from outplay.game.graph import SYSTEM
from outplay.strategy.forecast.entries import Entry, Forecast
from outplay.strategy.forecast.forecast import forecast
from outplay.strategy.forecast.listed_goals import KINDS
from outplay.strategy.forecast.sentences import sentence
from outplay.studio.asked import Asked
from outplay.studio.document import Document
from outplay.studio.goal_values import goal_values
from outplay.studio.scene import pack

MOST_ROWS = 3_000


def forecast_rows(document: Document, asked: Asked) -> dict[str, Any]:
    """The forecast of one kind of targets, the easiest first."""
    kind = asked.text("kind", KINDS[0])
    if kind not in KINDS:
        raise UsageError(f"the kinds of targets are {', '.join(KINDS)}")
    found = document.kept(("forecast", kind), lambda: forecast(document.game, kinds=[kind]))
    rows = [_row(entry, found) for entry in found.entries[:MOST_ROWS]]
    return {"rows": rows, "count": len(found.entries), "steps": found.steps, "warnings": list(found.warnings)}


def _row(entry: Entry, found: Forecast) -> dict[str, Any]:
    verdict = "forced" if entry.forced else "impossible" if entry.impossible else "help"
    return {
        "name": entry.name,
        "kind": entry.kind,
        "verdict": verdict,
        "words": sentence(entry, found),
        "moves": entry.forced.moves if entry.forced else None,
        "helps": entry.jokers,
        "probability": entry.probability,
        "expected": None if entry.expected_cost is None else float(entry.expected_cost),
        "about": entry.about,
    }


def target_places(document: Document, asked: Asked) -> dict[str, Any]:
    """The vertices and edges of the graph that are a target."""
    with document.lock:
        return goal_values(document, asked.text("goal")).reached()


def why_not(document: Document, asked: Asked) -> dict[str, Any]:
    """Explain why a goal cannot be forced: the set in which the system can keep the play."""
    with document.lock:
        return goal_values(document, asked.text("goal")).blocking()


def how_to(document: Document, asked: Asked) -> dict[str, Any]:
    """The strategy for a goal from a vertex."""
    vertex = asked.number("vertex", document.game.vertex_count)
    with document.lock:
        return goal_values(document, asked.text("goal")).strategy(vertex)


def alternatives(document: Document, asked: Asked) -> dict[str, Any]:
    """Return the worth of a goal at a vertex and after each move from it, and which one the strategy takes."""
    game = document.game
    vertex = asked.number("vertex", game.vertex_count)
    with document.lock:
        values = goal_values(document, asked.text("goal"))
        edges = [*game.edges_of(vertex)]
        worths = {edge: values.after(edge) for edge in edges}
        best = values.best(vertex)
    ranks = sorted({worth.order for worth in worths.values()})
    moves = [
        {"edge": e, "words": w.words, "rank": ranks.index(w.order), "chosen": e == best} for e, w in worths.items()
    ]
    here = values.at(vertex)
    return {"here": here.words, "moves": moves, "ranks": len(ranks), "system": bool(game.owner[vertex] == SYSTEM)}


def goal_tints(document: Document, asked: Asked) -> bytes:
    """For each vertex a number from 0 to 1 that a goal gives it: by forecast, or by value; no number is NaN."""
    with document.lock:
        values = goal_values(document, asked.text("goal"))
        found = values.cost_tints if asked.text("by") == "value" else values.tints
    return pack({"goal": values.goal}, {"tint": found.astype(np.float32)})
