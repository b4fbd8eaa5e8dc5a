"""The board: one game on which every target of a forecast is a set of vertices.

States and goals are vertices already. A transition is reached on the way along its edges, so it gets a vertex of its
own there: its edges lead to that vertex, and one more edge, which costs nothing and counts no move, leads on. A label
is the set of its transitions' vertices. So thousands of targets are solved on one frozen graph, and none is built anew.

In an explored game the choice of an input stands behind a vertex (q, a) of its own, and the same output may be on
several edges, before and after that choice. They are one transition of the model: same state, same label, same target.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from outplay.game.graph import TESTER, Game, Numbered, Vertices
from outplay.game.roles import Role
from outplay.game.tables import Exact, constant, exact

Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Board:
    """A game, the same game with a vertex for each transition, and which is which; each part is made when asked for.

    >>> from outplay import Model, explore, observable
    >>> class Coin(Model):
    ...     up: bool = False
    ...     @observable
    ...     def flip(self):
    ...         self.up = not self.up
    >>> Board(explore(Coin)).names
    ['s0 !flip → s1', 's1 !flip → s0']
    """

    base: Game

    @cached_property
    def group(self) -> Ints:
        """For each edge the number of its transition, -1 where it is none (a choice that counts no move).

        In an explored game a transition is a state, a label and a target; in any other each edge is one.
        """
        game, moved = self.base, np.flatnonzero(self.base.moves > 0)
        group = np.full(game.edge_count, -1, dtype=np.int64)
        if game.origin.explored:
            labelled = _numbered(self.place[game.source[moved]] * len(game.labels) + game.label[moved])
            group[moved] = _numbered(labelled * game.vertex_count + game.target[moved])
        else:
            group[moved] = np.arange(len(moved))
        return group

    @cached_property
    def count(self) -> int:
        """How many transitions there are."""
        return int(self.group.max(initial=-1)) + 1

    @cached_property
    def place(self) -> Ints:
        """For each vertex of the base the vertex its transitions start from: a choice is one with its state."""
        game = self.base
        behind = game.roles.role >= Role.CHOICE if game.origin.explored else np.zeros(game.vertex_count, dtype=bool)
        return np.where(behind, game.roles.state, np.arange(game.vertex_count))

    @cached_property
    def reachable(self) -> Vertices:
        """The states play can be in at all."""
        game = self.base
        met, stack = {game.initial}, [game.initial]
        target = game.target.tolist()
        while stack:
            new = {target[edge] for edge in game.edges_of(stack.pop())} - met
            met |= new
            stack.extend(new)
        return np.unique(self.place[sorted(met)]).astype(np.uint32)  # explored is more than what the rules let happen

    @cached_property
    def game(self) -> Game:
        """The game with a vertex for each transition, behind those of the base; edges keep their numbers."""
        base = self.base
        ends, moved = self.ends, self.group >= 0
        through = np.where(moved, base.vertex_count + self.group, base.target)
        return replace(
            base,
            owner=np.append(base.owner, np.full(self.count, TESTER, dtype=np.uint8)),
            first=np.append(base.first, base.edge_count + np.arange(1, self.count + 1)).astype(np.uint32),
            target=np.append(through, ends).astype(np.uint32),
            cost=_longer(base.cost, 0, self.count),
            probability=_longer(base.probability, None, self.count),
            moves=np.append(base.moves, np.zeros(self.count, dtype=np.uint8)),
            label=np.append(base.label, np.zeros(self.count, dtype=np.uint32)),
            gain=constant(1, base.vertex_count + self.count),
            goals={},
            names=Numbered("v", base.vertex_count + self.count),
            edge_names=Numbered("e", base.edge_count + self.count),
            known_roles=None,
            known_origin=base.origin,
        )

    @cached_property
    def examples(self) -> Ints:
        """One edge of each transition, the first."""
        numbers = np.flatnonzero(self.group >= 0)
        return numbers[np.unique(self.group[numbers], return_index=True)[1]]

    @cached_property
    def ends(self) -> Ints:
        """Where each transition leads."""
        return self.base.target[self.examples].astype(np.int64)

    @cached_property
    def labels(self) -> Ints:
        """The label of each transition."""
        return self.base.label[self.examples].astype(np.int64)

    @cached_property
    def names(self) -> list[str]:
        """The names of the transitions, `state label → state`; with the edge's name where two would be the same."""
        base, states = self.base, list(self.base.names)
        starts = self.place[base.source[self.examples]].tolist()
        made = [
            f"{states[start]} {text} → {states[end]}" if text else f"{states[start]} → {states[end]}"
            for start, text, end in zip(starts, map(base.label_of, self.examples), self.ends.tolist(), strict=True)
        ]
        met = Counter(made)
        edges = self.examples.tolist()
        return [
            f"{name} ({base.edge_names[edge]})" if met[name] > 1 else name
            for name, edge in zip(made, edges, strict=True)
        ]


def _longer(column: Exact, value: int | None, count: int) -> Exact:
    """The same numbers and so many times another one."""
    rows = np.append(column.index, np.full(count, len(column.table)))
    return exact([*column.table, value], rows.astype(np.int64))


def _numbered(keys: Ints) -> Ints:
    """Number equal keys alike, in the order in which they first come."""
    _, first, alike = np.unique(keys, return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank[alike]
