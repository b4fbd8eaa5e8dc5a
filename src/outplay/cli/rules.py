"""Rules of the game beside the model: a test purpose to fulfil, and a reset in the middle of a play."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any, TypeVar, cast

import click

from outplay.errors import GameError, UsageError
from outplay.formats.registry import read_model
from outplay.game.graph import Game
from outplay.game.purpose import with_purpose
from outplay.game.reset import ResettableSpecification, with_reset
from outplay.game.tables import fraction
from outplay.model.automaton import Automaton
from outplay.model.machine import Machine
from outplay.model.purpose import AutomatonPurpose, PurposeSpecification
from outplay.model.specification import Specification

Command = TypeVar("Command", bound=Callable[..., Any])


@dataclass(frozen=True)
class Rules:
    """What is added to the game of a model; nothing by default."""

    purpose_file: str | None = None
    final: tuple[str, ...] = ()
    reset_cost: Fraction | None = None

    @functools.cached_property
    def purpose(self) -> AutomatonPurpose | None:
        """The test purpose, read from its file."""
        if self.purpose_file is None:
            return None
        found = read_model(Path(self.purpose_file))
        automaton = found.automaton if isinstance(found, Machine) else found
        if not isinstance(automaton, Automaton):
            raise UsageError(f"{self.purpose_file}: a game is no test purpose; give an automaton with final states")
        return AutomatonPurpose(automaton, self.final, name=Path(self.purpose_file).stem)

    @property
    def goals(self) -> tuple[str, ...]:
        """What is to be reached where nothing else is named."""
        return () if self.purpose is None else (self.purpose.name,)

    def game(self, game: Game, goals: tuple[str, ...] = ()) -> Game:
        """Change a game; `goals` are vertices of it that shall keep their names."""
        if self.reset_cost is not None:
            game = with_reset(game, cost=self.reset_cost)
        if self.purpose is None:
            return game
        kept = [name for name in goals if name in game.vertex_numbers]
        return with_purpose(game, self.purpose, goals=kept)

    def specification(self, spec: Specification) -> Specification:
        """Change a specification in the same way."""
        if self.reset_cost is not None:
            spec = ResettableSpecification(spec)
        return spec if self.purpose is None else PurposeSpecification(spec, self.purpose)

    @property
    def record(self) -> dict[str, Any]:
        """The rules for the header of a trace, where there are any."""
        cost = None if self.reset_cost is None else str(self.reset_cost)
        kept = {"purpose": self.purpose_file, "final": list(self.final) or None, "reset_cost": cost}
        return {name: value for name, value in kept.items() if value is not None}


NO_RULES = Rules()


def recorded_rules(options: Mapping[str, Any]) -> Rules:
    """The rules a trace was recorded with."""
    cost = options.get("reset_cost")
    return Rules(options.get("purpose"), tuple(options.get("final") or ()), None if cost is None else fraction(cost))


def _cost(text: str) -> Fraction:
    try:
        cost = fraction(text)
    except GameError as error:
        raise UsageError(f"--reset-cost {text}: {error}") from None
    if cost < 0:
        raise UsageError(f"--reset-cost {text}: a cost is at least 0")
    return cost


def rules(command: Command) -> Command:
    """Add the options for the rules; the model the command gets as `named` has them."""

    @functools.wraps(command)
    def ruled(
        *args: Any, named: Any, purpose: str | None, final: tuple[str, ...], reset_cost: str | None, **others: Any
    ) -> Any:
        if final and purpose is None:
            raise UsageError("--final names the final states of a test purpose; give its file with --purpose")
        cost = None if reset_cost is None else _cost(reset_cost)
        return command(*args, named=replace(named, rules=Rules(purpose, final, cost)), **others)

    wrapped: Any = ruled
    for option in (
        click.option(
            "--reset-cost",
            metavar="COST",
            help="Let the tester reset the system in the middle of a play, at this cost.",
        ),
        click.option(
            "--final",
            multiple=True,
            metavar="STATE",
            help="A final state of the purpose [default: those called accept, final or goal, else without moves].",
        ),
        click.option(
            "--purpose",
            metavar="FILE",
            help="A test purpose: an automaton that follows the play; its final states are the goal, named like it.",
        ),
    ):
        wrapped = option(wrapped)
    return cast(Command, wrapped)
