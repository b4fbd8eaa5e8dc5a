"""Random suspension automata, trace-based strategies, and the concurrent game of van den Bos 2020 from its text."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from functools import partial

from helpers.automata import random_automaton
from outplay.model.label import SILENCE, Label
from outplay.model.suspension import SuspensionAutomaton
from outplay.tester.tester import Decision, Give, Labels, Stop, Wait

INPUTS = (Label.parse("?a"), Label.parse("?b"))
OUTPUTS = (Label.parse("!x"), Label.parse("!y"))

deterministic = partial(random_automaton, least=2, share=0.45, silence=0.3)


def strategy(spec: SuspensionAutomaton, seed: object, depth: int = 4) -> Callable[[Labels], Decision]:
    """A random finite trace-based strategy of the game arena: an enabled input, waiting, or to stop."""

    def decide(trace: Labels) -> Decision:
        rng = random.Random(f"{seed} {[label.text for label in trace]}")
        state = after(spec, trace)
        if len(trace) >= depth or rng.random() < 0.1 or state is None:
            return Stop()
        return rng.choice([Wait(), *map(Give, spec.inputs(state)), *map(Give, spec.inputs(state))])

    return decide


def after(spec: SuspensionAutomaton, trace: Labels) -> int | None:
    """A after ρ."""
    state: int | None = spec.initial[0]
    for label in trace:
        state = None if state is None else spec.moves(state).get(label)
    return state


def out(spec: SuspensionAutomaton, state: int) -> list[Label]:
    """All outputs of a state, silence among them."""
    return [label for label in spec.moves(state) if not label.is_input]


def executed(assumption: str, given: Label | None, shown: Label) -> list[Label]:
    """Definition 5.12: the labels that may be carried out when both have chosen; None stands for θ."""
    if given is None:
        return [shown]
    if assumption in ("input-eager", "input-fair"):
        return [given]
    if assumption == "output-eager":
        return [given] if shown == SILENCE else [shown]
    return [given] if shown == SILENCE else [given, shown]


def plays(
    spec: SuspensionAutomaton, decide: Callable[[Labels], Decision], assumption: str = "nondeterministic"
) -> Iterator[Labels]:
    """Definition 5.19: the traces of all prefixes of plays, cut off before the strategy stops."""
    stack: list[Labels] = [()]
    while stack:
        trace = stack.pop()
        yield trace
        decision, state = decide(trace), after(spec, trace)
        assert state is not None
        if not isinstance(decision, Stop):
            given = decision.label if isinstance(decision, Give) else None
            labels = {label for shown in out(spec, state) for label in executed(assumption, given, shown)}
            stack += [(*trace, label) for label in sorted(labels, key=str)]
