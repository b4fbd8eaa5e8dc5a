"""The choices of a simulated system that plays against the tester."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, TypeAlias

from outplay.game.roles import Role
from outplay.strategy.answer import Answer
from outplay.strategy.attractor import solve_attractor

if TYPE_CHECKING:
    from outplay.strategy.coverage.guarantee import Coverage

State: TypeAlias = Any  # of a model; a game finds the vertex of it
Badness = Callable[[State], float]  # how far a state is from the tester's goal; larger is worse for the tester


class Opponent:
    """Says how bad it would be for the tester to come to a state; this one goes by the state alone."""

    hasty = True
    """Whether the system speaks first where tester and system both can."""

    def __init__(self, badness: Badness, *, hasty: bool = True) -> None:
        self._badness, self.hasty = badness, hasty

    def begin(self) -> None:
        """A play begins."""

    def moved(self, state: State) -> None:
        """The play has come to a state."""

    def badness(self, state: State) -> float:
        """Rate how bad a state would be for the tester; larger is worse."""
        return self._badness(state)

    def gains(self, now: State, then: Iterable[State]) -> bool:
        """Say whether one of the states that it can come to is worse for the tester than the one it is in."""
        here = self.badness(now)
        return any(self.badness(state) > here for state in then)


def goal_opponent(answer: Answer) -> Opponent:
    """Choose answers that keep the tester from a goal: lost states are the worst, then the expensive ones."""
    game, solution = answer.game, solve_attractor(answer.game, answer.goal_vertices)

    def badness(state: State) -> float:
        vertex = game.origin.vertex(state)
        worth = -1.0 if vertex is None else float(solution.worth[vertex])
        return float("inf") if worth < 0 else worth

    return Opponent(badness)


def goal_helper(answer: Answer) -> Opponent:
    """Choose answers that help the tester to a goal, by an answer that says how often to help and what is left then.

    It waits for an input where speaking brings the goal no nearer.
    """

    def badness(state: State) -> float:
        vertex = answer.game.origin.vertex(state)
        left = None if vertex is None else answer.value_of(vertex)
        return -float("inf") if left is None else -(float(left.jokers) * answer.game.edge_count + float(left.moves))

    return Opponent(badness, hasty=False)


class WitnessOpponent(Opponent):
    """Plays the witness against coverage (Wang et al. 2013, appendix A.3): stays in what it offers while it can.

    From the same vertex, with the same set on offer, it always goes the same way. It is the worst of all systems where
    every state belongs to one side, and under `input-eager`: where both could move it waits for the tester, which may
    wait or reset as well.
    """

    hasty = False

    def __init__(self, found: Coverage) -> None:
        self._found, self._offer = found, frozenset[int]()
        bounds, roles = found.witness.bounds, found.game.roles
        order = sorted(range(len(bounds)), key=lambda vertex: (bounds[vertex], vertex))
        self._rank = {vertex: rank for rank, vertex in enumerate(order)}
        waiting = [v for v in range(found.game.vertex_count) if roles.role[v] == Role.WAITING]
        self._waiting = {int(roles.state[vertex]): vertex for vertex in waiting}

    def begin(self) -> None:
        self._offer = frozenset()

    def moved(self, state: State) -> None:
        vertex = self._found.game.origin.vertex(state)
        if vertex is None:
            return
        self._arrive(vertex)
        if vertex in self._waiting:
            self._arrive(self._waiting[vertex])

    def badness(self, state: State) -> float:
        vertex = self._found.game.origin.vertex(state)
        if vertex is None:
            return -1.0  # outside of what was explored anything may come
        return float((vertex in self._offer) * len(self._rank) + len(self._rank) - self._rank[vertex])

    def _arrive(self, vertex: int) -> None:
        self._offer = self._found.witness.offered(vertex, self._offer, self._found.weighted)
