"""The worth of a goal at every vertex: forced at which cost, with how much help, with which probability.

Each number is that of the solver that promises it, found once for all vertices. The numbers of vertices and edges are
those of the game that is shown, because a label or a transition as a goal only adds vertices behind them.

The forecast on the page: the table, the place of each target in the graph, why not, and how it is played.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from outplay.breadth_first_search import nearest_first
from outplay.errors import UsageError
from outplay.game.assumption import Assumption
from outplay.game.goals.target import Target, find_target
from outplay.game.graph import SYSTEM, Game
from outplay.plurals import times
from outplay.strategy.answer import Answer, Blocked
from outplay.strategy.forecast.entries import Entry, Forecast
from outplay.strategy.forecast.forecast import forecast
from outplay.strategy.forecast.listed_goals import KINDS
from outplay.strategy.forecast.sentences import sentence
from outplay.strategy.number_format import format_number, format_rounded
from outplay.strategy.objectives import OBJECTIVES
from outplay.studio.document import Asked, Document
from outplay.studio.obstacles import Obstacles, obstacles
from outplay.studio.scene import pack

MOST_SHOWN = 20_000  # vertices of a strategy or a blocking set


@dataclass(frozen=True)
class Worth:
    """The worth of a goal at one vertex."""

    cost: Any
    """The least cost that is sure to suffice; None where it cannot be forced."""
    helps: int | None
    """The number of times that the system has to help; None where no help leads there."""
    probability: float | None
    expected: Any

    @property
    def order(self) -> tuple[Any, ...]:
        """Smaller is better for the tester."""
        if self.cost is not None:
            return (0, float(self.cost))
        if self.expected is not None:
            return (1, float(self.expected))
        return (2, -(self.probability or 0.0), self.helps if self.helps is not None else float("inf"))

    @property
    def words(self) -> str:
        """The worth for people."""
        if self.cost is not None:
            return "reached" if not self.cost else f"forced, cost {format_number(self.cost)}"
        if self.helps is None and not self.probability:
            return "impossible"
        parts = [f"needs help {times(self.helps)}"] if self.helps else ["not forced"]
        if self.expected is not None:
            return ", ".join([*parts, f"cost {format_rounded(self.expected)} expected"])
        return ", ".join([*parts, *([f"probability {self.probability:.2g}"] if self.probability is not None else [])])

    def loses(self, before: Worth) -> bool:
        """Return whether a move from `before` to this gives up what could be forced, or reached at all."""
        if before.cost is not None:
            return self.cost is None
        return before.words != self.words == "impossible"

    @property
    def tint(self) -> float:
        """From 0 for impossible to 1 for forced."""
        if self.cost is not None:
            return 1.0
        share = self.probability if self.probability is not None else 0.5 if self.helps is not None else 0.0
        return 0.1 + 0.7 * share if share else 0.0


class GoalValues:
    """The values of one goal on one game."""

    def __init__(self, game: Game, goal: str) -> None:
        self.shown, self.goal = game, goal
        target = find_target(game, goal)
        if target.game.vertex_count < game.vertex_count or not np.array_equal(
            target.game.owner[: game.vertex_count], game.owner
        ):
            raise UsageError(f"{goal} needs a memory, which this graph does not show; name a goal, a state or a label")
        self.target: Target = target

    @cached_property
    def sure(self) -> Answer:
        """Forced, at the least worst cost."""
        return OBJECTIVES["win"].solve(self.target.game, self.target)

    @cached_property
    def _fair(self) -> bool:
        return self.shown.origin.assumption is Assumption.INPUT_FAIR

    @cached_property
    def helped(self) -> Answer | None:
        """With the least help."""
        return None if self._fair else OBJECTIVES["joker"].solve(self.target.game, self.target, everywhere=True)

    @cached_property
    def likely(self) -> Answer | None:
        """With the best probability."""
        return None if self._fair else OBJECTIVES["probability"].solve(self.target.game, self.target)

    @cached_property
    def cheap(self) -> Answer | None:
        """At the least expected cost."""
        return None if self._fair else OBJECTIVES["expected"].solve(self.target.game, self.target)

    def at(self, vertex: int) -> Worth:
        """Return the worth of the goal at a vertex of the game that was solved."""
        cost = self.sure.value_of(vertex)
        found = [None if one is None else one.value_of(vertex) for one in (self.helped, self.likely, self.cheap)]
        helps, probability, expected = found
        share = None if probability is None else float(probability)
        return Worth(cost, None if helps is None else helps.jokers, share, expected)

    def after(self, edge: int) -> Worth:
        """Return the worth of the goal once an edge was taken."""
        return self.at(int(self.target.game.target[edge]))

    def best(self, vertex: int) -> int | None:
        """The edge that the strategy takes at a vertex, the strongest promise first; None where it has no choice."""
        answers = [self.sure, self.cheap, self.likely, self.helped]
        for answer in answers:
            chosen = answer.chosen(vertex) if answer is not None else None
            if chosen is not None and self.shown.owner[vertex] != SYSTEM:
                return chosen
        return None

    def edge_by_order(self, vertex: int, *, worst: bool) -> int:
        """The edge at a vertex that is the worst or the best for the tester."""
        edges = self.shown.edges_of(vertex)
        pick = max if worst else min
        return pick(edges, key=lambda edge: self.after(edge).order)

    @cached_property
    def tints(self) -> NDArray[np.float32]:
        """For each vertex from 0 for impossible to 1 for forced."""
        return np.array([self.at(vertex).tint for vertex in range(self.shown.vertex_count)], dtype=np.float32)

    @cached_property
    def cost_tints(self) -> NDArray[np.float32]:
        """For each vertex how near the goal is: 1 at the goal, 0 where it is dearest; nothing where it has no price."""
        worths = [self.at(vertex) for vertex in range(self.shown.vertex_count)]
        prices = [one.cost if one.cost is not None else one.expected for one in worths]
        known = np.array([np.nan if price is None else float(price) for price in prices], dtype=np.float32)
        most = max(float(np.nanmax(known, initial=0.0)), 1.0)
        near: NDArray[np.float32] = (1 - np.sqrt(known / most)).astype(np.float32)
        return near

    def reached(self) -> dict[str, Any]:
        """The vertices that are the goal, and the edges that lead through it."""
        count, game = self.shown.vertex_count, self.target.game
        inside = self.target.vertices
        through = np.flatnonzero(np.isin(game.target[: self.shown.edge_count], inside[inside >= count]))
        return {"vertices": inside[inside < count].tolist()[:MOST_SHOWN], "edges": self.pairs(through.tolist())}

    def pairs(self, edges: list[int]) -> list[list[int]]:
        """Edges of the game that is shown, as their ends."""
        return [[int(self.shown.source[e]), int(self.shown.target[e])] for e in edges[:MOST_SHOWN]]

    def blocking(self) -> dict[str, Any]:
        """Return the vertices in which the system can keep the play from the goal, and the edges inside."""
        helped = self.helped
        impossible = isinstance(helped, Blocked)
        answer = helped if isinstance(helped, Blocked) else self.sure
        if not isinstance(answer, Blocked):
            return {
                "sentence": str(answer),
                "vertices": [],
                "edges": [],
                "impossible": False,
                **Obstacles().json(self.shown),
            }
        inside = answer.blocking[answer.blocking < self.shown.vertex_count]
        held = np.zeros(self.target.game.vertex_count, dtype=bool)
        held[answer.blocking] = True
        game = self.target.game
        source, target = game.source[: self.shown.edge_count], game.target[: self.shown.edge_count]
        edges = np.flatnonzero(held[source] & held[target])
        return {
            "sentence": str(answer),
            "vertices": inside.tolist()[:MOST_SHOWN],
            "edges": self.pairs(edges.tolist()),
            "impossible": impossible,
            **self._obstacles.json(self.shown),
        }

    @cached_property
    def _obstacles(self) -> Obstacles:
        return obstacles(self.shown, self.target, self.sure, self.helped)

    def strategy(self, vertex: int) -> dict[str, Any]:
        """Return the strategy from a vertex: the moves of the tester, and all answers of the system to them."""
        ends, game = set(self.target.vertices.tolist()), self.target.game

        def edges(at: int) -> list[int]:
            if at in ends:
                return []
            chosen = self.best(at) if at < self.shown.vertex_count else None
            return list(game.edges_of(at)) if chosen is None else [chosen]

        met = nearest_first([vertex], lambda at: [int(game.target[e]) for e in edges(at)])
        inside = [at for at in met if at < self.shown.vertex_count][:MOST_SHOWN]
        taken = [edge for at in inside for edge in edges(at) if edge < self.shown.edge_count]
        worth = self.at(vertex)
        scope = game.origin.scope
        return {"sentence": f"{scope}{self.goal}: {worth.words}", "vertices": inside, "edges": self.pairs(taken)}


def goal_values(document: Document, goal: str) -> GoalValues:
    """Return the values of a goal at every vertex of a document; found once."""
    return document.kept(("goal", goal), lambda: GoalValues(document.game, goal))


MOST_ROWS = 3_000


def forecast_rows(document: Document, asked: Asked) -> dict[str, Any]:
    """The forecast of one kind of targets, the easiest first."""
    kind = asked.text("kind", KINDS[0])
    if kind not in KINDS:
        raise UsageError(f"the kinds of targets are {', '.join(KINDS)}")
    found = document.kept(("forecast", kind), lambda: forecast(document.game, kinds=[kind]))
    rows = [_row(entry, found) for entry in found.entries[:MOST_ROWS]]
    return {"rows": rows, "count": len(found.entries), "steps": found.steps, "warnings": list(found.warnings)}


def _row(entry: Entry, found: Forecast) -> dict[str, Any]:
    verdict = "forced" if entry.forced else "impossible" if entry.impossible else "help"
    return {
        "name": entry.name,
        "kind": entry.kind,
        "verdict": verdict,
        "words": sentence(entry, found),
        "moves": entry.forced.moves if entry.forced else None,
        "helps": entry.jokers,
        "probability": entry.probability,
        "expected": None if entry.expected_cost is None else float(entry.expected_cost),
        "about": entry.about,
    }


def target_places(document: Document, asked: Asked) -> dict[str, Any]:
    """Return the vertices and edges at which a target of the forecast holds."""
    with document.lock:
        return goal_values(document, asked.text("goal")).reached()


def why_not(document: Document, asked: Asked) -> dict[str, Any]:
    """Explain why a goal has no value that can be forced: the set in which the system can keep the play."""
    with document.lock:
        return goal_values(document, asked.text("goal")).blocking()


def how_to(document: Document, asked: Asked) -> dict[str, Any]:
    """Return the strategy for a goal from a vertex, as its values suggest."""
    vertex = asked.number("vertex", document.game.vertex_count)
    with document.lock:
        return goal_values(document, asked.text("goal")).strategy(vertex)


def alternatives(document: Document, asked: Asked) -> dict[str, Any]:
    """Return the worth of a goal at a vertex and after each move from it, and which one the strategy takes."""
    game = document.game
    vertex = asked.number("vertex", game.vertex_count)
    with document.lock:
        values = goal_values(document, asked.text("goal"))
        edges = [*game.edges_of(vertex)]
        worths = {edge: values.after(edge) for edge in edges}
        best = values.best(vertex)
    ranks, here = sorted({worth.order for worth in worths.values()}), values.at(vertex)
    moves = [
        {"edge": e, "words": w.words, "rank": ranks.index(w.order), "chosen": e == best, "worse": w.loses(here)}
        for e, w in worths.items()
    ]
    return {"here": here.words, "moves": moves, "ranks": len(ranks), "system": bool(game.owner[vertex] == SYSTEM)}


def goal_tints(document: Document, asked: Asked) -> bytes:
    """For each vertex a number from 0 to 1 that a goal gives it: by forecast, or by value; no number is NaN."""
    with document.lock:
        values = goal_values(document, asked.text("goal"))
        found = values.cost_tints if asked.text("by") == "value" else values.tints
    return pack({"goal": values.goal}, {"tint": found.astype(np.float32)})
