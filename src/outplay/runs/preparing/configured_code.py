"""Code and systems that only a file names: they run where the user ran them before, names or trusts them now.

Traces, suites, jobs and configuration files name a model and a system. A model program is code, and whoever sends such
a file may send the code with it, so nothing in the file can prove that it is harmless. A file may have a model program
run only if the user ran it before with the same content (remembered_code.py), or trusts the folder of a configuration.
A system that a trace, a suite or a job names is not started or contacted at all; one that a trusted configuration names
is remembered by its text, the folder it is started in, and the content of the files that the text names, of Python code
with what it imports from its folder, which is found in its text without running it.
"""

from __future__ import annotations

import ast
import shlex
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Any

from outplay.errors import FormatError, UsageError
from outplay.model.programs.load import program_file
from outplay.play.adapters.adapters import ADAPTERS, SERVER, SERVER_LOG, START
from outplay.runs.configuration import FILE, TABLE, Configuration, Settings
from outplay.runs.job import Job
from outplay.runs.preparing.loaded_model import load_model
from outplay.runs.preparing.remembered_code import content_hash, is_remembered_code, known_hash, remember_code

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


def trust_configured_code(configuration: Configuration) -> tuple[Trusted, ...]:
    """Trust the model programs and systems that a configuration names, in all profiles; each program is loaded once."""
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
            remember_code({_key(configuration, what): _content(what)})
            found[what] = None
    return tuple(found)


def admitted_settings(configuration: Configuration, used: Settings, named: Settings) -> Settings:
    """Return the settings that are used, or refuse code that is neither trusted nor named by the user."""
    if configuration.path is None:
        return used
    job, where = Job(**used), configuration.path
    if "model" not in named and job.is_code:
        file = program_file(job.model)
        if file and not is_remembered_code(file):
            raise _untrusted(configuration, f"the model program {job.model}", is_remembered_code(file) is not None)
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


def with_remembered_model(job: Job, where: str | Path, add: str, *, advice: str = "") -> Job:
    """Return a job whose model only the file `where` names; of a program, nothing runs but what is remembered.

    A program that is not remembered is refused; `add` is what to add then, or else the `advice` says what to do.
    """
    if not job.is_code:
        return job
    found = program_file(job.model)
    if found or not job.model.rpartition(":")[0].endswith(".py"):  # else nothing is there; loading says so
        known = is_remembered_code(found) if found else None
        if not known:
            why = "is not there" if not found else "you have never run" if known is None else "has changed since"
            raise UsageError(
                f"{where} names the model program {job.model}, which is code and {why}; "
                f"if you trust it {advice or f'add {add}, or --trust'}"
            )
    return replace(job, remembered_only=True)


def refuse_unnamed_server(job: Job, asked: Collection[str], where: str | Path) -> Job:
    """Leave out a server that only the file `where` names, or refuse to start one that the system needs.

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


def imported_from_folder(program: Path) -> tuple[Path, ...]:
    """Return the files that a configured program imports from its folder, and that these import from there.

    What is imported by a name that is only made while the program runs is not found.
    """
    folder = program.resolve().parent
    found = dict[Path, None]()
    left = [program.resolve()]
    while left:
        path = left.pop()
        for parts, package in _imports(path, folder):
            new = [one for one in _module_files(parts, package) if one not in found]
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


def _module_files(parts: list[str], folder: Path) -> Iterator[Path]:
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
