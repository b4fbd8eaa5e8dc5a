"""Make the system under test that a text names: `exec:…`, `tcp:…`, `python:…` or `model:…`."""

from __future__ import annotations

import shlex
import shutil
from dataclasses import replace
from pathlib import Path
from random import Random

from outplay.campaign.job import Job
from outplay.campaign.preparing.loaded_model import LoadedModel, load_model, refuse_redacted
from outplay.errors import SystemUnready, UsageError
from outplay.model.specification import Specification
from outplay.play.process import Process
from outplay.play.resetting import Resetting
from outplay.play.simulated import Simulated
from outplay.play.system import System
from outplay.play.tcp import Tcp
from outplay.strategy.opponent import Opponent

TAKEN: dict[str, tuple[str, ...]] = {
    "exec": ("ready", "reset"),
    "tcp": ("ready", "reset"),
    "python": ("isolated",),
    "model": (),
}
"""The kinds of systems, and the fields of a job that each of them takes and others do not."""


def untaken(job: Job, kind: str) -> list[str]:
    """What a job tells its system that one of this kind does not take."""
    others = dict.fromkeys(name for each in TAKEN.values() for name in each if name not in TAKEN.get(kind, each))
    return [name for name in others if getattr(job, name) != getattr(Job, name)]


def against(job: Job, system: str) -> Job:
    """A job that was written down, against another system: what that does not take is not asked of it.

    >>> against(Job("chat.py:Chat", sut="tcp:localhost:7000", ready="hello"), "model:chat.py:Chat").json()
    {'model': 'chat.py:Chat', 'sut': 'model:chat.py:Chat'}
    """
    left_out = {name: getattr(Job, name) for name in untaken(job, system.partition(":")[0])}
    return replace(job, sut=system, **left_out)


def system_of(job: Job, model: LoadedModel | None = None) -> System:
    """Make the system of a job, with a reset in the middle of a play where the rules have one.

    A simulation of the job's own model, where that is loaded already, is read as the model was.
    """
    refuse_redacted(job, "sut", "ready", "reset")
    made = _made(job, model)
    return made if model is None or model.reset_cost is None else Resetting(made)


def adverse_system(model: LoadedModel, played: Specification, opponent: Opponent) -> System:
    """A simulation of the model itself that does the worst it may; the opponent knows the states of what is played."""
    job = model.job
    if job.sut != f"model:{job.model}":
        raise UsageError(f"--adverse is for a simulation of the model itself: --sut model:{job.model}")
    made = Simulated(played, Random(job.seed + 1), adverse=opponent)
    return made if model.reset_cost is None else Resetting(made)


def _made(job: Job, model: LoadedModel | None) -> System:
    kind, _, rest = job.sut.partition(":")
    if kind == "exec":
        return _process(rest, job)
    if kind == "tcp":
        return Tcp.from_text(rest, ready=job.ready, reset_message=_reset(job.reset))
    if kind == "python":
        from outplay.play.isolated import Isolated  # with all of asyncio, which other systems do not need
        from outplay.play.python_object import load_object

        return Isolated(rest) if job.isolated else load_object(rest)
    if kind == "model" and rest:
        own = model is not None and rest == model.job.model
        simulated = model if model is not None and own else load_model(Job(rest, assumption=job.assumption))
        return Simulated(simulated.bare(), Random(job.seed + 1))
    named = f"--sut {job.sut}" if job.sut else "name the system under test with --sut"
    raise UsageError(
        f"{named}: write exec:COMMAND LINE for a program, tcp:HOST:PORT for a server, "
        "python:MODULE:CLASS for an object, or model:FILE for a simulation"
    )


def _process(line: str, job: Job) -> System:
    words = _words(line)
    why_not = _hindrance(words[0])
    if why_not:
        return _Unstartable(words, why_not)
    return Process(words, ready=job.ready, reset_message=_reset(job.reset))


class _Unstartable(Process):
    """A program that is not there or may not be run: said when it is to be started, so that the run ends in Error."""

    def __init__(self, words: list[str], why: str) -> None:
        super().__init__(words)
        self._why = f"cannot start {words[0]!r}: {why}"

    def reset(self) -> None:
        raise SystemUnready(self._why)


def _words(line: str) -> list[str]:
    try:
        words = shlex.split(line)
    except ValueError as error:
        raise UsageError(f"--sut exec:{line}: {error}; mend the quotes") from None
    if not words:
        raise UsageError("--sut exec: names no command; write exec:./server --option")
    return words


def _hindrance(program: str) -> str | None:
    """Say why a program cannot be started, as far as that shows beforehand."""
    if shutil.which(program):
        return None
    if Path(program).is_dir():
        return "it is a folder; name a program"
    if Path(program).is_file():
        if "/" not in program:
            return f"it is not on the path; write exec:./{program}"
        return "it is not executable; chmod +x it, or put what runs it in front: exec:python3 …"
    return "no such program; check the name, or give its path"


def _reset(given: str | None) -> tuple[str, str] | None:
    if given is None:
        return None
    message, equals, answer = given.partition("=")
    if not equals or not message or not answer:
        raise UsageError(f"--reset {given}: write MESSAGE=ANSWER, for instance RESET=OK")
    return message, answer
