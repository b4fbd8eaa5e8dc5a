"""Random games as plain lists, and what the definition says about them: no array, heap or solver is used here."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from random import Random

from outplay import Game, GameBuilder

Number = Fraction | int
SMALL: tuple[Number, ...] = (0, 0, 1, 1, 2, 3, 10, Fraction(1, 2), Fraction(1, 3), Fraction(5, 7))
HUGE: tuple[Number, ...] = (0, 1, 2**61, 2**64, 10**40, Fraction(1, 2**64 - 59), Fraction(9**30, 7), Fraction(1, 2))


@dataclass(frozen=True)
class Plain:
    """A game as lists: vertices are numbers, edges are (source, target, cost) in the order of a file."""

    system: tuple[bool, ...]
    edges: tuple[tuple[int, int, Fraction], ...]
    goals: frozenset[int]
    initial: int = 0

    @property
    def vertices(self) -> range:
        return range(len(self.system))

    def leaving(self, vertex: int) -> list[int]:
        return [place for place, (source, _, _) in enumerate(self.edges) if source == vertex]

    def game(self) -> Game:
        builder = GameBuilder()
        for vertex in self.vertices:
            builder.vertex(f"v{vertex}", "system" if self.system[vertex] else "tester")
        for place, (source, target, cost) in enumerate(self.edges):
            builder.edge(f"v{source}", f"v{target}", f"label {place % 3}", cost=cost)
        return builder.goal("done", [f"v{vertex}" for vertex in self.goals]).build(f"v{self.initial}")

    def text(self) -> str:
        """The game as a file, written here and not by the package."""
        vertices = [{"id": f"v{v}", "owner": "sut" if self.system[v] else "tester"} for v in self.vertices]
        edges = [{"source": f"v{s}", "target": f"v{t}", "cost": f"{c}"} for s, t, c in self.edges]
        return json.dumps(
            {
                "format": "outplay-game/1",
                "initial": f"v{self.initial}",
                "goals": {"done": [f"v{vertex}" for vertex in sorted(self.goals)]},
                "vertices": vertices,
                "edges": edges,
            }
        )

    def behaviours(self, of_system: bool) -> Iterator[dict[int, int]]:
        """All positional ways of moving of one side: an edge for each of its vertices that has any and is no goal."""
        options = [
            [(vertex, edge) for edge in self.leaving(vertex)]
            for vertex in self.vertices
            if self.system[vertex] == of_system and vertex not in self.goals and self.leaving(vertex)
        ]
        return map(dict, itertools.product(*options))


def count_behaviours(plain: Plain, of_system: bool) -> int:
    total = 1
    for vertex in plain.vertices:
        if plain.system[vertex] == of_system and vertex not in plain.goals:
            total *= max(1, len(plain.leaving(vertex)))
    return total


def draw(seed: object, *, most: int = 8, costs: tuple[Number, ...] = SMALL, behaviours: int = 300) -> Plain:
    """Draw a game of at most `most` vertices with few enough behaviours of either side to try them all."""
    rng = Random(f"{seed} {most}")
    while True:
        count = max(rng.randint(1, most), rng.randint(1, most))
        system = tuple(rng.random() < 0.5 for _ in range(count))
        goals = frozenset(rng.sample(range(count), rng.choice((1, 1, 1, 1 + count // 4))))
        edges = tuple(_edges(rng, count, costs, homeward=rng.choice((0.0, 0.3, 0.8))))
        plain = Plain(system, edges, goals, rng.randrange(count))
        if max(count_behaviours(plain, side) for side in (False, True)) <= behaviours:
            return plain


def _edges(rng: Random, count: int, costs: tuple[Number, ...], homeward: float) -> list[tuple[int, int, Fraction]]:
    """Edges in any order, some parallel, some back at no cost; `homeward` is how often they lead to lower numbers."""
    edges = []
    for _ in range(rng.randint(count // 2, 2 * count + 3)):
        source = rng.randrange(count)
        target = rng.randrange(max(1, source)) if rng.random() < homeward else rng.randrange(count)
        edges.append((source, target, Fraction(rng.choice(costs))))
        if rng.random() < 0.1:
            edges.append((source, target, Fraction(rng.choice(costs))))
        if rng.random() < 0.1:
            edges.append((target, source, Fraction(0)))
    rng.shuffle(edges)
    return edges


def costs_of(plain: Plain, strategy: dict[int, int]) -> list[Fraction | None]:
    """The worst cost of a positional strategy from each vertex, None where the system can keep it from the goals.

    Once the tester's moves are fixed only the system chooses: a play that comes round again can come round for ever.
    """
    known: dict[int, Fraction | None] = {}

    def worst(vertex: int, before: frozenset[int]) -> Fraction | None:
        if vertex in plain.goals:
            return Fraction(0)
        if vertex in before:
            return None
        if vertex not in known:
            known[vertex] = ways(vertex, before | {vertex})
        return known[vertex]

    def ways(vertex: int, before: frozenset[int]) -> Fraction | None:
        edges = plain.leaving(vertex) if plain.system[vertex] else [strategy[vertex]] if vertex in strategy else []
        totals = []
        for edge in edges:
            beyond = worst(plain.edges[edge][1], before)
            if beyond is None:
                return None
            totals.append(plain.edges[edge][2] + beyond)
        return max(totals, default=None)

    return [worst(vertex, frozenset()) for vertex in plain.vertices]


def values_by_enumeration(plain: Plain) -> list[Fraction | None]:
    """The definition: from each vertex the least worst cost over all strategies of the tester."""
    best: list[Fraction | None] = [None] * len(plain.system)
    for strategy in plain.behaviours(of_system=False):
        for vertex, cost in enumerate(costs_of(plain, strategy)):
            if cost is not None and (best[vertex] is None or cost < best[vertex]):
                best[vertex] = cost
    return best


def values_within(plain: Plain, moves: int) -> list[Fraction | None]:
    """The definition with memory: the least worst cost of being at a goal after so many moves at most."""
    values: list[Fraction | None] = [Fraction(0) if vertex in plain.goals else None for vertex in plain.vertices]
    for _ in range(moves):
        before = list(values)
        for vertex in set(plain.vertices) - plain.goals:
            offers = [
                None if before[target] is None else cost + before[target]
                for source, target, cost in plain.edges
                if source == vertex
            ]
            possible = [offer for offer in offers if offer is not None]
            if plain.system[vertex]:
                values[vertex] = max(possible) if offers and len(possible) == len(offers) else None
            else:
                values[vertex] = min(possible, default=None)
    return values


def strategy_of(game: Game, choices: list[int]) -> dict[int, int]:
    """A solver's choices as places in the list of edges; the game sorts its edges and keeps their names."""
    return {vertex: int(game.edge_names[edge][1:]) for vertex, edge in enumerate(choices) if edge >= 0}
