"""Games as plain lists, drawn at random: what the oracles work on, in fractions, without arrays and solvers."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from random import Random
from typing import NamedTuple

from outplay import Game, GameBuilder

Number = Fraction | int
COSTS: tuple[Number, ...] = (0, 0, 1, 1, 2, 3, 10, Fraction(1, 2), Fraction(1, 3), Fraction(5, 7))
HUGE: tuple[Number, ...] = (0, 1, 2**61, 2**64, 10**40, Fraction(1, 2**64 - 59), Fraction(9**30, 7), Fraction(1, 2))
WEIGHTS = (1, 1, 1, 2, 3, 5, 40)
TOWARDS_0 = (0.0, (-1, -1, 1, 2), (-1, -2, -4, -1, -2, -4, -1, 1))
"""Ways in which edges lead that make long ways to a goal at vertex 0, so that many jokers are needed."""


class Edge(NamedTuple):
    """A move; a system's chance that is None is left to be equal."""

    source: int
    target: int
    cost: Number = Fraction(1)
    chance: Fraction | None = None
    moves: int = 1
    label: str = ""


@dataclass(frozen=True)
class Plain:
    """A game as lists: vertices are numbers, edges stand in the order of a file."""

    system: tuple[bool, ...]
    edges: tuple[Edge, ...]
    goals: frozenset[int]
    initial: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "edges", tuple(Edge(*edge) for edge in self.edges))

    @property
    def vertices(self) -> range:
        return range(len(self.system))

    @cached_property
    def _leaving(self) -> list[list[int]]:
        places: list[list[int]] = [[] for _ in self.vertices]
        for place, edge in enumerate(self.edges):
            places[edge.source].append(place)
        return places

    def leaving(self, vertex: int) -> list[int]:
        """The places of the edges that leave a vertex."""
        return self._leaving[vertex]

    def chance_of(self, place: int) -> Fraction:
        """The probability of an answer of the system."""
        edge = self.edges[place]
        return Fraction(1, len(self.leaving(edge.source))) if edge.chance is None else edge.chance

    def game(self) -> Game:
        """The same as a game; edge `e7` is the edge at place 7."""
        builder = GameBuilder()
        for vertex in self.vertices:
            builder.vertex(f"v{vertex}", "system" if self.system[vertex] else "tester")
        for edge in self.edges:
            ends = f"v{edge.source}", f"v{edge.target}"
            builder.edge(*ends, edge.label, cost=edge.cost, probability=edge.chance, moves=edge.moves)
        return builder.goal("done", [f"v{vertex}" for vertex in sorted(self.goals)]).build(f"v{self.initial}")

    def text(self) -> str:
        """The game as a file, written here and not by the package; without chances and moves."""
        vertices = [{"id": f"v{v}", "owner": "sut" if self.system[v] else "tester"} for v in self.vertices]
        edges = [{"source": f"v{s}", "target": f"v{t}", "cost": f"{c}"} for s, t, c, *_ in self.edges]
        return json.dumps(
            {
                "format": "outplay-game/1",
                "initial": f"v{self.initial}",
                "goals": {"done": [f"v{vertex}" for vertex in sorted(self.goals)]},
                "vertices": vertices,
                "edges": edges,
            }
        )

    def _choices(self, of_system: bool) -> list[list[tuple[int, int]]]:
        return [
            [(vertex, edge) for edge in self.leaving(vertex)]
            for vertex in self.vertices
            if self.system[vertex] == of_system and vertex not in self.goals and self.leaving(vertex)
        ]

    def strategies(self, *, of_system: bool = False) -> Iterator[dict[int, int]]:
        """All positional ways of moving of one side: an edge for each of its vertices that has any and is no goal."""
        return map(dict, itertools.product(*self._choices(of_system)))

    def count_strategies(self, *, of_system: bool = False) -> int:
        return math.prod(map(len, self._choices(of_system)))


def draw(
    seed: object,
    *,
    least: int = 1,
    most: int = 8,
    system: float = 0.5,
    ways: Sequence[float | tuple[int, ...]] = (0.0, 0.3, 0.8),
    costs: Sequence[Number] | None = COSTS,
    chances: float = 0.0,
    free: float | Sequence[float] = 0.0,
    rounds: bool = False,
    labels: Sequence[str] = ("",),
    strategies: int | None = None,
    answers: int | None = None,
) -> Plain:
    """Draw a game with edges in any order: parallel ones, loops, some there and back, dead ends.

    One of `ways` says where its edges lead: a share of them to lower numbers, or so far from where they start; in
    the second case vertex 0 is the goal and the last one the start. Costs of None are the moves. A share `chances`
    of the system's vertices has probabilities; a share `free` of the edges (one of several is drawn) counts no move,
    and such edges go round only if asked to. At most so many strategies of the tester and `answers` of the system.
    """
    rng = Random(f"{seed} {most}")
    while True:
        count = max(rng.randint(least, most), rng.randint(least, most))
        way = rng.choice(ways)
        pairs, back = _pairs(rng, count, way)
        owners = tuple(rng.random() < system for _ in range(count))
        some = frozenset(rng.sample(range(count), rng.choice((1, 1, 1, 1 + count // 4))))
        goals, initial = (some, rng.randrange(count)) if isinstance(way, float) else (frozenset({0}), count - 1)
        share = free if isinstance(free, int | float) else rng.choice(free)
        moves = _moves(rng, pairs, share, count, rounds)
        paid = [
            moved if costs is None else Fraction(0 if returns and 0 in costs else rng.choice(costs))
            for moved, returns in zip(moves, back, strict=True)
        ]
        edges = [
            Edge(*ends, cost, None, moved, rng.choice(labels))
            for ends, cost, moved in zip(pairs, paid, moves, strict=True)
        ]
        plain = with_chances(rng, Plain(owners, tuple(edges), goals, initial), chances)
        few = strategies is None or plain.count_strategies() <= strategies
        if few and (answers is None or plain.count_strategies(of_system=True) <= answers):
            return plain


def _pairs(rng: Random, count: int, way: float | tuple[int, ...]) -> tuple[list[tuple[int, int]], list[bool]]:
    """Where edges lead, and which of them lead back again: at no cost, so that some cycles cost nothing."""
    pairs = []
    for _ in range(rng.randint(count // 2, 2 * count + 3)):
        source = rng.randrange(count)
        if not isinstance(way, float):
            target = min(count - 1, max(0, source + rng.choice(way)))
        else:
            target = rng.randrange(max(1, source)) if rng.random() < way else rng.randrange(count)
        pairs += [((source, target), False)] * rng.choice((1,) * 9 + (2,))
        if rng.random() < 0.12:
            pairs.append(((target, source), True))
    rng.shuffle(pairs)
    return [ends for ends, _ in pairs], [back for _, back in pairs]


def _moves(rng: Random, pairs: list[tuple[int, int]], share: float, count: int, rounds: bool) -> list[int]:
    """Edges that count no move lead down a random order of the vertices, unless they may go round."""
    height = rng.sample(range(count), count)
    return [
        0 if share and (rounds or height[target] < height[source]) and rng.random() < share else 1
        for source, target in pairs
    ]


def with_chances(rng: Random, plain: Plain, share: float = 1.0) -> Plain:
    """Give a share of the system's vertices new probabilities; those of the others stay."""
    edges = list(plain.edges)
    for vertex in plain.vertices:
        if share and plain.system[vertex] and rng.random() < share:
            places = plain.leaving(vertex)
            weights = [rng.choice(WEIGHTS) for _ in places]
            for place, weight in zip(places, weights, strict=True):
                edges[place] = edges[place]._replace(chance=Fraction(weight, sum(weights)))
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
        edges += [edge._replace(source=edge.source + start, target=edge.target + start) for edge in game.edges]
        goals |= {goal + start for goal in game.goals}
    return Plain(tuple(system), tuple(edges), frozenset(goals)), places


def strategy_of(game: Game, choices: Sequence[int]) -> dict[int, int]:
    """A solver's choices as places in the list of edges; the game sorts its edges and keeps their names."""
    return {vertex: place_of(game, edge) for vertex, edge in enumerate(choices) if edge >= 0}


def place_of(game: Game, edge: int) -> int:
    """The place of an edge of the game in the list of edges."""
    return int(game.edge_names[edge][1:])


def chain(length: int, back: Fraction = Fraction(1, 2)) -> Plain:
    """A system that walks to the goal at one end or to a dead end at the other, and starts again with `back`.

    Value iteration from below seems to stand still there long before it is near (Haddad and Monmege).
    """
    middle = length
    edges = []
    for vertex in range(1, 2 * length):
        up = vertex + 1 if vertex > middle else vertex - 1 if vertex < middle else middle + 1
        down = middle if vertex != middle else middle - 1
        edges += [Edge(vertex, up, Fraction(1), 1 - back), Edge(vertex, down, Fraction(1), back)]
    system = tuple(0 < vertex < 2 * length for vertex in range(2 * length + 1))
    return Plain(system, tuple(edges), frozenset({2 * length}), middle)
