"""The answer of a forecast: one entry for each goal."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from outplay.errors import UsageError, did_you_mean
from outplay.game.graph import Game, Vertices
from outplay.plurals import counted
from outplay.renderable import Tabled
from outplay.strategy.forecast.forecast_arrays import every_move_costs_one
from outplay.strategy.forecast.sentences import Listing
from outplay.strategy.number_format import format_digits, json_number


@dataclass(frozen=True)
class Forced:
    """One strategy reaches the goal whatever the system does: the cheapest, and the fewest moves at that cost."""

    moves: int | None
    """None where moves that count nothing can go round, so that no round of counting ends."""
    cost: Fraction | None
    """None, like the moves, under input-fair, which bounds neither."""


@dataclass(frozen=True)
class GoalValues:
    """The values of one goal; None where a number is infinite or unknown."""

    forced: Forced | None
    jokers: int | None
    probability: float | None
    expected_cost: float | Fraction | None
    """A fraction where no float comes near."""
    impossible: bool = False
    helps: tuple[int, ...] = ()
    """The edges the system has to take, in turn, on one way to the goal that needs as much help as any may."""


NEVER = GoalValues(None, None, 0.0, None, impossible=True)
UNKNOWN = GoalValues(None, None, None, None)


@dataclass(frozen=True)
class Entry(GoalValues):
    """The forecast of one goal: its values, and what they mean in words."""

    name: str = ""
    kind: str = ""
    why: str = ""
    about: str = ""
    """The values of a model program's variables, for its numbered states."""

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
        forced = self.forced and {"moves": self.forced.moves, "cost": json_number(self.forced.cost, exact=False)}
        return {
            "name": self.name,
            "kind": self.kind,
            "forced": forced,
            "jokers": self.jokers,
            "probability": self.probability,
            "expected_cost": json_number(self.expected_cost, exact=False),
            "impossible": self.impossible,
            "why": self.why,
            **({"about": self.about} if self.about else {}),
        }


@dataclass(frozen=True, eq=False)
class Forecast(Tabled):
    """The entries of all goals, the easiest first; `print(forecast)` tells them, of long lists both ends."""

    game: Game
    entries: tuple[Entry, ...]
    steps: int
    within: Vertices
    """The states play can be in at all: it never leaves them, which is why anything outside is impossible."""
    left_out: tuple[str, ...] = ()
    """Kinds of goals that were too many to be forecast unasked."""
    named: bool = False
    """Whether it is of goals that were named, and not of all of a kind."""

    @property
    def warnings(self) -> tuple[str, ...]:
        """Return the warnings about the forecast as a whole."""
        kinds, stopped = " and ".join(f"{kind}s" for kind in self.left_out), self.game.origin.stopped
        cut_short = f"{stopped}; what is forced stays so, the rest may be better than forecast" if stopped else ""
        left = f"{kinds} left out, as that may take long; ask for them by kind (--of)" if kinds else ""
        return tuple(filter(None, [*self.game.origin.cautions, cut_short, left]))

    @cached_property
    def counts_moves(self) -> bool:
        """Every move costs 1, so costs are moves."""
        return every_move_costs_one(self.game)

    def json(self) -> dict[str, Any]:
        """As the contract writes it, with the set that play never leaves where something is impossible."""
        answer: dict[str, Any] = {"targets": [entry.json() for entry in self.entries], "steps": self.steps}
        if self.game.origin.approximate:
            answer["approximate"] = True
        if any(entry.impossible for entry in self.entries):
            answer["blocking"] = [self.game.names[vertex] for vertex in self.within.tolist()]
        return answer

    def __getitem__(self, name: str) -> Entry:
        found = next((entry for entry in self.entries if entry.name == name), None)
        if found is None:
            known = (entry.name for entry in self.entries)
            raise UsageError(f"there is no forecast of {name!r}; {did_you_mean(name, known)}")
        return found

    def lines(self, listing: Listing | None = None) -> list[str]:
        """Describe the forecast, as the terminal shows it."""
        return list((listing or Listing()).lines(self))

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def __repr__(self) -> str:
        return f"Forecast({counted(len(self.entries), 'target')})"


def _rounded(value: float | Fraction) -> float:
    """Six digits: what is closer together than a solver's bounds must not be put in an order."""
    return float(format_digits(value, 6))
