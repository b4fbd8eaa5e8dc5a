"""The operations of the studio: what the page may ask for and do, by name. One more is a function and a line here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

from outplay.errors import UsageError
from outplay.studio.document import Asked, Document
from outplay.studio.folding import first_fold, folded_scene, folds_of
from outplay.studio.goal_values import alternatives, forecast_rows, goal_tints, how_to, target_places, why_not
from outplay.studio.hand_play import exported_play, play_by_hand
from outplay.studio.live import run_tints, start_run, steer_run
from outplay.studio.opening import check_draft, gallery, open_chosen, open_listed, save_draft, source_of
from outplay.studio.past_runs import open_past, runs_compared, runs_kept
from outplay.studio.scene_building import MOST_NODES, found_vertices, vertex_details, vertex_difference, whole_scene
from outplay.studio.shown_run import failing_play, replay_failure, saved_failure
from outplay.studio.workspace import Workspace

Answer: TypeAlias = dict[str, Any] | bytes
"""An object for the page, or a scene."""
MOST_OPEN_GROUPS = 50


@dataclass(frozen=True)
class Operation:
    """One thing to ask or to do."""

    answer: Callable[[Workspace, Asked], Answer]
    changes: bool = False
    """Whether something is different afterwards, so that it needs a POST from our own page."""
    most: int = 200_000
    """Bytes of a request."""


def listed(workspace: Workspace, asked: Asked) -> Answer:
    """List all documents that are open, as an operation of the page."""
    shown = "trace" if workspace.trace else "runs" if workspace.store else ""
    return {"documents": [{"id": one.id, "title": one.title} for one in workspace.documents.values()], "shown": shown}


def _scene_of(document: Document, asked: Asked) -> bytes:
    """The scene of a document, folded where that is asked."""
    way, count = asked.text("fold", ""), document.game.vertex_count
    if not way:
        if count > MOST_NODES:
            raise UsageError(f"{count:,} vertices are too many to be drawn one by one: fold them")
        return document.kept("scene", lambda: whole_scene(document.game).encoded())
    opened = [vertex for vertex in map(int, filter(str.isdigit, asked.text("open", "").split("."))) if vertex < count]
    centre = asked.number("centre", count, document.game.initial)
    return folded_scene(document, way, opened[:MOST_OPEN_GROUPS], centre).encoded()


def _on_document(answer: Callable[[Document, Asked], Answer]) -> Callable[[Workspace, Asked], Answer]:
    return lambda workspace, asked: answer(workspace.document(asked.text("document")), asked)


def _document_facts(document: Document, asked: Asked) -> Answer:
    """The sizes of a model, explored where it was not yet, and the ways to fold it."""
    return {**document.facts(), "folds": folds_of(document), "fold": first_fold(document)}


def exploring(document: Document, asked: Asked) -> Answer:
    """Return the progress of exploring."""
    done, known = document.explored
    return {"done": done, "known": known}


OPERATIONS: dict[str, Operation] = {
    "documents": Operation(listed),
    "facts": Operation(_on_document(_document_facts)),
    "exploring": Operation(_on_document(exploring)),
    "scene": Operation(_on_document(_scene_of)),
    "vertex": Operation(_on_document(vertex_details)),
    "search": Operation(_on_document(found_vertices)),
    "difference": Operation(_on_document(vertex_difference)),
    "forecast": Operation(_on_document(forecast_rows)),
    "target": Operation(_on_document(target_places)),
    "why": Operation(_on_document(why_not)),
    "how": Operation(_on_document(how_to)),
    "alternatives": Operation(_on_document(alternatives)),
    "tints": Operation(_on_document(goal_tints)),
    "play": Operation(_on_document(play_by_hand), changes=True),
    "export": Operation(_on_document(exported_play), changes=True),
    "start": Operation(start_run, changes=True),
    "steer": Operation(steer_run, changes=True),
    "failing": Operation(failing_play),
    "savedfailure": Operation(saved_failure),
    "replay": Operation(replay_failure, changes=True),
    "runtints": Operation(run_tints),
    "runs": Operation(runs_kept),
    "past": Operation(open_past, changes=True),
    "compare": Operation(runs_compared),
    "gallery": Operation(gallery),
    "open": Operation(open_listed, changes=True),
    "choose": Operation(open_chosen, changes=True, most=6_000_000),
    "source": Operation(_on_document(source_of)),
    "draft": Operation(check_draft, changes=True, most=1_200_000),
    "save": Operation(save_draft, changes=True, most=2_400_000),
}
