"""An adapter and tests for a model, written into a folder; no file that is there already is replaced."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from outplay.errors import FormatError
from outplay.formats.registry import ENDINGS
from outplay.formats.texts.writing import unwritten, write_whole
from outplay.model.walk_models import WalkSpecification
from outplay.model.wrapping import own_specification
from outplay.play.adapters.gate_use import gates_of
from outplay.runs.job import Job
from outplay.runs.preparing.loaded_model import load_model
from outplay.runs.queries.verify import declared_gates
from outplay.starting.adapter_stub import stub_files


def names_a_model(text: str) -> bool:
    """Say whether a text names a model, and not a folder.

    >>> [names_a_model(text) for text in ("shop.py:Shop", "shop.models:Shop", "lamp.aut", "lamp")]
    [True, True, True, False]
    """
    return Path(text).suffix.lower() in ENDINGS or Job(text).is_code


def write_stub(model: str, kind: str, folder: Path) -> tuple[Path, ...]:
    """Write the adapter of a kind for a model, and its tests."""
    loaded = load_model(Job(model))
    spec = loaded.bare()
    name = model.rpartition(":")[2] if Job(model).is_code else Path(model).stem
    gates = gates_of(spec, declared_gates(loaded))
    vertices: list[str] = []
    if isinstance(own := own_specification(spec), WalkSpecification):
        vertices = [
            name for name in dict.fromkeys(vertex.name for vertex in own.models.vertices) if name.isidentifier()
        ]
    files = stub_files(model, re.sub(r"\W", "_", name), spec.goals, gates, kind, vertices)
    return write_files(files, folder)


def write_files(files: Mapping[str, str], folder: Path) -> tuple[Path, ...]:
    """Write new files into a folder, which is made if need be; nothing is written where one is there already."""
    for each in files:
        if (folder / each).exists():
            raise FormatError(f"{folder / each} is there already, and nothing was written; name a folder with -o")
    try:
        return tuple(write_whole(folder / each, [content], folders=True) for each, content in files.items())
    except OSError as error:
        raise FormatError(unwritten(folder, error)) from None
