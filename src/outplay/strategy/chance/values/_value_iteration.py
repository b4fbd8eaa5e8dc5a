"""The array kernel of value iteration: a plain function that numba can compile (see compiling.py)."""

from __future__ import annotations

from typing import Any

INFINITE = float("inf")


def solve_components(
    row_first: Any,
    action_first: Any,
    action_cost: Any,
    leave: Any,
    outcome_first: Any,
    outcome_state: Any,
    outcome_chance: Any,
    value: Any,
    choice: Any,
    above: Any,
    below: Any,
    moved: Any,
    begin: int,
    started: int,
    tolerance: float,
    margin: float,
    patience: int,
    room: Any,
) -> int:
    """Find the least expected costs of one component after the other, each swept in place until its bounds are near.

    Costs are positive. `above` and `below` return for each component how far its values are off, in parts of the cost
    of an action: value / (1 + above) is a lower and value / (1 - below) an upper bound. `margin` covers all rounding.
    One sweep of four looks at all actions, the others keep to the best; every eighth is carried on by as much as the
    last two let expect. `moved` is room for the change of each state that was tracked last.
    A component of few states that is slow is solved for the strategy found so far by elimination, in `room`, without a
    subtraction, so every value is right to the last digits. Begins with component `begin`; those before `started` have
    values to begin with. Returns the first component that is slow and too large for `room`, or their number.
    """
    rows = len(row_first) - 1
    small = 0
    while (small + 1) * (small + 3) <= len(room):
        small += 1
    for row in range(begin, rows):
        low = row_first[row]
        high = row_first[row + 1]
        size = high - low
        if row >= started:
            for state in range(low, high):
                value[state] = -1.0
            for state in range(low, high):  # a first guess: what is not known yet is as far as we are
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
        try_at = tolerance
        sweep = 0
        due = False
        while True:
            sweep += 1
            steady = sweep % 4 != 1 and not due
            tracked = sweep % 8 == 7 or sweep % 8 == 0
            due = False
            change = 0.0
            along = 0.0
            apart = 0.0
            if size > 1:
                for state in range(low, high):
                    best = -1.0
                    if steady:
                        action = choice[state]
                        best = action_cost[action]
                        for place in range(outcome_first[action], outcome_first[action + 1]):
                            best += outcome_chance[place] * value[outcome_state[place]]
                        if leave[action] < 1.0:
                            best /= leave[action]
                    else:
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
                    move = best - value[state]
                    change = max(change, abs(move) / action_cost[choice[state]])
                    value[state] = best
                    if tracked:
                        turn = move - moved[state]
                        along += move * turn
                        apart += turn * turn
                        moved[state] = move
            slow = sweep % (patience if size <= small else 20 * patience) == 0
            if change > try_at and not slow:
                if sweep % 8 == 0 and apart > 0.0:
                    further = -along / apart
                    if 0.0 < further < 1000.0:
                        for state in range(low, high):
                            value[state] = max(0.0, value[state] + further * moved[state])
                continue
            if steady and not slow:
                due = True
                continue
            try_at = change * 0.25
            worst = 0.0
            over = 0.0
            for state in range(low, high):  # the certificate: how far is each action from what the values claim
                now = value[state]
                best = -1.0
                for action in range(action_first[state], action_first[state + 1]):
                    ahead = (1.0 - leave[action]) * now
                    for place in range(outcome_first[action], outcome_first[action + 1]):
                        ahead += outcome_chance[place] * value[outcome_state[place]]
                    paid = action_cost[action]
                    over = max(over, (now + margin * now - ahead) / paid - 1.0)
                    if best < 0.0 or paid + ahead < best:
                        best = paid + ahead
                        choice[state] = action
                paid = action_cost[choice[state]]
                worst = max(worst, 1.0 - (now - margin * now - (best - paid)) / paid)
            above[row] = over
            below[row] = worst
            # Bounds of several components are joined, so each may take half of the tolerance for each side.
            wide = over + worst if rows == 1 else 2.0 * max(over, worst)
            if wide <= tolerance or change == 0.0:
                break  # near enough, or as near as these numbers get
            if not slow:
                continue
            if size > small or sweep >= 40 * patience:
                return row
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
            proper = True
            for gone in range(size - 1, -1, -1):
                at = gone * width
                away = room[at + size]
                for other in range(gone):
                    away += room[at + other]
                if away <= 0.0:
                    proper = False
                    break
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
            if proper:
                for state in range(size):
                    at = state * width
                    worth = room[at + size + 1]
                    for other in range(state):
                        worth += room[at + other] * value[low + other]
                    value[low + state] = worth
    return rows


def zero_runs(
    row_first: Any,
    action_first: Any,
    action_cost: Any,
    leave: Any,
    outcome_first: Any,
    outcome_state: Any,
    outcome_chance: Any,
    run: Any,
    patience: int,
) -> bool:
    """Bound the expected number of actions of cost 0 in a row, whatever the tester does.

    On entry `run` is 0; on return each action of cost 0 lowers it by at least a half on average, or the answer is
    False: some component did not get there in so many sweeps.
    """
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
