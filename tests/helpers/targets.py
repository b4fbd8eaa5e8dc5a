"""Small games as plain lists, and what the definitions say about one target: no array, split game or kernel is used."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from random import Random

from outplay import Game, GameBuilder

COSTS = (0, 1, 1, 1, 2, 5, Fraction(1, 2), Fraction(2, 3))


@dataclass(frozen=True)
class Edge:
    source: int
    target: int
    label: str
    cost: Fraction
    moves: int
    chance: Fraction | None
    number: int


@dataclass(frozen=True)
class Small:
    """A game as lists; vertex 0 is the initial one."""

    system: tuple[bool, ...]
    edges: tuple[Edge, ...]
    goals: frozenset[int]

    def leaving(self, vertex: int) -> list[Edge]:
        return [edge for edge in self.edges if edge.source == vertex]

    def chances(self, vertex: int) -> list[tuple[Fraction, Edge]]:
        edges = self.leaving(vertex)
        return [(Fraction(1, len(edges)) if edge.chance is None else edge.chance, edge) for edge in edges]

    def game(self) -> Game:
        builder = GameBuilder()
        for vertex, system in enumerate(self.system):
            builder.vertex(f"v{vertex}", "system" if system else "tester")
        for e in self.edges:
            builder.edge(f"v{e.source}", f"v{e.target}", e.label, cost=e.cost, moves=e.moves, probability=e.chance)
        return builder.goal("done", [f"v{vertex}" for vertex in self.goals]).build("v0")


@dataclass(frozen=True)
class Wanted:
    """A target from the definition: some vertices, or the moment after some edges."""

    game: Small
    vertices: frozenset[int] = frozenset()
    edges: frozenset[Edge] = frozenset()

    def worst_within(self, moves: int) -> Fraction | None:
        """The least worst cost of a strategy, memory allowed, that is sure to arrive within so many moves."""

        @functools.cache
        def value(vertex: int, left: int) -> Fraction | None:
            if vertex in self.vertices:
                return Fraction(0)
            offers = [self._offer(edge, left, value) for edge in self.game.leaving(vertex)]
            known = [offer for offer in offers if offer is not None]
            if self.game.system[vertex]:
                return max(known) if offers and len(known) == len(offers) else None
            return min(known, default=None)

        return value(0, moves)

    def _offer(self, edge: Edge, left: int, value: Callable[[int, int], Fraction | None]) -> Fraction | None:
        if edge.moves > left:
            return None
        beyond = Fraction(0) if edge in self.edges else value(edge.target, left - edge.moves)
        return None if beyond is None else edge.cost + beyond

    def forced(self) -> tuple[int, Fraction] | None:
        """The least worst cost with any number of moves, and the least number that still allows it."""
        enough = 2 * len(self.game.system) + 2
        cost = self.worst_within(enough)
        if cost is None:
            return None
        return next(moves for moves in range(enough + 1) if self.worst_within(moves) == cost), cost

    def jokers(self, start: int = 0) -> int | None:
        """The least number of jokers that wins: (vertex, jokers) pairs that win, found by plain iteration."""
        most = len(self.game.system)
        wins: set[tuple[int, int]] = {(vertex, j) for vertex in self.vertices for j in range(most + 1)}
        while True:
            new = {
                (vertex, j)
                for vertex in range(most)
                for j in range(most + 1)
                if (vertex, j) not in wins and self._wins(vertex, j, wins)
            }
            if not new:
                return next((j for j in range(most + 1) if (start, j) in wins), None)
            wins |= new

    def _wins(self, vertex: int, jokers: int, wins: set[tuple[int, int]]) -> bool:
        edges = self.game.leaving(vertex)
        led = [edge in self.edges or (edge.target, jokers) in wins for edge in edges]
        if not self.game.system[vertex]:
            return any(led)
        helped = jokers > 0 and any(edge in self.edges or (edge.target, jokers - 1) in wins for edge in edges)
        return (bool(edges) and all(led)) or helped

    def likely_within(self, moves: int) -> Fraction:
        """The best probability of arriving within so many moves."""

        @functools.cache
        def value(vertex: int, left: int) -> Fraction:
            if vertex in self.vertices:
                return Fraction(1)
            chances = [(chance, self._luck(edge, left, value)) for chance, edge in self.game.chances(vertex)]
            if self.game.system[vertex]:
                return sum((chance * luck for chance, luck in chances), Fraction(0))
            return max((luck for _, luck in chances), default=Fraction(0))

        return value(0, moves)

    def _luck(self, edge: Edge, left: int, value: Callable[[int, int], Fraction]) -> Fraction:
        if edge.moves > left:
            return Fraction(0)
        return Fraction(1) if edge in self.edges else value(edge.target, left - edge.moves)

    def expected(self) -> Fraction | None:
        """The least expected cost over all positional strategies that arrive with probability 1."""
        found = [self._cost_of(strategy) for strategy in self._strategies()]
        return min((cost for cost in found if cost is not None), default=None)

    def _strategies(self) -> Iterator[dict[int, Edge]]:
        own = [v for v, system in enumerate(self.game.system) if not system and self.game.leaving(v)]
        for choice in itertools.product(*(self.game.leaving(vertex) for vertex in own)):
            yield dict(zip(own, choice, strict=True))

    def _cost_of(self, strategy: dict[int, Edge]) -> Fraction | None:
        def steps(vertex: int) -> list[tuple[Fraction, Edge]]:
            if self.game.system[vertex]:
                return self.game.chances(vertex)
            return [(Fraction(1), strategy[vertex])] if vertex in strategy else []

        met, stack = {0}, [0]
        while stack:
            vertex = stack.pop()
            if vertex in self.vertices:
                continue
            new = {e.target for _, e in steps(vertex) if e not in self.edges} - met
            met |= new
            stack.extend(new)
        open_ones = sorted(met - self.vertices)
        if not all(self._arrives(vertex, steps) for vertex in open_ones):
            return None
        return _solved(open_ones, steps, self.edges)

    def _arrives(self, start: int, steps: Callable[[int], list[tuple[Fraction, Edge]]]) -> bool:
        met, stack = {start}, [start]
        while stack:
            vertex = stack.pop()
            if vertex in self.vertices or any(edge in self.edges for _, edge in steps(vertex)):
                return True
            new = {edge.target for _, edge in steps(vertex)} - met
            met |= new
            stack.extend(new)
        return False


def _solved(
    open_ones: list[int], steps: Callable[[int], list[tuple[Fraction, Edge]]], ends: frozenset[Edge]
) -> Fraction:
    """The value of vertex 0 in v = c + P v, by elimination in fractions."""
    if not open_ones or open_ones[0] != 0:
        return Fraction(0)
    place = {vertex: number for number, vertex in enumerate(open_ones)}
    rows = []
    for vertex in open_ones:
        row = [Fraction(0)] * (len(open_ones) + 1)
        row[place[vertex]] += 1
        for chance, edge in steps(vertex):
            row[-1] += chance * edge.cost
            if edge not in ends and edge.target in place:
                row[place[edge.target]] -= chance
        rows.append(row)
    for pivot in reversed(range(len(rows))):
        swap = next(number for number in reversed(range(pivot + 1)) if rows[number][pivot] != 0)
        rows[pivot], rows[swap] = rows[swap], rows[pivot]
        for number in range(pivot):
            factor = rows[number][pivot] / rows[pivot][pivot]
            rows[number] = [a - factor * b for a, b in zip(rows[number], rows[pivot], strict=True)]
    return rows[0][-1] / rows[0][0]


def draw(seed: object) -> Small:
    """Draw a game: parallel edges, free moves, given and missing probabilities, dead ends, no-cost edges."""
    rng = Random(f"forecast {seed}")
    count = rng.randint(1, 6)
    system = tuple(rng.random() < 0.5 for _ in range(count))
    unit = rng.random() < 0.5
    edges: list[Edge] = []
    for source in range(count):
        leaving = rng.choice((0, 1, 1, 2, 2, 3)) if source else rng.choice((1, 2, 2))
        chances: list[Fraction | None] = [None] * leaving
        if system[source] and leaving and rng.random() < 0.5:
            weights = [rng.randint(1, 4) for _ in range(leaving)]
            chances = [Fraction(weight, sum(weights)) for weight in weights]
        for chance in chances:
            target = rng.randrange(count)
            # Moves that count nothing lead to higher numbers only, so that they never go round.
            moves = 0 if target > source and rng.random() < 0.3 else 1
            cost = Fraction(moves) if unit else Fraction(rng.choice(COSTS))
            edges.append(Edge(source, target, rng.choice(("?a", "!x", "!y", "")), cost, moves, chance, len(edges)))
    goals = frozenset(rng.sample(range(count), rng.choice((0, 1, 1, 2)) if count > 1 else 1))
    return Small(system, tuple(edges), goals)


def wanted(small: Small, game: Game, name: str, kind: str) -> Wanted:
    """The target that a entry is about, found by its name and kind alone."""
    if kind == "goal":
        return Wanted(small, small.goals)
    if kind == "state":
        return Wanted(small, frozenset({int(name[1:])}))
    if kind == "label":
        return Wanted(small, edges=frozenset(e for e in small.edges if e.label == name and e.moves))
    parts, _, number = name.partition(" (e")
    if number:
        return Wanted(small, edges=frozenset({small.edges[int(number[:-1])]}))
    start, _, end = parts.partition("--> ")
    source, _, label = start.strip().partition(" --")
    found = [
        e for e in small.edges if (e.source, e.label, e.target) == (int(source[1:]), label, int(end[1:])) and e.moves
    ]
    return Wanted(small, edges=frozenset(found))
