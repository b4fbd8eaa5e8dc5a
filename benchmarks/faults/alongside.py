"""Many mutants of a machine beside one play: where each question has one answer.

A wrong machine is played like the right one until its fault shows, since a tester sees no difference before. So one
play of the right machine tells how many labels each mutant takes. Mutants in step with the model are followed only
where they are wrong, and those that were led astray until they are back in step, or found.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from random import Random

from benchmarks.faults.mutants import Mutant
from benchmarks.faults.playing import World
from benchmarks.faults.systems import System


class Along:
    """Mutants beside plays of the right machine: in step with the model, or astray, or found."""

    def __init__(self, system: System, mutants: Sequence[Mutant]) -> None:
        self._mutants = mutants
        self._wrong = [_place_of(system, mutant) for mutant in mutants]
        self._in_step: dict[int, set[int]] = defaultdict(set)
        """By the state in which they are wrong."""
        for number, place in enumerate(self._wrong):
            self._in_step[place].add(number)
        self._astray: dict[int, int] = {}
        self._inputs, self._begun = system.table.inputs, False
        self.labels = 0
        self.found: list[int | None] = [None] * len(mutants)
        """After how many labels each was found."""

    def begin(self) -> None:
        """A play begins; but for the first one that is a label."""
        self.labels += self._begun
        self._begun = True
        for number in self._astray:
            self._in_step[self._wrong[number]].add(number)
        self._astray.clear()

    def saw(self, at: int, label: int, after: int) -> None:
        """The right machine went on."""
        self.labels += 1
        for number, there in [*((number, at) for number in self._in_step[at]), *self._astray.items()]:
            self._in_step[self._wrong[number]].discard(number)
            self._astray.pop(number, None)
            rows = self._mutants[number].rows
            if label < self._inputs:
                there = rows.given(there).get(label, there)
            else:
                ((said, there),) = rows.shown(there)
                if said != label:
                    self.found[number] = self.labels
                    continue
            if there == after:
                self._in_step[self._wrong[number]].add(number)
            else:
                self._astray[number] = there

    def listen(self, silence: int) -> None:
        """Whoever hears, where the right machine is silent, that a mutant is not, finds it with the next label."""
        for number, there in list(self._astray.items()):
            ((said, _),) = self._mutants[number].rows.shown(there)
            if said != silence:
                self.found[number] = self.labels + 1
                del self._astray[number]


class WorldAlong(World):
    """The right machine for a tester, with mutants beside it."""

    def __init__(self, system: System, along: Along, rng: Random) -> None:
        super().__init__(system, system.right, rng)
        self._along = along
        along.begin()

    @property
    def speaks(self) -> bool:
        if spoken := super().speaks:
            return spoken
        self._along.listen(self._delta)
        return False

    def reset(self) -> None:
        super().reset()
        self._along.begin()

    def give(self, label: int) -> int | None:
        return self.take(label)  # machines answer nothing before they are asked

    def take(self, label: int) -> int:
        return self._beside(self.at, super().take(label))

    def wait(self) -> int | None:
        return self._beside(self.at, super().wait())

    def _beside(self, at: int, seen: int | None) -> int:
        assert seen is not None, "the right system does what the model allows"
        self._along.saw(at, seen, self.at)
        return seen


def _place_of(system: System, mutant: Mutant) -> int:
    """The state in which a mutant is not as the model."""
    right, wrong = system.right, mutant.rows
    differ = (
        state
        for state in range(system.table.state_count)
        if right.given(state) != wrong.given(state) or right.shown(state) != wrong.shown(state)
    )
    return next(differ)
