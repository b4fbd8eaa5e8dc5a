"""Turn what a user names into models, games and systems."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from outplay.cli.progress import exploring
from outplay.errors import FormatError, UsageError
from outplay.formats.game_json import read_game
from outplay.game.arena import Assumption
from outplay.game.explore import Limits, explore, named_assumption
from outplay.game.graph import Game
from outplay.game.specification import GameSpecification
from outplay.model.load import is_program_reference, load_program
from outplay.model.program import Program
from outplay.model.specification import ProgramSpecification, Specification
from outplay.play.process import Process
from outplay.play.simulated import Badness, Simulated
from outplay.play.system import System


@dataclass(frozen=True)
class Named:
    """A model as the user named it: a program or a game file."""

    reference: str
    model: Program | Game

    def specification(self, assumption: str) -> Specification:
        """What the model allows, stepped as it is needed."""
        if isinstance(self.model, Game):
            return GameSpecification(self.model, self.reference)
        return ProgramSpecification(self.model, patient=named_assumption(assumption).waits_for_timeout)

    def game(self, assumption: str, limits: Limits) -> Game:
        """The model as a game, explored if need be."""
        if isinstance(self.model, Game):
            return self.model
        with exploring() as progress:
            return explore(self.model, assumption=assumption, limits=limits, progress=progress)


def load(reference: str, settings: Sequence[str] = ()) -> Named:
    """Load `file.py:Class`, `module:Class` or a game `.json`."""
    path = Path(reference)
    if path.suffix == ".json":
        if settings:
            raise UsageError("--set sets constants of model programs; a game file has none")
        return Named(reference, read_game(path))
    if is_program_reference(reference):
        return Named(reference, load_program(reference, settings))
    if path.exists():
        raise FormatError(f"{reference}: unknown kind of file; give a game .json or a model program file.py:Class")
    raise FormatError(f"{reference}: no such model; give file.py:Class, module:Class or a game .json")


def system(
    reference: str,
    *,
    seed: int,
    settings: Sequence[str] = (),
    assumption: str = Assumption.NONDETERMINISTIC.value,
    ready: str | None = None,
    reset_message: str | None = None,
    adverse: Badness | None = None,
) -> System:
    """Make the system under test: `exec:COMMAND LINE` or `model:FILE`."""
    kind, _, rest = reference.partition(":")
    if kind == "exec":
        if adverse:
            raise UsageError("--adverse is for simulated systems (model:…)")
        return Process(rest, ready=ready, reset_message=_reset(reset_message))
    if kind == "model":
        return Simulated(load(rest, settings).specification(assumption), Random(seed + 1), adverse=adverse)
    raise UsageError(f"--sut {reference}: write exec:COMMAND LINE for a program, or model:FILE for a simulation")


def _reset(given: str | None) -> tuple[str, str] | None:
    if given is None:
        return None
    message, equals, answer = given.partition("=")
    if not equals or not message or not answer:
        raise UsageError(f"--reset {given}: write MESSAGE=ANSWER, for instance RESET=OK")
    return message, answer
