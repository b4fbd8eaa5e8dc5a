"""What the definitions say of one target of a game: some vertices, or the moment after some edges."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, partial

from helpers import bounded, chance, games, jokers, worst_case
from helpers.games import Plain

draw = partial(
    games.draw, most=6, chances=0.5, free=0.3, labels=("?a", "!x", "!y", ""), strategies=100
)  # small enough to try all strategies for every target


@dataclass(frozen=True)
class Wanted:
    """A game whose only goal is the target: edges that are wanted lead to a vertex of its own."""

    game: Plain

    def forced(self) -> tuple[int, Fraction] | None:
        """The least worst cost with any number of moves, and the least number that still allows it."""
        enough, start = 2 * len(self.game.system) + 2, self.game.initial
        cost = worst_case.values_within(self.game, enough)[start]
        if cost is None:
            return None
        return next(n for n in range(enough + 1) if worst_case.values_within(self.game, n)[start] == cost), cost

    @cached_property
    def jokers(self) -> list[int | None]:
        """The least number of jokers that wins, from each vertex."""
        return [None if found is None else found[0] for found in jokers.least(self.game)]

    def likely_within(self, moves: int) -> Fraction:
        """The best probability of arriving within so many moves."""
        return bounded.odds(self.game)(self.game.initial, moves)[0]

    def expected(self) -> Fraction | None:
        """The least expected cost over all positional strategies that arrive with probability 1."""
        return chance.least_costs(self.game)[self.game.initial]


def after(plain: Plain, places: frozenset[int]) -> Plain:
    """The game whose goal is to have taken one of these edges."""
    there = len(plain.system)
    edges = [edge._replace(target=there) if n in places else edge for n, edge in enumerate(plain.edges)]
    return replace(plain, system=(*plain.system, False), edges=tuple(edges), goals=frozenset({there}))


def wanted(plain: Plain, name: str, kind: str) -> Wanted:
    """The target that an entry of a forecast is about, found by its name and kind alone."""
    if kind == "goal":
        return Wanted(plain)
    if kind == "state":
        return Wanted(replace(plain, goals=frozenset({int(name[1:])})))
    counted = {place: edge for place, edge in enumerate(plain.edges) if edge.moves}
    if kind == "label":
        return Wanted(after(plain, frozenset(place for place, edge in counted.items() if edge.label == name)))
    parts, _, number = name.partition(" (e")
    if number:
        return Wanted(after(plain, frozenset({int(number[:-1])})))
    start, _, end = parts.partition("--> ")
    source, _, label = start.strip().partition(" --")
    ends = int(source[1:]), label, int(end[1:])
    found = frozenset(p for p, edge in counted.items() if (edge.source, edge.label, edge.target) == ends)
    return Wanted(after(plain, found))
