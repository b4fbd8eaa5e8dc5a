"""Find the model program a user names: `file.py:Class` or `module:Class`, with constants set by `NAME=VALUE`."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import sys
import zlib
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType
from typing import Any

from outplay.errors import ModelError, OutplayError, UsageError, did_you_mean
from outplay.model.blame import blame
from outplay.model.program import Model, Program


def is_program_reference(reference: str) -> bool:
    """Say whether a name is meant as a model program and not as a file of another format."""
    head, colon, _ = reference.rpartition(":")
    return (
        head.endswith(".py")
        or reference.endswith(".py")
        or (bool(colon) and "/" not in reference and "." not in reference.rpartition(":")[2])
    )


def load_program(reference: str, settings: Iterable[str] = ()) -> Program:
    """Load `file.py:Class` or `module:Class`; `settings` are texts such as `clients={'ann','bob'}`."""
    where, class_name = _split(reference)
    module = _load_file(Path(where)) if where.endswith(".py") else _load_module(where)
    model = _pick(module, class_name, reference)
    return Program(model, dict(_setting(model, text) for text in settings))


def _split(reference: str) -> tuple[str, str]:
    if reference.endswith(".py"):
        return reference, ""
    where, _, class_name = reference.rpartition(":")
    return where, class_name


def _load_file(path: Path) -> ModuleType:
    if not path.is_file():
        near = [str(other) for other in path.parent.glob("*.py")] if path.parent.is_dir() else []
        raise ModelError(f"{path}: no such file; {did_you_mean(str(path), near)}")
    # The folder comes first on the path so that a model can import its neighbours, as a script could.
    folder = str(path.resolve().parent)
    if folder not in sys.path:
        sys.path.insert(0, folder)
    name = f"outplay_model_{path.stem}_{zlib.crc32(str(path.resolve()).encode()):x}"
    made = importlib.util.spec_from_file_location(name, path)
    if made is None or made.loader is None:
        raise ModelError(f"{path}: Python cannot load this file; a model program is a .py file")
    module = importlib.util.module_from_spec(made)
    sys.modules[name] = module
    try:
        made.loader.exec_module(module)
    except SyntaxError as error:
        raise ModelError(
            f"{error.filename}:{error.lineno}:{error.offset}: {error.msg}; mend the Python there"
        ) from None
    except OutplayError:
        raise
    except Exception as error:
        raise blame(error, f"loading {path}") from error
    return module


def _load_module(name: str) -> ModuleType:
    if "" not in sys.path:
        sys.path.insert(0, "")
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        raise ModelError(
            f"no module {error.name!r} (in {name!r}): give a path such as {name}.py, or install it"
        ) from None
    except Exception as error:
        raise blame(error, f"importing {name}") from error


def _pick(module: ModuleType, class_name: str, reference: str) -> type[Model]:
    models = {
        name: value
        for name, value in vars(module).items()
        if isinstance(value, type) and issubclass(value, Model) and value is not Model
    }
    if not class_name:
        own = [value for value in models.values() if value.__module__ == module.__name__]
        if len(own) == 1:
            return own[0]
        raise ModelError(f"{reference}: say which model, {reference}:NAME; {did_you_mean('', models)}")
    if class_name in models:
        return models[class_name]
    if hasattr(module, class_name):
        raise ModelError(f"{reference}: {class_name} is no model program: derive it from outplay.Model")
    raise ModelError(f"{reference}: no class {class_name!r} there; {did_you_mean(class_name, models)}")


def _setting(model: type[Model], text: str) -> tuple[str, Any]:
    """Read `NAME=VALUE`, the value as a Python literal; a bare word is text where the constant is text."""
    name, equals, written = text.partition("=")
    if not equals:
        raise UsageError(f"--set {text}: write NAME=VALUE")
    try:
        return name, _hashable(ast.literal_eval(written))
    except (ValueError, SyntaxError):
        if isinstance(getattr(model, name, ""), str):
            return name, written
        raise UsageError(f"--set {text}: {written!r} is no Python value; quote text: {name}=\"'…'\"") from None


def _hashable(value: Any) -> Any:
    """Turn lists and sets from the command line into what a model may hold."""
    if isinstance(value, list | tuple):
        return tuple(map(_hashable, value))
    if isinstance(value, set):
        return frozenset(map(_hashable, value))
    return value
