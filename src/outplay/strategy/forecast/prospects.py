"""What a forecast answers: one prospect for each target."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from outplay.errors import UsageError, did_you_mean
from outplay.game.graph import Game, Vertices
from outplay.strategy.forecast.solver import Forced
from outplay.strategy.forecast.workspace import costs_are_moves


@dataclass(frozen=True)
class Prospect:
    """What is to be expected of one target; None where a number is infinite or unknown."""

    name: str
    kind: str
    forced: Forced | None
    jokers: int | None
    probability: float | None
    expected_cost: float | None
    impossible: bool
    why: str
    about: str = ""
    """The values of a model program's variables, for its numbered states."""
    helps: tuple[int, ...] = ()
    """The edges of the game the system has to take on one way that needs as much help as any may."""

    @property
    def hardness(self) -> tuple[Any, ...]:
        """Smaller is easier: forced by moves, then by help, luck and cost, then impossible; ties by name."""
        if self.forced:
            return (0, self.forced.moves or 0, self.forced.cost or 0, 0, 0, self.name)
        if self.jokers is None:
            return (2 if self.impossible else 1, 10**9, 0, 0, 0, self.name)
        dear = float("inf") if self.expected_cost is None else _rounded(self.expected_cost)
        return (1, self.jokers, 0, -_rounded(self.probability or 0.0), dear, self.name)

    def json(self) -> dict[str, Any]:
        """As the contract writes it."""
        forced = self.forced and {"moves": self.forced.moves, "cost": _number(self.forced.cost)}
        return {
            "name": self.name,
            "kind": self.kind,
            "forced": forced,
            "jokers": self.jokers,
            "probability": self.probability,
            "expected_cost": self.expected_cost,
            "impossible": self.impossible,
            "why": self.why,
            **({"about": self.about} if self.about else {}),
        }


@dataclass(frozen=True, eq=False)
class Forecast:
    """The prospects of all targets, the easiest first."""

    game: Game
    prospects: tuple[Prospect, ...]
    steps: int
    within: Vertices
    """The states play can be in at all: it never leaves them, which is why anything outside is impossible."""
    left_out: tuple[str, ...] = ()
    """Kinds of targets that were too many to be forecast unasked."""

    @cached_property
    def counts_moves(self) -> bool:
        """Every move costs 1, so costs are moves."""
        return costs_are_moves(self.game)

    def json(self) -> dict[str, Any]:
        """As the contract writes it, with the set that play never leaves where something is impossible."""
        answer = {"targets": [prospect.json() for prospect in self.prospects], "steps": self.steps}
        if any(prospect.impossible for prospect in self.prospects):
            answer["blocking"] = [self.game.names[vertex] for vertex in self.within.tolist()]
        return answer

    def __getitem__(self, name: str) -> Prospect:
        found = next((prospect for prospect in self.prospects if prospect.name == name), None)
        if found is None:
            known = (prospect.name for prospect in self.prospects)
            raise UsageError(f"there is no forecast of {name!r}; {did_you_mean(name, known)}")
        return found

    def __repr__(self) -> str:
        return f"Forecast({len(self.prospects):,} targets)"


def _rounded(value: float) -> float:
    """Six digits: what is closer together than a solver's bounds must not be put in an order."""
    return float(f"{value:.6g}")


def _number(value: Fraction | None) -> float | None:
    return None if value is None else float(value)
