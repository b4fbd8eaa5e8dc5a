"""Node coverage from the definition: minimax over visited sets, and consistency word by word, on plain lists."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, cached_property
from itertools import product
from random import Random
from typing import Any

from helpers.games import Edge, Plain, draw
from outplay import Game, GameBuilder
from outplay.game.exact_numbers import exact_column_of
from outplay.game.graph import SYSTEM
from outplay.strategy.coverage.guarantee import Coverage
from outplay.strategy.strategy import Strategy


@dataclass(frozen=True)
class Field:
    """A game as lists with what each vertex gains; where `restart` is set the tester may go back to the start."""

    plain: Plain
    gains: tuple[int, ...]
    restart: bool = False

    @cached_property
    def successors(self) -> list[list[int]]:
        return [[self.plain.edges[place].target for place in self.plain.leaving(v)] for v in self.plain.vertices]

    def game(self) -> Game:
        """The same as a game, without the restart."""
        return replace(self.plain.game(), gain=exact_column_of(self.gains))

    def gain(self, visited: frozenset[int]) -> int:
        return sum(self.gains[vertex] for vertex in visited)


def draw_field(seed: object, *, most: int, least: int = 1, least_gain: int = 1, restart: bool = False) -> Field:
    """Draw a small game, often with large circles, and gains up to 3."""
    rng = Random(f"gains {seed}")
    plain = draw(seed, least=least, most=most, ways=(0.0, 0.0, 0.3))
    return Field(plain, tuple(rng.randint(least_gain, 3) for _ in plain.vertices), restart)


def guarantees(field: Field) -> list[int]:
    """What the tester is sure to gain from each vertex: the best of the worst over all visited sets.

    With S visited the tester tries to leave S for a vertex with which it is sure of at least so much; who can force
    that is found by asking all vertices again and again.
    """
    plain, successors = field.plain, field.successors

    @cache
    def sure(visited: frozenset[int]) -> dict[int, int]:
        found = dict.fromkeys(visited, field.gain(visited))
        ends = {
            target: sure(visited | {target})[target]
            for vertex in visited
            for target in [*successors[vertex], *([plain.initial] if field.restart else [])]
            if target not in visited
        }
        for wanted in sorted(set(ends.values())):
            for vertex in forcing(field, visited, {target for target in ends if ends[target] >= wanted}):
                found[vertex] = max(found[vertex], wanted)
        return found

    return [sure(frozenset([vertex]))[vertex] for vertex in plain.vertices]


def forcing(field: Field, inside: frozenset[int], ends: set[int]) -> set[int]:
    """The vertices of a set from which the tester is sure to come to one of some ends outside."""
    won: set[int] = set()
    while True:
        good = won | ends
        more = {vertex for vertex in inside - won if _forces(field, vertex, good)}
        if not more:
            return won
        won |= more


def _forces(field: Field, vertex: int, good: set[int]) -> bool:
    if field.restart and field.plain.initial in good:
        return True
    ahead = [target in good for target in field.successors[vertex]]
    return bool(ahead) and (all(ahead) if field.plain.system[vertex] else any(ahead))


def consistent(field: Field, bounds: Sequence[tuple[Fraction, int]], traps: Sequence[frozenset[int]]) -> bool:
    """The side constraints of a witness, as they are written: with gains, and the number of vertices to break ties."""
    for vertex in field.plain.vertices:
        trap, ahead = traps[vertex], field.successors[vertex]
        weight = Fraction(field.gain(trap)), len(trap)
        if vertex not in trap:
            return False
        if trap == {vertex} and field.plain.system[vertex] and ahead and vertex not in ahead:
            beyond = min(bounds[target] for target in ahead)
        else:
            for member in trap:
                answers = field.successors[member] if field.plain.system[member] else []
                if answers and not trap.intersection(answers):
                    return False
            exits = [t for m in trap if not field.plain.system[m] for t in field.successors[m] if t not in trap]
            beyond = max((bounds[target] for target in exits), default=(Fraction(0), 0))
        if bounds[vertex] != (weight[0] + beyond[0], weight[1] + beyond[1]):
            return False
    return True


def figure_3() -> Game:
    """Figure 3 of Wang et al. 2013: the system has to remember where the tester went."""
    builder = GameBuilder()
    for name in ("v0", "v1", "v2"):
        builder.vertex(name, "tester")
    builder.vertex("v3", "system")
    for edge in ("v0 v1", "v0 v2", "v1 v3", "v2 v3", "v3 v1", "v3 v2"):
        builder.edge(*edge.split())
    return builder.build()


Clause = Sequence[int]
"""Literals: 3 for the third variable, -3 for its negation."""


def formula_game(variables: int, clauses: Sequence[Clause]) -> Game:
    """The game of a formula (section 5.1): the system chooses values, the tester asks for clauses."""
    builder = GameBuilder()
    for number in range(1, variables + 1):
        builder.vertex(f"d{number}", "system").vertex(f"{number}", "tester").vertex(f"-{number}", "tester")
    builder.vertex("y", "tester")
    for place, clause in enumerate(clauses):
        builder.vertex(f"C{place}", "system").edge("y", f"C{place}")
        for literal in clause:
            builder.edge(f"C{place}", f"{literal}")
    for number in range(1, variables + 1):
        after = f"d{number + 1}" if number < variables else "y"
        for literal in (number, -number):
            builder.edge(f"d{number}", f"{literal}").edge(f"{literal}", after)
    return builder.build("d1")


def satisfiable(variables: int, clauses: Sequence[Clause]) -> bool:
    """Try all values."""
    return any(
        all(any(values[abs(literal) - 1] == (literal > 0) for literal in clause) for clause in clauses)
        for values in product((False, True), repeat=variables)
    )


def doubled(field: Field) -> Field:
    """The game of section A.3 in which a restart is a move: each vertex as one to come in and one to go out."""
    plain, edges = field.plain, list[Edge]()
    for vertex in plain.vertices:
        edges += [Edge(2 * vertex, 2 * plain.initial), Edge(2 * vertex, 2 * vertex + 1)]
        edges += [Edge(2 * vertex + 1, 2 * target) for target in field.successors[vertex]]
        edges += [] if field.successors[vertex] else [Edge(2 * vertex + 1, 2 * plain.initial)]
    system = tuple(bool(half) and plain.system[vertex] for vertex in plain.vertices for half in (0, 1))
    gains = tuple(gain for gain in field.gains for _ in (0, 1))
    return Field(Plain(system, tuple(edges), frozenset(), 2 * plain.initial), gains)


@dataclass
class Witnessing:
    """The system that plays the witness: it stays in what it offers as long as the tester does."""

    found: Coverage
    offer: frozenset[int] = frozenset()

    def watch(self, vertex: int) -> None:
        self.offer = self.found.witness.offered(vertex, self.offer, self.found.weighted)

    def answer(self, vertex: int, visited: frozenset[int]) -> int:
        return self.found.witness.answer(vertex, self.offer, self.found.weighted)


def visited_by(
    answer: Coverage,
    strategy: Strategy,
    system: Any,
    steps: int = 400,
    enough: Callable[[frozenset[int]], bool] = lambda visited: False,
) -> frozenset[int]:
    """The vertices that a strategy visits with a system, from the initial vertex on, until that is enough."""
    game, vertex, memory, visited = answer.game, answer.game.initial, strategy.start, frozenset[int]()
    for _ in range(steps):
        visited |= {vertex}
        if enough(visited):
            break
        system.watch(vertex)
        if game.owner[vertex] == SYSTEM:
            target = system.answer(vertex, visited) if game.edges_of(vertex) else None
        else:
            edge = strategy.edge(vertex, memory)
            target = None if edge is None else int(game.target[edge])
        if target is None:
            break
        memory = strategy.after(vertex, memory)
        vertex = target
    return visited
