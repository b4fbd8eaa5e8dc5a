"""Array kernels of value iteration: plain functions that numba can compile (see compiling.py)."""

from __future__ import annotations

from typing import Any

from outplay.strategy.arrays import Iterates, ProcessArrays, Stopping

INFINITE = float("inf")


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
        low, high = process.row_first[row], process.row_first[row + 1]
        if row >= started:
            guess(process, low, high, found, limits.tolerance)
        patience = limits.patience if high - low <= small else limits.long_patience
        try_at = limits.tolerance
        sweep, before, due = 0, INFINITE, False
        while True:
            sweep += 1
            steady = sweep % 4 != 1 and not due
            due = False
            change, further = 0.0, 0.0
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


def guess(process: ProcessArrays, low: int, high: int, found: Iterates, tolerance: float) -> None:
    """Values to begin with; near the right ones where the component is long and its actions lead not far."""
    if high - low >= 1024:
        block = max(16, int(2.0 * stride(process, low, high)))
        if 16 * block <= high - low:
            low = roll(process, low, high, block, found, tolerance)
    look_ahead(process, low, high, found)


def roll(process: ProcessArrays, low: int, high: int, block: int, found: Iterates, tolerance: float) -> int:
    """Roll a window over a component: its front takes in states, its tail leaves behind what no longer changes.

    So each is swept as often as what is near it asks for, not as often as the component is long; and the window stays
    in the cache. Beyond the front values are taken to rise on as they did. Returns how far it came: to the end, unless
    the tail does not settle.
    """
    value = found.value
    look_ahead(process, low, low + 2 * block, found)
    tail, front, step = low, low + block, 1
    mean, change = average(value, low, front), 0.0
    rise = max(0.0, average(value, front, front + block) - mean) / block
    most = 4096.0  # the tail is to halve its changes with each step, or this is no way to go
    while tail < high and change <= most:
        before = front
        front = min(front + block, high)
        middle = min(tail + block, front)
        step += 1
        # Few actions lead further than to the next block: for those the rest is renewed now and then.
        reach = high if step & (step - 1) == 0 else min(front + block, high)
        for state in range(before, reach):
            value[state] = mean + rise * (state - before + block // 2)
        known = tail if step % 4 == 0 else before
        if known > tail:
            change = sweep_chosen(process, tail, middle, found, False)[0]
            sweep_chosen(process, middle, known, found, False)
        else:
            change = sweep_all(process, tail, middle, found)
            known = middle
        sweep_all(process, known, front, found)
        if change <= tolerance:
            tail = middle
        else:
            most *= 0.5
        if before < front:
            now = average(value, before, front)
            mean, rise = now, max(0.0, now - mean) / block
    return front


def average(value: Any, low: int, high: int) -> float:
    """The mean of some values."""
    total = 0.0
    for state in range(low, high):
        total += value[state]
    return total / (high - low)


def stride(process: ProcessArrays, low: int, high: int) -> float:
    """Return the mean stride of actions within a component; it is enough to ask some of the states."""
    action_first, outcome_first, outcome_state = process.action_first, process.outcome_first, process.outcome_state
    far = 0
    count = 1
    for state in range(low, high, 7):
        for place in range(outcome_first[action_first[state]], outcome_first[action_first[state + 1]]):
            beyond = int(outcome_state[place])
            if low <= beyond < high:
                far += abs(beyond - state)
                count += 1
    return far / count


def look_ahead(process: ProcessArrays, low: int, high: int, found: Iterates) -> None:
    """Set each value by the cheapest way ahead: what is not known yet is as far as we are."""
    _, action_first, action_cost, _, outcome_first, outcome_state, outcome_chance = process
    value, choice = found.value, found.choice
    for state in range(low, high):
        value[state] = -1.0
    for state in range(low, high):
        best = INFINITE
        choice[state] = action_first[state]
        for action in range(action_first[state], action_first[state + 1]):
            offer = action_cost[action]
            known = 0.0
            for place in range(outcome_first[action], outcome_first[action + 1]):
                beyond = value[outcome_state[place]]
                if beyond >= 0.0:
                    known += outcome_chance[place]
                    offer += outcome_chance[place] * beyond
            if known < 1.0:
                offer = offer / known if known > 0.0 else INFINITE
            if offer < best:
                best = offer
                choice[state] = action
        value[state] = best if best < INFINITE else 0.0


def sweep_all(process: ProcessArrays, low: int, high: int, found: Iterates) -> float:
    """v(s) = min over actions of (c + P·v) / leave, in place; returns the largest change in parts of a cost."""
    _, action_first, action_cost, leave, outcome_first, outcome_state, outcome_chance = process
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
        move = abs(best - value[state])
        if move > change * action_cost[chosen]:  # seldom, and so is the division
            change = move / action_cost[chosen]
        value[state] = best
    return change


def sweep_chosen(process: ProcessArrays, low: int, high: int, found: Iterates, tracked: bool) -> tuple[float, float]:
    """The same for the chosen actions alone; also returns how far to carry on a change like that of the last sweep.

    Where the errors of two sweeps are d and q·d, the values are off by q/(1 − q)·(q·d) after the second: the answer is
    the q/(1 − q) that fits best.
    """
    _, _, action_cost, leave, outcome_first, outcome_state, outcome_chance = process
    value, choice, moved = found.value, found.choice, found.moved
    change, along, apart = 0.0, 0.0, 0.0
    for state in range(low, high):
        action = choice[state]
        best = action_cost[action]
        for place in range(outcome_first[action], outcome_first[action + 1]):
            best += outcome_chance[place] * value[outcome_state[place]]
        if leave[action] < 1.0:
            best /= leave[action]
        move = best - value[state]
        if abs(move) > change * action_cost[action]:  # seldom, and so is the division
            change = abs(move) / action_cost[action]
        value[state] = best
        if tracked:
            turn = move - moved[state]
            along += move * turn
            apart += turn * turn
            moved[state] = move
    return change, -along / apart if apart > 0.0 else 0.0


def certify(process: ProcessArrays, low: int, high: int, found: Iterates, limits: Stopping) -> tuple[float, float]:
    """Measure how far each action is from the claimed values, e1 and e2 of the ratio certificate; chooses best actions.

    e1 = max over all actions of (v(s) − c − P·v) / c, and e2 = max over the best of (c + P·v − v(s)) / c. Differences
    of values are summed up instead of values, so their rounding, too, is as small as the differences are.
    """
    _, action_first, action_cost, _, outcome_first, outcome_state, outcome_chance = process
    value, choice = found.value, found.choice
    over, worst = 1.0, -1.0
    for state in range(low, high):
        now = value[state]
        best, least = INFINITE, 0.0
        chosen = action_first[state]
        rounded = limits.margin * now
        for action in range(action_first[state], action_first[state + 1]):
            ahead, apart = 0.0, 0.0
            for place in range(outcome_first[action], outcome_first[action + 1]):
                step = outcome_chance[place] * (value[outcome_state[place]] - now)
                ahead += step
                apart += abs(step)
            apart = apart * limits.rounding + rounded
            over = max(over, (apart - ahead) / action_cost[action])
            if action_cost[action] + ahead < best:
                best = action_cost[action] + ahead
                least = apart + ahead
                chosen = action
        choice[state] = chosen
        worst = max(worst, least / action_cost[chosen])
    return over - 1.0 + 2.0 * limits.rounding, worst + 1.0 + 2.0 * limits.rounding


def eliminate(process: ProcessArrays, low: int, high: int, found: Iterates, room: Any) -> None:
    """Set the values of a small component to what the chosen actions are worth, unless they never leave it.

    Grassmann, Taksar and Heyman: without a subtraction, so every value is right to the last digits.
    """
    _, _, action_cost, _, outcome_first, outcome_state, outcome_chance = process
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
