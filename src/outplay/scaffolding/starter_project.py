"""A project to start from: a model, a service with a bug that can be switched on, an adapter, tests, and CI."""

from __future__ import annotations

import shutil
from importlib.resources import files
from pathlib import Path

from outplay.errors import FormatError
from outplay.formats.common.writing import unwritten_file, write_whole

FILES = {
    "pyproject.toml": "pyproject.toml.txt",
    "jobs_model.py": "jobs_model.py.txt",
    "service.py": "service.py.txt",
    "adapter.py": "adapter.py.txt",
    "test_jobs.py": "test_jobs.py.txt",
    ".github/workflows/test.yml": "ci.yml.txt",
    ".gitignore": "gitignore.txt",
}
"""The files of the project, and where their texts are."""


def write_starter(folder: Path) -> tuple[Path, ...]:
    """Write the starter project into a folder, made if need be; a file that exists is never replaced."""
    there = [name for name in FILES if (folder / name).exists()]
    if there:
        raise FormatError(
            f"{folder / there[0]} is there already, and nothing was written; name a new folder, `outplay new FOLDER`"
        )
    existed = folder.exists()
    written = list[Path]()
    try:
        for name in FILES:
            written.append(write_whole(folder / name, [starter_text(name)], folders=True))
    except (OSError, FormatError) as error:
        if not existed:
            shutil.rmtree(folder, ignore_errors=True)
        else:
            for path in written:
                path.unlink(missing_ok=True)
        raise FormatError(unwritten_file(folder, error)) if isinstance(error, OSError) else error from None
    return tuple(written)


def starter_text(name: str) -> str:
    """Return the text of a file of the starter project."""
    return (files("outplay.scaffolding") / "project" / FILES[name]).read_text(encoding="utf-8")
