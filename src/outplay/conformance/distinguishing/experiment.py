"""Experiments: tests that find out in which state a system is, from whatever state it may be in.

Definition (van den Bos 2020, 3.12 and 3.13): an acyclic automaton in which each state gives one input, waits for
outputs, or is over. What a trace to an end shows are the states that could have shown it. Parts are shared, so an
experiment is a graph; `str` writes it as a term, as the thesis does: `x.(x.0 + y.a.0)` waits for x and then goes on.

Telling two states apart, and each state from all others. Definitions (van den Bos 2020, 2.27 and 2.31): a
distinguishing graph for two incompatible states is an experiment after whose every trace at most one of them is left.
There is one where they are incompatible, and none otherwise (Lemma 2.29). A state identifier of q has one for each
state incompatible with q; identifiers are harmonized when q and q' use the same graph for each other, as they do here.
An output that comes before an input was given means: try again.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from outplay.conformance._kernels import WAIT
from outplay.conformance.compatibility import Compatibility
from outplay.errors import UsageError
from outplay.model.label import Label
from outplay.plurals import counted


@dataclass(frozen=True, eq=False)
class Experiment:
    """An adaptive test: a move, and how to go on after each label: one input, or outputs (silence among them); the end
    has none.
    """

    moves: dict[Label, Experiment] = field(default_factory=dict)

    @property
    def given(self) -> Label | None:
        """The input that is given; None where the experiment waits or is over."""
        first = next(iter(self.moves), None)
        return first if first is not None and first.is_input else None

    @cached_property
    def depth(self) -> int:
        """The most labels it takes."""
        return max((1 + after.depth for after in self.moves.values()), default=0)

    def parts(self) -> Iterator[Experiment]:
        """All its different parts, itself included, each before those it goes on with."""
        seen, order, stack = {id(self)}, list[Experiment](), [(self, iter(self.moves.values()))]
        while stack:
            after = next(stack[-1][1], None)
            if after is None:
                order.append(stack.pop()[0])
            elif id(after) not in seen:
                seen.add(id(after))
                stack.append((after, iter(after.moves.values())))
        return reversed(order)

    def __str__(self) -> str:
        """The experiment as a term; directions are left out where no input and output share a name."""
        return _term(self)

    def __repr__(self) -> str:
        return f"Experiment({counted(sum(1 for _ in self.parts()), 'part')}, {counted(self.depth, 'label')} at most)"


END = Experiment()
"""The experiment that is over."""


def _term(part: Experiment) -> str:
    if not part.moves:
        return "0"
    terms = []
    for label, after in part.moves.items():
        rest = _term(after)
        name = label.message if label.is_input or label.is_output else label.text
        terms.append(f"{name}.{f'({rest})' if len(after.moves) > 1 else rest}")
    return " + ".join(terms)


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
        for number in sorted(needed, key=lambda number: self.found.rank_between(*needed[number])):
            if number not in self._made:
                self._made[number] = self._make(*needed[number])
        return self._made[self.found.number(p, q)]

    def identifier(self, state: int) -> dict[int, Experiment]:
        """The state identifier: for each state incompatible with this one the graph that tells them apart."""
        others = (other for other in range(self.table.state_count) if not self.found.compatible(state, other))
        return {other: self.pair(state, other) for other in others}

    def _following(self, p: int, q: int) -> dict[Label, _Pair | None]:
        """Return how the pair goes on by its move; None where one of the two is ruled out."""
        move = self.found.move_between(p, q)
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
