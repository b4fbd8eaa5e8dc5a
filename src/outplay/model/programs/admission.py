"""Admission of code: a file of a model program, or of its folder, is shown to somebody before it runs.

Python would run what lies in `__pycache__` in place of a source that looks unchanged. Here the bytes that were admitted
are the ones that run.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType

Admit = Callable[[Path, bytes], None]
"""Takes a file and its content, and raises where that must not run."""


def admit_all(path: Path, content: bytes) -> None:
    """Let everything run, for code that the user names."""


class AdmittedSource(SourceFileLoader):
    """Loads a module from its source alone, once that is admitted."""

    def __init__(self, name: str, path: str, admit: Admit) -> None:
        super().__init__(name, path)
        self._admit = admit

    def get_code(self, fullname: str) -> CodeType:
        """Compile the content that was admitted."""
        content = self.get_data(self.path)
        self._admit(Path(self.path).resolve(), content)
        code: CodeType = self.source_to_code(content, self.path)
        return code


class FolderImports(MetaPathFinder):
    """Finds what model programs import from their folders, and has it admitted; all else is left to Python."""

    def __init__(self) -> None:
        self._folders: dict[str, Admit] = {}
        self._packages: dict[str, Admit] = {}
        """Watched wherever they lie."""
        self._found: dict[str, Admit] = {}

    def watch(self, folder: Path, admit: Admit, package: str = "") -> None:
        """Have admitted what is imported from a folder from now on, and from a package wherever that lies."""
        self._folders[os.path.realpath(folder)] = admit
        if package:
            self._packages[package] = admit
        if self not in sys.meta_path:
            python = sys.meta_path.index(PathFinder) if PathFinder in sys.meta_path else len(sys.meta_path)
            sys.meta_path.insert(python, self)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Find a module as Python does; None where it is none of the watched ones."""
        found = PathFinder.find_spec(fullname, path, target)
        admit = self._admission(fullname, found) if found else None
        if found is None or admit is None:
            return None
        self._found[fullname] = admit
        if isinstance(found.loader, SourceFileLoader) and found.origin:
            found.loader = AdmittedSource(fullname, found.origin, admit)
        elif found.has_location and found.origin:  # compiled code
            admit(Path(found.origin).resolve(), Path(found.origin).read_bytes())
        return found

    def _admission(self, name: str, found: ModuleSpec) -> Admit | None:
        package, _, _ = name.rpartition(".")
        if package:
            return self._found.get(package)
        inside = found.submodule_search_locations
        places = [found.origin] if inside is None else list(inside)
        folders = (os.path.realpath(os.path.dirname(place)) for place in places if place)
        watched = (self._folders[folder] for folder in folders if folder in self._folders)
        return next(watched, self._packages.get(name))


IMPORTS = FolderImports()
