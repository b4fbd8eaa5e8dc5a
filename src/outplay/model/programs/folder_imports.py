"""The imports of a program from its own folder, found in its text without running it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from importlib.machinery import PathFinder
from pathlib import Path


def imported_from_folder(program: Path) -> tuple[Path, ...]:
    """The files that a program imports from its folder, wherever in the text, and that these import from there.

    What is imported by a name that is only made while the program runs is not found.
    """
    folder = program.resolve().parent
    found = dict[Path, None]()
    left = [program.resolve()]
    while left:
        path = left.pop()
        for parts, package in _imports(path, folder):
            new = [one for one in _files(parts, package) if one not in found]
            found |= dict.fromkeys(new)
            left += new
    return tuple(sorted(found))


def _imports(path: Path, folder: Path) -> Iterator[tuple[list[str], Path]]:
    """The parts of each imported name, with the folder in which the first one is looked for."""
    try:
        tree = ast.parse(path.read_bytes())
    except (OSError, SyntaxError, ValueError, RecursionError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name.split("."), folder) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = folder if not node.level else path.parents[min(node.level, len(path.parents)) - 1]
            parts = node.module.split(".") if node.module else []
            yield from (([*parts, alias.name], base) for alias in node.names)


def _files(parts: list[str], folder: Path) -> Iterator[Path]:
    """The files of a module and of the packages around it; the last part may be a name inside the module instead."""
    places, name = [str(folder)], ""
    for part in parts:
        name = f"{name}.{part}" if name else part
        found = PathFinder.find_spec(name, places)
        if found is None:
            return
        if found.has_location and found.origin:
            yield Path(found.origin).resolve()
        places = list(found.submodule_search_locations or ())
        if not places:
            return
