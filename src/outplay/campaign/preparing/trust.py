"""Code that only a file names: it runs where it is known again by its content, is named by the user, or is trusted.

Traces, suites and jobs name a model, and a model program is code. Whoever is sent such a file must be able to look at
what it says without running what its sender likes. So a file may have a model program run only if that lies in the
current folder or beside the file, with the content that the file remembers.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from outplay.campaign.job import Job
from outplay.errors import UsageError
from outplay.model.programs.load import program_file


def code_of(job: Job) -> str:
    """The hash of the model program of a job; nothing where it is none, or lies outside the current folder."""
    found = program_file(job.model) if job.is_code else None
    return _hash(found) if found and _within(found, Path()) else ""


def refuse_unnamed_model(job: Job, where: str | Path, add: str) -> None:
    """Refuse a model program that nobody but the file `where` names, unless it is known; `add` is what to add."""
    if not job.is_code:
        return
    found = program_file(job.model)
    if found is None and job.model.rpartition(":")[0].endswith(".py"):
        return  # nothing is there that could run; loading says so
    if found and (_within(found, Path()) or _within(found, Path(where).parent)):
        if job.model_code and job.model_code == _hash(found):
            return
        why = "has changed since, or is another" if job.model_code else "it does not know by its content"
    else:
        why = "lies elsewhere" if found else "is not there"
    raise UsageError(
        f"{where} names the model program {job.model}, which is code and {why}; if you trust it add {add}, or --trust"
    )


def refuse_unnamed_system(job: Job, where: str | Path) -> None:
    """Refuse to start a system that nobody but the file `where` names."""
    kind, _, rest = job.sut.partition(":")
    if kind == "model" and (rest == job.model or not Job(rest).is_code):
        return
    if kind in ("exec", "python", "model"):
        raise UsageError(
            f"{where} names the system {job.sut:.200}, which is code; if you trust it add it with --sut, or --trust"
        )


def _within(path: Path, folder: Path) -> bool:
    return path.resolve().is_relative_to(folder.resolve())


def _hash(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()[:32]
