"""How the tester plays for coverage: it remembers what it visited, what is on offer, and how the system answered.

As long as there are few enough sets of vertices to look at, it takes the move with the most that is sure
(visited_sets.py), and so gets the guarantee from every system. In larger games it answers the witness: it visits what
the system seems to offer, believing that the system answers as it did before, and then leaves for where the most is
sure. That gets the guarantee from a system that plays the witness; another one can only give more or, being worse for
itself at first, lead the tester astray. Where nothing new is sure, it goes the shortest way that a helpful system
would allow.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from outplay.game.graph import Game
from outplay.game.roles import Role
from outplay.groups import grouped
from outplay.searching import nearest_first
from outplay.strategy.attractor import attractor_steps
from outplay.strategy.coverage.visited_sets import Sure, visited_sets
from outplay.strategy.coverage.weighted_game import WeightedGame
from outplay.strategy.coverage.witness import Witness

MOST_SETS = 4_000


@dataclass(frozen=True)
class Travelled:
    """What the tester remembers of a play: the vertices visited, as bits, the set on offer, and answers seen."""

    visited: int = 0
    offer: frozenset[int] = frozenset()
    answers: frozenset[tuple[int, int]] = frozenset()
    last: int | None = None


class Touring:
    """The strategy of a tester that wants to visit as much as it can."""

    start = Travelled()

    def __init__(self, game: Game, weighted: WeightedGame, witness: Witness, most_sets: int = MOST_SETS) -> None:
        self._game, self._weighted, self._witness = game, weighted, witness
        self._most_sets = most_sets
        self._gaining = sum(1 << vertex for vertex, weight in enumerate(weighted.weight) if weight >= weighted.unit)

    def edge(self, vertex: int, memory: Travelled) -> int | None:
        now = self._arrived(vertex, memory)
        target = None if self._weighted.is_system[vertex] else self._target(vertex, now)
        if target is None:
            return None
        return next(edge for edge in self._game.edges_of(vertex) if self._game.target[edge] == target)

    def after(self, vertex: int, memory: Travelled) -> Travelled:
        return replace(self._arrived(vertex, memory), last=vertex)

    def hopeless(self, vertex: int, memory: Travelled) -> bool:
        return not self._promising(vertex, self._arrived(vertex, memory).visited)

    def _promising(self, vertex: int, visited: int) -> bool:
        """Whether a vertex, or anything that may come after it, is new."""
        new = self._gaining & ~visited
        return any(new >> reached & 1 for reached in nearest_first([vertex], self._weighted.successors.__getitem__))

    def _arrived(self, vertex: int, memory: Travelled) -> Travelled:
        """The memory with a vertex that the play has come to, and the state in which the tester decided for it."""
        if self._game.roles.role[vertex] in (Role.CHOICE, Role.WAITING):
            memory = self._met(int(self._game.roles.state[vertex]), memory)
        return self._met(vertex, memory)

    def _met(self, vertex: int, memory: Travelled) -> Travelled:
        seen = memory.last is not None and self._weighted.is_system[memory.last]
        answers = memory.answers | {(memory.last, vertex)} if seen else memory.answers
        offer = self._witness.offered(vertex, memory.offer, self._weighted)
        return Travelled(memory.visited | 1 << vertex, offer, answers, None)  # type: ignore[arg-type]

    def _target(self, vertex: int, memory: Travelled) -> int | None:
        sure = self._sure(vertex, memory)
        if sure is None:
            sure = self._offered(vertex, memory)
        return self._cooperative(vertex, memory) if sure is None else sure

    def _sure(self, vertex: int, memory: Travelled) -> int | None:
        known = self._sets.get(memory.visited, {}).get(vertex)
        return None if known is None else known.target

    @cached_property
    def _sets(self) -> Mapping[int, Mapping[int, Sure]]:
        """What is sure with all sets that a play may have visited; empty where there are too many."""
        return visited_sets(self._weighted, self._game.initial, self._most_sets)

    def _offered(self, vertex: int, memory: Travelled) -> int | None:
        """The next step to what is new, on offer and sure to lead back; after that to where the most is sure."""
        weighted, believed = self._weighted, self._believed(memory)
        new = self._gaining & ~memory.visited
        before = grouped(
            ((target, one) for one, targets in believed.items() for target in targets), [vertex, *believed]
        )
        returning = attractor_steps([vertex], before, believed, weighted.is_system)
        offers = sorted(member for member in returning if new >> member & 1)
        step = attractor_steps(offers, before, believed, weighted.is_system).get(vertex)
        if step is not None:
            return step
        # Along the tester's moves and answers that are known there is no risk.
        known = {m: ahead if len(ahead) == 1 or not weighted.is_system[m] else [] for m, ahead in believed.items()}
        paths = nearest_first([vertex], known.__getitem__)
        around = [member for member in paths if member in returning and not weighted.is_system[member]]
        exits = [(m, t) for m in around for t in weighted.successors[m] if t not in paths or t not in returning]
        exits = [(m, t) for m, t in exits if self._promising(t, memory.visited)]
        if not exits:
            return None
        member, target = max(exits, key=lambda exit_: (self._witness.bounds[exit_[1]], -exit_[1], -exit_[0]))
        return target if member == vertex else self._first(paths, vertex, member)

    def _believed(self, memory: Travelled) -> dict[int, list[int]]:
        """What leads where within the set on offer, if the system answers as it did and does not leave the set."""
        answered = grouped(sorted(memory.answers))
        ahead = {member: answered.get(member) or self._weighted.successors[member] for member in memory.offer}
        return {member: [target for target in ahead[member] if target in memory.offer] for member in sorted(ahead)}

    def _cooperative(self, vertex: int, memory: Travelled) -> int | None:
        """The next step on a shortest way to anything new, if the system helps."""
        new = self._gaining & ~memory.visited
        paths = nearest_first([vertex], self._weighted.successors.__getitem__)
        nearest = next((reached for reached in paths if new >> reached & 1), None)
        return None if nearest is None else self._first(paths, vertex, nearest)

    @staticmethod
    def _first(paths: dict[int, int], vertex: int, end: int) -> int:
        """The first step of the way to an end."""
        while paths[end] != vertex:
            end = paths[end]
        return end


class Learning(Touring):
    """The strategy through many plays: each starts with what the plays before it have visited."""

    _seen = 0

    @property
    def start(self) -> Travelled:  # type: ignore[override]  # of a play, no longer of all
        return Travelled(self._seen)

    def after(self, vertex: int, memory: Travelled) -> Travelled:
        now = super().after(vertex, memory)
        self._seen |= now.visited
        return now
