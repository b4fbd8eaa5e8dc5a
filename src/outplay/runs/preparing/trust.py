"""Code and systems that only a file names: they run where the user ran them before, names them now, or trusts them.

Traces, suites and jobs name a model and a system. A model program is code, and whoever sends such a file may send the
code with it, so nothing in the file can prove that it is harmless. A file may have a model program run only if the
user ran it before with the same content (remembered_code.py); a system it names is not started or contacted at all.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

from outplay.errors import UsageError
from outplay.model.programs.load import program_file
from outplay.play.adapters.adapters import ADAPTERS, SERVER, SERVER_LOG, START
from outplay.runs.job import Job
from outplay.runs.preparing.remembered_code import is_remembered


def with_known_model(job: Job, where: str | Path, add: str) -> Job:
    """The job for a model that only the file `where` names; of a program, nothing runs but what is remembered.

    A program that is not remembered is refused; `add` is what to add then.
    """
    if not job.is_code:
        return job
    found = program_file(job.model)
    if found or not job.model.rpartition(":")[0].endswith(".py"):  # else nothing is there; loading says so
        known = is_remembered(found) if found else None
        if not known:
            why = "is not there" if not found else "you have never run" if known is None else "has changed since"
            raise UsageError(
                f"{where} names the model program {job.model}, which is code and {why}; "
                f"if you trust it add {add}, or --trust"
            )
    return replace(job, remembered_only=True)


def refuse_unnamed_server(job: Job, asked: Collection[str], where: str | Path) -> Job:
    """The job without a server that only the file `where` names, where the system that was named needs none.

    Where it needs one, it is refused to start it; `asked` are the further options that the user gave. No log is kept
    where only the file names one: it could be a file that runs later.
    """
    if not any(text.startswith(f"{SERVER_LOG}=") for text in asked):
        job = replace(job, options=tuple(text for text in job.options if not text.startswith(f"{SERVER_LOG}=")))
    own = dict(job.own_options)
    if START in own and not any(text.startswith(f"{START}=") for text in asked):
        what = f"{where} names the program {own[START]:.200}, which is code"
        raise UsageError(f"{what}; if you trust it add it with --start, or --trust")
    if SERVER not in own or any(text.startswith(f"{SERVER}=") for text in asked):
        return job
    if "{port" not in job.sut:
        kept = (text for text in job.options if not text.startswith(SERVER))
        return replace(job, options=tuple(kept))
    command = own[SERVER]
    raise UsageError(
        f"{where} names the server {command:.200}, which is code; if you trust it add it with --server, or --trust"
    )


def refuse_unnamed_system(job: Job, where: str | Path) -> None:
    """Refuse to start or contact a system that nobody but the file `where` names; a simulated model file is none."""
    kind, _, rest = job.sut.partition(":")
    if not job.sut or (kind == "model" and (rest == job.model or not Job(rest).is_code)):
        return
    what = "is contacted" if kind in ADAPTERS and ADAPTERS[kind].contacted else "is code"
    raise UsageError(
        f"{where} names the system {job.sut:.200}, which {what}; if you trust it add it with --sut, or --trust"
    )
