"""The page that names every source file in one line, made from what the files say of themselves.

Run `make files` after adding, moving or renaming a file; a test holds the page against the files.
"""

from __future__ import annotations

import ast
from pathlib import Path

from helpers.places import ROOT

PAGE = ROOT / "docs" / "files.md"
SOURCE = ROOT / "src" / "outplay"
HEAD = """# Every file in one line

What each file says of itself, room by room, written by `make files`. The [map](architecture.md) tells the whole.
"""


def first_line(path: Path) -> str:
    """What a file says of itself, up to its first line break."""
    return (ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or "").split("\n")[0]


def room(folder: Path) -> str:
    """The heading of a folder and its files."""
    files = sorted(path for path in folder.glob("*.py") if path.name != "__init__.py")
    title = folder.relative_to(SOURCE.parent).as_posix()
    lines = [f"- `{path.name}`: {first_line(path)}" for path in files]
    return "\n".join([f"## {title}", "", first_line(folder / "__init__.py"), "", *lines, ""])


def page() -> str:
    """The whole page."""
    folders = sorted(path.parent for path in SOURCE.rglob("__init__.py"))
    return "\n".join([HEAD, *map(room, folders)])


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
