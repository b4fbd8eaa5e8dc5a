"""Adaptive distinguishing graphs: one test that tells as many states apart as one test can.

Definition (van den Bos 2020, 3.21): an experiment after whose every trace the states that could have shown it are
compatible. Algorithm 5 puts it together from the witnesses of a splitting graph: follow one; where it is over and
incompatible states are left, go on with another one for what is left (witness_choice.py). Here it ends as soon as
nothing is left to find out.

If all splits were injective, all incompatible pairs are told apart (3.36). Otherwise some are not: two states may both
show a trace of it to its end, or one of them may not specify an input that is given.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from outplay.conformance.experiment import END, Experiment
from outplay.conformance.splitting_graph import SplittingGraph, splitting_graph
from outplay.conformance.state_sets import Bits, StateSets
from outplay.conformance.witness_choice import WitnessChoice


@dataclass(frozen=True, eq=False)
class Distinguishing:
    """A test for all states of a model, with the figures of Table 3.2 of van den Bos 2020."""

    graph: SplittingGraph
    experiment: Experiment
    parts: tuple[tuple[Experiment, Bits], ...]
    """The parts of the experiment but its end, each after those it goes on with, and the states it may meet."""

    @property
    def states(self) -> StateSets:
        return self.graph.states

    @property
    def depth(self) -> int:
        """The longest trace."""
        return self.experiment.depth

    @cached_property
    def undistinguished(self) -> list[tuple[int, int]]:
        """Pairs of incompatible states that can show the same trace of the test to its end."""
        return self._pairs(self._beside(at_end=True))

    @cached_property
    def left_out(self) -> list[tuple[int, int]]:
        """Further pairs of incompatible states: after the same trace an input is given that one does not specify."""
        known = set(self.undistinguished)
        return [pair for pair in self._pairs(self._beside(at_end=False)) if pair not in known]

    @cached_property
    def average_leaf(self) -> float:
        """How many states can have shown a trace to an end, on average over the traces."""
        traces = {id(END): 1}
        for part, _ in self.parts:
            traces[id(part)] = sum(traces[id(after)] for after in part.moves.values())
        return float(Fraction(sum(self._sums(lambda part: 1)), traces[id(self.experiment)]))

    @cached_property
    def weighted_leaf(self) -> float:
        """The same, each trace counted as often as it is likely where all outputs are equally so."""
        return float(sum(self._sums(lambda part: 1.0 if part.given else 1.0 / len(part.moves))))

    def _sums(self, share: Callable[[Experiment], Any]) -> list[Any]:
        """For each state the traces to an end that it can show, each with the product of the shares on its way."""
        values: dict[int, dict[int, Any]] = {}
        for part, bits in self.parts:
            each = share(part)
            found = dict.fromkeys(self.states.members(bits), 0)
            for label, after in part.moves.items():
                for state, target in self._moving(bits, label):
                    found[state] += each * (1 if after is END else values[id(after)][target])
            values[id(part)] = found
        start = values.get(id(self.experiment))
        return [1] * self.states.count if start is None else list(start.values())

    def _beside(self, *, at_end: bool) -> list[Bits]:
        """For each state those with which it can come to an end, or else to an input that one of them lacks."""
        known: dict[int, dict[int, Bits]] = {}
        for part, bits in self.parts:
            found = dict.fromkeys(self.states.members(bits), 0)
            for label, after in part.moves.items():
                moving = self._moving(bits, label)
                sources: dict[int, Bits] = {}
                for state, target in moving:
                    sources[target] = sources.get(target, 0) | self.states.one[state]
                for state, target in moving:
                    if after is not END:
                        for other in self.states.members(known[id(after)][target]):
                            found[state] |= sources[other]
                    elif at_end:
                        found[state] |= sum(sources.values())
                if label.is_input and not at_end:
                    lacking = bits & ~sum(sources.values())
                    for state in found:
                        found[state] |= bits if lacking >> state & 1 else lacking
            known[id(part)] = found
        start = known.get(id(self.experiment))
        return [self.states.all] * self.states.count if start is None else list(start.values())

    def _moving(self, bits: Bits, label: Any) -> list[tuple[int, int]]:
        number, rows = self.states.numbers[label], self.states.rows
        return [(state, rows[state][number]) for state in self.states.members(bits) if number in rows[state]]

    def _pairs(self, beside: list[Bits]) -> list[tuple[int, int]]:
        """Pairs of incompatible states, each once with the smaller state first."""
        states = self.states
        above = [bits & ~states.near[state] & -(states.one[state] << 1) for state, bits in enumerate(beside)]
        return [(state, other) for state, bits in enumerate(above) for other in states.members(bits)]


def distinguishing(model: Any) -> Distinguishing:
    """The test that tells the states of a model apart as well as one test can (Algorithms 3 to 5).

    >>> from outplay.model.automaton import automaton
    >>> lamps = automaton([("a", "!x", "b"), ("b", "!x", "c"), ("c", "!y", "a")])
    >>> found = distinguishing(lamps)
    >>> str(found.experiment), found.undistinguished
    ('x.(x.0 + y.0) + y.0', [])
    """
    graph = model if isinstance(model, SplittingGraph) else splitting_graph(model)
    made = _Composition(graph)
    return Distinguishing(graph, made.experiment, tuple(made.parts))


class _Composition:
    """Algorithm 5, without recursion. Parts for the same states and the same rest of a witness are shared."""

    def __init__(self, graph: SplittingGraph) -> None:
        self.states, self.choice = graph.states, WitnessChoice(graph)
        self.chosen: dict[Bits, Experiment] = {}
        self.known: dict[tuple[Bits, int], Experiment] = {}
        self.parts: list[tuple[Experiment, Bits]] = []
        self.experiment = self.compose()

    def compose(self) -> Experiment:
        stack = [(self.states.all, END)]
        while stack:
            bits, rest = stack[-1]
            following = self.following(bits, rest)
            missing = [one for one in following.values() if self.made(*one) is None]
            if missing:
                stack += missing
            else:
                stack.pop()
                self.make(bits, rest, following)
        done = self.made(self.states.all, END)
        assert done is not None
        return done

    def made(self, bits: Bits, rest: Experiment) -> Experiment | None:
        """The part for some states and the rest of a witness, if it is there."""
        return END if self.states.compatible(bits) else self.known.get((bits, id(rest)))

    def make(self, bits: Bits, rest: Experiment, following: dict[Any, tuple[Bits, Experiment]]) -> None:
        if self.made(bits, rest) is None:
            moves = {label: self.made(*one) or END for label, one in following.items()}
            part = self.known[bits, id(rest)] = Experiment(moves)
            self.parts.append((part, bits))

    def following(self, bits: Bits, rest: Experiment) -> dict[Any, tuple[Bits, Experiment]]:
        """For each label that can be seen: the states it leads to, and how the witness goes on."""
        if self.states.compatible(bits):
            return {}
        witness = rest if rest.moves else self.witness(bits)
        steps = {label: (self.states.after(bits, label), after) for label, after in witness.moves.items()}
        return {label: step for label, step in steps.items() if step[0]}

    def witness(self, bits: Bits) -> Experiment:
        """The witness for the states that are left, chosen once."""
        if bits not in self.chosen:
            self.chosen[bits] = self.choice.best(bits)
        return self.chosen[bits]
