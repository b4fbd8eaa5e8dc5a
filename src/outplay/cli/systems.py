"""Turn what a user names as the system under test into one."""

from __future__ import annotations

import shlex
import shutil
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any

from outplay.cli.models import Named, load
from outplay.errors import SystemUnready, UsageError
from outplay.model.specification import Specification
from outplay.play.process import Process
from outplay.play.python_object import load_object
from outplay.play.resetting import Resetting
from outplay.play.runner import Timing
from outplay.play.simulated import Badness, Simulated
from outplay.play.system import System
from outplay.play.tcp import Tcp

_DEFAULT = Timing()


@dataclass(frozen=True)
class Contact:
    """How to deal with the system under test: which it is, where chance starts from, and how long to wait."""

    sut: str
    seed: int
    silence: float | None
    latency: float | None
    ready: str | None
    reset_message: str | None

    @property
    def timing(self) -> Timing:
        """The times to go by."""
        return Timing(
            _DEFAULT.silence if self.silence is None else self.silence,
            _DEFAULT.latency if self.latency is None else self.latency,
        )

    def as_recorded(self, used: dict[str, Any]) -> Contact:
        """The same with whatever was not given taken from the options of a recorded run."""
        return replace(
            self,
            silence=used.get("silence") if self.silence is None else self.silence,
            # A synchronous system records 0; another one may need more.
            latency=used.get("latency") or None if self.latency is None else self.latency,
            ready=used.get("ready") if self.ready is None else self.ready,
            reset_message=used.get("reset") if self.reset_message is None else self.reset_message,
        )

    def system(
        self, model: Named, assumption: str, played: Specification | None = None, adverse: Badness | None = None
    ) -> System:
        """Make the system, with a reset in the middle of a play where the rules have one.

        `adverse` judges states of the specification that is `played`, so only that one can be simulated so.
        """
        made = self._made(model, assumption, played, adverse)
        return made if model.rules.reset_cost is None else Resetting(made)

    def _made(self, model: Named, assumption: str, played: Specification | None, adverse: Badness | None) -> System:
        """Make the system itself; a simulation of the model is read as the model was."""
        kind, _, rest = self.sut.partition(":")
        if adverse and self.sut != f"model:{model.reference}":
            raise UsageError(f"--adverse is for a simulation of the model itself: --sut model:{model.reference}")
        if adverse and played:
            return Simulated(played, Random(self.seed + 1), adverse=adverse)
        if kind == "exec":
            return self._process(rest)
        if kind == "tcp":
            return Tcp.from_text(rest, ready=self.ready, reset_message=_reset(self.reset_message))
        if kind == "python":
            return load_object(rest)
        if kind == "model":
            simulated = load(rest) if rest != model.reference else model
            return Simulated(simulated.bare(assumption), Random(self.seed + 1))
        raise UsageError(
            f"--sut {self.sut}: write exec:COMMAND LINE for a program, tcp:HOST:PORT for a server, "
            "python:MODULE:CLASS for an object, or model:FILE for a simulation"
        )

    def _process(self, line: str) -> System:
        words = _words(line)
        why_not = _hindrance(words[0])
        if why_not:
            return _Unstartable(words, why_not)
        return Process(words, ready=self.ready, reset_message=_reset(self.reset_message))


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
