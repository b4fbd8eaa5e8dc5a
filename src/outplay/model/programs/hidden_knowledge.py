"""The knowledge of a tester about a program with hidden steps: how likely each output is, and waiting until due.

Chance: in a state its outputs, its hidden steps and, where it is allowed, silence are drawn by their weights, again and
again until something is seen: a Markov chain, whose probabilities of what is seen first are the weights of the outputs
(Kemeny and Snell 1960, chapter 3). It begins in the states that hidden steps of no other one lead to, each alike; that
is exact where there is one.

Time is left out, but for two moves. A tester that waits for silence learns what is quiet, as everywhere, where what is
not due yet permits silence. One that waits again, after silence, waits until something is due: then every state in
which something had to happen was left by a hidden step, or an output came.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from outplay.model.label import SILENCE, Label
from outplay.model.programs.hidden_steps import InterleavedSpecification, Situation
from outplay.model.specification import Specification
from outplay.model.wrapping import KnowledgeSpecification, Members

MOST_IN_CHAIN = 500  # situations of a chain; beyond, each of them is as likely
_LEAST = 1e-12  # of the weight of an output that is possible


class Rested(NamedTuple):
    """The knowledge of a tester after silence, where something may be due later."""

    members: tuple[Any, ...]


class HiddenStepKnowledge(KnowledgeSpecification):
    """The knowledge one can have of a program with hidden steps; after silence: whether something may be due."""

    spec: InterleavedSpecification

    def __init__(self, spec: InterleavedSpecification) -> None:
        super().__init__(spec)
        self._shares: dict[Any, dict[Label, float]] = {}

    def inside(self, state: Any) -> tuple[Any, ...]:
        """Return the states that fit what was seen."""
        return state.members if isinstance(state, Rested) else super().inside(state)

    def quiet(self, state: Any) -> bool:
        return bool(self.after(state, SILENCE))

    def after(self, state: Any, label: Label) -> list[Any]:
        if label != SILENCE or self.spec.timed is None:
            return super().after(state, label)
        known = self._until_due(state.members) if isinstance(state, Rested) else self.inside(state)
        return [Rested(rest) if self._pending(rest) else rest for rest in super().after(known, SILENCE)]

    def _until_due(self, members: tuple[Situation, ...]) -> Members:
        """Return those that may be left when something was due in each, and no output came."""
        must = self.spec.timed and self.spec.timed.must_happen
        found: list[Situation] = []
        for one in members:
            if must and must(one):
                found += [after for _, target in self.spec.hidden(one) for after in self.spec.closed(target)]
            else:
                found.append(one)
        return self.ordered(found)

    def _pending(self, members: tuple[Any, ...]) -> bool:
        timed = self.spec.timed
        return timed is not None and any(map(timed.must_happen, members))

    def describe(self, state: Any) -> str:
        return super().describe(state) + " (after silence, something is due later)" * isinstance(state, Rested)

    def key(self, state: Any) -> str:
        return super().key(state) + " rested" * isinstance(state, Rested)

    def weight(self, state: Any, label: Label) -> float:
        if not label.is_output:
            return 1.0
        shares = self._shares.get(state)
        if shares is None:
            shares = self._shares[state] = self._first_seen(self.inside(state))
        return shares.get(label) or super().weight(state, label)

    def _first_seen(self, members: tuple[Situation, ...]) -> dict[Label, float]:
        """The weight of each output to be the first that is seen, beside silence, which weighs 1."""
        spec = self.spec
        known = {one: number for number, one in enumerate(members)}
        hidden = [[(label, known.get(to)) for label, to in spec.hidden(one) if label is not None] for one in members]
        if not any(hidden) or len(members) > MOST_IN_CHAIN:
            return {}
        labels: dict[Label, int] = {}
        for one in members:
            for output in spec.outputs(one):
                labels.setdefault(output, len(labels))
        leads, shown = np.zeros((len(members), len(members))), np.zeros((len(members), len(labels) + 1))
        for number, one in enumerate(members):
            for output in spec.outputs(one):
                shown[number, labels[output]] = spec.weight(one, output)
            shown[number, -1] = spec.quiet(one)
            for step, target in hidden[number]:
                leads[number, number if target is None else target] += spec.weight(one, step)
        total = leads.sum(axis=1) + shown.sum(axis=1)
        total[total == 0] = 1.0
        chain = np.eye(len(members)) - leads / total[:, None]
        first = np.linalg.lstsq(chain, shown / total[:, None], rcond=None)[0][self._begins(members)].mean(axis=0)
        silent = first[-1] if first[-1] > _LEAST else 1.0 / max(shown[:, :-1].sum(axis=1).mean(), _LEAST)
        return {label: max(round(float(first[at] / silent), 12), _LEAST) for label, at in labels.items()}

    def _begins(self, members: tuple[Situation, ...]) -> list[int]:
        """The numbers of those to which hidden steps lead from none but those that they lead to."""
        reached = [set(self.spec.closed(one)) for one in members]
        return [
            number
            for number, one in enumerate(members)
            if all(members[other] in reached[number] for other in range(len(members)) if one in reached[other])
        ]


def knowledge_of_tester(spec: Specification) -> KnowledgeSpecification:
    """Return a specification as a tester can know it: one with hidden steps as its sets of possible states."""
    if isinstance(spec, InterleavedSpecification):
        return HiddenStepKnowledge(spec)
    return KnowledgeSpecification(spec)
