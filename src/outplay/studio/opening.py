"""Opening models from the page: examples, files of the folder by their ids, and a file that the user chooses.

A file that is chosen comes as its content and is kept in a private folder of this studio. Nothing that is only listed
is run: which model programs a file has is read off its text.

Editing a model in the page: drafts are checked as they are typed, and saved only when the user says so. Only a file
that the user opened can be edited. A draft lies in a private folder and is played out within narrow limits, so that a
loop in it ends by itself. A file that has changed on the disk since it was read is not overwritten.
"""

from __future__ import annotations

import ast
import re
import threading
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any

from outplay.cancellation import Cancelled
from outplay.errors import FormatError, OutplayError, UsageError
from outplay.formats.common.writing import write_whole
from outplay.formats.registry import ENDINGS
from outplay.model.programs.load import program_file
from outplay.studio.document import Asked, Document
from outplay.studio.past_runs import open_trace
from outplay.studio.workspace import TRACE, Workspace

LARGEST = 5_000_000  # letters of a file that is chosen
MOST_LISTED = 500
MOST_DEEP = 4
_LARGEST_PROGRAM = 1_000_000
_CHOSEN = (".py", TRACE, *ENDINGS)


def gallery(workspace: Workspace, asked: Asked) -> dict[str, Any]:
    """Return the models that can be opened in the studio: examples with their questions, and models of the folder."""
    found = []
    for name, path in examples().items():
        text = path.read_text(encoding="utf-8")
        found.append({"example": name, "about": (ast.get_docstring(ast.parse(text)) or "").strip()})
    return {"examples": found, "files": _listed_files(workspace)}


def examples() -> dict[str, Path]:
    """Return the examples that can be opened in the studio, by name."""
    folder = Path(str(files(__package__).joinpath("gallery")))
    return {path.stem: path for path in sorted(folder.glob("*.txt"))}


def _listed_files(workspace: Workspace) -> list[dict[str, str]]:
    """The models below the folder that the user named, each with an id."""
    if workspace.shown is None:
        return []
    found = []
    for path in _below(workspace.shown):
        name = str(path.relative_to(workspace.shown))
        for reference in references(path):
            title = name + reference.removeprefix(str(path))
            found.append({"file": workspace.id_of(reference), "title": title})
    return found[:MOST_LISTED]


def _below(folder: Path, depth: int = 0) -> list[Path]:
    try:
        inside = sorted(folder.iterdir())
    except OSError:
        return []
    plain = [path for path in inside if path.is_file() and path.suffix.lower() in (".py", *ENDINGS)]
    folders = [path for path in inside if path.is_dir() and not path.is_symlink() and path.name[:1] not in "._"]
    deeper = [found for path in folders for found in _below(path, depth + 1)] if depth < MOST_DEEP else []
    return [*plain, *deeper][: 4 * MOST_LISTED]


def references(path: Path) -> list[str]:
    """Return the names of the models in a file: the file itself, or each model program in it; nothing is run for
    that.
    """
    if path.suffix.lower() != ".py":
        return [str(path)]
    try:
        if path.stat().st_size > _LARGEST_PROGRAM:
            return []
        tree = ast.parse(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, SyntaxError, RecursionError):
        return []
    return [f"{path}:{name}" for name in _programs_in(tree)]


def _programs_in(tree: ast.Module) -> list[str]:
    """The classes that are model programs by their text: those derived from `Model`, or from one of them."""
    known = {"Model"}
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            bases = {base.id if isinstance(base, ast.Name) else getattr(base, "attr", "") for base in node.bases}
            if bases & known:
                known.add(node.name)
    return [node.name for node in tree.body if isinstance(node, ast.ClassDef) and node.name in known]


def open_listed(workspace: Workspace, asked: Asked) -> dict[str, Any]:
    """Open an example or a file of the folder."""
    if "example" in asked.given:
        name = asked.text("example")
        if name not in examples():
            raise UsageError("there is no such example")
        copy = workspace.scratch() / f"{name}.py"
        copy.write_text(examples()[name].read_text(encoding="utf-8"), encoding="utf-8")
        return _opened(workspace, references(copy))
    return _opened(workspace, [workspace.reference(asked.text("file"))])


def open_chosen(workspace: Workspace, asked: Asked) -> dict[str, Any]:
    """Open a file that the user chose in the browser, by its content."""
    name, text = asked.text("name", longest=300), asked.text("text", longest=LARGEST)
    plain = Path(name.replace("\\", "/")).name
    if not plain.isprintable() or plain[:1] in ("", ".") or Path(plain).suffix.lower() not in _CHOSEN:
        raise FormatError(f"{plain or name}: choose a model program or a trace ({', '.join(_CHOSEN)})")
    path = workspace.scratch() / plain
    path.write_text(text, encoding="utf-8")
    if path.suffix == TRACE:
        return {"run": open_trace(workspace, path, plain, known=False).json()}
    found = references(path)
    if not found:
        raise FormatError(f"{plain}: no model program in it; write a class that derives from outplay.Model")
    return _opened(workspace, found)


def _opened(workspace: Workspace, found: list[str]) -> dict[str, Any]:
    made = [workspace.open_reference(reference) for reference in found[:6]]
    return {"documents": [{"id": one.id, "title": one.title} for one in made]}


LARGEST_DRAFT = 500_000  # letters
DRAFT_SECONDS, DRAFT_STATES = 5.0, 50_000
PATIENCE = 12.0
"""Seconds after which a draft is broken off wherever it is."""


def source_of(document: Document, asked: Asked) -> dict[str, Any]:
    """Return the text of an opened model, where it is one that can be edited."""
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
    if len(text) > LARGEST_DRAFT:
        raise FormatError(f"{path.name}: too large to be edited here")
    return text


def check_draft(workspace: Workspace, asked: Asked) -> dict[str, Any]:
    """Read and play out a draft: the document of it, or what is wrong and where."""
    document = workspace.document(asked.text("document"))
    base = document.draft_of or document
    path, text = _file(document), asked.text("text", longest=LARGEST_DRAFT)
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
    if _read(path) != asked.text("before", longest=LARGEST_DRAFT):
        raise UsageError(f"{path.name} has changed on the disk since it was read; open it again before you save")
    write_whole(path, [asked.text("text", longest=LARGEST_DRAFT)])
    return {"name": path.name}
