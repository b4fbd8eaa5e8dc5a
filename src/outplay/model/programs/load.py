"""Find the model program a user names: `file.py:Class` or `module:Class`, with constants set by `NAME=VALUE`.

Admission of code: a file of a model program, or of its folder, is shown to somebody before it runs. Python would run
what lies in `__pycache__` in place of a source that looks unchanged. Here the bytes that were admitted are the ones
that run.
"""

from __future__ import annotations

import ast
import importlib
import importlib.util
import os
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from outplay.errors import ModelError, OutplayError, UsageError, did_you_mean
from outplay.model.programs.budget import blame_user_code
from outplay.model.programs.program import Model, Program
from outplay.model.values import Map

Admit = Callable[[Path, bytes], None]
"""Takes a file and its content, and raises where that must not run."""


def _admit_all(path: Path, content: bytes) -> None:
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


def is_program_reference(reference: str) -> bool:
    """Say whether a name is meant as a model program, and not as a file of another format."""
    head, colon, _ = reference.rpartition(":")
    return (
        head.endswith(".py")
        or reference.endswith(".py")
        or (bool(colon) and "/" not in reference and "." not in reference.rpartition(":")[2])
    )


def load_program(reference: str, settings: Iterable[str] = (), admit: Admit = _admit_all) -> Program:
    """Load the model program `file.py:Class` or `module:Class`; `settings` are texts such as `clients={'ann','bob'}`.

    `admit` sees the program and what it imports from its folder before that runs.
    """
    where, class_name = _split(reference)
    module = load_module(where, admit)
    model = _pick(module, class_name, reference)
    return Program(model, dict(_setting(model, text) for text in settings))


def program_file(reference: str) -> Path | None:
    """Find the file that a model program is in, without running anything; None where there is none."""
    where, _ = _split(reference)
    if where.endswith(".py"):
        return Path(where) if Path(where).is_file() else None
    path: list[str] | None = ["", *sys.path]
    name, found = "", None
    for part in where.split("."):
        name = f"{name}.{part}" if name else part
        found = PathFinder.find_spec(name, path) if path is not None else None
        if found is None:
            return None
        path = found.submodule_search_locations
    return Path(found.origin) if found and found.origin and Path(found.origin).is_file() else None


def _split(reference: str) -> tuple[str, str]:
    if reference.endswith(".py"):
        return reference, ""
    where, _, class_name = reference.rpartition(":")
    return where, class_name


def load_module(where: str, admit: Admit = _admit_all) -> ModuleType:
    """Load a user's Python module, from `file.py` or by name, and say in one line what keeps it from loading."""
    return _load_file(Path(where), admit) if where.endswith(".py") else _load_module(where, admit)


def _load_file(path: Path, admit: Admit) -> ModuleType:
    if not path.is_file():
        if path.exists():
            raise ModelError(f"{path}: no plain file; a model program is a .py file")
        near = [str(other) for other in path.parent.glob("*.py")] if path.parent.is_dir() else []
        raise ModelError(f"{path}: no such file; {did_you_mean(str(path), near)}")
    # The folder comes first on the path so that a model can import its neighbours, as a script could.
    folder = str(path.resolve().parent)
    if folder not in sys.path:
        sys.path.insert(0, folder)
    IMPORTS.watch(Path(folder), admit)
    name = f"outplay_model_{path.stem}_{zlib.crc32(str(path.resolve()).encode()):x}"
    loader = AdmittedSource(name, str(path.absolute()), admit)
    made = importlib.util.spec_from_file_location(name, path, loader=loader)
    assert made  # a loader was given
    module = importlib.util.module_from_spec(made)
    sys.modules[name] = module
    with _explaining(str(path)):
        loader.exec_module(module)
    return module


def _load_module(name: str, admit: Admit) -> ModuleType:
    if "" not in sys.path:
        sys.path.insert(0, "")
    IMPORTS.watch(Path(), admit, package=name.partition(".")[0])
    if name in sys.modules and (file := program_file(f"{name}:")):
        admit(file.resolve(), file.read_bytes())
    try:
        found = importlib.util.find_spec(name)
    except ModuleNotFoundError:
        found = None
    except OutplayError:
        raise
    except Exception as error:
        raise blame_user_code(error, f"importing {name}") from error
    if found is None:
        raise ModelError(f"no module {name!r}: give a path such as {name.replace('.', '/')}.py, or install it")
    with _explaining(name):
        return importlib.import_module(name)


@contextmanager
def _explaining(what: str) -> Iterator[None]:
    """Say in one line what kept a user's module from loading."""
    try:
        yield
    except SyntaxError as error:
        place = f"{error.filename or what}:{error.lineno or 1}:{error.offset or 1}"
        raise ModelError(f"{place}: {error.msg}; mend the Python there") from None
    except (OutplayError, KeyboardInterrupt):
        raise
    except ModuleNotFoundError as error:
        raise ModelError(
            f"{blame_user_code(error, f'loading {what}')}: install it, or put it beside the model"
        ) from None
    except OSError as error:
        if error.filename != what and Path(str(error.filename)) != Path(what).absolute():
            raise blame_user_code(error, f"loading {what}") from error
        raise ModelError(f"{what}: {error.strerror}; give a readable file") from None
    except (Exception, SystemExit) as error:
        raise blame_user_code(error, f"loading {what}") from error


def _pick(module: ModuleType, class_name: str, reference: str) -> type[Model]:
    models = {
        name: value
        for name, value in vars(module).items()
        if isinstance(value, type) and issubclass(value, Model) and value is not Model
    }
    if not class_name:
        own = {name: value for name, value in models.items() if value.__module__ == module.__name__} or models
        if len(own) == 1:
            return next(iter(own.values()))
        where = reference.removesuffix(":")
        if not own:
            raise ModelError(f"{where}: no model program there: write a class that derives from outplay.Model")
        raise ModelError(f"{where}: several model programs: say which, {' or '.join(f'{where}:{n}' for n in own)}")
    if class_name in models:
        return models[class_name]
    if hasattr(module, class_name):
        raise ModelError(f"{reference}: {class_name} is no model program: derive it from outplay.Model")
    hint = did_you_mean(class_name, models) if models else "write a class that derives from outplay.Model"
    raise ModelError(f"{reference}: no class {class_name!r} there; {hint}")


def _setting(model: type[Model], text: str) -> tuple[str, Any]:
    """Read `NAME=VALUE`, the value as a Python literal; a bare word is text where the constant is text."""
    name, equals, written = text.partition("=")
    name = name.strip()
    if not equals or not name:
        raise UsageError(f"--set {text}: write NAME=VALUE")
    try:
        return name, _hashable(ast.literal_eval(written.strip()))
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        now = getattr(model, name, "")
        if isinstance(now, str):
            return name, written
        raise UsageError(
            f"--set {text}: {written!r} is no Python value; write it as in the model, where {name} = {now!r:.80}, "
            "with quotes around text"
        ) from None


def _hashable(value: Any) -> Any:
    """Turn lists, sets and dictionaries from the command line into what a model may hold."""
    if isinstance(value, list | tuple):
        return tuple(map(_hashable, value))
    if isinstance(value, set):
        return frozenset(map(_hashable, value))
    if isinstance(value, dict):
        return Map({key: _hashable(entry) for key, entry in value.items()})
    return value
