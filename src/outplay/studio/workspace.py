"""The workspace of a studio: the documents that are open, by ids; the page never names a path.

Runs kept in the store: listed, shown, and two of them held against each other on the graph.
"""

from __future__ import annotations

import secrets
import tempfile
import threading
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from outplay.cancellation import Cancelled
from outplay.errors import UsageError
from outplay.runs.job import Job
from outplay.runs.run_folders import FOLDER
from outplay.store.kept_runs import kept_runs
from outplay.store.run_difference import difference
from outplay.studio.document import Asked, Document

MOST_OPEN = 12


def new_id() -> str:
    """An id that nobody can guess."""
    return secrets.token_urlsafe(9)


@dataclass
class Workspace:
    """The models and runs that one studio has open."""

    settings: Job = field(default_factory=Job)
    """The settings for reading models: the assumption and the limits that the command was given."""
    folder: Path = field(default_factory=Path)
    """The folder of the runs."""
    store: Path | None = None
    """The store to show, where the user named one."""
    shown: Path | None = None
    """The folder whose models can be opened, where the user named one."""
    documents: dict[str, Document] = field(default_factory=dict)
    closing: threading.Event = field(default_factory=threading.Event)
    _references: dict[str, str] = field(default_factory=dict)
    _scratch: tempfile.TemporaryDirectory[str] | None = None

    def open(self, job: Job, title: str = "", draft_of: Document | None = None) -> Document:
        """Open the model of a job; drafts make room for each other, and else what was opened first for the last."""
        for other in [one for one in self.documents.values() if draft_of is not None and one.draft_of is draft_of]:
            self.close_document(other)
        made = Document(new_id(), job, title or job.model.rpartition("/")[2], draft_of=draft_of)
        self.documents[made.id] = made
        while len(self.documents) > MOST_OPEN:
            self.close_document(next(iter(self.documents.values())))
        return made

    def open_reference(self, reference: str) -> Document:
        """Open a model by its name, read as the command was told."""
        return self.open(replace(self.settings, model=reference))

    def close_document(self, document: Document) -> None:
        """Close a document and end what works on it."""
        self.documents.pop(document.id, None)
        document.close()

    def document(self, name: str) -> Document:
        """The open document of an id."""
        if name not in self.documents:
            raise UsageError("this model is not open any more; open it again")
        return self.documents[name]

    def id_of(self, reference: str) -> str:
        """The id by which the page may ask for a model that was listed."""
        known = next((name for name, one in self._references.items() if one == reference), None)
        if known is None:
            known = new_id()
            self._references[known] = reference
        return known

    def reference(self, name: str) -> str:
        """The model that was listed with an id."""
        if name not in self._references:
            raise UsageError("this file is not known; look at the list again")
        return self._references[name]

    def explore_ahead(self) -> None:
        """Explore what is open already, while the browser still loads the page; what is wrong is said when it asks."""
        for document in list(self.documents.values()):
            with suppress(Cancelled, Exception):
                _ = document.game

    def scratch(self) -> Path:
        """A new private folder, which goes when the studio ends."""
        if self._scratch is None:
            self._scratch = tempfile.TemporaryDirectory(prefix="outplay-studio-")
        made = Path(self._scratch.name) / new_id()
        made.mkdir(mode=0o700)
        return made

    def close(self) -> None:
        """End what still works."""
        self.closing.set()
        for document in list(self.documents.values()):
            document.close()
        if self._scratch is not None:
            self._scratch.cleanup()


def workspace_of(job: Job, folder: Path) -> Workspace:
    """The workspace of what a command names: a folder of models, a store of runs, one model, or nothing yet."""
    made, named = Workspace(replace(job, model=""), folder), Path(job.model)
    if job.model and named.is_dir():
        made.shown = made.folder = named.absolute()
    elif job.model and named.suffix == ".db":
        made.store = named.absolute()
    elif job.model:
        file = job.model.rpartition(".py:")[0] + ".py" if ".py:" in job.model else job.model
        if (file.endswith(".py") or not job.is_code) and not Path(file).exists():
            raise UsageError(f"{file}: no such file; check the path, or leave it out and choose one on the page")
        made.open(job)
    return made


MOST_LISTED = 200
_STORE = "store.db"


def store_of(workspace: Workspace) -> Path:
    """The store that is shown, and that keeps the runs started here: the one the user named, or that of the folder."""
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
