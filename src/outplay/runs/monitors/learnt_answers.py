"""The probabilities of answers, learnt while playing: how often each came, and what that says with a prior.

Before anything is played each answer of a state counts as seen once (Laplace's rule of succession), so that what never
came is not taken for impossible. Told are states where several answers are possible and some came.

Whether a system chooses its answers as often as the model says. Weights of a model say how likely each output is beside
the others of its state. How often each came is held against that by an exact binomial test on both sides. The doubt of
one in a thousand is shared out among all tests of a run (Bonferroni), so that of a thousand runs against systems that
choose as the model says about one is told otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from outplay.conformance.transition_table import TransitionTable
from outplay.model.label import SILENCE
from outplay.plurals import counted
from outplay.runs.monitors.forecast_against_outcome import FAR_OFF, binomial_at_most
from outplay.strategy.number_format import format_digits
from outplay.strategy.suspicion.behaviour_table import Learnt
from outplay.strategy.suspicion.suspicion_plan import RaceOdds
from outplay.tester.known_behaviour import KnownBehaviour

MOST_TOLD = 1_000  # states, to programs


@dataclass(frozen=True)
class LearntAnswer:
    """The number of times that an answer came, and the estimated probability that it comes next."""

    label: str
    seen: int
    chance: float

    def json(self) -> dict[str, Any]:
        return {"label": self.label, "seen": self.seen, "chance": round(self.chance, 4)}


@dataclass(frozen=True)
class LearntState:
    """The answers that came in one state."""

    state: str
    answers: tuple[LearntAnswer, ...]

    @property
    def seen(self) -> int:
        """The number of answers that came."""
        return sum(answer.seen for answer in self.answers)

    def json(self) -> dict[str, Any]:
        return {"state": self.state, "seen": self.seen, "answers": [answer.json() for answer in self.answers]}


@dataclass(frozen=True)
class Races:
    """The races between an output and an input that was meant to be given."""

    forestalled: int
    inputs: int
    chance: float

    def __str__(self) -> str:
        tries = counted(self.inputs, "time")
        return f"an output came first {self.forestalled:,} of {tries} that an input could be forestalled"

    def json(self) -> dict[str, Any]:
        return {"forestalled": self.forestalled, "inputs": self.inputs, "chance": round(self.chance, 4)}


def learnt_states(table: TransitionTable, learnt: Learnt) -> list[LearntState]:
    """Return what was learnt of states with several answers of which some came, the most played first."""
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
    """Return what was learnt of races between inputs and outputs; None where nothing could be forestalled."""
    forestalled, inputs, chance = odds.counts
    return Races(forestalled, inputs, chance) if inputs else None


FEWEST = 5  # answers of a state; fewer can hardly tell


@dataclass(frozen=True)
class AnswerOdds:
    """The share of an output among all outputs of its state, and its probability by the model."""

    state: str
    label: str
    came: int
    answers: int
    chance: float

    @property
    def by_chance(self) -> float:
        """The probability to be so far off or further, on either side."""
        below, above = binomial_at_most(self.came, self.answers, self.chance), self.answers - self.came
        return min(1.0, 2 * min(below, binomial_at_most(above, self.answers, 1.0 - self.chance)))

    def __str__(self) -> str:
        often = f"{self.came:,} of {counted(self.answers, 'time')}"
        return f"{self.label} at {self.state} came {often}, with a chance of {format_digits(self.chance)} by the model"

    def json(self) -> dict[str, object]:
        told = {"state": self.state, "label": self.label, "came": self.came, "answers": self.answers}
        return {**told, "chance": self.chance, "by_chance": self.by_chance}


def odd_answers(known: KnownBehaviour, seen: Sequence[int]) -> list[AnswerOdds]:
    """Return the learnt answers that came too often or too seldom, the strangest first; `seen` counts transitions."""
    all_odds = [*_odds(known, seen)]
    odd = [one for one in all_odds if one.by_chance * len(all_odds) < FAR_OFF]
    return sorted(odd, key=lambda one: one.by_chance)


def _odds(known: KnownBehaviour, seen: Sequence[int]) -> Iterator[AnswerOdds]:
    table, spec = known.table, known.behaviour.spec
    for state in range(table.state_count):
        edges = range(int(table.first[state]), int(table.first[state + 1]))
        labels = {edge: table.labels[table.label[edge]] for edge in edges if table.label[edge] >= table.inputs}
        outputs = {edge: label for edge, label in labels.items() if label != SILENCE}
        answers = sum(int(seen[edge]) for edge in outputs)
        members = known.behaviour.members(state)
        if len(outputs) < 2 or answers < FEWEST or len(members) > 1:
            continue
        weights = {edge: float(spec.weight(members[0], label)) for edge, label in outputs.items()}
        if all(weight == 1.0 for weight in weights.values()):
            continue  # the model says nothing about chance
        total = sum(weights.values())
        for edge, label in outputs.items():
            yield AnswerOdds(table.names[state], str(label), int(seen[edge]), answers, weights[edge] / total)
