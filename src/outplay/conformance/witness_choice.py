"""Which witness to follow when a test for many states goes on: the one that loses the fewest pairs in the end.

Algorithm 5 of van den Bos 2020 takes the witness of a least common ancestor of the states that are left. Any label that
leads them to a set which was split before, followed by the witness of that set, does as well; so all those are looked
at, and the best by their first labels are followed to their ends with the states that are left. Lost are pairs of
incompatible states that come to an end as compatible ones, and those of which one lacks an input that is given.
"""

from __future__ import annotations

from outplay.conformance.experiment import Experiment
from outplay.conformance.splitting_graph import SplittingGraph
from outplay.conformance.state_sets import Bits

_FOLLOWED = 8  # witnesses that are followed to their ends
_STEPS = 2_000  # parts of a witness that are followed at most


class WitnessChoice:
    """Chooses witnesses from a complete splitting graph."""

    def __init__(self, graph: SplittingGraph) -> None:
        self.graph, self.states = graph, graph.states

    def best(self, bits: Bits) -> Experiment:
        """The witness that loses the fewest pairs of these states, and then the shortest; not all are compatible."""
        first = [(self._first_loss(bits, witness), place, witness) for place, witness in enumerate(self._known(bits))]
        near = [witness for _, _, witness in sorted(first, key=lambda one: one[:2])[:_FOLLOWED]]
        if len(near) == 1 or not first[0][0]:
            return near[0]  # nothing is lost by the ancestor's own
        return min(near, key=lambda witness: (self._lost(bits, witness), witness.depth))

    def _known(self, bits: Bits) -> list[Experiment]:
        """The witnesses of least common ancestors, and of those of what each input leads to."""
        found = [self.graph.witness_of(number) for number in self.graph.ancestors(bits)]
        for label, (_, after) in self.states.steps(bits).items():
            if label < self.states.inputs:
                numbers = self.graph.ancestors(after)[:1]
                given = self.states.table.labels[label]
                found += [Experiment({given: self.graph.witness_of(number)}) for number in numbers]
        return found

    def _first_loss(self, bits: Bits, witness: Experiment) -> int:
        return sum(self.states.loss(bits, self.states.numbers[label]) for label in witness.moves)

    def _lost(self, bits: Bits, witness: Experiment) -> int:
        """How many pairs are lost on the way to the ends of a witness."""
        states = self.states
        lost: dict[int, Bits] = {}
        steps = 0
        stack = [(witness, {state: states.one[state] for state in states.members(bits)})]
        while stack and steps < _STEPS:
            steps += 1
            part, at = stack.pop()
            if len(at) == 1 and not part.given:
                part = Experiment()  # whatever comes, they stay together
            if not part.moves:
                self._note_alike(at, lost)
                continue
            for label, after in part.moves.items():
                reached, missing = self._moved(at, states.numbers[label])
                if label.is_input and missing:
                    everyone = sum(at.values())
                    for state in states.members(missing):
                        lost[state] = lost.get(state, 0) | everyone & ~states.near[state]
                if reached:
                    stack.append((after, reached))
        return sum(others.bit_count() for others in lost.values())

    def _moved(self, at: dict[int, Bits], number: int) -> tuple[dict[int, Bits], Bits]:
        """Where a label leads, each state with those that began; and those that lack it."""
        reached: dict[int, Bits] = {}
        missing = 0
        for state, began in at.items():
            target = self.states.rows[state].get(number)
            if target is None:
                missing |= began
            else:
                reached[target] = reached.get(target, 0) | began
        return reached, missing

    def _note_alike(self, at: dict[int, Bits], lost: dict[int, Bits]) -> None:
        """Note the pairs of incompatible states that have become compatible ones."""
        states = self.states
        for state, began in at.items():
            together = 0
            for other, others in at.items():
                if states.bytes[state][other]:
                    together |= others
            for one in states.members(began):
                apart = together & ~states.near[one]
                if apart:
                    lost[one] = lost.get(one, 0) | apart
