"""The origin of a game: by which rules it was made, how much of it there is, and what its states mean.

Solvers ask an origin only how far exploring got and under which assumption; whoever plays or tells asks for the
specification, for the vertex of a state met while playing, and for a state in words.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from outplay.game.assumption import Assumption
from outplay.model.specification import Specification


class Meaning(Protocol):
    """The meaning of the states of a game."""

    @property
    def specification(self) -> Specification: ...

    def vertex(self, state: Any, after_silence: bool) -> int | None:
        """Return the vertex where the tester is in a state of the specification; None outside of the game."""

    def describe(self, state: int) -> str:
        """Write the state with a number in the game for people."""

    def quiet(self, state: int) -> bool:
        """Say whether silence is allowed in the state with a number in the game."""


GROUPED = "states are grouped (@group): this answer is of the grouped model; the model itself may do better or worse"


@dataclass(frozen=True, eq=False)
class Origin:
    """The origin of a game, and the meaning of its states."""

    meaning: Meaning
    assumption: Assumption
    states: int
    stopped: str | None = None
    """None when everything was explored, else what stopped it and what to do."""
    seconds: float = 0.0
    approximate: bool = False
    """One state stands for a group of them."""
    explored: bool = True
    """A transition is a state, a label and a target; in a game from elsewhere each edge is a transition of its own."""
    numbered: bool = False
    """States are named by mere numbers, so that `describe` says more than the name."""

    @property
    def cautions(self) -> tuple[str, ...]:
        """Return the cautions for readers of any answer about the game."""
        return (GROUPED,) if self.approximate else ()

    @property
    def complete(self) -> bool:
        return self.stopped is None

    @property
    def specification(self) -> Specification:
        """The specification of the system, in the states that plays of this game meet."""
        return self.meaning.specification

    def vertex(self, state: Any, after_silence: bool = False) -> int | None:
        """Return the vertex where the tester is when the model is in a state; None outside of the game."""
        return self.meaning.vertex(state, after_silence)

    def describe(self, state: int) -> str:
        """Write the state with this number for people."""
        return self.meaning.describe(state)
