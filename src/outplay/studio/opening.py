"""Opening models from the page: examples, files of the folder by their ids, and a file that the user chooses.

A file that is chosen comes as its content and is kept in a private folder of this studio. Nothing that is only listed
is run: which model programs a file has is read off its text.
"""

from __future__ import annotations

import ast
from importlib.resources import files
from pathlib import Path
from typing import Any

from outplay.errors import FormatError, UsageError
from outplay.formats.registry import ENDINGS
from outplay.studio.asked import Asked
from outplay.studio.workspace import Workspace

LARGEST = 5_000_000  # letters of a file that is chosen
MOST_LISTED = 500
MOST_DEEP = 4
_LARGEST_PROGRAM = 1_000_000


def gallery(workspace: Workspace, asked: Asked) -> dict[str, Any]:
    """Return what can be opened: examples with their questions, and the models of the folder."""
    found = []
    for name, path in examples().items():
        text = path.read_text(encoding="utf-8")
        found.append({"example": name, "about": (ast.get_docstring(ast.parse(text)) or "").strip()})
    return {"examples": found, "files": listed_files(workspace)}


def examples() -> dict[str, Path]:
    """The examples by name."""
    folder = Path(str(files(__package__).joinpath("gallery")))
    return {path.stem: path for path in sorted(folder.glob("*.txt"))}


def listed_files(workspace: Workspace) -> list[dict[str, str]]:
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
    return [f"{path}:{name}" for name in programs_in(tree)]


def programs_in(tree: ast.Module) -> list[str]:
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
    if not plain.isprintable() or plain[:1] in ("", ".") or Path(plain).suffix.lower() not in (".py", *ENDINGS):
        raise FormatError(f"{plain or name}: choose a model program (.py) or a model file ({', '.join(ENDINGS)})")
    path = workspace.scratch() / plain
    path.write_text(text, encoding="utf-8")
    found = references(path)
    if not found:
        raise FormatError(f"{plain}: no model program in it; write a class that derives from outplay.Model")
    return _opened(workspace, found)


def _opened(workspace: Workspace, found: list[str]) -> dict[str, Any]:
    made = [workspace.open_reference(reference) for reference in found[:6]]
    return {"documents": [{"id": one.id, "title": one.title} for one in made]}
