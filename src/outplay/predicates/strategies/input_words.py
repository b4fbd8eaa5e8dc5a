"""Words of inputs for a machine made deterministic: the shortest ways to sets of states and back, and words that tell.

A set of states takes an input where all of its states do. The sets that inputs lead to from the root are found breadth
first; of machines without choices each has one state. Words tell a state from others by what they show.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Iterable, Mapping
from functools import cached_property, lru_cache
from itertools import product
from typing import TypeAlias, TypeVar

from outplay.groups import grouped
from outplay.predicates.system_model import SystemModel

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
        """A shortest way to each set, so many of them at most."""
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
        """Where a word leads; None where it may be refused."""
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
