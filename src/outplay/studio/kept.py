"""Runs kept in the store: listed, shown, and two of them held against each other on the graph."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from outplay.errors import UsageError
from outplay.runs.records import FOLDER
from outplay.store.kept_runs import kept_runs
from outplay.store.run_difference import difference
from outplay.studio.asked import Asked
from outplay.studio.workspace import Workspace

MOST_LISTED = 200
_STORE = "store.db"


def store_of(workspace: Workspace) -> Path:
    """The store that is shown: the one the user named, or that of the folder."""
    return workspace.store or workspace.folder / FOLDER / _STORE


def runs_kept(workspace: Workspace, asked: Asked) -> dict[str, Any]:
    """The last runs, the newest first."""
    path = store_of(workspace)
    if not path.exists():
        return {"runs": []}
    with kept_runs(path) as kept:
        runs = kept.list().runs
    return {"runs": [run.json() for run in reversed(runs[-MOST_LISTED:])], "count": len(runs)}


def runs_compared(workspace: Workspace, asked: Asked) -> dict[str, Any]:
    """Return what only one of two runs saw and how only one of them failed; states by their vertices where a model is
    open.
    """
    first, second = asked.text("first"), asked.text("second")
    if first == second:
        raise UsageError("choose two different runs to compare")
    with kept_runs(store_of(workspace)) as kept:
        found = difference(kept, first, second)
    told = found.json()
    if "document" in asked.given:
        document = workspace.document(asked.text("document"))
        with document.lock:
            vertices = document.vertex_of_key
        for side, places in (("only_first", found.lost), ("only_second", found.new)):
            told["coverage"][f"{side}_vertices"] = sorted({vertices[state] for state, _ in places if state in vertices})
    return {**told, "lines": list(found.lines())}
