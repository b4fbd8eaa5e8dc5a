"""Array kernels of best probabilities: plain functions that numba can compile (see compiling.py)."""

from __future__ import annotations

from typing import Any

from outplay.strategy.arrays import SMALLEST, ProcessArrays


def raise_chances(
    process: ProcessArrays,
    value: Any,
    steps: Any,
    choice: Any,
    begin: int,
    tolerance: float,
    patience: int,
) -> int:
    """Raise the probabilities of one component after the other until they rise by less than `tolerance`, relative.

    `steps` is raised likewise, until every action lowers it by at least half the value of the state. Returns the first
    component that takes more than `patience` sweeps, the number of components, or -1 if a value is too small for that.
    `choice` is the best action so far.
    """
    row_first, action_first, _, leave, outcome_first, outcome_state, outcome_chance = process
    for row in range(begin, len(row_first) - 1):
        low = row_first[row]
        high = row_first[row + 1]
        for counting in range(2):
            if counting:
                for state in range(low, high):
                    if value[state] < SMALLEST:
                        return -1
            sweep = 0
            rise = 1.0
            while rise > (0.5 if counting else tolerance):
                if sweep == patience:
                    return row
                sweep += 1
                rise = 0.0
                for state in range(low, high):
                    best = steps[state] if counting else value[state]
                    before = best
                    for action in range(action_first[state], action_first[state + 1]):
                        offer = value[state] if counting else 0.0
                        for place in range(outcome_first[action], outcome_first[action + 1]):
                            beyond = outcome_state[place]
                            offer += outcome_chance[place] * (steps[beyond] if counting else value[beyond])
                        offer /= leave[action]
                        if counting:
                            rise = max(rise, (offer - before) * leave[action] / value[state])
                        if offer > best:
                            best = offer
                            if not counting:
                                choice[state] = action
                    if counting:
                        steps[state] = best
                    else:
                        if best > before:
                            rise = max(rise, (best - before) / best)
                        value[state] = best
    return len(row_first) - 1


def needed_shift(
    process: ProcessArrays,
    value: Any,
    steps: Any,
    choice: Any,
    margin: float,
) -> float:
    """The least x such that value + x·steps falls along every action and value - x·steps rises along some.

    The latter becomes the choice. `margin` covers all rounding; -1 if there is no such x.
    """
    _, action_first, _, leave, outcome_first, outcome_state, outcome_chance = process
    least = 0.0
    for state in range(len(action_first) - 1):
        now = value[state]
        count = steps[state]
        best = -1.0
        for action in range(action_first[state], action_first[state + 1]):
            ahead = (1.0 - leave[action]) * now
            further = (1.0 - leave[action]) * count
            for place in range(outcome_first[action], outcome_first[action + 1]):
                beyond = outcome_state[place]
                ahead += outcome_chance[place] * value[beyond]
                further += outcome_chance[place] * steps[beyond]
            room = count - margin * count - further
            if room <= 0.0:
                return -1.0
            least = max(least, (ahead + margin * ahead - now) / room)
            down = max(0.0, (now + margin * now - ahead) / room)
            if best < 0.0 or down < best:
                best = down
                choice[state] = action
        least = max(least, best)
    return least
