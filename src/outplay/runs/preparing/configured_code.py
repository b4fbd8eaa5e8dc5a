"""Code that only a configuration file names: it runs once the user trusts the folder, as long as it stays the same.

A model program is remembered like any other that the user ran (remembered_code.py). A system is remembered by its
text, the folder it is started in, and the content of the files that the text names, of Python code with what it imports
from its folder.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from outplay.errors import FormatError, UsageError
from outplay.model.programs.folder_imports import imported_from_folder
from outplay.model.programs.load import program_file
from outplay.play.adapters.adapters import SERVER, SERVER_LOG, START
from outplay.runs.configuration import FILE, TABLE, Configuration, Settings
from outplay.runs.job import Job
from outplay.runs.preparing.loaded_model import load_model
from outplay.runs.preparing.remembered_code import content_hash, is_remembered, known_hash, remember

_STARTED = ("exec", "python", SERVER, START, SERVER_LOG)


@dataclass(frozen=True)
class Trusted:
    """One thing that a configuration names and that the user trusts: a model program or a system."""

    kind: str
    name: str
    files: tuple[Path, ...] = ()
    """The files that it names."""

    def __str__(self) -> str:
        files = f" ({', '.join(map(str, self.files))})" if self.files else ""
        return f"{self.kind:<8}{self.name}{files}"

    def json(self) -> dict[str, Any]:
        """Return the trusted programs, for other programs."""
        return {"kind": self.kind, "name": self.name, "files": [str(path) for path in self.files]}


def trust(configuration: Configuration) -> tuple[Trusted, ...]:
    """Trust the model programs and systems that the file names, in all profiles; model programs are loaded once."""
    if configuration.path is None:
        raise FormatError(f"no {FILE} with {TABLE} here or above; `outplay new` makes one")
    found = dict[Trusted, None]()
    for settings in configuration.alternatives():
        job = Job(**settings)
        if job.is_code:
            load_model(job)
            file = program_file(job.model)
            found[Trusted("model", job.model, (file,) if file else ())] = None
        for what in _systems(job):
            remember({_key(configuration, what): _content(what)})
            found[what] = None
    return tuple(found)


def admitted(configuration: Configuration, used: Settings, named: Settings) -> Settings:
    """The settings that are used, of which nothing runs that is neither trusted nor among those the user named."""
    if configuration.path is None:
        return used
    job, where = Job(**used), configuration.path
    if "model" not in named and job.is_code:
        file = program_file(job.model)
        if file and not is_remembered(file):
            raise _untrusted(configuration, f"the model program {job.model}", is_remembered(file) is not None)
        used = {**used, "remembered_only": True}
    for what in _systems(job):
        if what.name == named.get("sut") or what.name.replace(":", "=", 1) in named.get("options", ()):
            continue
        if what.name.partition(":")[0] in _STARTED and where.parent != Path.cwd():
            raise UsageError(f"{where} names a system that is started in its folder; type cd {where.parent}")
        known = known_hash(_key(configuration, what))
        if known != _content(what):
            raise _untrusted(configuration, f"the {what.kind} {what.name:.200}", known is not None)
    return used


def _untrusted(configuration: Configuration, what: str, changed: bool) -> UsageError:
    why = "which has changed since you trusted it" if changed else "which you have not trusted yet"
    return UsageError(
        f"{configuration.path} names {what}, {why}; look at it, then type `outplay trust`, or add --trust for once"
    )


def _systems(job: Job) -> Iterator[Trusted]:
    """The system of a job, but for the simulation of a model file or of the model itself, and what is started for it.

    The file for the log of a server is written on, so it counts too.
    """
    kind, _, rest = job.sut.partition(":")
    if job.sut and not (kind == "model" and (rest == job.model or not Job(rest).is_code)):
        yield Trusted("system", job.sut, _files(kind, rest))
    told = dict(job.own_options)
    for option in (SERVER, START):
        if command := told.get(option):
            yield Trusted(option, f"{option}:{command}", _files("exec", command))
    if log := told.get(SERVER_LOG):
        yield Trusted("log", f"{SERVER_LOG}:{log}")


def _files(kind: str, text: str) -> tuple[Path, ...]:
    """The files that a system names, such as the script in a command line."""
    if kind in ("python", "model"):
        file = program_file(text if ":" in text or text.endswith(".py") else f"{text}:")
        return (file,) if file else ()
    try:
        words = shlex.split(text)
    except ValueError:
        return ()
    return tuple(path for path in map(Path, words) if not path.is_absolute() and path.is_file())


def _key(configuration: Configuration, what: Trusted) -> str:
    return f"{configuration.path}: {what.kind} {what.name}"


def _content(what: Trusted) -> str:
    code = (file for file in what.files if file.suffix == ".py")
    files = dict.fromkeys((*what.files, *(path for file in code for path in imported_from_folder(file))))
    return content_hash(b"".join(content_hash(path.read_bytes()).encode() for path in files))
