"""Whether a system chooses its answers as often as the model says.

Weights of a model say how likely each output is beside the others of its state. How often each came is held against
that by an exact binomial test on both sides. The doubt of one in a thousand is shared out among all tests of a run
(Bonferroni), so that of a thousand runs against systems that choose as the model says about one is told otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from outplay.campaign.watching.comparison import FAR_OFF, at_most
from outplay.model.label import SILENCE
from outplay.plurals import counted
from outplay.strategy.words import digits
from outplay.tester.known_behaviour import KnownBehaviour

FEWEST = 5  # answers of a state; fewer can hardly tell


@dataclass(frozen=True)
class AnswerOdds:
    """How often an output came, of all outputs of its state, and how likely it is by the model."""

    state: str
    label: str
    came: int
    answers: int
    chance: float

    @property
    def by_chance(self) -> float:
        """The probability to be so far off or further, on either side."""
        below, above = at_most(self.came, self.answers, self.chance), self.answers - self.came
        return min(1.0, 2 * min(below, at_most(above, self.answers, 1.0 - self.chance)))

    def __str__(self) -> str:
        often = f"{self.came:,} of {counted(self.answers, 'time')}"
        return f"{self.label} at {self.state} came {often}, with a chance of {digits(self.chance)} by the model"

    def json(self) -> dict[str, object]:
        told = {"state": self.state, "label": self.label, "came": self.came, "answers": self.answers}
        return {**told, "chance": self.chance, "by_chance": self.by_chance}


def odd_answers(known: KnownBehaviour, seen: Sequence[int]) -> list[AnswerOdds]:
    """The outputs that came too often or too seldom, the strangest first; `seen` counts transitions of the table."""
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
