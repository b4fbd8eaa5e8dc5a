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

from outplay.conformance.compatibility import Compatibility, compatible_states
from outplay.conformance.distinguishing.experiment import END, Experiment
from outplay.conformance.distinguishing.splitting_graph import SplittingGraph
from outplay.conformance.distinguishing.state_sets import Moved, States, StateSets
from outplay.conformance.distinguishing.witness_choice import WitnessChoice
from outplay.conformance.refined_states import refined_states
from outplay.conformance.transition_table import TransitionTable, table_of
from outplay.grouping import grouped
from outplay.model.label import Label

_LEAST_MEMBERS, _MEMBERS_A_STATE = 20_000, 20  # in all sets of a splitting graph, before it is left incomplete
_LARGE, _MOST_CLASSES = 6_000, 50_000_000  # states of which not all pairs are kept if it can be helped
_NONE: States = frozenset()


@dataclass(frozen=True, eq=False)
class Distinguishing:
    """A test for all states of a model, with the figures of Table 3.2 of van den Bos 2020."""

    graph: SplittingGraph
    experiment: Experiment
    parts: tuple[tuple[Experiment, States], ...]
    """The parts of the experiment but its end, each after those it goes on with, and the states it may meet."""

    @property
    def states(self) -> StateSets:
        return self.graph.states

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
        """The mean number of states that can have shown a trace to an end, over the traces."""
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
        for part, states in self.parts:
            each = share(part)
            found = dict.fromkeys(states, 0)
            for label, after in part.moves.items():
                for state, target in self._moved(states, label).items():
                    found[state] += each * (1 if after is END else values[id(after)][target])
            values[id(part)] = found
        start = values.get(id(self.experiment))
        return [1] * self.states.count if start is None else list(start.values())

    def _beside(self, *, at_end: bool) -> dict[int, States]:
        """For each state those with which it can come to an end, or else to an input that one of them lacks."""
        known: dict[int, dict[int, States]] = {}
        for part, states in self.parts:
            found = dict.fromkeys(states, _NONE)
            for label, after in part.moves.items():
                moved = self._moved(states, label)
                if after is not END:
                    _carry_back(moved, known[id(after)], found)
                elif at_end:
                    together = frozenset(moved)
                    for state in moved:
                        found[state] |= together
                if label.is_input and not at_end and len(moved) < len(states):
                    lacking = states.difference(moved)
                    for state in states:
                        found[state] |= states if state in lacking else lacking
            known[id(part)] = found
        start = known.get(id(self.experiment))
        return dict.fromkeys(self.states.all, self.states.all) if start is None else start

    def _moved(self, states: States, label: Label) -> Moved:
        return self.states.moved(states, self.states.numbers[label])

    def _pairs(self, beside: dict[int, States]) -> list[tuple[int, int]]:
        """Pairs of incompatible states, each once with the smaller state first."""
        found = ((state, beside[state] - self.states.near(state)) for state in sorted(beside))
        return [(state, other) for state, others in found for other in sorted(others) if other > state]


def _carry_back(moved: Moved, after: dict[int, States], found: dict[int, States]) -> None:
    """Add for each state those that a label leads to what is beside its target."""
    sources = grouped((target, state) for state, target in moved.items())
    for state, target in moved.items():
        if after[target]:
            found[state] |= frozenset(one for other in after[target] for one in sources[other])


def distinguishing(model: Any) -> Distinguishing:
    """Find the adaptive test that distinguishes the states of a model as well as one test can (Algorithms 3 to 5).

    >>> from outplay.model.automaton import automaton
    >>> lamps = automaton([("a", "!x", "b"), ("b", "!x", "c"), ("c", "!y", "a")])
    >>> found = distinguishing(lamps)
    >>> str(found.experiment), found.undistinguished
    ('x.(x.0 + y.0) + y.0', [])
    """
    graph = model if isinstance(model, SplittingGraph) else _affordable(model)
    made = _Composition(graph)
    return Distinguishing(graph, made.experiment, tuple(made.parts))


def _affordable(model: Any) -> SplittingGraph:
    """The splitting graph of a model, left incomplete where it would grow far beyond the model."""
    found = model if isinstance(model, Compatibility) else _compared(model)
    return SplittingGraph(found, members=_LEAST_MEMBERS + _MEMBERS_A_STATE * found.table.state_count)


def _compared(model: Any) -> Compatibility:
    """The compatible states of a model; those of large ones by refinement, where that can be."""
    table = model if isinstance(model, TransitionTable) else table_of(model)
    refined = refined_states(table, most=_MOST_CLASSES) if table.state_count > _LARGE else None
    return compatible_states(table) if refined is None else refined


class _Composition:
    """Algorithm 5, without recursion. Parts for the same states and the same rest of a witness are shared."""

    def __init__(self, graph: SplittingGraph) -> None:
        self.states, self.choice = graph.states, WitnessChoice(graph)
        self.chosen: dict[States, Experiment] = {}
        self.known: dict[tuple[States, int], Experiment] = {}
        self.parts: list[tuple[Experiment, States]] = []
        self.experiment = self.compose()

    def compose(self) -> Experiment:
        start = (self.states.all, END)
        stack = [(start, self.following(*start))] if self.made(*start) is None else []
        while stack:
            (states, rest), following = stack[-1]
            missing = [one for one in following.values() if self.made(*one) is None]
            if missing:
                stack += [(one, self.following(*one)) for one in missing]
            else:
                stack.pop()
                self.make(states, rest, following)
        return self.made(*start) or END

    def made(self, states: States, rest: Experiment) -> Experiment | None:
        """The part for some states and the rest of a witness, if it is there."""
        found = self.known.get((states, id(rest)))
        if found is None and self.states.compatible(states):
            found = self.known[states, id(rest)] = END
        return found

    def make(self, states: States, rest: Experiment, following: dict[Label, tuple[States, Experiment]]) -> None:
        if (states, id(rest)) not in self.known:
            moves = {label: self.known[after, id(left)] for label, (after, left) in following.items()}
            part = self.known[states, id(rest)] = Experiment(moves)
            self.parts.append((part, states))

    def following(self, states: States, rest: Experiment) -> dict[Label, tuple[States, Experiment]]:
        """For each label that can be seen: the states it leads to, and how the witness goes on."""
        witness = rest if rest.moves else self.witness(states)
        return {
            label: (frozenset(moved.values()), witness.moves[label])
            for label, moved in self.states.seen(states, witness)
        }

    def witness(self, states: States) -> Experiment:
        """The witness for the states that are left, chosen once."""
        if states not in self.chosen:
            self.chosen[states] = self.choice.best(states)
        return self.chosen[states]
