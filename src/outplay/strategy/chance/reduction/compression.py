"""Compression of chains of answers: system vertices that only the system enters are passed over.

It is that of Blass et al. 2005, section 2.4. Each path from a system vertex through others of the system is replaced by
one edge with its probability and cost, and paths to the same vertex are merged. It is done one vertex at a time: what
leads to it leads on to where it leads, and coming back to itself, with chance s, divides what leaves by 1 − s. A vertex
stays if it is the initial one or a goal, if a tester's edge enters it, if it is never left, or if passing over it would
make more edges than it takes away. All in fractions; values of the vertices that stay, and the tester's edges, are what
they were. Bound: O(d² log V) fractions for each vertex passed over, with d edges at it; the number of edges never
grows.

Merging of parallel edges: at most one edge from a vertex to another, as Blass et al. 2005, section 2.3, has it. Of a
tester's edges to the same vertex the cheapest is kept. Those of the system become one: its probability is their sum and
its cost their average, weighted by probability, in fractions. No value changes. Bound: O(E log E).
"""

from __future__ import annotations

import heapq
from dataclasses import replace
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from outplay.game.algebra import edge_chance, exact_chances, subgame
from outplay.game.builder import game_from_arrays
from outplay.game.exact_numbers import Exact, exact_column_of
from outplay.game.goals.target import Wanted, find_target
from outplay.game.graph import SYSTEM, TESTER, Game
from outplay.grouping import grouped


def merge_parallel_edges(game: Game) -> Game:
    """Merge parallel edges: keep one from each vertex to each other, changing no value.

    >>> from outplay import GameBuilder
    >>> builder = GameBuilder().vertex("a", "tester").vertex("b", "system").vertex("g", "tester")
    >>> builder = builder.edge("a", "b", cost=2).edge("a", "b", cost=1).edge("b", "g", cost=1).edge("b", "g", cost=4)
    >>> merged = merge_parallel_edges(builder.edge("b", "a").build())
    >>> merged
    Game(3 vertices, 3 edges, initial 'a')
    >>> merged.cost[1], merged.probability[1]
    (Fraction(5, 2), Fraction(2, 3))
    """
    double = _vertices_with_parallel_edges(game)
    kept = np.ones(game.edge_count, dtype=bool)
    merged: dict[int, tuple[Fraction, Fraction]] = {}
    for vertex in double:
        groups = grouped((int(game.target[edge]), edge) for edge in game.edges_of(vertex))
        if game.owner[vertex] == SYSTEM:
            answers = dict(_merge_answers(game, groups))
            merged |= answers
            best = list(answers)
        else:
            best = [min(edges, key=lambda edge: game.cost[edge] or 0) for edges in groups.values()]
        kept[game.first[vertex] : game.first[vertex + 1]] = False
        kept[best] = True
    return _with_edges(game, np.flatnonzero(kept), merged)


def _vertices_with_parallel_edges(game: Game) -> list[int]:
    pair = game.source.astype(np.int64) * game.vertex_count + game.target
    order = np.argsort(pair, kind="stable")
    again = order[1:][pair[order][1:] == pair[order][:-1]]
    return [int(vertex) for vertex in np.unique(game.source[again])]


def _merge_answers(game: Game, groups: dict[int, list[int]]) -> list[tuple[int, tuple[Fraction, Fraction]]]:
    """For the first edge of each group: probability and cost of all of them together."""
    made = []
    for edges in groups.values():
        shares = [edge_chance(game, edge) for edge in edges]
        paid = sum((share * (game.cost[edge] or 0) for share, edge in zip(shares, edges, strict=True)), Fraction(0))
        made.append((edges[0], (sum(shares, Fraction(0)), paid / sum(shares))))
    return made


def _with_edges(game: Game, edges: NDArray[np.int64], merged: dict[int, tuple[Fraction, Fraction]]) -> Game:
    """The game with only these edges, some with a new probability and cost."""
    return subgame(
        game,
        edges,
        cost=_changed(game.cost, edges, {edge: cost for edge, (_, cost) in merged.items()}),
        probability=_changed(game.probability, edges, {edge: share for edge, (share, _) in merged.items()}),
        known_roles=None,
        known_origin=None,
    )


def _changed(column: Exact, places: NDArray[np.int64], new: dict[int, Fraction]) -> Exact:
    if not new:
        return column.taken(places)
    return exact_column_of([new.get(place, column[place]) for place in places.tolist()])


_LONGEST = 900  # bits of a number: a game takes no longer ones
Row = dict[int, tuple[Fraction, Fraction]]
"""By target: probability, and probability times cost."""


def compressed_game(game: Game, goal: Wanted) -> Game:
    """Compress a game for a goal: parallel edges merged and chains passed over; what the goal costs stays as it is."""
    target = find_target(game, goal)
    small = compress_chains(merge_parallel_edges(target.game), target.vertices).game
    origin = replace(small.origin, approximate=game.origin.approximate, stopped=game.origin.stopped)
    return replace(small, known_origin=origin)


class Compressed(NamedTuple):
    """A smaller game with the same values."""

    game: Game
    vertex: NDArray[np.int64]
    """The new number of each old vertex; -1 where it was passed over."""


def compress_chains(game: Game, goals: NDArray[Any]) -> Compressed:
    """Compress chains: pass over system vertices that only the system enters, changing no value of the others.

    >>> from outplay import GameBuilder
    >>> builder = GameBuilder().vertex("s", "tester").vertex("p", "system").vertex("q", "system").vertex("g", "tester")
    >>> builder = builder.edge("s", "p").edge("p", "q", cost=3).edge("p", "s").edge("q", "g").edge("q", "p", cost=2)
    >>> small = compress_chains(builder.build(), np.array([3]))
    >>> small.game, small.vertex.tolist()
    (Game(3 vertices, 3 edges, initial 's'), [0, 1, -1, 2])
    >>> small.game.probability[2], small.game.cost[2]
    (Fraction(1, 3), Fraction(17, 3))
    """
    passing = _Passing(game, goals)
    passing.run()
    return _rebuilt(game, passing)


class _Passing:
    """The rows of system vertices, and who leads to whom, while vertices are passed over."""

    def __init__(self, game: Game, goals: NDArray[Any]) -> None:
        self.is_goal = is_goal = np.zeros(game.vertex_count, dtype=bool)
        is_goal[goals] = True
        stays = is_goal | (game.owner == TESTER)
        stays[game.initial] = True
        stays[game.target[(game.owner[game.source] == TESTER) & ~is_goal[game.source]]] = True
        self.rows = {
            vertex: _row(game, vertex) for vertex in np.flatnonzero(~is_goal & (game.owner == SYSTEM)).tolist()
        }
        self.into: dict[int, set[int]] = {vertex: set() for vertex in np.flatnonzero(~stays).tolist()}
        for vertex, row in self.rows.items():
            for target in row.keys() & self.into.keys():
                self.into[target].add(vertex)
        self.changed: set[int] = set()
        self.dropped: list[int] = []

    def run(self) -> None:
        queue = [(self.paths(vertex), vertex) for vertex in self.into]
        heapq.heapify(queue)
        while queue:
            paths, vertex = heapq.heappop(queue)
            if vertex not in self.into or paths != self.paths(vertex):
                continue  # gone, or counted again since
            near = self.into[vertex] | self.rows[vertex].keys()
            if self.pass_over(vertex):
                for other in near & self.into.keys():
                    heapq.heappush(queue, (self.paths(other), other))
        for vertex, row in self.rows.items():
            left = _left(row, vertex)
            if left and left is not row and not any(map(_long, left.values())):
                self.rows[vertex] = left
                self.changed.add(vertex)

    def paths(self, vertex: int) -> int:
        return len(self.into[vertex]) * len(self.rows[vertex])

    def growth(self, vertex: int, before: set[int]) -> int:
        """Count the additional edges without the vertex, before any fraction is multiplied."""
        onward = self.rows[vertex].keys() - {vertex}
        more = sum(len(onward - self.rows[source].keys()) - 1 for source in before)
        return more - len(self.rows[vertex])

    def pass_over(self, vertex: int) -> bool:
        """Lead everything that leads here on to what follows, if that makes the graph no larger."""
        before = self.into[vertex] - {vertex}
        if self.growth(vertex, before) > 0:
            return False
        row = _left(self.rows[vertex], vertex)
        new = {source: _joined(self.rows[source], vertex, row) for source in before}
        if not row or any(_long(answer) for made in new.values() for answer in made.values()):
            return False
        self.dropped.append(vertex)
        for target in self.rows.pop(vertex).keys() & self.into.keys():
            self.into[target].discard(vertex)
        del self.into[vertex]
        for source, made in new.items():
            self.rows[source] = made
            self.changed.add(source)
            for target in row.keys() & self.into.keys():
                self.into[target].add(source)
        return True


def _row(game: Game, vertex: int) -> Row:
    """The answers of a vertex, those to the same vertex together."""
    row: Row = {}
    for edge, share in zip(game.edges_of(vertex), exact_chances(game, vertex), strict=True):
        target = int(game.target[edge])
        known = row.get(target, (Fraction(0), Fraction(0)))
        row[target] = known[0] + share, known[1] + share * (game.cost[edge] or 0)
    return row


def _left(row: Row, vertex: int) -> Row:
    """The answers after the vertex has been left for good; none if it never is."""
    if vertex not in row:
        return row
    stays, paid = row[vertex]
    if stays == 1:
        return {}
    leaves = 1 / (1 - stays)
    others = [(target, share * leaves, cost * leaves) for target, (share, cost) in row.items() if target != vertex]
    return {target: (share, cost + share * paid * leaves) for target, share, cost in others}


def _joined(row: Row, vertex: int, onward: Row) -> Row:
    """A row with one target replaced by what follows it."""
    made = dict(row)
    reached, paid = made.pop(vertex)
    for target, (share, cost) in onward.items():
        known = made.get(target, (Fraction(0), Fraction(0)))
        made[target] = known[0] + reached * share, known[1] + paid * share + reached * cost
    return made


def _long(answer: tuple[Fraction, Fraction]) -> bool:
    share, paid = answer
    numbers = (share.denominator, (paid / share).numerator, (paid / share).denominator)
    return max(numbers).bit_length() > _LONGEST


def _rebuilt(game: Game, passing: _Passing) -> Compressed:
    gone = passing.dropped
    kept = np.setdiff1d(np.arange(game.vertex_count), gone)
    number = np.full(game.vertex_count, -1, dtype=np.int64)
    number[kept] = np.arange(len(kept))
    made = [
        (vertex, answer) for vertex in sorted(passing.changed - set(gone)) for answer in passing.rows[vertex].items()
    ]
    same = np.flatnonzero(~passing.is_goal[game.source] & ~np.isin(game.source, [*gone, *passing.changed]))
    labels = game.labels if "" in game.labels else (*game.labels, "")
    source = np.concatenate((number[game.source[same]], [number[vertex] for vertex, _ in made])).astype(np.int64)
    target = np.concatenate((number[game.target[same]], [number[goal] for _, (goal, _) in made])).astype(np.int64)
    small = game_from_arrays(
        owner=game.owner[kept],
        source=source,
        target=target,
        cost=exact_column_of([*(game.cost[e] for e in same.tolist()), *(paid / p for _, (_, (p, paid)) in made)]),
        probability=exact_column_of([*(game.probability[e] for e in same.tolist()), *(p for _, (_, (p, _)) in made)]),
        moves=np.concatenate((game.moves[same], np.ones(len(made), dtype=np.uint8))),
        label=np.concatenate((game.label[same], np.full(len(made), labels.index(""), dtype=np.uint32))),
        labels=labels,
        gain=game.gain.taken(kept),
        initial=int(number[game.initial]),
        goals={name: number[members][number[members] >= 0] for name, members in game.goals.items()},
        names=[game.names[vertex] for vertex in kept.tolist()],
    )
    return Compressed(small, number)
