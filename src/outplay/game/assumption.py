"""Test assumptions: who moves when tester and system both want to.

The origin of a game: by which rules it was made, how much of it there is, and what its states mean. Solvers ask an
origin only how far exploring got and under which assumption; whoever plays or tells asks for the specification, for the
vertex of a state met while playing, and for a state in words.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any, Protocol

from outplay.errors import named
from outplay.model.specification import SilenceRule, Specification


class Assumption(Enum):
    """The rule for when tester and system both want to move."""

    INPUT_EAGER = "input-eager"
    """The tester: an input is always taken."""
    OUTPUT_EAGER = "output-eager"
    """The system, unless it is silent."""
    NONDETERMINISTIC = "nondeterministic"
    """Nobody knows."""
    INPUT_FAIR = "input-fair"
    """The system, but not for ever: who wins is as under input-eager (van den Bos 2020, Theorem 5.16),
    move counts are no bound."""
    TIMEOUT = "timeout"
    """Wait where an output is enabled; a time-out makes the state active where an input is then possible (Blass,
    Gurevich, Nachmanson and Veanes 2005)."""
    TIMEOUT_ALWAYS = "timeout-always"
    """The same with time-outs everywhere, also where they lead to a dead end."""

    @property
    def waits_for_timeout(self) -> bool:
        return self in (Assumption.TIMEOUT, Assumption.TIMEOUT_ALWAYS)

    @property
    def silence(self) -> SilenceRule:
        """Return where model programs allow silence: one that waits for time-outs allows the silences of its game."""
        waits = {Assumption.TIMEOUT: SilenceRule.BEFORE_INPUTS, Assumption.TIMEOUT_ALWAYS: SilenceRule.ALWAYS}
        return waits.get(self, SilenceRule.MODEL)


def named_assumption(assumption: Assumption | str) -> Assumption:
    """Find the test assumption of a name."""
    if isinstance(assumption, Assumption):
        return assumption
    return named(assumption, {known.value: known for known in Assumption}, "test assumption")


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

TIMELESS = (
    "time is left out: what is not due yet permits silence, and a tester that waits again after silence waits until "
    "something is due"
)


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
    timeless: bool = False
    """The model has timers, and the game has none."""
    numbered: bool = False
    """States are named by mere numbers, so that `describe` says more than the name."""
    helped: int = 0
    """The number of states that other processes expanded."""

    @property
    def cautions(self) -> tuple[str, ...]:
        """Return the cautions for readers of any answer about the game."""
        return (*[GROUPED] * self.approximate, *[TIMELESS] * self.timeless)

    @property
    def scope(self) -> str:
        """Return the words to put before an answer that is of the grouped model; no words where it is of the model."""
        return "of the grouped model: " if self.approximate else ""

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
