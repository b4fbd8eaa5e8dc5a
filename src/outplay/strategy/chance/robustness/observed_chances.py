"""Probabilities as they were observed: for each choice of the system the answers that came, with intervals.

Answers are counted by the state and the label. Before anything is seen each counts as it does in the model, all answers
of a choice together as many times as there are answers (a Dirichlet prior, Laplace's rule where the model has equal
chances). So what the model says is possible stays possible, as Blass et al. 2005 (lemma 1) ask for. The intervals hold
all at once with the probability `sure` (each for itself by the quantiles of the beta distribution, the doubt divided
among them).

What cannot be learnt keeps the model's odds: choices of which no answer came; and where the tester can give an input,
how likely it is that an output or silence comes first, since what is seen depends on when the tester gave it. There
outputs are learnt among each other. What several edges of one label share is divided as in the model.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

import numpy as np

from outplay.game.algebra import exact_chances
from outplay.game.exact_numbers import exact_column_of
from outplay.game.graph import SYSTEM, Game
from outplay.game.roles import Role
from outplay.grouping import grouped
from outplay.model.label import DELTA, INPUT

SURE = 0.95
_UNIT = 1_000_000  # intervals are rounded outward to such parts
Counts = Mapping[tuple[int, str], int]
"""The number of times that each answer came: by the state (the number of its vertex) and the label."""


@dataclass(frozen=True)
class ObservedAnswer:
    """The edges of one label at a vertex, and what was learnt of their chance among the answers that can be learnt."""

    edges: tuple[int, ...]
    within: tuple[Fraction, ...]
    """The division of the chance of the label among its edges, by the model."""
    prior: Fraction
    """Its chance by the model."""
    seen: int
    least: Fraction
    middle: Fraction
    most: Fraction


@dataclass(frozen=True)
class ObservedRow:
    """A choice of the system of which answers were seen."""

    vertex: int
    mass: Fraction
    """The chance of all that can be learnt here together, which is that of the model."""
    answers: tuple[ObservedAnswer, ...]

    def worst(self, ahead: Sequence[Fraction | float]) -> list[Fraction]:
        """The chances within the intervals for which the average of some numbers, one for each answer, is largest."""
        shares = [answer.least for answer in self.answers]
        left = 1 - sum(shares, Fraction(0))
        for place in sorted(range(len(shares)), key=ahead.__getitem__, reverse=True):
            more = min(left, self.answers[place].most - self.answers[place].least)
            shares[place] += more
            left -= more
        return shares

    @property
    def spread(self) -> Fraction:
        """By which share of itself a chance may be off, at most, within the intervals."""
        return max(max(a.most - a.middle, a.middle - a.least) / a.middle for a in self.answers)


@dataclass(frozen=True, eq=False)
class ObservedChances:
    """A game with what was seen of its system."""

    game: Game
    rows: tuple[ObservedRow, ...]
    seen: int
    """The number of answers that were counted, each once though several choices may learn from it."""
    choices: int
    """The number of choices of the system with several answers that could be learnt."""
    sure: float

    @property
    def middle(self) -> dict[int, list[Fraction]]:
        """The chances as they were seen."""
        return {row.vertex: [answer.middle for answer in row.answers] for row in self.rows}

    def with_chances(self, picked: Mapping[int, Sequence[Fraction]]) -> Game:
        """The game with other chances for the answers of each row."""
        column = self._given.copy()
        for row in self.rows:
            for answer, share in zip(row.answers, picked[row.vertex], strict=True):
                for edge, part in zip(answer.edges, answer.within, strict=True):
                    column[edge] = row.mass * share * part
        return replace(self.game, probability=exact_column_of(column))

    @cached_property
    def _given(self) -> list[Fraction | None]:
        """The chances of the model; those of the rows are exact, so that what is not learnt stays what it is."""
        column = [self.game.probability[edge] for edge in range(self.game.edge_count)]
        for row in self.rows:
            edges = self.game.edges_of(row.vertex)
            column[edges.start : edges.stop] = exact_chances(self.game, row.vertex)
        return column


def observed_chances(game: Game, counts: Counts, *, sure: float = SURE) -> ObservedChances:
    """Estimate the chances of a game's answers from those that came, with intervals.

    >>> from outplay import GameBuilder
    >>> builder = GameBuilder().vertex("s", "tester").vertex("c", "system").edge("s", "c", "?go")
    >>> game = builder.edge("c", "s", "!yes").edge("c", "s", "!no").build()
    >>> found = observed_chances(game, {(1, "!yes"): 7, (1, "!no"): 1})
    >>> [(float(one.middle), round(float(one.least), 2)) for one in found.rows[0].answers]
    [(0.8, 0.52), (0.2, 0.03)]
    """
    state, chosen = game.roles.state, game.roles.choice >= 0
    with_inputs = frozenset(state[np.flatnonzero(chosen)].tolist())  # where the tester can decide to give one
    every = (_learnable(game, vertex, with_inputs) for vertex in np.flatnonzero(game.owner == SYSTEM).tolist())
    learnable = [row for row in every if row is not None]
    keys = {row.vertex: [(int(state[row.vertex]), game.label_of(a.edges[0])) for a in row.answers] for row in learnable}
    seen = [row for row in learnable if any(counts.get(key) for key in keys[row.vertex])]
    intervals = sum(len(row.answers) - (len(row.answers) == 2) for row in seen)  # of two, one says both
    doubt = (1 - sure) / max(intervals, 1)
    rows = tuple(_learnt(row, [counts.get(key, 0) for key in keys[row.vertex]], doubt) for row in seen)
    total = sum(counts.get(key, 0) for key in {key for row in seen for key in keys[row.vertex]})
    return ObservedChances(game, rows, total, len(learnable), sure)


def _learnable(game: Game, vertex: int, with_inputs: frozenset[int]) -> ObservedRow | None:
    """The answers of a vertex that can be learnt, before any was seen; None where there are not several."""
    edges = [*zip(game.edges_of(vertex), exact_chances(game, vertex), strict=True)]
    if game.roles.role[vertex] != Role.STATE and int(game.roles.state[vertex]) in with_inputs:
        edges = [(edge, share) for edge, share in edges if game.label_of(edge) != DELTA]
    edges = [(edge, share) for edge, share in edges if not game.label_of(edge).startswith(INPUT) and share]
    by_label = grouped((game.label_of(edge), (edge, share)) for edge, share in edges)
    if len(by_label) < 2 or "" in by_label:  # what has no label is never seen
        return None
    mass, answers, nothing = sum((share for _, share in edges), Fraction(0)), [], Fraction(0)
    for alike in by_label.values():
        chance = sum((share for _, share in alike), Fraction(0))
        within = tuple(share / chance for _, share in alike)
        found = ObservedAnswer(tuple(edge for edge, _ in alike), within, chance / mass, 0, nothing, nothing, nothing)
        answers.append(found)
    return ObservedRow(vertex, mass, tuple(answers))


def _learnt(row: ObservedRow, seen: Sequence[int], doubt: float) -> ObservedRow:
    from scipy.special import betaincinv  # only here: it takes a while to load

    number, found = len(row.answers), []
    for answer, came in zip(row.answers, seen, strict=True):
        weight = answer.prior * number + came
        other = number + sum(seen) - weight
        middle = weight / (weight + other)
        low, high = (float(betaincinv(float(weight), float(other), part)) for part in (doubt / 2, 1 - doubt / 2))
        least = min(middle, Fraction(max(math.floor(low * _UNIT), 0), _UNIT) or middle / _UNIT)
        most = max(middle, Fraction(min(math.ceil(high * _UNIT), _UNIT), _UNIT))
        found.append(replace(answer, seen=came, least=least, middle=middle, most=most))
    return replace(row, answers=tuple(found))
