"""Games against chance as plain lists, and what the definition says about them: all strategies, one after the other.

Everything is computed in fractions from the lists; no array and no solver is used here.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from random import Random

from outplay import Game, GameBuilder

COSTS = (0, 0, 1, 1, 2, 3, 10, Fraction(1, 2), Fraction(1, 3), Fraction(5, 7))
WEIGHTS = (1, 1, 1, 2, 3, 5, 40)
Edge = tuple[int, int, Fraction, Fraction | None]
Step = tuple[Fraction, Fraction, int]


@dataclass(frozen=True)
class Plain:
    """A game as lists: edges are (source, target, cost, probability) in the order of a file."""

    system: tuple[bool, ...]
    edges: tuple[Edge, ...]
    goals: frozenset[int]
    initial: int = 0

    @property
    def vertices(self) -> range:
        return range(len(self.system))

    @cached_property
    def _leaving(self) -> list[list[int]]:
        places: list[list[int]] = [[] for _ in self.vertices]
        for place, edge in enumerate(self.edges):
            places[edge[0]].append(place)
        return places

    def leaving(self, vertex: int) -> list[int]:
        return self._leaving[vertex]

    def game(self) -> Game:
        builder = GameBuilder()
        for vertex in self.vertices:
            builder.vertex(f"v{vertex}", "system" if self.system[vertex] else "tester")
        for source, target, cost, probability in self.edges:
            builder.edge(f"v{source}", f"v{target}", cost=cost, probability=probability)
        return builder.goal("done", [f"v{vertex}" for vertex in sorted(self.goals)]).build(f"v{self.initial}")

    def strategies(self) -> Iterator[dict[int, int]]:
        """All ways to choose an edge at every tester vertex that has any and is no goal."""
        options = [
            [(vertex, edge) for edge in self.leaving(vertex)]
            for vertex in self.vertices
            if not self.system[vertex] and vertex not in self.goals and self.leaving(vertex)
        ]
        return map(dict, itertools.product(*options))

    def count_strategies(self) -> int:
        total = 1
        for vertex in self.vertices:
            if not self.system[vertex] and vertex not in self.goals:
                total *= max(1, len(self.leaving(vertex)))
        return total

    def steps(self, vertex: int, strategy: dict[int, int]) -> list[Step]:
        """What happens next, as (probability, cost, target); nothing at goals and dead ends."""
        if vertex in self.goals:
            return []
        if not self.system[vertex]:
            return [(Fraction(1), self.edges[e][2], self.edges[e][1]) for e in [strategy.get(vertex)] if e is not None]
        edges = [self.edges[place] for place in self.leaving(vertex)]
        return [(Fraction(1, len(edges)) if edge[3] is None else edge[3], edge[2], edge[1]) for edge in edges]


def probabilities_of(plain: Plain, strategy: dict[int, int]) -> list[Fraction]:
    """The probability that a strategy reaches a goal, from each vertex."""
    steps = [plain.steps(vertex, strategy) for vertex in plain.vertices]
    able = set(plain.goals)
    while more := {v for v in plain.vertices if v not in able and any(target in able for _, _, target in steps[v])}:
        able |= more
    rows = {}
    for vertex in able - plain.goals:
        row = {target: Fraction(0) for _, _, target in steps[vertex] if target in able - plain.goals}
        for probability, _, target in steps[vertex]:
            if target in row:
                row[target] += probability
        rows[vertex] = row, sum((p for p, _, target in steps[vertex] if target in plain.goals), Fraction(0))
    found = solved(rows)
    return [Fraction(1) if v in plain.goals else found.get(v, Fraction(0)) for v in plain.vertices]


def costs_of(plain: Plain, strategy: dict[int, int]) -> list[Fraction | None]:
    """The expected cost of a strategy from each vertex, None where it does not arrive with probability 1."""
    sure = {vertex for vertex, chance in enumerate(probabilities_of(plain, strategy)) if chance == 1}
    rows = {}
    for vertex in sure - plain.goals:
        row: dict[int, Fraction] = {}
        paid = Fraction(0)
        for probability, cost, target in plain.steps(vertex, strategy):
            paid += probability * cost
            if target not in plain.goals:
                row[target] = row.get(target, Fraction(0)) + probability
        rows[vertex] = row, paid
    found = solved(rows)
    return [Fraction(0) if v in plain.goals else found.get(v) for v in plain.vertices]


def solved(rows: dict[int, tuple[dict[int, Fraction], Fraction]]) -> dict[int, Fraction]:
    """Solve x = row · x + right by substituting one unknown after the other."""
    done: list[tuple[int, dict[int, Fraction], Fraction]] = []
    left = dict(rows)
    while left:
        vertex, (row, right) = left.popitem()
        stays = 1 - row.get(vertex, Fraction(0))
        row = {target: weight / stays for target, weight in row.items() if target != vertex}
        right /= stays
        done.append((vertex, row, right))
        for other, (other_row, other_right) in left.items():
            if vertex in other_row:
                weight = other_row[vertex]
                merged = {target: share for target, share in other_row.items() if target != vertex}
                for target, share in row.items():
                    merged[target] = merged.get(target, Fraction(0)) + weight * share
                left[other] = merged, other_right + weight * right
    found: dict[int, Fraction] = {}
    for vertex, row, right in reversed(done):
        found[vertex] = right + sum(weight * found[target] for target, weight in row.items())
    return found


def least_costs(plain: Plain) -> list[Fraction | None]:
    """The definition: from each vertex the least expected cost over all strategies that arrive with probability 1."""
    best: list[Fraction | None] = [None] * len(plain.system)
    for strategy in plain.strategies():
        for vertex, cost in enumerate(costs_of(plain, strategy)):
            known = best[vertex]
            if cost is not None and (known is None or cost < known):
                best[vertex] = cost
    return best


def greatest_probabilities(plain: Plain) -> list[Fraction]:
    """The definition: from each vertex the greatest probability over all strategies."""
    every = [probabilities_of(plain, strategy) for strategy in plain.strategies()]
    return [max(column) for column in zip(*every, strict=True)]


def draw(seed: object, *, most: int = 6, strategies: int = 24, costs: Sequence[Fraction | int] = COSTS) -> Plain:
    """Draw a game with few enough strategies to try them all."""
    rng = Random(f"{seed} {most}")
    while True:
        count = max(rng.randint(2, most), rng.randint(2, most))
        system = tuple(rng.random() < rng.choice((0.3, 0.5, 0.7)) for _ in range(count))
        goals = frozenset(rng.sample(range(count), rng.choice((1, 1, 1, 2))))
        pairs = _pairs(rng, count, homeward=rng.choice((0.0, 0.3, 0.8)))
        edges = [(source, target, Fraction(rng.choice(costs)), None) for source, target in pairs]
        plain = _with_probabilities(rng, Plain(system, tuple(edges), goals, rng.randrange(count)))
        if plain.count_strategies() <= strategies:
            return plain


def _pairs(rng: Random, count: int, homeward: float) -> list[tuple[int, int]]:
    """Sources and targets in any order, some parallel, some there and back, some loops."""
    pairs = []
    for _ in range(rng.randint(count, 2 * count + 3)):
        source = rng.randrange(count)
        target = rng.randrange(max(1, source)) if rng.random() < homeward else rng.randrange(count)
        pairs.append((source, target))
        if rng.random() < 0.1:
            pairs.append((source, target))
        if rng.random() < 0.15:
            pairs.append((target, source))
    rng.shuffle(pairs)
    return pairs


def _with_probabilities(rng: Random, plain: Plain) -> Plain:
    """Give most system vertices probabilities; the others are left equal."""
    edges = list(plain.edges)
    for vertex in plain.vertices:
        if plain.system[vertex] and rng.random() < 0.7:
            places = plain.leaving(vertex)
            weights = [rng.choice(WEIGHTS) for _ in places]
            for place, weight in zip(places, weights, strict=True):
                edges[place] = (*edges[place][:3], Fraction(weight, sum(weights)))
    return replace(plain, edges=tuple(edges))


def union(games: Sequence[Plain]) -> tuple[Plain, list[range]]:
    """Many games side by side as one, and the vertices of each: solvers take them at one go."""
    system: list[bool] = []
    edges: list[Edge] = []
    goals: set[int] = set()
    places = []
    for game in games:
        start = len(system)
        places.append(range(start, start + len(game.system)))
        system += game.system
        edges += [(source + start, target + start, cost, chance) for source, target, cost, chance in game.edges]
        goals |= {goal + start for goal in game.goals}
    return Plain(tuple(system), tuple(edges), frozenset(goals)), places


def strategy_of(game: Game, choices: Sequence[int]) -> dict[int, int]:
    """A solver's choices as places in the list of edges; the game sorts its edges and keeps their names."""
    return {vertex: int(game.edge_names[edge][1:]) for vertex, edge in enumerate(choices) if edge >= 0}


def chain(length: int, back: Fraction = Fraction(1, 2)) -> Plain:
    """A system that walks to the goal at one end or to a dead end at the other, and starts again with `back`.

    Value iteration from below seems to stand still there long before it is near (Haddad and Monmege).
    """
    middle = length
    edges: list[Edge] = []
    for vertex in range(1, 2 * length):
        up = vertex + 1 if vertex > middle else vertex - 1 if vertex < middle else middle + 1
        down = middle if vertex != middle else middle - 1
        edges += [(vertex, up, Fraction(1), 1 - back), (vertex, down, Fraction(1), back)]
    system = tuple(0 < vertex < 2 * length for vertex in range(2 * length + 1))
    return Plain(system, tuple(edges), frozenset({2 * length}), middle)
