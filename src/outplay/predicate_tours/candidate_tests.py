"""Candidate tests where the unfolding is too large: words of inputs, and the unfolding of those alone.

Words of inputs for a machine made deterministic: the shortest ways to sets of states and back, and words that tell. A
set of states takes an input where all of its states do. The sets that inputs lead to from the root are found breadth
first; of machines without choices each has one state. Words tell a state from others by what they show.

Unfoldings of some tests only: those that are candidates, and all that can be put together from them. Kapus-Kolar 2007,
6.3 and 7.5: where the unfolding of a machine is too large, only tests that were selected before are unfolded, advisably
some that a simpler method makes. Each is unfolded as it is, so nothing is underestimated, and that is safe whatever the
rules of a strategy are; a better test may be missed. Where two of them come to the same vertex, the tour may go on with
either, since all that is said of past and future is the same there.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import product, takewhile
from typing import TypeAlias, TypeVar

from outplay.cancellation import NEVER, Deadline
from outplay.errors import UsageError
from outplay.grouping import grouped
from outplay.predicate_tours.predicate_system import AnnotatedStep, PredicateSystem, annotated_tour
from outplay.predicate_tours.sheaf_graph import MOST_RUNS, SheafEdge, SheafGraph
from outplay.predicate_tours.system_model import MachineStep, SystemModel

States: TypeAlias = frozenset[int]
Word: TypeAlias = tuple[str, ...]
Place = TypeVar("Place", bound=Hashable)

MOST_SETS = 2_000
_TRIED = 2  # inputs of words where the system has choices


class InputWords:
    """The words of a model."""

    def __init__(self, model: SystemModel) -> None:
        self.model = model
        self.there: dict[States, Word] = {frozenset([model.root]): ()}
        """A shortest way to each set, this many of them at most."""
        self.steps: list[tuple[States, str, States]] = []
        self.after_one = lru_cache(maxsize=None)(self._after_one)
        queue = deque(self.there)
        while queue:
            here = queue.popleft()
            for given in self._inputs(here):
                target = self.after_one(here, given)
                if target is None:
                    continue
                if target not in self.there and len(self.there) < MOST_SETS:
                    self.there[target] = (*self.there[here], given)
                    queue.append(target)
                if target in self.there:
                    self.steps.append((here, given, target))

    @cached_property
    def back(self) -> dict[States, Word]:
        """A shortest way to the root from each set that has one."""
        before = grouped((target, (source, given)) for source, given, target in self.steps)
        return _led_on({frozenset([self.model.root]): ()}, before)

    def after(self, here: States, word: Word) -> States | None:
        """Return the target of a word; None where it may be refused."""
        for given in word:
            there = self.after_one(here, given)
            if there is None:
                return None
            here = there
        return here

    def telling(self, here: States) -> list[Word]:
        """The empty word, and words that tell a state from others, or where it is not known all short ones."""
        if len(here) > 1 or not self.model.deterministic:
            inputs = sorted({step.given for step in self.model.steps})
            return [word for length in range(_TRIED + 1) for word in product(inputs, repeat=length)]
        (state,) = here
        return list(dict.fromkeys([(), *(word for (one, _), word in self._pairs.items() if one == state)]))

    @cached_property
    def _pairs(self) -> dict[tuple[int, int], Word]:
        """For pairs of states a shortest word that the first takes and the second answers otherwise."""
        model, told = self.model, dict[tuple[int, int], Word]()
        own = {key: steps[0] for key, steps in model.answers.items()}
        other = {(step.source, step.given): step for step in model.machine_steps}
        before: dict[tuple[int, int], list[tuple[tuple[int, int], str]]] = {}
        for (one, given), step in own.items():
            for two in model.states:
                beside = other.get((two, given))
                if beside is None or beside.shown != step.shown:
                    told.setdefault((one, two), (given,))
                else:
                    before.setdefault((step.target, beside.target), []).append(((one, two), given))
        return _led_on(told, before)

    def _inputs(self, here: States) -> list[str]:
        return list(dict.fromkeys(step.given for state in sorted(here) for step in self.model.steps_from[state]))

    def _after_one(self, here: States, given: str) -> States | None:
        found = set[int]()
        for state in here:
            steps = self.model.answers.get((state, given))
            if not steps:
                return None
            found.update(step.target for step in steps)
        return frozenset(found)


def _led_on(words: dict[Place, Word], before: Mapping[Place, Iterable[tuple[Place, str]]]) -> dict[Place, Word]:
    """Words from some places, and shortest ones from all that inputs lead to one of these from."""
    found = dict(words)
    queue = deque(found)
    while queue:
        here = queue.popleft()
        for source, given in before.get(here, ()):
            if source not in found:
                found[source] = (given, *found[here])
                queue.append(source)
    return found


_Run = tuple[MachineStep, ...]


def unfold_candidates(
    model: SystemModel, system: PredicateSystem, tests: Iterable[Sequence[str]], *, until: Deadline = NEVER
) -> SheafGraph:
    """Unfold some candidate tests, each a sequence of inputs that surely leads back to the root.

    Those are left out that there is no time for.

    >>> from outplay.model.machine import Machine
    >>> from outplay.predicate_tours.recognition import forward_recognition
    >>> from outplay.predicate_tours.system_model import system_model
    >>> steps = (0, "press", "on", 1), (1, "press", "off", 0), (0, "wait", "dark", 0), (1, "wait", "light", 1)
    >>> lamp = system_model(Machine(("off", "on"), steps))
    >>> graph = unfold_candidates(lamp, forward_recognition(lamp), [["press", "press"], ["wait"]])
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
    """Yield classical candidate tests: for each input the way there, the input, identifying words, the way back."""
    words = InputWords(model)
    for here, given, there in words.steps:
        for word in words.telling(there):
            after = words.after(there, word)
            if after is not None and after in words.back:
                yield (*words.there[here], given, *word, *words.back[after])
