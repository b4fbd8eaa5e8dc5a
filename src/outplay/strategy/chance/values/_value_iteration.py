"""Array kernels of value iteration: plain functions that numba can compile (see compiling.py)."""

from __future__ import annotations

from typing import Any, NamedTuple

from outplay.strategy.arrays import ProcessArrays

INFINITE = float("inf")


class Iterates(NamedTuple):
    """What is known of each state, and how far each component is off."""

    value: Any
    choice: Any
    """The best action."""
    moved: Any
    """Room for the change of each state in the sweep that was tracked last."""
    above: Any
    """Of each component, in parts of the cost of an action: value / (1 + above) is a lower bound."""
    below: Any
    """Likewise: value / (1 - below) is an upper bound."""
    change: Any
    """Of each component, the largest change in its last sweep, in parts of the cost of an action."""


class Stopping(NamedTuple):
    """When to stop."""

    tolerance: float
    """Of the two bounds, relative to each other."""
    rounding: float
    """The relative error of a sum over answers."""
    margin: float
    """The relative error of a value by itself: when it is made a bound, and a float again."""
    patience: int
    """Sweeps before a component of few states is called slow."""
    long_patience: int
    """The same for others."""


def solve_components(
    process: ProcessArrays, found: Iterates, begin: int, started: int, limits: Stopping, room: Any
) -> int:
    """Find the least expected costs of one component after the other, each swept in place until its bounds are near.

    Costs are positive. One sweep of four looks at all actions, the others keep to the best; every eighth is carried on
    by as much as the last two let expect. A component of few states that is slow is solved for the strategy found so
    far by elimination, in `room`. Begins with component `begin`; those before `started` have values to begin with.
    Returns the first component that is slow and too large for `room`, or their number.
    """
    rows = len(process.row_first) - 1
    small = 0
    while (small + 1) * (small + 3) <= len(room):
        small += 1
    for row in range(begin, rows):
        low = process.row_first[row]
        high = process.row_first[row + 1]
        if row >= started:
            guess(process, low, high, found.value)
        patience = limits.patience if high - low <= small else limits.long_patience
        try_at = limits.tolerance
        sweep = 0
        before = INFINITE
        due = False
        while True:
            sweep += 1
            steady = sweep % 4 != 1 and not due
            due = False
            change = 0.0
            further = 0.0
            if high - low > 1:
                if steady:
                    change, further = sweep_chosen(process, low, high, found, sweep % 8 == 7 or sweep % 8 == 0)
                else:
                    change = sweep_all(process, low, high, found)
            slow = sweep % patience == 0 and (high - low <= small or change > 0.1 * before)
            if sweep % patience == 0:
                before = change
            if change > try_at and not slow:
                if sweep % 8 == 0 and 0.0 < further < 1000.0:
                    for state in range(low, high):
                        found.value[state] = max(0.0, found.value[state] + further * found.moved[state])
                continue
            found.change[row] = change
            if slow and high - low > small and change > 8.0 * limits.tolerance:
                return row
            if steady and not slow:
                due = True
                continue
            try_at = change * 0.25
            found.above[row], found.below[row] = certify(process, low, high, found, limits)
            # Bounds of several components are joined, so each may take half of the tolerance for each side.
            over, worst = found.above[row], found.below[row]
            wide = over + worst if rows == 1 else 2.0 * max(over, worst)
            if wide <= limits.tolerance or change == 0.0:
                break  # near enough, or as near as these numbers get
            if slow:
                if high - low > small or sweep >= 40 * patience:
                    return row
                eliminate(process, low, high, found, room)
    return rows


def guess(process: ProcessArrays, low: int, high: int, value: Any) -> None:
    """Values to begin with, by the cheapest way ahead: what is not known yet is as far as we are."""
    action_first, action_cost, outcome_first = process.action_first, process.action_cost, process.outcome_first
    outcome_state, outcome_chance = process.outcome_state, process.outcome_chance
    for state in range(low, high):
        value[state] = -1.0
    for state in range(low, high):
        best = -1.0
        for action in range(action_first[state], action_first[state + 1]):
            offer = action_cost[action]
            known = 0.0
            for place in range(outcome_first[action], outcome_first[action + 1]):
                beyond = value[outcome_state[place]]
                if beyond >= 0.0:
                    known += outcome_chance[place]
                    offer += outcome_chance[place] * beyond
            if known > 0.0 and (best < 0.0 or offer < best * known):
                best = offer / known
        value[state] = max(best, 0.0)


def sweep_all(process: ProcessArrays, low: int, high: int, found: Iterates) -> float:
    """v(s) = min over actions of (c + P·v) / leave, in place; returns the largest change in parts of a cost."""
    action_first, action_cost, leave = process.action_first, process.action_cost, process.leave
    outcome_first, outcome_state = process.outcome_first, process.outcome_state
    outcome_chance = process.outcome_chance
    value, choice = found.value, found.choice
    change = 0.0
    for state in range(low, high):
        best = INFINITE
        chosen = action_first[state]
        for action in range(action_first[state], action_first[state + 1]):
            offer = action_cost[action]
            for place in range(outcome_first[action], outcome_first[action + 1]):
                offer += outcome_chance[place] * value[outcome_state[place]]
            if leave[action] < 1.0:
                offer /= leave[action]
            if offer < best:  # nothing else here: the machine then selects and need not guess
                best = offer
                chosen = action
        choice[state] = chosen
        change = max(change, abs(best - value[state]) / action_cost[chosen])
        value[state] = best
    return change


def sweep_chosen(process: ProcessArrays, low: int, high: int, found: Iterates, tracked: bool) -> tuple[float, float]:
    """The same for the chosen actions alone; also returns how far to carry on a change like that of the last sweep.

    Where the errors of two sweeps are d and q·d, the values are off by q/(1 − q)·(q·d) after the second: the answer is
    the q/(1 − q) that fits best.
    """
    action_cost, leave, outcome_first = process.action_cost, process.leave, process.outcome_first
    outcome_state, outcome_chance = process.outcome_state, process.outcome_chance
    value, choice, moved = found.value, found.choice, found.moved
    change = 0.0
    along = 0.0
    apart = 0.0
    for state in range(low, high):
        action = choice[state]
        best = action_cost[action]
        for place in range(outcome_first[action], outcome_first[action + 1]):
            best += outcome_chance[place] * value[outcome_state[place]]
        if leave[action] < 1.0:
            best /= leave[action]
        move = best - value[state]
        change = max(change, abs(move) / action_cost[action])
        value[state] = best
        if tracked:
            turn = move - moved[state]
            along += move * turn
            apart += turn * turn
            moved[state] = move
    return change, -along / apart if apart > 0.0 else 0.0


def certify(process: ProcessArrays, low: int, high: int, found: Iterates, limits: Stopping) -> tuple[float, float]:
    """How far each action is from what the values claim, e1 and e2 of the ratio certificate; chooses best actions.

    e1 = max over all actions of (v(s) − c − P·v) / c, and e2 = max over the best of (c + P·v − v(s)) / c. Differences
    of values are summed up instead of values, so their rounding, too, is as small as the differences are.
    """
    action_first, action_cost, outcome_first = process.action_first, process.action_cost, process.outcome_first
    outcome_state, outcome_chance = process.outcome_state, process.outcome_chance
    value, choice = found.value, found.choice
    over = 0.0
    worst = 0.0
    for state in range(low, high):
        now = value[state]
        best = INFINITE
        least = 0.0
        rounded = limits.margin * now
        for action in range(action_first[state], action_first[state + 1]):
            ahead = 0.0
            apart = 0.0
            for place in range(outcome_first[action], outcome_first[action + 1]):
                step = outcome_chance[place] * (value[outcome_state[place]] - now)
                ahead += step
                apart += abs(step)
            paid = action_cost[action]
            apart *= limits.rounding
            over = max(over, (apart + rounded - ahead) / paid - 1.0)
            if paid + ahead < best:
                best = paid + ahead
                least = (apart + rounded + ahead) / paid + 1.0
                choice[state] = action
        worst = max(worst, least)
    return over + 2.0 * limits.rounding, worst + 2.0 * limits.rounding


def eliminate(process: ProcessArrays, low: int, high: int, found: Iterates, room: Any) -> None:
    """Set the values of a small component to what the chosen actions are worth, unless they never leave it.

    Grassmann, Taksar and Heyman: without a subtraction, so every value is right to the last digits.
    """
    action_cost, outcome_first, outcome_state = process.action_cost, process.outcome_first, process.outcome_state
    outcome_chance = process.outcome_chance
    value, choice = found.value, found.choice
    size = high - low
    width = size + 2  # of a row: the chances to go to each state, the chance to leave for good, the cost
    for place in range(size * width):
        room[place] = 0.0
    for state in range(low, high):
        at = (state - low) * width
        action = choice[state]
        room[at + size + 1] = action_cost[action]
        for place in range(outcome_first[action], outcome_first[action + 1]):
            beyond = outcome_state[place]
            if low <= beyond < high:
                room[at + beyond - low] += outcome_chance[place]
            else:
                room[at + size] += outcome_chance[place]
                room[at + size + 1] += outcome_chance[place] * value[beyond]
    for gone in range(size - 1, -1, -1):
        at = gone * width
        away = room[at + size]
        for other in range(gone):
            away += room[at + other]
        if away <= 0.0:
            return
        for place in range(at, at + gone):
            room[place] /= away
        room[at + size] /= away
        room[at + size + 1] /= away
        for other in range(gone):
            share = room[other * width + gone]
            if share > 0.0:
                for place in range(gone):
                    room[other * width + place] += share * room[at + place]
                room[other * width + size] += share * room[at + size]
                room[other * width + size + 1] += share * room[at + size + 1]
    for state in range(size):
        at = state * width
        worth = room[at + size + 1]
        for other in range(state):
            worth += room[at + other] * value[low + other]
        value[low + state] = worth


def zero_runs(process: ProcessArrays, run: Any, patience: int) -> bool:
    """Bound the expected number of actions of cost 0 in a row, whatever the tester does.

    On entry `run` is 0; on return each action of cost 0 lowers it by at least a half on average, or the answer is
    False: some component did not get there in so many sweeps.
    """
    row_first, action_first, action_cost = process.row_first, process.action_first, process.action_cost
    leave, outcome_first, outcome_state = process.leave, process.outcome_first, process.outcome_state
    outcome_chance = process.outcome_chance
    for row in range(len(row_first) - 1):
        for _ in range(patience):
            least = 1.0
            for state in range(row_first[row], row_first[row + 1]):
                for action in range(action_first[state], action_first[state + 1]):
                    if action_cost[action] > 0.0:
                        continue
                    ahead = 0.0
                    for place in range(outcome_first[action], outcome_first[action + 1]):
                        ahead += outcome_chance[place] * run[outcome_state[place]]
                    least = min(least, run[state] * leave[action] - ahead)
                    run[state] = max(run[state], (1.0 + ahead) / leave[action])
            if least >= 0.5:
                break
        if least < 0.5:
            return False
    return True
