"""How likely answers are, as was learnt while playing: how often each came, and what that says with a prior.

Before anything is played each answer of a state counts as seen once (Laplace's rule of succession), so that what never
came is not taken for impossible. Told are states where several answers are possible and some came.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from outplay.conformance.transition_table import TransitionTable
from outplay.plurals import counted
from outplay.strategy.suspicion.races import RaceOdds
from outplay.strategy.suspicion.rows import Learnt

MOST_TOLD = 1_000  # states, to programs


@dataclass(frozen=True)
class LearntAnswer:
    """How often an answer came, and how likely it is to come next, estimated."""

    label: str
    seen: int
    chance: float

    def json(self) -> dict[str, Any]:
        return {"label": self.label, "seen": self.seen, "chance": round(self.chance, 4)}


@dataclass(frozen=True)
class LearntState:
    """What came in one state."""

    state: str
    answers: tuple[LearntAnswer, ...]

    @property
    def seen(self) -> int:
        """How many answers came."""
        return sum(answer.seen for answer in self.answers)

    def json(self) -> dict[str, Any]:
        return {"state": self.state, "seen": self.seen, "answers": [answer.json() for answer in self.answers]}


@dataclass(frozen=True)
class Races:
    """How often an output came first where an input was meant to be given."""

    forestalled: int
    inputs: int
    chance: float

    def __str__(self) -> str:
        tries = counted(self.inputs, "time")
        return f"an output came first {self.forestalled:,} of {tries} that an input could be forestalled"

    def json(self) -> dict[str, Any]:
        return {"forestalled": self.forestalled, "inputs": self.inputs, "chance": round(self.chance, 4)}


def learnt_states(table: TransitionTable, learnt: Learnt) -> list[LearntState]:
    """The states with several answers of which some came, the most played first."""
    rows = learnt.rows
    counts = np.concatenate([[0], np.cumsum(learnt.seen)])
    seen = counts[rows.first[1:]] - counts[rows.split]
    several = np.flatnonzero((rows.first[1:] - rows.split > 1) & (seen > 0))
    most = several[np.argsort(-seen[several], kind="stable")][:MOST_TOLD]
    return [_learnt(table, learnt, int(state)) for state in most]


def _learnt(table: TransitionTable, learnt: Learnt, state: int) -> LearntState:
    rows, edges = learnt.rows, range(int(learnt.rows.split[state]), int(learnt.rows.first[state + 1]))
    answers = [
        LearntAnswer(str(table.labels[rows.label[edge]]), int(learnt.seen[edge]), float(rows.chance[edge]))
        for edge in edges
    ]
    return LearntState(table.names[state], tuple(sorted(answers, key=lambda answer: -answer.seen)))


def learnt_races(odds: RaceOdds) -> Races | None:
    """How races went; None where nothing could be forestalled."""
    forestalled, inputs, chance = odds.counts
    return Races(forestalled, inputs, chance) if inputs else None
