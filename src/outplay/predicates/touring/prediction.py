"""What to expect of a sheaf of runs: what the one that happens will cost, and what it will show.

Definition (Kapus-Kolar 2007, 7.2): a cost prediction is a value between the least and the greatest cost of the runs, a
witnessing prediction a set between what all of them show and what any of them shows. By default both expect the worst,
which is right whatever the system does. `MEAN` weighs runs by their probability: the mean cost, and what is shown
with at least the probability `sure_from`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from math import prod
from typing import TypeAlias

from outplay.predicates.system_model import MachineStep, SystemModel
from outplay.predicates.unfolding.sheaf_graph import Run

Vector: TypeAlias = tuple[Fraction, ...]


class Expecting(Enum):
    """Which of the runs to reckon with."""

    WORST = "worst"
    BEST = "best"
    MEAN = "mean"


@dataclass(frozen=True)
class Prediction:
    """How costs and evidence of a sheaf are predicted."""

    cost: Expecting = Expecting.WORST
    evidence: Expecting = Expecting.WORST
    probability: Callable[[MachineStep], Fraction] | None = None
    """How likely a step is where its input is given; all answers alike unless this is said."""
    sure_from: Fraction = Fraction(1, 2)
    """With which probability evidence is reckoned with, where it is expected."""

    def cost_of(self, model: SystemModel, runs: Collection[Run]) -> Vector:
        """The cost that is predicted for a sheaf."""
        costs = {run: _cost(run) for run in runs}
        if self.cost is Expecting.WORST:
            return max(costs.values())
        if self.cost is Expecting.BEST:
            return min(costs.values())
        weights = self._weights(model, runs)
        means = zip(*([weights[run] * part for part in cost] for run, cost in costs.items()), strict=True)
        return tuple(sum(column, Fraction(0)) for column in means)

    def shown(self, model: SystemModel, runs: Collection[Run], shows: Iterable[bool]) -> bool:
        """Whether something is predicted to be shown, from whether each of the runs shows it."""
        if self.evidence is Expecting.WORST:
            return all(shows)
        if self.evidence is Expecting.BEST:
            return any(shows)
        weights = self._weights(model, runs)
        weights_shown = (weights[run] for run, shown in zip(runs, shows, strict=True) if shown)
        return sum(weights_shown, Fraction(0)) >= self.sure_from

    def _weights(self, model: SystemModel, runs: Collection[Run]) -> dict[Run, Fraction]:
        """How likely each run is; they sum to 1, or all are 0 where none of them can happen."""
        given = self.probability or (lambda step: Fraction(1, len(model.answers[step.source, step.given])))
        found = {run: prod((given(part.step) for part in run), start=Fraction(1)) for run in runs}
        total = sum(found.values(), Fraction(0))
        return {run: weight / total if total else weight for run, weight in found.items()}


def vector_words(vector: Vector) -> str:
    """A cost as it is told: its parts in order."""
    return " ".join(map(str, vector))


def _cost(run: Run) -> Vector:
    return tuple(Fraction(sum(parts)) for parts in zip(*(part.step.cost for part in run), strict=True))
