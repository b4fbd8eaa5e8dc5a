"""Array kernels between a game and its decisions: plain functions that numba can compile (see compiling.py)."""

from __future__ import annotations

from typing import Any, NamedTuple

from outplay.game.algebra import Graph, Weighted
from outplay.strategy.arrays import UNIT, ProcessArrays

NO_STATE = 0xFFFFFFFF
"""In place of a state: the vertex has no finite value, or is part of an action."""


class Marks(NamedTuple):
    """The marks of folding on each vertex."""

    level: Any
    """-1 where the value is finite."""
    component: Any
    folded: Any
    """Not 0 where the vertex is part of an action."""
    state_of: Any
    """The state that the vertex is, or NO_STATE; all goals are one state, the last."""


def free_edges(game: Weighted, level: Any, goal: Any, onward: Any, free: Any) -> int:
    """Mark edges that cost nothing and may lead on, of the tester or of system vertices where none costs anything.

    `onward` is as `goal` on entry. Most free edges only lead to a vertex that costs: they are no part of a way or a
    circle, and not marked. Returns how many are. O(V + E).
    """
    owner, first, target, cost = game.owner, game.first, game.target, game.cost
    left = 0
    for vertex in range(len(level)):
        if level[vertex] != -1 or goal[vertex]:
            continue
        for edge in range(first[vertex], first[vertex + 1]):
            if cost[edge] == 0.0 and level[target[edge]] == -1:
                free[edge] = True
                left += 1
            elif owner[vertex] == 1 and cost[edge] > 0.0:
                for marked in range(first[vertex], edge):
                    left -= free[marked]
                    free[marked] = False
                break
        for edge in range(first[vertex], first[vertex + 1]):
            onward[vertex] |= free[edge]
    for _ in range(2):
        for vertex in range(len(level) if left > 0 else 0):
            leads = goal[vertex]
            for edge in range(first[vertex], first[vertex + 1]):
                if free[edge] and owner[vertex] == 0 and not onward[target[edge]]:
                    free[edge] = False
                    left -= 1
                leads |= free[edge]
            onward[vertex] = leads
    return left


def mark_folded(graph: Graph, level: Any, goals: Any, inside: Any, folded: Any) -> int:
    """Mark system vertices with one edge into them, from a vertex of the tester, and others of finite value as inside.

    Goals are neither. Returns the greatest number of edges of a vertex.
    """
    owner, first, in_first, in_source = graph.owner, graph.first, graph.in_first, graph.in_source
    for vertex in range(len(level)):
        inside[vertex] = level[vertex] == -1
        folded[vertex] = 0
    for place in range(len(goals)):
        inside[goals[place]] = False
    most = 0
    for vertex in range(len(level)):
        most = max(most, int(first[vertex + 1]) - int(first[vertex]))
        if inside[vertex] and owner[vertex] == 1 and in_first[vertex + 1] - in_first[vertex] == 1:
            before = in_source[in_first[vertex]]
            if inside[before] and owner[before] == 0:
                folded[vertex] = 1
                inside[vertex] = False
    return most


def number_states(states: Any, goals: Any, state_of: Any) -> None:
    """Note the state that each vertex is."""
    for vertex in range(len(state_of)):
        state_of[vertex] = NO_STATE
    for state in range(len(states)):
        state_of[states[state]] = state
    for place in range(len(goals)):
        state_of[goals[place]] = len(states)


def fill_actions(
    states: Any, goals: Any, game: Weighted, marks: Marks, process: ProcessArrays, action_edge: Any
) -> tuple[int, int]:
    """Write down the actions of all states and the outcomes of all actions.

    An action is an edge of the tester together with the answers of the system vertex it leads to, if that is folded, or
    all edges of a system vertex. Its cost is the expected one. Outcomes that stay are left out, and so are those that
    are no state; `leave` holds the chance that the state is left. Moves without outcomes are no actions. All goals are
    one state, the last. Returns the numbers of actions and outcomes. O(V + E).
    """
    owner, first, target, cost, probability = game.owner, game.first, game.target, game.cost, game.probability
    level, component, folded, state_of = marks.level, marks.component, marks.folded, marks.state_of
    row_first, action_first, action_cost = process.row_first, process.action_first, process.action_cost
    leave, outcome_first, outcome_state = process.leave, process.outcome_first, process.outcome_state
    outcome_chance = process.outcome_chance
    number_states(states, goals, state_of)
    action, outcome, row, last = 0, 0, 0, 0
    for state in range(len(states)):
        vertex = states[state]
        if component[vertex] != last:
            last = component[vertex]
            row_first[row] = state
            row += 1
        action_first[state] = action
        begin = first[vertex]
        end = begin + 1 if owner[vertex] == 1 else first[vertex + 1]
        for edge in range(begin, end):
            through = vertex
            paid = 0.0
            if owner[vertex] == 0:
                through = target[edge]
                paid = cost[edge]
                if level[through] != -1:
                    continue
            away = 1.0
            outcome_first[action] = outcome
            if owner[vertex] == 0 and folded[through] == 0:
                if through == vertex:
                    continue
                outcome_state[outcome] = state_of[through]
                outcome_chance[outcome] = 1.0
                outcome += 1
            else:
                total = 0.0
                for answer in range(first[through], first[through + 1]):
                    total += probability[answer]
                equal = 1.0 / (first[through + 1] - first[through])
                going = 0.0
                for answer in range(first[through], first[through + 1]):
                    chance = probability[answer] / total if total > 0.0 else equal  # not a number where absent
                    paid += chance * cost[answer]
                    beyond = target[answer]
                    if beyond == vertex:
                        away = 0.0
                        continue
                    going += chance
                    if state_of[beyond] != NO_STATE:
                        outcome_state[outcome] = state_of[beyond]
                        outcome_chance[outcome] = chance
                        outcome += 1
                if outcome == outcome_first[action]:
                    continue
                if away < 1.0:
                    away = min(going, 1.0)
            action_edge[action] = edge
            action_cost[action] = paid
            leave[action] = away
            action += 1
    action_first[len(states)] = action
    outcome_first[action] = outcome
    row_first[row] = len(states)
    return action, outcome


def complete_bounds(game: Weighted, graph: Graph, folded: Any, rounding: float, low: Any, high: Any) -> None:
    """Complete bounds at vertices that are part of an action: the average over their answers, rounded outward.

    What the answers differ by from the state before them, whose action they are, is averaged, so its rounding is what
    the certificate of that action left room for; that of the sum itself, and of the factor after it, is one unit each,
    for which the factor makes up. Where no answer falls below that state, nor does the average: rounding must not say
    so, as an action that only stays is none that a certificate made room for.
    """
    _, first, target, cost, probability = game
    in_first, in_source = graph.in_first, graph.in_source
    for vertex in range(len(folded)):
        if folded[vertex] == 0:
            continue
        begin = first[vertex]
        before = in_source[in_first[vertex]]
        least = low[before]
        most = high[before]
        total = 0.0
        down = 0.0
        up = 0.0
        apart = 0.0
        deepest = 0.0
        for edge in range(begin, first[vertex + 1]):
            chance = probability[edge] if probability[edge] > 0.0 else 1.0  # not a number where absent: all alike
            fall = low[target[edge]] - least
            rise = high[target[edge]] - most
            deepest = min(deepest, fall)
            total += chance
            down += chance * (cost[edge] + fall)
            up += chance * (cost[edge] + rise)
            apart += chance * (cost[edge] + max(abs(fall), abs(rise)))
        apart *= rounding
        low[vertex] = max(0.0, (least + (down - apart) / total) * (1.0 - 2.0 * UNIT))
        if deepest == 0.0:
            low[vertex] = max(low[vertex], least)
        high[vertex] = (most + (up + apart) / total) * (1.0 + 4.0 * UNIT)
