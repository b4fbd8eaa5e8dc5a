"""What a solver finds out about a condition, and what every solver can be asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from outplay.model.expressions.operations import Value
from outplay.model.expressions.term import Term


@dataclass(frozen=True)
class Satisfied:
    """The condition holds for these values; variables that do not matter may be missing."""

    values: Mapping[str, Value]


@dataclass(frozen=True)
class Unsatisfiable:
    """The condition holds for no values."""


@dataclass(frozen=True)
class Undecided:
    """The solver could not tell, and says why. Whoever asks keeps it as possible."""

    why: str


Finding: TypeAlias = Satisfied | Unsatisfiable | Undecided


class Solver(Protocol):
    """Decides conditions over variables; what is asserted stays until it is taken back."""

    def assume(self, condition: Term) -> None:
        """Assert a condition on top of those before."""

    def take_back(self) -> None:
        """Take the last assertion back."""

    def check(self, *more: Term) -> Finding:
        """Whether all that is asserted, and more, can hold at once."""

    def escapes(self, premise: Term, conclusion: Term, chosen: Sequence[Term]) -> Finding:
        """Values that meet a premise while no values of the chosen variables meet the conclusion.

        That there are none proves: wherever the premise holds, some values of the chosen variables will do.
        """
