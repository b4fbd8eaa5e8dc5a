"""The workspace of a studio: the documents that are open, by ids; the page never names a path."""

from __future__ import annotations

import secrets
import tempfile
import threading
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from outplay.cancellation import Cancelled
from outplay.errors import UsageError
from outplay.runs.job import Job
from outplay.runs.run_folders import FOLDER
from outplay.studio.document import Document

MOST_OPEN = 12
TRACE = ".jsonl"
_STORE = "store.db"


def new_id() -> str:
    """Make an id for a document of the workspace that nobody can guess."""
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
    trace: Path | None = None
    """The trace to show, where the user named one."""
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

    @property
    def runs_store(self) -> Path:
        """The store that is shown, and that keeps the runs started here: the one the user named, or the folder's."""
        return self.store or self.folder / FOLDER / _STORE

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
    """The workspace of what a command names: a folder of models, a store of runs, a trace, one model, or nothing."""
    made, named = Workspace(replace(job, model=""), folder), Path(job.model)
    if job.model and named.is_dir():
        made.shown = made.folder = named.absolute()
    elif job.model and named.suffix == ".db":
        made.store = _there(named).absolute()
    elif job.model and named.suffix == TRACE:
        made.trace = _there(named)
    elif job.model:
        if (file := _file(job)) is not None:
            _there(file)
        made.open(job)
    return made


def _there(path: Path) -> Path:
    if not path.exists():
        raise UsageError(f"{path}: no such file; check the path, or leave it out and choose one on the page")
    return path


def _file(job: Job) -> Path | None:
    """The file that a model is named by, if it is."""
    file = job.model.rpartition(".py:")[0] + ".py" if ".py:" in job.model else job.model
    return Path(file) if file.endswith(".py") or not job.is_code else None


def existing_file(job: Job, folder: Path) -> str:
    """The name of a model whose file is looked for in a folder too, where it is not in the one we are in."""
    file = _file(job)
    if file is None or file.exists() or not (folder / file).exists():
        return job.model
    return str(folder / job.model)
