"""The game as coverage sees it: who owns a vertex, where it leads, and what a visit gains, in whole numbers.

A decision of the tester (an input chosen, waiting) is no state and gains nothing. The proofs of Wang et al. 2013
ask for gains of at least 1, which is no restriction: where some gain is 0, every vertex weighs 1 more and
every gain so much that all of these ones together weigh less than the smallest gain. What a play gains is then the
weight of what it visits, rounded down.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from outplay.errors import UsageError
from outplay.game.graph import SYSTEM, Game
from outplay.grouping import grouped
from outplay.strategy.attractor import attractor_steps
from outplay.strategy.chance.reduction.end_components import strong_components

_MOST = 1 << 40  # the programs that choose sets compute in floats


@dataclass(frozen=True)
class WeightedGame:
    """Vertices with owner, distinct successors and weight; one unit of gain weighs `unit`."""

    is_system: Sequence[bool]
    successors: Sequence[tuple[int, ...]]
    weight: Sequence[int]
    unit: int
    denominator: int
    components: Sequence[tuple[int, ...]]
    """Strongly connected vertices, those that lead nowhere else first."""

    @property
    def count(self) -> int:
        return len(self.weight)

    @cached_property
    def gains(self) -> Sequence[int]:
        """Return the gain of each vertex, times the denominator."""
        return [weight // self.unit for weight in self.weight]

    @cached_property
    def gaining(self) -> frozenset[int]:
        """The vertices that gain something."""
        return frozenset(vertex for vertex, gain in enumerate(self.gains) if gain)

    def gain(self, weight: int) -> Fraction:
        """Return the gain, by the weight of what was visited."""
        return Fraction(weight // self.unit, self.denominator)

    def weigh(self, vertices: Iterable[int]) -> int:
        """The weight of a set."""
        return sum(self.weight[vertex] for vertex in vertices)

    @cached_property
    def predecessors(self) -> dict[int, list[int]]:
        """For each vertex those that lead to it."""
        edges = ((target, vertex) for vertex, targets in enumerate(self.successors) for target in targets)
        return grouped(edges, range(self.count))

    def forced(self, goal: int, before: Mapping[int, Sequence[int]] | None = None) -> set[int]:
        """The vertices from which the tester is sure to come to a vertex, itself among them.

        A play that leaves a component does not come back, so within one the edges there, `before`, are enough.
        """
        return set(
            attractor_steps([goal], self.predecessors if before is None else before, self.successors, self.is_system)
        )

    def before_within(self, inside: set[int]) -> dict[int, list[int]]:
        """For each vertex of a set those of the set that lead to it."""
        return {vertex: [each for each in self.predecessors[vertex] if each in inside] for vertex in inside}

    def exits(self, trap: Iterable[int]) -> set[int]:
        """Return where the tester can go from a set that the system does not leave by itself."""
        inside = set(trap)
        return {t for vertex in inside if not self.is_system[vertex] for t in self.successors[vertex]} - inside


def weighted_game(game: Game) -> WeightedGame:
    """Read a game for coverage, with gains in whole numbers; refuse gains too large to be told apart."""
    counted = game.is_state.tolist()
    gains = [Fraction(game.gain[v] or 0) if counted[v] else Fraction(0) for v in range(game.vertex_count)]
    denominator = math.lcm(*(gain.denominator for gain in gains))
    whole = [int(gain * denominator) for gain in gains]
    unit = game.vertex_count + 1 if 0 in whole else 1
    weight = [gain * unit + (unit > 1) for gain in whole]
    if sum(weight) > _MOST:
        raise UsageError(f"the gains are too far apart to be compared: in all {sum(weight):,} of the smallest unit")
    targets = [tuple(sorted({int(game.target[e]) for e in game.edges_of(v)})) for v in range(game.vertex_count)]
    found, number = strong_components(game, np.ones(game.vertex_count, dtype=bool))
    together = grouped(((place, vertex) for vertex, place in enumerate(number.tolist())), range(1, found + 1))
    parts = [*map(tuple, together.values())]
    return WeightedGame((game.owner == SYSTEM).tolist(), targets, weight, unit, denominator, parts)


def closure(weighted: WeightedGame, vertex: int, inside: set[int]) -> frozenset[int]:
    """Return the set within a component that the tester leaves only for other components, and the system need not."""
    found, stack = {vertex}, [vertex]
    while stack:
        member = stack.pop()
        ahead = [target for target in weighted.successors[member] if target in inside]
        if weighted.is_system[member]:
            ahead = [] if found.intersection(ahead) else [min(ahead, key=weighted.weight.__getitem__)]
        for target in ahead:
            if target not in found:
                found.add(target)
                stack.append(target)
    return frozenset(found)
