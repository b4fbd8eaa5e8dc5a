"""Editing a model in the page: drafts are checked as they are typed, and saved only when the user says so.

Only a file that the user opened can be edited. A draft lies in a private folder and is played out within narrow limits,
so that a loop in it ends by itself. A file that has changed on the disk since it was read is not overwritten.
"""

from __future__ import annotations

import re
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

from outplay.cancellation import Cancelled
from outplay.errors import FormatError, OutplayError, UsageError
from outplay.formats.texts.writing import write_whole
from outplay.model.programs.load import program_file
from outplay.studio.asked import Asked
from outplay.studio.document import Document
from outplay.studio.workspace import Workspace

LARGEST = 500_000  # letters
DRAFT_SECONDS, DRAFT_STATES = 5.0, 50_000
PATIENCE = 12.0
"""Seconds after which a draft is broken off wherever it is."""


def source_of(document: Document, asked: Asked) -> dict[str, Any]:
    """The text of a model, where it is one that can be edited."""
    path = _file(document)
    return {"name": path.name, "text": _read(path)}


def _file(document: Document) -> Path:
    """The file in which a document can be edited."""
    job = (document.draft_of or document).job
    found = program_file(job.model) if job.is_code else Path(job.model)
    if found is None or not found.is_file():
        raise UsageError("this model is no single file that could be edited")
    return found


def _read(path: Path) -> str:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        raise FormatError(f"{path.name}: no text that could be edited") from None
    if len(text) > LARGEST:
        raise FormatError(f"{path.name}: too large to be edited here")
    return text


def check_draft(workspace: Workspace, asked: Asked) -> dict[str, Any]:
    """Read and play out a draft: the document of it, or what is wrong and where."""
    document = workspace.document(asked.text("document"))
    base = document.draft_of or document
    path, text = _file(document), asked.text("text", longest=LARGEST)
    draft = workspace.scratch() / path.name
    draft.write_text(text, encoding="utf-8")
    _, _, name = base.job.model.rpartition(":")
    model = f"{draft}:{name}" if base.job.is_code and not base.job.model.endswith(".py") else str(draft)
    job = replace(base.job, model=model, max_seconds=DRAFT_SECONDS, max_states=DRAFT_STATES)
    made = workspace.open(job, f"{base.title} (draft)", draft_of=base)
    watch = threading.Timer(PATIENCE, made.token.cancel)
    watch.daemon = True
    watch.start()
    try:
        made.model  # noqa: B018  what is wrong shows here
        made.game  # noqa: B018
    except (OutplayError, Cancelled) as error:
        workspace.close_document(made)
        words = "the draft took too long and was broken off" if isinstance(error, Cancelled) else str(error)
        return {"error": words.replace(f"{draft.parent}/", ""), "line": _line(words, draft)}
    finally:
        watch.cancel()
    return {"id": made.id, "title": made.title}


def _line(words: str, draft: Path) -> int | None:
    """The line that an error names."""
    found = re.search(rf"{re.escape(draft.name)}:(\d+)", words) or re.search(r"\bline (\d+)", words)
    return int(found[1]) if found else None


def save_draft(workspace: Workspace, asked: Asked) -> dict[str, Any]:
    """Write a draft into the file it is of, unless somebody else has changed that."""
    document = workspace.document(asked.text("document"))
    path = _file(document)
    if _read(path) != asked.text("before", longest=LARGEST):
        raise UsageError(f"{path.name} has changed on the disk since it was read; open it again before you save")
    write_whole(path, [asked.text("text", longest=LARGEST)])
    return {"name": path.name}
