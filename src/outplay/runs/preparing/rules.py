"""Rules of the game beside the model: a test purpose to fulfil, and a reset in the middle of a play."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from outplay.errors import GameError, UsageError
from outplay.formats.registry import read_model
from outplay.game.goals.product import with_purpose
from outplay.game.graph import Game
from outplay.game.reset import ResettableSpecification, with_reset
from outplay.game.tables import fraction
from outplay.model.purpose import AutomatonPurpose, PurposeSpecification
from outplay.model.specification import Specification
from outplay.runs.job import Job


@dataclass(frozen=True)
class Rules:
    """The rules added to the game of a model; nothing by default."""

    purpose: AutomatonPurpose | None = None
    reset_cost: Fraction | None = None

    @property
    def goals(self) -> tuple[str, ...]:
        """Return the goals where nothing else is named."""
        return () if self.purpose is None else (self.purpose.name,)

    def game(self, game: Game) -> Game:
        """Change a game."""
        if self.reset_cost is not None:
            game = with_reset(game, cost=self.reset_cost)
        return game if self.purpose is None else with_purpose(game, self.purpose)

    def specification(self, spec: Specification) -> Specification:
        """Change a specification in the same way."""
        if self.reset_cost is not None:
            spec = ResettableSpecification(spec)
        return spec if self.purpose is None else PurposeSpecification(spec, self.purpose)


def rules_of(job: Job) -> Rules:
    """The rules a job asks for."""
    if job.final and job.purpose is None:
        raise UsageError("--final names the final states of a test purpose; give its file with --purpose")
    purpose = None if job.purpose is None else _purpose(Path(job.purpose), job.final)
    return Rules(purpose, None if job.reset_cost is None else _cost(job.reset_cost))


def _purpose(path: Path, final: tuple[str, ...]) -> AutomatonPurpose:
    found = read_model(path)
    automaton = getattr(found, "automaton", None)
    if automaton is None:
        raise UsageError(f"{path}: a game is no test purpose; give an automaton with final states")
    return AutomatonPurpose(automaton, final, name=path.stem)


def _cost(text: str) -> Fraction:
    try:
        cost = fraction(text)
    except GameError as error:
        raise UsageError(f"--reset-cost {text}: {error}") from None
    if cost < 0:
        raise UsageError(f"--reset-cost {text}: a cost is at least 0")
    return cost
