"""Telling two states apart, and each state from all others.

Definitions (van den Bos 2020, 2.27 and 2.31): a distinguishing graph for two incompatible states is an experiment after
whose every trace at most one of them is left. There is one where they are incompatible, and none otherwise (Lemma
2.29). A state identifier of q has one for each state incompatible with q; identifiers are harmonized when q and q' use
the same graph for each other, as they do here. An output that comes before an input was given means: try again.
"""

from __future__ import annotations

from outplay.conformance._kernels import WAIT
from outplay.conformance.compatibility import Compatibility
from outplay.conformance.telling_apart.experiment import END, Experiment
from outplay.errors import UsageError
from outplay.model.label import Label

_Pair = tuple[int, int]


class Identification:
    """Distinguishing graphs for the pairs of states of a behaviour, made as they are asked for; parts are shared.

    >>> from outplay.conformance.compatibility import compatible_states
    >>> from outplay.model.automaton import automaton
    >>> found = Identification(compatible_states(automaton([("p", "?a", "q"), ("q", "?a", "r"), ("r", "!x", "r")])))
    >>> str(found.pair(0, 1))
    'a.(x.0 + delta.0)'
    """

    def __init__(self, found: Compatibility) -> None:
        self.found, self.table = found, found.table
        self._made: dict[int, Experiment] = {}

    def pair(self, p: int, q: int) -> Experiment:
        """The distinguishing graph for two incompatible states; no other takes fewer moves."""
        if self.found.compatible(p, q):
            names = f"{self.table.names[p]} and {self.table.names[q]}"
            raise UsageError(
                f"{names} are compatible: some implementation is both, so no test is sure to tell them apart"
            )
        needed: dict[int, _Pair] = {self.found.number(p, q): (p, q)}
        queue = list(needed)
        for number in queue:  # grows on the way
            for after in self._following(*needed[number]).values():
                if after is not None and (reached := self.found.number(*after)) not in needed:
                    needed[reached] = after
                    queue.append(reached)
        for number in sorted(needed, key=lambda number: int(self.found.rank[number])):
            if number not in self._made:
                self._made[number] = self._make(*needed[number])
        return self._made[self.found.number(p, q)]

    def identifier(self, state: int) -> dict[int, Experiment]:
        """The state identifier: for each state incompatible with this one the graph that tells them apart."""
        others = (other for other in range(self.table.state_count) if not self.found.compatible(state, other))
        return {other: self.pair(state, other) for other in others}

    def _following(self, p: int, q: int) -> dict[Label, _Pair | None]:
        """How the pair goes on by its move; None where one of the two is ruled out."""
        move = int(self.found.move[self.found.number(p, q)])
        one, other = self.table.rows[p], self.table.rows[q]
        if move != WAIT:
            return {self.table.labels[move]: (one[move], other[move])}
        shown = [label for label in sorted({**one, **other}) if label >= self.table.inputs]
        both = {label: label in one and label in other for label in shown}
        return {self.table.labels[x]: (one[x], other[x]) if both[x] else None for x in shown}

    def _make(self, p: int, q: int) -> Experiment:
        following = self._following(p, q).items()
        return Experiment(
            {label: END if after is None else self._made[self.found.number(*after)] for label, after in following}
        )
