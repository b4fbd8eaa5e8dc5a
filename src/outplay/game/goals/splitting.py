"""Splitting transitions: a transition gets a vertex of its own on its way, so that it can be a target like a state.

The edges of the transition lead to that vertex, and one more edge, which costs nothing and counts no move, leads on.
The numbers of the old vertices and edges stay. A label is the set of its transitions' vertices. So thousands of targets
are solved on one frozen graph, and none is built anew.

In an explored game the choice of an input stands behind a vertex (q, a) of its own, and the same output may be on
several edges, before and after that choice. They are one transition of the model: same state, same label, same target.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from outplay.game.exact_numbers import Ints
from outplay.game.goals.goal import transition_text
from outplay.game.graph import Game
from outplay.game.roles import Extended, LazyNames, Numbered, Role


@dataclass(frozen=True, eq=False)
class Transitions:
    """The transitions of a game; each part is made when it is asked for.

    >>> from outplay import automaton, explore
    >>> Transitions(explore(automaton([("down", "!flip", "up"), ("up", "!flip", "down")]))).names
    ['down --!flip--> up', 'up --!flip--> down']
    """

    game: Game

    @cached_property
    def of_edge(self) -> Ints:
        """For each edge the number of its transition, -1 where it is none (a choice that counts no move)."""
        moved = np.flatnonzero(self.game.moves > 0)
        of_edge = np.full(self.game.edge_count, -1, dtype=np.int64)
        of_edge[moved] = self.grouped(moved)
        return of_edge

    def grouped(self, edges: Ints) -> Ints:
        """Number the transitions of some edges, in the order in which they come.

        In an explored game a transition is a state, a label and a target; in any other each edge is one.
        """
        game = self.game
        if not game.origin.explored:
            return np.arange(len(edges))
        labelled = _numbered(self.start_of[game.source[edges]] * len(game.labels) + game.label[edges])
        return _numbered(labelled * game.vertex_count + game.target[edges])

    @cached_property
    def start_of(self) -> Ints:
        """For each vertex the one its transitions start from: in an explored game a choice is one with its state."""
        game = self.game
        behind = game.roles.role >= Role.CHOICE if game.origin.explored else np.zeros(game.vertex_count, dtype=bool)
        return np.where(behind, game.roles.state, np.arange(game.vertex_count)).astype(np.int64)

    @cached_property
    def count(self) -> int:
        return int(self.of_edge.max(initial=-1)) + 1

    @cached_property
    def examples(self) -> Ints:
        """One edge of each transition, the first."""
        numbers = np.flatnonzero(self.of_edge >= 0)
        return numbers[np.unique(self.of_edge[numbers], return_index=True)[1]]

    @cached_property
    def label(self) -> Ints:
        return self.game.label[self.examples].astype(np.int64)

    @cached_property
    def split(self) -> Game:
        """The game with a vertex for each transition, behind its own ones, without names or goals."""
        count = self.game.vertex_count + self.count
        edges = self.game.edge_count + self.count
        bare = replace(self.game, names=Numbered("v", self.game.vertex_count), goals={})
        made = _split_groups(bare, self.of_edge)
        return replace(made, names=Numbered("v", count), edge_names=Numbered("e", edges))

    def name(self, edge: int) -> str:
        """The transition of an edge as it is written, by the names of its vertices."""
        game = self.game
        start, end = int(self.start_of[game.source[edge]]), int(game.target[edge])
        return transition_text(game.names[start], game.label_of(edge), game.names[end])

    @cached_property
    def names(self) -> list[str]:
        """The names of the transitions, with the edge's name where two would be the same."""
        game, made = self.game, [self.name(edge) for edge in self.examples.tolist()]
        met = Counter(made)
        return [
            f"{name} ({game.edge_names[edge]})" if met[name] > 1 else name
            for name, edge in zip(made, self.examples.tolist(), strict=True)
        ]


def split_transitions(game: Game, edges: Ints) -> Game:
    """Split the transitions of some edges of a game, so that each has a vertex of its own."""
    transitions = Transitions(game)
    number = transitions.grouped(edges)
    group = np.full(game.edge_count, -1, dtype=np.int64)
    group[edges] = number
    passed = edges[np.unique(number, return_index=True)[1]]
    return _split_groups(game, group, LazyNames(len(passed), lambda at: f"on {transitions.name(int(passed[at]))}"))


def _split_groups(game: Game, group: NDArray[Any], names: Sequence[str] | None = None) -> Game:
    """Lead the edges of each group (numbered from 0; -1 for none) through a new vertex; its edge is the new last one.

    All edges of a group lead to one vertex.
    """
    chosen = np.flatnonzero(group >= 0)
    count = int(group.max(initial=-1)) + 1
    ends = np.zeros(count, dtype=np.uint32)
    ends[group[chosen]] = game.target[chosen]
    through = game.target.copy()
    through[chosen] = game.vertex_count + group[chosen]
    added = names or Numbered("transition ", count)
    return replace(
        game,
        owner=np.append(game.owner, game.owner[ends]),  # whoever moves next: so nobody gives up half way
        first=np.append(game.first, game.edge_count + np.arange(1, count + 1)).astype(np.uint32),
        target=np.append(through, ends),
        cost=game.cost.extended(0, count),
        probability=game.probability.extended(None, count),
        moves=np.append(game.moves, np.zeros(count, dtype=np.uint8)),
        label=np.append(game.label, np.full(count, game.labels.index("") if "" in game.labels else len(game.labels))),
        labels=game.labels if "" in game.labels else (*game.labels, ""),
        gain=game.gain.extended(0, count),
        names=Extended(game.names, added),
        edge_names=Extended(game.edge_names, Numbered("on after ", count)),
        known_roles=game.roles.extended(ends, Role.PASSING),
        known_origin=game.origin,
    )


def _numbered(keys: Ints) -> Ints:
    """Number equal keys alike, in the order in which they first come."""
    _, first, alike = np.unique(keys, return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank[alike]
