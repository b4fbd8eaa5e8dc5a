"""Unfoldings of some tests only: those that are candidates, and all that can be put together from them.

Kapus-Kolar 2007, 6.3 and 7.5: where the unfolding of a machine is too large, only tests that were selected before are
unfolded, advisably some that a simpler method makes. Each is unfolded as it is, so nothing is underestimated, and that
is safe whatever the rules of a strategy are; a better test may be missed. Where two of them come to the same vertex,
the tour may go on with either, since all that is said of past and future is the same there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import takewhile

from outplay.errors import UsageError
from outplay.predicates.predicate_system import AnnotatedStep, PredicateSystem, annotated_tour
from outplay.predicates.strategies.input_words import InputWords
from outplay.predicates.system_model import MachineStep, SystemModel
from outplay.predicates.unfolding.sheaf_graph import MOST_RUNS, SheafEdge, SheafGraph
from outplay.strategy.deadline import NEVER, Deadline

_Run = tuple[MachineStep, ...]


def among_candidates(
    model: SystemModel, system: PredicateSystem, tests: Iterable[Sequence[str]], *, until: Deadline = NEVER
) -> SheafGraph:
    """The unfoldings of some tests, each a sequence of inputs that surely leads back to the root.

    Those are left out that there is no time for.

    >>> from outplay.model.machine import Machine
    >>> from outplay.predicates.strategies.recognition import forward_recognition
    >>> from outplay.predicates.system_model import system_model
    >>> steps = (0, "press", "on", 1), (1, "press", "off", 0), (0, "wait", "dark", 0), (1, "wait", "light", 1)
    >>> lamp = system_model(Machine(("off", "on"), steps))
    >>> graph = among_candidates(lamp, forward_recognition(lamp), [["press", "press"], ["wait"]])
    >>> [edge.inputs for edge in graph.edges]
    [('press',), ('press',), ('wait',)]
    """
    timely = takewhile(lambda inputs: not until.passed, tests)
    edges = dict.fromkeys(edge for inputs in timely for edge in _unfolded(model, system, inputs))
    vertices = dict.fromkeys(end for edge in edges for end in (edge.source, edge.target))
    return SheafGraph(model, system, tuple(vertices), tuple(edges), rounded=True)


def _unfolded(model: SystemModel, system: PredicateSystem, inputs: Sequence[str]) -> Iterator[SheafEdge]:
    """dunf of one test."""
    runs = _runs(model, inputs)
    states = [annotated_tour(system, run, model.root) for run in runs]
    for place in range(len(inputs)):
        paired = zip(states, runs, strict=True)
        steps = {AnnotatedStep(of[place], run[place], of[place + 1]) for of, run in paired}
        ends = frozenset(one.before for one in steps), frozenset(one.after for one in steps)
        yield SheafEdge(*ends, frozenset((one,) for one in steps))


def _runs(model: SystemModel, inputs: Sequence[str]) -> list[_Run]:
    """All runs of some inputs; refused where they are no test."""
    runs: list[_Run] = [()]
    for given in inputs:
        longer = []
        for run in runs:
            steps = model.answers.get((run[-1].target if run else model.root, given), [])
            if not steps:
                raise UsageError(f"{' '.join(inputs)} is no test: {given} may be refused, or is not safe")
            longer += [(*run, step) for step in steps]
        runs = longer
        if len(runs) > MOST_RUNS:
            raise UsageError(f"{' '.join(inputs)} has more than {MOST_RUNS:,} runs; take shorter tests")
    if any(run and run[-1].target != model.root for run in runs):
        raise UsageError(f"{' '.join(inputs)} is no test: it may not lead back to {model.names[model.root]}")
    return runs


def classical_candidates(model: SystemModel) -> Iterator[tuple[str, ...]]:
    """For each input that can safely be given somewhere: the way there, the input, words that tell, the way back."""
    words = InputWords(model)
    for here, given, there in words.steps:
        for word in words.telling(there):
            after = words.after(there, word)
            if after is not None and after in words.back:
                yield (*words.there[here], given, *word, *words.back[after])
