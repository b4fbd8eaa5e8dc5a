"""The choice of a witness when a test for many states goes on: the one that loses the fewest pairs in the end.

Algorithm 5 of van den Bos 2020 takes the witness of a least common ancestor of the states that are left. Any label that
leads them to a set which was split before, followed by the witness of that set, does as well; so all those are looked
at, and the best by their first labels are followed to their ends with the states that are left. Lost are pairs of
incompatible states that come to an end as compatible ones, and those of which one lacks an input that is given.

Where the splitting graph was left incomplete, the tests for pairs (experiment.py) are looked at in its place.
"""

from __future__ import annotations

import itertools
from typing import TypeAlias

from outplay.conformance.distinguishing.experiment import Experiment, Identification
from outplay.conformance.distinguishing.splitting_graph import SplittingGraph
from outplay.conformance.distinguishing.state_sets import States

_At: TypeAlias = dict[int, list[int]]  # where the system may be, with the states it may have begun in
_Lost: TypeAlias = dict[int, set[int]]  # for each state those that it can no more be told apart from
_FOLLOWED = 8  # witnesses that are followed to their ends
_COMPARED = 60  # states of which pairs are looked for, where the splitting graph has none
_STEPS = 2_000  # parts of a witness that are followed at most


class WitnessChoice:
    """Chooses witnesses from a splitting graph."""

    def __init__(self, graph: SplittingGraph) -> None:
        self.graph, self.states, self.pairs = graph, graph.states, Identification(graph.states.found)

    def best(self, states: States) -> Experiment:
        """The witness that loses the fewest pairs of these states, and then the shortest; not all are compatible."""
        known = [self.graph.witness_of(number) for number in self.graph.ancestors(states)] or self._for_pairs(states)
        if not self._first_loss(states, known[0]):
            return known[0]
        known += self._after_inputs(states)
        apart = self.states.apart(states)
        first = [(self._first_loss(states, one, apart), place, one) for place, one in enumerate(known)]
        best, chosen = None, known[0]
        for loss, _, witness in sorted(first, key=lambda one: one[:2])[:_FOLLOWED]:
            if best is not None and loss > best[0]:
                break  # what its first label loses stays lost
            cost = self._lost(states, witness), witness.depth
            if best is None or cost < best:
                best, chosen = cost, witness
        return chosen

    def _after_inputs(self, states: States) -> list[Experiment]:
        """Each input followed by the witness of what it leads to."""
        found = []
        for label, moved in self.states.steps(states).items():
            if label < self.states.inputs:
                numbers = self.graph.ancestors(frozenset(moved.values()))[:1]
                given = self.states.table.labels[label]
                found += [Experiment({given: self.graph.witness_of(number)}) for number in numbers]
        return found

    def _for_pairs(self, states: States) -> list[Experiment]:
        """For each first move that tells a pair of these states apart: the test of one with the least rank."""
        found, best = self.states.found, dict[int, tuple[int, tuple[int, int]]]()
        for one, other in itertools.combinations(sorted(states)[:_COMPARED], 2):
            if other not in self.states.near(one):
                ranked = found.rank_between(one, other), (one, other)
                move = found.move_between(one, other)
                best[move] = min(best.get(move, ranked), ranked)
        return [self.pairs.pair(*pair) for _, pair in best.values()]

    def _first_loss(self, states: States, witness: Experiment, apart: int | None = None) -> int:
        """Count the pairs that its first label loses; of several outputs take the one that loses most, for pairs share
        them.
        """
        numbers = self.states.numbers
        return max(
            self.states.loss(states, numbers[label], moved, apart) for label, moved in self.states.seen(states, witness)
        )

    def _lost(self, states: States, witness: Experiment) -> int:
        """Count the pairs that are lost on the way to the ends of a witness."""
        lost: _Lost = {}
        steps = 0
        stack: list[tuple[Experiment, _At]] = [(witness, {state: [state] for state in states})]
        while stack and steps < _STEPS:
            steps += 1
            part, at = stack.pop()
            if len(at) == 1 and not part.given:
                part = Experiment()  # whatever comes, they stay together
            if not part.moves:
                self._note_alike(at, lost)
                continue
            for label, after in part.moves.items():
                reached, missing = self._moved(at, self.states.numbers[label])
                if label.is_input and missing:
                    everyone = frozenset(state for began in at.values() for state in began)
                    self._note(missing, everyone, lost)
                if reached:
                    stack.append((after, reached))
        return sum(other > one or one not in lost.get(other, ()) for one in lost for other in lost[one])

    def _moved(self, at: _At, number: int) -> tuple[_At, list[int]]:
        """Return the targets of a label, each state with those that began; and those that lack it."""
        reached: _At = {}
        missing: list[int] = []
        column = self.states.by_label[number]
        for state, began in at.items():
            if state not in column:
                missing += began
            else:
                reached.setdefault(column[state], []).extend(began)
        return reached, missing

    def _note_alike(self, at: _At, lost: _Lost) -> None:
        """Note the pairs of incompatible states that have become compatible ones."""
        for state, began in at.items():
            near = self.states.near(state) & at.keys()
            if len(near) > 1 or len(began) > 1:
                self._note(began, frozenset(one for other in near for one in at[other]), lost)

    def _note(self, ones: list[int], others: States, lost: _Lost) -> None:
        """Note which of these pairs are incompatible."""
        for one in ones:
            apart = others - self.states.near(one)
            if apart:
                lost.setdefault(one, set()).update(apart)
