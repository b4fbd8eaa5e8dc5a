"""What the definition says of jokers: least jokers, and least moves with that many in hand."""

from __future__ import annotations

import itertools
from functools import partial

from helpers import games
from helpers.games import TOWARDS_0, Plain
from outplay.strategy.jokers.joker_answers import JokerStrategy
from outplay.strategy.jokers.prices import HelpKind, help_kind

NEVER = 10**9
STEEP = (-1, -2, -4, -1, 1, 3)
draw = partial(games.draw, most=10, system=0.7, ways=(*TOWARDS_0, STEEP), free=0.25, rounds=True)
"""A game with cycles without moves among its edges, and ways to the goal that are long or fall back far."""


def within(plain: Plain, jokers: int, steps: int) -> list[list[int]]:
    """The definition with memory: least worst-case moves to be at a goal after so many steps, by jokers in hand."""
    table = [[0 if vertex in plain.goals else NEVER for vertex in plain.vertices] for _ in range(jokers + 1)]
    for _ in range(steps):
        before = [list(row) for row in table]
        for left, vertex in itertools.product(range(jokers + 1), set(plain.vertices) - plain.goals):
            edges = [plain.edges[place] for place in plain.leaving(vertex)]
            offers = [edge.moves + before[left][edge.target] for edge in edges]
            if plain.system[vertex]:
                asked = [edge.moves + before[left - 1][edge.target] for edge in edges] if left else []
                offers = [max(offers, default=NEVER), *asked]
            table[left][vertex] = min([NEVER, *offers])
    return table


def least(plain: Plain) -> list[tuple[int, int] | None]:
    """Vertex by vertex the least jokers with which the goal can be forced, and the least moves with that many."""
    most = sum(plain.system)
    table = within(plain, most, steps=len(plain.system) * (most + 1))
    enough = [[left for left in range(most + 1) if table[left][v] < NEVER] for v in plain.vertices]
    return [(lefts[0], table[lefts[0]][v]) if lefts else None for v, lefts in enumerate(enough)]


def help_wanted(answer: JokerStrategy) -> list[tuple[int, int, HelpKind]]:
    """Where plays along the strategy ask for help: vertex, edge and kind, nearest to the start first."""
    game, strategy, goals = answer.game, answer.strategy, set(answer.goal_vertices.tolist())
    queue, wanted = [(game.initial, strategy.start)], list[tuple[int, int, HelpKind]]()
    for vertex, memory in queue:
        edge, after = strategy.edge(vertex, memory), strategy.after(vertex, memory)
        if edge is not None and after < memory:
            wanted.append((vertex, edge, help_kind(game.label_of(edge))))
        edges = [] if vertex in goals else game.edges_of(vertex) if edge is None else [edge]
        reached = [(int(game.target[taken]), after) for taken in edges]
        queue += [place for place in dict.fromkeys(reached) if place not in queue]
    return list(dict.fromkeys(wanted))
