"""Playing by hand on the graph: a person is the tester or the system, and somebody chooses for the other side.

A play is its path of edges from the start, so the server keeps nothing: undoing, going back and forking are other
paths. Chance goes by the seed and the path alone, so the same path is always answered alike.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from random import Random
from typing import Any

from outplay.errors import UsageError
from outplay.game.graph import SYSTEM, Game
from outplay.studio.asked import Asked
from outplay.studio.document import Document
from outplay.studio.goal_values import GoalValues, goal_values
from outplay.studio.scenes import short_name

TESTER_SIDE, SYSTEM_SIDE, BOTH = "tester", "system", "both"
SIDES = (TESTER_SIDE, SYSTEM_SIDE, BOTH)
"""Whom the person plays."""
ADVERSARY, CHANCE, HELPER = "adversary", "chance", "helper"
RIVALS = (ADVERSARY, CHANCE, HELPER)
"""The rivals that choose for the other side: as badly as it may, by chance, as kindly as it may."""
MOST_STEPS = 2_000
MOST_IN_A_ROW = 100  # of the other side


@dataclass(frozen=True)
class HandPlay:
    """One play: the path so far, and how it goes on."""

    document: Document
    path: tuple[int, ...]
    side: str = TESTER_SIDE
    rival: str = ADVERSARY
    goal: str = ""
    seed: int = 0

    @property
    def game(self) -> Game:
        return self.document.game

    @cached_property
    def values(self) -> GoalValues | None:
        """Return the values of the goal, where there is one."""
        return goal_values(self.document, self.goal) if self.goal else None

    @cached_property
    def vertex(self) -> int:
        """Return the vertex where the play stands; a path with a gap is refused."""
        at = self.game.initial
        for edge in self.path:
            if edge >= self.game.edge_count or int(self.game.source[edge]) != at:
                raise UsageError("this path is none of the graph any more; begin again")
            at = int(self.game.target[edge])
        return at

    @property
    def reached(self) -> bool:
        """Whether the goal was reached, now or on the way."""
        if self.values is None:
            return False
        goals = set(self.values.target.vertices.tolist())
        met = [self.values.target.game.initial, *(int(self.values.target.game.target[edge]) for edge in self.path)]
        return any(vertex in goals for vertex in [*met, self.vertex])

    @property
    def moves_here(self) -> bool:
        """Whether it is the person's turn."""
        owner = SYSTEM_SIDE if self.game.owner[self.vertex] == SYSTEM else TESTER_SIDE
        return self.side in (owner, BOTH)

    def answered(self) -> HandPlay:
        """Let the other side move until it is the person's turn, the goal is reached or nobody can move."""
        play = self
        for _ in range(MOST_IN_A_ROW):
            if play.moves_here or play.reached or not len(play.game.edges_of(play.vertex)):
                return play
            play = HandPlay(self.document, (*play.path, play._choice()), self.side, self.rival, self.goal, self.seed)
            _ = play.vertex
        return play

    def _choice(self) -> int:
        """The edge that the other side takes."""
        edges, game = list[int](self.game.edges_of(self.vertex)), self.game
        systems = bool(game.owner[self.vertex] == SYSTEM)
        if self.values is None or self.rival == CHANCE:
            rng = Random(f"{self.seed} {self.path}")
            chances = [game.probability[edge] for edge in edges]
            shares = [1.0 if chance is None else float(chance) for chance in chances]
            return rng.choices(edges, shares)[0] if any(shares) else rng.choice(edges)
        # An adversary of a tester is a system that keeps it from the goal; one of a system is a tester that gets there.
        if not systems and self.rival == ADVERSARY and (best := self.values.best(self.vertex)) is not None:
            return best
        return self.values.edge_by_order(self.vertex, worst=systems == (self.rival == ADVERSARY))

    def steps(self) -> Iterator[dict[str, Any]]:
        """The path step by step; a decision that counts no move has no number."""
        number = 0
        for place, edge in enumerate(self.path):
            number += bool(self.game.moves[edge])
            owner = SYSTEM_SIDE if self.game.owner[self.game.source[edge]] == SYSTEM else TESTER_SIDE
            yield {
                "edge": edge,
                "place": place,
                "n": number if self.game.moves[edge] else None,
                "label": self.game.label_of(edge) or self.game.input_of(edge) or self.game.edge_names[edge],
                "source": int(self.game.source[edge]),
                "target": int(self.game.target[edge]),
                "owner": owner,
                "mine": self.side in (owner, BOTH),
            }

    def json(self) -> dict[str, Any]:
        """The play for the page."""
        game, vertex = self.game, self.vertex
        stuck = not len(game.edges_of(vertex))
        return {
            "path": list(self.path),
            "steps": list(self.steps()),
            "vertex": vertex,
            "name": " ".join(filter(None, short_name(game, vertex))),
            "turn": SYSTEM_SIDE if game.owner[vertex] == SYSTEM else TESTER_SIDE,
            "mine": self.moves_here,
            "reached": self.reached,
            "stuck": stuck,
            "worth": self.values.at(vertex).words if self.values else "",
        }


def play_by_hand(document: Document, asked: Asked) -> dict[str, Any]:
    """Take a path, with the person's last move at its end, and let the other side answer."""
    game, goal = document.game, asked.text("goal", "")
    side, rival = asked.text("side", TESTER_SIDE), asked.text("rival", ADVERSARY)
    if side not in SIDES or rival not in RIVALS:
        raise UsageError(f"play {', '.join(SIDES)} against {', '.join(RIVALS)}")
    if rival != CHANCE and side != BOTH and not goal:
        raise UsageError(f"an {rival} needs a goal to play for: choose one, or play against chance")
    play = HandPlay(document, path_asked(game, asked), side, rival, goal, asked.number("seed", 2**31, 0))
    with document.lock:
        return (play.answered() if asked.flag("answer") else play).json()


def path_asked(game: Game, asked: Asked) -> tuple[int, ...]:
    """The path of a play."""
    path = asked.numbers("path", game.edge_count)
    if len(path) > MOST_STEPS:
        raise UsageError(f"a play by hand has at most {MOST_STEPS} steps")
    return tuple(path)
